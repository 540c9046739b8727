#include <algorithm>

#include "core/tuning.hpp"
#include "world/world_impl.hpp"

// The outer loop of bodies with an approximate compliance W̃. Their contacts are solved with W̃, the impulses
// λ found are given to the bodies, which move as they truly do, Δv = A⁻¹ Gᵀ λ, and what W̃ got wrong becomes
// part of the free velocity of the next turn:
//
//     w = G u* + (W − W̃) λ_k + W̃ λ,      solve for λ = λ_{k+1}.
//
// Where it stands still, w = G u* + W λ: the answer is the exact one. Every turn starts with the residual of
// the laws at λ_k and the true velocities, and the loop ends where that is below the solver's tolerance: the
// bodies then have the velocities that the laws were checked with. A splitting of a linear complementarity
// problem converges where 2 W̃ − W is positive definite (Cottle, Pang & Stone 1992, chapter 5). Where it does
// not, because a body is far from its rest shape, the bodies of the island are factorised after all.
//
// The first turn starts from what the impulses of the last step do, where there are any. W̃ learns from every
// turn (body_answer.hpp).
//
// The true motion is found by conjugate gradients that go on from turn to turn, a few digits ahead of the
// residual and no more: all turns together take about as many iterations as one exact solve.
//
// Turns are taken by all islands side by side, first their solves, then the bodies.

namespace plush {

bool World::Impl::wants_approximation(const Slot& slot) const {
    // Joints shall not gape by what an iteration leaves.
    if (!slot.held.empty() || slot.in_pieces) return false;
    switch (settings.solver.compliance) {
        case ComplianceMethod::exact:
            return false;
        case ComplianceMethod::approximate:
            return true;
        case ComplianceMethod::automatic:
            break;
    }
    return slot.deformable().positions().size() >= tuning::approximate_vertices;
}

/// What the impulses of now do, and by how much the solve was wrong about it.
void World::Impl::move_truly(Slot& slot, double tolerance) {
    const std::vector<double> impulses = grip_impulses(slot);
    slot.answer->move(impulses, tolerance);
    take_compliance(slot);
    slot.grip_errors.assign(slot.grips.size(), {});
    for (std::size_t k = 0, row = 0; k < slot.grips.size(); row += slot.grips[k++])
        for (std::size_t r = 0; r < slot.grips[k]; ++r)
            slot.grip_errors[k][r] =
                slot.answer->velocity(row + r) - slot.answer->compliance_times(row + r, impulses);
}

/// The velocities that an island starts from: free ones, with what the approximation gets wrong.
void World::Impl::take_velocities(std::uint32_t island, std::span<const Twist> start) {
    for (const std::uint32_t b : islands.blocks(island))
        for (const Entry& e : rows.entries_of(rows.blocks[b])) {
            velocities[e.node] = start[e.node];
            const NodeGroup* group = rows.group_of(e.node);
            if (!group) continue;
            const Slot& slot = slots[body_of_node[e.node]];
            for (std::uint32_t k = 0; k < group->count; ++k) {
                velocities[group->first_node + k] = start[group->first_node + k];
                if (slot.answer->approximate())
                    velocities[group->first_node + k].linear += slot.grip_errors[k];
            }
        }
}

void World::Impl::answer_exactly(Slot& slot) {
    slot.answer->measure(slot.deformable(), AnswerAs::itself);
    take_compliance(slot);
}

/// Before the first solve: what the impulses of the last step do.
void World::Impl::move_as_before(Slot& slot) {
    slot.grip_errors.assign(slot.grips.size(), {});
    const std::vector<double> impulses = grip_impulses(slot);
    if (std::all_of(impulses.begin(), impulses.end(), [](double p) { return p == 0; })) return;
    if (slot.pressed.size() == slot.body->node_count()) {
        std::vector<Vec3> change;
        for (const Twist& t : slot.pressed) change.push_back(t.linear);
        slot.answer->expect(change);
    }
    move_truly(slot, tuning::true_motion_first);
}

/// Of an island, rising.
std::vector<std::uint32_t> World::Impl::approximate_bodies(std::uint32_t island) const {
    std::vector<std::uint32_t> bodies;
    for (const std::uint32_t b : islands.blocks(island))
        for (const Entry& e : rows.entries_of(rows.blocks[b]))
            if (rows.group_of(e.node) && slots[body_of_node[e.node]].answer->approximate())
                bodies.push_back(body_of_node[e.node]);
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    return bodies;
}

void World::Impl::solve_islands(const std::vector<std::uint32_t>& wanted, const SolverSettings& solver,
                                double tolerance, const SolveIsland& solve_one) {
    const std::vector<Twist> start = velocities;
    // Islands that are not done, with the bodies of each that only approximate.
    const double finest = std::max(tuning::true_motion_tolerance * tolerance, tuning::held_vertex_tolerance);
    struct Pending {
        std::uint32_t island;
        std::vector<std::uint32_t> bodies{};
        double residual = HUGE_VAL;                   ///< the smallest so far
        int stalled = 0;                              ///< turns since then
        double accuracy = tuning::true_motion_first;  ///< to which the true motion is known
        enum class Fate { again, done, failed } fate = Fate::again;
    };
    std::vector<Pending> pending;
    for (const std::uint32_t k : wanted)
        if (auto bodies = approximate_bodies(k); !bodies.empty())
            pending.push_back({.island = k, .bodies = std::move(bodies)});
    std::vector<std::uint32_t> bodies;
    for (const Pending& one : pending) bodies.insert(bodies.end(), one.bodies.begin(), one.bodies.end());
    parallel.each(bodies.size(), 1, [&](std::size_t k) { move_as_before(slots[bodies[k]]); });
    for (const Pending& one : pending) take_velocities(one.island, start);
    island_reports.assign(islands.size(), {});
    parallel.each(wanted.size(), tuning::islands_per_task,
                  [&](std::size_t k) { island_reports[wanted[k]] = solve_one(islands.blocks(wanted[k])); });
    std::vector<std::uint32_t> failed;
    for (int turn = 1; !pending.empty(); ++turn) {
        std::vector<std::pair<std::uint32_t, double>> moves;
        for (Pending& one : pending) {
            one.accuracy = std::max(one.accuracy, finest);
            for (const std::uint32_t i : one.bodies) moves.emplace_back(i, one.accuracy);
        }
        parallel.each(moves.size(), 1,
                      [&](std::size_t k) { move_truly(slots[moves[k].first], moves[k].second); });
        parallel.each(pending.size(), tuning::islands_per_task, [&](std::size_t k) {
            Pending& one = pending[k];
            take_velocities(one.island, start);
            const auto blocks = islands.blocks(one.island);
            SweepReport& so_far = island_reports[one.island];
            const double left = so_far.residual =
                IslandSolver(rows, blocks, nodes, velocities, solver).residual();
            const bool known = one.accuracy <= finest;
            if (left <= tolerance) {  // but for what is not known of the motion
                if (known) one.fate = Pending::Fate::done;
                one.accuracy = finest;
                return;
            }
            one.stalled = left > tuning::outer_progress * one.residual ? one.stalled + 1 : 0;
            one.residual = std::min(one.residual, left);
            if (turn > tuning::outer_turns || one.stalled == 2) {
                one.fate = Pending::Fate::failed;
                return;
            }
            one.accuracy = tuning::true_motion_progress * std::min(left, 1.0);
            take_velocities(one.island, start);
            so_far.iterations += solve_one(blocks).iterations;
        });
        report.outer_turns = std::max(report.outer_turns, turn);
        for (const Pending& one : pending) {
            if (one.fate != Pending::Fate::failed) continue;
            failed.push_back(one.island);
            for (const std::uint32_t i : one.bodies) answer_exactly(slots[i]);
            report.factorised_after_all += static_cast<int>(one.bodies.size());
        }
        std::erase_if(pending, [](const Pending& one) { return one.fate != Pending::Fate::again; });
    }
    parallel.each(failed.size(), tuning::islands_per_task, [&](std::size_t k) {
        take_velocities(failed[k], start);
        SweepReport& so_far = island_reports[failed[k]];
        const SweepReport again = solve_one(islands.blocks(failed[k]));
        so_far = {so_far.iterations + again.iterations, again.residual};
    });
}

}  // namespace plush
