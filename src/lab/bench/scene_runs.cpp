#include "lab/bench/scene_runs.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>

#include "lab/bench/clock.hpp"

namespace plush::lab {

double peak_memory_mib() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;  // Linux counts in KiB
}

Milliseconds summary(std::vector<double> seconds) {
    if (seconds.empty()) return {};
    std::sort(seconds.begin(), seconds.end());
    return {1e3 * seconds.front(), 1e3 * seconds[seconds.size() / 2]};
}

Run time_run(const Scene& scene, int threads) {
    World world = scene.build(threads);
    Run run;
    const Clock::time_point start = Clock::now();
    const double worked_from = processor_seconds();
    while (world.time() < scene.duration() - 0.5 * world.settings().step) {
        const Clock::time_point step_start = Clock::now();
        const double worked_before = processor_seconds();
        world.step();
        const double worked = processor_seconds() - worked_before;
        run.steps.push_back(seconds_since(step_start));
        const StepReport& report = world.report();
        for (std::size_t p = 0; p < 6; ++p) run.phases[p].push_back(report.times.seconds[p]);
        run.contacts += report.contacts;
        run.largest_depth = std::max(run.largest_depth, report.largest_depth);
        // What has come to rest is not looked at again, and costs nothing: such steps would flatter the mean.
        if (report.contacts > 0 && world.energy().kinetic > 1e-9)
            run.touching += run.steps.back(), run.worked += worked, ++run.touching_steps;
        run.iterations += report.iterations;
    }
    run.wall = seconds_since(start);
    run.processor = processor_seconds() - worked_from;
    return run;
}

void count_size(const Scene& scene, BenchRow& row) {
    const World world = scene.build(1);
    for (BodyId id : world.bodies()) {
        row.triangles += static_cast<long long>(world.kind(id) == BodyKind::deformable
                                                    ? world.drawn_surface(id).size()
                                                    : world.drawn(id).triangles().size());
        if (world.kind(id) == BodyKind::rigid) row.dofs += 6;
        if (world.kind(id) == BodyKind::particles)
            row.dofs += 3 * static_cast<long long>(world.particle_positions(id).size());
        if (world.kind(id) == BodyKind::deformable)
            row.dofs += 3 * static_cast<long long>(world.vertex_positions(id).size());
    }
    row.step_seconds = world.settings().step;
}

void take_run(const Run& run, BenchRow& row) {
    const auto n = static_cast<double>(run.steps.size());
    row.steps_per_second = n / run.wall;
    row.contacts = run.contacts / n;
    row.iterations = run.iterations / n;
    if (row.paper_ms > 0 && run.touching_steps > 0) {
        row.touching_ms = 1e3 * run.touching / run.touching_steps;
        row.touching_worked_ms = 1e3 * run.worked / run.touching_steps;
    }
    for (std::size_t p = 0; p < 6; ++p) row.phases[p] = summary(run.phases[p]);
    row.phases_timed = true;
    row.step = summary(run.steps);
}

std::vector<BenchRow> bench_methods(const std::string& name, const BenchSettings& settings) {
    std::vector<BenchRow> rows;
    std::vector<Scene> scenes;
    for (const char* method : {"points", "volume"}) {
        const std::vector<std::string> changes{"sleep.enabled=false",
                                               fmt::format("contact.method={}", method)};
        scenes.push_back(Scene::load(name, changes));
        BenchRow& row = rows.emplace_back();
        row.name = fmt::format("{} by {}", name, method);
        row.runs = settings.runs, row.threads = settings.threads;
        count_size(scenes.back(), row);
    }
    std::vector<double> least(2, HUGE_VAL), deepest(2);
    for (int r = 0; r < settings.runs; ++r)
        for (std::size_t k = 0; k < 2; ++k) {
            const Run run = time_run(scenes[k], settings.threads);
            deepest[k] = run.largest_depth;
            if (run.processor >= least[k]) continue;
            least[k] = run.processor;
            take_run(run, rows[k]);
        }
    for (std::size_t k = 0; k < 2; ++k) {
        rows[k].what = fmt::format(
            "{}; {:.4g} s of the processor, {:.3g} times that by points, overlap of {:.2g} mm at most",
            scenes[k].description(), least[k], least[k] / least[0], 1e3 * deepest[k]);
        rows[k].memory_mib = peak_memory_mib();
    }
    return rows;
}

}  // namespace plush::lab
