#pragma once

#include "plush/contact/field_settings.hpp"
#include "plush/math/vec.hpp"

// What a vertex with the gap d to a surface feels along the normal: f(d) = −E'(d), and its stiffness E''(d).
// With stiffness k and buffer ε:
//
//     quadratic     E = ½ k d²                          d < 0      Rigid Contacts, GAMES103 lecture, 2021
//     buffered      E = ½ k (ε − d)²                    d < ε      the same
//     log barrier   E = ρ (d/ε − 1 − ln(d/ε))           d < ε      ρ = k ε²; the lecture's f = ρ/d, less ρ/ε
//     barrier       E = −k (d − ε)² ln(d/ε)             d < ε      Li et al., Incremental Potential Contact,
//                                                                  2020, Eq. 6
//
// The lecture's ρ/d acts at any distance; taking its value at ε away ends it there without a jump.
//
// A barrier needs d > 0, and the step control keeps it so. Stages of an explicit step that are thrown away,
// and starts inside, ask for more: below the least gap δ = 1e-6 ε the force goes on along its tangent, so
// that it is finite, continuous and points outward everywhere. So a barrier holds up to E(δ) = 13.8 k ε² of
// kinetic energy; what comes with more is stopped at δ and loses the rest.

namespace plush {

struct LawValue {
    double energy = 0;     ///< J
    double force = 0;      ///< N, along the normal, never negative
    double stiffness = 0;  ///< N/m, never negative
};
LawValue evaluate_law(const SurfaceSettings& s, double gap);

constexpr bool is_barrier(SurfaceLaw law) {
    return law == SurfaceLaw::log_barrier || law == SurfaceLaw::barrier;
}
/// The gap below which there is a force, m.
double force_reach(const SurfaceSettings& s);
/// The gap below which nothing comes nearer to a barrier, m.
double least_gap(const SurfaceSettings& s);

/// Coulomb friction, smoothed: |f_t| = μ p (2 u/v₀ − u²/v₀²) below the stick speed v₀ and μ p above, u the
/// sliding speed (Li et al. 2020, Eq. 13).
///
/// Its −B is f_t/u across the sliding. Along it the true derivative is 2 μ p (1 − u/v₀)/v₀, and none above
/// v₀: a linearised step with it would turn a strong brake round. It is taken where it is at least f_t/u −
/// m/h, with which a free vertex of mass m just stops in a step of h; else that. `mass_rate` is m/h, kg/s; 0
/// where it is not known, which brakes a little too much.
struct SurfaceFriction {
    Vec3 force{};
    Mat3 damping{};     ///< −B, kg/s
    double secant = 0;  ///< |f_t|/u, kg/s
};
SurfaceFriction smoothed_friction(double limit, double stick_speed, const Vec3& normal, const Vec3& velocity,
                                  double mass_rate = 0);

}  // namespace plush
