#pragma once

#include <span>

#include "plush/core/describe.hpp"

namespace plush {

/// How deformable bodies are advanced in time.
enum class IntegrationMethod {
    explicit_euler,         ///< order 1; grows without damping: for teaching
    semi_implicit_euler,    ///< order 1, symplectic: energy stays bounded
    midpoint,               ///< Runge-Kutta of order 2; grows very slowly without damping
    runge_kutta_4,          ///< order 4, four force evaluations a step
    verlet,                 ///< order 2 with equal steps; no velocity in its memory, so positions may be set
    time_corrected_verlet,  ///< order 2 with any steps
    implicit_euler,         ///< order 1, linearised; stable at any step, damps (the default)
    bdf2,                   ///< order 2, implicit; stable at any step, damps far less
    quasi_static,           ///< no inertia: every step ends in equilibrium
};
PLUSH_API std::span<const Choice> integration_method_choices();

/// What is done with a step that an explicit method cannot take.
enum class StepPolicy {
    substep,  ///< cut it into equal parts (the default)
    refuse,   ///< an error names the largest step that would do
    accept,   ///< take it anyway: for teaching
};
PLUSH_API std::span<const Choice> step_policy_choices();

/// How the linear systems of implicit methods are solved.
enum class LinearSolver {
    conjugate_gradients,  ///< with 3×3 blocks as preconditioner (the default)
    cholesky,  ///< a factorisation: exact, and faster where conjugate gradients take hundreds of iterations
};
PLUSH_API std::span<const Choice> linear_solver_choices();

/// How a deformable body is advanced in time.
struct IntegrationSettings {
    IntegrationMethod method = IntegrationMethod::implicit_euler;
    StepPolicy policy = StepPolicy::substep;
    int max_substeps = 1000;  ///< a step that would need more is refused
    double tolerance = 1e-6;  ///< of the implicit solve, relative
    int iterations = 500;     ///< of the implicit solve, at most
    /// Of the implicit solve. Where springs or whole volumes are among the forces it is conjugate gradients.
    LinearSolver solver = LinearSolver::conjugate_gradients;
    /// Newton iterations a step, at most; with a line search where it is more than one. 0: one for
    /// implicit_euler and bdf2, or 8 where a material needs the line search (neo-Hookean), 100 for
    /// quasi_static.
    int newton = 0;
    double newton_tolerance = 1e-4;  ///< of the unbalanced force, relative to that at the start
};
PLUSH_API void describe(FieldVisitor& v, IntegrationSettings& s);

}  // namespace plush
