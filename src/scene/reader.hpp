#pragma once

#include "scene/document.hpp"
#include "scene/spec.hpp"

namespace plush {

/// A number of the document that has a unit.
struct Quantity {
    JsonNode* number = nullptr;
    const JsonNode* object = nullptr;  ///< that it belongs to
    std::string key{}, unit{};
    std::string path{};  ///< "$.bodies[3].rigid.mass"; the items of a list have that of the list
};

/// Fills a scene's structs from its document. Everything wrong with keys, types and ranges goes to
/// `messages`, all of it at once. Names of files in the document become absolute.
SceneSpec read_scene(JsonNode& root, Messages& messages);
/// The same, and all numbers that have units. Those that the document leaves out are written into it first, with their
/// defaults, where they may stand: groups that it leaves out are not.
SceneSpec read_scene(JsonNode& root, Messages& messages, std::vector<Quantity>& quantities);

}  // namespace plush
