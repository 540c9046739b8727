#include "scene/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

namespace plush {
namespace {

constexpr std::size_t largest_file = 64u
                                     << 20;  // bytes; meshes and point clouds belong in files of their own
constexpr std::size_t deepest = 64;
constexpr std::size_t max_values = 10'000'000;

/// The line that the parser stands on, shared by all copies of its iterator.
struct Cursor {
    int line = 1;        ///< of the next character
    int token_line = 1;  ///< of the last character that was not blank: what the parser reports was there
};

/// Hands characters to the parser and counts lines. A number is reported only after the character behind it
/// was read, which may be the end of the line: hence token_line.
class CountingIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountingIterator(const char* at, Cursor* cursor) : at_(at), cursor_(cursor) {}
    reference operator*() const { return *at_; }
    CountingIterator& operator++() {
        if (*at_ == '\n')
            ++cursor_->line;
        else if (*at_ != ' ' && *at_ != '\t' && *at_ != '\r')
            cursor_->token_line = cursor_->line;
        ++at_;
        return *this;
    }
    CountingIterator operator++(int) {
        CountingIterator before = *this;
        ++*this;
        return before;
    }
    bool operator==(const CountingIterator& b) const { return at_ == b.at_; }
    bool operator!=(const CountingIterator& b) const { return at_ != b.at_; }

private:
    const char* at_;
    Cursor* cursor_;
};

/// What follows `marker` in `text`, or all of it.
std::string_view after(std::string_view text, std::string_view marker) {
    const auto at = text.find(marker);
    return at == text.npos ? text : text.substr(at + marker.size());
}

std::string printable(std::string_view text) {
    std::string out;
    for (const char c : text) out += c >= ' ' && c <= '~' ? c : '?';
    return out;
}

std::string syntax_cure(std::string_view text) {
    const auto says = [&](std::string_view part) { return text.find(part) != text.npos; };
    if (says("unexpected end of input"))
        return "the file ends too early: is a closing } or ] missing, or was it cut?";
    if (says("missing closing '*/'")) return "close the comment with */";
    if (says("missing closing quote")) return "is a quote missing, or was the file cut?";
    if (says("unexpected '}'") || says("unexpected ']'")) return "remove the comma before it";
    if (says("invalid literal"))
        return "numbers are plain digits (no NaN, no Infinity), and words stand in \"quotes\"";
    if (says("overflow")) return "numbers reach to about 1e308";
    if (says("UTF-8") || says("control character")) return "scene files are UTF-8 text";
    return "scene files are JSON, with // and /* */ comments";
}

/// Builds the tree from the events of the parser, which itself does not recurse.
class Builder {
public:
    using json = nlohmann::json;

    Builder(Cursor& cursor, std::uint16_t source, Messages& messages)
        : cursor_(cursor), source_(source), messages_(messages) {}

    JsonNode take() { return std::move(root_); }

    bool null() { return add(JsonType::null, 0); }
    bool boolean(bool value) { return add(JsonType::boolean, value ? 1 : 0); }
    bool number_integer(json::number_integer_t value) { return number(static_cast<double>(value)); }
    bool number_unsigned(json::number_unsigned_t value) { return number(static_cast<double>(value)); }
    bool number_float(json::number_float_t value, const std::string&) { return number(value); }
    bool string(std::string& value) {
        if (!add(JsonType::text, 0)) return false;
        last_->text() = std::move(value);
        return true;
    }
    bool binary(json::binary_t&) { return false; }

    bool start_object(std::size_t) { return open(JsonType::object); }
    bool start_array(std::size_t) { return open(JsonType::list); }
    bool key(std::string& value) {
        open_.back()->members().push_back(
            {std::move(value), JsonNode(JsonType::null, source_, cursor_.token_line)});
        return true;
    }
    bool end_object() {
        refuse_duplicates();
        open_.pop_back();
        return true;
    }
    bool end_array() {
        open_.pop_back();
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
        const std::string_view what = error.what();
        int line = cursor_.token_line, column = 0;
        // The parser counts columns; they reach us only inside its message.
        if (const auto at = what.find("at line "); at != what.npos)
            std::sscanf(what.data() + at, "at line %d, column %d", &line, &column);
        std::string_view problem = after(what, "] ");
        if (column > 0) problem = after(problem, ": ");
        const Place place{source_, line, column > 0 ? fmt::format("column {}", column) : path(), nullptr};
        messages_.error(place, printable(problem), syntax_cure(what));
        return false;
    }

private:
    /// "$.bodies[3].rigid": the value that the parser reads next.
    std::string path() const {
        std::string out = path_of_top();
        if (open_.empty()) return out;
        const JsonNode& top = *open_.back();
        if (top.type == JsonType::list) return out + fmt::format("[{}]", top.items().size());
        return top.members().empty() ? out : out + "." + top.members().back().key;
    }

    /// The innermost list or object that is still open: in each of the others, the last value.
    std::string path_of_top() const {
        std::string out = "$";
        for (std::size_t i = 0; i + 1 < open_.size(); ++i) {
            const JsonNode& node = *open_[i];
            if (node.type == JsonType::list)
                out += fmt::format("[{}]", node.items().size() - 1);
            else
                out += "." + node.members().back().key;
        }
        return out;
    }

    bool refuse(std::string problem, std::string cure) {
        messages_.error({source_, cursor_.token_line, path(), nullptr}, std::move(problem), std::move(cure));
        return false;
    }

    bool number(double value) {
        if (!std::isfinite(value)) return refuse("this number is too large", "numbers reach to about 1e308");
        return add(JsonType::number, value);
    }

    bool add(JsonType type, double value) {
        if (++values_ > max_values)
            return refuse("a scene file holds at most 10 million values", "put large data into mesh files");
        JsonNode node(type, source_, cursor_.token_line);
        node.number = value;
        if (open_.empty()) {
            root_ = std::move(node);
            last_ = &root_;
        } else if (JsonNode& parent = *open_.back(); parent.type == JsonType::list) {
            node.index = static_cast<int>(parent.items().size());
            parent.items().push_back(std::move(node));
            last_ = &parent.items().back();
        } else {
            last_ = &parent.members().back().value;
            *last_ = std::move(node);
        }
        return true;
    }

    bool open(JsonType type) {
        if (open_.size() >= deepest)
            return refuse("nested more than 64 deep", "scene files are flat: check the brackets");
        if (!add(type, 0)) return false;
        open_.push_back(last_);  // stays where it is: its list grows again only after it is closed
        return true;
    }

    void refuse_duplicates() {
        const std::vector<JsonMember>& members = open_.back()->members();
        std::vector<std::size_t> order(members.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return members[a].key < members[b].key; });
        for (std::size_t i = 1; i < order.size() && !messages_.full(); ++i) {
            const JsonMember &first = members[order[i - 1]], &second = members[order[i]];
            if (first.key != second.key) continue;
            messages_.error(
                {source_, second.value.line, path_of_top() + "." + second.key, nullptr},
                fmt::format("\"{}\" stands twice here, first on line {}", second.key, first.value.line),
                "remove one of the two");
        }
    }

    Cursor& cursor_;
    std::uint16_t source_;
    Messages& messages_;
    JsonNode root_;
    JsonNode* last_ = nullptr;
    std::vector<JsonNode*> open_;
    std::size_t values_ = 0;
};

}  // namespace

std::string_view to_phrase(JsonType type) {
    switch (type) {
        case JsonType::boolean:
            return "true or false";
        case JsonType::number:
            return "a number";
        case JsonType::text:
            return "a text";
        case JsonType::list:
            return "a list";
        case JsonType::object:
            return "an object";
        case JsonType::null:
            break;
    }
    return "null";
}

JsonNode::JsonNode() = default;
JsonNode::JsonNode(JsonType type_, std::uint16_t source_, int line_)
    : type(type_), source(source_), line(line_) {
    if (type >= JsonType::text) content = std::make_unique<Content>();
}
JsonNode::JsonNode(JsonNode&&) noexcept = default;
JsonNode& JsonNode::operator=(JsonNode&&) noexcept = default;
JsonNode::~JsonNode() = default;

const std::string& JsonNode::text() const {
    return content->text;
}
std::string& JsonNode::text() {
    return content->text;
}
const std::vector<JsonNode>& JsonNode::items() const {
    return content->items;
}
std::vector<JsonNode>& JsonNode::items() {
    return content->items;
}
const std::vector<JsonMember>& JsonNode::members() const {
    return content->members;
}
std::vector<JsonMember>& JsonNode::members() {
    return content->members;
}

const JsonNode* JsonNode::find(std::string_view key) const {
    if (type != JsonType::object) return nullptr;
    for (const JsonMember& member : content->members)
        if (member.key == key) return &member.value;
    return nullptr;
}
JsonNode* JsonNode::find(std::string_view key) {
    return const_cast<JsonNode*>(static_cast<const JsonNode*>(this)->find(key));
}

JsonNode parse_document(std::string_view text, std::uint16_t source, Messages& messages) {
    Cursor cursor;
    if (text.size() > largest_file) {
        messages.error({source, 0, "", nullptr}, "the scene is larger than 64 MiB",
                       "put large data into mesh files");
        return {};
    }
    Builder builder(cursor, source, messages);
    const CountingIterator begin(text.data(), &cursor), end(text.data() + text.size(), &cursor);
    const bool strict = true, with_comments = true;
    const bool whole = nlohmann::json::sax_parse(begin, end, &builder, nlohmann::json::input_format_t::json,
                                                 strict, with_comments);
    return whole ? builder.take() : JsonNode{};
}

Result<std::string> read_text(const std::filesystem::path& file) {
    // Before it is opened: to open a pipe waits for its other end.
    std::error_code problem;
    const auto status = std::filesystem::status(file, problem);
    if (std::filesystem::is_directory(status))
        return Error({.file = file.string(), .problem = "this is a folder", .cure = "name a scene file"});
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
        return Error({.file = file.string(),
                      .problem = "this is a pipe or a device",
                      .cure = "copy its content to a regular file first"});
    std::FILE* input = std::fopen(file.c_str(), "rb");
    if (!input) {
        const bool absent = errno == ENOENT;
        return Error({.file = file.string(),
                      .problem = absent ? "there is no such file"
                                        : std::string("cannot be read: ") + std::strerror(errno),
                      .cure = absent ? "check the name and the folder" : "check its permissions"});
    }
    // In pieces, up to the limit: the file may grow while it is read.
    std::string text;
    std::vector<char> piece(1 << 16);
    std::size_t count = 0;
    while (text.size() <= largest_file && (count = std::fread(piece.data(), 1, piece.size(), input)) > 0)
        text.append(piece.data(), count);
    const bool failed = std::ferror(input) != 0;
    std::fclose(input);
    if (failed)
        return Error(
            {.file = file.string(), .problem = "reading it failed half-way", .cure = "check the disk"});
    if (text.size() > largest_file)
        return Error({.file = file.string(),
                      .problem = "larger than 64 MiB",
                      .cure = "put large data into mesh files"});
    return text;
}

}  // namespace plush
