#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "plush/geometry/sdf.hpp"

// The body-centred cubic lattice: the corners and the centres of cubes, cut into equal tets of good shape
// (dihedral angles 60° and 90°). It has 12 tets a cube, four around each face. What uses the lattice of a
// solid goes through here: its surface now.

namespace plush {

/// A point of the lattice in half cubes: corners have even coordinates, centres odd ones. The centre of a
/// face has one even coordinate, that of its normal, and stands for the four tets around the face.
struct LatticePoint {
    std::int32_t x = 0, y = 0, z = 0;
    std::int32_t& operator[](std::size_t i) { return (&x)[i]; }
    std::int32_t operator[](std::size_t i) const { return (&x)[i]; }
    friend LatticePoint operator+(LatticePoint a, LatticePoint b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    friend LatticePoint operator-(LatticePoint a, LatticePoint b) {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    bool operator==(const LatticePoint&) const = default;
};

/// The four tets around a face, all with the two cube centres. They are (centres[0], corners[m], corners[m +
/// 1], centres[1]), of positive volume.
struct LatticeFace {
    explicit LatticeFace(LatticePoint face_centre);
    std::array<LatticePoint, 2> centres;  ///< of the cubes before and behind it along its normal
    std::array<LatticePoint, 4> corners;  ///< around the normal
};

struct LatticeSurface {
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;  ///< outward
    /// Vertices with the same number (≥ 0) lie around one lattice point and make better triangles as one
    /// vertex at their weighted mean; −1 for those that stand alone.
    std::vector<int> group;
    std::vector<double> weight;
};

/// The surface of {distance < 0} as the lattice sees it: closed, oriented outward, an embedded manifold, and
/// of one piece, the one that is met first when going up (+y) from the point `inside`. `spacing` is the side
/// of a cube, m. The triangles' shapes are as they come. Throws an Error where `inside` is not inside.
LatticeSurface lattice_surface(const SignedDistance& distance, const Vec3& inside, double spacing);

}  // namespace plush
