#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

TEST(Names, NullOnesAreRefused) {
    World world;
    world.add_ground();
    EXPECT_FALSE(BodyId{});
    EXPECT_FALSE(world.alive({}));
    const Error error = error_of([&] { (void)world.pose({}); });
    EXPECT_TRUE(says(error.problem(), "no such body")) << error.what();
    EXPECT_FALSE(error.cure().empty());
    EXPECT_TRUE(says(error_of([&] { (void)world.joint_gap({}); }).problem(), "no such joint"));
    EXPECT_TRUE(says(error_of([&] {
                         (void)world.mass({99, 1});
                     }).problem(),
                     "no such body") ||
                !world.alive({99, 1}));
}

TEST(Names, StaleOnesAreRefusedByEveryFunction) {
    World world;
    const BodyId other = world.add(cube()), gone = world.add(cube(), {.position = {1, 0, 0}});
    world.remove(gone);
    EXPECT_FALSE(world.alive(gone));
    const auto stale = [&](auto act) {
        const Error error = error_of(act);
        EXPECT_TRUE(says(error.problem(), "removed")) << error.what();
        EXPECT_TRUE(says(error.place(), "2.1")) << error.what();
    };
    stale([&] { world.remove(gone); });
    stale([&] { (void)world.kind(gone); });
    stale([&] { (void)world.name(gone); });
    stale([&] { (void)world.pose(gone); });
    stale([&] { (void)world.centre(gone); });
    stale([&] { (void)world.velocity(gone); });
    stale([&] { (void)world.angular_velocity(gone); });
    stale([&] { (void)world.angular_momentum(gone); });
    stale([&] { (void)world.mass(gone); });
    stale([&] { (void)world.drawn(gone); });
    stale([&] { (void)world.shape(gone); });
    stale([&] { (void)world.particle_positions(gone); });
    stale([&] { (void)world.asleep(gone); });
    stale([&] { (void)world.contact_wrench(gone); });
    stale([&] { world.apply_force(gone, {}); });
    stale([&] { world.apply_torque(gone, {}); });
    stale([&] { world.apply_impulse(gone, {}, {}); });
    stale([&] { world.set_pose(gone, {}); });
    stale([&] { world.set_velocity(gone, {}); });
    stale([&] { world.set_keyframes(gone, {}); });
    stale([&] { world.wake(gone); });
    stale([&] { world.sleep(gone); });
    stale([&] { world.set_filter(gone, {}); });
    stale([&] { world.set_collide(other, gone, false); });
    stale([&] { world.set_pair_material(gone, other, {}); });
    stale([&] { world.set_pair_method(other, gone, ContactMethod::none); });
    stale([&] { world.add(BallJoint{}, other, gone); });
}

TEST(Names, ASlotUsedAgainGetsTheNextGeneration) {
    World world;
    const BodyId first = world.add(cube());
    world.remove(first);
    const BodyId second = world.add(cube());
    EXPECT_EQ(second.index, first.index);
    EXPECT_EQ(second.generation, first.generation + 1);
    EXPECT_FALSE(world.alive(first));
    EXPECT_TRUE(world.alive(second));
    EXPECT_THROW((void)world.pose(first), Error);
    EXPECT_NO_THROW((void)world.pose(second));
}

TEST(Names, BodiesAreListedInTheOrderOfAdding) {
    World world;
    const BodyId a = world.add(cube()), b = world.add(cube()), c = world.add(cube());
    EXPECT_EQ(world.bodies(), (std::vector{a, b, c}));
    world.remove(a);
    const BodyId d = world.add(cube());  // in the slot of a, and yet last
    EXPECT_EQ(d.index, a.index);
    EXPECT_EQ(world.bodies(), (std::vector{b, c, d}));
}

TEST(Names, TheFirstBodyOfANameIsFound) {
    World world;
    const BodyId ground = world.add_ground();
    const BodyId crate = world.add(cube(0.1, "crate")), twin = world.add(cube(0.1, "crate"));
    EXPECT_EQ(world.find("ground"), ground);
    EXPECT_EQ(world.find("crate"), crate);
    EXPECT_FALSE(world.find("crat"));
    world.remove(crate);
    EXPECT_EQ(world.find("crate"), twin);
    EXPECT_EQ(world.name(twin), "crate");
    EXPECT_EQ(world.kind(twin), BodyKind::rigid);
    EXPECT_EQ(to_word(BodyKind::scripted), "scripted");
}

TEST(Names, RemovingABodyRemovesItsJoints) {
    World world;
    const BodyId a = world.add(cube()), b = world.add(cube(), {.position = {1, 0, 0}});
    const JointId between = world.add(BallJoint{.anchor = {0.5, 0, 0}}, a, b);
    const JointId hook = world.add(BallJoint{.anchor = {1, 0, 0}}, b);
    EXPECT_LT(world.joint_gap(between), 1e-15);
    world.remove(a);
    EXPECT_THROW((void)world.joint_gap(between), Error);
    EXPECT_NO_THROW((void)world.joint_gap(hook));
    world.step();
    // A joint that takes the free place has a name of its own.
    const BodyId c = world.add(cube(), {.position = {0, 3, 0}});
    const JointId fresh = world.add(BallJoint{.anchor = {0, 3, 0}}, c);
    EXPECT_EQ(fresh.index, between.index);
    EXPECT_NE(fresh, between);
    EXPECT_THROW((void)world.joint_gap(between), Error);
    world.remove(fresh);
    EXPECT_THROW(world.remove(fresh), Error);
}

TEST(Names, RemovingASupportWakesWhatRestedOnIt) {
    World world;
    world.add_ground();
    const BodyId below = world.add(cube(), {.position = {0, 0.1, 0}});
    const BodyId above = world.add(cube(), {.position = {0, 0.3, 0}});
    steps(world, 120);
    ASSERT_TRUE(world.asleep(above));
    world.remove(below);
    EXPECT_FALSE(world.asleep(above));
    steps(world, 60);
    EXPECT_NEAR(world.centre(above).y, 0.1, 1e-3);
    for (const Contact& c : world.contacts()) EXPECT_TRUE(world.alive(c.a) && world.alive(c.b));
}

// Contacts are dropped by a restore, and yet what rests must notice.
TEST(Names, RemovingASupportRightAfterARestoreWakesToo) {
    World world;
    const BodyId ground = world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, 0.1, 0}});
    steps(world, 120);
    ASSERT_TRUE(world.asleep(box));
    world.restore(world.snapshot());
    ASSERT_TRUE(world.asleep(box));
    world.remove(ground);
    EXPECT_FALSE(world.asleep(box));
}

}  // namespace
}  // namespace plush
