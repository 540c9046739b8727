#pragma once

#include "plush/core/state.hpp"
#include "plush/record/run.hpp"

// What steps of a run had to say of themselves (StepReport::convergence), one entry a kind.

namespace plush {

void visit_state(StateVisitor& v, RunFinding& finding);

/// Adds what the world's last step has.
void add_findings(std::vector<RunFinding>& findings, const World& world);

}  // namespace plush
