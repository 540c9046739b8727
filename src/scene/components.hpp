#pragma once

#include "scene/shape_library.hpp"

namespace plush {

/// Puts a body for each component in the place of bodies whose mesh is to be split (`components` of their shape). Components
/// of a body called "foot" are "foot.1", "foot.2", …
void split_components(SceneSpec& spec, ShapeLibrary& shapes, Messages& messages);

}  // namespace plush
