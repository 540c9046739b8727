#include <gtest/gtest.h>

#include <cmath>

#include "contact/fields/surface_law.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

constexpr SurfaceLaw forces[] = {SurfaceLaw::quadratic, SurfaceLaw::buffered, SurfaceLaw::log_barrier,
                                 SurfaceLaw::barrier};

SurfaceSettings with(SurfaceLaw law) {
    SurfaceSettings s;
    s.law = law, s.stiffness = 5e3, s.buffer = 0.01;
    return s;
}

TEST(SurfaceLaw, ForceAndStiffnessAreTheDerivativesOfTheEnergy) {
    for (SurfaceLaw law : forces) {
        const SurfaceSettings s = with(law);
        for (double gap : {-0.02, -1e-4, 5e-9, 1e-7, 1e-5, 1e-3, 4e-3, 9e-3, 9.9e-3, 0.02}) {
            // Barriers change by their gap; the kink of the tangent at 1e-8 is not crossed.
            const double step = 1e-5 * std::max(std::abs(gap), 1e-9);
            const LawValue at = evaluate_law(s, gap), up = evaluate_law(s, gap + step),
                           down = evaluate_law(s, gap - step);
            const double slope = -(up.energy - down.energy) / (2 * step);
            const double bend = -(up.force - down.force) / (2 * step);
            // Measured: a third of this at most, from the rounding of the energy.
            EXPECT_NEAR(at.force, slope, 1e-6 * at.force + 1e-12 * at.energy / step)
                << static_cast<int>(law) << ' ' << gap;
            EXPECT_NEAR(at.stiffness, bend, 1e-6 * at.stiffness + 1e-12 * at.force / step)
                << static_cast<int>(law) << ' ' << gap;
            EXPECT_GE(at.force, 0);
            EXPECT_GE(at.stiffness, 0);
        }
    }
}

TEST(SurfaceLaw, BarriersRiseWithoutEndAndEndAtTheBuffer) {
    for (SurfaceLaw law : {SurfaceLaw::log_barrier, SurfaceLaw::barrier}) {
        const SurfaceSettings s = with(law);
        EXPECT_NEAR(evaluate_law(s, 0.01 * (1 - 1e-9)).force, 0, 1e-6);
        EXPECT_EQ(evaluate_law(s, 0.01).force, 0);
        // f → k ε²/d
        EXPECT_NEAR(evaluate_law(s, 1e-7).force, 5e3 * 1e-4 / 1e-7, 1e-3 * 5e6);
        // What it holds: k ε² ln(10⁶) and its tail, 13.8 (12.8 of the lecture's) k ε².
        const double most = evaluate_law(s, least_gap(s)).energy / (5e3 * 1e-4);
        EXPECT_NEAR(most, law == SurfaceLaw::barrier ? 13.8155 : 12.8155, 1e-3);
    }
}

TEST(SurfaceLaw, ImpulseIsNoForceAndNaNIsNone) {
    EXPECT_EQ(evaluate_law(with(SurfaceLaw::impulse), -1).force, 0);
    for (SurfaceLaw law : forces) EXPECT_EQ(evaluate_law(with(law), std::nan("")).force, 0);
}

TEST(SurfaceLaw, FrictionStaysInTheConeAndItsDampingNeverTurnsItRound) {
    Random random(7);
    const auto vector = [&](double size) { return random_vector(random, size); };
    for (int k = 0; k < 1000; ++k) {
        const double limit = 3, stick = 1e-2;
        const Vec3 n = normalised(vector(1)), v = vector(k % 2 ? 5e-3 : 1);
        const SurfaceFriction f = smoothed_friction(limit, stick, n, v);
        EXPECT_LE(norm(f.force), limit * (1 + 1e-14));
        EXPECT_NEAR(dot(f.force, n), 0, 1e-13);
        const Vec3 slide = v - dot(v, n) * n;
        EXPECT_LE(dot(f.force, slide), 0);
        EXPECT_TRUE(norm(slide) <= stick || std::abs(norm(f.force) - limit) < 1e-13);
        const Vec3 d = vector(1);
        EXPECT_GE(dot(d, f.damping * d), -1e-10);
        // Without a mass the secant: f = B v. With one, the derivative where that does not overshoot.
        EXPECT_LE(norm(f.force + f.damping * v), 1e-12);
        const Mat3 soft = smoothed_friction(limit, stick, n, v, 1e9).damping;
        if (std::abs(norm(slide) - stick) < 1e-5) continue;  // a kink of the derivative
        const double e = 1e-7;
        const Vec3 change = (smoothed_friction(limit, stick, n, v + e * d).force -
                             smoothed_friction(limit, stick, n, v - e * d).force) /
                            (2 * e);
        EXPECT_LE(norm(change + soft * d), 1e-7 * limit / stick);  // measured: 1e-9
        const double mass_rate = random.uniform(0, limit / norm(slide));
        const Mat3 stops = smoothed_friction(limit, stick, n, v, mass_rate).damping;
        // A free vertex, (m/h + c) Δv = f: stops or slides on, but never turns round.
        const Vec3 after = v + inverse(mass_rate * Mat3::identity() + stops) * f.force;
        EXPECT_GE(dot(after, slide), -1e-12);
    }
    EXPECT_EQ(norm(smoothed_friction(3, 1e-2, {0, 1, 0}, {0, -4, 0}).force), 0);
    EXPECT_EQ(norm(smoothed_friction(0, 1e-2, {0, 1, 0}, {1, 0, 0}).force), 0);
}

}  // namespace
}  // namespace plush
