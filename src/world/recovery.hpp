#pragma once

#include "world/constraint_system.hpp"
#include "world/step_context.hpp"

// Contacts of deformable bodies that are too deep when a step starts are parted by its solve, at the level of positions and
// with the bodies' own compliance:
//
//     0 ≤ λ ⟂ w⁺ − c ≥ 0,      c = (d − d_aim)/h, bounded.
//
// The speed c serves nothing but this, and must not stay in u. So the rows are solved a second time without it: λ of the
// first solve gives the positions, λ of the second the velocities,
//
//     q⁺ = q* + h A⁻¹Jᵀλ₁,      u⁺ = u* + A⁻¹Jᵀλ₂.
//
// Where nothing is too deep, and so at rest, the two are one.

namespace plush {

class Recovery {
public:
    Recovery(BodyStore& bodies, ConstraintSystem& system) : bodies_(bodies), system_(system) {}

    /// After the solve with recovery: keeps the positions that it gives, and solves for the velocities.
    void relax(const StepContext& step, const SolverSettings& solver, const SolveIsland& solve_island);
    /// After the correction with those velocities: moves the bodies to the positions.
    void displace(const StepContext& step);

private:
    BodyStore& bodies_;
    ConstraintSystem& system_;
    std::vector<std::vector<Twist>> displacements_;  ///< by body, m and rad; empty where nothing is parted
};

}  // namespace plush
