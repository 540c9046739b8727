#include "geometry/tets/tet_quality.hpp"

#include <algorithm>

#include "core/transcendental.hpp"
#include "geometry/mesh/predicates.hpp"
#include "geometry/tets/tet_topology.hpp"

// At the edge that two faces with outward unit normals m and n share, the angle inside is π − ∠(m, n):
//
//     tan θ = |m × n| / (−m · n),
//
// by atan2, which keeps its digits near 0° and 180° where the arc cosine loses half of them.

namespace plush {
namespace {

constexpr double degrees = 180 / 3.141592653589793;

}  // namespace

std::array<double, 6> dihedral_angles(const std::array<Vec3, 4>& p) {
    std::array<Vec3, 4> n;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto& [a, b, c] = face_opposite[i];
        n[i] = cross(p[b] - p[a], p[c] - p[a]);
    }
    const auto angle = [&](std::size_t i, std::size_t j) {
        return degrees * pinned::atan2(norm(cross(n[i], n[j])), -dot(n[i], n[j]));
    };
    // The edge 01 lies in the faces opposite 2 and 3, and so on.
    return {angle(2, 3), angle(1, 3), angle(1, 2), angle(0, 3), angle(0, 2), angle(0, 1)};
}

double smallest_dihedral(const std::array<Vec3, 4>& tet) {
    if (!(tet_volume(tet) > 0)) return -1;
    const auto angles = dihedral_angles(tet);
    return *std::min_element(angles.begin(), angles.end());
}

TetQuality tet_quality(const TetMesh& mesh) {
    return tet_quality(mesh.positions(), mesh.tets());
}

TetQuality tet_quality(std::span<const Vec3> positions, std::span<const Tet> tets) {
    TetQuality q;
    q.nodes = static_cast<int>(positions.size());
    q.tets = static_cast<int>(tets.size());
    if (tets.empty()) return q;
    q.min_dihedral = 180, q.shortest_edge = HUGE_VAL;
    for (const Tet& tet : tets) {
        const std::array<Vec3, 4> p = corners(positions, tet);
        q.volume += tet_volume(p);
        if (orient3d(p[0], p[1], p[2], p[3]) <= 0) ++q.inverted;
        const auto angles = dihedral_angles(p);
        const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
        q.min_dihedral = std::min(q.min_dihedral, *low);
        q.max_dihedral = std::max(q.max_dihedral, *high);
        q.mean_min_dihedral += *low / static_cast<double>(tets.size());
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                const double length = norm(p[i] - p[j]);
                q.shortest_edge = std::min(q.shortest_edge, length);
                q.longest_edge = std::max(q.longest_edge, length);
            }
    }
    const std::vector<int> piece = tet_pieces(tets);
    q.pieces = 1 + *std::max_element(piece.begin(), piece.end());
    return q;
}

}  // namespace plush
