#include "lab/bench/bench_matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lab/bench/bench_peer.hpp"
#include "lab/bench/clock.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"

namespace plush::lab {
namespace {

struct Timed {
    double seconds = 0, wall = 0, depth = 0;
};

/// As bench/peers/bullet_matching.cpp has it.
Timed rain(const MatchingTask& task, int threads) {
    WorldSettings settings;
    settings.step = task.step;
    settings.threads = threads;
    settings.contact.method = ContactMethod::points;
    settings.contact.surface.law = SurfaceLaw::impulse;
    World world(settings);
    world.add_ground(0, {.friction = 0.5, .restitution = 0});
    const double half = 0.5 * task.length, gap = 2 * task.length;
    ShapeMatching cube;
    cube.tets = tet_box({half, half, half}, {task.side - 1, task.side - 1, task.side - 1}).value();
    cube.shape = Shape::box({half, half, half});
    cube.touched = task.vertex_face;
    cube.density = 500;
    cube.motion.integration.method = IntegrationMethod::semi_implicit_euler;
    cube.material = {.friction = 0.5, .restitution = 0};
    std::vector<BodyId> ids;
    for (int b = 0; b < task.bodies; ++b) {
        const int i = b % 10, j = b / 10 % 10, k = b / 100;
        const double shift = (k % 2) * 0.4 * task.length;
        ids.push_back(world.add(cube, {.position = {gap * (i - 5) + shift + half, gap * (k + 0.5) + half,
                                                    gap * (j - 5) + shift + half}}));
    }
    Timed timed;
    for (int s = 0; s < task.steps; ++s) {
        const double start = processor_seconds();
        const auto wall = std::chrono::steady_clock::now();
        world.step();
        if (s == 0) continue;  // as the peer does
        timed.seconds += processor_seconds() - start;
        timed.wall += std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
    }
    timed.seconds /= task.steps - 1, timed.wall /= task.steps - 1;
    for (const BodyId id : ids)
        for (const Vec3& p : world.vertex_positions(id))
            timed.depth = std::max(timed.depth, -p.y / task.length);
    return timed;
}

}  // namespace

MatchingBench bench_matching(int runs, int threads) {
    MatchingBench bench;
    for (const bool all : {false, true}) {
        // Where they touch one another a step of the peer takes many times as long: half the rain is enough.
        const MatchingTask task{.steps = all ? 120 : 240, .vertex_face = all};
        MatchingRow row;
        row.name = all ? "ground and one another" : "ground alone";
        row.peer_ms = row.ms = row.peer_wall_ms = row.wall_ms = HUGE_VAL;
        for (int r = 0; r < runs; ++r) {
            const Result<PeerMatching> peer = run_bullet(task);
            if (peer.ok()) {
                row.peer = "Bullet " + peer.value().version;
                row.peer_ms = std::min(row.peer_ms, peer.value().ms);
                row.peer_wall_ms = std::min(row.peer_wall_ms, peer.value().wall_ms);
                row.peer_depth = peer.value().depth;
            } else {
                bench.note = fmt::format("{}: {}", peer.error().problem(), peer.error().cure());
            }
            const Timed one = rain(task, 1), many = rain(task, threads);
            row.ms = std::min(row.ms, 1e3 * one.seconds);
            row.wall_ms = std::min(row.wall_ms, 1e3 * many.wall);
            row.depth = many.depth;
        }
        bench.rows.push_back(row);
    }
    return bench;
}

}  // namespace plush::lab
