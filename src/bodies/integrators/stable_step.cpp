#include <algorithm>
#include <cmath>

#include "bodies/integrators/integrator.hpp"
#include "core/assert.hpp"

// How large a step an explicit method stands. The motion near a state is M ẍ + D ẋ + K x = 0, and every
// eigenvalue λ of it solves λ² + c λ + ω² = 0, with c and ω² the Rayleigh quotients of M⁻¹D and M⁻¹K of its
// own eigenvector. So it is enough to know bounds: ω ≤ ω_max and c_min ≤ c ≤ c_max. ω² and c_max come from
// Gershgorin's theorem, max over vertices of (row sum)/m; they are exact for one free spring and too large by
// up to about two for cloth. c_min is the damping in proportion to mass.
//
//     method                step h is stable where                      from
//     explicit Euler        h ≤ c_min/ω²,  h ≤ 2/c_max                  |1 + hλ| ≤ 1
//     semi-implicit Euler   h ≤ 4/(c_max + √(c_max² + 4ω²))             (hω)² + 2hc ≤ 4; 2/ω undamped
//     midpoint              p₋(h²ω²) ≤ h c_min/2,  h ≤ 2/ω, 2/c_max     |1 + z + z²/2| ≤ 1, see below
//     Runge-Kutta 4         h ≤ 2.61/max(ω, c_max)                      the half-disc in its region
//     both Verlet           h ≤ 2/(c_max + √(c_max² + ω²))              (hω)² + 4hc ≤ 4; 2/ω undamped
//     implicit Euler        every h
//
// The two conditions with (hω)² are where the amplification passes −1 (Jury's criterion). Midpoint: with
// s = |z|² and p = −Re z, |1 + z + z²/2|² ≤ 1 is s²/4 + 2p² ≤ 2p + s p, which holds from
// p₋ = (2 + s − √((2 + s)² − 2s²))/4 on; for little damping that is h ≤ (4 c/ω⁴)^⅓. Without damping explicit
// Euler and midpoint are stable at no step: they gain energy by (hω)² and (hω)⁴/4 a step.
//
// Limits of the linearised motion say nothing about a system that stiffens within a step; springs do not.

namespace plush {
namespace {

/// The largest r for which |z| ≤ r, Re z ≤ 0 lies in the stability region of Runge-Kutta 4 (a scan by angle
/// gives 2.615; on the imaginary axis alone it is 2√2, on the real one 2.785).
constexpr double runge_kutta_4_radius = 2.61;

/// At the limit itself energy grows in proportion to time, and close to it the amplitude of the fastest
/// motion is many times too large: ten in energy at this fraction.
constexpr double stable_fraction = 0.95;

double midpoint_limit(double w2, double c) {
    if (w2 == 0) return HUGE_VAL;
    if (c == 0) return 0;
    const auto holds = [&](double h) {
        const double s = h * h * w2;
        // p₋ without cancellation: the product of both roots is s²/8.
        const double other = 2 + s + std::sqrt(std::max(0.0, (2 + s) * (2 + s) - 2 * s * s));
        return s * s / (2 * other) <= 0.5 * h * c;
    };
    double low = 0, high = 2 / std::sqrt(w2);
    if (holds(high)) return high;
    for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (low + high);
        (holds(middle) ? low : high) = middle;
    }
    return low;
}

}  // namespace

double largest_stable_step(IntegrationMethod method, const ModeBounds& modes) {
    PLUSH_ASSERT(!(modes.stiffness < 0) && !(modes.least_damping < 0) && !(modes.max_damping < 0));
    const double w2 = modes.stiffness, w = std::sqrt(w2);
    const double least = modes.least_damping, most = modes.max_damping;
    switch (method) {
        case IntegrationMethod::explicit_euler:
            return std::min(w2 > 0 ? least / w2 : HUGE_VAL, 2 / most);
        case IntegrationMethod::semi_implicit_euler:
            return 4 / (most + std::sqrt(most * most + 4 * w2));
        case IntegrationMethod::midpoint:
            return std::min(midpoint_limit(w2, least), 2 / most);
        case IntegrationMethod::runge_kutta_4:
            return runge_kutta_4_radius / std::max(w, most);
        case IntegrationMethod::verlet:
        case IntegrationMethod::time_corrected_verlet:
            return 2 / (most + std::sqrt(most * most + w2));
        case IntegrationMethod::implicit_euler:
        case IntegrationMethod::bdf2:
        case IntegrationMethod::quasi_static:
            break;
    }
    return HUGE_VAL;
}

ModeBounds mode_bounds(const MotionSystem& system, std::span<const Vec3> x) {
    std::vector<double> room;
    return mode_bounds(system, x, room);
}

ModeBounds mode_bounds(const MotionSystem& system, std::span<const Vec3> x, std::vector<double>& room) {
    const auto masses = system.masses();
    const auto pinned = system.pinned();
    PLUSH_ASSERT(masses.size() == x.size() && (pinned.empty() || pinned.size() == x.size()));
    room.assign(2 * x.size(), 0.0);
    const std::span<double> k = std::span(room).first(x.size()), d = std::span(room).last(x.size());
    system.add_stiffness(x, {k, d});
    ModeBounds modes;
    modes.least_damping = system.least_damping();
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!pinned.empty() && pinned[i]) continue;
        modes.stiffness = std::max(modes.stiffness, k[i] / masses[i]);
        modes.max_damping = std::max(modes.max_damping, d[i] / masses[i]);
    }
    return modes;
}

double usable_step(IntegrationMethod method, const ModeBounds& modes) {
    return stable_fraction * largest_stable_step(method, modes);
}

double largest_stable_step(IntegrationMethod method, const MotionSystem& system, std::span<const Vec3> x) {
    return usable_step(method, mode_bounds(system, x));
}

}  // namespace plush
