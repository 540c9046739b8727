#pragma once

#include "plush/core/state.hpp"
#include "plush/record/run.hpp"

// What steps of a run had to say of themselves (StepReport::convergence), one entry a kind.

namespace plush {

void visit_state(StateVisitor& v, RunFinding& finding);

/// Adds what the world's last step has.
void add_findings(std::vector<RunFinding>& findings, const World& world);

/// What the first step of a world has to say: why it is refused, and how it goes less well than asked for.
struct FirstStep {
    std::optional<Error> refused{};
    std::vector<Error> warnings{};
};
/// Takes the step.
FirstStep try_first_step(World& world);

}  // namespace plush
