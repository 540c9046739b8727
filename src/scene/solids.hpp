#pragma once

#include "plush/geometry/shape.hpp"
#include "scene/spec.hpp"

// Solids of a scene file that are joined of exact ones (geometry/sdf/sdf_combine.cpp): the signed distance is exact where its parts'
// are, and a mesh of it is drawn, weighed, and touches by volume.

namespace plush {

/// Equal for specs that give the same solid.
std::string solid_key(const SolidSpec& spec);
/// Whether every part says what it is; complaints go to `messages`.
bool solid_is_whole(const SolidSpec& spec, Messages& messages);
/// An Error where nothing is left of it, it has no end, or a mesh cannot show it.
Result<Shape> shape_of(const SolidSpec& spec);

}  // namespace plush
