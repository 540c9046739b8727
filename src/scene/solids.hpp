#pragma once

#include "plush/geometry/shape.hpp"
#include "scene/spec.hpp"

// Solids of a scene file that are joined of others (geometry/sdf/sdf_combine.cpp). Distances that are joined are bounds beside their
// edges: a ball above a hole would rest on nothing. So the solid is a mesh of the zero level, with its sampled distance; of
// parts whose joined distance is exact, that one.

namespace plush {

/// Equal for specs that give the same solid.
std::string solid_key(const SolidSpec& spec);
/// Whether every part says what it is; complaints go to `messages`.
bool solid_is_whole(const SolidSpec& spec, Messages& messages);
/// An Error where nothing is left of it, it has no end, or a mesh cannot show it.
Result<Shape> shape_of(const SolidSpec& spec, int distance_cells);

}  // namespace plush
