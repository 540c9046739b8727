#include "world/expected_motion.hpp"

#include <gtest/gtest.h>

#include "world/world_parts.hpp"
#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

struct Ball {
    Ball() : world(without_gravity()) {
        world.add(world.factory.make(Rigid{.shape = Shape::sphere(0.1)}, {.velocity = {6, 0, 0}}));
        world.step();
    }
    void push(const Vec3& change) {
        const Twist twist{change, {}};
        expected.record_contact_change(0, {&twist, 1});
    }
    WorldParts world;
    ExpectedMotion& expected = world.contact.expected;
};

TEST(ExpectedMotion, ExpectsOfAContactWhatItDidTwice) {
    Ball ball;
    ball.push({0, 1, 0});
    EXPECT_EQ(ball.expected.persistent_change(0).linear, Vec3{});  // a blow need not come again
    ball.push({0, 1, 0});
    EXPECT_EQ(ball.expected.persistent_change(0).linear, (Vec3{0, 1, 0}));  // a load does
    ball.push({0, 2, 0});
    EXPECT_EQ(ball.expected.persistent_change(0).linear, (Vec3{0, 1, 0}));  // half of 2 was there before
    ball.push({0, -1, 0});
    EXPECT_EQ(ball.expected.persistent_change(0).linear, Vec3{});
    ball.push({0, -3, 0}), ball.push({0, -1, 0});
    EXPECT_EQ(ball.expected.persistent_change(0).linear, (Vec3{0, -1, 0}));  // never more than all of it
}

TEST(ExpectedMotion, IsWhereThatTakesABody) {
    Ball ball;
    ball.push({0, 1.5, 0}), ball.push({0, 1.5, 0});
    StepReport report;
    const Rollback rollback([] {});
    const double h = ball.world.settings.step;
    const StepContext step{ball.world.settings, ball.world.parallel, report, rollback, h, 0};
    const Vec3 now = ball.world.bodies[0].rigid().centre();
    ball.world.bodies[0].body->predict(h, {}, ball.world.settings.rotation);
    ball.expected.update(step, {});
    expect_near(ball.expected.pose(0).position, now + h * Vec3{6, 1.5, 0}, 1e-15);
}

TEST(ExpectedMotion, FollowsASolve) {
    Ball ball;
    StepReport report;
    const Rollback rollback([] {});
    const double h = ball.world.settings.step;
    const StepContext step{ball.world.settings, ball.world.parallel, report, rollback, h, 0};
    const Vec3 now = ball.world.bodies[0].rigid().centre();
    ball.world.bodies[0].body->predict(h, {}, ball.world.settings.rotation);
    ball.expected.update(step, {});
    const Twist change{{0, 2, 0}, {}};
    ball.expected.follow(step, 0, {&change, 1});
    EXPECT_EQ(ball.expected.rigid_change(0).linear, (Vec3{0, 2, 0}));
    expect_near(ball.expected.pose(0).position, now + h * Vec3{6, 2, 0}, 1e-15);
}

TEST(ExpectedMotion, IsStateAndIsForgottenWithItsBody) {
    Ball ball;
    ball.push({0, 1, 0}), ball.push({0, 1, 0});
    const auto before = ball.world.snapshot();
    ball.expected.forget_contact_change(0);
    EXPECT_EQ(ball.expected.persistent_change(0).linear, Vec3{});
    ASSERT_TRUE(ball.world.restore(before).ok());
    EXPECT_EQ(ball.expected.persistent_change(0).linear, (Vec3{0, 1, 0}));
}

}  // namespace
}  // namespace plush
