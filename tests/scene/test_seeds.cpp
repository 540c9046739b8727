#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "plush/core/random.hpp"
#include "plush/scene/scene.hpp"
#include "support/worlds.hpp"

// The scenes of the papers over random starts: one seed that rests says little of the next. `PLUSH_SHOW=1` prints each run; the
// long ones print how many rest, and docs/validation.md has what they printed.

namespace plush {
namespace {

using test::inverted_tets;
using test::rms_speed;

/// A scene, and what a seed changes in it.
struct SeededScene {
    std::string scene;
    double duration = 0;
    std::function<std::vector<std::string>(std::uint64_t)> of_seed;
    std::vector<std::string> smaller{};  ///< changes that make it small
};

struct SeedResult {
    double speed = 0;  ///< rms over the last tenth of a second, its largest, m/s
    std::size_t inverted = 0;
    double deepest = 0;  ///< of the last step, m
    double seconds = 0;  ///< of computing
    bool rests() const { return speed < 1e-3; }
};

SeedResult run(const SeededScene& scene, std::uint64_t seed) {
    const auto start = std::chrono::steady_clock::now();
    std::vector<std::string> changes = scene.of_seed(seed);
    changes.insert(changes.end(), scene.smaller.begin(), scene.smaller.end());
    changes.push_back("sleep.enabled=false");
    World world = Scene::load(scene.scene, changes).build(1);
    SeedResult result;
    while (world.time() < scene.duration - 0.5 * world.settings().step) {
        world.step();
        if (world.time() > scene.duration - 0.1) result.speed = std::max(result.speed, rms_speed(world));
    }
    result.inverted = inverted_tets(world);
    result.deepest = world.report().largest_depth;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

/// Runs seeds and prints them; the number of those that rest.
int run_seeds(const SeededScene& scene, std::uint64_t count) {
    int resting = 0;
    SeedResult worst;
    const char* one = std::getenv("PLUSH_SEED");
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        if (one && std::strtoull(one, nullptr, 10) != seed) continue;
        const SeedResult r = run(scene, seed);
        if (std::getenv("PLUSH_SHOW")) {
            fmt::print("{} seed {}: {:.3g} mm/s, {} tets inside out, overlap {:.3g} mm, {:.0f} s\n",
                       scene.scene, seed, 1e3 * r.speed, r.inverted, 1e3 * r.deepest, r.seconds);
            std::fflush(stdout);
        }
        resting += r.rests();
        worst.speed = std::max(worst.speed, r.speed), worst.inverted = std::max(worst.inverted, r.inverted);
        worst.deepest = std::max(worst.deepest, r.deepest), worst.seconds += r.seconds;
    }
    fmt::print(
        "{}: {} of {} rest below 1 mm/s, the fastest {:.3g} mm/s, at most {} tets inside out, largest "
        "overlap {:.3g} mm, {:.0f} s "
        "in all\n",
        scene.scene, resting, count, 1e3 * worst.speed, worst.inverted, 1e3 * worst.deepest, worst.seconds);
    return resting;
}

/// "bodies[NAME].at=[…]": where it stands, moved by up to 2 mm.
std::string moved(Random& random, const std::string& body, const Vec3& at) {
    constexpr double most = 2e-3;
    const Vec3 to =
        at + Vec3{random.uniform(-most, most), random.uniform(0, most), random.uniform(-most, most)};
    return fmt::format("bodies[{}].at=[{},{},{}]", body, to.x, to.y, to.z);
}

std::function<std::vector<std::string>(std::uint64_t)> of_repeat(const std::string& body) {
    return [body](std::uint64_t seed) {
        return std::vector{fmt::format("bodies[{}].repeat.seed={}", body, seed)};
    };
}

std::vector<std::string> moved_organs(std::uint64_t seed) {
    Random random(seed);
    return {moved(random, "liver", {-0.05, 0.115, 0}),
            moved(random, "stomach", {0.075, 0.095, -0.085}),
            moved(random, "left kidney", {-0.17, 0.052, -0.05}),
            moved(random, "right kidney", {0.19, 0.05, 0.02}),
            moved(random, "spleen", {0.19, 0.045, -0.09}),
            moved(random, "bladder", {0.09, 0.035, 0.3})};
}

std::vector<std::string> moved_ball(std::uint64_t seed) {
    Random random(seed);
    return {moved(random, "ball", {0.0125, 0.2012, -0.0087})};
}

/// Changes that make a soft body of a scene coarser, so that a run is short.
std::vector<std::string> smaller(const std::string& body, int triangles, int nodes) {
    return {fmt::format("bodies[{}].soft.triangles={}", body, triangles),
            fmt::format("bodies[{}].soft.nodes={}", body, nodes)};
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// -- three seeds of small ones

TEST(Seeds, ThreeSoftToys) {
    std::vector<std::string> small{"bodies[toy].repeat.grid=[1,3,1]"};
    for (int k = 0; k < 5; ++k)
        small = small + std::vector{fmt::format("bodies[toy].one_of[{}].soft.triangles=600", k),
                                    fmt::format("bodies[toy].one_of[{}].soft.nodes=80", k)};
    EXPECT_EQ(run_seeds({"soft_toys_10", 2.5, of_repeat("toy"), small}, 3), 3);
}
TEST(SeedsFull, TwoSmallOctopuses) {
    EXPECT_EQ(run_seeds({"octopuses", 2.5, of_repeat("octopus"),
                         smaller("octopus", 1500, 200) +
                             std::vector<std::string>{"bodies[octopus].repeat.count=2"}},
                        3),
              3);
}
TEST(Seeds, SphereStack) {
    EXPECT_EQ(run_seeds({"sphere_stack",
                         4,
                         of_repeat("sphere"),
                         {"bodies[sphere].repeat.grid=[3,2,3]", "bodies[sphere].repeat.count=18"}},
                        3),
              3);
}
TEST(SeedsFull, SmallOrgans) {
    std::vector<std::string> small;
    for (const char* organ : {"liver", "stomach", "gut"}) small = small + smaller(organ, 2000, 150);
    for (const char* organ : {"left kidney", "right kidney", "spleen", "bladder"})
        small = small + smaller(organ, 600, 60);
    small = small + std::vector<std::string>{"bodies[near jaw].scripted.triangles=2000",
                                             "bodies[far jaw].scripted.triangles=2000"};
    EXPECT_EQ(run_seeds({"organs", 4, moved_organs, small}, 3), 3);
}
TEST(Seeds, Grasp) {
    EXPECT_EQ(run_seeds({"grasp", 3.2, moved_ball, smaller("hand", 1500, 300) + smaller("ball", 600, 80)}, 3),
              3);
}

// -- 20 seeds of the scenes as they are

TEST(SeedsFull, TenSoftToys) {
    EXPECT_EQ(run_seeds({"soft_toys_10", 4, of_repeat("toy")}, 20), 20);
}
TEST(SeedsFull, Octopuses) {
    EXPECT_EQ(run_seeds({"octopuses", 3, of_repeat("octopus")}, 20), 20);
}
TEST(SeedsFull, SphereStack) {
    EXPECT_EQ(run_seeds({"sphere_stack", 5, of_repeat("sphere")}, 20), 20);
}
TEST(SeedsFull, Organs) {
    EXPECT_EQ(run_seeds({"organs", 4.5, moved_organs}, 20), 20);
}
TEST(SeedsFull, Grasp) {
    EXPECT_EQ(run_seeds({"grasp", 3.2, moved_ball}, 20), 20);
}

}  // namespace
}  // namespace plush
