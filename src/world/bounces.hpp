#pragma once

#include "world/constraint_system.hpp"

// Contacts that bounce. A bounce at its time within the step has the velocity and the height of that time
// (contact/points/point_contact.cpp): the velocity is asked for by the rows of the step, and the height is made up by a
// displacement along the same rows, J Δq = shift.
//
// Newton's law of restitution, contact by contact, may create energy where several contacts or friction act at once (Kane and
// Levinson 1985; Stronge 1990). The law that holds: the contacts of an island do no work in all, the work against gravity of
// those displacements included. Where they would, all rebounds of the island are made smaller by one factor, the largest that
// obeys the law.

namespace plush {

class Bounces {
public:
    Bounces(BodyStore& bodies, ConstraintSystem& system) : bodies_(bodies), system_(system) {}

    /// After the velocity solve: finds the displacements, and solves islands again that would gain energy.
    void settle(const StepContext& step, const SolverSettings& solver, const SolveIsland& solve_island);
    /// After the correction.
    void displace() const;

private:
    void plan(const StepContext& step);
    void add_shifts(Rows& rows) const;
    std::vector<double> lifts(const StepContext& step) const;
    double contact_work(std::span<const std::uint32_t> blocks) const;
    bool bouncing(std::span<const std::uint32_t> blocks) const;
    void scale_displacements(std::span<const std::uint32_t> blocks, double factor);

    BodyStore& bodies_;
    ConstraintSystem& system_;
    std::vector<std::vector<Twist>> displacements_;  ///< of each body; empty: none
};

}  // namespace plush
