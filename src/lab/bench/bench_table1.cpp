#include "lab/bench/bench_table1.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "lab/bench/depth_layers.hpp"
#include "lab/bench/distance_field_baseline.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/scene/scene.hpp"

namespace plush::lab {
namespace {

/// As published: ms a step on a Core i7-975 with a GeForce GTX 285.
struct Published {
    const char* name;
    const char* scene;
    const char* change;  ///< of the scene; null: none
    const char* image;   ///< pixels, or cells of a distance field
    int layers;          ///< of the depth images; 0: a distance field instead
    int contacts;
    Table1Times times;
};

std::vector<Published> published() {
    return {
        {"organs", "organs", nullptr, "224x168", 32, 16, {22.69 + 1.35, 17.85, 32.45}},
        {"octopuses", "octopuses", nullptr, "392x352", 28, 110, {5.67 + 1.20, 43.43, 12.34}},
        {"grasp", "grasp", nullptr, "112x112", 14, 10, {2.73 + 0.97, 7.36, 6.18}},
        {"snake, one volume",
         "snake",
         "contact.volume.split=whole",
         "560x336",
         10,
         1,
         {3.4 + 1.0, 2.9, 1.53}},
        {"snake, large cells", "snake", "contact.volume.cell=0.15", "560x336", 10, 6, {3.4 + 1.0, 2.9, 1.86}},
        {"snake, middle cells",
         "snake",
         "contact.volume.cell=0.046",
         "560x336",
         10,
         18,
         {3.4 + 1.0, 2.9, 3.09}},
        {"snake, small cells",
         "snake",
         "contact.volume.cell=0.022",
         "560x336",
         10,
         41,
         {3.4 + 1.0, 2.9, 7.62}},
        {"armadillos", "armadillos", nullptr, "280x240", 22, 16, {18.48 + 1.15, 0.48, 4.08}},
        {"armadillos, distance field",
         "armadillos",
         nullptr,
         "128x107x98",
         0,
         255,
         {10.46 + 0.16, 0.38, 6.68}},
        {"soft toys, 10", "soft_toys_10", nullptr, "456x456", 24, 99, {16.61 + 1.64, 71.24, 34.82}},
        {"soft toys, 20", "soft_toys_20", nullptr, "1232x472", 34, 242, {28.79 + 2.37, 146.94, 207.02}},
        {"soft toys, 40", "soft_toys_40", nullptr, "1232x528", 46, 544, {44.45 + 3.43, 309.48, 723.83}},
    };
}

double peak_memory_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts in KiB
}

/// Of the bodies that move.
struct Extent {
    Box3 box{};
    void add(const World& world, BodyId id) {
        if (world.kind(id) == BodyKind::deformable)
            for (const Vec3& x : world.vertex_positions(id)) box.add(x);
        else if (world.kind(id) == BodyKind::rigid)
            for (const Vec3& x : world.drawn(id).positions()) box.add(world.pose(id) * x);
    }
};

/// Bones that lead a hand, and rods that pull, touch nothing: they are no part of the contact problem.
bool touches_any(const World& world, BodyId id) {
    const auto bodies = world.bodies();
    return std::any_of(bodies.begin(), bodies.end(),
                       [&](BodyId other) { return other != id && world.may_collide(id, other); });
}

void count(const World& world, Table1Row& row) {
    for (const BodyId id : world.bodies()) {
        if (!touches_any(world, id)) continue;
        const bool soft = world.kind(id) == BodyKind::deformable;
        if (soft) {
            const auto nodes = static_cast<long long>(world.vertex_positions(id).size());
            row.nodes += nodes, row.dofs += 3 * nodes;
        }
        if (world.kind(id) == BodyKind::rigid) row.dofs += 6;
        if (world.shape(id).empty() && !soft) continue;
        if (!soft && !world.shape(id).bounded()) continue;  // the ground
        ++row.bodies;
        row.triangles += static_cast<long long>(soft ? world.drawn_surface(id).size()
                                                     : world.drawn(id).triangles().size());
    }
    row.step_seconds = world.settings().step;
    row.tolerance = world.settings().solver.tolerance;
}

Table1Times part(const StepReport& report) {
    const auto ms = [&](Phase phase) { return 1e3 * report.times[phase]; };
    return {ms(Phase::detect) + ms(Phase::model), ms(Phase::predict) + ms(Phase::correct),
            ms(Phase::solve) + ms(Phase::stabilise)};
}

double middle(std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// The times of the steps that count.
struct Timed {
    std::vector<double> see{}, motion{}, solve{};
    double seconds = 0, contacts = 0;
    void add(const Table1Times& times) {
        see.push_back(times.see), motion.push_back(times.motion), solve.push_back(times.solve);
    }
    void summarise(Table1Row& row) {
        row.steps = static_cast<int>(see.size());
        if (row.steps == 0) return;
        row.iterations /= row.steps, row.motion_turns /= row.steps;
        row.steps_per_second = row.steps / seconds;
        row.mean_contacts = contacts / row.steps;
        const auto mean = [](const std::vector<double>& all) {
            return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
        };
        row.mean = {mean(see), mean(motion), mean(solve)};
        row.median = {middle(see), middle(motion), middle(solve)};
        row.min = {see.front(), motion.front(), solve.front()};
        row.memory_mib = peak_memory_mib();
    }
};

Scene load(const Published& asked, const std::string& meshes) {
    std::vector<std::string> changes;
    if (asked.change) changes.emplace_back(asked.change);
    changes.emplace_back("sleep.enabled=false");
    // The bones of `grasp` are made for its own hand.
    if (!meshes.empty() && std::string_view(asked.scene) != "grasp") changes.push_back("meshes=" + meshes);
    return Scene::load(asked.scene, changes);
}

void time_scene(const Published& asked, int threads, const std::string& meshes, Table1Row& row) {
    const Scene scene = load(asked, meshes);
    World world = scene.build(threads);
    count(world, row);
    Timed timed;
    double bodies = 0;
    for (const BodyId id : world.bodies()) bodies += world.kind(id) == BodyKind::deformable;
    while (world.time() < scene.duration() - 0.5 * row.step_seconds) {
        world.step();
        const StepReport& report = world.report();
        if (report.pixel > 0) row.pixel_mm = 1e3 * report.pixel;
        if (report.contacts == 0 || !(world.energy().kinetic > 1e-9)) continue;
        if (report.contacts > row.contacts) {
            row.contacts = report.contacts;
            Extent extent;
            for (const BodyId id : world.bodies()) extent.add(world, id);
            const Vec3 size = extent.box.size() / (1e-3 * row.pixel_mm);
            row.image = fmt::format("{:.0f} x {:.0f} x {:.0f}", size.x, size.y, size.z);
            row.layers = std::max(row.layers, depth_layers(world, 1e-3 * row.pixel_mm));
        }
        timed.add(part(report));
        timed.seconds += report.times.total(), timed.contacts += report.contacts;
        row.iterations += report.iterations;
        row.motion_turns += bodies > 0 ? report.motion_iterations / bodies : 0;
    }
    timed.summarise(row);
}

/// The same two figures with the contacts of a distance field: a scene of one fixed and one rigid body with a mesh each.
void time_distance_field(const Published& asked, int threads, const std::string& meshes, Table1Row& row) {
    const Scene scene = load(asked, meshes);
    const World world = scene.build(threads);
    count(world, row);
    BodyId fixed{}, moving{};
    for (const BodyId id : world.bodies()) {
        if (world.kind(id) == BodyKind::rigid) moving = id;
        if (world.kind(id) == BodyKind::fixed && world.shape(id).bounded()) fixed = id;
    }
    const auto resolved = nlohmann::json::parse(scene.resolved());
    const Mesh& mesh = world.drawn(moving);
    const MassProperties mass = mass_properties(mesh, world.mass(moving) / volume(mesh)).value();
    const Transform pose = world.pose(moving);
    DistanceFieldBaseline baseline(world.shape(moving), mass,
                                   {.position = pose.position, .rotation = pose.rotation}, world.shape(fixed),
                                   world.pose(fixed), {128, 107, 98},
                                   {.step = row.step_seconds,
                                    .gravity = world.settings().gravity,
                                    .friction = resolved["materials"]["hide"]["friction"],
                                    .contact = world.settings().contact,
                                    .solver = world.settings().solver,
                                    .threads = threads});
    const auto& cells = baseline.field().cells();
    row.pixel_mm = 1e3 * baseline.field().cell();
    row.image = fmt::format("{} x {} x {}", cells[0], cells[1], cells[2]);
    Timed timed;
    for (double time = 0; time < scene.duration() - 0.5 * row.step_seconds; time += row.step_seconds) {
        BaselineTimes ms;
        const auto found = static_cast<int>(baseline.step(ms));
        if (found == 0 || !(baseline.kinetic_energy() > 1e-9)) continue;
        row.contacts = std::max(row.contacts, found);
        timed.contacts += found;
        timed.add({ms.detect + ms.model, ms.motion, ms.solve});
        timed.seconds += 1e-3 * (ms.detect + ms.model + ms.motion + ms.solve);
        row.iterations += baseline.sweeps();
    }
    timed.summarise(row);
}

}  // namespace

Table1Bench bench_table1(int threads, const std::string& meshes) {
    Table1Bench bench;
    const auto scenes = builtin_scenes();
    for (const Published& asked : published()) {
        Table1Row& row = bench.rows.emplace_back();
        row.name = asked.name, row.paper = asked.times, row.paper_contacts = asked.contacts;
        row.paper_image = asked.image, row.paper_layers = asked.layers;
        const bool known = std::any_of(scenes.begin(), scenes.end(),
                                       [&](const BuiltinScene& s) { return s.name == asked.scene; });
        if (!known)
            row.note = fmt::format("there is no scene {}", asked.scene);
        else if (asked.layers == 0)
            time_distance_field(asked, threads, meshes, row);
        else
            time_scene(asked, threads, meshes, row);
    }
    return bench;
}

}  // namespace plush::lab
