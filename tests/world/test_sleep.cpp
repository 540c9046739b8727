#include <cmath>

#include "plush/core/random.hpp"
#include "support/worlds.hpp"
#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

/// A box that fell asleep on a ground, or on a plate above it.
class Sleep : public ::testing::Test {
protected:
    void SetUp() override {
        ground = world.add_ground();
        box = world.add(cube(0.1, "box"), {.position = {0, 0.1, 0}});
        steps(world, 60);
        ASSERT_TRUE(world.asleep(box));
    }
    World world;
    BodyId ground, box;
};

TEST_F(Sleep, TakesHalfASecondOfRest) {
    World fresh;
    fresh.add_ground();
    const BodyId other = fresh.add(cube(), {.position = {0, 0.1, 0}});
    int n = 0;
    while (n < 100 && !fresh.asleep(other)) {
        fresh.step();
        ++n;
    }
    EXPECT_GE(n, 30);
    EXPECT_LE(n, 33);
    EXPECT_EQ(fresh.velocity(other), Vec3{});
    EXPECT_EQ(fresh.report().awake, 1);
    fresh.step();
    EXPECT_EQ(fresh.report().awake, 0);
}

TEST_F(Sleep, ABodyAsleepDoesNotMove) {
    const Transform before = world.pose(box);
    steps(world, 60);
    EXPECT_EQ(world.pose(box), before);
}

TEST_F(Sleep, KeepsContactsAndEvents) {
    const double weight = world.mass(box) * g;
    for (int i = 0; i < 30; ++i) {
        world.step();
        ASSERT_EQ(world.events().size(), 1u);
        EXPECT_EQ(world.events()[0].kind, ContactEvent::Kind::ongoing);
        EXPECT_NEAR(world.contact_wrench(box).force.y, weight, 1e-3 * weight);
        EXPECT_NEAR(world.contact_wrench(ground).force.y, -weight, 1e-3 * weight);
    }
    world.wake(box);
    world.step();
    ASSERT_EQ(world.events().size(), 1u);
    EXPECT_EQ(world.events()[0].kind, ContactEvent::Kind::ongoing);
}

TEST_F(Sleep, EndsWhenHit) {
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.05)}, {.position = {-1, 0.1, 0}});
    world.set_velocity(ball, {5, 1, 0});
    bool woke = false;
    for (int i = 0; i < 30; ++i) {
        world.step();
        woke = woke || !world.asleep(box);
    }
    EXPECT_TRUE(woke);
    EXPECT_GT(world.centre(box).x, 0.001);
}

TEST_F(Sleep, EndsWhenAForceActs) {
    world.apply_force(box, {0, 0, 0.8 * world.mass(box) * g});
    EXPECT_FALSE(world.asleep(box));
    world.step();
    EXPECT_GT(world.velocity(box).z, 0.03);  // 0.3 g h = 0.049
}

TEST_F(Sleep, EndsByTorqueImpulseVelocityPoseAndWord) {
    const auto wakes = [&](auto act) {
        world.sleep(box);
        ASSERT_TRUE(world.asleep(box));
        act();
        EXPECT_FALSE(world.asleep(box));
    };
    wakes([&] { world.apply_torque(box, {0, 1, 0}); });
    wakes([&] { world.apply_impulse(box, {0, 0.1, 0}, {}); });
    wakes([&] { world.set_velocity(box, {0, 0.1, 0}); });
    wakes([&] { world.set_pose(box, world.pose(box)); });
    wakes([&] { world.wake(box); });
    wakes([&] { world.set_filter(box, {}); });
    wakes([&] { world.set_pair_material(box, ground, {}); });
    wakes([&] { world.set_pair_method(box, ground, ContactMethod::none); });
}

TEST_F(Sleep, EndsWhenTheSupportIsRemoved) {
    world.remove(ground);
    EXPECT_FALSE(world.asleep(box));
    steps(world, 30);
    EXPECT_LT(world.centre(box).y, -1);
}

TEST_F(Sleep, EndsWhenTheSupportIsMoved) {
    world.set_pose(ground, {{0, -0.5, 0}, {}});
    EXPECT_FALSE(world.asleep(box));
    steps(world, 60);
    EXPECT_NEAR(world.centre(box).y, -0.4, 1e-3);
}

TEST_F(Sleep, EndsWhenTheSupportIsMovedRightAfterARestore) {
    world.restore(world.snapshot());
    world.set_pose(ground, {{0, -0.5, 0}, {}});
    EXPECT_FALSE(world.asleep(box));
}

TEST_F(Sleep, EndsWhenAScriptedSupportStartsToMove) {
    const BodyId lift = world.add(
        Scripted{.shape = Shape::box({0.5, 0.1, 0.5}), .keyframes = {{.time = 0, .position = {3, 0.5, 0}}}});
    const BodyId load = world.add(cube(), {.position = {3, 0.7, 0}});
    steps(world, 60);
    ASSERT_TRUE(world.asleep(load));
    const double now = 1;  // a script counts from when its body was added
    world.set_keyframes(lift,
                        {{.time = now, .position = {3, 0.5, 0}}, {.time = now + 1, .position = {3, 1.5, 0}}});
    steps(world, 90);
    EXPECT_NEAR(world.centre(load).y, 1.7, 2e-3);
}

TEST_F(Sleep, IsOffOnRequest) {
    World awake(without_sleep());
    awake.add_ground();
    const BodyId other = awake.add(cube(), {.position = {0, 0.1, 0}});
    steps(awake, 120);
    EXPECT_FALSE(awake.asleep(other));
}

TEST(SleepOfPiles, IsThatOfTheWholeIsland) {
    World world;
    world.add_ground();
    std::vector<BodyId> boxes;
    for (int i = 0; i < 5; ++i) boxes.push_back(world.add(cube(), {.position = {0, 0.1 + 0.2 * i, 0}}));
    const auto sleepers = [&] {
        int n = 0;
        for (BodyId b : boxes) n += world.asleep(b);
        return n;
    };
    int n = 0;
    while (n < 120 && sleepers() == 0) {
        world.step();
        ++n;
    }
    EXPECT_EQ(sleepers(), 5) << "after " << n << " steps";
    // One that is disturbed wakes them all.
    world.wake(boxes[4]);
    world.step();
    EXPECT_EQ(sleepers(), 0);
}

// A joint holds bodies awake together as a contact does.
TEST(SleepOfPiles, GoesAlongJoints) {
    World world;
    world.add_ground();
    const BodyId a = world.add(cube(), {.position = {0, 0.1, 0}});
    const BodyId b = world.add(cube(), {.position = {0.25, 0.1, 0}});
    world.add(BallJoint{.anchor = {0.125, 0.1, 0}}, a, b);
    steps(world, 120);
    ASSERT_TRUE(world.asleep(a) && world.asleep(b));
    world.wake(b);
    world.step();
    EXPECT_FALSE(world.asleep(a));
}

// Newton's first law over random drifts: sizes, speeds below the sleeping speed, steps, with and without spin, alone and as a
// pair that is joined. The old rule put all of them to sleep after half a second.
TEST(SleepLaws, WhatDriftsInFreeSpaceDriftsOn) {
    Random random(5);
    for (int k = 0; k < 40; ++k) {
        WorldSettings settings;
        settings.gravity = {};
        settings.step = 1.0 / random.uniform(30, 240);
        World world(settings);
        const double size = std::pow(10, random.uniform(-2, 1)),
                     speed = std::pow(10, random.uniform(-7, -2.3));
        const Vec3 spin{0, random.uniform(-1, 1) * speed / size, 0};
        const BodyId ball = world.add(Rigid{.shape = Shape::box({size, 0.5 * size, size})},
                                      {.velocity = {speed, 0, 0}, .angular_velocity = spin});
        if (k % 2 == 0) {
            const BodyId other = world.add(
                Rigid{.shape = Shape::sphere(size)},
                {.position = {0, 3 * size, 0}, .velocity = {speed, 0, 0}, .angular_velocity = spin});
            world.add(FixedJoint{}, ball, other);
        }
        test::run_until(world, 2);
        EXPECT_FALSE(world.asleep(ball));
        EXPECT_NEAR(world.velocity(ball).x, speed, 1e-3 * speed) << "size " << size << " speed " << speed;
    }
}

// On ice it slides on, and so does a ball that rolls; what rests sleeps.
TEST(SleepLaws, WhatSlidesOrRollsSlowlyGoesOn) {
    for (const double speed : {8e-3, 1e-3, 1e-4}) {
        World world;
        world.add_ground(0, {.friction = 0});
        const BodyId block =
            world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .material = {.friction = 0}},
                      {.position = {0, 0.1, 0}, .velocity = {speed, 0, 0}});
        const BodyId rests =
            world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .material = {.friction = 0}},
                      {.position = {5, 0.1, 0}});
        test::run_until(world, 3);
        EXPECT_FALSE(world.asleep(block)) << speed;
        EXPECT_NEAR(world.centre(block).x, 3 * speed, 0.01 * 3 * speed);
        EXPECT_TRUE(world.asleep(rests));
    }
    World world;
    world.add_ground(0, {.friction = 0.5});
    const BodyId ball =
        world.add(Rigid{.shape = Shape::sphere(0.1)},
                  {.position = {0, 0.1, 0}, .velocity = {4e-3, 0, 0}, .angular_velocity = {0, 0, -4e-2}});
    test::run_until(world, 3);
    EXPECT_FALSE(world.asleep(ball));
    EXPECT_NEAR(world.velocity(ball).x, 4e-3, 4e-5);
}

// Just above and just below what friction holds.
TEST(SleepLaws, ABlockSlidesWhereItsSlopeExceedsFrictionByAHair) {
    for (const double excess : {1.002, 0.998}) {
        const double friction = 0.5, angle = std::atan(excess * friction);
        WorldSettings settings;
        settings.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
        World world(settings);
        world.add_ground(0, {.friction = friction});
        const BodyId block =
            world.add(Rigid{.shape = Shape::box({0.2, 0.05, 0.2}), .material = {.friction = friction}},
                      {.position = {0, 0.05, 0}});
        test::run_until(world, 4);
        const double a = 9.81 * (std::sin(angle) - friction * std::cos(angle));
        EXPECT_EQ(world.asleep(block), excess < 1);
        EXPECT_NEAR(world.centre(block).x, excess > 1 ? 8 * a : 0, excess > 1 ? 0.1 * 8 * a : 1e-6);
    }
}

}  // namespace
}  // namespace plush
