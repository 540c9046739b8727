#pragma once

#include "plush/geometry/mesh.hpp"

namespace plush {

/// Whether a mesh bounds a solid: has triangles, is closed, consistently oriented, and holds a positive
/// volume. The Error names the count of what is wrong and the fix. Self-intersections are not looked for.
Result<void> require_solid(const Mesh& mesh);

}  // namespace plush
