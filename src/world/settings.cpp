#include "plush/world/settings.hpp"

#include <array>

// The one description of the world's settings: keys, units, ranges and texts. Readers, schema and reference
// pages are visitors of it. Ranges refuse nonsense, not daring.

namespace plush {
namespace {

constexpr std::array contact_methods{
    Choice{"points", static_cast<int>(ContactMethod::points), "a handful of points a pair, solved together"},
    Choice{"impulse", static_cast<int>(ContactMethod::impulse),
           "one averaged impulse a pair: for teaching, never rests"},
    Choice{"none", static_cast<int>(ContactMethod::none), "reported as events, without any response"},
};

constexpr std::array friction_models{
    Choice{"cone", static_cast<int>(FrictionModel::cone), "Coulomb's cone, the same in every direction"},
    Choice{"pyramid", static_cast<int>(FrictionModel::pyramid),
           "four-sided, for comparison: too weak along its diagonals"},
};

constexpr std::array rotation_methods{
    Choice{"momentum", static_cast<int>(RotationMethod::momentum),
           "carries the angular momentum, midpoint rule"},
    Choice{"implicit", static_cast<int>(RotationMethod::implicit),
           "implicit gyroscopic step: stable, damps spin"},
    Choice{"first_order", static_cast<int>(RotationMethod::first_order),
           "first order, no gyroscopic term: for teaching"},
};

}  // namespace

std::span<const Choice> contact_method_words() {
    return contact_methods;
}

void describe(FieldVisitor& v, Material& s) {
    v.field({.key = "friction",
             .text = "Coulomb's coefficient; of two bodies, the geometric mean counts",
             .min = 0,
             .max = 1e6},
            s.friction);
    v.field({.key = "restitution",
             .text = "speed after an impact by the speed before; of two bodies, the larger counts",
             .min = 0,
             .max = 1},
            s.restitution);
}

void describe(FieldVisitor& v, ContactSettings& s) {
    v.choice({.key = "method", .text = "how overlap becomes contact"}, s.method, contact_methods);
    v.field({.key = "points", .text = "contact points of a pair, at most", .min = 1, .max = 64}, s.points);
    v.field({.key = "allowed_depth", .unit = "m", .text = "overlap that is left alone", .min = 0, .max = 1},
            s.allowed_depth);
    v.field({.key = "margin",
             .unit = "m",
             .text = "points closer than this are watched before they touch",
             .min = 0,
             .max = 1},
            s.margin);
    v.field({.key = "resting_speed",
             .unit = "m/s",
             .text = "below this impact speed nothing bounces; default 2 g h",
             .min = 0},
            s.resting_speed);
    v.field({.key = "stabilise_passes",
             .text = "detections that remove leftover overlap in a step, at most",
             .min = 0,
             .max = 1000},
            s.stabilise_passes);
}

void describe(FieldVisitor& v, SolverSettings& s) {
    v.field({.key = "iterations", .text = "sweeps over all contacts, at most", .min = 1, .max = 1e6},
            s.iterations);
    v.field({.key = "tolerance", .text = "relative residual at which the solver stops", .min = 0, .max = 1},
            s.tolerance);
    v.choice({.key = "friction", .text = "the set that friction forces lie in"}, s.friction, friction_models);
    v.field({.key = "warm_start", .text = "begin with the forces of the last step"}, s.warm_start);
}

void describe(FieldVisitor& v, SleepSettings& s) {
    v.field({.key = "enabled", .text = "bodies that rest stop being computed until something touches them"},
            s.enabled);
    v.field({.key = "speed",
             .unit = "m/s",
             .text = "a body rests when all its points are slower than this",
             .min = 0},
            s.speed);
    v.field({.key = "after", .unit = "s", .text = "and it sleeps after resting for this long", .min = 0},
            s.after);
}

void describe(FieldVisitor& v, WorldSettings& s) {
    v.numbers({.key = "gravity",
               .unit = "m/s²",
               .text = "acceleration of everything that moves freely",
               .min = -1e6,
               .max = 1e6},
              std::span(&s.gravity.x, 3));
    // A step above a second is a mistake of units; a scene above 0.1 s gets a warning.
    v.field({.key = "step", .unit = "s", .text = "time step", .min = 0, .max = 1, .min_excluded = true},
            s.step);
    v.choice({.key = "rotation", .text = "how orientations advance"}, s.rotation, rotation_methods);
    v.group({.key = "contact", .text = "contact between bodies"}, s.contact);
    v.group({.key = "solver", .text = "the contact solver"}, s.solver);
    v.group({.key = "sleep", .text = "when bodies stop being computed"}, s.sleep);
}

}  // namespace plush
