#include "bodies/rigid/free_rotation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bodies/rigid/rigid_body.hpp"
#include "bodies/round_trip.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

/// Moments of inertia that a solid can have, of any ratio to 10⁴: each is the sum of two positive second moments of mass.
/// A third of them are symmetric tops, or nearly so.
Vec3 random_inertia(Random& random) {
    const auto any = [&] { return std::pow(10, random.uniform(-4, 0)); };
    Vec3 m{any(), any(), any()};
    const double kind = random.uniform(0, 6);
    if (kind < 1) m.y = m.x;
    if (kind >= 1 && kind < 2) m.y = m.x * (1 + std::pow(10, random.uniform(-8, -1)));
    const Vec3 moments{m.y + m.z, m.x + m.z, m.x + m.y};
    const int shift = static_cast<int>(random.uniform(0, 3));
    if (shift == 1) return {moments.y, moments.z, moments.x};
    if (shift == 2) return {moments.z, moments.x, moments.y};
    return moments;
}

/// About any axis, or nearly about a principal one, the slender, flat and middle ones among them.
Vec3 random_spin(Random& random, double size) {
    Vec3 spin = test::random_vector(random);
    if (random.uniform(0, 1) < 0.5) {
        spin = 0.02 * spin;
        spin[static_cast<std::size_t>(random.uniform(0, 3))] = 1;
    }
    return size / norm(spin) * spin;
}

RigidBody body_of(const Mat3& inertia, const Vec3& spin, const Quat& turned = {}) {
    return {Shape::sphere(1), {.mass = 1, .centre = {}, .inertia = inertia}, {{}, turned, {}, spin}, 0};
}

// A pencil has 8 times its energy after six steps by a midpoint rule, and hundreds of times by the splitting along x, y, z.
TEST(FreeRotation, AnySolidKeepsItsMomentumAndItsEnergyForAMinute) {
    Random random(7);
    const double h = 1.0 / 60;
    double worst = 0;
    for (int k = 0; k < 120; ++k) {
        const Vec3 moments = random_inertia(random);
        const Mat3 axes = to_matrix(test::random_rotation(random));
        const Vec3 spin = axes * random_spin(random, random.uniform(0.05, 3) / h);
        RigidBody body = body_of(axes * Mat3::diagonal(moments) * transpose(axes), spin);
        const double energy = body.kinetic_energy();
        const Vec3 momentum = body.angular_momentum();
        double error = 0;
        for (int i = 0; i < 3600; ++i) {
            test::step(body, h);
            error = std::max(error, std::abs(body.kinetic_energy() / energy - 1));
        }
        worst = std::max(worst, error);
        EXPECT_EQ(body.angular_momentum(), momentum);
        EXPECT_LT(error, 1e-3) << "solid " << k << " of moments " << moments.x << " " << moments.y << " "
                               << moments.z;
    }
    EXPECT_GT(worst, 1e-6) << "a splitting has some error: nothing was turned";
}

// A symmetric top: its axis goes round L at |L| / I_s, for any step and any spin.
TEST(FreeRotation, ASymmetricTopIsExact) {
    Random random(3);
    for (const Vec3& moments : {Vec3{1e-4, 1, 1}, Vec3{1, 1e-4, 1}, Vec3{1, 1, 1.99}, Vec3{1, 1, 1}}) {
        const Vec3 axis = moments.x != moments.y && moments.y == moments.z   ? Vec3{1, 0, 0}
                          : moments.x != moments.y && moments.x == moments.z ? Vec3{0, 1, 0}
                                                                             : Vec3{0, 0, 1};
        const double side = moments.x == moments.y ? moments.x : std::max(moments.x, moments.y);
        const Quat start = test::random_rotation(random);
        const Vec3 momentum = test::random_vector(random, 5);
        const double time = 0.7;
        const Quat end = FreeRotation(Mat3::diagonal(moments)).advance(start, momentum, time);
        const Vec3 expected = rotate(exp_rotation(time / side * momentum), rotate(start, axis));
        EXPECT_LT(norm(rotate(end, axis) - expected), 1e-12);
    }
}

/// The reference shares nothing with the splitting: I ω̇ = (Iω) × ω in the body's frame by tiny Runge-Kutta steps.
Vec3 spin_after(const Vec3& moments, Vec3 spin, double time) {
    const auto rate = [&](const Vec3& w) {
        const Vec3 l{moments.x * w.x, moments.y * w.y, moments.z * w.z}, t = cross(l, w);
        return Vec3{t.x / moments.x, t.y / moments.y, t.z / moments.z};
    };
    const int n = 20'000;
    const double dt = time / n;
    for (int i = 0; i < n; ++i) {
        const Vec3 a = rate(spin), b = rate(spin + 0.5 * dt * a), c = rate(spin + 0.5 * dt * b),
                   d = rate(spin + dt * c);
        spin += dt / 6 * (a + 2.0 * b + 2.0 * c + d);
    }
    return spin;
}

TEST(FreeRotation, AnAsymmetricTopFollowsEulersEquations) {
    const Vec3 moments{0.13, 0.10, 0.05}, spin{3, 5, -4};
    const double time = 2;
    const auto error = [&](double h) {
        RigidBody body = body_of(Mat3::diagonal(moments), spin);
        for (int i = 0; i < std::lround(time / h); ++i) test::step(body, h);
        const Vec3 seen = rotate(conjugate(body.pose().rotation), body.angular_velocity());
        return norm(seen - spin_after(moments, spin, time)) / norm(spin);
    };
    EXPECT_LT(error(1.0 / 60), 0.01);
    EXPECT_LT(error(1.0 / 1920), 1e-4);
    EXPECT_GT(error(1.0 / 60), 10 * error(1.0 / 1920));
}

TEST(FreeRotation, AnySpinEnds) {
    RigidBody body = body_of(Mat3::diagonal({1e-4, 0.9, 1}), {1e9, 1e9, 1e9});
    const double momentum = norm(body.angular_momentum());
    test::step(body, 1.0 / 60);
    EXPECT_EQ(norm(body.angular_momentum()), momentum);
    EXPECT_TRUE(body.is_finite());
}

}  // namespace
}  // namespace plush
