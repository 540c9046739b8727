#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plush/scene/scene.hpp"
#include "scene/document.hpp"
#include "scene/spec.hpp"

// The descriptions as the reference page docs/scenes.md: one table an object, in the order of the file.
// Objects with equal tables (a rotation, a material) are shown once.

namespace plush {
namespace {

constexpr std::string_view opening = R"(# Scene files

Made from the descriptions that the reader uses; do not edit, but make it anew:
`PLUSH_WRITE_DOCS=1 build/test/tests/test_scene --gtest_filter='Reference.*'`.

A scene file is JSON with `//` and `/* */` comments, in SI units with y up. `plush check SCENE` says what is
wrong with one, `plush schema` prints its JSON Schema. Everything but `plush` may be left out.

```jsonc
{ "plush": 1, "name": "drop", "description": "A hundred rings and balls on a floor",
  "materials": { "rubber": { "friction": 0.9, "restitution": 0.3 } },
  "bodies": [
    { "ground": { "material": "rubber" } },
    { "one_of": [ { "rigid": { "sphere": { "radius": 0.1 } } },
                  { "rigid": { "shape": "torus", "size": 0.3 } } ],
      "name": "toy", "at": [0, 1, 0],
      "repeat": { "grid": [5, 4, 5], "spacing": [0.4, 0.4, 0.4], "jitter": 0.02, "orientation": "random" } } ],
  "pairs": [ { "a": "toy 1", "b": "ground", "friction": 0 } ],
  "duration": 3 }
```

Of `--set KEY=VALUE`, KEY is a path into the file: `step=0.01`, `contact.points=4`,
`bodies[1].at=[0,2,0]`, or by the body's name `bodies[toy].repeat.seed=7`. VALUE is JSON, or else a text.

A scene may hold `variants`: the same scene with a few values changed, to be run and looked at side by side.

```jsonc
"variants": {
  "rubber": { "label": "friction 0.9", "materials.rubber.friction": 0.9 },
  "ice": { "label": "friction 0.02", "materials.rubber.friction": 0.02, "bodies[toy].at": [0, 2, 0] } }
```

Each key of a variant is a path as of `--set`, and its value takes the place of what stands there: whole objects and
lists are replaced, not merged. `plush run` runs every variant, each into a folder of its own;
`plush run SCENE --variant ice` runs one. `--set` wins over a variant. The scene without any variant must be usable as
well; variants of included files do not count.

Files named by a scene are relative to the file that names them. Included bodies come after the file's own.
)";

struct Row {
    std::string key, type, fallback, text;
    bool operator==(const Row&) const = default;
};

struct Section {
    std::string title{};
    std::vector<std::string> rules{};
    std::vector<Row> rows{};
};

std::string code(std::string_view text) {
    return "`" + std::string(text) + "`";
}

class ReferenceVisitor final : public SceneVisitor {
public:
    ReferenceVisitor() { begin("The scene"); }

    std::string finish() {
        keep();
        std::string out(opening);
        // Inner objects end first; readers want the outer ones first.
        std::stable_sort(done_.begin(), done_.end(),
                         [](const Kept& a, const Kept& b) { return a.order < b.order; });
        for (const Kept& kept : done_) out += table(kept.section);
        for (const WordList& list : lists_) {
            out += fmt::format("\n## {}\n\n| word | |\n|---|---|\n", list.title);
            for (const Choice& choice : list.choices)
                out += fmt::format("| `{}` | {} |\n", json_quoted(choice.word), choice.text);
        }
        return out;
    }

    int exactly_one_of(Keys keys) override {
        if (keys.size() > 1) top().rules.push_back("Exactly one of " + joined(keys) + ".");
        return -1;
    }
    int at_most_one_of(Keys keys) override {
        top().rules.push_back("At most one of " + joined(keys) + ".");
        return -1;
    }
    void not_with(std::string_view key, Keys others) override {
        top().rules.push_back("None of " + joined(others) + " beside " + joined({key}) + ".");
    }
    void only_with(std::string_view key, std::string_view other) override {
        top().rules.push_back(fmt::format("`{}` only with `{}`.", key, other));
    }

    void any_other_key(std::string_view text) override {
        top().rows.push_back({"any other key", "any value", "", std::string(text)});
    }

    void field(const FieldInfo& info, bool& value) override {
        add(info, "true, false", value ? "true" : "false");
    }
    void field(const FieldInfo& info, std::optional<bool>&) override { add(info, "true, false"); }
    void field(const FieldInfo& info, int& value) override {
        add(info, "whole number" + range(info),
            value >= info.min && value <= info.max ? fmt::format("{}", value) : "");
    }
    void field(const FieldInfo& info, double& value) override {
        add(info, "number" + range(info), json_number(value));
    }
    void field(const FieldInfo& info, std::optional<double>&) override { add(info, "number" + range(info)); }
    void field(const FieldInfo& info, std::string&) override { add(info, "text"); }
    void numbers(const FieldInfo& info, std::span<double> values) override {
        std::string all;
        for (const double value : values) all += (all.empty() ? "" : ", ") + json_number(value);
        add(info, "[x, y, z]" + range(info), "[" + all + "]");
    }
    void counts(const FieldInfo& info, std::span<int> values) override {
        add(info, "[nx, ny, nz]" + range(info), fmt::format("[{}]", fmt::join(values, ", ")));
    }
    void counts(const FieldInfo& info, std::optional<std::array<int, 3>>&) override {
        add(info, "[nx, ny, nz]" + range(info));
    }
    void indices(const FieldInfo& info, std::vector<int>& values) override {
        const bool all = static_cast<double>(values.size()) > info.max - info.min;
        add(info, "list of whole numbers" + range(info),
            all ? "all" : fmt::format("[{}]", fmt::join(values, ", ")));
    }
    void points(const FieldInfo& info, std::vector<Vec3>&) override { add(info, "list of [x, y, z]"); }
    void words(const FieldInfo& info, std::vector<std::string>&) override { add(info, "list of texts"); }
    void choice(const FieldInfo& info, int& value, std::span<const Choice> choices) override {
        std::string_view fallback;
        for (const Choice& choice : choices)
            if (choice.value == value) fallback = choice.word;
        add_words(info, choices, code(json_quoted(fallback)));
    }
    void optional_choice(const FieldInfo& info, std::optional<int>&,
                         std::span<const Choice> choices) override {
        add_words(info, choices, "");
    }
    void file(const FieldInfo& info, std::string&) override { add(info, "file"); }

protected:
    bool begin_group(const FieldInfo& info) override {
        return add(info, linked("object", info)), begin(info.key), true;
    }
    void end_group() override { keep(); }
    std::size_t begin_list(const FieldInfo& info, std::size_t) override {
        return add(info, linked("list of objects", info)), begin(info.key), 1;
    }
    void begin_item(std::size_t) override {}
    void end_item() override {}
    void end_list() override { keep(); }
    bool begin_nested(const FieldInfo& info, int level) override {
        if (level > 0) add(info, linked("list of objects", info));  // it has its table already
        return level == 0;
    }
    std::vector<std::string> begin_map(const FieldInfo& info) override {
        return add(info, linked("objects by name", info)), begin(info.key), std::vector<std::string>{"name"};
    }
    void begin_entry(const std::string&) override {}
    void end_entry() override {}
    void end_map() override { keep(); }
    bool describes_types() const override { return true; }

private:
    struct Kept {
        Section section;
        std::size_t order;
    };

    Section& top() { return open_.back().section; }
    void begin(std::string_view title) { open_.push_back({{std::string(title)}, begun_++}); }
    void keep() {
        Kept kept = std::move(open_.back());
        open_.pop_back();
        const bool known = std::any_of(done_.begin(), done_.end(), [&](const Kept& other) {
            return other.section.title == kept.section.title && other.section.rows == kept.section.rows;
        });
        if (!known) done_.push_back(std::move(kept));
    }

    void add(const FieldInfo& info, std::string type, std::string fallback = {}, bool formatted = false) {
        if (info.required)
            fallback = "required";
        else if (!fallback.empty() && !formatted)
            fallback = code(fallback);
        std::string text(info.text);
        top().rows.push_back({code(info.key), std::move(type), std::move(fallback), std::move(text)});
    }

    /// Longer lists of words stand once, at the end of the page; every key that takes them has a link.
    struct WordList {
        std::string title{};
        std::vector<Choice> choices{};
    };
    static constexpr std::size_t short_list = 3;

    static bool same(std::span<const Choice> a, std::span<const Choice> b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Choice& x, const Choice& y) {
            return x.word == y.word && x.text == y.text;
        });
    }

    const std::string& list_of(std::string_view key, std::span<const Choice> choices) {
        int others = 0;
        for (const WordList& list : lists_) {
            if (same(list.choices, choices)) return list.title;
            others += list.title.starts_with(fmt::format("Words of {}", key));
        }
        lists_.push_back({fmt::format("Words of {}{}", key, others > 0 ? fmt::format(" {}", others + 1) : ""),
                          {choices.begin(), choices.end()}});
        return lists_.back().title;
    }

    void add_words(FieldInfo info, std::span<const Choice> choices, std::string fallback) {
        if (choices.size() > short_list) {
            std::string anchor = list_of(info.key, choices);
            for (char& c : anchor) c = c == ' ' ? '-' : c == 'W' ? 'w' : c;
            add(info, fmt::format("[one of these words](#{})", anchor), std::move(fallback), true);
            return;
        }
        std::string text = std::string(info.text) + ":";
        for (const Choice& choice : choices)
            text +=
                fmt::format("{} `\"{}\"` {}", &choice == choices.data() ? "" : ";", choice.word, choice.text);
        info.text = text;
        add(info, "one of these words", std::move(fallback), true);
    }

    static std::string range(const FieldInfo& info) {
        std::string out = info.unit.empty() ? "" : ", " + std::string(info.unit);
        if (std::isfinite(info.min) && std::isfinite(info.max))
            out += fmt::format(", {}{} to {}", info.min_excluded ? "above " : "", info.min, info.max);
        else if (std::isfinite(info.min))
            out += fmt::format(", {} {}", info.min_excluded ? "above" : "from", info.min);
        return out;
    }
    static std::string linked(std::string_view text, const FieldInfo& info) {
        return fmt::format("[{}](#{})", text, info.key);
    }
    static std::string joined(Keys keys) {
        std::string out;
        for (const std::string_view key : keys) out += (out.empty() ? "" : ", ") + code(key);
        return out;
    }
    static std::string table(const Section& section) {
        std::string out = fmt::format("\n## {}\n\n", section.title);
        for (const std::string& rule : section.rules) out += rule + "\n";
        if (!section.rules.empty()) out += "\n";
        out += "| key | value | default | |\n|---|---|---|---|\n";
        for (const Row& row : section.rows)
            out += fmt::format("| {} | {} | {} | {} |\n", row.key, row.type, row.fallback, row.text);
        return out;
    }

    std::vector<Kept> open_, done_;
    std::size_t begun_ = 0;
    std::vector<WordList> lists_{};
};

}  // namespace

std::string scene_reference_markdown() {
    SceneSpec example;
    ReferenceVisitor visitor;
    describe(visitor, example);
    return visitor.finish();
}

}  // namespace plush
