#pragma once

#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// No hole of more edges is filled, whatever the settings say: the work grows with the cube.
inline constexpr int largest_hole_ever = 500;

struct FilledHoles {
    int holes = 0, triangles = 0;
    int left = 0;          ///< holes that stay open
    int largest_left = 0;  ///< edges of the largest of them
};

/// Closes holes of up to `largest` edges with triangles between the vertices of their rims. The triangles
/// along a rim must face the same way. A hole stays open where filling it would make an edge of four
/// triangles.
FilledHoles fill_holes(std::span<const Vec3> positions, std::vector<Triangle>& triangles, int largest);

/// The edges of each hole, largest first: rims that close. Chains between triangles that face opposite ways are none.
std::vector<int> hole_sizes(std::size_t vertices, std::span<const Triangle> triangles);

}  // namespace plush
