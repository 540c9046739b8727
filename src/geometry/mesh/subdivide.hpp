#pragma once

#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// Every triangle cut into four at the middles of its edges, so many times: the same surface, more finely.
/// Closed surfaces stay closed. An Error where there would be more than 2²⁸ triangles.
Result<Mesh> subdivided(const Mesh& mesh, int times);

}  // namespace plush
