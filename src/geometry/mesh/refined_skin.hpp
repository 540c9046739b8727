#pragma once

#include <optional>

#include "geometry/mesh/embedding.hpp"

// The surface that touches where a skin is coarser than what it is embedded in. A load on a triangle of a skin goes to the
// vertices that carry its three corners, and to no other: twelve triangles over five hundred tets pass the
// weight of a box to the eight tets at its corners. So the contact surface of a body is its skin with every edge
// halved until it is shorter than the edges that it is embedded in:
//
//     |a − b| ≤ κ min(d(a), d(b), d((a + b)/2)),   d(p) = the largest distance between two vertices that p is embedded in,
//
// at rest; in tets d is the longest edge of the tet. κ is tuning::skin_edge. The surface at rest stays what it was, and each new vertex
// has weights of its own. A triangle is divided at the middles of its long edges:
//
//      none           one             two             three
//       /\             /\              /\               /\        .
//      /  \           /| \            /__\             /__\       .
//     /    \         / |  \          /\   \           /\  /\      .
//    /______\       /__|___\        /__\___\         /__\/__\     .
//
// Neighbours agree about their common edge, so that what was closed stays closed. What is drawn inside of a triangle
// with one or two long edges is provisional: it is divided last, and until then flipped to where it is Delaunay.
// So a long thin triangle becomes a strip of n pairs and not of 3^log2(n). In the end there are about as many triangles
// as the boundary of the tets has faces, or as many as there were.

namespace plush {

struct RefinedSkin {
    Mesh surface{};
    Embedding weights{};
};

/// Nothing where each edge is short enough already. `weights` are those of the skin in these tets.
[[nodiscard]] std::optional<RefinedSkin> refined_skin(const Mesh& skin, const Embedding& weights,
                                                      const TetMesh& tets);
/// For a skin that is embedded in points (Embedding::in_points).
[[nodiscard]] std::optional<RefinedSkin> refined_skin(const Mesh& skin, const Embedding& weights,
                                                      std::span<const Vec3> points);

}  // namespace plush
