#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "plush/detect/overlap.hpp"

// plush mesh overlap.

namespace plush::app {
namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const Vec3& v) {
    return Json::array({v.x, v.y, v.z});
}

/// By `degrees` about an axis, then to a place.
Result<Transform> transform_of(const MeshPlacement& p, const char* which) {
    Transform t;
    if (!p.at.empty()) t.position = {p.at[0], p.at[1], p.at[2]};
    if (!p.turn.empty()) {
        const Vec3 axis{p.turn[0], p.turn[1], p.turn[2]};
        if (!(norm(axis) > 0))
            return Error({.file = "mesh overlap",
                          .place = fmt::format("--{}-turn", which),
                          .problem = "the axis has no direction",
                          .cure = "give an axis and an angle, as 0 1 0 90"});
        t.rotation = from_axis_angle(axis, p.turn[3]);
    }
    return t;
}

Json rows_json(const std::vector<VertexGradient>& rows) {
    Json list = Json::array();
    for (const VertexGradient& g : rows)
        list.push_back({{"vertex", g.vertex}, {"gradient", vector_json(g.gradient)}});
    return list;
}

Json overlap_json(const Overlap& o, const OverlapSettings& settings) {
    Json json{{"volume", o.volume},
              {"volumes", vector_json(o.volumes)},
              {"gradient", vector_json(o.gradient)},
              {"moment", vector_json(o.moment)},
              {"area", o.area},
              {"centre", vector_json(o.centre)},
              {"normal", vector_json(o.normal)},
              {"one_sided", o.one_sided},
              {"mean_depth", o.mean_depth},
              {"largest_depth", o.largest_depth},
              {"columns", o.columns}};
    if (settings.split == OverlapSplit::cells) json["cell"] = o.cell;
    if (settings.gradients) json["a"] = rows_json(o.a), json["b"] = rows_json(o.b);
    return json;
}

Json report_json(const MeshOverlapOptions& o, const OverlapReport& r) {
    Json list = Json::array();
    for (const Overlap& part : r.overlaps) list.push_back(overlap_json(part, o.settings));
    return {{"a", o.a},
            {"b", o.b.empty() ? Json(nullptr) : Json(o.b)},
            {"volume", r.volume},
            {"overlaps", list},
            {"pixel", r.pixel},
            {"size", r.size},
            {"columns", r.columns},
            {"crossings", r.crossings},
            {"open_columns", r.open_columns},
            {"inverted_columns", r.inverted_columns}};
}

std::string columns_text(const MeshOverlapOptions& o, const OverlapReport& r) {
    std::string text;
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string& file = i == 0 || o.b.empty() ? o.a : o.b;
        if (r.open_columns[i] > 0)
            text += fmt::format("  {} is not closed: {} columns through its holes were left out\n", file,
                                r.open_columns[i]);
        if (r.inverted_columns[i] > 0)
            text += fmt::format("  {} is inside out in {} columns: nothing is inside there\n", file,
                                r.inverted_columns[i]);
        if (r.open_columns[i] + r.inverted_columns[i] > 0)
            text += fmt::format("    fix: plush mesh repair {} -o FILE\n", file);
    }
    return text;
}

std::string report_text(const MeshOverlapOptions& o, const OverlapReport& r) {
    constexpr std::size_t max_lines = 20;
    const std::string who = o.b.empty() ? o.a + (o.half_space.empty() ? " and itself" : " and the half-space")
                                        : o.a + " and " + o.b;
    if (r.overlaps.empty()) return fmt::format("{} do not overlap\n", who) + columns_text(o, r);
    const bool cells = o.settings.split == OverlapSplit::cells;
    std::string text = fmt::format("{} overlap by {:.6g} m^3 in {} {}{}\n", who, r.volume, r.overlaps.size(),
                                   cells ? "cell" : "place", r.overlaps.size() == 1 ? "" : "s");
    text += fmt::format("  pixels of {:.4g} m, {} x {} x {}, {} columns\n", r.pixel, r.size[0], r.size[1],
                        r.size[2], r.columns);
    for (std::size_t i = 0; i < std::min(r.overlaps.size(), max_lines); ++i) {
        const Overlap& part = r.overlaps[i];
        text += fmt::format(
            "  {:.6g} m^3, depth {:.4g} m on average, {:.4g} m at most, area {:.4g} m^2, centre {:.4g} "
            "{:.4g} "
            "{:.4g}, ",
            part.volume, part.mean_depth, part.largest_depth, part.area, part.centre.x, part.centre.y,
            part.centre.z);
        text += part.one_sided ? fmt::format("{} is pushed out along {:.4f} {:.4f} {:.4f}\n",
                                             o.b.empty() && o.half_space.empty() ? "one side" : "the first",
                                             part.normal.x, part.normal.y, part.normal.z)
                               : "no way out is the shortest\n";
    }
    if (r.overlaps.size() > max_lines)
        text += fmt::format("  and {} more (--json has them all)\n", r.overlaps.size() - max_lines);
    return text + columns_text(o, r);
}

}  // namespace

int mesh_overlap(const MeshOverlapOptions& given) {
    MeshOverlapOptions o = given;
    OverlapSettings& settings = o.settings;
    if (settings.cell > 0) settings.split = OverlapSplit::cells;
    if (o.whole) settings.split = OverlapSplit::whole;
    if (o.mean) settings.volume = OverlapVolume::mean;
    if (o.tilted) settings.axes = tilted_axes();
    const auto pose_a = transform_of(o.place_a, "a"), pose_b = transform_of(o.place_b, "b");
    for (const auto* pose : {&pose_a, &pose_b})
        if (!pose->ok()) return report(pose->error(), o.json);
    const auto a = Mesh::try_load(o.a);
    if (!a) return report(a.error(), o.json);
    Result<OverlapReport> found = OverlapReport{};
    if (!o.half_space.empty()) {
        const Vec3 n{o.half_space[0], o.half_space[1], o.half_space[2]};
        const double length = norm(n);
        found = try_overlap_half_space(a.value(), pose_a.value(), length > 0 ? n / length : n,
                                       length > 0 ? o.half_space[3] / length : 0, settings);
    } else if (o.b.empty()) {
        found = try_self_overlap(a.value().transformed(pose_a.value()), settings);
    } else {
        const auto b = Mesh::try_load(o.b);
        if (!b) return report(b.error(), o.json);
        found = try_overlap(a.value(), pose_a.value(), b.value(), pose_b.value(), settings);
    }
    if (!found.ok()) return report(found.error(), o.json);
    if (o.json) return print_json(report_json(o, found.value()));
    return print(report_text(o, found.value()));
}

}  // namespace plush::app
