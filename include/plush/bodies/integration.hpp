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
};
PLUSH_API std::span<const Choice> integration_method_words();

/// What is done with a step that an explicit method cannot take.
enum class StepPolicy {
    substep,  ///< cut it into equal parts (the default)
    refuse,   ///< an error names the largest step that would do
    accept,   ///< take it anyway: for teaching
};
PLUSH_API std::span<const Choice> step_policy_words();

struct IntegrationSettings {
    IntegrationMethod method = IntegrationMethod::implicit_euler;
    StepPolicy policy = StepPolicy::substep;
    int most_substeps = 1000;  ///< a step that would need more is refused
    double tolerance = 1e-6;   ///< of the implicit solve, relative
    int iterations = 500;      ///< of the implicit solve, at most
};
PLUSH_API void describe(FieldVisitor& v, IntegrationSettings& s);

}  // namespace plush
