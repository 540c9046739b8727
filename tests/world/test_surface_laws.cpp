#include <gtest/gtest.h>

#include "plush/core/random.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"

// The surface laws as a user meets them: one word for a body, against whatever has a distance.

namespace plush {
namespace {

using test::error_of;
using test::says;

constexpr double ball = 0.3, cloth_radius = 0.01;

double least_gap_to_ball(const World& world, BodyId body, double radius) {
    double least = HUGE_VAL;
    for (const Vec3& p : world.vertex_positions(body)) least = std::min(least, norm(p) - ball - radius);
    return least;
}

Particles rain(int count, double speed) {
    Particles particles;
    Random random(5);
    for (int i = 0; i < count; ++i) {
        particles.positions.push_back(
            {random.uniform(-0.5, 0.5), random.uniform(0.6, 1.2), random.uniform(-0.5, 0.5)});
        particles.velocities.push_back(
            speed * Vec3{random.uniform(-1, 1), random.uniform(-1, 0), random.uniform(-1, 1)});
    }
    particles.mass = 0.01;
    particles.radius = 0.02;
    return particles;
}

class Barriers : public testing::TestWithParam<std::tuple<SurfaceLaw, IntegrationMethod>> {};

// A cloth is thrown over a ball at 5 m/s, at a step in which it would go through half of it.
TEST_P(Barriers, NoVertexOfAClothEverCrosses) {
    const auto [law, method] = GetParam();
    WorldSettings settings;  // an explicit method blows up with longer steps
    if (method == IntegrationMethod::runge_kutta_4) settings.step = 1.0 / 480;
    World world(settings);
    world.add(Fixed{.shape = Shape::sphere(ball)});
    Cloth cloth;
    cloth.corner = {-0.4, 0, -0.4}, cloth.side_x = {0.8, 0, 0}, cloth.side_y = {0, 0, 0.8};
    cloth.vertices = {13, 13};
    cloth.springs.stretch = 20, cloth.springs.shear = 5, cloth.springs.damping = 0.01;
    cloth.motion.radius = cloth_radius;
    cloth.motion.integration.method = method;
    const BodyId body = world.add(cloth, {.position = {0, 0.4, 0}, .velocity = {0, -5, 0}});
    world.set_surface(body, {.law = law, .stiffness = 100, .buffer = 0.01, .stick_speed = 0.05});
    double least = HUGE_VAL, touched = 0;
    while (world.time() < 0.5) {
        world.step();
        least = std::min(least, least_gap_to_ball(world, body, cloth_radius));
        touched += static_cast<double>(world.contacts().size());
    }
    EXPECT_GT(least, 0);
    EXPECT_GT(touched, 50);  // it was there
}
INSTANTIATE_TEST_SUITE_P(LawsAndMethods, Barriers,
                         testing::Combine(testing::Values(SurfaceLaw::barrier, SurfaceLaw::log_barrier),
                                          testing::Values(IntegrationMethod::implicit_euler,
                                                          IntegrationMethod::runge_kutta_4)));

TEST(SurfaceLaws, NoParticleCrossesABarrierAtAnySpeed) {
    World world;
    world.add_ground();
    world.add(Fixed{.shape = Shape::sphere(ball)});
    Particles particles = rain(300, 50);
    particles.integration = IntegrationSettings{};
    const BodyId body = world.add(particles);
    EXPECT_EQ(world.kind(body), BodyKind::deformable);
    world.set_surface(body, {.law = SurfaceLaw::barrier, .stiffness = 1e3, .buffer = 0.01});
    while (world.time() < 1) {
        world.step();
        ASSERT_GT(least_gap_to_ball(world, body, 0.02), 0) << "at " << world.time() << " s";
        for (const Vec3& p : world.vertex_positions(body)) ASSERT_GT(p.y, 0.02);
    }
}

// The five laws with what they promise of a ball at rest: k (ε − d) = m g, or none of it.
TEST(SurfaceLaws, EachRestsWhereItsForceIsTheWeight) {
    constexpr double weight = 0.01 * 9.81, k = 50, buffer = 0.01;
    const auto rests_at = [&](SurfaceLaw law) {
        World world;
        world.add_ground();
        Particles one{.positions = {{0, 0.03, 0}}, .mass = 0.01, .radius = 0.02, .drag = 0.05};
        one.integration = IntegrationSettings{};
        const BodyId body = world.add(one);
        world.set_surface(body, {.law = law, .stiffness = k, .buffer = buffer, .dissipation = 1});
        while (world.time() < 4) world.step();
        EXPECT_EQ(world.contacts().size(), 1u);
        return world.vertex_positions(body)[0].y - 0.02;
    };
    EXPECT_NEAR(rests_at(SurfaceLaw::quadratic), -weight / k, 1e-9);
    EXPECT_NEAR(rests_at(SurfaceLaw::buffered), buffer - weight / k, 1e-9);
    // ρ (1/d − 1/ε) = m g with ρ = k ε².
    EXPECT_NEAR(rests_at(SurfaceLaw::log_barrier), 1 / (weight / (k * buffer * buffer) + 1 / buffer), 1e-9);
    const double d = rests_at(SurfaceLaw::barrier);
    EXPECT_NEAR(k * (2 * (d - buffer) * std::log(d / buffer) + (d - buffer) * (d - buffer) / d), weight,
                1e-9);
    EXPECT_NEAR(rests_at(SurfaceLaw::impulse), 0, 1e-9);
}

// What particles lose at a plate that is free, the plate gets.
TEST(SurfaceLaws, MomentumPassesToFreeBodies) {
    for (const SurfaceLaw law : {SurfaceLaw::barrier, SurfaceLaw::buffered, SurfaceLaw::impulse}) {
        WorldSettings settings;
        settings.gravity = {};
        World world(settings);
        const BodyId plate = world.add(Rigid{.shape = Shape::box({1, 0.1, 1}), .mass = 1});
        Particles particles = rain(50, 0);
        for (Vec3& v : particles.velocities) v = {0.5, -3, 0.2};
        particles.integration = IntegrationSettings{};
        const BodyId body = world.add(particles);
        world.set_surface(body, {.law = law, .stiffness = 1e3, .buffer = 0.02});
        const Vec3 before = world.momentum();
        while (world.time() < 0.5) world.step();
        EXPECT_LT(world.velocity(plate).y, -0.5);
        EXPECT_LT(norm(world.momentum() - before), 1e-10 * norm(before)) << static_cast<int>(law);
    }
}

TEST(SurfaceLaws, ForcesOnParticlesActBeforeBarriersToo) {
    WorldSettings settings;
    settings.gravity = {};
    World world(settings);
    world.add_ground();
    Particles particles = rain(2, 0);
    particles.integration = IntegrationSettings{};
    const BodyId body = world.add(particles);
    world.set_surface(body, {.law = SurfaceLaw::barrier});
    world.apply_force(body, {0.12, 0, 0});
    world.step();
    // F h / m in all: 0.12 N on 0.02 kg for 1/60 s.
    EXPECT_NEAR(world.vertex_velocities(body)[1].x, 0.1, 1e-9);
}

TEST(SurfaceLaws, NonsenseIsRefusedWithItsPlace) {
    World world;
    const BodyId rigid = world.add(Rigid{.shape = Shape::sphere(1)});
    EXPECT_THROW(world.set_surface(rigid, {}), Error);
    Particles particles = rain(1, 0);
    particles.integration = IntegrationSettings{};
    const BodyId body = world.add(particles);
    const Error error = error_of([&] { world.set_surface(body, {.buffer = -1}); });
    EXPECT_EQ(error.place(), "buffer");
    EXPECT_TRUE(says(error.cure(), "from 0 up to 10"));
    EXPECT_THROW(world.set_surface(body, {.stiffness = std::nan("")}), Error);
    particles.integration->tolerance = std::nan("");
    EXPECT_THROW(world.add(particles), Error);
}

// A snapshot holds the law: it may be changed while a world runs.
TEST(SurfaceLaws, ComeBackWithASnapshot) {
    World world;
    world.add_ground();
    Particles particles = rain(20, 1);
    particles.integration = IntegrationSettings{};
    const BodyId body = world.add(particles);
    world.set_surface(body, {.law = SurfaceLaw::barrier, .buffer = 0.05});
    const auto saved = world.snapshot();
    for (int i = 0; i < 60; ++i) world.step();
    const std::uint64_t hash = world.state_hash();
    world.restore(saved);
    world.set_surface(body, {.law = SurfaceLaw::quadratic});
    world.restore(saved);
    for (int i = 0; i < 60; ++i) world.step();
    EXPECT_EQ(world.state_hash(), hash);
}

}  // namespace
}  // namespace plush
