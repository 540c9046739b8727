#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scene/document.hpp"

// The tree as JSON text: objects a member a line, lists of plain values in one line.

namespace plush {
namespace {

void write(const JsonNode& node, std::size_t depth, std::string& out);

void new_line(std::size_t depth, std::string& out) {
    out += '\n';
    out.append(2 * depth, ' ');
}

void write_list(const JsonNode& node, std::size_t depth, std::string& out) {
    const bool plain = std::none_of(node.items().begin(), node.items().end(),
                                    [](const JsonNode& item) { return item.type == JsonType::object; });
    out += '[';
    for (std::size_t i = 0; i < node.items().size(); ++i) {
        if (i > 0) out += plain ? ", " : ",";
        if (!plain) new_line(depth + 1, out);
        write(node.items()[i], depth + 1, out);
    }
    if (!plain) new_line(depth, out);
    out += ']';
}

void write_object(const JsonNode& node, std::size_t depth, std::string& out) {
    if (node.members().empty()) {
        out += "{}";
        return;
    }
    out += '{';
    bool first = true;
    for (const JsonMember& member : node.members()) {
        if (!first) out += ',';
        first = false;
        new_line(depth + 1, out);
        out += json_quoted(member.key) + ": ";
        write(member.value, depth + 1, out);
    }
    new_line(depth, out);
    out += '}';
}

void write(const JsonNode& node, std::size_t depth, std::string& out) {
    switch (node.type) {
        case JsonType::null:
            out += "null";
            return;
        case JsonType::boolean:
            out += node.number != 0 ? "true" : "false";
            return;
        case JsonType::number:
            out += json_number(node.number);
            return;
        case JsonType::text:
            out += json_quoted(node.text());
            return;
        case JsonType::list:
            write_list(node, depth, out);
            return;
        case JsonType::object:
            write_object(node, depth, out);
            return;
    }
}

}  // namespace

std::string json_number(double value) {
    if (value == 0 && std::signbit(value)) return "-0.0";  // "-0" would read back as the integer 0
    return fmt::format("{}", value);
}

std::string json_quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        switch (c) {
            case '"':
                out += "\\\"";
                break;
            case '\\':
                out += "\\\\";
                break;
            case '\n':
                out += "\\n";
                break;
            case '\t':
                out += "\\t";
                break;
            default:
                if (static_cast<unsigned char>(c) < 0x20)
                    out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
                else
                    out += c;
        }
    }
    return out + '"';
}

std::string write_document(const JsonNode& node) {
    std::string out;
    write(node, 0, out);
    return out + "\n";
}

}  // namespace plush
