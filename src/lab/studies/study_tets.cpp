#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "geometry/io/io_file.hpp"
#include "geometry/tets/tet_quality.hpp"
#include "geometry/tets/tet_topology.hpp"
#include "lab/studies/study.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/geometry/tetrahedralise.hpp"
#include "plush/record/frames.hpp"
#include "plush/render/render.hpp"

// The three ways to fill a surface with tets, side by side: what they look like inside, which angles they
// have, how much larger than the surface they are, and what they cost.

namespace plush::lab {
namespace {

struct Way {
    std::string name;
    TetSettings settings;
};

std::vector<Way> ways() {
    return {{"lattice", {}},
            {"lattice, conforming", {.conforming = true}},
            {"delaunay", {.method = TetMethod::delaunay}}};
}

TetMesh fill(const Mesh& surface, Way way, int cells) {
    way.settings.cells_across = cells;
    return tetrahedralise(surface, way.settings);
}

/// Adds the faces of the tets behind a plane that opens the mesh: those of its outside, those of the cut.
void add_opened(const TetMesh& mesh, double plane, double shift, std::array<FrameMesh, 2>& result) {
    std::vector<Tet> kept;
    std::vector<std::size_t> number;
    for (std::size_t t = 0; t < mesh.tets().size(); ++t) {
        double z = 0;
        for (const Vec3& p : corners(mesh.positions(), mesh.tets()[t])) z += p.z / 4;
        if (z < plane) kept.push_back(mesh.tets()[t]), number.push_back(t);
    }
    const auto all = tet_neighbours(mesh.tets()), left = tet_neighbours(kept);
    for (std::size_t t = 0; t < kept.size(); ++t)
        for (std::size_t i = 0; i < 4; ++i) {
            if (left[t][i] >= 0) continue;
            FrameMesh& out = result[all[number[t]][i] < 0 ? 0 : 1];
            const auto p = corners(mesh.positions(), kept[t]);
            for (const std::size_t corner : face_opposite[i]) {
                // Each face has its own vertices: nothing is smooth across an edge.
                out.triangles.push_back(static_cast<std::int32_t>(out.positions.size()));
                out.positions.push_back({static_cast<float>(p[corner].x + shift),
                                         static_cast<float>(p[corner].y), static_cast<float>(p[corner].z)});
            }
        }
}

Picture draw_opened(const Mesh& surface, int cells) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / fmt::format("plush-tets-{}", ::getpid());
    fs::create_directories(folder);
    FramesHeader header{.scene = "tets", .step = 0.01, .frame_rate = 30, .gravity = {0, -9.81, 0}};
    Frame frame;
    const double apart = 1.15 * surface.bounds().size().x;
    std::array<FrameMesh, 2> parts;
    double shift = 0;
    for (const Way& way : ways()) {
        add_opened(fill(surface, way, cells), surface.bounds().centre().z, shift, parts);
        shift += apart;
    }
    for (FrameMesh& mesh : parts) {
        // Rigid for the sake of colours: fixed bodies have none.
        header.bodies.push_back({.name = header.bodies.empty() ? "outside" : "cut",
                                 .kind = "rigid",
                                 .mesh = static_cast<std::int32_t>(header.meshes.size())});
        header.meshes.push_back(std::move(mesh));
        frame.poses.emplace_back();
    }
    frame.asleep.assign(header.bodies.size(), 0);
    FrameWriter::create(folder / "frames.plush", header).value().write(frame).value();
    render::RenderSettings settings{.width = 1080,
                                    .height = 450,
                                    .mode = render::RenderMode::wireframe,
                                    .quality = render::RenderQuality::high,
                                    .labels = false,
                                    .out = folder / "tets.png"};
    settings.camera.azimuth = 0, settings.camera.elevation = 8;
    const auto made = render::render_run(folder, settings);
    Picture picture{
        .name = "opened",
        .caption =
            "The same figure cut open: the tets of the lattice that touch it, the lattice cut at the "
            "surface, and Delaunay's tets on points inside and in a band outside",
        .png = {}};
    const auto png = made ? read_file(folder / "tets.png") : Result<std::string>(made.error());
    fs::remove_all(folder);
    picture.png = png.value();
    return picture;
}

void compare(Report& report, const StudySettings& settings) {
    Table table{.name = "shapes",
                .caption = "14 cells across; angles in degrees; the volume as a multiple of the surface's",
                .columns = {"shape", "way", "nodes", "tets", "smallest angle", "largest angle", "volume",
                            "time (ms)"},
                .rows = {},
                .digits = 5};
    for (const char* shape : {"icosphere", "bear", "octopus", "hand", "gear", "liver"}) {
        settings.now(shape);
        const Mesh surface = generate({.shape = shape}).value();
        for (const Way& way : ways()) {
            const auto start = std::chrono::steady_clock::now();
            const TetMesh mesh = fill(surface, way, 14);
            const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
            const TetQuality q = tet_quality(mesh);
            table.rows.push_back({shape, way.name, static_cast<double>(q.nodes), static_cast<double>(q.tets),
                                  q.min_dihedral, q.max_dihedral, q.volume / volume(surface), time.count()});
        }
    }
    report.add(std::move(table));
}

void angles(Report& report, const Mesh& surface) {
    Plot plot{.name = "angles",
              .title = "Dihedral angles of the bear's tets",
              .x = {.label = "Angle", .unit = "°"},
              .y = {.label = "Share of all angles", .unit = "%"},
              .caption = "All six angles of each tet, in bins of 3°. The lattice has two: 60° and 90°."};
    for (const Way& way : ways()) {
        const TetMesh mesh = fill(surface, way, 20);
        Series series{.name = way.name, .x = {}, .y = std::vector<double>(60), .draw = Draw::line};
        for (int bin = 0; bin < 60; ++bin) series.x.push_back(3 * bin + 1.5);
        for (const Tet& tet : mesh.tets())
            for (const double angle : dihedral_angles(corners(mesh.positions(), tet)))
                // 60° and 90° stand on edges of bins: rounding must not spread them over two.
                series.y[static_cast<std::size_t>(std::clamp((angle + 1e-6) / 3, 0.0, 59.0))] +=
                    100.0 / (6.0 * static_cast<double>(mesh.tets().size()));
        plot.series.push_back(std::move(series));
    }
    report.add(std::move(plot));
}

}  // namespace

Report study_tets(const StudySettings& settings) {
    Report report = begin_report("Filling a surface with tets", "plush study tets");
    report.paragraph(
        "A soft body needs an inside. Plush fills any closed surface in three ways: with the tets of a "
        "body-centred cubic lattice that touch it, a cage in which the surface is embedded; with the same "
        "lattice cut and warped so that it ends at the surface; and with Delaunay's tets on slightly "
        "irregular points inside and in a band outside, drawn to the surface.");
    settings.now("picture");
    const Mesh bear = generate({.shape = "bear"}).value();
    report.add(draw_opened(bear, 14));
    report.heading("What comes out");
    compare(report, settings);
    report.paragraph("What to notice.",
                     "The lattice's angles do not depend on the surface. The conforming lattice stays above "
                     "the proved 10.78°. Delaunay's cage is tighter than the lattice's with as many nodes; "
                     "drawing it in stops where an angle would fall below 25°.");
    settings.now("angles");
    angles(report, bear);
    return report;
}

}  // namespace plush::lab
