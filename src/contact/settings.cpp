#include "plush/contact/settings.hpp"

#include <array>

namespace plush {
namespace {

constexpr std::array contact_methods{
    Choice{"automatic", static_cast<int>(ContactMethod::automatic),
           "volume where a deformable body with a closed surface takes part, else points"},
    Choice{"points", static_cast<int>(ContactMethod::points), "a handful of points a pair, solved together"},
    Choice{"volume", static_cast<int>(ContactMethod::volume),
           "the volume that closed bodies share, at full detail"},
    Choice{"volume_penalty", static_cast<int>(ContactMethod::volume_penalty),
           "the same as an energy ½ k V²: soft, for comparison"},
    Choice{
        "closest_feature", static_cast<int>(ContactMethod::closest_feature),
        "vertices of two surfaces, and edges of rigid ones, with what is nearest to them: many points, for "
        "comparison"},
    Choice{"impulse", static_cast<int>(ContactMethod::impulse),
           "one averaged impulse a pair: for teaching, never rests"},
    Choice{"none", static_cast<int>(ContactMethod::none), "reported as events, without any response"},
};

constexpr std::array friction_models{
    Choice{"cone", static_cast<int>(FrictionModel::cone), "Coulomb's cone, the same in every direction"},
    Choice{"pyramid", static_cast<int>(FrictionModel::pyramid),
           "four-sided, for comparison: too weak along its diagonals"},
};

constexpr std::array compliance_methods{
    Choice{"automatic", static_cast<int>(ComplianceMethod::automatic),
           "exact for small bodies, approximate for large ones"},
    Choice{"exact", static_cast<int>(ComplianceMethod::exact), "by a factorisation in every step"},
    Choice{"approximate", static_cast<int>(ComplianceMethod::approximate),
           "by that of the rest shape, with an iteration that ends where the true motion obeys the laws"},
};

}  // namespace

std::span<const Choice> contact_method_choices() {
    return contact_methods;
}

void describe(FieldVisitor& v, ContactSettings& s) {
    v.choice({.key = "method", .text = "how overlap becomes contact"}, s.method, contact_methods);
    v.field({.key = "points", .text = "contact points of a pair, at most", .min = 1, .max = 64}, s.points);
    v.field({.key = "allowed_depth",
             .unit = "m",
             .text = "overlap that is left alone; default: 1e-4 m · g/9.81 m/s², but from 5e-5 to 2e-3 of "
                     "the smaller "
                     "body's size, and 5e-4 of it without gravity",
             .min = 0,
             .max = 1},
            s.allowed_depth);
    v.field({.key = "margin",
             .unit = "m",
             .text = "points closer than this are watched before they touch; default: ten times that of "
                     "allowed_depth",
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
    v.group({.key = "surface", .text = "how the vertices of deformable bodies are held off surfaces"},
            s.surface);
    v.group({.key = "volume", .text = "how closed bodies touch by the volume they share"}, s.volume);
    v.group({.key = "tets", .text = "how bodies that have tets touch one another"}, s.tets);
}

void describe(FieldVisitor& v, SolverSettings& s) {
    v.field({.key = "iterations", .text = "sweeps over all contacts, at most", .min = 1, .max = 1e6},
            s.iterations);
    v.field({.key = "tolerance", .text = "relative residual at which the solver stops", .min = 0, .max = 1},
            s.tolerance);
    v.choice({.key = "friction", .text = "the set that friction forces lie in"}, s.friction, friction_models);
    v.field({.key = "warm_start", .text = "begin with the forces of the last step"}, s.warm_start);
    v.field({.key = "accelerated", .text = "conjugate directions over the sweeps: fewer of them"},
            s.accelerated);
    v.field({.key = "newton",
             .text = "Newton's method where sweeps are slow: heavy bodies on light ones, wide soft contact"},
            s.newton);
    v.choice({.key = "compliance", .text = "how the contact compliance of soft bodies is found"},
             s.compliance, compliance_methods);
}

}  // namespace plush
