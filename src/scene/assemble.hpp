#pragma once

#include <span>

#include "plush/scene/scene.hpp"
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

/// Writes values into a document by path, as --set does. Complaints stand at this place of the source.
class PathWriter {
public:
    PathWriter(JsonNode& root, std::uint16_t source, int line, Messages& messages)
        : root_(root), source_(source), line_(line), messages_(messages) {}

    static bool is_path(std::string_view text);
    /// Whether this is a path into a scene, to something that may be overridden; else complains.
    bool check(std::string_view path);
    void set(std::string_view path, JsonNode value);

private:
    struct Step;
    static std::vector<Step> split(std::string_view path);
    void complain(std::string path, std::string problem, std::string cure);
    JsonNode* walk(const std::vector<Step>& steps);
    JsonNode& member(JsonNode& object, const std::string& key);
    JsonNode* item(JsonNode& list, const std::string& word, const std::string& path);

    JsonNode& root_;
    std::uint16_t source_;
    int line_;
    Messages& messages_;
};

/// Takes "variants" out of the document, checks them all, and applies the chosen one; an empty name chooses
/// none.
std::vector<SceneVariant> take_variants(JsonNode& root, const std::string& chosen, Messages& messages);

}  // namespace plush
