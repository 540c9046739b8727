#include "lab/bench/bench.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/did_you_mean.hpp"
#include "lab/bench/bench_cut.hpp"
#include "lab/bench/bench_film.hpp"
#include "lab/bench/scene_runs.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"
#include "plush/record/frames.hpp"
#include "plush/render/render.hpp"
#include "plush/scene/scene.hpp"

namespace plush::lab {
namespace {

/// The two figures of `armadillos` from a file: a metre long, and cut in four until they have as many
/// triangles as the paper's, or nearly so.
std::vector<std::string> figures_from(const std::string& file) {
    constexpr double paper_triangles = 346000;
    const Mesh mesh = Mesh::load(file);
    const double finer = paper_triangles / static_cast<double>(mesh.triangles().size());
    const int cuts = finer > 1 ? static_cast<int>(std::lround(std::log2(finer) / 2)) : 0;
    const nlohmann::json figure{{"mesh", std::filesystem::absolute(file).string()},
                                {"import", {{"scale", 1 / max_component(mesh.bounds().size())}}},
                                {"subdivide", cuts},
                                {"material", "hide"}};
    nlohmann::json upper = figure;
    upper["density"] = 800;
    return {"bodies[lower].fixed=" + figure.dump(), "bodies[upper].rigid=" + upper.dump()};
}

BenchRow bench_scene(const std::string& name, const BenchSettings& settings) {
    // Nothing sleeps, so that every step is worked for.
    std::vector<std::string> changes{"sleep.enabled=false"};
    if (name == "armadillos" && !settings.mesh.empty())
        for (std::string& change : figures_from(settings.mesh)) changes.push_back(std::move(change));
    if (!settings.meshes.empty()) changes.push_back("meshes=" + settings.meshes);
    const Scene scene = Scene::load(name, changes);
    BenchRow row;
    row.name = name;
    row.what = scene.description();
    row.runs = settings.runs;
    row.threads = settings.threads;
    // Allard et al. 2010, Table 1: 18.48 + 1.15 + 0.48 + 4.08 ms.
    if (name == "armadillos") row.paper_ms = 24.19;
    count_size(scene, row);
    double fastest = HUGE_VAL;
    for (int r = 0; r < settings.runs; ++r) {
        const Run run = time_run(scene, settings.threads);
        if (run.wall >= fastest) continue;
        fastest = run.wall;
        take_run(run, row);
    }
    row.memory_mib = peak_memory_mib();
    return row;
}

// Reading a mesh file with all checks. Without a file, a generated one of as many triangles as a well-known
// scan.
BenchRow bench_mesh(const BenchSettings& settings) {
    namespace fs = std::filesystem;
    BenchRow row;
    row.name = "mesh";
    row.runs = settings.runs;
    row.threads = 1;
    std::string file = settings.mesh;
    fs::path made;
    if (file.empty()) {
        made = fs::temp_directory_path() / fmt::format("plush-bench-{}.obj", ::getpid());
        generate({.shape = "pebble", .triangles = 86482}).value().save(made);
        file = made.string();
    }
    std::vector<double> times;
    for (int r = 0; r < settings.runs; ++r) {
        const Clock::time_point start = Clock::now();
        const Mesh mesh = Mesh::load(file);
        const MeshReport report = check(mesh);
        times.push_back(seconds_since(start));
        row.triangles = report.triangles;
    }
    if (!made.empty()) fs::remove(made);
    row.what = fmt::format("read {} and check all of it", made.empty() ? file : "a generated OBJ file");
    row.step = summary(std::move(times));
    row.memory_mib = peak_memory_mib();
    return row;
}

// Filling a surface with tets, by each method. Without a file, a generated figure of as many triangles as a
// well-known scan. The resolution is fixed, so that nothing is searched for: about 20,000 tets in the figure.
std::vector<BenchRow> bench_tets(const BenchSettings& settings) {
    constexpr int cells = 26;
    const Mesh surface = settings.mesh.empty() ? generate({.shape = "armadillo", .triangles = 86482}).value()
                                               : Mesh::load(settings.mesh);
    std::vector<BenchRow> rows;
    for (const auto& [name, tets] :
         {std::pair{"tet lattice", TetSettings{.cells_across = cells}},
          std::pair{"tet conforming", TetSettings{.conforming = true, .cells_across = cells}},
          std::pair{"tet delaunay", TetSettings{.method = TetMethod::delaunay, .cells_across = cells}}}) {
        BenchRow row;
        row.name = name;
        row.runs = settings.runs;
        row.threads = 1;
        row.triangles = static_cast<long long>(surface.triangles().size());
        std::vector<double> times;
        for (int r = 0; r < settings.runs; ++r) {
            const Clock::time_point start = Clock::now();
            const TetMesh mesh = tetrahedralise(surface, tets);
            times.push_back(seconds_since(start));
            row.tets = static_cast<long long>(mesh.tets().size());
            row.dofs = 3 * static_cast<long long>(mesh.positions().size());
        }
        row.what = fmt::format("fill {} with tets, {} cells across",
                               settings.mesh.empty() ? "a generated figure" : settings.mesh, cells);
        row.step = summary(std::move(times));
        row.memory_mib = peak_memory_mib();
        rows.push_back(std::move(row));
    }
    return rows;
}

/// The row is that of the 40 bodies on all threads.
BenchRow bench_elastic(const BenchSettings& settings) {
    BenchRow row;
    row.name = "fem";
    row.runs = settings.runs;
    row.fem = bench_fem(settings.runs, settings.threads);
    const FemWorld& world = row.fem.worlds.back();
    row.threads = world.threads;
    row.step_seconds = 0.01;
    row.dofs = world.bodies * world.dofs;
    row.step = {world.min_ms, world.median_ms};
    row.steps_per_second = 1e3 / world.median_ms;
    row.what = "elastic boxes that hang by one side, corotational, E = 260 kPa, tolerance 1e-4";
    row.memory_mib = peak_memory_mib();
    return row;
}

/// The overlap of fine meshes. The row itself is the first of its scenes, on one thread.
BenchRow bench_overlaps(const BenchSettings& settings) {
    BenchRow row;
    row.name = "overlap";
    row.what = "from moved vertices to contacts with volumes and gradients: refit, images, columns";
    row.runs = settings.runs;
    row.threads = 1;
    row.overlap = bench_overlap(settings.runs);
    const OverlapRow& first = row.overlap.rows.front();
    row.triangles = first.triangles;
    row.contacts = static_cast<double>(first.contacts);
    row.step = {first.one_ms, first.one_ms};
    row.memory_mib = peak_memory_mib();
    return row;
}

/// A picture as `plush render` makes it by default, of 100 bodies with 2,000 triangles each.
BenchRow bench_render(const BenchSettings& settings) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / fmt::format("plush-bench-{}", ::getpid());
    fs::create_directories(folder);
    FramesHeader header{.scene = "render", .step = 0.01, .frame_rate = 30, .gravity = {0, -9.81, 0}};
    Frame frame;
    header.bodies.push_back({.name = "ground", .kind = "fixed", .normal = {0, 1, 0}});
    frame.poses.emplace_back();
    const Mesh mesh = generate({.shape = "pebble", .triangles = 2000, .size = 0.2}).value();
    for (int i = 0; i < 100; ++i) {
        // Each with a mesh of its own: nothing is shared, as nothing will be among soft bodies.
        FrameMesh& out = header.meshes.emplace_back();
        for (const Vec3& p : mesh.positions())
            out.positions.push_back(
                {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
        for (const Triangle& t : mesh.triangles())
            out.triangles.insert(out.triangles.end(), t.begin(), t.end());
        header.bodies.push_back({.name = fmt::format("pebble {}", i), .kind = "rigid", .mesh = i});
        frame.poses.push_back(
            {{0.18 * (i % 5), 0.1 + 0.15 * (i / 25), 0.18 * (i / 5 % 5)}, exp_rotation({0.1 * i, 0, 1})});
    }
    frame.asleep.assign(header.bodies.size(), 0);
    FrameWriter::create(folder / "frames.plush", header).value().write(frame).value();

    BenchRow row;
    row.name = "render";
    row.what = "a picture of 960 × 600 of as many triangles, from the run folder to the PNG file";
    row.runs = settings.runs;
    row.threads = settings.threads;
    std::vector<double> times;
    for (int r = 0; r < settings.runs; ++r) {
        const render::RenderSummary made = render::render_run(folder, {.threads = settings.threads}).value();
        if (made.error) throw *made.error;
        times.push_back(made.seconds);
        row.triangles = made.triangles;
    }
    fs::remove_all(folder);
    row.step = summary(std::move(times));
    row.memory_mib = peak_memory_mib();
    return row;
}

/// What a film costs beside its run.
BenchRow bench_film(const BenchSettings& settings) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / fmt::format("plush-film-{}", ::getpid());
    fs::create_directories(folder);
    const FilmCost cost = film_cost(settings.threads, folder);
    fs::remove_all(folder);
    BenchRow row;
    row.name = "render film";
    row.what = fmt::format(
        "a frame of a film of eight soft bodies at draft quality, mean of {}; its run takes {:.4g} ms a "
        "frame, {:.3g} times as much",
        cost.frames, cost.run_ms, cost.run_ms / cost.film_ms);
    row.runs = 1;
    row.threads = settings.threads;
    row.triangles = cost.triangles;
    row.step = {cost.film_ms, cost.film_ms};
    row.memory_mib = peak_memory_mib();
    return row;
}

/// Pressed and cut tissue beside the same without the cut.
BenchRow bench_cutting(const BenchSettings& settings) {
    const CutCost cost = cut_cost(settings.threads);
    BenchRow row;
    row.name = "cut while pressed";
    row.what = fmt::format(
        "a step of a block of {} nodes that is pressed and cut into {:.0f}; without the knife {:.4g} ms: "
        "{:.3g} times as much; the slowest "
        "step {:.4g} ms",
        cost.nodes, cost.pieces, cost.uncut_ms, cost.cut_ms / cost.uncut_ms, cost.largest_ms);
    row.dofs = 3 * cost.nodes;
    row.contacts = cost.contacts;
    row.runs = 1;
    row.threads = settings.threads;
    row.step = {cost.cut_ms, cost.cut_ms};
    row.memory_mib = peak_memory_mib();
    return row;
}

BenchRow bench_depths(const BenchSettings& settings) {
    BenchRow row;
    row.name = "penetration";
    row.what = "consistent penetration depth of overlapping balls of 20 tets; ms of the largest scene";
    row.runs = settings.runs;
    row.threads = 1;
    row.penetration = bench_penetration(settings.runs);
    const DepthRow& largest = row.penetration.rows.back();
    row.contacts = static_cast<double>(largest.colliding);
    row.step.min = row.step.median = 1e-6 * largest.fast.total * row.contacts;
    row.memory_mib = peak_memory_mib();
    return row;
}

BenchRow bench_viewer(const BenchSettings& settings) {
    BenchRow row;
    row.name = "view";
    row.what =
        "steps a second with a page that takes every frame and discards it, beside plush run --no-frames";
    row.runs = settings.runs, row.threads = settings.threads;
    row.view = bench_view(settings.runs, settings.threads);
    for (const ViewRow& r : row.view.rows)
        if (r.toys == 10)
            row.triangles = r.triangles, row.steps_per_second = r.viewed,
            row.step = {1e3 / r.viewed, 1e3 / r.viewed};
    return row;
}

/// The row itself is Plush with the larger bodies.
BenchRow bench_bumpy(const BenchSettings& settings) {
    BenchRow row;
    row.name = "bumps";
    row.what = "a slab at rest on another with a bumpy face that fits, volume contact, one thread";
    row.runs = settings.runs;
    row.threads = 1;
    row.dofs = 6;
    row.bumps = bench_bumps(settings.runs);
    for (const BumpsRow& r : row.bumps.rows) {
        if (r.name != "Plush") continue;
        row.triangles = 2 * r.triangles;
        row.contacts = r.contacts;
        row.step = {r.ms, r.median_ms};
    }
    row.memory_mib = peak_memory_mib();
    return row;
}

/// The row itself is Plush with its defaults.
BenchRow bench_boxes(const BenchSettings&) {
    BenchRow row;
    row.name = "pyramid";
    row.what = "1,035 boxes in a pyramid of 45 rows, one thread: what a step costs, and how far it leans";
    row.runs = 1;
    row.threads = 1;
    row.dofs = 6 * 1035;
    row.pyramid = bench_pyramid();
    for (const PyramidRow& r : row.pyramid.rows) {
        if (r.name != "Plush, points" || r.iterations != SolverSettings{}.iterations) continue;
        row.contacts = r.contacts;
        row.step = {r.ms, r.median_ms};
    }
    row.memory_mib = peak_memory_mib();
    return row;
}

/// The row itself is the largest heap in Plush.
BenchRow bench_heaps(const BenchSettings& settings) {
    BenchRow row;
    row.name = "piles";
    row.what = "elastic boxes of 1,000 nodes fall into a pen, volume contact, one thread, h = 0.01 s";
    row.runs = settings.runs;
    row.threads = 1;
    row.piles = bench_piles(settings.runs, settings.threads);
    for (const PileRow& r : row.piles.rows) {
        if (r.name != "Plush") continue;
        row.dofs = 3LL * r.bodies * r.nodes;
        row.contacts = r.contacts;
        row.step = {r.ms, r.ms};
    }
    row.memory_mib = peak_memory_mib();
    return row;
}

/// The row itself is the largest pile.
BenchRow bench_published(const BenchSettings& settings) {
    BenchRow row;
    row.name = "table1";
    row.what = "the scenes of Allard et al. 2010, Table 1, in contact and motion";
    row.runs = 1;
    row.threads = settings.threads;
    row.table1 = bench_table1(settings.threads, settings.meshes);
    const Table1Row& last = row.table1.rows.back();
    row.triangles = last.triangles, row.dofs = last.dofs, row.contacts = last.contacts;
    row.step = {last.min.step(), last.median.step()};
    row.memory_mib = peak_memory_mib();
    return row;
}

using Rows = std::vector<BenchRow>;

template <BenchRow (*run)(const BenchSettings&)>
Rows one(std::string_view, const BenchSettings& settings) {
    return {run(settings)};
}
/// A built-in scene, with what is measured of it besides.
Rows scene_and_more(std::string_view name, const BenchSettings& s) {
    Rows rows{bench_scene(std::string(name), s)};
    if (name == "cut") rows.push_back(bench_cutting(s));
    if (name == "cloth") rows[0].springs = bench_cloth(s.runs, s.threads);
    if (name == "jelly") rows[0].springs = bench_jelly(s.runs);
    if (name == "chain") rows[0].joints = bench_joints(s.runs);
    if (name == "shape_matching") rows[0].matching = bench_matching(s.runs, s.threads);
    return rows;
}

}  // namespace

// A benchmark costs a function and a line here. Built-in scenes need no line: the scene is timed.
std::span<const Benchmark> benchmarks() {
    const auto tets = [](std::string_view, const BenchSettings& s) { return bench_tets(s); };
    const auto pictures = [](std::string_view, const BenchSettings& s) {
        return Rows{bench_film(s), bench_render(s)};
    };
    const auto methods = [](std::string_view name, const BenchSettings& s) {
        return bench_methods(std::string(name), s);
    };
    static const std::array all{
        Benchmark{"mesh", "reading a mesh", one<bench_mesh>},
        Benchmark{"tet", "filling a surface with tets", tets},
        Benchmark{"fem", "elastic bodies, part by part", one<bench_elastic>},
        Benchmark{"overlap", "overlaps of fine meshes", one<bench_overlaps>},
        Benchmark{"render", "a film and a picture", pictures},
        Benchmark{"penetration", "consistent penetration depths", one<bench_depths>},
        Benchmark{"bumps", "fine meshes at rest, beside Bullet and ODE", one<bench_bumpy>},
        Benchmark{"pyramid", "a pyramid of boxes, beside Bullet", one<bench_boxes>},
        Benchmark{"piles", "piles of elastic boxes, beside Bullet", one<bench_heaps>},
        Benchmark{"table1", "the scenes of Allard et al. 2010, Table 1", one<bench_published>},
        Benchmark{"view", "what the viewer costs", one<bench_viewer>},
        Benchmark{"bowl", "the scene by points and by volume, in turns", methods},
        Benchmark{"cut", "the scene, and cutting part by part", scene_and_more},
        Benchmark{"cloth", "the scene, its springs, and the same cloth in Bullet", scene_and_more},
        Benchmark{"chain", "the scene, chains and trees of growing size", scene_and_more},
        Benchmark{"shape_matching", "the scene, and the same rain in Bullet", scene_and_more},
        Benchmark{"jelly", "the scene, and its springs", scene_and_more},
    };
    return all;
}

std::vector<std::string> bench_names() {
    std::vector<std::string> names;
    for (const Benchmark& benchmark : benchmarks()) names.emplace_back(benchmark.name);
    for (const BuiltinScene& scene : builtin_scenes())
        if (std::find(names.begin(), names.end(), scene.name) == names.end()) names.push_back(scene.name);
    return names;
}

Result<std::vector<BenchRow>> bench(const BenchSettings& settings) {
    const std::vector<std::string> known = bench_names();
    const std::vector<std::string_view> views(known.begin(), known.end());
    const std::vector<std::string>& wanted = settings.names.empty() ? known : settings.names;
    for (const std::string& name : wanted)
        if (std::find(known.begin(), known.end(), name) == known.end())
            return Error({.file = "bench",
                          .problem = fmt::format("there is no benchmark \"{}\"", name),
                          .cure = did_you_mean(name, views)});
    std::vector<BenchRow> rows;
    try {
        for (const std::string& name : wanted) {
            if (settings.progress) settings.progress(name);
            auto* run = &scene_and_more;
            for (const Benchmark& b : benchmarks())
                if (b.name == name) run = b.run;
            for (BenchRow& row : run(name, settings)) rows.push_back(std::move(row));
        }
    } catch (const Error& error) {
        return error;
    }
    return rows;
}

}  // namespace plush::lab
