#pragma once

#include <array>
#include <span>
#include <vector>

#include "plush/bodies/integration.hpp"

// What theory says of the integrators on a single undamped spring, ẍ = −ω² x, and what is measured. With
// z = h ω, p = v and q = ω x the energy is E = ½ m (p² + q²), and a step turns and stretches (p, q).
//
// Rules that treat p + i q alike multiply it by a polynomial (or its inverse) in i z, so E changes by the
// same factor |R(iz)|² each step (Hairer, Lubich & Wanner, "Geometric Numerical Integration", 2006, I.1 and
// I.4; each is a line of algebra):
//
//     explicit Euler    R = 1 + iz                           |R|² = 1 + z²
//     midpoint          R = 1 + iz − z²/2                    |R|² = 1 + z⁴/4
//     Runge-Kutta 4     R = 1 + iz − z²/2 − iz³/6 + z⁴/24    |R|² = 1 − z⁶/72 + z⁸/576
//     implicit Euler    R = 1/(1 − iz)                       |R|² = 1/(1 + z²)
//
// The others do not conserve E but a form close to it, an ellipse on which the motion stays for ever:
//
//     semi-implicit Euler    p² + q² − z p q
//     Verlet                 P² + (1 − z²/4) q²,    P the central velocity (x_after − x_before)/2h
//
// so E moves between bounds. The velocity that the engine reports for Verlet is (x' − x)/h + ½ h a, which is
// (1 + z²/2) P + (z³/4) q at the new position.

namespace plush::lab {

struct IntegratorWord {
    IntegrationMethod method;
    const char* name;
    int order;   ///< of the error after a given time
    int forces;  ///< evaluations of the forces a step
};
/// All seven, in the order of the enum, which is also the order of their looks in plots.
extern const std::array<IntegratorWord, 7> integrator_choices;

/// |R(iz)|²: the factor by which a step changes the energy of a spring. For the three rules that keep it
/// bounded: 1.
double energy_factor(IntegrationMethod method, double z);

/// The largest and the least energy that bounded rules ever reach, in parts of that at the start, at rest.
struct EnergyBounds {
    double low = 1, high = 1;
};
EnergyBounds energy_bounds(IntegrationMethod method, double z);

/// The energy of a free spring that begins stretched by a fifth and at rest, after each of so many steps with
/// hω = z, in parts of that at the start.
std::vector<double> spring_energies(IntegrationMethod method, double z, int steps);

/// Errors after 1 s of two points that hang and swing on springs from a third, in a plane: smooth, and not
/// linear. Against Runge-Kutta 4 with 2¹⁸ steps.
struct Convergence {
    std::vector<double> steps;   ///< mean h, s, falling
    std::vector<double> errors;  ///< of all positions (m) and velocities (m/s), root of the sum of squares
    double order = 0;            ///< slope of log error against log h, least squares on the smallest steps
};
/// `changing`: steps of 1.5, 0.5, 1.2 and 0.8 times the mean, again and again.
Convergence measure_convergence(IntegrationMethod method, bool changing);

/// The slope of y against x by least squares.
double fitted_slope(std::span<const double> x, std::span<const double> y);

}  // namespace plush::lab
