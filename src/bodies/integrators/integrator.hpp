#pragma once

#include "bodies/integrators/motion_system.hpp"
#include "math/block_cholesky.hpp"
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
//     BDF2                  M (v' − v̂) = h̃ f(x', v'),  x' = x̂ + h̃ v',  h̃ = 2h/3,
//                           x̂ = (4 x − x_before)/3,  v̂ = (4 v − v_before)/3   (Curtiss & Hirschfelder 1952)
//     quasi-static          f(x') = 0
//
// The implicit ones take more Newton iterations on request; implicit.cpp tells how.
//
// Both Verlet methods report v' = (x' − x)/h + ½ h a, which is of second order, and use it in forces that
// depend on velocity. They start with x' = x + h v + ½ h² a.

namespace plush {

struct AdvanceReport {
    int substeps = 1;
    double largest_step = 0;        ///< s, that is stable; infinite for implicit methods, 0 where none is
    SolveReport solve{};            ///< of implicit methods: of all linear solves together
    int newton = 0;                 ///< iterations of implicit methods
    bool limited_friction = false;  ///< of an explicit method, to its substep
    double unbalanced = 0;          ///< what is left of the force that Newton iterations remove, relative
};

/// The largest stable step of a method, s: 0 where no step is, infinite where every one is. Formulas and
/// their derivation are in stable_step.cpp and docs/methods.md.
double largest_stable_step(IntegrationMethod method, const MotionSystem& system, std::span<const Vec3> x);

/// The same from ω² ≤ `stiffness` (1/s²), least ≤ c ≤ most (1/s).
struct ModeBounds {
    double stiffness = 0;
    double least_damping = 0, max_damping = 0;
};
double largest_stable_step(IntegrationMethod method, const ModeBounds& modes);
/// By Gershgorin's theorem, from the row sums of a system.
ModeBounds mode_bounds(const MotionSystem& system, std::span<const Vec3> x);
/// The same with room that is kept from step to step.
ModeBounds mode_bounds(const MotionSystem& system, std::span<const Vec3> x, std::vector<double>& room);
/// What of the limit is used: see stable_step.cpp.
double usable_step(IntegrationMethod method, const ModeBounds& modes);

bool is_implicit(IntegrationMethod method);
/// Whether the forces at the end of a step are evaluated there, once more: else they are what the
/// linearisation of implicit Euler makes of those at its start.
bool evaluates_the_end(const IntegrationSettings& settings);

/// Keeps the room that steps need; has no state of its own.
class Integrator {
public:
    /// One step of h in one piece, whatever comes of it.
    AdvanceReport step(MotionSystem& system, MotionState& state, double h,
                       const IntegrationSettings& settings);

    /// A step of h by the policy of the settings. An error leaves the state as it was.
    Result<AdvanceReport> advance(MotionSystem& system, MotionState& state, double h,
                                  const IntegrationSettings& settings);

    /// Solves A Δv = p for the matrix A = M − h B − h² K of the last implicit step: how the bodies respond
    /// impulses p, N s. Pinned points do not.
    SolveReport respond(MotionSystem& system, std::span<const Vec3> impulses, std::span<Vec3> change,
                        const IntegrationSettings& settings);

    /// The factor of that matrix without its coupled_terms(): made once a step, when it is first asked for.
    /// Null where there is none, or the matrix is not positive definite.
    const BlockCholesky* factor(MotionSystem& system);
    std::span<const RankOneTerm> coupled_terms() const { return dense_; }
    /// k and b of that matrix M + k K + b B.
    struct Factors {
        double k = 0, b = 0;
        bool operator==(const Factors&) const = default;
    };
    const Factors& factors() const { return factors_; }

private:
    double limit_friction(MotionSystem& system, const MotionState& state, double h,
                          const IntegrationSettings& settings, AdvanceReport& report);
    void accelerations(MotionSystem& system, std::span<const Vec3> x, std::span<const Vec3> v, double t,
                       std::vector<Vec3>& a);
    void explicit_euler(MotionSystem& system, MotionState& s, double h);
    void semi_implicit_euler(MotionSystem& system, MotionState& s, double h);
    void midpoint(MotionSystem& system, MotionState& s, double h);
    void runge_kutta_4(MotionSystem& system, MotionState& s, double h);
    void verlet(MotionSystem& system, MotionState& s, double h, bool corrected);
    // implicit.cpp
    /// M (v' − v) = h f(x', v'), x' = x + h v'.
    struct ImplicitStep {
        std::span<const Vec3> x, v;
        double h = 0;
    };
    AdvanceReport implicit_euler(MotionSystem& system, MotionState& s, double h,
                                 const IntegrationSettings& settings);
    AdvanceReport bdf2(MotionSystem& system, MotionState& s, double h, const IntegrationSettings& settings);
    AdvanceReport quasi_static(MotionSystem& system, MotionState& s, double h,
                               const IntegrationSettings& settings);
    void linearise(MotionSystem& system, std::span<const Vec3> x, std::span<const Vec3> v, double t, double k,
                   double b, bool full, bool may_be_half = false, const ExpectedEnd* end = nullptr);
    /// The linear step from x, v to v' = v + change, linearised at x and at the end of `step`.
    void linear_step(MotionSystem& system, const ImplicitStep& step, std::span<const Vec3> x, double t,
                     double t_end, MotionState& s, const IntegrationSettings& settings,
                     AdvanceReport& report);
    bool may_be_half(const IntegrationSettings& settings) const;
    const BlockMatrix& whole_matrix(MotionSystem& system);
    void add_masses(MotionSystem& system, double factor);
    void solve_linear(MotionSystem& system, std::span<const Vec3> b, std::span<Vec3> x,
                      const IntegrationSettings& settings, AdvanceReport& report, bool may_be_single = false);
    void newton(MotionSystem& system, const ImplicitStep& step, MotionState& s, double t,
                const IntegrationSettings& settings, AdvanceReport& report);
    double unbalanced(MotionSystem& system, const ImplicitStep& step, std::span<const Vec3> x,
                      std::span<const Vec3> v, double t, std::vector<Vec3>& rest);

    std::vector<Vec3> a_, x_stage_, v_stage_, dx_, dv_;
    std::vector<double> rows_;
    std::vector<Vec3> product_;
    std::vector<Mat3> external_;
    std::vector<RankOneTerm> dense_;
    std::vector<const EdgeMatrix*> edges_;
    ConjugateGradients cg_;
    BlockMatrix whole_;  ///< the matrix with its edges, where it has any
    BlockCholesky cholesky_;
    Factors factors_{};
    bool halved_ = false;      ///< the matrix is that in halves
    bool factorised_ = false;  ///< the factor is that of the matrix
    std::vector<Vec3> change_, rest_, x_try_, v_try_, x_end_, v_end_;
};

}  // namespace plush
