#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// What closed lines in the plane z = 0 enclose, as triangles.
struct PlaneTriangles {
    std::vector<Vec3> inner{};          ///< points inside, numbered after those of the lines
    std::vector<Triangle> triangles{};  ///< counter-clockwise seen from +z
};

/// The region with an odd number of lines around it. `edges` are pairs of points, in closed lines that do not
/// cross; every edge is one of a triangle. Points about `spacing` apart are added inside. Nothing where lines
/// cross or run through points.
[[nodiscard]] std::optional<PlaneTriangles> plane_triangles(std::span<const Vec3> points,
                                                            std::span<const std::array<int, 2>> edges,
                                                            double spacing);

}  // namespace plush
