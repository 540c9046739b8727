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
};

constexpr std::array policies{
    Choice{"substep", static_cast<int>(StepPolicy::substep), "cut the step into equal parts"},
    Choice{"refuse", static_cast<int>(StepPolicy::refuse),
           "an error that names the largest step that would do"},
    Choice{"accept", static_cast<int>(StepPolicy::accept), "take it anyway: for teaching"},
};

}  // namespace

std::span<const Choice> integration_method_words() {
    return methods;
}

std::span<const Choice> step_policy_words() {
    return policies;
}

void describe(FieldVisitor& v, IntegrationSettings& s) {
    v.choice({.key = "method", .text = "how the body is advanced in time"}, s.method, methods);
    v.choice({.key = "policy", .text = "what is done with a step that an explicit method cannot take"},
             s.policy, policies);
    v.field({.key = "most_substeps",
             .text = "a step that would need more parts is refused",
             .min = 1,
             .max = 1e6},
            s.most_substeps);
    v.field({.key = "tolerance", .text = "of the implicit solve, relative", .min = 0, .max = 1}, s.tolerance);
    v.field({.key = "iterations", .text = "of the implicit solve, at most", .min = 1, .max = 1e6},
            s.iterations);
}

}  // namespace plush
