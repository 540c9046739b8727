#include "lab/bench/bench_overlap.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "lab/bench/bench_peer.hpp"
#include "lab/bench/overlap_scenes.hpp"

namespace plush::lab {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Short jobs on a machine that others use: many repetitions, for the least is what counts.
int repetitions(int runs) {
    return 20 * runs;
}

/// Where one thread's time goes: the same work taken apart.
void take_apart(OverlapScene& scene, const OverlapStep& step, int runs, OverlapRow& row) {
    std::array<double, 4> least{HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
    DepthPlan plan;
    DepthImages images;
    OverlapModel model;
    for (int r = 0; r < repetitions(runs) / 4; ++r) {
        std::array<double, 4> ms{};
        Clock::time_point start = Clock::now();
        for (OverlapBody& b : scene.bodies) b.refit();
        ms[0] = ms_since(start);
        for (std::size_t i = 0; i < static_cast<std::size_t>(step.pairs()); ++i) {
            const OverlapPair pair = step.pair(scene, i);
            start = Clock::now();
            plan.make(pair, scene.pixel, Mat3::identity(), true, step.direction(i));
            ms[1] += ms_since(start);
            start = Clock::now();
            static_cast<void>(images.find(pair, plan, std::size_t{1} << 30));
            ms[2] += ms_since(start);
            start = Clock::now();
            model.build(pair, plan, images, step.model(scene));
            ms[3] += ms_since(start);
        }
        for (std::size_t k = 0; k < 4; ++k) least[k] = std::min(least[k], ms[k]);
    }
    row.refit_ms = least[0], row.plan_ms = least[1], row.images_ms = least[2], row.model_ms = least[3];
}

OverlapRow time_scene(OverlapScene& scene, int runs) {
    OverlapRow row;
    row.name = scene.name;
    row.triangles = scene.triangles();
    row.pixel = scene.pixel;
    row.paper_ms = scene.paper_ms;
    const Vec3 size = scene.box().size() / scene.pixel;
    row.image = fmt::format("{:.0f} x {:.0f} x {:.0f}", size.x, size.y, size.z);
    OverlapStep one(1), two(2);
    row.one_ms = row.many_ms = HUGE_VAL;
    for (int r = 0; r < repetitions(runs); ++r) {
        Clock::time_point start = Clock::now();
        one.run(scene);
        row.one_ms = std::min(row.one_ms, ms_since(start));
        start = Clock::now();
        two.run(scene);
        row.many_ms = std::min(row.many_ms, ms_since(start));
    }
    row.pairs = one.pairs(), row.touching = one.touching();
    row.columns = one.columns(), row.contacts = one.contacts(), row.volume = one.volume();
    take_apart(scene, one, runs, row);
    return row;
}
OverlapRow time_scene(OverlapScene&& scene, int runs) {
    return time_scene(scene, runs);
}

/// The same creatures as files for another program, and what it makes of them.
void ask_peers(const OverlapScene& scene, int runs, const OverlapRow& plush, OverlapBench& bench) {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / fmt::format("plush-overlap-{}", ::getpid());
    fs::create_directories(folder);
    std::array<std::string, 2> files;
    for (std::size_t i = 0; i < 2; ++i) {
        files[i] = (folder / fmt::format("{}.obj", i)).string();
        scene.bodies[i].mesh.transformed(scene.bodies[i].pose).save(files[i]);
    }
    for (const char* name : {"cgal_overlap", "embree_overlap"}) {
        const auto peer = run_overlap_peer(name, files[0], files[1], scene.pixel, std::max(1, runs / 2));
        if (!peer.ok()) {
            bench.notes.push_back(fmt::format("{}: {}", peer.error().problem(), peer.error().cure()));
            continue;
        }
        bench.peers.push_back(
            {peer.value().version, peer.value().ms, peer.value().volume, plush.one_ms, plush.volume});
    }
    fs::remove_all(folder);
}

}  // namespace

OverlapBench bench_overlap(int runs) {
    OverlapBench bench;
    OverlapScene creatures = two_creatures(true);
    bench.rows.push_back(time_scene(creatures, runs));
    ask_peers(creatures, runs, bench.rows.back(), bench);
    bench.rows.push_back(time_scene(two_creatures(false), runs));
    const Vec3 beside{1, 0.25, 0.1};
    bench.rows.push_back(time_scene(two_creatures(true, beside), runs));
    bench.rows.push_back(time_scene(two_creatures(false, beside), runs));
    bench.rows.push_back(time_scene(forty_toys(), std::max(1, runs / 3)));
    bench.rows.push_back(time_scene(three_octopuses(), runs));
    for (const int triangles : {2'000, 20'000, 200'000, 2'000'000, 8'000'000}) {
        OverlapScene balls = two_balls(triangles);
        bench.rows.push_back(time_scene(balls, runs));
        // Between the lines of large pixels whole clusters of fine triangles go.
        balls.pixel *= 8;
        balls.name += ", large pixels";
        bench.rows.push_back(time_scene(balls, runs));
    }
    return bench;
}

}  // namespace plush::lab
