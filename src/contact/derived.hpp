#pragma once

#include <cmath>

#include "core/tuning.hpp"
#include "plush/contact/field_settings.hpp"

// Lengths, speeds and stiffnesses that a scene leaves open. Things of daily life have those that were always there; what is very
// small or very large, or under another gravity, has those that are similar: with lengths, gravity and speeds times s, times and
// densities as they were, lengths and speeds are times s and stiffnesses times s³.

namespace plush {

/// What they follow from.
struct BodyScale {
    double size = HUGE_VAL;                  ///< of the body, m; HUGE_VAL where it has none
    double mass = 0;                         ///< of what its vertices carry, kg; 0: not known
    double gravity = tuning::usual_gravity;  ///< m/s²
    bool operator==(const BodyScale&) const = default;
};

/// A length or a speed that nobody gave, of a body of this size (m) under this gravity (m/s²).
double derived(const tuning::Derived& law, double size, double gravity);

/// With numbers for all that is left open (0).
SurfaceSettings resolved(SurfaceSettings settings, const BodyScale& scale);

}  // namespace plush
