#pragma once

#include <span>

#include "scene/document.hpp"

namespace plush {

/// Reads the files that a document includes, and those that they include, and merges them into it: bodies,
/// joints and pairs are appended, materials and settings are added where the includer has none of that name.
/// A file that is reached twice counts once; a cycle is an error that shows the chain.
void expand_includes(JsonNode& root, const std::filesystem::path& file, Messages& messages);

/// Applies overrides such as "step=0.01" or "bodies[2].rigid.density=500" (also
/// "bodies[bear].rigid.density=500", by name). A value that is not JSON counts as a text. Missing keys are
/// made, for the reader to judge.
void apply_overrides(JsonNode& root, std::span<const std::string> set, Messages& messages);

}  // namespace plush
