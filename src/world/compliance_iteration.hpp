#pragma once

#include "world/constraint_system.hpp"

// The iteration of bodies with an approximate compliance W̃. Their contacts are solved with W̃, the impulses λ
// found are given to the bodies, which move as they truly do, Δv = A⁻¹ Gᵀ λ, and what W̃ got wrong becomes part of
// the free velocity of the next iteration:
//
//     w = G u* + (W − W̃) λ_k + W̃ λ,      solve for λ = λ_{k+1}.
//
// At its fixed point w = G u* + W λ: the solution is the exact one. Every iteration starts with the residual of the
// laws at λ_k and the true velocities, and ends where that is below the solver's tolerance: the bodies then have
// the velocities that the laws were checked with. A splitting of a linear complementarity problem converges where
// 2 W̃ − W is positive definite (Cottle, Pang & Stone 1992, chapter 5). Where it does not, because a body is far
// from its rest shape, the bodies of the island are factorised.
//
// The first iteration starts from what the impulses of the last step do, where there are any. W̃ learns from every
// iteration (contact_compliance.hpp).
//
// The true motion is found by conjugate gradients that go on from iteration to iteration, a few digits ahead of the
// residual and no more: all iterations together take about as many as one exact solve.
//
// Iterations are taken by all islands side by side, first their solves, then the bodies.

namespace plush {

class ComplianceIteration {
public:
    ComplianceIteration(ConstraintSystem& system, const StepContext& step,
                        std::span<const std::uint32_t> islands, const SolverSettings& solver,
                        double tolerance);

    /// Before the first solve of the islands: the velocities that it starts from.
    void begin();
    /// After it: until the true motion obeys.
    void run(const SolveIsland& solve_island);

private:
    /// An island with bodies whose compliance is approximate.
    struct Pending {
        std::uint32_t island;
        std::vector<std::uint32_t> bodies{};
        double residual = HUGE_VAL;  ///< the smallest so far
        int stalled = 0;             ///< iterations since then
        double accuracy = 0;         ///< to which the true motion is known
        enum class Fate { again, done, failed } fate = Fate::again;
    };
    std::vector<std::uint32_t> approximate_bodies(std::uint32_t island) const;
    void iterate(Pending& one, int iteration, const SolveIsland& solve_island);
    void factorise_failed();
    void move_as_before(std::uint32_t body);
    void move_truly(std::uint32_t body, double tolerance);
    void take_velocities(std::uint32_t island);

    ConstraintSystem& system_;
    const StepContext& step_;
    const SolverSettings& solver_;
    double tolerance_;
    double finest_;             ///< accuracy of the true motion that is enough
    std::vector<Twist> start_;  ///< velocities before the solve
    std::vector<Pending> pending_;
    std::vector<std::uint32_t> failed_;  ///< islands
};

}  // namespace plush
