#pragma once

#include <array>
#include <span>

#include "plush/geometry/mesh.hpp"

// What makes a tet good or bad, in one place: the methods that make tets, the command line and the tests all
// measure with these. The measure is the dihedral angle: 70.5° at all six edges of a regular tet; near 0° and
// 180° elements become stiff or useless (Shewchuk, "What is a good linear finite element?", 2002).

namespace plush {

/// The angles between the faces at the edges 01, 02, 03, 12, 13, 23, in degrees, measured inside. Of a tet of
/// positive volume; of a flat one, angles of 0° and 180° or anything between.
[[nodiscard]] std::array<double, 6> dihedral_angles(const std::array<Vec3, 4>& tet);

/// The smallest of the six, or −1 where the volume is not above zero: ready to be maximised.
[[nodiscard]] double smallest_dihedral(const std::array<Vec3, 4>& tet);

[[nodiscard]] inline double tet_volume(const std::array<Vec3, 4>& p) {
    return dot(cross(p[1] - p[0], p[2] - p[0]), p[3] - p[0]) / 6;
}

[[nodiscard]] inline std::array<Vec3, 4> corners(std::span<const Vec3> positions, const Tet& tet) {
    const auto at = [&](std::size_t i) { return positions[static_cast<std::size_t>(tet[i])]; };
    return {at(0), at(1), at(2), at(3)};
}

struct TetQuality {
    int nodes = 0, tets = 0;
    int pieces = 0;                              ///< connected by shared faces
    int inverted = 0;                            ///< tets whose volume is not above zero, by exact signs
    double volume = 0;                           ///< m³, the sum over the tets
    double min_dihedral = 0, max_dihedral = 0;   ///< degrees, over all tets
    double mean_min_dihedral = 0;                ///< degrees: of each tet its smallest, and their mean
    double shortest_edge = 0, longest_edge = 0;  ///< m
};
[[nodiscard]] TetQuality tet_quality(const TetMesh& mesh);
[[nodiscard]] TetQuality tet_quality(std::span<const Vec3> positions, std::span<const Tet> tets);

}  // namespace plush
