#include <gtest/gtest.h>

#include "bodies/integrators/motion_systems.hpp"
#include "support/errors.hpp"

namespace plush {
namespace {

using namespace test;
using Method = IntegrationMethod;

constexpr double pi = 3.14159265358979323846;

IntegrationSettings with(Method method, StepPolicy policy = StepPolicy::accept) {
    return {.method = method, .policy = policy, .tolerance = 1e-14};
}

TEST(Integrator, EveryMethodHasItsWord) {
    ASSERT_EQ(integration_method_choices().size(), std::size(all_methods) + 1);
    EXPECT_EQ(integration_method_choices().back().value, static_cast<int>(Method::quasi_static));
    for (std::size_t i = 0; i < std::size(all_methods); ++i)
        EXPECT_EQ(integration_method_choices()[i].value, static_cast<int>(all_methods[i]));
    EXPECT_EQ(word(Method::runge_kutta_4), "runge_kutta_4");
}

/// A damped spring under a force that changes with time and with the square of speed, against Runge-Kutta 4
/// with steps so small that its error does not count. `uneven` makes every third step half as long.
MotionState run(Method method, int steps, bool uneven) {
    SmallSystem system(
        [](const Vec3& x, const Vec3& v, double t) {
            return -9.0 * x - 0.5 * v + Vec3{std::sin(2 * t), 0.3 * x.x * x.x, std::cos(t)};
        },
        9, 0.5, 0.5);
    MotionState s = start({1, 0.5, 0}, {0, 1, -0.5});
    Integrator integrator;
    const double h = uneven ? 1.0 / (steps * 5.0 / 6) : 1.0 / steps;
    for (int i = 0; i < steps; ++i)
        integrator.step(system, s, uneven && i % 3 == 2 ? 0.5 * h : h, with(method));
    return s;
}

double error(Method method, int steps, bool uneven) {
    static const MotionState exact = run(Method::runge_kutta_4, 4000, false);
    const MotionState s = run(method, steps, uneven);
    EXPECT_NEAR(s.t, 1, 1e-12);
    return std::max(norm(s.x[0] - exact.x[0]), norm(s.v[0] - exact.v[0]));
}

double measured_order(Method method, bool uneven) {
    return std::log2(error(method, 240, uneven) / error(method, 480, uneven));
}

TEST(Order, StepHalvingGivesTheOrderOfEachMethod) {
    // measured 1.011, 1.006, 2.000, 4.002, 1.995, 1.995, 0.994
    EXPECT_NEAR(measured_order(Method::explicit_euler, false), 1, 0.1);
    EXPECT_NEAR(measured_order(Method::semi_implicit_euler, false), 1, 0.1);
    EXPECT_NEAR(measured_order(Method::midpoint, false), 2, 0.1);
    EXPECT_NEAR(measured_order(Method::runge_kutta_4, false), 4, 0.1);
    EXPECT_NEAR(measured_order(Method::verlet, false), 2, 0.1);
    EXPECT_NEAR(measured_order(Method::time_corrected_verlet, false), 2, 0.1);
    EXPECT_NEAR(measured_order(Method::implicit_euler, false), 1, 0.1);
    EXPECT_NEAR(measured_order(Method::bdf2, false), 2, 0.1);
}

TEST(Order, TimeCorrectedVerletKeepsItWhereStepsChangeAndPlainVerletDoesNot) {
    EXPECT_NEAR(measured_order(Method::time_corrected_verlet, true), 2, 0.1);
    EXPECT_NEAR(measured_order(Method::midpoint, true), 2, 0.1);
    EXPECT_NEAR(measured_order(Method::runge_kutta_4, true), 4, 0.1);
    EXPECT_LT(measured_order(Method::verlet, true), 0.5) << "it takes every step for as long as the last";
}

/// ẏ = (−y₂, y₁): explicit Euler spirals outward by √(1 + h²) a step, whatever h.
TEST(FirstOrder, TheCircleField) {
    SmallSystem circle([](const Vec3&, const Vec3& y, double) { return Vec3{-y.y, y.x, 0}; }, 0, 1, 0);
    const auto radius = [&](Method method, int steps) {
        MotionState s = start({}, {1, 0, 0});
        Integrator integrator;
        for (int i = 0; i < steps; ++i) integrator.step(circle, s, 2 * pi / steps, with(method));
        return norm(s.v[0]);
    };
    EXPECT_NEAR(radius(Method::explicit_euler, 100), std::pow(1 + std::pow(2 * pi / 100, 2), 50), 1e-12);
    EXPECT_NEAR(radius(Method::runge_kutta_4, 100), 1, 1e-6);
    EXPECT_NEAR(std::log2((radius(Method::midpoint, 100) - 1) / (radius(Method::midpoint, 200) - 1)), 3, 0.1);
}

/// ẏ = −k y: explicit Euler oscillates from h = 1/k on and diverges from 2/k on; implicit Euler divides by
/// 1 + h k at any h.
TEST(FirstOrder, DecayAcrossTheStabilityLimit) {
    const double k = 50;
    SmallSystem system = decay(k);
    const auto after = [&](Method method, double h, int steps) {
        MotionState s = start({}, {1, 0, 0});
        Integrator integrator;
        for (int i = 0; i < steps; ++i) integrator.step(system, s, h, with(method));
        return s.v[0].x;
    };
    EXPECT_LT(after(Method::explicit_euler, 1.5 / k, 1), 0);
    EXPECT_LT(std::abs(after(Method::explicit_euler, 1.99 / k, 1000)), 1e-3);
    EXPECT_GT(std::abs(after(Method::explicit_euler, 2.01 / k, 1000)), 1e3);
    EXPECT_NEAR(after(Method::implicit_euler, 10 / k, 3), std::pow(1.0 / 11, 3), 1e-15);
    EXPECT_NEAR(largest_stable_step(Method::explicit_euler, mode_bounds(system, std::vector<Vec3>(1))), 2 / k,
                1e-15);
}

/// The energy of one undamped spring over 100 periods at a twentieth of a period.
TEST(Energy, GrowsStaysOrDecaysAsEachMethodMust) {
    const double w = 2 * pi;
    const auto energies = [&](Method method) {
        SmallSystem system = oscillator(w, 0);
        MotionState s = start({1, 0, 0}, {});
        Integrator integrator;
        std::pair<double, double> range{1e300, 0};
        for (int i = 0; i < 2000; ++i) {
            integrator.step(system, s, 1.0 / 20, with(method));
            const double e = 0.5 * (norm2(s.v[0]) + w * w * norm2(s.x[0])) / (0.5 * w * w);
            range = {std::min(range.first, e), std::max(range.second, e)};
        }
        return range;
    };
    EXPECT_GT(energies(Method::explicit_euler).second, 1e50);  // (1 + h²ω²)^n
    EXPECT_GT(energies(Method::midpoint).second, 1.5);         // (1 + h⁴ω⁴/4)^n: measured 130
    EXPECT_LT(energies(Method::implicit_euler).first, 1e-50);
    EXPECT_LT(energies(Method::implicit_euler).second, 1);
    for (Method m : {Method::semi_implicit_euler, Method::verlet, Method::time_corrected_verlet}) {
        EXPECT_GT(energies(m).first, 0.7) << word(m);   // measured 0.86, 0.999
        EXPECT_LT(energies(m).second, 1.4) << word(m);  // measured 1.19, 1.07
    }
    EXPECT_GT(energies(Method::runge_kutta_4).first, 0.95);  // loses (hω)⁶/72 a step: measured 0.974
    EXPECT_LE(energies(Method::runge_kutta_4).second, 1);
}

/// Whether an oscillation dies out or at least stays as it is.
bool stays(Method method, double w, double c, double h) {
    SmallSystem system = oscillator(w, c);
    MotionState s = start({1, 0.3, 0}, {0.2, 0, 0});
    Integrator integrator;
    for (int i = 0; i < 20'000; ++i) {
        integrator.step(system, s, h, with(method));
        if (!(norm(s.x[0]) < 1e4)) return false;
    }
    return true;
}

/// The largest step at which it stays, by bisection.
double found_limit(Method method, double w, double c) {
    double low = 1e-6, high = 20 / std::max(w, c);
    for (int i = 0; i < 30; ++i) {
        const double middle = 0.5 * (low + high);
        (stays(method, w, c, middle) ? low : high) = middle;
    }
    return low;
}

TEST(StabilityLimit, FoundWherePredicted) {
    const double w = 3;
    for (double c : {0.0, 0.6, 2.0, 6.5}) {
        for (Method m : {Method::semi_implicit_euler, Method::verlet, Method::time_corrected_verlet}) {
            const double predicted = largest_stable_step(m, ModeBounds{w * w, c, c});
            EXPECT_NEAR(found_limit(m, w, c), predicted, 0.005 * predicted) << word(m) << " c = " << c;
        }
        for (Method m : {Method::explicit_euler, Method::midpoint}) {
            const double predicted = largest_stable_step(m, ModeBounds{w * w, c, c});
            if (c == 0) {
                EXPECT_EQ(predicted, 0);
            } else {
                // Growth is slow beyond the limit (measured up to 1.022), and where it is overdamped the
                // prediction covers slower motions too.
                const double found = found_limit(m, w, c);
                EXPECT_GT(found, 0.995 * predicted) << word(m) << " c = " << c;
                EXPECT_LT(found, (c < 2 * w ? 1.03 : 2) * predicted) << word(m) << " c = " << c;
            }
        }
        const double predicted = largest_stable_step(Method::runge_kutta_4, ModeBounds{w * w, c, c});
        EXPECT_GT(found_limit(Method::runge_kutta_4, w, c), predicted) << c;
        EXPECT_LT(found_limit(Method::runge_kutta_4, w, c), 1.6 * predicted) << c;
    }
    EXPECT_TRUE(stays(Method::implicit_euler, w, 0, 1000));
    EXPECT_TRUE(stays(Method::bdf2, w, 0, 1000));
}

TEST(StabilityLimit, OfNothingIsInfinite) {
    for (Method m : all_methods) EXPECT_EQ(largest_stable_step(m, ModeBounds{}), HUGE_VAL) << word(m);
}

TEST(Policy, ATooLargeStepIsRefusedWithTheStepThatWouldDo) {
    const double w = 40, c = 4;
    for (Method m : all_methods) {
        SmallSystem system = oscillator(w, c);
        MotionState s = start({1, 0, 0}, {});
        Integrator integrator;
        const auto result = integrator.advance(system, s, 0.2, with(m, StepPolicy::refuse));
        if (is_implicit(m)) {
            EXPECT_TRUE(result.ok());
            continue;
        }
        ASSERT_FALSE(result.ok()) << word(m);
        EXPECT_EQ(s.t, 0) << "refused, and nothing moved";
        EXPECT_EQ(s.x[0], (Vec3{1, 0, 0}));
        // The number in the message is one that can be taken.
        const std::string cure = result.error().cure();
        const double step = std::stod(cure.substr(cure.find("at most ") + 8));
        EXPECT_GT(step, 0);
        EXPECT_TRUE(integrator.advance(system, s, step * (1 - 1e-5), with(m, StepPolicy::refuse)).ok())
            << cure;
        EXPECT_TRUE(stays(m, w, c, step)) << word(m);
    }
}

TEST(Policy, SubstepsTakeTheLeastNumberOfEqualParts) {
    const double w = 40;
    SmallSystem system = oscillator(w, 0);
    MotionState a = start({1, 0, 0}, {}), b = a;
    Integrator integrator;
    const auto report = integrator.advance(system, a, 0.2, with(Method::verlet, StepPolicy::substep));
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.value().substeps, 5);  // 0.2 s / (0.95 · 2/40 s) = 4.2
    for (int i = 0; i < 5; ++i) integrator.step(system, b, 0.2 / 5, with(Method::verlet));
    EXPECT_EQ(a.x, b.x);
    EXPECT_EQ(a.v, b.v);

    IntegrationSettings few = with(Method::verlet, StepPolicy::substep);
    few.max_substeps = 4;
    const auto refused = integrator.advance(system, a, 0.2, few);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().what(), std::string());
    const auto never = integrator.advance(system, a, 1e-3, with(Method::explicit_euler, StepPolicy::substep));
    ASSERT_FALSE(never.ok());
    EXPECT_TRUE(says(never.error().problem(), "grows at any step"));
}

}  // namespace
}  // namespace plush
