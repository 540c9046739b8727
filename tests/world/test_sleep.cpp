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

}  // namespace
}  // namespace plush
