#include "plush/world/settings.hpp"

#include <array>

// The one description of the world's settings: keys, units, ranges and texts. Readers, schema and reference
// pages are visitors of it. Ranges refuse nonsense, not daring.

namespace plush {
namespace {

constexpr std::array rotation_methods{
    Choice{"momentum", static_cast<int>(RotationMethod::momentum),
           "carries the angular momentum, turns as the free top"},
    Choice{"implicit", static_cast<int>(RotationMethod::implicit),
           "implicit gyroscopic step: stable, damps spin"},
    Choice{"first_order", static_cast<int>(RotationMethod::first_order),
           "first order, no gyroscopic term: for teaching"},
};

constexpr std::array absurd_motions{
    Choice{"stop", static_cast<int>(AbsurdMotion::stop),
           "an error ends the run, with the last good state kept"},
    Choice{"freeze", static_cast<int>(AbsurdMotion::freeze),
           "it stays where it was for good, and the rest goes on"},
};

}  // namespace

void describe(FieldVisitor& v, SleepSettings& s) {
    v.field({.key = "enabled", .text = "bodies that rest stop being computed until something touches them"},
            s.enabled);
    v.field({.key = "speed",
             .unit = "m/s",
             .text = "a body rests when all its points are slower than this; default: 0.01 m/s · g/9.81 "
                     "m/s², but from "
                     "0.005 to 0.2 of its size a second, and 0.05 of it without gravity",
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
    v.choice(
        {.key = "absurd_motion", .text = "what becomes of a body that is far too fast or far too deformed"},
        s.absurd_motion, absurd_motions);
    v.field({.key = "ledger", .text = "every step tells where its energy came from and went"}, s.ledger);
}

}  // namespace plush
