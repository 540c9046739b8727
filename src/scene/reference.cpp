#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "plush/scene/scene.hpp"
#include "scene/document.hpp"
#include "scene/spec.hpp"

// The descriptions as the reference page docs/scenes.md: one table an object, in the order of the file.
// Objects with equal tables (a rotation, a material) are shown once, and so are rows and words that several tables have.

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

/// Rows that several tables share stand once, in a table of their own: from one key to another.
struct Run {
    std::string_view title, first, last;
};
constexpr Run shared_runs[]{
    {"keys of a generated shape", "shape", "seed"},
    {"keys of an exact shape", "sphere", "torus"},
    {"keys of a solid shape", "mesh", "solid"},
    {"keys of a filling", "method", "cells_across"},
    {"keys of an elastic material", "model", "blade_friction"},
    {"keys of shape matching", "mode", "max_flow"},
    {"keys of springs", "law", "mass"},
    {"keys of an integrator", "integrator", "newton_tolerance"},
    {"keys of what deforms", "damping", "self_contact"},
    {"keys of a surface", "material", "collides_with"},
    {"ends of a joint", "a", "vertex_b"},
    {"keys of what drives a joint", "limits", "repeat"},
};

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

struct Row {
    std::string key, type, fallback, text;
    std::size_t words = nowhere;    ///< the list of words that it takes
    std::size_t section = nowhere;  ///< the table of the object that it takes
    bool operator==(const Row&) const = default;
};

struct Section {
    std::string title{};
    std::size_t id = 0, parent = nowhere;
    std::vector<std::string> rules{};
    std::vector<Row> rows{};
};

struct WordList {
    std::string key{};
    std::vector<Choice> choices{};
    int uses = 0;
    std::string title{};
};
constexpr std::size_t short_list = 3;  // words that stand in the table of the only key that takes them

std::string code(std::string_view text) {
    return "`" + std::string(text) + "`";
}

std::string link(std::string_view text, std::string_view title) {
    std::string anchor(title);
    for (char& c : anchor) c = c == ' ' ? '-' : c;
    return fmt::format("[{}](#{})", text, anchor);
}

/// Writes what the visitor has gathered.
class Page {
public:
    Page(std::vector<Section> sections, std::vector<WordList> lists)
        : sections_(std::move(sections)), lists_(std::move(lists)) {}

    std::string write() {
        // Inner objects end first; readers want the outer ones first.
        std::stable_sort(sections_.begin(), sections_.end(),
                         [](const Section& a, const Section& b) { return a.id < b.id; });
        for (const Run& run : shared_runs) share(run);
        name_sections();
        name_lists();
        std::string out(opening);
        for (const Section& section : sections_) out += table(section);
        for (const WordList& list : lists_) {
            if (list.title.empty()) continue;
            out += fmt::format("\n## {}\n\n| word | |\n|---|---|\n", list.title);
            for (const Choice& choice : list.choices)
                out += fmt::format("| `{}` | {} |\n", json_quoted(choice.word), choice.text);
        }
        return out;
    }

private:
    using Rows = std::vector<Row>;

    static std::pair<std::size_t, std::size_t> find(const Rows& rows, const Run& run) {
        const auto at = [&](std::string_view key) {
            return static_cast<std::size_t>(
                std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.key == code(key); }) -
                rows.begin());
        };
        const std::size_t first = at(run.first), last = at(run.last);
        return first <= last && last < rows.size() ? std::pair(first, last + 1) : std::pair(nowhere, nowhere);
    }

    /// Takes the rows of a run out of all tables that have them, if two or more do.
    void share(const Run& run) {
        std::vector<std::pair<std::size_t, Rows>> found;  // sections, and their rows
        for (std::size_t s = 0; s < sections_.size(); ++s) {
            const Rows& rows = sections_[s].rows;
            if (const auto [from, to] = find(rows, run); from != nowhere)
                found.emplace_back(s, Rows(rows.begin() + static_cast<std::ptrdiff_t>(from),
                                           rows.begin() + static_cast<std::ptrdiff_t>(to)));
        }
        const auto uses = [&](const Rows& rows) {
            return std::count_if(found.begin(), found.end(), [&](const auto& f) { return f.second == rows; });
        };
        const auto most = std::max_element(found.begin(), found.end(), [&](const auto& a, const auto& b) {
            return uses(a.second) < uses(b.second);
        });
        if (most == found.end() || uses(most->second) < 2) return;
        const std::size_t id = 1'000'000 + sections_.size();
        for (const auto& [s, rows] : found) {
            if (rows != most->second) continue;
            Rows& all = sections_[s].rows;
            const auto from = all.begin() + static_cast<std::ptrdiff_t>(find(all, run).first);
            *from = {code(run.first) + " to " + code(run.last), "", "", std::string(run.title)};
            from->section = id;
            all.erase(from + 1, from + static_cast<std::ptrdiff_t>(rows.size()));
        }
        Section section{.title = std::string(run.title), .id = id, .rows = most->second};
        sections_.insert(sections_.begin() + static_cast<std::ptrdiff_t>(found.front().first) + 1,
                         std::move(section));
    }

    Section* with_id(std::size_t id) {
        const auto at =
            std::find_if(sections_.begin(), sections_.end(), [&](const Section& s) { return s.id == id; });
        return at == sections_.end() ? nullptr : &*at;
    }

    /// Tables of one key in different places are told apart by what they are part of.
    void name_sections() {
        std::set<std::string> used;
        for (Section& section : sections_) {
            if (used.insert(section.title).second) continue;
            const Section* parent = with_id(section.parent);
            section.title += " of " + (parent ? parent->title : std::string("the scene"));
            used.insert(section.title);
        }
    }

    void name_lists() {
        for (const Section& section : sections_)
            for (const Row& row : section.rows)
                if (row.words != nowhere) ++lists_[row.words].uses;
        std::map<std::string, int> known;
        for (WordList& list : lists_) {
            if (list.uses < 2 && list.choices.size() <= short_list) continue;
            const int others = known[list.key]++;
            list.title =
                fmt::format("words of {}{}", list.key, others > 0 ? fmt::format(" {}", others + 1) : "");
        }
    }

    std::string table(const Section& section) {
        std::string out = fmt::format("\n## {}\n\n", section.title);
        for (const std::string& rule : section.rules) out += rule + "\n";
        if (!section.rules.empty()) out += "\n";
        out += "| key | value | default | |\n|---|---|---|---|\n";
        for (const Row& row : section.rows) out += line(row);
        return out;
    }

    std::string line(const Row& row) {
        std::string type = row.type, text = row.text;
        if (row.words != nowhere) {
            const WordList& list = lists_[row.words];
            if (!list.title.empty()) {
                type = link(type, list.title);
            } else {
                text += ":";
                for (const Choice& choice : list.choices)
                    text += fmt::format("{} `\"{}\"` {}", &choice == list.choices.data() ? "" : ";",
                                        choice.word, choice.text);
            }
        }
        if (const Section* section = with_id(row.section); section && type.empty())
            text = link(text, section->title);
        else if (section)
            type = link(type, section->title);
        return fmt::format("| {} | {} | {} | {} |\n", row.key, type, row.fallback, text);
    }

    std::vector<Section> sections_;
    std::vector<WordList> lists_;
};

class ReferenceVisitor final : public SceneVisitor {
public:
    ReferenceVisitor() { begin("The scene"); }

    std::string finish() {
        keep();
        return Page(std::move(done_), std::move(lists_)).write();
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
    bool begin_group(const FieldInfo& info) override { return begin_table(info, "object"), true; }
    void end_group() override { keep(); }
    std::size_t begin_list(const FieldInfo& info, std::size_t) override {
        return begin_table(info, "list of objects"), 1;
    }
    void begin_item(std::size_t) override {}
    void end_item() override {}
    void end_list() override { keep(); }
    bool begin_nested(const FieldInfo& info, int level) override {
        if (level == 0) return true;
        add(info, "list of objects");  // of the same table
        top().rows.back().section = top().id;
        return false;
    }
    std::vector<std::string> begin_map(const FieldInfo& info) override {
        return begin_table(info, "objects by name"), std::vector<std::string>{"name"};
    }
    void begin_entry(const std::string&) override {}
    void end_entry() override {}
    void end_map() override { keep(); }
    bool describes_types() const override { return true; }

private:
    Section& top() { return open_.back(); }
    void begin(std::string_view title) {
        const std::size_t parent = open_.empty() ? nowhere : top().id;
        open_.push_back({.title = std::string(title), .id = begun_++, .parent = parent});
    }
    void begin_table(const FieldInfo& info, std::string type) {
        add(info, std::move(type));
        begin(info.key);
    }

    /// Ends a table. Where there is an equal one of the same name already, that one stands for both.
    void keep() {
        Section section = std::move(open_.back());
        open_.pop_back();
        std::size_t id = section.id;
        for (const Section& other : done_) {
            Section twin = section;
            for (Row& row : twin.rows)
                if (row.section == section.id) row.section = other.id;
            if (other.title == twin.title && other.rows == twin.rows) id = other.id;
        }
        if (id == section.id) done_.push_back(std::move(section));
        if (!open_.empty()) top().rows.back().section = id;
    }

    void add(const FieldInfo& info, std::string type, std::string fallback = {}, bool formatted = false) {
        if (info.required)
            fallback = "required";
        else if (!fallback.empty() && !formatted)
            fallback = code(fallback);
        top().rows.push_back({code(info.key), std::move(type), std::move(fallback), std::string(info.text)});
    }

    void add_words(const FieldInfo& info, std::span<const Choice> choices, std::string fallback) {
        const auto same = [&](const WordList& list) {
            return std::equal(
                choices.begin(), choices.end(), list.choices.begin(), list.choices.end(),
                [](const Choice& x, const Choice& y) { return x.word == y.word && x.text == y.text; });
        };
        auto at = std::find_if(lists_.begin(), lists_.end(), same);
        if (at == lists_.end())
            at = lists_.insert(at, {std::string(info.key), {choices.begin(), choices.end()}});
        add(info, "one of these words", std::move(fallback), true);
        top().rows.back().words = static_cast<std::size_t>(at - lists_.begin());
    }

    static std::string range(const FieldInfo& info) {
        std::string out = info.unit.empty() ? "" : ", " + std::string(info.unit);
        if (std::isfinite(info.min) && std::isfinite(info.max))
            out += fmt::format(", {}{} to {}", info.min_excluded ? "above " : "", info.min, info.max);
        else if (std::isfinite(info.min))
            out += fmt::format(", {} {}", info.min_excluded ? "above" : "from", info.min);
        return out;
    }
    static std::string joined(Keys keys) {
        std::string out;
        for (const std::string_view key : keys) out += (out.empty() ? "" : ", ") + code(key);
        return out;
    }

    std::vector<Section> open_, done_;
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
