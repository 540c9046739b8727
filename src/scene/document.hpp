#pragma once

#include <memory>

#include "scene/messages.hpp"

// A JSON document that remembers where everything stood: each value knows its file, its line and its place in
// the list it was written in, so that a complaint about it can point there even after files were merged.

namespace plush {

enum class JsonType : std::uint8_t { null, boolean, number, text, list, object };

/// "a number", "a list", for messages.
std::string_view to_phrase(JsonType type);

struct JsonMember;

struct JsonNode {
    JsonType type = JsonType::null;
    std::uint16_t source = 0;  ///< which of the Sources
    int line = 0;              ///< from 1; 0 where there are no lines
    int index = 0;             ///< in the list of the file that it was written in
    double number = 0;         ///< booleans as 0 and 1

    // Only what has content pays for it: a list of a million numbers stays small.
    struct Content;
    std::unique_ptr<Content> content;

    JsonNode();
    JsonNode(JsonType type, std::uint16_t source, int line);
    JsonNode(JsonNode&&) noexcept;
    JsonNode& operator=(JsonNode&&) noexcept;
    ~JsonNode();

    const std::string& text() const;
    std::string& text();
    const std::vector<JsonNode>& items() const;
    std::vector<JsonNode>& items();
    const std::vector<JsonMember>& members() const;
    std::vector<JsonMember>& members();
    const JsonNode* find(std::string_view key) const;
    JsonNode* find(std::string_view key);
};

struct JsonMember {
    std::string key;
    JsonNode value;
};

struct JsonNode::Content {
    std::string text{};
    std::vector<JsonNode> items{};
    std::vector<JsonMember> members{};
};

/// Reads JSON with comments. What is wrong goes to `messages`: broken syntax, a key that stands twice,
/// nesting deeper than 64, more than ten million values.
JsonNode parse_document(std::string_view text, std::uint16_t source, Messages& messages);

/// The whole file; files beyond 64 MiB are refused.
Result<std::string> read_text(const std::filesystem::path& file);

/// As JSON text that reads back to the same values.
std::string write_document(const JsonNode& node);

/// The text in quotes, with escapes.
std::string json_quoted(std::string_view text);

/// The shortest digits that read back to this number.
std::string json_number(double value);

}  // namespace plush
