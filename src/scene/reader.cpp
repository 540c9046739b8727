#include "scene/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/did_you_mean.hpp"
#include "core/range_phrase.hpp"
#include "scene/renamed_keys.hpp"
#include "scene/similar.hpp"

// The strict reader. It walks the document along the descriptions: every field that is described takes the
// key of its name, and a key that no field took is unknown. A wrong value leaves the default, so that one
// mistake does not hide the next.

namespace plush {
namespace {

class Reader final : public SceneVisitor {
public:
    Reader(JsonNode& root, Messages& messages, std::vector<Quantity>* quantities = nullptr,
           bool completes = false)
        : messages_(messages), quantities_(quantities), completes_(completes) {
        enter(root, "$");
        if (root.type != JsonType::object) complain(here(), "a scene is an object: { \"plush\": 1, … }");
    }
    void finish() { leave(); }

    void place(Place& place) override { place = here(); }

    int exactly_one_of(Keys keys) override {
        const std::vector<std::string_view> present = present_of(keys);
        exclude(keys);
        if (present.size() == 1) return place_in(keys, present[0]);
        if (is_object())
            complain(here(),
                     present.empty() ? fmt::format("none of {} is here", quoted(keys))
                                     : fmt::format("{} are here together", quoted(present)),
                     unknown_cure(keys, present.empty()));
        return -1;
    }
    int at_most_one_of(Keys keys) override {
        const std::vector<std::string_view> present = present_of(keys);
        if (!present.empty()) exclude(keys);
        if (present.size() == 1) return place_in(keys, present[0]);
        if (present.size() > 1)
            complain(at_key(here(), present[1]), fmt::format("{} exclude each other", quoted(present)),
                     "keep one");
        return -1;
    }
    void not_with(std::string_view key, Keys others) override {
        for (const std::string_view other : others) at_most_one_of({key, other});
    }
    void only_with(std::string_view key, std::string_view other) override {
        if (!node().find(other)) exclude({key});
        if (node().find(key) && !node().find(other))
            complain(at_key(here(), key),
                     fmt::format("\"{}\" goes with \"{}\", which is not here", key, other),
                     fmt::format("remove \"{}\"", key));
    }

    void any_other_key(std::string_view) override { frames_.back().open = true; }

    void field(const FieldInfo& info, bool& value) override {
        if (const JsonNode* n = take(info, JsonType::boolean)) value = n->number != 0;
    }
    void field(const FieldInfo& info, std::optional<bool>& value) override {
        if (const JsonNode* n = take(info, JsonType::boolean)) value = n->number != 0;
    }
    void field(const FieldInfo& info, int& value) override {
        const JsonNode* n = take(info, JsonType::number);
        if (n && whole(info, *n, at_key(here(), info.key))) value = static_cast<int>(n->number);
    }
    void field(const FieldInfo& info, double& value) override {
        JsonNode* n = take(info, JsonType::number);
        if (n && in_range(info, *n, at_key(here(), info.key))) value = n->number;
        if (n) measure(info, *n);
        if (!n) complete(info, std::span(&value, 1), JsonType::number);
    }
    void field(const FieldInfo& info, std::optional<double>& value) override {
        JsonNode* n = take(info, JsonType::number);
        if (n && in_range(info, *n, at_key(here(), info.key))) value = n->number;
        if (n) measure(info, *n);
    }
    void field(const FieldInfo& info, std::string& value) override {
        if (const JsonNode* n = take(info, JsonType::text)) value = n->text();
    }
    void numbers(const FieldInfo& info, std::span<double> values) override {
        JsonNode* n = take(info, JsonType::list);
        if (n) read_numbers(info, *n, at_key(here(), info.key), values);
        if (n) measure(info, *n);
        if (!n) complete(info, values, JsonType::list);
    }
    void counts(const FieldInfo& info, std::span<int> values) override {
        if (const JsonNode* n = take(info, JsonType::list)) read_counts(info, *n, values);
    }
    void counts(const FieldInfo& info, std::optional<std::array<int, 3>>& values) override {
        const JsonNode* n = take(info, JsonType::list);
        std::array<int, 3> read{};
        if (n && read_counts(info, *n, read)) values = read;
    }
    void indices(const FieldInfo& info, std::vector<int>& values) override {
        const JsonNode* n = take(info, JsonType::list);
        if (!n) return;
        values.clear();
        for (const JsonNode& item : n->items()) {
            const Place place = item_place(at_key(here(), info.key), item);
            if (!is_type(item, JsonType::number, place) || !whole(info, item, place)) continue;
            const int value = static_cast<int>(item.number);
            if (std::find(values.begin(), values.end(), value) != values.end())
                complain(place, fmt::format("{} stands twice in this list", value), "remove one of the two");
            else
                values.push_back(value);
        }
    }
    void points(const FieldInfo& info, std::vector<Vec3>& values) override {
        JsonNode* n = take(info, JsonType::list);
        if (!n) return;
        values.clear();
        measure(info, *n);
        const Place place = at_key(here(), info.key);
        for (const JsonNode& item : n->items()) {
            if (item.type != JsonType::list) {
                is_type(item, JsonType::list, item_place(place, item));
                continue;
            }
            Vec3 point;
            read_numbers(info, item, place, std::span(&point.x, 3), item.index);
            values.push_back(point);
        }
        if (n->items().empty()) complain(place, "the list is empty", "give at least one position");
    }
    void words(const FieldInfo& info, std::vector<std::string>& values) override {
        const JsonNode* n = take(info, JsonType::list);
        if (!n) return;
        values.clear();
        for (const JsonNode& item : n->items())
            if (is_type(item, JsonType::text, item_place(at_key(here(), info.key), item)))
                values.push_back(item.text());
    }
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override {
        std::optional<int> chosen;
        optional_choice(info, chosen, choices);
        if (chosen) value = *chosen;
    }
    void optional_choice(const FieldInfo& info, std::optional<int>& value,
                         std::span<const Choice> choices) override {
        const JsonNode* n = take(info, JsonType::text);
        if (!n) return;
        std::vector<std::string_view> known;
        for (const Choice& choice : choices) {
            if (choice.word == n->text()) value = choice.value;
            known.push_back(choice.word);
        }
        if (std::find(known.begin(), known.end(), n->text()) == known.end())
            complain(at_key(here(), info.key),
                     fmt::format("\"{}\" is not one of {}", n->text(), quoted(known)),
                     did_you_mean(n->text(), known));
    }
    void file(const FieldInfo& info, std::string& value) override {
        JsonNode* n = take(info, JsonType::text);
        if (!n) return;
        std::filesystem::path path = n->text();  // folders of sources are absolute
        if (n->text().empty()) {
            complain(at_key(here(), info.key), "the name of the file is empty", "name a file");
        } else if (n->text().find('\0') != std::string::npos) {
            complain(at_key(here(), info.key), "the name of the file has a zero in it", "name a file");
        } else {
            if (path.is_relative()) path = messages_.sources[n->source].folder / path;
            n->text() = value = path.lexically_normal().string();
        }
    }

protected:
    bool begin_group(const FieldInfo& info) override {
        JsonNode* n = take(info, JsonType::object);
        if (n) enter(*n, here().path + "." + std::string(info.key));
        return n != nullptr;
    }
    void end_group() override { leave(); }

    std::size_t begin_list(const FieldInfo& info, std::size_t size) override {
        JsonNode* n = take(info, JsonType::list);
        lists_.push_back(n ? List{n, here().path + "." + std::string(info.key)} : List{});
        return n ? n->items().size() : size;
    }
    void begin_item(std::size_t i) override {
        const List& list = lists_.back();
        JsonNode& item = list.node->items()[i];
        enter(item, list.path + fmt::format("[{}]", item.index));
        is_type(item, JsonType::object, here());
        // Each takes kilobytes once it is read, and is refused for what it lacks when all have been.
        const bool empty = item.type == JsonType::object && item.members().empty();
        if (empty && list.path == "$.bodies" && ++empty_bodies_ == Messages::most)
            messages_.error(
                here(), fmt::format("there are {} or more bodies of which nothing is said", Messages::most),
                "say of each what it is: rigid, fixed, soft, ...");
    }
    bool gives_up() const override { return messages_.full() || empty_bodies_ >= Messages::most; }
    void end_item() override { leave(); }
    void end_list() override { lists_.pop_back(); }

    std::vector<std::string> begin_map(const FieldInfo& info) override {
        JsonNode* n = take(info, JsonType::object);
        lists_.push_back(n ? List{n, here().path + "." + std::string(info.key)} : List{});
        std::vector<std::string> names;
        if (n)
            for (const JsonMember& member : n->members()) names.push_back(member.key);
        return names;
    }
    void begin_entry(const std::string& name) override {
        List& map = lists_.back();
        JsonNode& entry = map.node->members()[map.next++].value;  // in order: a search would cost too much
        enter(entry, map.path + "." + name);
        is_type(entry, JsonType::object, here());
    }
    void end_entry() override { leave(); }
    void end_map() override { lists_.pop_back(); }

private:
    struct Frame {
        JsonNode* node;
        std::string path;
        std::vector<std::string_view> known;  ///< keys that were described so far
        bool open = false;                    ///< any other key is welcome
        std::vector<std::string> excluded{};  ///< keys that may not be added
        std::vector<JsonMember> added{};
    };
    struct List {
        JsonNode* node = nullptr;
        std::string path{};
        std::size_t next = 0;
    };

    JsonNode& node() { return *frames_.back().node; }
    bool is_object() { return node().type == JsonType::object; }
    Place here() { return {node().source, node().line, frames_.back().path, &node()}; }
    static Place item_place(const Place& list, const JsonNode& item) {
        return {item.source, item.line, list.path + fmt::format("[{}]", item.index), &item};
    }

    void complain(const Place& place, std::string problem, std::string cure = {}) {
        messages_.error(place, std::move(problem), std::move(cure));
    }

    void enter(JsonNode& node, std::string path) {
        if (node.type == JsonType::object) rename_keys(node, path);
        frames_.push_back({&node, std::move(path), {}, false, {}, {}});
    }

    /// Before any rule looks at the keys.
    void rename_keys(JsonNode& object, const std::string& path) {
        for (JsonMember& member : object.members())
            for (const RenamedKey& key : renamed_keys)
                if (member.key == key.before && !object.find(key.now)) {
                    member.key = key.now;
                    messages_.warning({member.value.source, member.value.line,
                                       path + "." + std::string(key.before), nullptr},
                                      fmt::format("\"{}\" is called \"{}\" now", key.before, key.now),
                                      fmt::format("write \"{}\"", key.now));
                }
    }

    // -- numbers with units

    void exclude(Keys keys) {
        frames_.back().excluded.insert(frames_.back().excluded.end(), keys.begin(), keys.end());
    }

    void measure(const FieldInfo& info, JsonNode& n) {
        if (!quantities_ || info.unit.empty()) return;
        const std::string path = here().path + "." + std::string(info.key);
        const auto add = [&](const auto& self, JsonNode& part) -> void {
            if (part.type == JsonType::number)
                quantities_->push_back({&part, &node(), std::string(info.key), std::string(info.unit), path});
            if (part.type == JsonType::list)
                for (JsonNode& item : part.items()) self(self, item);
        };
        add(add, n);
    }

    /// What is left out is written into the document when the object has been read.
    void complete(const FieldInfo& info, std::span<const double> values, JsonType type) {
        Frame& frame = frames_.back();
        if (!completes_ || length_power(info.unit) == 0 || !is_object() || info.required) return;
        if (std::all_of(values.begin(), values.end(), [](double x) { return x == 0 || !std::isfinite(x); }))
            return;
        if (std::find(frame.excluded.begin(), frame.excluded.end(), info.key) != frame.excluded.end()) return;
        JsonNode node(type, frame.node->source, 0);
        if (type == JsonType::number) node.number = values[0];
        if (type == JsonType::list)
            for (const double x : values)
                node.items().emplace_back(JsonType::number, frame.node->source, 0).number = x;
        frame.added.push_back({std::string(info.key), std::move(node)});
    }

    void leave() {
        Frame& frame = frames_.back();
        for (JsonMember& member : frame.added) frame.node->members().push_back(std::move(member));
        if (frame.node->type == JsonType::object && !frame.open) {
            for (const JsonMember& member : frame.node->members()) {
                if (messages_.full()) break;
                if (std::find(frame.known.begin(), frame.known.end(), member.key) != frame.known.end())
                    continue;
                std::string cure = did_you_mean(member.key, frame.known);
                if (cure.empty()) cure = fmt::format("known here: {}", fmt::join(frame.known, ", "));
                complain({member.value.source, member.value.line, frame.path + "." + member.key, nullptr},
                         fmt::format("unknown key \"{}\"", member.key), std::move(cure));
            }
        }
        frames_.pop_back();
    }

    /// The value of this key if it is there and of this type.
    JsonNode* take(const FieldInfo& info, JsonType type) {
        frames_.back().known.push_back(info.key);
        JsonNode* n = node().find(info.key);
        if (!n) {
            if (info.required && is_object())
                complain(here(), fmt::format("\"{}\" is missing", info.key),
                         fmt::format("add \"{}\" ({})", info.key, info.text));
            return nullptr;
        }
        return is_type(*n, type, at_key(here(), info.key)) ? n : nullptr;
    }

    bool is_type(const JsonNode& n, JsonType type, const Place& place) {
        if (n.type == type) return true;
        std::string cure;
        if (type == JsonType::number && n.type == JsonType::text) cure = "numbers stand without quotes";
        complain(place, fmt::format("this must be {}, not {}", to_phrase(type), to_phrase(n.type)), cure);
        return false;
    }

    bool in_range(const FieldInfo& info, const JsonNode& n, const Place& place) {
        const double value = n.number;
        const bool good = (info.min_excluded ? value > info.min : value >= info.min) && value <= info.max;
        if (good) return true;
        complain(place, fmt::format("{} is out of range", json_number(value)), "use " + range_phrase(info));
        return false;
    }

    bool whole(const FieldInfo& info, const JsonNode& n, const Place& place) {
        FieldInfo bounded = info;
        bounded.min = std::max(info.min, static_cast<double>(std::numeric_limits<int>::min()));
        bounded.max = std::min(info.max, static_cast<double>(std::numeric_limits<int>::max()));
        if (!in_range(bounded, n, place)) return false;
        if (n.number == std::floor(n.number)) return true;
        complain(place, fmt::format("{} is not a whole number", json_number(n.number)),
                 "use " + range_phrase(bounded));
        return false;
    }

    /// A list of exactly as many numbers. `index` tells which item of a list of lists it is.
    bool read_numbers(const FieldInfo& info, const JsonNode& n, const Place& place, std::span<double> values,
                      int index = -1) {
        const auto place_of = [&](const JsonNode& part) {
            Place where = index < 0 ? place : item_place(place, n);
            return &part == &n ? where : item_place(where, part);
        };
        if (n.items().size() != values.size()) {
            complain(
                place_of(n),
                fmt::format("this list has {} numbers where {} are needed", n.items().size(), values.size()),
                values.size() == 3 ? "write [x, y, z]" : "");
            return false;
        }
        bool good = true;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const JsonNode& item = n.items()[i];
            const bool inside = item.type == JsonType::number && item.number <= info.max &&
                                (info.min_excluded ? item.number > info.min : item.number >= info.min);
            if (inside)
                values[i] = item.number;
            else
                good = false;
            if (!inside && is_type(item, JsonType::number, place_of(item)))
                in_range(info, item, place_of(item));
        }
        return good;
    }

    /// A list of exactly as many whole numbers.
    bool read_counts(const FieldInfo& info, const JsonNode& n, std::span<int> values) {
        const Place place = at_key(here(), info.key);
        std::vector<double> read(values.size());
        if (!read_numbers(info, n, place, read)) return false;
        for (const JsonNode& item : n.items())
            if (!whole(info, item, item_place(place, item))) return false;
        std::transform(read.begin(), read.end(), values.begin(),
                       [](double value) { return static_cast<int>(value); });
        return true;
    }

    static int place_in(Keys keys, std::string_view key) {
        return static_cast<int>(std::find(keys.begin(), keys.end(), key) - keys.begin());
    }

    template <class Words>
    static std::string quoted(const Words& words) {
        std::string out;
        std::size_t i = 0;
        const std::size_t count = words.size();
        for (const std::string_view word : words) {
            if (i > 0) out += i + 1 == count ? " and " : ", ";
            out += fmt::format("\"{}\"", word);
            ++i;
        }
        return out;
    }

    std::vector<std::string_view> present_of(Keys keys) {
        std::vector<std::string_view> present;
        for (const std::string_view key : keys)
            if (node().find(key)) present.push_back(key);
        return present;
    }

    /// Where nothing of the wanted is there, one of the keys that are may be a slip.
    std::string unknown_cure(Keys keys, bool nothing) {
        if (nothing) {
            const std::vector<std::string_view> known(keys);
            for (const JsonMember& member : node().members())
                if (const std::string guess = did_you_mean(member.key, known); !guess.empty())
                    return fmt::format("of \"{}\": {}", member.key, guess);
        }
        return "give exactly one of them";
    }

    Messages& messages_;
    std::vector<Quantity>* quantities_;
    bool completes_;
    std::size_t empty_bodies_ = 0;
    std::vector<Frame> frames_;
    std::vector<List> lists_;
};

}  // namespace

SceneSpec read_scene(JsonNode& root, Messages& messages) {
    SceneSpec spec;
    Reader reader(root, messages);
    if (root.type == JsonType::object) describe(reader, spec);
    reader.finish();
    return spec;
}

SceneSpec read_scene(JsonNode& root, Messages& messages, std::vector<Quantity>& quantities) {
    SceneSpec ignored;
    Reader completing(root, messages, nullptr, true);
    if (root.type == JsonType::object) describe(completing, ignored);
    completing.finish();
    SceneSpec spec;
    Reader reader(root, messages, &quantities);
    if (root.type == JsonType::object) describe(reader, spec);
    reader.finish();
    return spec;
}

}  // namespace plush
