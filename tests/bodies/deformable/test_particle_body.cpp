#include <gtest/gtest.h>

#include "bodies/deformable/particle_body.hpp"
#include "bodies/round_trip.hpp"

namespace plush {
namespace {

using test::step;

constexpr double h = 0.01;
const std::vector<Vec3> positions{{0, 0, 0}, {1, 2, 3}, {-1, 5, 0}};
const std::vector<Vec3> velocities{{1, 0, 0}, {0, 2, 0}, {-1, -1, 4}};

ParticleBody three_particles(double drag) {
    return ParticleBody(
        {.positions = positions, .velocities = velocities, .mass = 0.5, .radius = 0.1, .drag = drag});
}

// Semi-implicit Euler: v_n = v + n h g, x_n = x + n h v + ½ n (n+1) h² g.
TEST(ParticleBody, FreeFallIsTheSumOfItsSteps) {
    ParticleBody body = three_particles(0);
    const Vec3 g{0, -9.81, 1};
    const int n = 100;
    for (int i = 0; i < n; ++i) step(body, h, g);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        const Vec3 x = positions[k] + n * h * velocities[k] + 0.5 * n * (n + 1) * h * h * g;
        EXPECT_LT(norm(body.velocities()[k] - velocities[k] - n * h * g), 1e-13);  // measured 2.1e-14
        EXPECT_LT(norm(body.positions()[k] - x), 1e-13);                           // measured 1.1e-14
    }
}

TEST(ParticleBody, DragShrinksTheVelocityByTheSameFactorEachStep) {
    for (double drag : {0.1, 2.0, 1e6}) {  // the last is far beyond what an explicit step survives
        ParticleBody body = three_particles(drag);
        const int n = 50;
        for (int i = 0; i < n; ++i) step(body, h);
        const double keep = std::pow(1 + h * drag / 0.5, -n);
        for (std::size_t k = 0; k < positions.size(); ++k)
            EXPECT_LT(norm(body.velocities()[k] - keep * velocities[k]), 1e-14 * keep * norm(velocities[k]))
                << drag;
    }
}

// With drag c under gravity the speed settles at m g / c, whatever the step.
TEST(ParticleBody, FallsAtItsTerminalSpeedInTheEnd) {
    ParticleBody body = three_particles(0.25);
    for (int i = 0; i < 10'000; ++i) step(body, h, {0, -9.81, 0});
    for (const Vec3& v : body.velocities()) EXPECT_LT(norm(v - Vec3{0, -9.81 * 0.5 / 0.25, 0}), 1e-12);
}

TEST(ParticleBody, ForcesAndImpulsesAreSharedEqually) {
    ParticleBody body = three_particles(0);
    EXPECT_EQ(body.mass(), 1.5);
    body.apply_impulse({3, 0, 0});
    for (std::size_t k = 0; k < positions.size(); ++k)
        EXPECT_LT(norm(body.velocities()[k] - velocities[k] - Vec3{2, 0, 0}), 1e-15);
    const Vec3 momentum = body.momentum();
    body.add_force({0, 6, 0});
    step(body, h);
    EXPECT_LT(norm(body.momentum() - momentum - h * Vec3{0, 6, 0}), 1e-15);
    step(body, h);
    EXPECT_LT(norm(body.momentum() - momentum - h * Vec3{0, 6, 0}), 1e-15) << "a force lasts one step";
}

TEST(ParticleBody, MeasuresAreTheSumsOverItsParticles) {
    const ParticleBody body = three_particles(0);
    EXPECT_NEAR(body.kinetic_energy(), 0.25 * (1 + 4 + 18), 1e-15);
    EXPECT_NEAR(body.potential_energy({0, -10, 0}), 0.5 * 10 * 7, 1e-13);
    EXPECT_LT(norm(body.momentum() - 0.5 * Vec3{0, 1, 4}), 1e-15);
    EXPECT_NEAR(body.speed_spread(), std::sqrt(18.0), 1e-15);
    EXPECT_EQ(body.bounds().low, (Vec3{-1.1, -0.1, -0.1}));
    EXPECT_EQ(body.bounds().high, (Vec3{1.1, 5.1, 3.1}));
}

TEST(ParticleBody, DisplacingLeavesVelocitiesAndCorrectingAddsTheChange) {
    ParticleBody body = three_particles(0);
    const std::vector<Twist> change{{{0.1, 0, 0}, {}}, {{0, 0.2, 0}, {}}, {{0, 0, 0.3}, {}}};
    body.displace(change);
    for (std::size_t k = 0; k < positions.size(); ++k) {
        EXPECT_EQ(body.positions()[k], positions[k] + change[k].linear);
        EXPECT_EQ(body.velocities()[k], velocities[k]);
    }
    body.predict(h, {}, RotationMethod::momentum);
    body.correct(h, change);
    for (std::size_t k = 0; k < positions.size(); ++k)
        EXPECT_EQ(body.velocities()[k], velocities[k] + change[k].linear);
}

TEST(ParticleBody, AStateRestoredInAnotherBodyGoesOnWithTheSameBits) {
    ParticleBody a = three_particles(0.3),
                 b({.positions = {{0, 0, 0}}, .mass = 0.5, .radius = 0.1, .drag = 0.3});
    for (int i = 0; i < 30; ++i) step(a, h, {0, -9.81, 0});
    a.add_force({1, 2, 3});
    test::restore(b, test::state_of(a));
    EXPECT_EQ(b.node_count(), 3u);
    for (int i = 0; i < 30; ++i) step(a, h, {0, -9.81, 0}), step(b, h, {0, -9.81, 0});
    EXPECT_EQ(test::state_of(a), test::state_of(b));
}

}  // namespace
}  // namespace plush
