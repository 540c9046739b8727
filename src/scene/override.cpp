#include <fmt/format.h>

#include <charconv>

#include "core/did_you_mean.hpp"
#include "scene/assemble.hpp"

// KEY=VALUE from the command line. KEY is a path through the document: names joined by dots, and [3] or
// [name] for an item of a list. Variants of a scene use the same paths.

namespace plush {
namespace {

/// A scene has at most this many overrides: each is a source of its own, and their number is 16 bits.
constexpr std::size_t max_overrides = 10'000;

/// An argument has no lines. (The depth of a document is bounded, and so is this recursion.)
void forget_lines(JsonNode& node) {
    node.line = 0;
    if (!node.content) return;
    for (JsonNode& child : node.items()) forget_lines(child);
    for (JsonMember& child : node.members()) forget_lines(child.value);
}

/// JSON, or else a text.
JsonNode parse_value(std::string_view text, std::uint16_t source) {
    Messages ignored;
    JsonNode parsed = parse_document(text, source, ignored);
    if (!ignored.ok()) {
        parsed = JsonNode(JsonType::text, source, 0);
        parsed.text() = std::string(text);
    }
    forget_lines(parsed);
    return parsed;
}

}  // namespace

struct PathWriter::Step {
    std::string word{};
    bool item = false;  ///< of a list
};

/// "bodies[2].rigid.density" → bodies, [2], rigid, density; empty where it is no path.
std::vector<PathWriter::Step> PathWriter::split(std::string_view path) {
    std::vector<Step> steps;
    if (path.substr(0, 2) == "$.") path.remove_prefix(2);
    while (!path.empty()) {
        if (path[0] == '[') {
            const auto end = path.find(']');
            if (end == path.npos || end == 1 || steps.empty()) return {};
            steps.push_back({std::string(path.substr(1, end - 1)), true});
            path.remove_prefix(end + 1);
            if (!path.empty() && path[0] != '[' && path[0] != '.') return {};
        } else {
            if (!steps.empty() && path[0] != '.') return {};
            if (!steps.empty()) path.remove_prefix(1);
            const auto end = std::min(path.find_first_of(".["), path.size());
            if (end == 0) return {};
            steps.push_back({std::string(path.substr(0, end)), false});
            path.remove_prefix(end);
        }
    }
    return steps;
}

bool PathWriter::is_path(std::string_view text) {
    return !split(text).empty();
}

bool PathWriter::check(std::string_view path) {
    const std::vector<Step> steps = split(path);
    if (steps.empty()) {
        complain("", fmt::format("\"{}\" is not a path into a scene", path),
                 "write for instance step or bodies[2].rigid.density");
        return false;
    }
    if (steps[0].word == "include" || steps[0].word == "variants") {
        complain("$." + steps[0].word, fmt::format("\"{}\" cannot be overridden", steps[0].word),
                 "write a scene file that has what you want");
        return false;
    }
    return true;
}

void PathWriter::set(std::string_view path, JsonNode value) {
    if (!check(path)) return;
    if (JsonNode* target = walk(split(path))) {
        value.index = target->index;
        *target = std::move(value);
    }
}

void PathWriter::complain(std::string path, std::string problem, std::string cure) {
    messages_.error({source_, line_, std::move(path), nullptr}, std::move(problem), std::move(cure));
}

/// The node that the path names; keys on the way are made. Null after a complaint.
JsonNode* PathWriter::walk(const std::vector<Step>& steps) {
    JsonNode* node = &root_;
    std::string path = "$";
    for (const Step& step : steps) {
        if (node->type == JsonType::null)
            *node = JsonNode(step.item ? JsonType::list : JsonType::object, source_, line_);
        const JsonType wanted = step.item ? JsonType::list : JsonType::object;
        if (node->type != wanted) {
            complain(path,
                     fmt::format("\"{}\" is {} and has no {} \"{}\"", path, to_phrase(node->type),
                                 step.item ? "item" : "member", step.word),
                     "follow the structure of the scene file");
            return nullptr;
        }
        node = step.item ? item(*node, step.word, path) : &member(*node, step.word);
        if (!node) return nullptr;
        path += step.item ? "[" + step.word + "]" : "." + step.word;
    }
    return node;
}

JsonNode& PathWriter::member(JsonNode& object, const std::string& key) {
    if (JsonNode* found = object.find(key)) return *found;
    object.members().push_back({key, JsonNode(JsonType::null, source_, line_)});
    return object.members().back().value;
}

JsonNode* PathWriter::item(JsonNode& list, const std::string& word, const std::string& path) {
    std::size_t index = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), index);
    if (problem == std::errc{} && end == word.data() + word.size()) {
        if (index < list.items().size()) return &list.items()[index];
        complain(path, fmt::format("\"{}\" has {} items and no [{}]", path, list.items().size(), word),
                 list.items().empty() ? "" : fmt::format("use [0] to [{}]", list.items().size() - 1));
        return nullptr;
    }
    std::vector<std::string_view> names;
    for (JsonNode& candidate : list.items()) {
        const JsonNode* name = candidate.find("name");
        if (!name || name->type != JsonType::text) continue;
        if (name->text() == word) return &candidate;
        names.push_back(name->text());
    }
    complain(path, fmt::format("\"{}\" has no item called \"{}\"", path, word), did_you_mean(word, names));
    return nullptr;
}

void apply_overrides(JsonNode& root, std::span<const std::string> set, Messages& messages) {
    const std::filesystem::path folder = messages.sources[0].folder;
    for (const std::string& text : set) {
        if (messages.sources.size() > max_overrides) {
            messages.error({}, "there are more than 10,000 overrides", "put them into a scene file");
            return;
        }
        messages.sources.push_back({"--set " + text, folder});
        const auto source = static_cast<std::uint16_t>(messages.sources.size() - 1);
        const auto equals = text.find('=');
        if (equals == text.npos || !PathWriter::is_path(text.substr(0, equals)))
            messages.error({source, 0, "", nullptr}, "this is not KEY=VALUE",
                           "write for instance step=0.01 or bodies[2].rigid.density=500");
        else
            PathWriter(root, source, 0, messages)
                .set(text.substr(0, equals), parse_value(std::string_view(text).substr(equals + 1), source));
    }
}

}  // namespace plush
