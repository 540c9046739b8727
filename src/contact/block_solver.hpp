#pragma once

#include <span>
#include <vector>

#include "contact/rows.hpp"

namespace plush {

/// How a solve ended.
struct SweepReport {
    int iterations = 0;
    double residual = 0;  ///< the natural-map residual, relative
};

/// Block projected Gauss-Seidel on the rows of one island. Blocks are visited in their order, which makes the
/// answer a function of the rows alone. `nodes` are those of the whole world; `velocity` starts as u* and
/// ends as u.
SweepReport solve_blocks(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
                         std::span<Twist> velocity, const SolverSettings& settings);

}  // namespace plush
