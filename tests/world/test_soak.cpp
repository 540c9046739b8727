#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>

#include "support/worlds.hpp"

// A mixer that turns for a long time, with rigid and soft bodies in it: memory and the time of a step stay as they are, nothing
// leaves through a wall, and the energy stays bounded.

namespace plush {
namespace {

double resident_mib() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    return 0;
}

World mixer() {
    WorldSettings settings{.step = 1.0 / 120, .threads = 1};
    World world(settings);
    world.add(Fixed{.shape = Shape::half_space(), .name = "floor"});
    const Vec3 walls[] = {{1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}, {0, -1, 0}};
    for (const Vec3& inward : walls)
        world.add(Fixed{.shape = Shape::half_space(inward)}, {.position = -0.5 * inward + Vec3{0, 0.5, 0}});
    std::vector<Keyframe> turn;
    for (int k = 0; k <= 8; ++k)
        turn.push_back(
            {.time = 0.5 * k, .position = {0, 0.1, 0}, .rotation = from_axis_angle({0, 1, 0}, 45.0 * k)});
    world.add(
        Scripted{.shape = Shape::box({0.4, 0.08, 0.03}), .keyframes = turn, .loop = true, .name = "paddle"});
    for (int k = 0; k < 4; ++k)
        world.add(Rigid{.shape = k % 2 ? Shape::sphere(0.07) : Shape::box({0.06, 0.06, 0.06})},
                  {.position = {0.2 * k - 0.3, 0.4, 0.3}});
    const SoftSolid solid = SoftSolid::fill(Shape::box({0.07, 0.07, 0.07}).drawn(), {.cells_across = 2});
    Soft soft;
    soft.solid = solid, soft.elastic.young = 1e5;
    world.add(soft, {.position = {0.2, 0.4, -0.3}});
    return world;
}

void soak(int steps, int windows) {
    World world = mixer();
    test::steps(world, 240);
    double memory = 0, first = 0, slowest = 0;
    for (int w = 0; w < windows; ++w) {
        const auto began = std::chrono::steady_clock::now();
        for (int k = 0; k < steps / windows; ++k) {
            world.step();
            ASSERT_LT(world.energy().kinetic, 100) << "step " << world.steps();
        }
        const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        if (w == 0) first = time, memory = resident_mib();  // by then all rooms have what they keep
        slowest = std::max(slowest, time);
        for (const BodyId body : world.bodies()) {
            if (world.kind(body) != BodyKind::rigid && world.kind(body) != BodyKind::deformable) continue;
            const Vec3 c = world.centre(body);
            ASSERT_TRUE(std::abs(c.x) < 0.5 && std::abs(c.z) < 0.5 && c.y > 0 && c.y < 1)
                << c.x << " " << c.y << " " << c.z;
        }
    }
    EXPECT_LT(resident_mib(), memory + 32);
    EXPECT_LT(slowest, 3 * first + 0.5) << first;
}

TEST(Soak, AMixerTurnsForAWhile) {
    soak(600, 2);
}
TEST(SoakFull, AMillionSteps) {
    soak(1'000'000, 50);
}

}  // namespace
}  // namespace plush
