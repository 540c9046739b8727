#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "plush/core/random.hpp"
#include "plush/scene/scene.hpp"
#include "support/worlds.hpp"

// Statistics instead of one seed: the scenes of the papers with other seeds, places and turns. A heap that comes to rest with
// the seed of its scene file and with no other was tuned, not solved.

namespace plush {
namespace {

using Changes = std::vector<std::string>;
using test::inverted_tets;
using test::rms_speed;
using test::run_until;

constexpr double resting_speed = 1e-3;  ///< m/s, root of the mean square

struct Outcome {
    double speed = 0;    ///< m/s at the end, the largest of the last ten steps
    double overlap = 0;  ///< m at the end, the largest depth of a contact
    std::size_t inverted = 0;
    bool verdict = true;  ///< of the scene's own question
    double seconds = 0;   ///< of the clock
    bool rests() const { return speed < resting_speed && inverted == 0 && verdict; }
};

struct Series {
    std::string scene;
    double duration = 0;                            ///< s
    std::function<Changes(std::uint64_t)> changes;  ///< of a seed
    std::function<bool(const World&)> verdict{};    ///< at the end
    double allowed_overlap = HUGE_VAL;              ///< m
};

Outcome run(const Series& series, std::uint64_t seed) {
    Changes changes = series.changes(seed);
    changes.push_back("sleep.enabled=false");
    const auto start = std::chrono::steady_clock::now();
    World world = Scene::load(series.scene, changes).build(0);
    run_until(world, series.duration - 10 * world.settings().step);
    Outcome outcome;
    for (int k = 0; k < 10; ++k) {
        world.step();
        outcome.speed = std::max(outcome.speed, rms_speed(world));
    }
    for (const Contact& c : world.contacts()) outcome.overlap = std::max(outcome.overlap, c.depth);
    outcome.inverted = inverted_tets(world);
    if (series.verdict) outcome.verdict = series.verdict(world);
    outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return outcome;
}

/// Runs the seeds and prints their table; all of them come to rest.
void expect_rest(const Series& series, int seeds) {
    int resting = 0;
    double worst_overlap = 0, seconds = 0;
    std::size_t inverted = 0;
    for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(seeds); ++seed) {
        const Outcome o = run(series, seed);
        resting += o.rests();
        worst_overlap = std::max(worst_overlap, o.overlap);
        inverted += o.inverted;
        seconds += o.seconds;
        EXPECT_LT(o.speed, resting_speed) << series.scene << ", seed " << seed;
        EXPECT_EQ(o.inverted, 0u) << series.scene << ", seed " << seed;
        EXPECT_TRUE(o.verdict) << series.scene << ", seed " << seed;
        EXPECT_LT(o.overlap, series.allowed_overlap) << series.scene << ", seed " << seed;
    }
    fmt::print("{}: {} of {} rest; {} inverted tets; largest overlap {:.2g} mm; {:.1f} s each\n",
               series.scene, resting, seeds, inverted, 1e3 * worst_overlap, seconds / seeds);
}

std::string seed_of_repeat(int body, std::uint64_t seed) {
    return fmt::format("bodies[{}].repeat.seed={}", body, seed);
}

/// Toys of 0.36 m and more are seen in 64 pixels: half of one is left, on the average over a cell.
constexpr double toy_overlap = 0.36 / 64;

Changes toys(std::uint64_t seed) {
    return {seed_of_repeat(5, seed)};
}
Changes few_coarse_toys(std::uint64_t seed) {
    Changes changes = toys(seed);
    changes.push_back("bodies[5].repeat.grid=[2,3,1]");
    for (int k = 0; k < 5; ++k) {
        changes.push_back(fmt::format("bodies[5].one_of[{}].soft.triangles=3000", k));
        changes.push_back(fmt::format("bodies[5].one_of[{}].soft.nodes=150", k));
    }
    return changes;
}

Changes octopuses(std::uint64_t seed) {
    return {seed_of_repeat(2, seed)};
}
Changes small_octopuses(std::uint64_t seed) {
    Changes changes = octopuses(seed);
    changes.insert(changes.end(), {"bodies[2].soft.triangles=4000", "bodies[2].soft.nodes=400"});
    return changes;
}

Changes spheres(std::uint64_t seed) {
    return {seed_of_repeat(5, seed)};
}
Changes few_spheres(std::uint64_t seed) {
    Changes changes = spheres(seed);
    changes.insert(changes.end(), {"bodies[5].repeat.count=40", "bodies[5].repeat.grid=[4,3,4]"});
    return changes;
}

/// Organs that start elsewhere, up to a centimetre, and overlap otherwise.
Changes organs(std::uint64_t seed) {
    Random random(seed);
    Changes changes;
    const auto moved = [&](int body, double x, double y, double z) {
        const auto shift = [&](double v) { return v + random.uniform(-0.01, 0.01); };
        changes.push_back(fmt::format("bodies[{}].at=[{:.6f},{:.6f},{:.6f}]", body, shift(x), y, shift(z)));
    };
    moved(2, 0.075, 0.095, -0.085), moved(4, -0.17, 0.052, -0.05), moved(5, 0.19, 0.05, 0.02);
    moved(6, 0.19, 0.045, -0.09), moved(7, 0.09, 0.035, 0.3);
    changes.push_back(fmt::format("bodies[6].soft.seed={}", 2 * seed + 1));
    changes.push_back(fmt::format("bodies[7].soft.seed={}", 2 * seed + 2));
    return changes;
}
Changes coarse_organs(std::uint64_t seed) {
    Changes changes = organs(seed);
    for (int body = 1; body <= 7; ++body)
        changes.push_back(fmt::format("bodies[{}].soft.triangles={}", body, body <= 3 ? 4000 : 1000));
    for (int body = 8; body <= 9; ++body)
        changes.push_back(fmt::format("bodies[{}].scripted.triangles=6000", body));
    return changes;
}

/// The ball lies in the hand up to 2 mm off and turned.
Changes grasp(std::uint64_t seed) {
    Random random(seed);
    const auto shift = [&](double v) { return v + random.uniform(-0.002, 0.002); };
    const double x = shift(0.0125), z = shift(-0.0087);
    return {fmt::format("bodies[8].at=[{:.6f},0.2012,{:.6f}]", x, z),
            fmt::format("bodies[8].rotate={{\"axis\":[{:.4f},{:.4f},0.5],\"degrees\":{:.2f}}}",
                        random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0, 360))};
}
bool ball_is_held(const World& world) {
    for (const BodyId id : world.bodies())
        if (world.name(id) == "ball") return world.centre(id).y > 0.09;
    return false;
}

TEST(Seeds, FewToysComeToRest) {
    expect_rest({"soft_toys_10", 3, few_coarse_toys, {}, 2 * toy_overlap}, 3);
}
TEST(Seeds, SmallOctopusesComeToRest) {
    expect_rest({"octopuses", 3, small_octopuses}, 3);
}
TEST(Seeds, FewSpheresComeToRest) {
    expect_rest({"sphere_stack", 4, few_spheres}, 3);
}
TEST(Seeds, CoarseOrgansPartAndComeToRest) {
    Series series{"organs", 0.3, coarse_organs, {}, 0.004};
    expect_rest(series, 1);
}
TEST(Seeds, TheHandHoldsTheBall) {
    expect_rest({"grasp", 3.2, grasp, ball_is_held}, 1);
}

TEST(SeedsFull, TenToys) {
    expect_rest({"soft_toys_10", 4, toys, {}, toy_overlap}, 20);
}
TEST(SeedsFull, TwentyToys) {
    expect_rest({"soft_toys_20", 5, toys, {}, toy_overlap}, 20);
}
TEST(SeedsFull, Octopuses) {
    expect_rest({"octopuses", 4, octopuses}, 20);
}
TEST(SeedsFull, SphereStack) {
    expect_rest({"sphere_stack", 5, spheres}, 20);
}
TEST(SeedsFull, Organs) {
    expect_rest({"organs", 3, organs}, 20);
}
TEST(SeedsFull, Grasp) {
    expect_rest({"grasp", 3.2, grasp, ball_is_held}, 20);
}

}  // namespace
}  // namespace plush
