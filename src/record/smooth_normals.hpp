#pragma once

#include "plush/record/frames.hpp"

namespace plush {

/// A normal for each corner of each triangle, in the order of `triangles`: smooth across edges that bend less
/// than the crease angle, flat across sharper ones. So a sphere is round and a box has faces.
std::vector<Vec3f> corner_normals(const FrameMesh& mesh);

}  // namespace plush
