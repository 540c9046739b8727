#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"
#include "support/points.hpp"

// Elastic bodies in a world: filled surfaces, contact at the skin, equilibria, pressure, what is let go.

namespace plush {
namespace {

using test::error_of;
using test::lowest;

constexpr double g = 9.81;

WorldSettings settings(double step = 0.01, int threads = 1) {
    WorldSettings s;
    s.step = step;
    s.threads = threads;
    s.contact.method = ContactMethod::points;  // by volume: test_soft_volume.cpp
    return s;
}

Mesh torus() {
    return generate({.shape = "torus", .triangles = 400, .size = 0.4}).value();
}

Soft soft_torus() {
    Soft soft;
    soft.solid = SoftSolid::fill(torus(), {.cells_across = 7});
    soft.elastic = {.young = 5e4, .poisson = 0.4, .density = 800, .stiffness_damping = 0.01};
    return soft;
}

Soft soft_box(const std::array<int, 3>& cells = {4, 4, 4}) {
    Soft soft;
    soft.solid = SoftSolid(tet_box({0.2, 0.2, 0.2}, cells).value());
    soft.elastic = {.young = 5e4, .poisson = 0.3, .density = 800, .stiffness_damping = 0.01};
    return soft;
}

TEST(Soft, ACageHasTheMassOfTheBodyInIt) {
    World world(settings());
    const BodyId body = world.add(soft_torus());
    const double expected = mass_properties(torus(), 800).value().mass;
    EXPECT_NEAR(world.mass(body), expected, 0.05 * expected);  // measured: 0.8 %, by 56 points a tet
    Soft whole = soft_torus();
    whole.by_skin = false;
    EXPECT_GT(world.mass(world.add(whole)), 1.5 * expected);  // that of the cage: measured 1.7
    Soft given = soft_torus();
    given.mass = 3;
    EXPECT_NEAR(world.mass(world.add(given)), 3, 1e-12);
}

TEST(Soft, FreeFallIsExact) {
    for (const ElasticModel model : {ElasticModel::corotational, ElasticModel::neo_hookean}) {
        World world(settings());
        Soft soft = soft_torus();
        soft.elastic.model = model;
        const BodyId body = world.add(soft, {.position = {0, 5, 0}, .velocity = {1, 0, 0}});
        const Vec3 start = world.centre(body);
        for (int i = 0; i < 50; ++i) world.step();
        const double h = 0.01, n = 50;
        EXPECT_NEAR(world.centre(body).y - start.y, -g * h * h * n * (n + 1) / 2, 1e-12);
        EXPECT_NEAR(world.centre(body).x - start.x, 0.5, 1e-12);
        EXPECT_LT(world.elastic_energy(body), 1e-12);
    }
}

TEST(Soft, TheSkinRestsOnTheGroundAndCarriesTheWeight) {
    for (const ElasticModel model : {ElasticModel::corotational, ElasticModel::neo_hookean}) {
        World world(settings());
        world.add_ground();
        Soft soft = soft_torus();
        soft.elastic.model = model;
        const BodyId body = world.add(soft, {.position = {0, 0.1, 0}});
        for (int i = 0; i < 150; ++i) world.step();
        const auto skin = world.drawn_positions(body);
        EXPECT_EQ(skin.size(), torus().positions().size());
        EXPECT_GT(lowest(skin), -1e-3);
        EXPECT_LT(lowest(skin), 2e-3);
        EXPECT_LT(lowest(world.vertex_positions(body)), -0.01) << "the cage reaches below it";
        double weight = 0;
        for (const Contact& c : world.contacts()) weight += c.normal_force;
        EXPECT_NEAR(weight, world.mass(body) * g, 0.01 * world.mass(body) * g);
        EXPECT_LT(norm(world.velocity(body)), 1e-3);
    }
}

TEST(Soft, ARigidBodyThatFallsOnItIsHeld) {
    // The plate feels what the soft body's step gave it, one step late: stable while h < 2 √(m/Σk), 25
    // points.
    WorldSettings gentle = settings(0.005);
    gentle.contact.surface.stiffness = 1000;
    World world(gentle);
    world.add_ground();
    world.add(soft_box(), {.position = {0, 0.2, 0}});
    const BodyId ball =
        world.add(Rigid{.shape = Shape::box({0.3, 0.05, 0.3}), .mass = 5.0}, {.position = {0, 0.5, 0}});
    for (int i = 0; i < 600; ++i) world.step();
    EXPECT_GT(world.centre(ball).y, 0.3);
    EXPECT_LT(world.centre(ball).y, 0.45);
    EXPECT_LT(norm(world.velocity(ball)), 0.02);
}

TEST(Soft, AnyNumberOfThreadsAndARestoredStateGiveTheSameBits) {
    const auto run = [](int threads, bool stop) {
        World world(settings(0.01, threads));
        world.add_ground();
        world.add(soft_torus(), {.position = {0, 0.15, 0}});
        Soft flowing = soft_box();
        flowing.elastic.yield = 0.02, flowing.elastic.creep = 10;
        world.add(flowing, {.position = {1, 0.3, 0}});
        for (int i = 0; i < 20; ++i) world.step();
        if (stop) {
            const auto state = world.snapshot();
            for (int i = 0; i < 5; ++i) world.step();
            world.restore(state);
        }
        for (int i = 0; i < 20; ++i) world.step();
        return world.state_hash();
    };
    const std::uint64_t one = run(1, false);
    EXPECT_EQ(one, run(2, false));
    EXPECT_EQ(one, run(2, true));
}

TEST(Soft, AStaticBodyIsInEquilibriumAfterOneStep) {
    World world(settings());
    Soft soft = soft_box();
    soft.motion.integration.method = IntegrationMethod::quasi_static;
    const BodyId body = world.add(soft);
    world.pin(body, {{-1, 0.19, -1}, {1, 1, 1}});
    world.step();
    const std::vector<Vec3> once(world.vertex_positions(body).begin(), world.vertex_positions(body).end());
    EXPECT_LT(lowest(once), -0.205);
    for (int i = 0; i < 5; ++i) world.step();
    for (std::size_t i = 0; i < once.size(); ++i)
        EXPECT_LT(norm(world.vertex_positions(body)[i] - once[i]), 1e-5);
}

TEST(Soft, PressureSwellsABodyByTheBulkModulus) {
    for (const bool skinned : {false, true}) {
        World world(settings(0.05));
        Soft soft = skinned ? soft_torus() : soft_box();
        WorldSettings still = settings(0.05);
        still.gravity = {};
        World empty(still);
        soft.elastic.poisson = 0.3;
        soft.by_skin = false;
        soft.pressure = 100;
        soft.motion.damping = 5;
        const BodyId body = empty.add(soft);
        const auto volume = [&] {
            const auto x = empty.drawn_positions(body);
            double sum = 0;
            for (const Triangle& t : empty.drawn_surface(body)) {
                const auto at = [&](std::size_t c) { return x[static_cast<std::size_t>(t[c])]; };
                sum += dot(at(0), cross(at(1), at(2))) / 6;
            }
            return sum;
        };
        const double before = volume();
        for (int i = 0; i < 300; ++i) empty.step();
        const double swelling = volume() / before - 1, bulk = 5e4 / (3 * (1 - 2 * 0.3));
        if (!skinned)
            EXPECT_NEAR(swelling, 100 / bulk, 0.01 * 100 / bulk);  // measured: 0.2 %
        else
            EXPECT_GT(swelling, 0.2 * 100 / bulk);  // measured 0.72 of it: the cage is larger than the body
    }
}

TEST(Soft, ARegionOfAnotherMaterialIsStiffer) {
    const auto sag = [](bool stiff) {
        World world(settings());
        Soft soft = soft_box();
        soft.motion.integration.method = IntegrationMethod::quasi_static;
        if (stiff) {
            ElasticMaterial hard = soft.elastic;
            hard.young *= 100;
            soft.regions = {{{{-1, -1, -1}, {1, 0, 1}}, hard}};
        }
        const BodyId body = world.add(soft);
        world.pin(body, {{-1, 0.19, -1}, {1, 1, 1}});
        world.step();
        return -0.2 - lowest(world.vertex_positions(body));
    };
    EXPECT_LT(sag(true), 0.9 * sag(false));
    EXPECT_GT(sag(true), 0.4 * sag(false));  // its upper half is as soft as before
}

TEST(Soft, VerticesAreLetGoAtTheirTime) {
    World world(settings());
    const BodyId body = world.add(soft_box());
    world.pin(body, {{-1, 0.19, -1}, {1, 1, 1}}, 0.2);
    for (int i = 0; i < 20; ++i) world.step();
    const double held = world.vertex_positions(body).back().y;
    EXPECT_NEAR(held, 0.2, 1e-12);
    for (int i = 0; i < 20; ++i) world.step();
    EXPECT_LT(world.vertex_positions(body).back().y, held - 0.1);
    EXPECT_THROW(world.pin(body, {{-1, -1, -1}, {1, 1, 1}}, -1), Error);
}

TEST(Soft, WhatCannotBeIsRefusedWithACure) {
    World world(settings());
    const auto problem = [&](const Soft& soft) {
        const Error error = error_of([&] { world.add(soft); });
        EXPECT_FALSE(error.cure().empty());
        return error.problem();
    };
    EXPECT_EQ(problem({}), "it has no tets");
    Soft flows = soft_box();
    flows.elastic.model = ElasticModel::neo_hookean, flows.elastic.yield = 0.1;
    EXPECT_EQ(problem(flows), "only corotational bodies flow");
    Soft squashed = soft_box();
    squashed.elastic.poisson = 0.5;
    EXPECT_NE(problem(squashed), "none");
    Soft pressed = soft_box();
    pressed.pressure = std::nan("");
    EXPECT_EQ(problem(pressed), "nan is out of range");
    const BodyId skinned = world.add(soft_torus());
    EXPECT_THROW(world.set_surface(skinned, {.law = SurfaceLaw::barrier}), Error);
    EXPECT_NO_THROW(world.set_surface(skinned, {.law = SurfaceLaw::quadratic}));
    EXPECT_FALSE(SoftSolid::try_fill(Mesh()).ok());
}

}  // namespace
}  // namespace plush
