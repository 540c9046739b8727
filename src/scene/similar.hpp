#pragma once

#include <string>
#include <string_view>

#include "plush/scene/scene.hpp"

// Similar scenes. Lengths, the acceleration of gravity and all speeds are multiplied by s; times and densities are as they were.
// Then masses go with s³, moduli and pressures with s², forces with s⁴ and stiffnesses with s³, and the motion of the one is
// that of the other, s times as large. Engines that have thresholds of their own in metres or metres a second break that law.

namespace plush {

/// The power of s that a quantity of this unit goes with. Where a unit is one of two ("N or N m"), that of the first.
int length_power(std::string_view unit);

/// The scene that is similar to this one, as JSON text.
std::string similar_scene(const Scene& scene, double s);

}  // namespace plush
