#pragma once

#include "scene/document.hpp"
#include "scene/spec.hpp"

namespace plush {

/// Fills a scene's structs from its document. Everything wrong with keys, types and ranges goes to
/// `messages`, all of it at once. Names of files in the document become absolute.
SceneSpec read_scene(JsonNode& root, Messages& messages);

}  // namespace plush
