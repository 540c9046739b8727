#include <limits>

#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

TEST(Robustness, AnImpossibleVelocityIsRefusedByName) {
    World world;
    const BodyId box = world.add(cube(0.1, "rocket"));
    steps(world, 3);
    const auto hash = world.state_hash();
    EXPECT_TRUE(says(error_of([&] { world.set_velocity(box, {1e300, 0, 0}); }).place(), "rocket"));
    EXPECT_EQ(world.state_hash(), hash);
}

// A custom force that is not finite, or too large for the numbers to hold: the world says which body it was
// and is as it was before the step, other forces of that step included.
TEST(Robustness, AStepThatGoesBadIsTakenBack) {
    for (double bad :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), 1e308}) {
        World world;
        world.add_ground();
        const BodyId other = world.add(cube(0.1, "other"), {.position = {3, 1, 0}});
        const BodyId box = world.add(cube(0.1, "rocket"), {.position = {0, 1, 0}});
        bool mad = false;
        world.add_custom_force([&](World& w) {
            w.apply_force(other, {1, 0, 0});
            if (mad) w.apply_force(box, {0, bad, 0});
        });
        steps(world, 10);
        const auto hash = world.state_hash();
        mad = true;
        const Error error = error_of([&] { world.step(); });
        EXPECT_TRUE(says(error.place(), "rocket")) << error.what();
        EXPECT_FALSE(error.cure().empty());
        EXPECT_EQ(world.state_hash(), hash) << bad;
        EXPECT_EQ(world.steps(), 10);
        // And it goes on as a world does that never heard of it.
        mad = false;
        World sane;
        sane.add_ground();
        const BodyId twin = sane.add(cube(0.1, "other"), {.position = {3, 1, 0}});
        sane.add(cube(0.1, "rocket"), {.position = {0, 1, 0}});
        sane.add_custom_force([&](World& w) { w.apply_force(twin, {1, 0, 0}); });
        steps(sane, 20);
        steps(world, 10);
        EXPECT_EQ(world.state_hash(), sane.state_hash());
    }
}

// Stabilise moves positions and never velocities: what starts in overlap separates without being shot away.
TEST(Robustness, TwoBoxesHalfInEachOtherSeparateWithoutSpeed) {
    for (const Vec3& offset :
         {Vec3{0.1, 0.02, 0.01}, Vec3{0.1, 0, 0}, Vec3{0, 0.12, 0}, Vec3{0.05, 0, 0.15}}) {
        World world(without_gravity());
        const BodyId a = world.add(cube(0.1)), b = world.add(cube(0.1), {.position = offset});
        double fastest = 0;
        for (int n = 0; n < 60; ++n) {
            world.step();
            fastest = std::max(fastest, world.energy().kinetic);
            ASSERT_TRUE(is_finite(world.centre(a)) && is_finite(world.centre(b)));
        }
        EXPECT_LT(fastest, 1e-12);
        EXPECT_LT(world.report().largest_depth, world.allowed_depth(a, b) * 1.01);
        // No farther than needed: the boxes still touch. They turn a little on the way; measured 2.3 mm.
        const Vec3 d = abs(world.centre(a) - world.centre(b));
        EXPECT_NEAR(max_component(d), 0.2, 5e-3) << offset.x << ' ' << offset.y << ' ' << offset.z;
    }
}

// A half-space has no points, and so once had no size: nothing was ever pushed out of it.
TEST(Robustness, WhatStartsInsideTheGroundComesOut) {
    for (const Shape& shape : {Shape::box({0.1, 0.1, 0.1}), Shape::sphere(0.1)}) {
        World world;
        world.add_ground();
        const BodyId body = world.add(Rigid{.shape = shape}, {.position = {0, 0.02, 0}});
        const double start = world.energy().kinetic;
        steps(world, 30);
        EXPECT_NEAR(world.centre(body).y, 0.1, 2e-4);
        EXPECT_LT(world.energy().kinetic - start, 1e-9);
    }
}

TEST(Robustness, TenBallsAtOnePointSeparate) {
    for (double gravity : {0.0, g}) {
        WorldSettings settings = without_sleep();
        settings.gravity = {0, -gravity, 0};
        World world(settings);
        world.add_ground();
        std::vector<BodyId> balls;
        for (int i = 0; i < 10; ++i)
            balls.push_back(world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, 1, 0}}));
        double largest = 0;
        for (int i = 0; i < 120; ++i) {
            const double before = world.energy().kinetic;
            const Vec3 momentum = world.momentum();
            world.step();
            for (BodyId b : balls) ASSERT_TRUE(is_finite(world.centre(b)));
            // A step of gravity adds at most g h · p + m (g h)²/2 to the kinetic energy.
            const double h = settings.step, mass = 10 * world.mass(balls[0]);
            const double most =
                before + gravity * h * std::abs(momentum.y) + 0.5 * mass * gravity * gravity * h * h;
            EXPECT_LE(world.energy().kinetic, most * (1 + 1e-9) + 1e-12) << "step " << i;
            largest = std::max(largest, world.energy().kinetic);
        }
        if (gravity == 0) {
            EXPECT_LT(largest, 1e-12);
        }
        EXPECT_LT(world.report().largest_depth, 2e-4);
    }
}

/// Whether a ball of 1 cm that flies at this speed (m/s) down onto a fixed body passes it.
bool passes(double speed, const Shape& target, const Vec3& at, double angle, double start) {
    World world(without_gravity());
    world.add(Fixed{.shape = target}, {.position = at});
    const double a = angle * std::acos(-1.0) / 180;
    const Vec3 direction{std::sin(a), -std::cos(a), 0};
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.01)},
                                  {.position = direction * -start, .velocity = direction * speed});
    for (int i = 0; i < 30; ++i) world.step();
    return world.centre(ball).y < -0.01;
}

// Speculative detection sees what the velocities bring about within the step, so that a fast ball is
// held: at 50 m/s it moves 83 cm a step, 83 times its radius.
TEST(Robustness, AFastBallDoesNotPassTheGround) {
    for (double start = 0.1; start < 2; start += 0.07)
        for (double angle : {0.0, 30.0, 60.0})
            EXPECT_FALSE(passes(50, Shape::half_space(), {}, angle, start))
                << start << " m, " << angle << "°";
}

TEST(Robustness, AFastBallDoesNotPassAThinBox) {
    for (double speed : {5.0, 50.0, 500.0})
        for (double start = 0.1; start < 2; start += 0.07)
            for (double angle : {0.0, 30.0})
                EXPECT_FALSE(passes(speed, Shape::box({5, 0.01, 5}), {}, angle, start))
                    << speed << " m/s from " << start << " m, " << angle << "°";
}

}  // namespace
}  // namespace plush
