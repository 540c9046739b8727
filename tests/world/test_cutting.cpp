#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cut_worlds.hpp"
#include "support/errors.hpp"
#include "support/points.hpp"

// Soft bodies that blades cut while they lie on something: what stays, and what becomes of the pieces.

namespace plush {
namespace {

using namespace cut_worlds;
using test::error_of;
using test::lowest;
using test::open_edges;
using test::says;

Soft loaf() {
    Soft soft;
    soft.solid = SoftSolid(tet_box({0.2, 0.1, 0.1}, {6, 3, 3}).value());
    soft.elastic = {.young = 5e4, .poisson = 0.3, .density = 800, .stiffness_damping = 0.01};
    soft.name = "loaf";
    return soft;
}

/// Goes down through x = `at` within 0.4 s, from above the loaf to below the ground.
Scripted knife(double at = 0.03) {
    Scripted s;
    s.shape = Shape::box({0.002, 0.15, 0.2});
    s.keyframes = {{0, {at, 0.4, 0}, {}}, {0.1, {at, 0.36, 0}, {}}, {0.4, {at, 0.13, 0}, {}}};
    s.blade = Blade{.from = {0, -0.15, -0.2}, .to = {0, -0.15, 0.2}, .back = {0, 0.3, 0}};
    s.name = "knife";
    return s;
}

/// A blade far larger than the loaf.
Blade across(double x) {
    return {.from = {x, -1, -1}, .to = {x, -1, 1}, .back = {0, 2, 0}};
}

TEST(Cutting, ACutKeepsMassMomentumAndVolume) {
    World world(weightless());
    const BodyId body = world.add(loaf(), {.velocity = {1, 2, 3}});
    steps(world, 3);
    world.set_vertex(body, 5, world.vertex_positions(body)[5] + Vec3{0.004, 0, 0}, {0, 0, 7});
    const Kept kept(world, body);
    const double x = world.centre(body).x + 0.03;
    EXPECT_EQ(world.cut(body, across(x)), 2u);
    EXPECT_EQ(world.pieces(body), 2u);
    EXPECT_EQ(world.cuts(body), 1u);
    kept.expect(world, body, 1e-10);
    EXPECT_EQ(open_edges(world.drawn_surface(body)), 0);
    steps(world, 20);
    kept.expect_momentum(world);
}

// Without gravity the halves go on as they were: nothing pushes them apart, and no virtual vertex pulls.
TEST(Cutting, HalvesThatDoNothingStayWhereTheyAre) {
    World world(weightless());
    const BodyId body = world.add(loaf());
    world.cut(body, across(0.03));
    const auto before = world.drawn_positions(body);
    steps(world, 30);
    const auto after = world.drawn_positions(body);
    double most = 0;
    for (std::size_t i = 0; i < before.size(); ++i) most = std::max(most, norm(after[i] - before[i]));
    EXPECT_LT(most, 1e-6);
}

TEST(Cutting, AKnifeGoesThroughALoafOnTheGround) {
    World world(settings());
    world.add_ground();
    const BodyId body = world.add(loaf(), {.position = {0, 0.1, 0}});
    const BodyId blade = world.add(knife());
    EXPECT_FALSE(world.may_collide(body, blade));
    std::size_t pieces = 1;
    bool slit = false;
    for (int k = 0; k < 45; ++k) {
        world.step();
        EXPECT_GE(world.pieces(body), pieces);
        pieces = world.pieces(body);
        slit = slit || (pieces == 1 && world.cuts(body) > 0);
        EXPECT_EQ(open_edges(world.drawn_surface(body)), 0);
    }
    EXPECT_TRUE(slit);  // it goes deeper step by step
    EXPECT_EQ(pieces, 2u);
    steps(world, 55);
    double force = 0;
    for (const Contact& c : world.contacts()) force += dot(c.normal, {0, 1, 0}) * c.normal_force;
    EXPECT_NEAR(force / (world.mass(body) * 9.81), 1, 0.05);  // measured: 2.6e-5
    EXPECT_GT(lowest(world.drawn_positions(body)), -5e-3);    // measured: -2.4 mm
    // Two soft boxes that are added apart, one on the other, move as much.
    EXPECT_LT(std::sqrt(2 * world.energy().kinetic / world.mass(body)), 0.01);  // measured: 1.3e-3
}

// The pieces touch one another: the upper half of a loaf that is cut level lies on the lower one.
TEST(Cutting, PiecesCollide) {
    World world(settings());
    world.add_ground();
    const BodyId body = world.add(loaf(), {.position = {0, 0.1, 0}});
    steps(world, 10);
    EXPECT_EQ(world.cut(body, {.from = {-1, 0.105, -1}, .to = {-1, 0.105, 1}, .back = {2, 0, 0}}), 2u);
    steps(world, 50);
    double highest = 0;
    for (const Vec3& p : world.drawn_positions(body)) highest = std::max(highest, p.y);
    EXPECT_GT(highest, 0.18);
    EXPECT_LT(highest, 0.21);
    EXPECT_LT(std::sqrt(2 * world.energy().kinetic / world.mass(body)), 0.02);  // measured: 1.7e-3
    const bool touch = std::any_of(world.contacts().begin(), world.contacts().end(),
                                   [](const Contact& c) { return c.a == c.b && c.normal_force > 1; });
    EXPECT_TRUE(touch);
}

TEST(Cutting, CrosswiseAndAgainstTheGrain) {
    World world(settings());
    world.add_ground();
    const BodyId body = world.add(loaf(), {.position = {0, 0.1, 0}});
    EXPECT_EQ(world.cut(body, across(0.03)), 2u);
    EXPECT_EQ(world.cut(body, {.from = {-1, -1, 0.01}, .to = {1, -1, 0.01}, .back = {0, 2, 0}}), 4u);
    steps(world, 10);
    EXPECT_EQ(world.cut(body, {.from = {-1, -1, -1}, .to = {-1, -1, 1}, .back = {2, 2, 0}}), 8u);
    EXPECT_EQ(open_edges(world.drawn_surface(body)), 0);
    EXPECT_EQ(world.cut(body, across(5)), 8u);
    steps(world, 20);
    EXPECT_GT(lowest(world.drawn_positions(body)), -0.02);  // measured: -0.0043
    EXPECT_EQ(world.pieces(body), 8u);
}

// A snapshot of before, of the middle and of after a cut, restored in any order, here and in a world that is
// built anew, and for any number of threads.
TEST(Cutting, SnapshotsOfTheMiddleOfACut) {
    const auto build = [](int threads) {
        auto world = std::make_unique<World>(settings(threads));
        world->add_ground();
        world->add(loaf(), {.position = {0, 0.1, 0}});
        world->add(knife());
        return world;
    };
    const auto world = build(1);
    steps(*world, 12);
    const auto before = world->snapshot();
    steps(*world, 14);
    const BodyId body = world->find("loaf");
    ASSERT_EQ(world->pieces(body), 1u);
    ASSERT_GT(world->cuts(body), 0u);
    const auto middle = world->snapshot();
    const std::uint64_t middle_hash = world->state_hash();
    steps(*world, 24);
    ASSERT_EQ(world->pieces(body), 2u);
    const std::uint64_t end = world->state_hash();
    const auto after = world->snapshot();
    for (const int threads : {1, 2, 4}) {
        const auto other = build(threads);
        other->restore(middle);
        EXPECT_EQ(other->state_hash(), middle_hash);
        steps(*other, 24);
        EXPECT_EQ(other->state_hash(), end);
        other->restore(before);  // what was cut is whole again
        EXPECT_EQ(other->pieces(body), 1u);
        EXPECT_EQ(other->cuts(body), 0u);
        EXPECT_EQ(other->vertex_positions(body).size(), 7u * 4 * 4);
        steps(*other, 38);
        EXPECT_EQ(other->state_hash(), end);
        other->restore(after);
        EXPECT_EQ(other->pieces(body), 2u);
        EXPECT_EQ(other->state_hash(), end);
    }
}

// A detailed surface in a cage of tets: it is cut exactly, closed, and carried by the tets of its own side.
TEST(Cutting, AToyWithASkinIsCutThrough) {
    World world(settings());
    world.add_ground();
    Soft toy = loaf();
    toy.solid = SoftSolid::fill(generate({.shape = "bear", .triangles = 1000, .size = 0.3}).value(),
                                {.cells_across = 6});
    const BodyId body = world.add(toy, {.position = {0, 0.2, 0}});
    steps(world, 3);
    const double volume = volume_now(world, body);
    const double mass = world.mass(body);
    const Vec3 momentum = world.momentum();
    const auto before = world.snapshot();
    EXPECT_EQ(world.cut(body, across(0.01)), 2u);
    EXPECT_EQ(open_edges(world.drawn_surface(body)), 0);
    EXPECT_NEAR(volume_now(world, body), volume, 1e-9 * volume);
    EXPECT_NEAR(world.mass(body), mass, 1e-12 * mass);
    EXPECT_LT(norm(world.momentum() - momentum), 1e-12 * mass);
    const auto after = world.snapshot();
    steps(world, 25);
    const std::uint64_t end = world.state_hash();
    EXPECT_GT(lowest(world.drawn_positions(body)), -0.02);  // measured: -0.006
    double left = -HUGE_VAL,
           right = HUGE_VAL;  // of the blade's plane, they have parted or lean on each other
    for (const Vec3& p : world.drawn_positions(body))
        left = std::max(left, p.x), right = std::min(right, p.x);
    EXPECT_LT(left - right, 0.5);
    world.restore(after);
    steps(world, 25);
    EXPECT_EQ(world.state_hash(), end);
    world.restore(before);
    EXPECT_EQ(world.pieces(body), 1u);
    EXPECT_EQ(world.drawn_surface(body).size(), toy.solid.skin().triangles().size());
}

// The upper half of a bear lies on the lower one with the whole of the section.
TEST(CuttingFull, PiecesComeToRestOnEachOther) {
    WorldSettings s = settings();
    s.sleep.enabled = false;
    World world(s);
    world.add(Fixed{.shape = Shape::half_space()});
    Soft bear;
    bear.solid = SoftSolid::fill(generate({.shape = "bear", .triangles = 2000, .size = 0.3}).value(),
                                 {.cells_across = 7});
    bear.elastic = {.young = 4e4, .poisson = 0.35, .density = 400, .stiffness_damping = 0.01};
    bear.material.friction = 0.5;
    const BodyId id = world.add(bear, {.position = {0, 0.15, 0}});
    for (int k = 0; k < 60; ++k) world.step();
    ASSERT_EQ(world.cut(id, {.from = {-0.5, 0.12, -0.5}, .to = {-0.5, 0.12, 0.5}, .back = {1, 0, 0}}), 2u);
    for (int k = 0; k < 300; ++k) world.step();
    double squares = 0, count = 0;
    for (const Vec3& v : world.vertex_velocities(id)) squares += norm2(v), ++count;
    EXPECT_LT(std::sqrt(squares / count), 5e-4);  // m/s; measured: 4e-5; 9e-3 with a dozen cells at most
}

TEST(Cutting, PinsStayWithTheMaterial) {
    World world(settings());
    const BodyId body = world.add(loaf());
    EXPECT_GT(world.pin(body, Box3{{0.06, -1, -1}, {1, 1, 1}}), 0u);
    world.cut(body, across(0.03));
    steps(world, 40);
    double held = -HUGE_VAL, fallen = HUGE_VAL;
    for (const Vec3& p : world.drawn_positions(body))
        (p.x > 0.1 ? held : fallen) = p.x > 0.1 ? std::max(held, p.y) : std::min(fallen, p.y);
    EXPECT_GT(held, 0.05);
    EXPECT_LT(fallen, -0.5);
}

TEST(Cutting, WhatCannotCutSaysSo) {
    World world(settings());
    Scripted flat = knife();
    flat.blade->back = {0, 0, 1};
    EXPECT_TRUE(says(error_of([&] { world.add(flat); }).problem(), "no area"));
    flat.blade->back = {std::nan(""), 0, 1};
    EXPECT_TRUE(says(error_of([&] { world.add(flat); }).problem(), "not usable"));
    WorldSettings by_points;
    by_points.contact.method = ContactMethod::points;
    World points(by_points);
    EXPECT_TRUE(says(error_of([&] { points.add(knife()); }).problem(), "volume contact"));
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)});
    EXPECT_TRUE(says(error_of([&] { world.cut(ball, across(0)); }).problem(), "soft bodies"));
    const BodyId body = world.add(loaf());
    EXPECT_TRUE(says(error_of([&] { world.cut(body, {}); }).problem(), "no area"));
    EXPECT_EQ(world.cut(body, across(3)), 1u);
    EXPECT_EQ(world.cuts(body), 0u);
}

}  // namespace
}  // namespace plush
