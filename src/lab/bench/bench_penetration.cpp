#include "lab/bench/bench_penetration.hpp"

#include <fmt/format.h>

#include <cmath>

#include "lab/bench/bench_peer.hpp"
#include "lab/bench/clock.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"

namespace plush::lab {
namespace {

/// As the peer has it: four columns by four and upward, in a box of four walls.
StackRow stack(const StackTask& task) {
    WorldSettings settings;
    settings.step = task.step;
    settings.threads = 1;
    settings.contact.tets = {.method = TetContactMethod::consistent, .stiffness = 20000, .damping = 60};
    settings.contact.surface.stiffness = 5000;
    settings.contact.surface.buffer = 0.004;
    World world(settings);
    world.add_ground();
    const double r = task.radius, wall = 5.5 * r;
    for (const double side : {-1.0, 1.0}) {
        world.add(Fixed{.shape = Shape::box({0.5 * r, 10 * r, 7 * r})},
                  {.position = {side * (wall + 0.5 * r), 10 * r, 0}});
        world.add(Fixed{.shape = Shape::box({7 * r, 10 * r, 0.5 * r})},
                  {.position = {0, 10 * r, side * (wall + 0.5 * r)}});
    }
    const TetMesh ball = tet_ball(r).value();
    std::vector<BodyId> ids;
    for (int b = 0; b < task.bodies; ++b) {
        Soft soft;
        soft.solid = SoftSolid(ball);
        soft.elastic.young = 5e4, soft.elastic.poisson = 0.3, soft.elastic.density = task.density;
        soft.elastic.stiffness_damping = 0.01;
        soft.motion.integration.solver = LinearSolver::cholesky;
        const Vec3 at = task.place(b);
        ids.push_back(world.add(soft, {.position = at}));
    }
    double seconds = 0;
    for (int s = 0; s < task.steps; ++s) {
        const double start = processor_seconds();
        world.step();
        if (s > 0) seconds += processor_seconds() - start;
    }
    StackRow row{.name = "Plush", .ms = 1e3 * seconds / (task.steps - 1)};
    double squares = 0, count = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const auto x = world.vertex_positions(ids[i]);
        for (const Tet& t : ball.tets()) {
            const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
            row.inverted += dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) <= 0;
        }
        for (const Vec3& v : world.vertex_velocities(ids[i])) squares += norm2(v), ++count;
        for (std::size_t j = 0; j < i; ++j)
            row.overlap += norm(world.centre(ids[i]) - world.centre(ids[j])) < r;
    }
    row.speed = std::sqrt(squares / count);
    return row;
}

/// Lattice by lattice, so that a moment's quiet is enough.
double gain_of_two(std::span<const BallLattice> lattices, int rounds) {
    PenetrationSearch search;
    OneAndTwoThreads all;
    for (const BallLattice& lattice : lattices) {
        const OneAndTwoThreads least = one_and_two_threads(rounds, [&](const Parallel& parallel) {
            static_cast<void>(search.find(lattice.objects(), {}, parallel));
        });
        all.one += least.one, all.two += least.two;
    }
    return all.gain();
}

}  // namespace

PenetrationBench bench_penetration(int runs) {
    PenetrationBench bench;
    for (const int balls : {120, 1200, 12000}) {
        const std::vector<BallLattice> lattices = ball_lattices(balls);
        DepthRow row;
        row.tets = lattices.front().tets();
        const auto cost = [&](const DepthOptions& options, int rounds) {
            return cost_of(lattices, options, rounds);
        };
        const int rounds = std::max(runs, 3);
        row.fast = cost({}, 10 * rounds);
        row.colliding = static_cast<long long>(row.fast.colliding);
        row.reference = cost({.reference = true}, rounds);
        row.hashed = cost({.cells = DepthCells::hash, .reference = true}, rounds);
        row.closest = cost({.method = DepthMethod::closest_feature}, rounds);
        row.two_threads = gain_of_two(lattices, 10 * rounds);
        bench.rows.push_back(row);
    }
    bench.ceiling = ceiling_of_two_threads(10 * std::max(runs, 3));
    const StackTask task;
    bench.stacks.push_back(stack(task));
    if (const auto peer = run_bullet(task); peer.ok())
        bench.stacks.push_back({.name = "Bullet " + peer.value().version,
                                .ms = peer.value().ms,
                                .overlap = peer.value().overlap,
                                .inverted = peer.value().inverted,
                                .speed = peer.value().speed});
    else
        bench.note = fmt::format("{}: {}", peer.error().problem(), peer.error().cure());
    return bench;
}

}  // namespace plush::lab
