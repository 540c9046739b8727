#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lab/validation/integrators.hpp"
#include "lab/validation/validate.hpp"

// Springs and the integrators that advance them.

namespace plush::lab {
namespace {

/// Steps after which the energy has changed enough to be read, and the spring is still far from no length.
int steps_for(IntegrationMethod method, double z) {
    return std::clamp(static_cast<int>(1 / std::abs(energy_factor(method, z) - 1)), 10, 2000);
}

// Each step of explicit Euler, midpoint, Runge-Kutta 4 and implicit Euler changes the energy of a spring by
// the same factor, |R(iz)|² with z = hω (integrators.hpp). Measured as the n-th root of the change in n
// steps, and compared by its logarithm, so that losing the wrong 10⁻⁸ of the energy would be seen.
void check_growth(std::vector<Check>& checks, const IntegratorWord& rule, double z) {
    const int n = steps_for(rule.method, z);
    const double measured = std::log(spring_energies(rule.method, z, n).back()) / n;
    // Rounding: 1e-16 of the length is 1e-15 of the stretch; over n steps it stays near 1e-14 of the energy.
    const double expected = std::log(energy_factor(rule.method, z));
    checks.push_back(relative(fmt::format("{}, hω = {}: ln E a step", rule.name, z), measured, expected,
                              std::max(1e-10, 1e-12 / std::abs(n * expected)), "", z));
}

// Semi-implicit Euler and Verlet move on an ellipse: the least and the largest energy over 1000 periods are
// those of its axes. Steps come near the axes but rarely on them, hence 1e-7 (1.5e-9 measured).
void check_bounds(std::vector<Check>& checks, const IntegratorWord& rule, double z) {
    const int n = static_cast<int>(std::lround(1000 * 2 * std::numbers::pi / z));
    const std::vector<double> energies = spring_energies(rule.method, z, n);
    const double low = *std::min_element(energies.begin(), energies.end());
    const double high = *std::max_element(energies.begin(), energies.end());
    const EnergyBounds bounds = energy_bounds(rule.method, z);
    const std::string name = fmt::format("{}, hω = {}: ", rule.name, z);
    checks.push_back(relative(name + "least E", low, bounds.low, 1e-7, "", z));
    checks.push_back(relative(name + "largest E", high, bounds.high, 1e-7, "", z));
}

std::vector<Check> spring_energy(ContactMethod) {
    std::vector<Check> checks;
    for (const double z : {0.1, 0.5})
        for (const IntegratorWord& rule : integrator_choices)
            energy_factor(rule.method, z) == 1 ? check_bounds(checks, rule, z)
                                               : check_growth(checks, rule, z);
    return checks;
}

// Errors after 1 s of a double pendulum on springs: their slope on log-log axes is the order of the rule.
std::vector<Check> convergence(ContactMethod) {
    std::vector<Check> checks;
    for (const IntegratorWord& rule : integrator_choices) {
        const bool changing = rule.method == IntegrationMethod::time_corrected_verlet;
        const Convergence found = measure_convergence(rule.method, changing);
        checks.push_back(absolute(fmt::format("{}{}, order", rule.name, changing ? ", changing h" : ""),
                                  found.order, rule.order, 0.1, "", found.steps.back()));
    }
    return checks;
}

}  // namespace

std::vector<Problem> spring_problems() {
    return {
        {"spring_energy", "what each integrator does to the energy of a spring", false, spring_energy},
        {"convergence", "the order of each integrator on a double pendulum of springs", false, convergence}};
}

}  // namespace plush::lab
