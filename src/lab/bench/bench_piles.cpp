#include "lab/bench/bench_piles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lab/bench/bench_peer.hpp"
#include "lab/bench/clock.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/world/world.hpp"

namespace plush::lab {
namespace {

constexpr double pixel = 1.0 / 64;  // m: 58 across a body, as by default, and the same at the thin walls

TetMesh box_of(const PilesTask& task) {
    const double half = 0.5 * task.width();
    return tet_box({half, half, half}, {task.side - 1, task.side - 1, task.side - 1}).value();
}

long long inverted_of(const TetMesh& box, std::span<const Vec3> x) {
    long long count = 0;
    for (const Tet& t : box.tets()) {
        const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
        count += dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) <= 0;
    }
    return count;
}

/// The node of every vertex of the surface.
std::vector<std::size_t> nodes_of(const Mesh& surface, const TetMesh& box) {
    std::vector<std::size_t> nodes;
    for (const Vec3& p : surface.positions())
        nodes.push_back(static_cast<std::size_t>(
            std::find(box.positions().begin(), box.positions().end(), p) - box.positions().begin()));
    return nodes;
}

/// As bench/peers/bullet_piles.cpp has it, with h = 0.01 s.
World heap_of(const PilesTask& task, const TetMesh& box, int threads) {
    WorldSettings settings;
    settings.step = 0.01;
    settings.threads = threads;
    settings.contact.method = ContactMethod::volume;
    settings.contact.volume.pixel = pixel;
    settings.solver.iterations = 100;
    settings.solver.tolerance = 1e-4;
    settings.sleep.enabled = false;
    World world(settings);
    const Material material{.friction = task.friction, .restitution = 0};
    const double w = task.pen(), t = 0.25, high = 0.5 * task.wall();
    world.add(Fixed{.shape = Shape::half_space(), .material = material});
    for (const double side : {-1.0, 1.0}) {
        world.add(Fixed{.shape = Shape::box({t, high, w + 2 * t}), .material = material},
                  {.position = {side * (w + t), high, 0}});
        world.add(Fixed{.shape = Shape::box({w + 2 * t, high, t}), .material = material},
                  {.position = {0, high, side * (w + t)}});
    }
    Soft body;
    body.solid = SoftSolid(box);
    body.elastic = {.young = task.young, .poisson = 0.3, .density = 1000, .stiffness_damping = task.damping};
    body.motion.integration.tolerance = 1e-4;
    body.material = material;
    for (int b = 0; b < task.bodies; ++b)
        world.add(body, {.position = task.place(b), .rotation = task.turn(b)});
    return world;
}

double squared_speed(const World& world) {
    double squares = 0, nodes = 0;
    for (const BodyId id : world.bodies())
        if (world.kind(id) == BodyKind::deformable)
            for (const Vec3& v : world.vertex_velocities(id)) squares += norm2(v), ++nodes;
    return squares / nodes;
}

PileRow run_plush(const PilesTask& task) {
    const TetMesh box = box_of(task);
    World world = heap_of(task, box, 1);
    const double h = world.settings().step;
    const int steps = static_cast<int>(std::lround(task.seconds / h)),
              last = static_cast<int>(std::lround(0.1 / h));
    PileRow row{
        .name = "Plush", .bodies = task.bodies, .nodes = static_cast<int>(box.positions().size()), .step = h};
    double seconds = 0, late = 0, squares = 0;
    for (int s = 0; s < steps; ++s) {
        const double start = processor_seconds();
        world.step();
        const double took = processor_seconds() - start;
        if (s > 0) seconds += took;  // the first makes what is made once
        if (s >= steps / 2) late += took;
        if (s >= steps - last) squares += squared_speed(world) / last;
        row.contacts += static_cast<double>(world.contacts().size()) / steps;
    }
    row.ms = 1e3 * seconds / (steps - 1) * 0.01 / h;
    row.touching_ms = 1e3 * late / (steps - steps / 2) * 0.01 / h;
    row.allowed = 0.5 * pixel;
    row.speed = std::sqrt(squares);
    std::vector<Vec3> nodes;
    for (const BodyId id : world.bodies())
        if (world.kind(id) == BodyKind::deformable)
            for (const Vec3& x : world.vertex_positions(id)) nodes.push_back(x);
    row.state = look_at(box, nodes);
    return row;
}

/// ms by the clock for 10 ms of simulated time.
double clock_of_plush(const PilesTask& task, int threads) {
    World world = heap_of(task, box_of(task), threads);
    const double h = world.settings().step;
    const int steps = static_cast<int>(std::lround(task.seconds / h));
    world.step();
    const auto start = std::chrono::steady_clock::now();
    for (int s = 1; s < steps; ++s) world.step();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    return took.count() / (steps - 1) * 0.01 / h;
}

Result<PileRow> run_peer(const PilesTask& task) {
    const Result<PeerPiles> peer = run_bullet(task);
    if (!peer.ok()) return peer.error();
    const TetMesh box = box_of(task);
    PileRow row{.name = "Bullet " + peer.value().version,
                .bodies = task.bodies,
                .nodes = static_cast<int>(box.positions().size()),
                .step = task.step};
    row.ms = row.clock_ms = peer.value().ms * 0.01 / task.step;
    row.touching_ms = peer.value().late_ms * 0.01 / task.step;
    row.speed = peer.value().speed;
    row.state = look_at(box, peer.value().nodes);
    return row;
}

/// Of several runs of the same: the fastest.
void keep(PileRow row, std::vector<PileRow>& rows) {
    const auto it = std::find_if(rows.begin(), rows.end(), [&](const PileRow& r) {
        return r.name == row.name && r.bodies == row.bodies && r.step == row.step;
    });
    if (it == rows.end())
        rows.push_back(std::move(row));
    else {
        row.clock_ms = std::min(row.clock_ms, it->clock_ms);
        if (row.ms < it->ms)
            *it = std::move(row);
        else
            it->clock_ms = row.clock_ms;
    }
}

void set_ratios(std::vector<PileRow>& rows) {
    for (PileRow& row : rows)
        for (const PileRow& plush : rows)
            if (plush.name == "Plush" && plush.bodies == row.bodies)
                row.ratio = row.ms / plush.ms, row.clock_ratio = row.clock_ms / plush.clock_ms;
}

}  // namespace

HeapState look_at(const TetMesh& box, std::span<const Vec3> nodes) {
    HeapState state;
    const std::size_t count = box.positions().size();
    state.finite = std::all_of(nodes.begin(), nodes.end(), [](const Vec3& x) { return is_finite(x); });
    if (!state.finite) return state;
    const Mesh outside = box.surface();
    const std::vector<std::size_t> of_surface = nodes_of(outside, box);
    const double one = volume(outside);
    std::vector<Mesh> bodies;
    for (std::size_t first = 0; first + count <= nodes.size(); first += count) {
        const auto x = nodes.subspan(first, count);
        state.inverted += inverted_of(box, x);
        for (const Vec3& p : x) state.below = std::max(state.below, -p.y);
        std::vector<Vec3> skin;
        for (const std::size_t node : of_surface) skin.push_back(x[node]);
        bodies.emplace_back(std::move(skin),
                            std::vector(outside.triangles().begin(), outside.triangles().end()));
    }
    for (std::size_t i = 0; i < bodies.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (!bodies[i].bounds().overlaps(bodies[j].bounds())) continue;
            const OverlapReport report = overlap(bodies[i], bodies[j], {.axes = tilted_axes()});
            state.shared += report.volume / one;
            for (const Overlap& o : report.overlaps) {
                state.mean_depth = std::max(state.mean_depth, o.mean_depth);
                state.largest_depth = std::max(state.largest_depth, o.largest_depth);
            }
        }
    return state;
}

PilesBench bench_piles(int runs, int threads) {
    PilesBench bench;
    for (const int bodies : {10, 20, 40})
        for (int r = 0; r < runs; ++r) {
            const PilesTask task{.bodies = bodies};
            PileRow plush = run_plush(task);
            plush.clock_ms = clock_of_plush(task, threads);
            keep(std::move(plush), bench.rows);
            if (const Result<PileRow> row = run_peer(task); row.ok())
                keep(row.value(), bench.rows);
            else if (bench.notes.empty())
                bench.notes.push_back(fmt::format("{}: {}", row.error().problem(), row.error().cure()));
        }
    set_ratios(bench.rows);
    return bench;
}

}  // namespace plush::lab
