#pragma once

#include <optional>
#include <string>

namespace plush::view {

/// {"scenes": [...]}: the built-in scenes. Read once.
const std::string& gallery_json();
/// The picture of a built-in scene: PNG, from docs/pictures of the source tree or its installed copy.
std::optional<std::string> gallery_picture(const std::string& scene);

}  // namespace plush::view
