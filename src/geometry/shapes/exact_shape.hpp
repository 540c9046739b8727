#pragma once

#include <cstdint>

#include "plush/math/vec.hpp"

namespace plush {

/// A shape whose faces, edges and rims are known in closed form, in the frame of its Shape. A sphere is none: its centre
/// against the other's distance finds every contact.
struct ExactShape {
    enum class Kind : std::uint8_t { box, capsule, cylinder, torus, half_space };
    Kind kind = Kind::box;
    /// m. Box: half sizes. Capsule and cylinder (along y): radius, half height. Torus (about y): radius of the ring, of the
    /// tube. Half-space: the outward normal.
    Vec3 size{};
};

}  // namespace plush
