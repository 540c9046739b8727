#include "record/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/did_you_mean.hpp"

// A word is QUANTITY[.COMPONENT]:OF. A vector without a component gives x, y and z; with `.size`, its length.

namespace plush {
namespace {

constexpr std::size_t max_columns = 10'000;

enum class Of { world, body, pair, joint };

using Vector = Vec3 (*)(const World&, BodyId);
using Scalar = double (*)(const World&, BodyId);

/// The contacts of two bodies in the last step, added up.
struct PairSum {
    double area = 0, volume = 0, depth = 0, force = 0, sticking = 0;
    int contacts = 0;
};

PairSum sum_of(const World& world, BodyId a, BodyId b) {
    PairSum sum;
    for (const Contact& c : world.contacts()) {
        if (!((c.a == a && c.b == b) || (c.a == b && c.b == a))) continue;
        ++sum.contacts;
        sum.area += c.area, sum.volume += c.volume, sum.force += c.normal_force;
        sum.depth = std::max({sum.depth, c.depth, c.largest_depth});
        if (c.sticking) sum.sticking += c.normal_force;
    }
    return sum;
}

struct Quantity {
    RecordWord word;
    Of of = Of::body;
    std::function<Vec3(const World&, BodyId, BodyId)> vector{};  // this or
    std::function<double(const World&, BodyId, BodyId)> scalar{};
    std::function<Vec3(const World&, JointId)> joint_vector{};
    std::function<double(const World&, JointId)> joint_scalar{};
};

Quantity of_body(RecordWord word, Vector f) {
    return {
        .word = word, .of = Of::body, .vector = [f](const World& w, BodyId a, BodyId) { return f(w, a); }};
}
Quantity of_body(RecordWord word, Scalar f) {
    return {
        .word = word, .of = Of::body, .scalar = [f](const World& w, BodyId a, BodyId) { return f(w, a); }};
}
Quantity of_pair(RecordWord word, double (*f)(const PairSum&)) {
    return {.word = word, .of = Of::pair, .scalar = [f](const World& w, BodyId a, BodyId b) {
                return f(sum_of(w, a, b));
            }};
}

bool turns(const World& world, BodyId body) {
    return world.kind(body) != BodyKind::particles;
}

std::vector<Quantity> body_quantities() {
    return {
        of_body({"position", "m", "of the centre of mass"},
                [](const World& w, BodyId b) { return w.centre(b); }),
        of_body({"velocity", "m/s", "of the centre of mass"},
                [](const World& w, BodyId b) { return w.velocity(b); }),
        of_body({"speed", "m/s", "the size of the velocity"},
                [](const World& w, BodyId b) { return norm(w.velocity(b)); }),
        of_body({"angular_velocity", "rad/s", "of the whole body"},
                [](const World& w, BodyId b) { return turns(w, b) ? w.angular_velocity(b) : Vec3{}; }),
        of_body({"force", "N", "of all contacts on the body"},
                [](const World& w, BodyId b) { return w.contact_force(b).force(); }),
        of_body({"normal_force", "N", "the part of it along the normals"},
                [](const World& w, BodyId b) { return w.contact_force(b).normal; }),
        of_body({"friction_force", "N", "the part of it across them"},
                [](const World& w, BodyId b) { return w.contact_force(b).friction; }),
        of_body({"torque", "N m", "of all contacts, about the centre of mass"},
                [](const World& w, BodyId b) { return w.contact_force(b).torque; }),
        of_body({"blade_force", "N", "of cutting, on a scripted body with a blade"},
                [](const World& w, BodyId b) { return w.blade_wrench(b).force; }),
        of_body({"elastic", "J", "elastic energy of a deformable body"},
                [](const World& w, BodyId b) {
                    return w.kind(b) == BodyKind::deformable ? w.elastic_energy(b) : 0.0;
                }),
        of_body({"strain", "1", "the largest stretch or squeeze in a deformable body: 0.1 is ten per cent"},
                [](const World& w, BodyId b) { return w.largest_strain(b); }),
        of_body({"asleep", "1", "1 where the body sleeps"},
                [](const World& w, BodyId b) { return w.asleep(b) ? 1.0 : 0.0; }),
    };
}

std::vector<Quantity> pair_quantities() {
    const auto on_a = [](RecordWord word, Vec3 (*f)(const ContactForce&)) {
        return Quantity{.word = word, .of = Of::pair, .vector = [f](const World& w, BodyId a, BodyId b) {
                            return f(w.pair_force(a, b));
                        }};
    };
    return {
        on_a({"force", "N", "of b on a"}, [](const ContactForce& f) { return f.force(); }),
        on_a({"normal_force", "N", "the part of it along the normals"},
             [](const ContactForce& f) { return f.normal; }),
        on_a({"friction_force", "N", "the part of it across them"},
             [](const ContactForce& f) { return f.friction; }),
        on_a({"torque", "N m", "of b on a, about a's centre of mass"},
             [](const ContactForce& f) { return f.torque; }),
        of_pair({"area", "m²", "of contact, by volume"}, [](const PairSum& s) { return s.area; }),
        of_pair({"pressure", "Pa", "normal force by area, by volume"},
                [](const PairSum& s) { return s.area > 0 ? s.force / s.area : 0; }),
        of_pair({"depth", "m", "the largest overlap"}, [](const PairSum& s) { return s.depth; }),
        of_pair({"contacts", "1", "how many"}, [](const PairSum& s) { return double(s.contacts); }),
        of_pair({"stick", "1", "the share of the normal force where friction holds"},
                [](const PairSum& s) { return s.force > 0 ? s.sticking / s.force : 0; }),
        of_pair({"slip", "1", "the share of it where they slide"},
                [](const PairSum& s) { return s.force > 0 ? 1 - s.sticking / s.force : 0; }),
    };
}

std::vector<Quantity> joint_quantities() {
    const auto scalar = [](RecordWord word, double (*f)(const World&, JointId)) {
        return Quantity{.word = word, .of = Of::joint, .joint_scalar = f};
    };
    const auto vector = [](RecordWord word, Vec3 (*f)(const World&, JointId)) {
        return Quantity{.word = word, .of = Of::joint, .joint_vector = f};
    };
    return {
        scalar({"joint_position", "rad or m", "the coordinate of the joint"},
               [](const World& w, JointId j) { return w.joint_position(j); }),
        scalar({"joint_speed", "rad/s or m/s", "how fast it changes"},
               [](const World& w, JointId j) { return w.joint_speed(j); }),
        scalar({"joint_gap", "m", "by how much the joint gapes"},
               [](const World& w, JointId j) { return w.joint_gap(j); }),
        vector({"joint_force", "N", "on its first body, at the anchor"},
               [](const World& w, JointId j) { return w.joint_force(j); }),
        vector({"joint_torque", "N m", "on its first body"},
               [](const World& w, JointId j) { return w.joint_torque(j); }),
    };
}

std::vector<Quantity> world_quantities() {
    return {{.word = {"momentum", "kg m/s", "of all bodies"},
             .of = Of::world,
             .vector = [](const World& w, BodyId, BodyId) { return w.momentum(); }},
            {.word = {"angular_momentum", "kg m²/s", "of all bodies, about the origin"},
             .of = Of::world,
             .vector = [](const World& w, BodyId, BodyId) { return w.angular_momentum(); }}};
}

const std::vector<Quantity>& quantities() {
    static const std::vector<Quantity> all = [] {
        std::vector<Quantity> list = body_quantities();
        for (const auto& more : {pair_quantities(), joint_quantities(), world_quantities()})
            list.insert(list.end(), more.begin(), more.end());
        return list;
    }();
    return all;
}

/// QUANTITY[.COMPONENT]:OF
struct Asked {
    std::string_view word{}, quantity{}, of{};
    int component = -1;  // x, y, z, size; −1: x, y and z
};

constexpr std::array<std::string_view, 4> components{"x", "y", "z", "size"};

Error wrong(std::string_view word, std::string problem, std::string fix) {
    return Error(
        {.place = fmt::format("record \"{}\"", word), .problem = std::move(problem), .cure = std::move(fix)});
}

Result<Asked> parse(std::string_view word) {
    Asked asked{.word = word, .quantity = word.substr(0, word.find(':'))};
    if (const std::size_t colon = word.find(':'); colon != word.npos) asked.of = word.substr(colon + 1);
    if (const std::size_t dot = asked.quantity.find('.'); dot != asked.quantity.npos) {
        const std::string_view component = asked.quantity.substr(dot + 1);
        const auto found = std::find(components.begin(), components.end(), component);
        if (found == components.end())
            return wrong(word, fmt::format("\"{}\" is no component", component), "write .x, .y, .z or .size");
        asked.component = static_cast<int>(found - components.begin());
        asked.quantity = asked.quantity.substr(0, dot);
    }
    return asked;
}

/// The bodies of a name: that one, or all its copies "NAME 1", "NAME 2", …; components "NAME.1", …
std::vector<BodyId> bodies_of(const World& world, std::string_view name) {
    if (const BodyId body = world.find(name)) return {body};
    std::vector<BodyId> copies;
    const auto is_number = [](std::string_view text) {
        return !text.empty() &&
               std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    };
    for (const BodyId body : world.bodies()) {
        const std::string_view full = world.name(body);
        if (full.size() < name.size() + 2 || !full.starts_with(name)) continue;
        const char between = full[name.size()];
        if ((between == ' ' || between == '.') && is_number(full.substr(name.size() + 1)))
            copies.push_back(body);
    }
    return copies;
}

Error no_body(const World& world, const Asked& asked, std::string_view name) {
    std::vector<std::string_view> names;
    for (const BodyId body : world.bodies())
        if (!world.name(body).empty()) names.push_back(world.name(body));
    std::string fix = did_you_mean(name, names);
    if (fix.empty())
        fix = names.empty()
                  ? "give bodies a \"name\""
                  : fmt::format(
                        "the bodies are called {}{}",
                        fmt::join(std::span(names).first(std::min<std::size_t>(names.size(), 10)), ", "),
                        names.size() > 10 ? ", …" : "");
    return wrong(asked.word, fmt::format("no body is called \"{}\"", name), std::move(fix));
}

/// Adds the columns of one vector or scalar.
template <class Read>
void add_vector(std::vector<std::string>& names, auto& readers, const Asked& asked, const std::string& of,
                Read read) {
    const std::string tail = of.empty() ? "" : ":" + of;
    if (asked.component >= 0) {
        const int c = asked.component;
        names.push_back(
            fmt::format("{}.{}{}", asked.quantity, components[static_cast<std::size_t>(c)], tail));
        readers.push_back([read, c](const World& w, std::vector<double>& out) {
            const Vec3 v = read(w);
            out.push_back(c == 3 ? norm(v) : v[static_cast<std::size_t>(c)]);
        });
        return;
    }
    for (std::size_t c = 0; c < 3; ++c)
        names.push_back(fmt::format("{}.{}{}", asked.quantity, components[c], tail));
    readers.push_back([read](const World& w, std::vector<double>& out) {
        const Vec3 v = read(w);
        out.insert(out.end(), {v.x, v.y, v.z});
    });
}

}  // namespace

std::span<const RecordWord> record_choices() {
    static const std::vector<RecordWord> words = [] {
        std::vector<RecordWord> list;
        for (const Quantity& q : quantities()) {
            list.push_back(q.word);
            list.back().of = q.of == Of::body    ? "NAME"
                             : q.of == Of::pair  ? "A/B"
                             : q.of == Of::joint ? "K"
                                                 : "";
        }
        return list;
    }();
    return words;
}

/// What one word adds.
class RecordColumnsBuilder {
public:
    RecordColumnsBuilder(const World& world, std::vector<std::string>& names,
                         std::vector<std::function<void(const World&, std::vector<double>&)>>& readers)
        : world_(world), names_(names), readers_(readers) {}

    Result<void> add(const Asked& asked) {
        const Quantity* known = nullptr;
        std::vector<std::string_view> words;
        const bool pair = asked.of.find('/') != asked.of.npos && !world_.find(asked.of);
        for (const Quantity& q : quantities()) {
            words.push_back(q.word.word);
            if (q.word.word != asked.quantity) continue;
            // Some words are of a body and of a pair.
            if (!known || (pair && q.of == Of::pair)) known = &q;
        }
        if (!known) {
            std::string fix = did_you_mean(asked.quantity, words);
            if (fix.empty()) fix = fmt::format("choose one of {}", fmt::join(words, ", "));
            return wrong(asked.word, fmt::format("there is nothing called \"{}\"", asked.quantity),
                         std::move(fix));
        }
        if (asked.component >= 0 && !known->vector && !known->joint_vector)
            return wrong(asked.word, fmt::format("{} is one number", asked.quantity),
                         "leave the component out");
        switch (known->of) {
            case Of::world:
                add_bodies(*known, asked, {}, {}, asked.of.empty() ? "" : std::string(asked.of));
                return {};
            case Of::body:
                return add_body(*known, asked);
            case Of::pair:
                return add_pair(*known, asked);
            case Of::joint:
                return add_joint(*known, asked);
        }
        return {};
    }

private:
    void add_bodies(const Quantity& q, const Asked& asked, BodyId a, BodyId b, const std::string& of) {
        if (q.vector) {
            add_vector(names_, readers_, asked, of, [&q, a, b](const World& w) { return q.vector(w, a, b); });
            return;
        }
        names_.push_back(fmt::format("{}:{}", asked.quantity, of));
        readers_.push_back(
            [&q, a, b](const World& w, std::vector<double>& out) { out.push_back(q.scalar(w, a, b)); });
    }

    Result<void> add_body(const Quantity& q, const Asked& asked) {
        if (asked.of.empty())
            return wrong(asked.word, "the body is missing", fmt::format("write {}:NAME", asked.quantity));
        const auto bodies = bodies_of(world_, asked.of);
        if (bodies.empty()) return no_body(world_, asked, asked.of);
        for (const BodyId body : bodies) add_bodies(q, asked, body, {}, world_.name(body));
        return {};
    }

    Result<void> add_pair(const Quantity& q, const Asked& asked) {
        const std::size_t slash = asked.of.find('/');
        if (slash == asked.of.npos)
            return wrong(asked.word, "this is of a pair of bodies",
                         fmt::format("write {}:A/B", asked.quantity));
        // Names may hold a slash: the first cut that gives two names counts.
        for (std::size_t at = slash; at != asked.of.npos; at = asked.of.find('/', at + 1)) {
            const auto a = bodies_of(world_, asked.of.substr(0, at)),
                       b = bodies_of(world_, asked.of.substr(at + 1));
            if (a.empty() || b.empty()) continue;
            if (a.size() * b.size() > max_columns)
                return wrong(asked.word, "these are too many pairs", "name fewer");
            for (const BodyId i : a)
                for (const BodyId j : b)
                    if (i != j) add_bodies(q, asked, i, j, world_.name(i) + "/" + world_.name(j));
            return {};
        }
        const std::string_view first = asked.of.substr(0, slash);
        return no_body(world_, asked, bodies_of(world_, first).empty() ? first : asked.of.substr(slash + 1));
    }

    Result<void> add_joint(const Quantity& q, const Asked& asked) {
        std::size_t k = 0;
        const auto [end, bad] = std::from_chars(asked.of.data(), asked.of.data() + asked.of.size(), k);
        const auto joints = world_.joints();
        if (bad != std::errc() || end != asked.of.data() + asked.of.size() || k >= joints.size())
            return wrong(asked.word, fmt::format("there is no joint \"{}\"", asked.of),
                         joints.empty()
                             ? "the scene has no joints"
                             : fmt::format("give its number, 0 to {}, in the order of the scene: {}:0",
                                           joints.size() - 1, asked.quantity));
        const JointId joint = joints[k];
        if (q.joint_vector) {
            add_vector(names_, readers_, asked, std::string(asked.of),
                       [&q, joint](const World& w) { return q.joint_vector(w, joint); });
            return {};
        }
        names_.push_back(fmt::format("{}:{}", asked.quantity, asked.of));
        readers_.push_back([&q, joint](const World& w, std::vector<double>& out) {
            out.push_back(q.joint_scalar(w, joint));
        });
        return {};
    }

    const World& world_;
    std::vector<std::string>& names_;
    std::vector<std::function<void(const World&, std::vector<double>&)>>& readers_;
};

Result<RecordColumns> RecordColumns::make(const World& world, std::span<const std::string> wanted) {
    RecordColumns columns;
    RecordColumnsBuilder builder(world, columns.names_, columns.readers_);
    for (const std::string& word : wanted) {
        const auto asked = parse(word);
        if (!asked) return asked.error();
        if (auto added = builder.add(asked.value()); !added) return added.error();
        if (columns.names_.size() > max_columns)
            return wrong(word, fmt::format("these are more than {} columns", max_columns),
                         "record fewer bodies");
    }
    std::vector<std::string> sorted = columns.names_;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        return wrong(*twice, "it is asked for twice", "leave one out");
    return columns;
}

void RecordColumns::append(const World& world, std::string& row, bool due) const {
    if (!due) {
        row.append(names_.size(), ',');
        return;
    }
    std::vector<double> values;
    for (const auto& read : readers_) read(world, values);
    for (const double value : values) fmt::format_to(std::back_inserter(row), ",{}", value);
}

std::string_view column_unit(std::string_view name) {
    const std::string_view quantity = name.substr(0, name.find_first_of(".:"));
    if (name.find(':') != name.npos || quantity.ends_with("momentum"))
        for (const RecordWord& word : record_choices())
            if (word.word == quantity) return word.unit == "1" ? "" : word.unit;
    for (const std::string_view phase : phase_names)
        if (name == phase) return "s";
    for (const LedgerEntry& e : ledger_entries)
        if (name == e.name) return "J";
    for (const std::string_view energy : {"kinetic", "gravity", "elastic"})
        if (name == energy) return "J";
    if (name == "largest_depth" || name == "displacement") return "m";
    return name == "time" ? "s" : "";
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '\n' || c == '\r') continue;  // one row stays one line
        out += c;
        if (c == '"') out += '"';
    }
    return out + "\"";
}

std::vector<std::string> csv_fields(std::string_view line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted) {
            if (c != '"')
                fields.back() += c;
            else if (i + 1 < line.size() && line[i + 1] == '"')
                fields.back() += c, ++i;
            else
                quoted = false;
        } else if (c == '"' && fields.back().empty()) {
            quoted = true;
        } else if (c == ',') {
            fields.emplace_back();
        } else if (c != '\r') {
            fields.back() += c;
        }
    }
    return fields;
}

}  // namespace plush
