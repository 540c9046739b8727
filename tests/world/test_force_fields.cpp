#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "plush/world/world.hpp"
#include "support/errors.hpp"
#include "support/worlds.hpp"

// What a user does to single vertices: forces, places, masses, and force fields of their own.

namespace plush {
namespace {

using test::error_of;
using test::without_gravity;

/// Beads of 1 kg that nothing joins.
Rope beads(int count, IntegrationMethod method = IntegrationMethod::implicit_euler) {
    Rope rope;
    rope.segments = count - 1;
    rope.springs.stretch = rope.springs.bend = 0;
    rope.masses.assign(static_cast<std::size_t>(count), 1);
    rope.motion.integration = {.method = method, .policy = StepPolicy::accept};
    return rope;
}

TEST(VertexForces, ActOnOneVertexForOneStep) {
    World world(without_gravity({.step = 0.1}));
    const BodyId body = world.add(beads(3));
    world.apply_vertex_force(body, 1, {2, 0, 0});
    world.apply_vertex_force(body, 1, {0, 4, 0});
    world.step();
    world.step();
    EXPECT_LT(norm(world.vertex_velocities(body)[1] - Vec3{0.2, 0.4, 0}), 1e-15);
    EXPECT_EQ(world.vertex_velocities(body)[0], Vec3{});
    EXPECT_EQ(world.vertex_velocities(body)[2], Vec3{});
}

TEST(VertexForces, FromACustomForce) {
    World world(without_gravity({.step = 0.1}));
    const BodyId body = world.add(beads(3));
    world.add_custom_force([body](World& w) {
        if (w.time() < 0.25) w.apply_vertex_force(body, 2, {0, 0, 1 + w.time()});
    });
    for (int i = 0; i < 6; ++i) world.step();
    EXPECT_NEAR(world.vertex_velocities(body)[2].z, 0.1 * (1 + 1.1 + 1.2), 1e-14);
    EXPECT_LT(norm(world.vertex_velocities(body)[1]), 1e-15);  // 5e-18: a solve rounds
}

TEST(VertexForces, VerticesCanBeSet) {
    for (IntegrationMethod method : {IntegrationMethod::implicit_euler, IntegrationMethod::verlet}) {
        World world(without_gravity({.step = 0.1}));
        const BodyId body = world.add(beads(3, method));
        for (int i = 0; i < 3; ++i) world.step();
        world.set_vertex(body, 1, {5, 6, 7}, {1, 0, 0});
        EXPECT_EQ(world.vertex_positions(body)[1], (Vec3{5, 6, 7}));
        EXPECT_EQ(world.vertex_velocities(body)[1], (Vec3{1, 0, 0}));
        world.step();
        world.step();
        EXPECT_LT(norm(world.vertex_positions(body)[1] - Vec3{5.2, 6, 7}), 1e-14);
        EXPECT_LT(norm(world.vertex_positions(body)[0]), 1e-14);
    }
}

TEST(VertexForces, NonsenseIsRefused) {
    World world;
    const BodyId body = world.add(beads(3));
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {9, 9, 9}});
    EXPECT_THROW(world.apply_vertex_force(body, 3, {1, 0, 0}), Error);
    EXPECT_THROW(world.apply_vertex_force(body, 0, {std::nan(""), 0, 0}), Error);
    EXPECT_THROW(world.apply_vertex_force(ball, 0, {1, 0, 0}), Error);
    EXPECT_THROW(world.set_vertex(body, 3, {}, {}), Error);
    EXPECT_THROW(world.set_vertex(body, 0, {HUGE_VAL, 0, 0}, {}), Error);
    EXPECT_THROW(world.set_vertex(body, 0, {}, {1e13, 0, 0}), Error);
    EXPECT_THROW(world.set_vertex(ball, 0, {}, {}), Error);
    world.pin(body, 0);
    EXPECT_THROW(world.set_vertex(body, 0, {}, {}), Error) << "it is pinned";
    EXPECT_THROW(world.add_force_field(ball, [](auto, auto, double, auto) {}), Error);
    EXPECT_THROW(world.add_force_field(body, {}), Error);
}

TEST(VertexMasses, AreThoseGiven) {
    World world;
    Rope rope;
    rope.segments = 2;
    rope.springs.mass = 50;
    rope.masses = {1, 2, 4};
    const BodyId body = world.add(rope);
    EXPECT_EQ(world.mass(body), 7);
    EXPECT_EQ(world.vertex_masses(body)[2], 4);
    EXPECT_NEAR(world.centre(body).x, (0.5 * 2 + 1 * 4) / 7, 1e-15);
    world.apply_vertex_force(body, 2, {0, 0, 8 / world.settings().step});
    // Without gravity's part: its spring is across the force.
    world.step();
    EXPECT_NEAR(world.vertex_velocities(body)[2].z, 2, 0.01);
    rope.masses = {1, 2};
    EXPECT_THROW(world.add(rope), Error);
    for (double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
        rope.masses = {1, bad, 4};
        EXPECT_EQ(error_of([&] { world.add(rope); }).place(), "masses[1]") << bad;
    }
}

/// The error at t = 1 s of a bead on a spring of the user's, x = cos 2t.
double global_error(IntegrationMethod method, int steps) {
    World world(without_gravity({.step = 1.0 / steps}));
    const BodyId body = world.add(beads(2, method));
    world.set_vertex(body, 0, {1, 0, 0}, {});
    world.add_force_field(body, [](auto x, auto, double, auto f) {
        for (std::size_t i = 0; i < x.size(); ++i) f[i] = -4 * x[i];
    });
    for (int i = 0; i < steps; ++i) world.step();
    return std::abs(world.vertex_positions(body)[0].x - std::cos(2.0));
}

// Every stage sees the field where it is: else no method would have more than the first order.
TEST(ForceFields, EveryIntegratorHasItsOrder) {
    const auto order = [](IntegrationMethod method) {
        return std::log2(global_error(method, 40) / global_error(method, 80));
    };
    EXPECT_NEAR(order(IntegrationMethod::explicit_euler), 1, 0.1);
    EXPECT_NEAR(order(IntegrationMethod::semi_implicit_euler), 1, 0.1);
    EXPECT_NEAR(order(IntegrationMethod::midpoint), 2, 0.1);
    EXPECT_NEAR(order(IntegrationMethod::runge_kutta_4), 4, 0.1);
    EXPECT_NEAR(order(IntegrationMethod::verlet), 2, 0.1);
    EXPECT_NEAR(order(IntegrationMethod::time_corrected_verlet), 2, 0.1);
    // Without derivatives implicit Euler is the semi-implicit one.
    EXPECT_EQ(global_error(IntegrationMethod::implicit_euler, 40),
              global_error(IntegrationMethod::semi_implicit_euler, 40));
}

// ∫ t² dt by Runge-Kutta 4 is exact; the clock is the world's, also for a body that came later.
TEST(ForceFields, SeeTheWorldsTimeAndTheVelocity) {
    World world(without_gravity({.step = 0.1}));
    while (world.steps() < 10) world.step();
    const BodyId body = world.add(beads(2, IntegrationMethod::runge_kutta_4));
    world.add_force_field(body, [](auto, auto, double t, auto f) { f[0] = {t * t, 0, 0}; });
    while (world.steps() < 20) world.step();
    EXPECT_NEAR(world.vertex_velocities(body)[0].x, 7.0 / 3, 1e-12);

    World braked(without_gravity({.step = 0.1}));
    const BodyId other = braked.add(beads(2, IntegrationMethod::explicit_euler), {.velocity = {1, 0, 0}});
    braked.add_force_field(other, [](auto, auto v, double, auto f) { f[0] = -1.0 * v[0]; });
    braked.add_force_field(other, [](auto, auto v, double, auto f) { f[0] = -2.0 * v[0]; });
    braked.step();
    EXPECT_NEAR(braked.vertex_velocities(other)[0].x, 0.7, 1e-15) << "they add up";
    EXPECT_EQ(braked.vertex_velocities(other)[1].x, 1);
}

TEST(ForceFields, AreCalledFromTheThreadThatSteps) {
    WorldSettings settings = without_gravity();
    settings.threads = 2;
    World world(settings);
    std::atomic<int> wrong = 0, calls = 0;
    const auto mine = std::this_thread::get_id();
    const auto count = [&](auto, auto, double, auto) {
        ++calls;
        wrong += std::this_thread::get_id() != mine;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // long enough for another thread to come
    };
    for (int k = 0; k < 8; ++k)
        world.add_force_field(world.add(beads(2), {.position = {0, 1.0 * k, 0}}), count);
    for (int i = 0; i < 20; ++i) world.step();
    EXPECT_EQ(calls, 8 * 20);
    EXPECT_EQ(wrong, 0);
}

TEST(ForceFields, WhatGoesWrongKeepsTheLastGoodState) {
    World world(without_gravity());
    Rope rope = beads(2);
    rope.name = "line";
    const BodyId body = world.add(rope, {.velocity = {1, 0, 0}});
    int mode = 0;
    world.add_force_field(body, [&](auto, auto, double, auto f) {
        if (mode == 1) f[1].y = std::nan("");
        if (mode == 2) throw 7;
    });
    world.step();
    const std::uint64_t before = world.state_hash();
    mode = 1;
    EXPECT_EQ(error_of([&] { world.step(); }).place(), "body \"line\", force field, vertex 1");
    EXPECT_EQ(world.state_hash(), before);
    mode = 2;
    EXPECT_THROW(world.step(), int);
    EXPECT_EQ(world.state_hash(), before);
    mode = 0;
    EXPECT_NO_THROW(world.step());
}

// A snapshot holds the state and not the function: what it is put back into keeps its own.
TEST(ForceFields, AreNoPartOfSnapshots) {
    const auto build = [](double push) {
        World world(without_gravity());
        const BodyId body = world.add(beads(2));
        if (push != 0)
            world.add_force_field(body, [push](auto, auto, double, auto f) { f[0] = {push, 0, 0}; });
        return world;
    };
    World one = build(1), none = build(0), again = build(1);
    for (int i = 0; i < 5; ++i) one.step();
    none.restore(one.snapshot());
    again.restore(one.snapshot());
    EXPECT_EQ(none.state_hash(), one.state_hash());
    one.step(), none.step(), again.step();
    EXPECT_EQ(again.state_hash(), one.state_hash());
    EXPECT_NE(none.state_hash(), one.state_hash());
}

}  // namespace
}  // namespace plush
