#pragma once

#include "scene/shape_library.hpp"
#include "scene/spec.hpp"

namespace plush {

/// What no single field can show: names that must exist, keys that do not go together with a kind of body,
/// meshes that must be closed, limits on the whole. Loads the meshes into `shapes`.
void check_scene(const SceneSpec& spec, ShapeLibrary& shapes, Messages& messages);

/// Keys that would be read and do nothing.
void check_ignored(const SceneSpec& spec, Messages& messages);

}  // namespace plush
