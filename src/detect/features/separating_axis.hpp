#pragma once

#include <optional>

#include "detect/features/convex_solid.hpp"
#include "plush/geometry/sdf.hpp"

namespace plush {

/// A convex solid with its own distance.
struct ConvexSide {
    const ConvexSolid& solid;
    const SignedDistance& distance;  ///< in the same frame as the solid
};

/// The direction along which two convex solids are farthest apart, or overlap least.
struct Separation {
    Vec3 normal{0, 1, 0};         ///< unit, from b to a
    double distance = -HUGE_VAL;  ///< m; negative where they overlap
    std::optional<Vec3>
        witness{};  ///< half-way between the two closest points, where a candidate came with them
};

/// The best of the directions that flat faces and straight edges give.
Separation separating_axis(const ConvexSide& a, const ConvexSide& b);

/// The best of `found` and the directions of rims against edges, rims and sides, and of corners that are apart.
Separation with_round_features(const ConvexSide& a, const ConvexSide& b, const Separation& found);

}  // namespace plush
