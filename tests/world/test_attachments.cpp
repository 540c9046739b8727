#include <gtest/gtest.h>

#include "plush/bodies/soft.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"

// Vertices that are part of rigid bodies: both feel each other.

namespace plush {
namespace {

using test::error_of;
using test::says;

constexpr double length = 1, weight = 9.81;

Rope light_rope(double stretch, IntegrationMethod method = IntegrationMethod::implicit_euler) {
    Rope rope;
    rope.from = {0, 0, 0}, rope.to = {0, -length, 0};
    rope.segments = 10;
    rope.springs.stretch = stretch, rope.springs.bend = 0, rope.springs.density = 0.001;
    rope.motion.integration.method = method;
    rope.motion.integration.tolerance = 1e-10;
    return rope;
}

Box3 around(const Vec3& p) {
    return Box3{p - Vec3{1e-3, 1e-3, 1e-3}, p + Vec3{1e-3, 1e-3, 1e-3}};
}

struct Hanging {
    World world;
    BodyId rope{}, ball{};
};

/// A ball below a rope whose upper end is pinned.
Hanging hang(const Rope& rope, double mass, const WorldSettings& settings = {}, const Vec3& arm = {}) {
    Hanging h{World(settings), {}, {}};
    h.rope = h.world.add(rope);
    h.ball = h.world.add(Rigid{.shape = Shape::sphere(0.05), .mass = mass}, {.position = rope.to - arm});
    h.world.set_collide(h.rope, h.ball, false);
    h.world.pin(h.rope, 0);
    EXPECT_EQ(h.world.attach(h.rope, around(rope.to), h.ball), 1u);
    return h;
}

class Attached : public testing::TestWithParam<IntegrationMethod> {};

// The rope stretches until it carries the ball: (l − l₀) k/l₀ = m g. Without the pull on the ball it would
// fall; without that on the rope it would not stretch.
TEST_P(Attached, ARopeCarriesABall) {
    Rope rope = light_rope(100, GetParam());
    rope.springs.density = 0.02;
    rope.springs.damping = 20;
    Hanging h = hang(rope, 1, {.step = 1.0 / 120});
    while (h.world.time() < 10) h.world.step();
    const double hung = -h.world.centre(h.ball).y;
    // On the average a spring carries the ball and half of the rope.
    EXPECT_NEAR(hung, length * (1 + 1.01 * weight / 100), 2e-4);
    EXPECT_LT(norm(h.world.velocity(h.ball)), 1e-3);
    EXPECT_LT(norm(h.world.vertex_positions(h.rope).back() - h.world.centre(h.ball)), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Methods, Attached,
                         testing::Values(IntegrationMethod::implicit_euler, IntegrationMethod::runge_kutta_4,
                                         IntegrationMethod::semi_implicit_euler));

// What a quasi-static bar would show, which cannot be attached to a free weight: implicit Euler comes to rest
// there.
TEST(Attachments, AnElasticBarSinksUnderAWeightAsFarAsItMust) {
    const Vec3 half{0.05, 0.5, 0.05};
    Soft bar;
    bar.solid = SoftSolid(tet_box(half, {2, 20, 2}).value());
    bar.elastic = {.young = 1e5, .poisson = 0, .density = 1, .stiffness_damping = 0.05};
    bar.motion.integration.tolerance = 1e-8;
    World world;
    const BodyId body = world.add(bar), ball = world.add(Rigid{.shape = Shape::sphere(0.05), .mass = 1},
                                                         {.position = {0, -half.y - 0.05, 0}});
    world.set_collide(body, ball, false);
    world.pin(body, {{-1, half.y - 0.01, -1}, {1, half.y + 0.01, 1}});
    EXPECT_EQ(world.attach(body, {{-1, -half.y - 0.01, -1}, {1, -half.y + 0.01, 1}}, ball), 9u);
    const double start = world.centre(ball).y;
    while (world.time() < 8) world.step();
    // (m + half the bar) g L / (E A)
    EXPECT_NEAR(start - world.centre(ball).y, 1.005 * weight * 1 / (1e5 * 0.01), 1e-6);
    EXPECT_LT(norm(world.velocity(ball)), 1e-8);
}

// A mass of ten thousand ropes on one so stiff that its fastest vibration takes a hundredth of a step.
TEST(Attachments, AHeavyBallOnAStiffRopeIsStable) {
    Rope rope = light_rope(1e6);
    rope.to = {0.6, -0.8, 0};
    Hanging h = hang(rope, 10);
    const double bottom = -10 * weight * length, start = h.world.energy().total() - bottom;
    while (h.world.time() < 5) {
        h.world.step();
        const double energy = h.world.energy().total();
        ASSERT_LT(energy, bottom + start * 1.01);
        ASSERT_NEAR(norm(h.world.centre(h.ball)), length, 2e-3) << "at " << h.world.time();
    }
    // Implicit Euler damps the swing at about ω² h; it has 0.14 of its energy left (0.88 at h = 1/480).
    EXPECT_GT(h.world.energy().total(), bottom + 0.12 * start);
}

TEST(Attachments, ABallOnARopeSwingsLikeAPendulum) {
    Hanging h = hang(light_rope(1e5), 1, {.step = 1.0 / 480});
    h.world.set_velocity(h.ball, {0.05, 0, 0});
    double last = 0, first_crossing = 0, crossing = 0;
    int crossings = 0;
    while (crossings < 5) {
        const double before = h.world.centre(h.ball).x;
        h.world.step();
        const double after = h.world.centre(h.ball).x;
        if (before < 0 && after >= 0) {
            crossing = h.world.time() - after / (after - before) / 480;
            if (crossings++ == 0) first_crossing = crossing;
        }
        last = after;
        ASSERT_LT(h.world.time(), 20) << last;
    }
    // A ball of radius r on a rope that holds its middle turns with the rope no more than it must: a point
    // mass, since the rope gives no torque there.
    EXPECT_NEAR((crossing - first_crossing) / 4, 2 * 3.14159265358979 * std::sqrt(length / weight), 0.004);
}

// Held at its rim, a ball of twice the size hangs straight below its rope and pulls no torque.
TEST(Attachments, ABallHeldAtItsRimTurnsBelowIt) {
    Rope rope = light_rope(1e4);
    rope.motion.damping = 1;
    World world;
    const BodyId id = world.add(rope);
    const BodyId ball =
        world.add(Rigid{.shape = Shape::sphere(0.2), .mass = 1, .damping = 2}, {.position = {0.2, -1, 0}});
    world.set_collide(id, ball, false);
    world.pin(id, 0);
    ASSERT_EQ(world.attach(id, around({0, -1, 0}), ball), 1u);
    while (world.time() < 8) world.step();
    EXPECT_NEAR(world.centre(ball).x, 0, 2e-3);
    EXPECT_NEAR(world.centre(ball).y, -1.2, 2e-3);
    const Vec3 rim = world.pose(ball) * Vec3{-0.2, 0, 0};
    EXPECT_LT(norm(world.vertex_positions(id).back() - rim), 1e-12);
}

// A rod of 20 g between a rope above and 2 kg below: held at its skin, it would turn about its own axis at
// √(2 kg g 18 mm/I) = 330 rad/s, three times as fast as steps of 1/120 s can follow.
TEST(Attachments, AThinRodCarriesAHundredTimesItsWeight) {
    World world({.step = 1.0 / 120});
    Rope upper = light_rope(4000), lower = light_rope(4000);
    upper.to = {0, -0.3, 0}, upper.segments = 6;
    lower.from = {0.01, -0.336, 0}, lower.to = {0.01, -0.6, 0}, lower.segments = 6;
    const BodyId a = world.add(upper), b = world.add(lower);
    const BodyId rod = world.add(Rigid{.shape = Shape::capsule(0.018, 0.2), .mass = 0.02},
                                 {.position = {0, -0.318, 0}, .rotation = from_axis_angle({0, 0, 1}, 90)});
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.05), .mass = 2},
                                  {.position = {0.01, -0.6, 0}, .velocity = {0, 0, 0.3}});
    for (const BodyId rope : {a, b})
        for (const BodyId body : {rod, ball}) world.set_collide(rope, body, false);
    world.pin(a, 0);
    ASSERT_EQ(world.attach(a, around(upper.to), rod), 1u);
    ASSERT_EQ(world.attach(b, around(lower.from), rod), 1u);
    ASSERT_EQ(world.attach(b, around(lower.to), ball), 1u);
    const double start = world.energy().total();
    while (world.time() < 3) {
        world.step();
        ASSERT_LT(world.energy().total(), start + 0.05) << "at " << world.time() << " s";
    }
}

// Two ropes hold one ball from both sides: they are advanced together, or each would respond for all of it.
TEST(Attachments, TwoStiffRopesShareABall) {
    World world;
    Rope upper = light_rope(1e6), lower = light_rope(1e6);
    lower.from = {0, -1, 0}, lower.to = {0, -2, 0};
    const BodyId a = world.add(upper), b = world.add(lower);
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.05), .mass = 2}, {.position = {0, -1, 0}});
    for (const BodyId rope : {a, b}) world.set_collide(rope, ball, false);
    world.pin(a, 0), world.pin(b, 10);
    world.attach(a, around({0, -1, 0}), ball);
    world.attach(b, around({0, -1, 0}), ball);
    world.set_velocity(ball, {0, 0.5, 0});
    while (world.time() < 1) world.step();
    // Pulled down by m g, held by k/l₀ above; below the rope is slack or pushes as much: m g l₀/(2 k).
    EXPECT_NEAR(world.centre(ball).y, -1 - 2 * weight / 2e6, 1e-6);
    EXPECT_LT(norm(world.velocity(ball)), 1e-4);
}

// A ball and a rope tumble in free flight: they pull at each other and at nothing else.
TEST(Attachments, MomentumStaysWithThem) {
    const auto drift = [](IntegrationMethod method) {
        Rope rope = light_rope(50, method);
        rope.springs.density = 0.5;
        rope.springs.damping = 0.1;
        World world({.gravity = {}});
        const BodyId id = world.add(rope);
        const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.05), .mass = 1},
                                      {.position = {0.03, -1.02, 0}, .velocity = {1, 0, 0.5}});
        world.set_collide(id, ball, false);
        world.attach(id, around({0, -1, 0}), ball);
        world.step();  // the attached vertex joins the ball's motion
        const Vec3 before = world.momentum();
        while (world.time() < 1) world.step();
        EXPECT_GT(std::abs(world.velocity(ball).x - 1), 0.05);  // the rope has pulled
        return norm(world.momentum() - before) / norm(before);
    };
    // The arm of a carried vertex turns within a step, and its own 25 g with it: 2e-4 and 3e-4 measured.
    EXPECT_LT(drift(IntegrationMethod::implicit_euler), 1e-3);
    EXPECT_LT(drift(IntegrationMethod::runge_kutta_4), 1e-3);
}

// A rope never sleeps, and what it carries must not: nothing would wake it when the rope moves.
TEST(Attachments, WhatHangsOnARopeStaysAwake) {
    Rope rope = light_rope(1e4);
    rope.motion.damping = 5;
    Hanging h = hang(rope, 0.1);
    while (h.world.time() < 3) {
        h.world.step();
        ASSERT_FALSE(h.world.asleep(h.ball)) << "at " << h.world.time() << " s";
    }
    EXPECT_LT(norm(h.world.velocity(h.ball)), h.world.sleep_speed(h.ball));
}

TEST(Attachments, OneAndTwoThreadsGiveTheSameBits) {
    const auto run = [](int threads) {
        Hanging h = hang(light_rope(1e4), 3, {.threads = threads}, {0.02, 0, 0});
        h.world.set_velocity(h.ball, {1, 0, 0.3});
        for (int i = 0; i < 100; ++i) h.world.step();
        return h.world.state_hash();
    };
    EXPECT_EQ(run(1), run(2));
}

TEST(Attachments, EndWhenOneOfThemIsRemovedOrUnpinned) {
    for (const bool unpin : {false, true}) {
        Hanging h = hang(light_rope(1e4), 3);
        for (int i = 0; i < 10; ++i) h.world.step();
        if (unpin)
            h.world.unpin(h.rope, 10);
        else
            h.world.remove(h.rope);
        const Vec3 before = h.world.velocity(h.ball);
        for (int i = 0; i < 60; ++i) h.world.step();
        EXPECT_NEAR(h.world.velocity(h.ball).y, before.y - weight, 1e-9);  // it falls
    }
    Hanging h = hang(light_rope(1e4), 3);
    h.world.step();
    h.world.remove(h.ball);
    for (int i = 0; i < 10; ++i) h.world.step();
    EXPECT_EQ(h.world.bodies().size(), 1u);
}

TEST(Attachments, WhatCannotBeIsRefusedWithAReason) {
    // When it is attached, before any step: a scene that cannot run must not pass for usable.
    Rope often = light_rope(10);
    often.motion.integration.newton = 4;
    const std::pair<Rope, const char*> refused[] = {
        {light_rope(10, IntegrationMethod::verlet), "Verlet"},
        {light_rope(10, IntegrationMethod::bdf2), "one Newton iteration"},
        {light_rope(10, IntegrationMethod::quasi_static), "no inertia"},
        {often, "one Newton iteration"}};
    for (const auto& [rope, reason] : refused)
        EXPECT_TRUE(says(error_of([&rope = rope] { hang(rope, 1); }).problem(), reason)) << reason;
    WorldSettings barrier;
    barrier.contact.surface.law = SurfaceLaw::barrier;
    EXPECT_TRUE(says(error_of([&] { hang(light_rope(10), 1, barrier).world.step(); }).problem(), "barrier"));
    World world;
    const BodyId rope = world.add(light_rope(10));
    const BodyId dust = world.add(Particles{.positions = {{0, 0, 0}}});
    EXPECT_THROW(world.attach(rope, around({}), dust), Error);
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)});
    EXPECT_THROW(world.add(BallJoint{}, ball, rope), Error);  // a joint has no vertex to hold
}

}  // namespace
}  // namespace plush
