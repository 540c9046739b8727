#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/worlds.hpp"

// A body whose motion is absurd beside its size and the step is named before detection follows it.

namespace plush {
namespace {

using test::error_of;
using test::says;
using test::steps;

TEST(AbsurdMotion, EndsTheStepWithTheLastGoodState) {
    World world(WorldSettings{.threads = 1});
    world.add_ground();
    const BodyId ball =
        world.add(Rigid{.shape = Shape::sphere(0.1), .name = "ball"}, {.position = {0, 1, 0}});
    steps(world, 3);
    world.set_velocity(ball, {1e12, 0, 0});
    const std::uint64_t before = world.state_hash();
    const std::string problem = error_of([&] { world.step(); }).what();
    EXPECT_TRUE(says(problem, "\"ball\"")) << problem;
    EXPECT_TRUE(says(problem, "absurd")) << problem;
    EXPECT_EQ(world.state_hash(), before);
}

TEST(AbsurdMotion, ABulletIsNotAbsurd) {
    World world(WorldSettings{.step = 0.1, .threads = 1});
    world.add_ground();
    world.add(Rigid{.shape = Shape::sphere(0.001)}, {.position = {0, 1, 0}, .velocity = {1000, 0, 0}});
    steps(world, 3);
}

TEST(AbsurdMotion, OfASingleVertexIsNoticed) {
    World world(WorldSettings{.threads = 1});
    Rope rope{{{.name = "rope"}}};
    const BodyId body = world.add(rope);
    world.set_vertex(body, 3, {0, 1e9, 0}, {});
    const std::string problem = error_of([&] { world.step(); }).what();
    EXPECT_TRUE(says(problem, "\"rope\"")) << problem;
    EXPECT_TRUE(says(problem, "absurd")) << problem;
}

TEST(AbsurdMotion, AFrozenBodyStaysAndTheRestGoesOn) {
    World world(WorldSettings{.threads = 1, .absurd_motion = AbsurdMotion::freeze});
    world.add_ground();
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, 1, 0}});
    Rope rope;
    rope.from = {1, 1, 0}, rope.to = {2, 1, 0};
    const BodyId string = world.add(rope);
    const BodyId other = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, 2, 0}});
    world.set_velocity(ball, {1e12, 0, 0});
    world.set_velocity(string, {0, 1e12, 0});
    world.step();
    EXPECT_EQ(world.report().convergence.frozen, 2);
    steps(world, 200);
    EXPECT_EQ(world.report().convergence.frozen, 0);
    EXPECT_EQ(world.centre(ball), (Vec3{0, 1, 0}));
    EXPECT_EQ(world.vertex_positions(string).front(), (Vec3{1, 1, 0}));
    EXPECT_NEAR(world.centre(other).y, 1.2, 0.01);  // it came to lie on the frozen one; 1.19998
    const std::vector<std::byte> snapshot = world.snapshot();
    world.restore(snapshot);
    steps(world, 2);
    EXPECT_EQ(world.centre(ball), (Vec3{0, 1, 0}));
}

}  // namespace
}  // namespace plush
