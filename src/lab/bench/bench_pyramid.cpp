#include "lab/bench/bench_pyramid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/bench/bench_peer.hpp"
#include "lab/bench/clock.hpp"
#include "plush/world/world.hpp"

namespace plush::lab {
namespace {

struct Asked {
    const char* name;
    ContactMethod method = ContactMethod::points;  ///< of Plush
    int iterations = 0;
    bool bullet = false;
    int steps = 0;
};

/// As bench/peers/bullet_pyramid.cpp has it.
PeerPyramid stand(const PyramidTask& task, ContactMethod method) {
    WorldSettings settings;
    settings.step = task.step;
    settings.threads = 1;
    settings.contact.method = method;
    settings.solver.iterations = task.iterations;
    settings.sleep.enabled = false;
    World world(settings);
    const Material material{.friction = task.friction, .restitution = 0};
    world.add_ground(0, material);
    const double half = 0.5 * task.side;
    std::vector<BodyId> ids;
    for (int b = 0; b < task.boxes(); ++b)
        ids.push_back(world.add(
            Rigid{.shape = Shape::box({half, half, half}), .density = task.density, .material = material},
            {.position = task.place(b)}));
    PeerPyramid out;
    std::vector<double> seconds;
    for (int s = 0; s < task.steps; ++s) {
        const double start = processor_seconds();
        world.step();
        if (s == 0) continue;  // as the peer does
        seconds.push_back(processor_seconds() - start);
        out.contacts += static_cast<double>(world.contacts().size()) / (task.steps - 1);
    }
    if (seconds.empty()) return out;
    std::sort(seconds.begin(), seconds.end());
    out.ms = 1e3 * seconds.front(), out.median_ms = 1e3 * seconds[seconds.size() / 2];
    for (int b = 0; b < task.boxes(); ++b) {
        const BodyId id = ids[static_cast<std::size_t>(b)];
        out.speed += norm2(world.velocity(id)) / task.boxes();
        const Vec3 moved = world.centre(id) - task.place(b);
        if (b >= task.boxes() - PyramidTask::topmost)
            out.lean = std::max(out.lean, std::hypot(moved.x, moved.z));
        out.sink = -moved.y;  // the last one stands
    }
    out.speed = std::sqrt(out.speed);
    return out;
}

}  // namespace

PyramidBench bench_pyramid() {
    PyramidBench bench;
    const int five_seconds = 300;
    const int short_run = 15;  // a step by volume takes more than a second
    const Asked asked[] = {
        {.name = "Bullet", .iterations = 10, .bullet = true, .steps = five_seconds},
        {.name = "Plush, points", .iterations = 100, .steps = five_seconds},
        {.name = "Bullet", .iterations = 50, .bullet = true, .steps = five_seconds},
        {.name = "Plush, volume", .method = ContactMethod::volume, .iterations = 100, .steps = short_run},
        {.name = "Bullet", .iterations = 200, .bullet = true, .steps = five_seconds},
    };
    for (const Asked& a : asked) {
        const PyramidTask task{.iterations = a.iterations, .steps = a.steps};
        const Result<PeerPyramid> run = a.bullet ? run_bullet(task) : stand(task, a.method);
        if (!run.ok()) {
            bench.notes = {fmt::format("{}: {}", run.error().problem(), run.error().cure())};
            continue;
        }
        const PeerPyramid& p = run.value();
        bench.rows.push_back({a.bullet ? "Bullet " + p.version : a.name, a.iterations, a.steps * task.step,
                              p.ms, p.median_ms, p.contacts, p.lean, p.sink, p.speed});
    }
    bench.notes.push_back(fmt::format(
        "by volume {} steps only, for they take long: its lean and sink are not to be compared", short_run));
    return bench;
}

}  // namespace plush::lab
