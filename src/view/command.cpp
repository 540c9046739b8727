#include "view/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/suggestion.hpp"
#include "view/command_table.hpp"
#include "view/layer.hpp"

namespace plush::view {

namespace {

using Json = nlohmann::json;

constexpr std::size_t max_text = 256;   // bytes of a word or a name
constexpr double max_coordinate = 1e6;  // m
constexpr double smallest_direction = 1e-12;

Error malformed(std::string place, std::string problem, std::string fix = "see docs/viewer-protocol.md") {
    return Error({.place = std::move(place), .problem = std::move(problem), .cure = std::move(fix)});
}

/// How deep brackets are nested outside of strings. Before the text is parsed: no parser of ours recurses for it.
std::size_t depth_of(std::string_view text) {
    std::size_t depth = 0, deepest = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            deepest = std::max(deepest, ++depth);
        } else if ((c == '}' || c == ']') && depth > 0) {
            --depth;
        }
    }
    return deepest;
}

/// What is wrong with a value, or nothing.
std::optional<std::string> wrong_number(const Json& v, double low, double high) {
    if (!v.is_number()) return "a number is wanted";
    const double x = v.get<double>();
    if (!std::isfinite(x) || x < low || x > high)
        return fmt::format("{} is not within {} to {}", x, low, high);
    return std::nullopt;
}

std::optional<std::string> wrong_vec(const Json& v, double low, double high) {
    if (!v.is_array() || v.size() != 3) return "three numbers are wanted";
    for (const Json& x : v)
        if (auto wrong = wrong_number(x, low, high)) return wrong;
    return std::nullopt;
}

std::optional<std::string> wrong_whole(const Json& v, double low, double high) {
    if (!v.is_number_unsigned()) return "a whole number from 0 is wanted";
    return wrong_number(v, low, high);
}

/// An object with exactly these keys.
bool has_keys(const Json& v, std::initializer_list<const char*> keys) {
    if (!v.is_object() || v.size() != keys.size()) return false;
    return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return v.contains(key); });
}

Vec3 to_vec(const Json& v) {
    return {v[0].get<double>(), v[1].get<double>(), v[2].get<double>()};
}

std::optional<std::string> wrong_ray(const Json& v) {
    if (!has_keys(v, {"origin", "direction"}))
        return "a ray has \"origin\" and \"direction\" and nothing else";
    if (auto wrong = wrong_vec(v["origin"], -max_coordinate, max_coordinate)) return wrong;
    if (auto wrong = wrong_vec(v["direction"], -max_coordinate, max_coordinate)) return wrong;
    if (norm(to_vec(v["direction"])) < smallest_direction) return "the direction has no length";
    return std::nullopt;
}

std::optional<std::string> wrong_picked(const Json& v) {
    if (!has_keys(v, {"body", "triangle", "weights"}))
        return "a picked point has \"body\", \"triangle\" and \"weights\" and nothing else";
    if (auto wrong = wrong_whole(v["body"], 0, 4294967295.0)) return wrong;
    if (auto wrong = wrong_whole(v["triangle"], 0, 4294967295.0)) return wrong;
    if (auto wrong = wrong_vec(v["weights"], -1e-3, 1 + 1e-3)) return wrong;
    const Vec3 w = to_vec(v["weights"]);
    if (std::abs(w.x + w.y + w.z - 1) > 1e-3) return "the weights do not add up to 1";
    return std::nullopt;
}

std::optional<std::string> wrong_text(const Json& v) {
    if (!v.is_string() || v.get_ref<const std::string&>().size() > max_text)
        return fmt::format("a text of at most {} bytes is wanted", max_text);
    return std::nullopt;
}

std::optional<std::string> wrong_names(const Json& v) {
    if (!v.is_array() || v.size() > 16) return "a list of at most 16 names is wanted";
    for (const Json& name : v)
        if (auto wrong = wrong_text(name)) return wrong;
    return std::nullopt;
}

std::optional<std::string> wrong_value(const CommandField& field, const Json& v) {
    switch (field.type) {
        case FieldType::number:
            return wrong_number(v, field.low, field.high);
        case FieldType::whole:
            return wrong_whole(v, field.low, field.high);
        case FieldType::vec:
            return wrong_vec(v, field.low, field.high);
        case FieldType::ray:
            return wrong_ray(v);
        case FieldType::picked:
            return wrong_picked(v);
        case FieldType::text:
            return wrong_text(v);
        case FieldType::flag:
            return v.is_boolean() ? std::nullopt : std::optional<std::string>("true or false is wanted");
        case FieldType::names:
            return wrong_names(v);
    }
    return "an unknown type";
}

const CommandKind* find_kind(std::string_view name) {
    for (const CommandKind& kind : command_kinds())
        if (kind.name == name) return &kind;
    return nullptr;
}

const CommandKind& kind_of(Verb verb) {
    const auto kinds = command_kinds();
    return *std::find_if(kinds.begin(), kinds.end(), [&](const CommandKind& k) { return k.verb == verb; });
}

/// A key that the command does not have, as an Error.
Error unknown_key(const CommandKind& kind, const std::string& key, const std::string& place) {
    std::vector<std::string_view> known{"do", "world"};
    for (const CommandField& field : kind.fields) known.push_back(field.key);
    return malformed(place, fmt::format("\"{}\" has no field \"{}\"", kind.name, key.substr(0, max_text)),
                     suggestion(key, known));
}

}  // namespace

std::optional<double> Command::optional_number(const char* key) const {
    return has(key) ? std::optional(number(key)) : std::nullopt;
}

std::vector<std::string> Command::names(const char* key) const {
    return has(key) ? fields.at(key).get<std::vector<std::string>>() : std::vector<std::string>{};
}

Vec3 Command::vec(const char* key) const {
    return to_vec(fields.at(key));
}

Ray Command::ray(const char* key) const {
    const Json& v = fields.at(key);
    return {to_vec(v.at("origin")), to_vec(v.at("direction"))};
}

PickedPoint Command::picked(const char* key) const {
    const Json& v = fields.at(key);
    return {v.at("body").get<std::uint32_t>(), v.at("triangle").get<std::uint32_t>(),
            to_vec(v.at("weights"))};
}

Reach reach_of(Verb verb) {
    return kind_of(verb).reach;
}

bool changes_something(Verb verb) {
    return reach_of(verb) != Reach::query;
}

std::string_view to_word(Verb verb) {
    return kind_of(verb).name;
}

Result<Json> read_json(std::string_view message) {
    if (message.size() > max_message_bytes)
        return malformed("", fmt::format("a message of more than {} bytes", max_message_bytes),
                         "send less at once");
    if (depth_of(message) > max_depth)
        return malformed("", fmt::format("brackets are nested deeper than {}", max_depth));
    Json json = Json::parse(message, nullptr, false);
    if (json.is_discarded()) return malformed("", "this is not JSON");
    return json;
}

Result<Command> read_command(const Json& object, const std::string& place) {
    if (!object.is_object() || !object.contains("do") || !object["do"].is_string())
        return malformed(place, "a command is an object with \"do\"");
    const std::string& name = object["do"].get_ref<const std::string&>();
    const CommandKind* kind = find_kind(name);
    if (!kind) {
        std::vector<std::string_view> known;
        for (const CommandKind& k : command_kinds()) known.push_back(k.name);
        return malformed(place + ".do", fmt::format("there is no command \"{}\"", name.substr(0, max_text)),
                         suggestion(std::string_view(name).substr(0, max_text), known));
    }
    Command command{.verb = kind->verb};
    for (const auto& item : object.items()) {
        const std::string& key = item.key();
        const Json& value = item.value();
        if (key == "do") continue;
        const std::string where = fmt::format("{}.{}", place, key.substr(0, max_text));
        if (key == "world") {
            if (auto wrong = wrong_whole(value, 0, 15)) return malformed(where, *wrong);
            command.world = value.get<std::uint32_t>();
            continue;
        }
        const auto field = std::find_if(kind->fields.begin(), kind->fields.end(),
                                        [&](const CommandField& f) { return key == f.key; });
        if (field == kind->fields.end()) return unknown_key(*kind, key, where);
        if (auto wrong = wrong_value(*field, value)) return malformed(where, *wrong);
        command.fields[key] = value;
    }
    for (const CommandField& field : kind->fields)
        if (field.required && !command.has(field.key))
            return malformed(place, fmt::format("\"{}\" needs \"{}\"", kind->name, field.key));
    if (kind->needs_point && command.has("ray") == command.has("at"))
        return malformed(place, fmt::format("\"{}\" needs either \"ray\" or \"at\"", kind->name));
    return command;
}

Result<std::vector<Command>> read_commands(std::string_view message) {
    const auto json = read_json(message);
    if (!json) return json.error();
    const Json& document = json.value();
    if (!has_keys(document, {"commands"}) || !document["commands"].is_array())
        return malformed("", "a list is wanted: {\"commands\": [...]}");
    const Json& list = document["commands"];
    if (list.empty() || list.size() > max_commands)
        return malformed("commands", fmt::format("{} commands in one message", list.size()),
                         fmt::format("send 1 to {}", max_commands));
    std::vector<Command> commands;
    for (std::size_t i = 0; i < list.size(); ++i) {
        auto command = read_command(list[i], fmt::format("commands[{}]", i));
        if (!command) return command.error();
        commands.push_back(std::move(command).value());
    }
    return commands;
}

Json to_json(const Command& command) {
    Json json = command.fields;
    json["do"] = to_word(command.verb);
    if (command.world != 0) json["world"] = command.world;
    return json;
}

Result<std::uint32_t> read_layers(std::span<const std::string> words) {
    std::uint32_t layers = 0;
    for (const std::string& word : words) {
        const auto layer = find_layer(word);
        if (!layer) {
            std::vector<std::string_view> known;
            for (const LayerWord& l : layer_choices()) known.push_back(l.word);
            return malformed("layers", fmt::format("there is no layer \"{}\"", word.substr(0, max_text)),
                             suggestion(std::string_view(word).substr(0, max_text), known));
        }
        layers |= bit(*layer);
    }
    return layers;
}

Result<Subscription> read_subscription(std::string_view message) {
    const auto json = read_json(message);
    if (!json) return json.error();
    const Json& document = json.value();
    if (!document.is_object()) return malformed("", "an object is wanted: {\"layers\": [...]}");
    Subscription out;
    for (const auto& [key, value] : document.items()) {
        if (key == "layers") {
            if (auto wrong = wrong_names(value)) return malformed("layers", *wrong);
            const auto words = value.get<std::vector<std::string>>();
            const auto layers = read_layers(words);
            if (!layers) return layers.error();
            out.layers = layers.value();
        } else if (key == "max_rate") {
            if (auto wrong = wrong_number(value, 0.1, 1000)) return malformed("max_rate", *wrong);
            out.max_rate = value.get<double>();
        } else {
            return malformed(key.substr(0, max_text), "there is no such field", "it has layers and max_rate");
        }
    }
    return out;
}

}  // namespace plush::view
