#pragma once

#include <span>
#include <vector>

#include "geometry/mesh/bvh.hpp"
#include "geometry/mesh/function_ref.hpp"
#include "plush/geometry/mesh.hpp"

namespace plush {

/// For each triangle whether it has zero area (exactly collinear corners, or a repeated vertex). Positions
/// are in the range of the predicates.
std::vector<char> degenerate_triangles(std::span<const Vec3> positions, std::span<const Triangle> triangles);

/// Calls visit(i, j), i < j, for each pair of triangles that meet where they should not (the rule stands at
/// triangles_intersect), leaving the degenerate ones out. The order is that of the tree.
///
/// Hostile input (everything in one place) has n² pairs. So the search gives up, and returns false, after a
/// number of pairs of boxes that no real mesh comes near.
bool for_each_self_intersection(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                std::span<const char> degenerate, const Bvh& bvh,
                                FunctionRef<void(int, int)> visit);

}  // namespace plush
