#include <gtest/gtest.h>

#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"
#include "support/points.hpp"
#include "support/worlds.hpp"

namespace plush {
namespace {

using test::error_of;
using test::hash_after;
using test::lowest;
using test::says;
using test::without_gravity;

/// Vertices against distances.
WorldSettings by_points(WorldSettings settings = {}) {
    settings.contact.method = ContactMethod::points;
    return settings;
}

Jelly small_jelly() {
    Jelly jelly;
    jelly.low = {-0.1, -0.1, -0.1}, jelly.high = {0.1, 0.1, 0.1};
    jelly.cells = {3, 3, 3};
    jelly.springs.density = 500;
    jelly.springs.stretch = 50;
    jelly.springs.shear = 50;
    return jelly;
}

TEST(Deformables, AClothHangsFromItsPins) {
    World world;
    Cloth cloth;
    cloth.motion.damping = 2;
    const BodyId body = world.add(cloth, {.position = {0, 2, 0}});
    EXPECT_EQ(world.kind(body), BodyKind::deformable);
    EXPECT_EQ(world.pin(body, Box3{{-0.6, 1.9, -0.51}, {0.6, 2.1, -0.49}}), 21u);  // one side
    while (world.time() < 4) world.step();
    EXPECT_NEAR(world.vertex_positions(body)[0].y, 2, 1e-12);
    // The other side hangs a metre below, and as much more as its weight stretches it.
    EXPECT_LT(lowest(world.vertex_positions(body)), 1.0);
    EXPECT_GT(lowest(world.vertex_positions(body)), 0.9);
    EXPECT_LT(world.energy().kinetic, 1e-3);
    EXPECT_GT(world.elastic_energy(body), 0);
}

TEST(Deformables, AJellyRestsOnTheGround) {
    World world(by_points());
    world.add_ground();
    const BodyId body = world.add(small_jelly(), {.position = {0, 0.15, 0}});
    while (world.time() < 2) world.step();
    EXPECT_GT(lowest(world.vertex_positions(body)), -1e-4);
    EXPECT_LT(lowest(world.vertex_positions(body)), 2e-3);  // the buffer is a millimetre
    ASSERT_EQ(world.events().size(), 1u);
    EXPECT_EQ(world.events()[0].kind, ContactEvent::Kind::ongoing);
    double weight = 0;
    for (const Contact& c : world.contacts()) weight += c.normal_force;
    EXPECT_NEAR(weight, 9.81 * world.mass(body), 0.02 * 9.81 * world.mass(body));
}

// A jelly flies into a ball that is free: what the one loses the other gets.
TEST(Deformables, MomentumPassesToRigidBodies) {
    World world(by_points(without_gravity({.threads = 1})));
    const BodyId jelly = world.add(small_jelly(), {.position = {0, 0, 0}, .velocity = {2, 0, 0}});
    const BodyId ball =
        world.add(Rigid{.shape = Shape::sphere(0.1), .mass = 2}, {.position = {0.25, 0.02, 0}});
    const Vec3 before = world.momentum();
    while (world.time() < 0.5) world.step();
    EXPECT_GT(world.velocity(ball).x, 0.5);
    EXPECT_LT(world.velocity(jelly).x, 1.9);
    EXPECT_LT(norm(world.momentum() - before), 1e-10 * norm(before));
}

// The impulse law puts vertices on the surface where it is at the end of the step, also when that has moved.
TEST(Deformables, TheImpulseLawKnowsThatTheFloorRises) {
    WorldSettings settings;
    settings.contact.surface.law = SurfaceLaw::impulse;
    World world(settings);
    Scripted lift{.shape = Shape::box({1, 0.1, 1})};
    lift.keyframes = {{0, {0, -0.1, 0}, {}}, {1, {0, 0.9, 0}, {}}};
    const BodyId floor = world.add(lift);
    const BodyId body = world.add(small_jelly(), {.position = {0, 0.15, 0}});
    while (world.time() < 0.9) {
        world.step();
        EXPECT_GT(lowest(world.vertex_positions(body)), world.pose(floor).position.y + 0.1 - 1e-9)
            << world.time();
    }
    EXPECT_LT(lowest(world.vertex_positions(body)), 1.2);
}

TEST(Deformables, AttachedVerticesFollowAScriptedBody) {
    World world;
    Scripted hand{.shape = Shape::sphere(0.05)};
    hand.keyframes = {{0, {0, 2, 0}, {}}, {1, {1, 2, 0}, from_axis_angle({0, 1, 0}, 90)}};
    const BodyId scripted = world.add(hand);
    Rope rope;
    rope.from = {0, 2, 0}, rope.to = {0, 1, 0};
    const BodyId body = world.add(rope);
    world.set_collide(body, scripted, false);
    EXPECT_EQ(world.attach(body, {{-0.01, 1.99, -0.01}, {0.01, 2.01, 0.01}}, scripted), 1u);
    while (world.time() < 1) world.step();
    EXPECT_LT(norm(world.vertex_positions(body)[0] - Vec3{1, 2, 0}), 1e-12);
    world.remove(scripted);  // and then it falls
    const double height = world.vertex_positions(body)[0].y;
    while (world.time() < 1.5) world.step();
    EXPECT_LT(world.vertex_positions(body)[0].y, height - 0.5);
}

World build(int threads) {
    World world(WorldSettings{.threads = threads});
    world.add_ground();
    world.add(Fixed{.shape = Shape::sphere(0.3)}, {.position = {0, 0.3, 0}});
    Cloth cloth;
    cloth.vertices = {31, 31};
    cloth.motion.radius = 0.01;
    world.add(cloth, {.position = {0, 0.7, 0}});
    Jelly verlet = small_jelly();
    verlet.motion.integration.method = IntegrationMethod::verlet;
    verlet.material.friction = 0;  // which is stiff near rest: an explicit method would need tiny steps
    world.add(verlet, {.position = {1, 0.3, 0}});
    return world;
}

TEST(Deformables, TheSameBitsForAnyThreadCountAndAcrossARestore) {
    const auto hash = [](int threads, bool restored) {
        return hash_after([&] { return build(threads); }, 40, restored);
    };
    const std::uint64_t one = hash(1, false);
    EXPECT_EQ(hash(2, false), one);
    EXPECT_EQ(hash(1, true), one);
}

TEST(Deformables, ARefusedStepNamesTheBodyAndKeepsTheLastGoodState) {
    World world;
    Jelly stiff = small_jelly();
    stiff.name = "stiff";
    stiff.springs.stretch = 1e7;
    stiff.motion.integration = {.method = IntegrationMethod::runge_kutta_4, .policy = StepPolicy::refuse};
    const BodyId body = world.add(stiff);
    const std::uint64_t before = world.state_hash();
    EXPECT_LT(world.largest_stable_step(body), 1e-3);
    EXPECT_TRUE(says(error_of([&] { world.step(); }).place(), "stiff"));
    EXPECT_EQ(world.state_hash(), before);
}

TEST(Deformables, NonsenseIsRefused) {
    World world;
    Rope rope;
    rope.to = rope.from;
    EXPECT_THROW(world.add(rope), Error);
    Cloth cloth;
    cloth.springs.stretch = -1;
    EXPECT_THROW(world.add(cloth), Error);
    const BodyId body = world.add(small_jelly());
    EXPECT_THROW(world.pin(body, 1000000), Error);
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {1, 0, 0}});
    EXPECT_THROW(static_cast<void>(world.vertex_positions(ball)), Error);
}

}  // namespace
}  // namespace plush
