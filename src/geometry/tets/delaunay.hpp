#pragma once

#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// The Delaunay triangulation of points in space: tets that fill their convex hull, with no point inside any
/// of their spheres. Where more than four points lie on one sphere, it is that of points whose heights on the
/// paraboloid are raised by infinitely small amounts, the lexicographically largest point's the most: so
/// there is one answer, whatever the order of insertion. Coordinates are in the range of insphere().
struct Delaunay {
    std::vector<Tet> tets;     ///< of positive volume; none where all points lie in one plane
    std::vector<int> same_as;  ///< of each point that is left out: the one at the same place; else −1
};
Delaunay delaunay(std::span<const Vec3> points);

/// An order of insertion in which neighbours come near each other, in rounds of doubling size (Amenta, Choi &
/// Rote, "Incremental constructions con BRIO", 2003), each along Hilbert's curve.
std::vector<int> insertion_order(std::span<const Vec3> points);

}  // namespace plush
