#include <gtest/gtest.h>

#include "plush/world/world.hpp"
#include "support/errors.hpp"

namespace plush {
namespace {

using test::says;

TEST(WorldLog, TellsOnceOfABodyThatMovesPastItsOwnThicknessInAStep) {
    World world(WorldSettings{.step = 1.0 / 60});
    std::vector<std::string> heard;
    world.set_logger(
        Logger([&](LogLevel, std::string_view text) { heard.emplace_back(text); }, LogLevel::info));
    // 2 cm thick: 1 m/s is 1.7 cm a step, 10 m/s is 17 cm.
    world.add(Rigid{.shape = Shape::sphere(0.01), .name = "slow"}, {.velocity = {1, 0, 0}});
    world.step();
    EXPECT_TRUE(heard.empty());
    world.add(Rigid{.shape = Shape::sphere(0.01), .name = "fast"},
              {.position = {0, 1, 0}, .velocity = {10, 0, 0}});
    for (int i = 0; i < 3; ++i) world.step();
    ASSERT_EQ(heard.size(), 1u);
    EXPECT_TRUE(says(heard[0], "\"fast\""));
}

/// What is thrown in the middle of a step, here by what listens, leaves the world as it was.
TEST(WorldLog, AnExceptionInsideAStepPutsTheWorldBack) {
    World world;
    bool full = false;
    world.set_logger(Logger(
        [&](LogLevel, std::string_view) {
            if (full) throw std::bad_alloc();
        },
        LogLevel::info));
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.01)}, {.velocity = {1, 0, 0}});
    world.step();
    world.set_velocity(ball, {100, 0, 0});
    const std::uint64_t before = world.state_hash();
    full = true;
    EXPECT_THROW(world.step(), std::bad_alloc);
    EXPECT_EQ(world.state_hash(), before);
    full = false;
    EXPECT_NO_THROW(world.step());
    EXPECT_EQ(world.steps(), 2);
}

TEST(WorldLog, TheThresholdHoldsBackWhatIsBelowIt) {
    World world;
    int heard = 0;
    world.set_logger(Logger([&](LogLevel, std::string_view) { ++heard; }, LogLevel::warning));
    world.add(Rigid{.shape = Shape::sphere(0.01)}, {.velocity = {10, 0, 0}});
    world.step();
    EXPECT_EQ(heard, 0);
}

}  // namespace
}  // namespace plush
