#include <gtest/gtest.h>

#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"
#include "support/points.hpp"
#include "support/worlds.hpp"

// Position constraints of Verlet bodies in worlds: edges that do not stretch, and obstacles.

namespace plush {
namespace {

using test::hash_after;
using test::lowest;
using test::says;

constexpr double g = 9.81;

template <class Body>
Body on_verlet(ConstraintSettings constraints,
               IntegrationMethod method = IntegrationMethod::time_corrected_verlet) {
    Body body;
    body.motion.integration.method = method;
    body.constraints = constraints;
    return body;
}

/// Nothing but its edges holds it together.
template <class Body>
Body limp(ConstraintSettings constraints,
          IntegrationMethod method = IntegrationMethod::time_corrected_verlet) {
    Body body = on_verlet<Body>(constraints, method);
    body.springs.stretch = body.springs.shear = body.springs.bend = 0;
    return body;
}

/// How far the worst of these edges is from its length: measured here, not by who shall hold it.
double worst_edge(const World& world, BodyId body, std::size_t begin, std::size_t end, std::size_t stride,
                  double length) {
    const auto x = world.vertex_positions(body);
    double worst = 0;
    for (std::size_t i = begin; i < end; ++i)
        worst = std::max(worst, std::abs(norm(x[i + stride] - x[i]) - length));
    return worst;
}

TEST(Constraints, ARopeThatSwingsKeepsItsLength) {
    for (IntegrationMethod method : {IntegrationMethod::verlet, IntegrationMethod::time_corrected_verlet}) {
        World world;
        Rope rope = limp<Rope>({.inextensible = true, .iterations = 200}, method);
        rope.segments = 10;
        const BodyId body = world.add(rope, {.position = {0, 2, 0}});
        world.pin(body, 0);
        double worst = 0;
        while (world.time() < 2) {
            world.step();
            const double now = worst_edge(world, body, 0, 10, 1, 0.1);
            EXPECT_NEAR(world.constraint_error(body), now, 1e-15);
            worst = std::max(worst, now);
        }
        EXPECT_LT(worst, 5e-5);  // of 100 mm an edge; measured 6.8e-6
        EXPECT_LT(lowest(world.vertex_positions(body)), 1.5);
    }
}

// Springs of 10 N let a rope of 1 kg hang down by half its length; the limit does not.
TEST(Constraints, MostStretchIsALimitAndNoLength) {
    const auto length = [](ConstraintSettings constraints) {
        World world;
        Rope rope = on_verlet<Rope>(constraints);
        rope.to = {0, -1, 0};
        rope.segments = 10;
        rope.springs = {.stretch = 10, .bend = 0, .density = 1};
        rope.motion.damping = 4;
        const BodyId body = world.add(rope);
        world.pin(body, 0);
        while (world.time() < 4) world.step();
        return -lowest(world.vertex_positions(body));
    };
    EXPECT_NEAR(length({}), 1 + 0.5 * g / 10, 0.01);
    const double limited = length({.max_stretch = 1.2, .iterations = 200});
    // Edge k from below carries (k − ½) 0.1 g of 10 N: the two lowest stay below 1.2, the rest are at it.
    const double expected = 0.8 * 1.2 + 0.2 + 0.1 * (0.5 + 1.5) * 0.1 * g / 10;
    EXPECT_NEAR(limited, expected, 1e-4);  // measured: 1.17962, both
}

TEST(Constraints, AnInextensibleClothOverABall) {
    World world;
    world.add_ground();
    world.add(Fixed{.shape = Shape::sphere(0.3), .material = {.friction = 0.3}}, {.position = {0, 0.4, 0}});
    Cloth cloth = on_verlet<Cloth>({.inextensible = true, .obstacles = true, .iterations = 40});
    cloth.springs = {.stretch = 0, .shear = 2, .bend = 0.01, .density = 0.2};
    cloth.motion.damping = 0.5;
    cloth.motion.radius = 0.01;
    const BodyId body = world.add(cloth, {.position = {0, 0.75, 0}});
    double worst = 0;
    while (world.time() < 1.5) {
        world.step();
        for (std::size_t row = 0; row < 21; ++row)  // along side_x, then along side_y
            worst = std::max(worst, worst_edge(world, body, 21 * row, 21 * row + 20, 1, 0.05));
        worst = std::max(worst, worst_edge(world, body, 0, 20 * 21, 21, 0.05));
        for (const Vec3& p : world.vertex_positions(body)) {
            // What is seen last holds exactly.
            EXPECT_GT(norm(p - Vec3{0, 0.4, 0}), 0.31 - 1e-9) << world.time();
            EXPECT_GT(p.y, 0.01 - 1e-9) << world.time();
        }
        if (HasFailure()) break;
    }
    EXPECT_LT(worst, 1e-3);  // of 50 mm an edge; measured 1.2e-4
    EXPECT_FALSE(world.contacts().empty());
    EXPECT_LT(lowest(world.vertex_positions(body)), 0.3) << "it hangs down";
    EXPECT_EQ(world.events().size(), 1u) << "the ball alone: it does not reach the ground";
}

/// Two beads that slide together, down a slope of tan = ½.
double slid(double friction, double seconds) {
    WorldSettings settings;
    settings.gravity = {g / std::sqrt(5.0), -2 * g / std::sqrt(5.0), 0};
    World world(settings);
    world.add(Fixed{.shape = Shape::half_space(), .material = {.friction = friction}});
    Rope rope = limp<Rope>({.inextensible = true, .obstacles = true});
    rope.from = {0, 0, 0}, rope.to = {0, 0, 0.1}, rope.segments = 1;
    rope.material.friction = friction;
    const BodyId body = world.add(rope);
    while (world.time() < seconds) world.step();
    return world.vertex_positions(body)[0].x;
}

TEST(Constraints, ObstaclesRubByCoulombsLaw) {
    EXPECT_LT(std::abs(slid(0.51, 2)), 1e-12) << "no creep";
    const double acceleration = g * (1 - 2 * 0.4) / std::sqrt(5.0);
    EXPECT_NEAR(slid(0.4, 2), 0.5 * acceleration * 4, 1e-3);  // measured: 1.75487, both
}

TEST(Constraints, TheGroundCarriesTheWeight) {
    World world;
    const BodyId ground = world.add_ground();
    Cloth cloth = limp<Cloth>({.inextensible = true, .obstacles = true});
    cloth.vertices = {5, 5};
    const BodyId body = world.add(cloth, {.position = {0, 0.01, 0}});
    while (world.time() < 1) world.step();
    EXPECT_NEAR(lowest(world.vertex_positions(body)), 0, 1e-12);
    EXPECT_NEAR(world.contact_wrench(body).force.y, g * world.mass(body), 1e-9);
    EXPECT_NEAR(world.contact_wrench(ground).force.y, -g * world.mass(body), 1e-9);
    EXPECT_EQ(world.contacts().size(), 25u);
    ASSERT_EQ(world.events().size(), 1u);
    EXPECT_EQ(world.events()[0].kind, ContactEvent::Kind::ongoing);
}

TEST(Constraints, MomentumPassesToRigidBodies) {
    WorldSettings settings;
    settings.gravity = {};
    World world(settings);
    Cloth cloth = on_verlet<Cloth>({.inextensible = true, .obstacles = true});
    cloth.corner = {0, -0.5, -0.5}, cloth.side_x = {0, 1, 0};
    const BodyId sheet = world.add(cloth, {.velocity = {2, 0, 0}});
    const BodyId ball =
        world.add(Rigid{.shape = Shape::sphere(0.2), .mass = 2}, {.position = {0.25, 0.05, 0}});
    const Vec3 before = world.momentum();
    while (world.time() < 0.5) world.step();
    EXPECT_GT(world.velocity(ball).x, 0.2);
    EXPECT_LT(world.velocity(sheet).x, 1.9);
    EXPECT_LT(norm(world.momentum() - before), 1e-10 * norm(before));  // measured 5e-13
}

TEST(Constraints, AFloorThatRisesLiftsWhatLiesOnIt) {
    World world;
    Scripted lift{.shape = Shape::box({1, 0.1, 1})};
    lift.keyframes = {{0, {0, -0.1, 0}, {}}, {1, {0.5, 0.9, 0}, {}}};
    lift.material.friction = 1;
    const BodyId floor = world.add(lift);
    Cloth cloth = limp<Cloth>({.inextensible = true, .obstacles = true});
    cloth.vertices = {5, 5};
    cloth.material.friction = 1;
    const BodyId body = world.add(cloth);
    while (world.time() < 0.9) {
        world.step();
        EXPECT_NEAR(lowest(world.vertex_positions(body)), world.pose(floor).position.y + 0.1, 1e-9)
            << world.time();
    }
    // It goes up at 1 m/s and sideways at half of that: μ = 1 takes the cloth along from the first step on.
    EXPECT_NEAR(world.centre(body).x, world.pose(floor).position.x, 1e-9);
}

TEST(Constraints, WhatStartsInsideComesOutSlowly) {
    World world;
    world.add(Fixed{.shape = Shape::sphere(0.5)});
    Rope rope = limp<Rope>({.obstacles = true});
    rope.from = {-1, 0.3, 0}, rope.to = {1, 0.3, 0};
    const BodyId body = world.add(rope);
    world.step();
    for (const Vec3& p : world.vertex_positions(body)) EXPECT_GT(norm(p), 0.5 - 1e-9);
    for (const Vec3& v : world.vertex_velocities(body)) EXPECT_LT(norm(v), 0.5);  // measured: 0.16
}

World build(int threads) {
    World world(WorldSettings{.threads = threads});
    world.add_ground();
    world.add(Rigid{.shape = Shape::sphere(0.2)}, {.position = {0, 0.2, 0}});
    Cloth cloth = on_verlet<Cloth>({.inextensible = true, .obstacles = true});
    cloth.springs.stretch = 0, cloth.springs.shear = 5;
    world.add(cloth, {.position = {0, 0.45, 0}});
    world.add(limp<Rope>({.max_stretch = 1.1, .obstacles = true}), {.position = {1, 0.1, 0}});
    return world;
}

TEST(Constraints, TheSameBitsForAnyThreadCountAndAcrossARestore) {
    const auto hash = [](int threads, bool restored) {
        return hash_after([&] { return build(threads); }, 30, restored);
    };
    const std::uint64_t one = hash(1, false);
    EXPECT_EQ(hash(2, false), one);
    EXPECT_EQ(hash(1, true), one);
}

TEST(Constraints, OtherIntegratorsRefuseThem) {
    World world;
    const auto refused = [&](const Rope& rope) {
        try {
            world.add(rope);
        } catch (const Error& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    for (const Choice& choice : integration_method_choices()) {
        const auto method = static_cast<IntegrationMethod>(choice.value);
        const bool verlet =
            method == IntegrationMethod::verlet || method == IntegrationMethod::time_corrected_verlet;
        for (const ConstraintSettings& c :
             {ConstraintSettings{.inextensible = true}, ConstraintSettings{.max_stretch = 1.1},
              ConstraintSettings{.obstacles = true}}) {
            Rope rope = on_verlet<Rope>(c, method);
            rope.name = "line";
            const std::string said = refused(rope);
            EXPECT_EQ(said == "accepted", verlet) << said;
            if (verlet) continue;
            EXPECT_TRUE(says(said, "only verlet and time_corrected_verlet"));
            EXPECT_TRUE(says(said, "\"line\""));
        }
        EXPECT_EQ(refused(on_verlet<Rope>({.iterations = 3}, method)), "accepted") << "nothing is asked";
    }
    EXPECT_TRUE(says(refused(on_verlet<Rope>({.inextensible = true, .max_stretch = 1.1})), "exclude"));
    EXPECT_TRUE(says(refused(on_verlet<Rope>({.max_stretch = 0.9})), "max_stretch"));
    EXPECT_TRUE(says(refused(on_verlet<Rope>({.max_stretch = std::nan("")})), "max_stretch"));
    EXPECT_TRUE(says(refused(on_verlet<Rope>({.obstacles = true, .iterations = 0})), "iterations"));
}

}  // namespace
}  // namespace plush
