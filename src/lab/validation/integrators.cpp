#include "lab/validation/integrators.hpp"

#include <cmath>

#include "lab/validation/motion_systems.hpp"

namespace plush::lab {

using Method = IntegrationMethod;

const std::array<IntegratorWord, 7> integrator_choices{{
    {Method::explicit_euler, "explicit Euler", 1, 1},
    {Method::semi_implicit_euler, "semi-implicit Euler", 1, 1},
    {Method::midpoint, "midpoint", 2, 2},
    {Method::runge_kutta_4, "Runge-Kutta 4", 4, 4},
    {Method::verlet, "Verlet", 2, 1},
    {Method::time_corrected_verlet, "time-corrected Verlet", 2, 1},
    {Method::implicit_euler, "implicit Euler", 1, 1},
}};

double energy_factor(Method method, double z) {
    const double z2 = z * z;
    switch (method) {
        case Method::explicit_euler:
            return 1 + z2;
        case Method::midpoint:
            return 1 + z2 * z2 / 4;
        case Method::runge_kutta_4:
            return 1 - z2 * z2 * z2 / 72 + z2 * z2 * z2 * z2 / 576;
        case Method::implicit_euler:
            return 1 / (1 + z2);
        case Method::semi_implicit_euler:
        case Method::verlet:
        case Method::time_corrected_verlet:
        case Method::bdf2:          // remembers two steps: not one factor, and not in the study
        case Method::quasi_static:  // has no motion
            break;
    }
    return 1;
}

// Semi-implicit: p q lies between ±(p² + q²)/2, so (p² + q²)(1 ∓ z/2) = q₀² bounds p² + q².
//
// Verlet: with p = a P + b q, a = 1 + z²/2, b = z³/4, on the ellipse P² + c² q² = c² q₀², c² = 1 − z²/4. In
// (P, c q) the ellipse is a circle of squared radius c² q₀² and p² + q² the form with the matrix
// (a², ab/c; ab/c, (1 + b²)/c²), whose eigenvalues times c² are the bounds.
EnergyBounds energy_bounds(Method method, double z) {
    if (method == Method::semi_implicit_euler) return {1 / (1 + z / 2), 1 / (1 - z / 2)};
    if (method != Method::verlet && method != Method::time_corrected_verlet) return {};
    const double a = 1 + z * z / 2, b = z * z * z / 4, c2 = 1 - z * z / 4;
    const double pp = a * a, qq = (1 + b * b) / c2, pq2 = pp * b * b / c2;  // the form: its three entries
    const double root = std::sqrt(0.25 * (pp - qq) * (pp - qq) + pq2);
    return {c2 * (0.5 * (pp + qq) - root), c2 * (0.5 * (pp + qq) + root)};
}

std::vector<double> spring_energies(Method method, double z, int steps) {
    FreeSpring spring;
    const double before = spring.energy();
    std::vector<double> energies;
    for (int i = 0; i < steps; ++i) {
        spring.step(method, z);  // ω = 1/s
        energies.push_back(spring.energy() / before);
    }
    return energies;
}

double fitted_slope(std::span<const double> x, std::span<const double> y) {
    const auto n = static_cast<double>(x.size());
    double mean_x = 0, mean_y = 0, xy = 0, xx = 0;
    for (std::size_t i = 0; i < x.size(); ++i) mean_x += x[i] / n, mean_y += y[i] / n;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xy += (x[i] - mean_x) * (y[i] - mean_y);
        xx += (x[i] - mean_x) * (x[i] - mean_x);
    }
    return xy / xx;
}

namespace {

/// A double pendulum on springs that are stretched by their load, let go aside: no spring comes near to no
/// length, where the force is not smooth.
MotionState swing(Method method, int steps, bool changing) {
    SpringSystem system({1, 1, 1}, std::array{Spring{0, 1, 1, 40, 0}, Spring{1, 2, 1, 40, 0}});
    system.pin(0);
    system.set_gravity({0, -9.81, 0});
    MotionState state;
    state.x = {{}, {1.1, -0.3, 0}, {1.9, -1.1, 0}};
    state.v.resize(3);
    Integrator integrator;
    constexpr double share[] = {1.5, 0.5, 1.2, 0.8};  // four steps take as long as four of the mean
    const double mean = 1.0 / steps;
    for (int i = 0; i < steps; ++i)
        integrator.step(system, state, changing ? share[i % 4] * mean : mean, exactly(method));
    return state;
}

double distance(const MotionState& a, const MotionState& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.x.size(); ++i) sum += norm2(a.x[i] - b.x[i]) + norm2(a.v[i] - b.v[i]);
    return std::sqrt(sum);
}

}  // namespace

Convergence measure_convergence(Method method, bool changing) {
    static const MotionState reference = swing(Method::runge_kutta_4, 1 << 18, false);
    // Below this, rounding of 10⁴ steps is a part of the error.
    constexpr double rounding = 2e-11;
    constexpr std::size_t fitted = 4;
    Convergence found;
    std::vector<double> x, y;
    for (int steps = 64; steps <= 16384; steps *= 2) {
        found.steps.push_back(1.0 / steps);
        found.errors.push_back(distance(swing(method, steps, changing), reference));
        if (found.errors.back() < rounding) continue;
        x.push_back(std::log(found.steps.back()));
        y.push_back(std::log(found.errors.back()));
    }
    const std::size_t n = std::min(fitted, x.size());
    found.order = fitted_slope(std::span(x).last(n), std::span(y).last(n));
    return found;
}

}  // namespace plush::lab
