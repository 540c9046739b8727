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
