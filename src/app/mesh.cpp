#include "plush/geometry/mesh.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/output.hpp"

namespace plush::app {

namespace {

using Json = nlohmann::ordered_json;

Json vector_json(const Vec3& v) {
    return Json::array({v.x, v.y, v.z});
}

Json problems_json(const MeshReport& report) {
    Json problems = Json::array();
    for (const auto& p : report.problems) {
        problems.push_back({{"where", p.where}, {"what", p.what}, {"cure", p.cure}, {"fatal", p.fatal}});
    }
    return problems;
}

Json report_json(const std::string& file, const MeshReport& r) {
    return {{"file", file},
            {"usable", r.usable()},
            {"closed", r.closed},
            {"oriented", r.oriented},
            {"outward", r.outward},
            {"vertices", r.vertices},
            {"triangles", r.triangles},
            {"components", r.components},
            {"boundary_edges", r.boundary_edges},
            {"nonmanifold_edges", r.nonmanifold_edges},
            {"nonmanifold_vertices", r.nonmanifold_vertices},
            {"misoriented_edges", r.misoriented_edges},
            {"degenerate_triangles", r.degenerate_triangles},
            {"duplicate_triangles", r.duplicate_triangles},
            {"unused_vertices", r.unused_vertices},
            {"self_intersections", r.self_intersections},
            {"volume", r.volume},
            {"area", r.area},
            {"bounds", {{"low", vector_json(r.bounds.low)}, {"high", vector_json(r.bounds.high)}}},
            {"problems", problems_json(r)}};
}

std::string problems_text(const MeshReport& report) {
    std::string text;
    for (const auto& p : report.problems) {
        text += fmt::format("  {}{}{}{}\n", p.fatal ? "" : "warning: ", p.where, p.where.empty() ? "" : ": ",
                            p.what);
        if (!p.cure.empty()) text += fmt::format("    cure: {}\n", p.cure);
    }
    return text;
}

std::string report_text(const std::string& file, const MeshReport& r) {
    const Vec3 size = r.bounds.size();
    std::string text = fmt::format("{}: {} triangles, {} vertices, {} component{}\n", file, r.triangles,
                                   r.vertices, r.components, r.components == 1 ? "" : "s");
    text += fmt::format("  size {:.6g} x {:.6g} x {:.6g} m, area {:.6g} m^2, volume {:.6g} m^3\n", size.x,
                        size.y, size.z, r.area, r.volume);
    text += fmt::format("  {}, {}, {}\n", r.closed ? "closed" : "not closed",
                        r.oriented ? "oriented" : "not oriented",
                        r.usable() ? "usable for a body" : "NOT usable for a body");
    return text + problems_text(r);
}

}  // namespace

int mesh_make(const MeshMakeOptions& o) {
    const auto mesh = generate(o.settings);
    if (!mesh) return report(mesh.error(), o.json);
    if (auto saved = mesh.value().try_save(o.out); !saved) return report(saved.error(), o.json);
    const MeshReport found = plush::check(mesh.value());
    if (o.json) return print_json(report_json(o.out, found));
    return print(report_text(o.out, found));
}

int mesh_info(const MeshInfoOptions& o) {
    const auto mesh = Mesh::try_load(o.file);
    if (!mesh) return report(mesh.error(), o.json);
    const MeshReport found = plush::check(mesh.value());
    return o.json ? print_json(report_json(o.file, found)) : print(report_text(o.file, found));
}

int mesh_repair(const MeshRepairOptions& o) {
    const auto mesh = Mesh::try_load(o.file);
    if (!mesh) return report(mesh.error(), o.json);
    const Repair repaired = repair(mesh.value(), o.settings);
    if (auto saved = repaired.mesh.try_save(o.out); !saved) return report(saved.error(), o.json);
    const MeshReport left = plush::check(repaired.mesh);
    const int status = left.usable() ? done : failed;
    if (o.json) {
        Json json{{"actions", repaired.actions}};
        json.update(report_json(o.out, left));
        return print_json(json, status);
    }
    std::string text = repaired.actions.empty() ? "nothing to repair\n" : "";
    for (const std::string& action : repaired.actions) text += fmt::format("  {}\n", action);
    return print(text + report_text(o.out, left), status);
}

}  // namespace plush::app
