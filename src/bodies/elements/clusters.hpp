#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "plush/bodies/shape_matching.hpp"
#include "plush/core/error.hpp"
#include "plush/math/vec.hpp"

// Overlapping clusters of any mesh, by size. Vertices are visited in their order; one that no cluster has
// covered yet becomes the centre of the next:
//
//     cluster   what can be reached from the centre along edges within the ball of radius r = size/2
//     covered   those of it within (1 − overlap) r
//
// So every vertex is in at least one cluster, clusters are connected, and two centres are never nearer than
// (1 − overlap) r in the sense of that search. Edges longer than overlap · r may still run from one cluster
// to the next without a vertex in common, and the body would come apart there: each edge that lies in no
// cluster is given to the first one that holds its first end. (Müller et al. 2005 use the cells of a regular
// grid, which cuts thin parts at places that depend on where the grid lies.)
//
// A cloud of points has no edges: there a cluster is all that is in the ball. Parts that are farther apart
// than that would fall apart, and are refused.

namespace plush {

using ClusterList = std::vector<std::vector<std::uint32_t>>;

using VertexPair = std::array<std::uint32_t, 2>;

/// The clusters of a mesh with these edges; each list rises. Size 0, or a body within one ball: one of all.
[[nodiscard]] Result<ClusterList> clusters_of_mesh(std::span<const Vec3> positions,
                                                   std::span<const VertexPair> edges,
                                                   const ClusterSettings& settings);

/// The same by nearness.
[[nodiscard]] Result<ClusterList> clusters_of_points(std::span<const Vec3> positions,
                                                     const ClusterSettings& settings);

}  // namespace plush
