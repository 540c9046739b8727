#include "plush/bodies/integration.hpp"

#include <array>

namespace plush {
namespace {

using Method = IntegrationMethod;

constexpr std::array methods{
    Choice{"explicit_euler", static_cast<int>(Method::explicit_euler),
           "order 1; grows without damping: for teaching"},
    Choice{"semi_implicit_euler", static_cast<int>(Method::semi_implicit_euler),
           "order 1; energy stays bounded"},
    Choice{"midpoint", static_cast<int>(Method::midpoint),
           "Runge-Kutta of order 2; grows slowly without damping"},
    Choice{"runge_kutta_4", static_cast<int>(Method::runge_kutta_4),
           "order 4, four force evaluations a step"},
    Choice{"verlet", static_cast<int>(Method::verlet), "order 2 with equal steps; positions may be set"},
    Choice{"time_corrected_verlet", static_cast<int>(Method::time_corrected_verlet),
           "order 2 with any steps"},
    Choice{"implicit_euler", static_cast<int>(Method::implicit_euler),
           "order 1; stable at any step, and damps"},
    Choice{"bdf2", static_cast<int>(Method::bdf2), "order 2, implicit; stable at any step, damps far less"},
    Choice{"quasi_static", static_cast<int>(Method::quasi_static),
           "no inertia: every step ends in equilibrium"},
};

constexpr std::array policies{
    Choice{"substep", static_cast<int>(StepPolicy::substep), "cut the step into equal parts"},
    Choice{"refuse", static_cast<int>(StepPolicy::refuse),
           "an error that names the largest step that would do"},
    Choice{"accept", static_cast<int>(StepPolicy::accept), "take it anyway: for teaching"},
};

constexpr std::array solvers{
    Choice{"conjugate_gradients", static_cast<int>(LinearSolver::conjugate_gradients),
           "with 3x3 blocks as preconditioner"},
    Choice{"cholesky", static_cast<int>(LinearSolver::cholesky), "a factorisation: exact"},
};

}  // namespace

std::span<const Choice> linear_solver_choices() {
    return solvers;
}

std::span<const Choice> integration_method_choices() {
    return methods;
}

std::span<const Choice> step_policy_choices() {
    return policies;
}

void describe(FieldVisitor& v, IntegrationSettings& s) {
    v.choice({.key = "integrator", .text = "how the body is advanced in time"}, s.method, methods);
    v.choice({.key = "step_policy", .text = "what is done with a step that an explicit method cannot take"},
             s.policy, policies);
    v.field({.key = "max_substeps",
             .text = "a step that would need more parts is refused; friction near rest is limited to the "
                     "substep before",
             .min = 1,
             .max = 1e6},
            s.max_substeps);
    v.field({.key = "solve_tolerance", .text = "of the implicit solve, relative", .min = 0, .max = 1},
            s.tolerance);
    v.field({.key = "solve_iterations", .text = "of the implicit solve, at most", .min = 1, .max = 1e6},
            s.iterations);
    v.choice({.key = "solver", .text = "how the linear systems of implicit methods are solved"}, s.solver,
             solvers);
    v.field({.key = "newton",
             .text = "Newton iterations a step, at most; 0 is one, or 8 for neo-Hookean bodies, or 100 for "
                     "quasi_static",
             .min = 0,
             .max = 1e4},
            s.newton);
    v.field({.key = "newton_tolerance",
             .text = "of the unbalanced force, relative to that at the start",
             .min = 0,
             .max = 1},
            s.newton_tolerance);
}

}  // namespace plush
