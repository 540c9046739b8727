#pragma once

#include "bodies/motion_system.hpp"
#include "plush/bodies/integration.hpp"
#include "plush/core/error.hpp"

// The integrators, behind one call. With a(x, v, t) = f/m:
//
//     explicit Euler        x' = x + h v,                     v' = v + h a
//     semi-implicit Euler   v' = v + h a,                     x' = x + h v'
//     midpoint              x' = x + h (v + ½ h a),           v' = v + h a(x + ½ h v, v + ½ h a, t + ½ h)
//     Runge-Kutta 4         the classical tableau (Kutta 1901)
//     Verlet                x' = 2 x − x_before + h² a        (Verlet 1967)
//     time-corrected        x' = x + (h/h_b)(x − x_before) + ½ (h + h_b) h a
//     implicit Euler        (M − h B − h² K) Δv = h f + h² K v,  v' = v + Δv,  x' = x + h v'
//                           (Baraff & Witkin, "Large steps in cloth simulation", 1998, Eq. 6)
//
// Both Verlet methods report v' = (x' − x)/h + ½ h a, which is of second order, and use it in forces that
// depend on velocity. They start with x' = x + h v + ½ h² a.

namespace plush {

struct AdvanceReport {
    int substeps = 1;
    double largest_step = 0;  ///< s, that is stable; infinite for implicit Euler, 0 where none is
    SolveReport solve{};      ///< of implicit Euler
};

/// The largest stable step of a method, s: 0 where no step is, infinite where every one is. Formulas and
/// their derivation are in stable_step.cpp and docs/methods.md.
double largest_stable_step(IntegrationMethod method, const MotionSystem& system, std::span<const Vec3> x);

/// The same from ω² ≤ `stiffness` (1/s²), least ≤ c ≤ most (1/s).
struct ModeBounds {
    double stiffness = 0;
    double least_damping = 0, most_damping = 0;
};
double largest_stable_step(IntegrationMethod method, const ModeBounds& modes);
/// By Gershgorin's theorem, from the row sums of a system.
ModeBounds mode_bounds(const MotionSystem& system, std::span<const Vec3> x);
/// The same with room that is kept from step to step.
ModeBounds mode_bounds(const MotionSystem& system, std::span<const Vec3> x, std::vector<double>& room);
/// What of the limit is used: see stable_step.cpp.
double usable_step(IntegrationMethod method, const ModeBounds& modes);

/// Keeps the room that steps need; has no state of its own.
class Integrator {
public:
    /// One step of h in one piece, whatever comes of it.
    SolveReport step(MotionSystem& system, MotionState& state, double h, const IntegrationSettings& settings);

    /// A step of h by the policy of the settings. An error leaves the state as it was.
    Result<AdvanceReport> advance(MotionSystem& system, MotionState& state, double h,
                                  const IntegrationSettings& settings);

    /// Solves A Δv = p for the matrix A = M − h B − h² K of the last implicit step: how the bodies answer
    /// impulses p, N s. Pinned points do not.
    SolveReport respond(MotionSystem& system, std::span<const Vec3> impulses, std::span<Vec3> change,
                        const IntegrationSettings& settings);

private:
    void accelerations(MotionSystem& system, std::span<const Vec3> x, std::span<const Vec3> v, double t,
                       std::vector<Vec3>& a);
    void explicit_euler(MotionSystem& system, MotionState& s, double h);
    void semi_implicit_euler(MotionSystem& system, MotionState& s, double h);
    void midpoint(MotionSystem& system, MotionState& s, double h);
    void runge_kutta_4(MotionSystem& system, MotionState& s, double h);
    void verlet(MotionSystem& system, MotionState& s, double h, bool corrected);
    SolveReport implicit_euler(MotionSystem& system, MotionState& s, double h,
                               const IntegrationSettings& settings);

    std::vector<Vec3> a_, x_stage_, v_stage_, dx_, dv_;
    std::vector<double> rows_;
    std::vector<Vec3> product_;
    std::vector<Mat3> external_;
    std::vector<RankOneTerm> dense_;
    std::vector<const EdgeMatrix*> edges_;
    ConjugateGradients cg_;
};

}  // namespace plush
