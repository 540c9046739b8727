#include "scene/similar.hpp"

#include <array>
#include <cstdlib>

#include "core/assert.hpp"
#include "scene/document.hpp"
#include "scene/materials.hpp"
#include "scene/reader.hpp"

namespace plush {
namespace {

struct UnitPower {
    std::string_view unit;
    int power;
};

/// Of s, with kg as m³ (densities stay) and s as it is.
constexpr std::array powers{
    UnitPower{"m", 1},
    UnitPower{"m/s", 1},
    UnitPower{"m/s²", 1},
    UnitPower{"kg", 3},
    UnitPower{"kg/s", 3},
    UnitPower{"N", 4},
    UnitPower{"N/m", 3},
    UnitPower{"N s/m", 3},
    UnitPower{"Pa", 2},
    UnitPower{"N/m²", 2},
    UnitPower{"Pa s/m", 1},
    UnitPower{"Pa/m³", -1},
    UnitPower{"J/m²", 3},
    UnitPower{"s/m", -1},
    UnitPower{"rad or m", 1},
    UnitPower{"rad/s or m/s", 1},
    UnitPower{"N or N m", 4},
    UnitPower{"N/m or N m/rad", 3},
    UnitPower{"N s/m or N m s/rad", 3},
    UnitPower{"kg/m, kg/m², kg/m³", 2},
};

bool has_word(const JsonNode& object, std::string_view key, std::string_view word) {
    const JsonNode* n = object.find(key);
    return n && n->type == JsonType::text && n->text() == word;
}

/// Where the unit depends on the law or on the kind of body.
int power_of(const Quantity& q) {
    const auto in = [&](std::string_view part) { return q.path.find(part) != std::string::npos; };
    const int power = length_power(q.unit);
    if (q.unit.find(" or ") != std::string::npos && (in(".hinge.") || in(".ball.")))
        return q.unit[0] == 'N' ? 5 : 0;
    if (q.unit == "kg/m, kg/m², kg/m³") return in(".rope.") ? 2 : in(".cloth.") ? 1 : 0;
    if (q.key == "drag" && q.unit == "kg/m³") return 1;  // by a speed scale of 1 m/s
    if (q.key == "bend" && has_word(*q.object, "bending", "angles")) return 5;
    if (q.key == "stretch" || q.key == "shear" || q.key == "bend")
        return has_word(*q.object, "law", "absolute") ? 3 : 4;
    return power;
}

/// sⁿ, without rounding where s is a power of two.
double whole_power(double s, int n) {
    double power = 1;
    for (int k = 0; k < std::abs(n); ++k) power *= s;
    return n < 0 ? 1 / power : power;
}

/// What scenes say without a number of their own: the size of mesh files, and what known materials are made of.
void write_out(JsonNode& node, std::string_view key, const JsonNode* materials, double s) {
    if (node.type == JsonType::list)
        for (JsonNode& item : node.items()) write_out(item, key, materials, s);
    if (node.type != JsonType::object) return;
    const auto add = [&](JsonNode& object, std::string_view name, JsonType type) -> JsonNode& {
        if (JsonNode* found = object.find(name)) return *found;
        object.members().push_back({std::string(name), JsonNode(type, node.source, 0)});
        return object.members().back().value;
    };
    const auto is_text = [&](std::string_view name) {
        const JsonNode* n = node.find(name);
        return n && n->type == JsonType::text;
    };
    for (JsonMember& member : node.members()) write_out(member.value, member.key, materials, s);
    if (key != "$" && (is_text("mesh") || is_text("tets") || is_text("files"))) {
        JsonNode& scale = add(add(node, "import", JsonType::object), "scale", JsonType::number);
        scale.number = (scale.number == 0 ? 1 : scale.number) * s;
    }
    if (key != "soft" || !is_text("material") || node.find("young")) return;
    const std::string& name = node.find("material")->text();
    if (const KnownMaterial* known = known_material(name); known && !(materials && materials->find(name)))
        add(node, "young", JsonType::number).number = known->young;
}

/// What a body would ignore is refused (check_ignored.cpp): a scene that was read has none of it, and gets none written out.
void leave_out_ignored(JsonNode& node, std::string_view key) {
    if (node.type == JsonType::list)
        for (JsonNode& item : node.items()) leave_out_ignored(item, key);
    if (node.type != JsonType::object) return;
    const auto leave_out = [&](std::string_view ignored) {
        std::erase_if(node.members(), [&](const JsonMember& m) { return m.key == ignored; });
    };
    if (key == "rope")
        for (const char* ignored : {"shear", "volume", "wind", "drag"}) leave_out(ignored);
    if (key == "cloth" && !node.find("mesh") && !node.find("shape")) leave_out("volume");
    for (JsonMember& member : node.members()) leave_out_ignored(member.value, member.key);
}

}  // namespace

int length_power(std::string_view unit) {
    for (const UnitPower& u : powers)
        if (u.unit == unit) return u.power;
    return 0;
}

std::string similar_scene(const Scene& scene, double s) {
    Messages messages;
    messages.sources.push_back({scene.name(), {}});
    JsonNode root = parse_document(scene.resolved(), 0, messages);
    write_out(root, "$", root.find("materials"), s);
    std::vector<Quantity> quantities;
    static_cast<void>(read_scene(root, messages, quantities));
    PLUSH_ASSERT(messages.ok());
    for (const Quantity& q : quantities) q.number->number *= whole_power(s, power_of(q));
    leave_out_ignored(root, "$");
    return write_document(root);
}

}  // namespace plush
