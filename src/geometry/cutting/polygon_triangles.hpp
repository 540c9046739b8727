#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// A convex polygon as triangles of the same points and orientation: of all ways that with the best worst
/// triangle. Corners may lie in the middle of a side, where most ways have a flat triangle.
std::vector<Triangle> polygon_triangles(std::span<const std::uint32_t> polygon, std::span<const Vec3> x);

}  // namespace plush
