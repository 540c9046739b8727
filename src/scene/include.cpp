#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "scene/assemble.hpp"

// Includes, depth first. `chain` holds the files from the main one down to the current one: meeting one of
// them again is a cycle. `done` holds everything that was merged already.

namespace plush {
namespace {

using Path = std::filesystem::path;

constexpr std::size_t max_files = 1000;  // far above any use, far below trouble

Path real_path(const Path& file) {
    std::error_code ignored;
    const Path path = std::filesystem::weakly_canonical(file, ignored);
    return path.empty() ? file : path;
}

class Includer {
public:
    Includer(Messages& messages, const Path& main) : messages_(messages) {
        chain_.push_back(real_path(main));
        done_.push_back(chain_.back());
    }

    void expand(JsonNode& root) {
        if (root.type != JsonType::object) return;
        JsonNode* found = root.find("include");
        if (!found || found->type != JsonType::list) return;  // the reader complains about the type
        JsonNode include = std::move(*found);
        *found = JsonNode(JsonType::list, include.source, include.line);
        for (const JsonNode& item : include.items()) {
            const Place place{item.source, item.line, fmt::format("$.include[{}]", item.index), &item};
            if (item.type == JsonType::text)
                merge_file(root, item.text(), place);
            else
                messages_.error(place, fmt::format("this must be a text, not {}", to_phrase(item.type)),
                                "name a scene file");
        }
        std::vector<JsonMember>& members = root.members();
        members.erase(std::find_if(members.begin(), members.end(),
                                   [](const JsonMember& member) { return member.key == "include"; }));
    }

private:
    void merge_file(JsonNode& root, const std::string& name, const Place& place) {
        const Path file = real_path(messages_.sources[place.source].folder / name);
        if (std::find(chain_.begin(), chain_.end(), file) != chain_.end()) {
            messages_.error(place, "this include goes in a circle: " + chain_to(file),
                            "remove one of these includes");
            return;
        }
        if (std::find(done_.begin(), done_.end(), file) != done_.end()) return;
        if (done_.size() >= max_files) {
            messages_.error(place, "more than 1000 files are included", "put them together");
            return;
        }
        const Result<std::string> text = read_text(file);
        if (!text) {
            messages_.error(place, fmt::format("cannot include \"{}\": {}", name, text.error().problem()),
                            text.error().cure());
            return;
        }
        done_.push_back(file);
        chain_.push_back(file);
        messages_.sources.push_back({file.string(), file.parent_path()});
        JsonNode part =
            parse_document(text.value(), static_cast<std::uint16_t>(messages_.sources.size() - 1), messages_);
        if (part.type == JsonType::object) {
            if (const JsonNode* version = part.find("plush"); version && version->number != 1)
                messages_.error({version->source, version->line, "$.plush", nullptr},
                                "this is not a scene of version 1", "write \"plush\": 1");
            expand(part);
            merge(root, part, true);
        } else if (messages_.ok()) {
            messages_.error({part.source, part.line, "$", nullptr},
                            "a scene is an object: { \"plush\": 1, … }");
        }
        chain_.pop_back();
    }

    std::string chain_to(const Path& file) const {
        std::string out;
        for (auto it = std::find(chain_.begin(), chain_.end(), file); it != chain_.end(); ++it)
            out += it->filename().string() + " → ";
        return out + file.filename().string();
    }

    /// What `part` has and `into` lacks; lists grow.
    static void merge(JsonNode& into, JsonNode& part, bool top) {
        std::unordered_map<std::string, std::size_t> present;  // for looking up, never for an order
        for (std::size_t i = 0; i < into.members().size(); ++i) present.emplace(into.members()[i].key, i);
        for (JsonMember& member : part.members()) {
            const bool own =
                top && (member.key == "name" || member.key == "description" || member.key == "plush" ||
                        member.key == "$schema" || member.key == "variants");
            if (own) continue;  // these speak of the one file only
            const auto found = present.find(member.key);
            JsonNode* mine = found == present.end() ? nullptr : &into.members()[found->second].value;
            if (!mine) {
                into.members().push_back(std::move(member));
            } else if (mine->type == JsonType::object && member.value.type == JsonType::object) {
                merge(*mine, member.value, false);
            } else if (top && mine->type == JsonType::list && member.value.type == JsonType::list &&
                       (member.key == "bodies" || member.key == "joints" || member.key == "pairs")) {
                for (JsonNode& item : member.value.items()) mine->items().push_back(std::move(item));
            }
        }
    }

    Messages& messages_;
    std::vector<Path> chain_, done_;
};

}  // namespace

void expand_includes(JsonNode& root, const Path& file, Messages& messages) {
    Includer(messages, file).expand(root);
}

}  // namespace plush
