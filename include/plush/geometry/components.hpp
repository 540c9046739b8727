#pragma once

#include "plush/geometry/mesh.hpp"

namespace plush {

/// The closed components of a mesh, each a mesh of its own, in the order of their first triangles. The wall of a cavity goes
/// with the surface around it. With `join_overlapping` components that cross or enclose each other stay one. Throws an
/// Error where a component is inside out.
[[nodiscard]] PLUSH_API std::vector<Mesh> split_components(const Mesh& mesh, bool join_overlapping = true);
[[nodiscard]] PLUSH_API Result<std::vector<Mesh>> try_split_components(const Mesh& mesh,
                                                                       bool join_overlapping = true);

}  // namespace plush
