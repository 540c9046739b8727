#pragma once

#include <array>
#include <span>

#include "plush/math/vec.hpp"

namespace plush {

/// A box along axes of its own. A patch of a fine surface is nearly flat: its oriented box is thin and stays so
/// however it is turned, while a box along fixed axes is as thick as the patch is wide, twice over where it
/// is turned into other axes.
struct OrientedBox {
    Vec3 centre;
    std::array<Vec3, 3> arms{};  ///< from the centre to the middle of a face each, the longest first

    /// Around points: with a side along the direction in which they are thinnest, or along fixed axes where
    /// that is smaller.
    static OrientedBox around(std::span<const Vec3> points);
};

}  // namespace plush
