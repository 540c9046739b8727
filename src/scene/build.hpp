#pragma once

#include "plush/world/world.hpp"
#include "scene/shape_library.hpp"

namespace plush {

/// The world of a checked scene. Throws an Error that names the place of the body that the world refused.
World build_world(const SceneSpec& spec, ShapeLibrary& shapes, const Sources& sources, int threads);

}  // namespace plush
