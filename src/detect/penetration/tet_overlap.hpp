#pragma once

#include <array>
#include <optional>
#include <span>

#include "plush/geometry/mesh.hpp"

// Whether tets share volume, exactly. Two convex polyhedra have no inner point in common if and only if a
// plane along a face of one of them, or along an edge of each, has one on either side (the faces of the
// Minkowski difference are of these kinds). For tets: 4 + 4 faces and 6 × 6 pairs of edges, each sign of
//
//     (a₁ − a₀) × (b₁ − b₀) · (p − a₀)
//
// worked out exactly where rounding could change it. Tets that only touch share none.

namespace plush {

using TetCorners = std::array<Vec3, 4>;

/// Whether the insides of two tets have a point in common. A tet without volume has no inside. Coordinates
/// within the range of predicates.hpp.
[[nodiscard]] bool tets_overlap(const TetCorners& a, const TetCorners& b);

/// The first tets (in the order of a's, then of b's) whose insides meet, and how many pairs do.
struct TetOverlap {
    int a = 0, b = 0;
    std::size_t pairs = 0;
};
[[nodiscard]] std::optional<TetOverlap> find_tet_overlap(std::span<const Vec3> xa, std::span<const Tet> a,
                                                         std::span<const Vec3> xb, std::span<const Tet> b);

}  // namespace plush
