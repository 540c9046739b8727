#pragma once

#include <memory>
#include <span>
#include <vector>

#include "contact/solver/rows.hpp"

namespace plush {

/// How a solve ended.
struct SweepReport {
    int iterations = 0;
    double residual = 0;  ///< the natural-map residual, relative
};

/// Solves the rows of one island: block projected Gauss-Seidel, in which all direct blocks are one, solved as
/// a whole. Blocks are visited in their order, which makes the solution a function of the rows alone. `nodes`
/// are those of the whole world; `velocity` starts as u* and ends as u.
class IslandSolver {
public:
    IslandSolver(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
                 std::span<Twist> velocity, const SolverSettings& settings);
    ~IslandSolver();
    IslandSolver(IslandSolver&&) noexcept;

    /// May be called again after biases have changed in the rows: it goes on from the last solution.
    SweepReport run();
    /// Of the impulses and velocities as they are.
    double residual() const;

private:
    class Sweeper;
    std::unique_ptr<Sweeper> sweeper_;
};

/// The same in one go.
SweepReport solve_blocks(Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes,
                         std::span<Twist> velocity, const SolverSettings& settings);

}  // namespace plush
