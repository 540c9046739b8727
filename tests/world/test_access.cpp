#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "support/errors.hpp"
#include "support/worlds.hpp"

// A world that is used where it must not be says so instead of going wrong.

namespace plush {
namespace {

using test::error_of;
using test::says;

BodyId add_ball(World& world, double height = 1) {
    return world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, height, 0}});
}

TEST(Access, AStepWithinAStepIsRefused) {
    World world;
    add_ball(world);
    world.add_custom_force([](World& w) { w.step(); });
    EXPECT_TRUE(says(error_of([&] { world.step(); }), "within its own step()"));
    EXPECT_EQ(world.steps(), 0);
}

TEST(Access, ACustomForceMayActAndReadButChangesNothing) {
    World world;
    const BodyId ball = add_ball(world);
    const std::vector<std::byte> snapshot = world.snapshot();
    int calls = 0;
    world.add_custom_force([&](World& w) {
        w.apply_force(ball, {1, 0, 0});
        w.set_velocity(ball, {0, 0, w.velocity(ball).z + 1});
        const std::function<void()> refused[] = {[&] { add_ball(w); }, [&] { w.remove(ball); },
                                                 [&] { w.restore(snapshot); }, [&] { w.set_step(0.01); },
                                                 [&] { w.add_custom_force([](World&) {}); }};
        for (const auto& call : refused) calls += says(error_of(call), "within its own step()") ? 1 : 0;
    });
    world.step();
    EXPECT_EQ(calls, 5);
    EXPECT_DOUBLE_EQ(world.velocity(ball).z, 1);
    EXPECT_GT(world.velocity(ball).x, 0);
}

TEST(Access, AForceFieldMustNotChangeTheWorld) {
    World world;
    const BodyId rope = world.add(Rope());
    std::string problem;
    world.add_force_field(rope, [&](auto, auto, double, std::span<Vec3>) {
        if (problem.empty()) problem = error_of([&] { world.set_gravity({}); }).what();
    });
    world.step();
    EXPECT_TRUE(says(problem, "within its own step()")) << problem;
}

TEST(Access, AnotherThreadIsRefusedDuringAStep) {
    World world;
    const BodyId ball = add_ball(world);
    std::string reading, acting;
    world.add_custom_force([&](World& w) {
        std::thread other([&] {
            reading = error_of([&] { static_cast<void>(w.centre(ball)); }).what();
            acting = error_of([&] { w.apply_force(ball, {}); }).what();
        });
        other.join();
    });
    world.step();
    EXPECT_TRUE(says(reading, "another thread is changing it")) << reading;
    EXPECT_TRUE(says(acting, "another thread is changing it")) << acting;
}

TEST(Access, ThreadsMayReadAtTheSameTime) {
    World world;
    const BodyId ball = add_ball(world);
    std::atomic<int> failed = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int k = 0; k < 1000; ++k) try {
                    failed += world.centre(ball).y != 1;
                } catch (const Error&) {
                    ++failed;
                }
        });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(failed, 0);
    world.step();
}

TEST(Access, EmptyFunctionsAreRefused) {
    World world;
    const BodyId rope = world.add(Rope());
    EXPECT_TRUE(says(error_of([&] { world.add_custom_force({}); }), "empty"));
    EXPECT_TRUE(says(error_of([&] { world.add_force_field(rope, {}); }), "empty"));
    world.set_logger(Logger());
    world.step();
}

TEST(Access, AWorldThatWasMovedFromSaysSo) {
    World world;
    const BodyId ball = add_ball(world);
    World other = std::move(world);
    const std::function<void()> calls[] = {
        [&] { world.step(); },         [&] { static_cast<void>(world.time()); },
        [&] { add_ball(world); },      [&] { static_cast<void>(world.snapshot()); },
        [&] { world.copy(); },         [&] { static_cast<void>(world.bodies()); },
        [&] { world.set_gravity({}); }};
    for (const auto& call : calls) EXPECT_TRUE(says(error_of(call), "moved from"));
    other.step();
    EXPECT_LT(other.velocity(ball).y, 0);
    world = World();
    world.step();
}

TEST(Access, AForceMayMoveTheWorldAway) {
    World world, taken;
    add_ball(world);
    world.add_custom_force([&](World& w) { taken = std::move(w); });
    world.add_custom_force([&](World& w) { static_cast<void>(w.time()); });
    EXPECT_TRUE(says(error_of([&] { world.step(); }), "moved from"));
    EXPECT_EQ(taken.steps(), 0);
}

}  // namespace
}  // namespace plush
