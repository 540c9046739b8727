#include "plush/geometry/mesh.hpp"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/output.hpp"
#include "geometry/tets/tet_file.hpp"
#include "geometry/tets/tet_quality.hpp"
#include "plush/geometry/mass.hpp"

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
        if (!p.cure.empty()) text += fmt::format("    fix: {}\n", p.cure);
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

Json tets_json(const TetFile& file) {
    const TetQuality q = tet_quality(file.mesh);
    return {{"nodes", q.nodes},
            {"tets", q.tets},
            {"pieces", q.pieces},
            {"inverted", file.turned},
            {"min_dihedral", q.min_dihedral},
            {"max_dihedral", q.max_dihedral},
            {"mean_min_dihedral", q.mean_min_dihedral},
            {"shortest_edge", q.shortest_edge},
            {"longest_edge", q.longest_edge},
            {"volume", q.volume}};
}

std::string tets_text(const TetFile& file) {
    const TetQuality q = tet_quality(file.mesh);
    std::string text = fmt::format("  {} tets, {} nodes, {} piece{}, volume {:.6g} m^3\n", q.tets, q.nodes,
                                   q.pieces, q.pieces == 1 ? "" : "s", q.volume);
    text += fmt::format("  dihedral angles {:.4g} to {:.4g} degrees, edges {:.4g} to {:.4g} m\n",
                        q.min_dihedral, q.max_dihedral, q.shortest_edge, q.longest_edge);
    if (file.turned > 0)
        text +=
            fmt::format("  {} tets are inverted in the file; they are turned when it is read\n", file.turned);
    return text;
}

/// The outer faces of tets are no surface that anything touches: what would forbid a triangle mesh is said as
/// a fact.
std::string boundary_text(const MeshReport& r) {
    const Vec3 size = r.bounds.size();
    std::string text =
        fmt::format("  size {:.6g} x {:.6g} x {:.6g} m, {} outer faces", size.x, size.y, size.z, r.triangles);
    if (r.nonmanifold_edges + r.nonmanifold_vertices > 0)
        text += fmt::format(", which meet at {} edges and {} vertices", r.nonmanifold_edges,
                            r.nonmanifold_vertices);
    if (r.self_intersections > 0) text += fmt::format("; {} pairs of them intersect", r.self_intersections);
    return text + "\n";
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
    const auto tets = load_tet_file(o.file);
    if (!tets) return report(tets.error(), o.json);
    const MeshReport found = plush::check(mesh.value());
    const bool solid = !tets.value().mesh.tets().empty();
    if (o.json) {
        Json json = report_json(o.file, found);
        if (solid) json["tets"] = tets_json(tets.value());
        return print_json(json);
    }
    if (solid) return print(fmt::format("{}:\n{}{}", o.file, tets_text(tets.value()), boundary_text(found)));
    return print(report_text(o.file, found));
}

int mesh_tet(const MeshTetOptions& o) {
    TetSettings settings = o.settings;
    if (o.method != "lattice" && o.method != "delaunay")
        return report(Error({.file = "mesh tet",
                             .problem = fmt::format("there is no method \"{}\"", o.method),
                             .cure = "take lattice or delaunay"}),
                      o.json);
    if (o.method == "delaunay") settings.method = TetMethod::delaunay;
    const auto surface = Mesh::try_load(o.file);
    if (!surface) return report(surface.error(), o.json);
    const auto start = std::chrono::steady_clock::now();
    const auto mesh = try_tetrahedralise(surface.value(), settings);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (!mesh) return report(mesh.error().in_file(o.file), o.json);
    if (auto saved = mesh.value().try_save(o.out); !saved) return report(saved.error(), o.json);
    const TetFile made{mesh.value()};
    const double ratio = tet_quality(made.mesh).volume / volume(surface.value());
    if (o.json) {
        Json json{{"surface", o.file}, {"file", o.out}};
        json.update(tets_json(made));
        json.update({{"volume_ratio", ratio}, {"seconds", seconds}});
        return print_json(json);
    }
    return print(fmt::format("{}:\n{}  {:.4g} times the volume of the surface, made in {:.2g} s\n", o.out,
                             tets_text(made), ratio, seconds));
}

int mesh_repair(const MeshRepairOptions& o) {
    const auto mesh = Mesh::try_load(o.file);
    if (!mesh) return report(mesh.error(), o.json);
    const Repair repaired = repair(mesh.value(), o.settings);
    if (auto saved = repaired.mesh.try_save(o.out); !saved) return report(saved.error(), o.json);
    MeshReport left = plush::check(repaired.mesh);
    // What a repair leaves is nothing for another repair, unless that fills larger holes.
    for (MeshReport::Problem& p : left.problems)
        if (p.cure.starts_with("plush mesh repair") && p.cure.find("--largest-hole") == p.cure.npos)
            p.cure = "a repair does not reach it: mend it in a modelling program";
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
