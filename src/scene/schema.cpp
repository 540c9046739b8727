#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "plush/scene/scene.hpp"
#include "scene/spec.hpp"

// The descriptions as a JSON Schema (draft 2020-12). What a schema cannot say (names that must exist, meshes
// that must be closed, keyframes in order) only the reader checks.

namespace plush {
namespace {

using Json = nlohmann::ordered_json;

class SchemaVisitor final : public SceneVisitor {
public:
    SchemaVisitor() { open(); }
    Json finish() { return close(); }

    int exactly_one_of(Keys keys) override {
        Json one_of = Json::array();
        for (const std::string_view key : keys)
            one_of.push_back({{"required", Json::array({std::string(key)})}});
        top()["oneOf"] = std::move(one_of);
        return -1;
    }
    int at_most_one_of(Keys keys) override {
        for (auto a = keys.begin(); a != keys.end(); ++a)
            for (auto b = a + 1; b != keys.end(); ++b)
                top()["allOf"].push_back(
                    {{"not", {{"required", Json::array({std::string(*a), std::string(*b)})}}}});
        return -1;
    }
    void not_with(std::string_view key, Keys others) override {
        for (const std::string_view other : others) at_most_one_of({key, other});
    }
    void only_with(std::string_view key, std::string_view other) override {
        top()["dependentRequired"][std::string(key)] = Json::array({std::string(other)});
    }

    void any_other_key(std::string_view) override { top()["additionalProperties"] = true; }

    void field(const FieldInfo& info, bool& value) override {
        add(info, {{"type", "boolean"}, {"default", value}});
    }
    void field(const FieldInfo& info, std::optional<bool>&) override { add(info, {{"type", "boolean"}}); }
    void field(const FieldInfo& info, int& value) override {
        Json type = with_range({{"type", "integer"}}, whole(info));
        if (value >= info.min && value <= info.max) type["default"] = value;
        add(info, std::move(type));
    }
    void field(const FieldInfo& info, double& value) override {
        Json type = with_range({{"type", "number"}}, info);
        if (!info.required) type["default"] = value;
        add(info, std::move(type));
    }
    void field(const FieldInfo& info, std::optional<double>&) override {
        add(info, with_range({{"type", "number"}}, info));
    }
    void field(const FieldInfo& info, std::string&) override { add(info, {{"type", "string"}}); }
    void numbers(const FieldInfo& info, std::span<double> values) override {
        Json type = fixed_list(with_range({{"type", "number"}}, info), values.size());
        if (!info.required) type["default"] = std::vector<double>(values.begin(), values.end());
        add(info, std::move(type));
    }
    void counts(const FieldInfo& info, std::span<int> values) override {
        Json type = fixed_list(with_range({{"type", "integer"}}, whole(info)), values.size());
        type["default"] = std::vector<int>(values.begin(), values.end());
        add(info, std::move(type));
    }
    void counts(const FieldInfo& info, std::optional<std::array<int, 3>>&) override {
        add(info, fixed_list(with_range({{"type", "integer"}}, whole(info)), 3));
    }
    void indices(const FieldInfo& info, std::vector<int>& values) override {
        add(info, {{"type", "array"},
                   {"items", with_range({{"type", "integer"}}, whole(info))},
                   {"uniqueItems", true},
                   {"default", values}});
    }
    void points(const FieldInfo& info, std::vector<Vec3>&) override {
        add(info, {{"type", "array"},
                   {"minItems", 1},
                   {"items", fixed_list(with_range({{"type", "number"}}, info), 3)}});
    }
    void words(const FieldInfo& info, std::vector<std::string>&) override {
        add(info, {{"type", "array"}, {"items", {{"type", "string"}}}});
    }
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override {
        Json type = words_of(choices);
        for (const Choice& choice : choices)
            if (choice.value == value) type["default"] = std::string(choice.word);
        add(info, std::move(type));
    }
    void optional_choice(const FieldInfo& info, std::optional<int>&,
                         std::span<const Choice> choices) override {
        add(info, words_of(choices));
    }
    void file(const FieldInfo& info, std::string&) override {
        add(info, {{"type", "string"}, {"minLength", 1}});
    }

protected:
    bool begin_group(const FieldInfo& info) override {
        infos_.push_back(info);
        open();
        return true;
    }
    void end_group() override {
        Json type = close();
        add(take_info(), std::move(type));
    }
    std::size_t begin_list(const FieldInfo& info, std::size_t) override {
        infos_.push_back(info);
        return 1;
    }
    void begin_item(std::size_t) override { open(); }
    void end_item() override { item_ = close(); }
    void end_list() override { add(take_info(), {{"type", "array"}, {"items", std::move(item_)}}); }
    bool begin_nested(const FieldInfo& info, int level) override {
        constexpr int max_level = 2;  // editors know what is in it so far
        if (level < max_level) return true;
        add(info, {{"type", "array"}, {"items", {{"type", "object"}}}});
        return false;
    }
    std::vector<std::string> begin_map(const FieldInfo& info) override {
        infos_.push_back(info);
        return {"name"};
    }
    void begin_entry(const std::string&) override { open(); }
    void end_entry() override { item_ = close(); }
    void end_map() override {
        add(take_info(), {{"type", "object"}, {"additionalProperties", std::move(item_)}});
    }
    bool describes_types() const override { return true; }

private:
    Json& top() { return open_.back(); }
    void open() { open_.push_back({{"type", "object"}, {"properties", Json::object()}}); }
    Json close() {
        Json type = std::move(open_.back());
        open_.pop_back();
        if (!type.contains("additionalProperties")) type["additionalProperties"] = false;
        return type;
    }
    FieldInfo take_info() {
        const FieldInfo info = infos_.back();
        infos_.pop_back();
        return info;
    }

    void add(const FieldInfo& info, Json type) {
        std::string text(info.text);
        if (!info.unit.empty()) text += " [" + std::string(info.unit) + "]";
        if (!text.empty()) type["description"] = text;
        if (info.required) top()["required"].push_back(std::string(info.key));
        top()["properties"][std::string(info.key)] = std::move(type);
    }

    static FieldInfo whole(FieldInfo info) {
        info.min = std::max(info.min, static_cast<double>(std::numeric_limits<int>::min()));
        info.max = std::min(info.max, static_cast<double>(std::numeric_limits<int>::max()));
        return info;
    }
    static Json with_range(Json type, const FieldInfo& info) {
        if (std::isfinite(info.min)) type[info.min_excluded ? "exclusiveMinimum" : "minimum"] = info.min;
        if (std::isfinite(info.max)) type["maximum"] = info.max;
        return type;
    }
    static Json fixed_list(Json item, std::size_t size) {
        return {{"type", "array"}, {"items", std::move(item)}, {"minItems", size}, {"maxItems", size}};
    }
    static Json words_of(std::span<const Choice> choices) {
        Json words = Json::array();
        for (const Choice& choice : choices) words.push_back(std::string(choice.word));
        return {{"enum", std::move(words)}};
    }

    std::vector<Json> open_;
    std::vector<FieldInfo> infos_;
    Json item_;
};

}  // namespace

std::string scene_schema() {
    SceneSpec example;
    SchemaVisitor visitor;
    describe(visitor, example);
    Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "Plush scene"}};
    schema.update(visitor.finish());
    return schema.dump(2) + "\n";
}

}  // namespace plush
