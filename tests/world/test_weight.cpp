#include "worlds.hpp"

// At rest, the ground carries the whole weight, and every body's contacts carry its own.

namespace plush {
namespace {

using namespace testing_world;

void expect_weight(World& world, BodyId ground, double sideways) {
    double mass = 0;
    for (BodyId b : world.bodies())
        if (world.kind(b) == BodyKind::rigid) {
            const double weight = world.mass(b) * g;
            EXPECT_NEAR(world.contact_wrench(b).force.y, weight, 1e-3 * weight);
            mass += world.mass(b);
        }
    const Vec3 force = world.contact_wrench(ground).force;
    EXPECT_NEAR(force.y, -mass * g, 1e-3 * mass * g);
    EXPECT_NEAR(force.x, 0, sideways * mass * g);
    EXPECT_NEAR(force.z, 0, sideways * mass * g);
    double sum = 0;
    for (const Contact& c : world.contacts()) {
        EXPECT_GE(c.normal_force, 0);
        EXPECT_LE(norm(c.friction_force), 0.5 * c.normal_force * (1 + 1e-6) + 1e-9);
        EXPECT_NEAR(norm(c.normal), 1, 1e-12);
        EXPECT_NEAR(dot(c.normal, c.friction_force), 0, 1e-9 * mass * g);
        if (c.a == ground || c.b == ground) sum += (c.a == ground ? -1 : 1) * c.normal.y * c.normal_force;
    }
    EXPECT_NEAR(sum, mass * g, 1e-3 * mass * g);
}

TEST(Weight, OfAStack) {
    World world(without_sleep());
    const BodyId ground = world.add_ground();
    for (int i = 0; i < 5; ++i) world.add(cube(), {.position = {0.01 * i, 0.1 + 0.2 * i, 0}});
    steps(world, 120);
    expect_weight(world, ground, 1e-3);
}

TEST(Weight, OfAPyramidOfBoxesAndABall) {
    World world(without_sleep());
    const BodyId ground = world.add_ground();
    for (int row = 0; row < 4; ++row)
        for (int i = 0; i < 4 - row; ++i)
            world.add(cube(), {.position = {0.22 * i + 0.11 * row, 0.1 + 0.2 * row, 0}});
    world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {2, 0.1, 0}});
    steps(world, 180);
    expect_weight(world, ground, 1e-3);
}

TEST(Weight, OfAMesh) {
    World world(without_sleep());
    const BodyId ground = world.add_ground();
    world.add(Rigid{.mesh = generate({.shape = "torus", .triangles = 800, .size = 0.3}).value()},
              {.position = {0, 0.2, 0}});
    steps(world, 240);
    expect_weight(world, ground, 1e-3);
}

TEST(Weight, StaysWhenThePileSleeps) {
    World world;
    const BodyId ground = world.add_ground();
    for (int i = 0; i < 5; ++i) world.add(cube(), {.position = {0.01 * i, 0.1 + 0.2 * i, 0}});
    steps(world, 120);
    ASSERT_EQ(world.report().awake, 0);
    expect_weight(world, ground, 1e-3);
}

}  // namespace
}  // namespace plush
