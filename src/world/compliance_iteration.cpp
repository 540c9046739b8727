#include "world/compliance_iteration.hpp"

#include <algorithm>

#include "core/tuning.hpp"

namespace plush {
namespace {

/// Where bodies respond vertex by vertex: what is left is taken up by the next step.
constexpr double nodal_tolerance = 1e-6;

}  // namespace

ComplianceIteration::ComplianceIteration(ConstraintSystem& system, const StepContext& step,
                                         std::span<const std::uint32_t> islands, const SolverSettings& solver,
                                         double tolerance)
    : system_(system),
      step_(step),
      solver_(solver),
      tolerance_(tolerance),
      finest_(std::max(tuning::true_motion_tolerance * tolerance, tuning::jointed_vertex_tolerance)),
      start_(system.velocities_) {
    for (const std::uint32_t k : islands)
        if (auto bodies = approximate_bodies(k); !bodies.empty())
            pending_.push_back(
                {.island = k, .bodies = std::move(bodies), .accuracy = tuning::true_motion_first});
}

/// Of an island, rising.
std::vector<std::uint32_t> ComplianceIteration::approximate_bodies(std::uint32_t island) const {
    std::vector<std::uint32_t> bodies;
    const Rows& rows = system_.rows_;
    for (const std::uint32_t b : system_.islands_.blocks(island))
        for (const Entry& e : rows.entries_of(rows.blocks[b])) {
            const std::uint32_t body = system_.body_of_node_[e.node];
            PLUSH_ASSERT(!rows.group_of(e.node) || system_.of(body).compliance);
            if (rows.group_of(e.node) && system_.of(body).compliance->approximate()) bodies.push_back(body);
        }
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    return bodies;
}

void ComplianceIteration::begin() {
    std::vector<std::uint32_t> bodies;
    for (const Pending& one : pending_) bodies.insert(bodies.end(), one.bodies.begin(), one.bodies.end());
    step_.parallel.each(bodies.size(), 1, [&](std::size_t k) { move_as_before(bodies[k]); });
    for (const Pending& one : pending_) take_velocities(one.island);
}

/// What the impulses of the last step do.
void ComplianceIteration::move_as_before(std::uint32_t body) {
    BodyNodes& own = system_.of_body_[body];
    own.errors.assign(own.rows_of_node.size(), {});
    const std::vector<double> impulses = system_.impulses_on(own);
    if (std::all_of(impulses.begin(), impulses.end(), [](double p) { return p == 0; })) return;
    const std::span<const Twist> before = system_.expected_.contact_change(body);
    if (before.size() == system_.bodies_[body].body->node_count()) {
        std::vector<Vec3> change;
        const double factor = system_.impulse_factor(body);
        for (const Twist& t : before) change.push_back(t.linear / factor);
        own.compliance->expect(change);
    }
    move_truly(body, tuning::true_motion_first);
}

/// What the impulses of now do, and by how much the solve was wrong about it.
void ComplianceIteration::move_truly(std::uint32_t body, double tolerance) {
    BodyNodes& own = system_.of_body_[body];
    const std::vector<double> impulses = system_.impulses_on(own);
    PLUSH_ASSERT(own.compliance->approximate() && tolerance > 0);
    PLUSH_ASSERT(impulses.size() == own.compliance->rows());
    own.compliance->move(impulses, tolerance);
    system_.copy_compliance(own);
    own.errors.assign(own.rows_of_node.size(), {});
    const double factor = system_.impulse_factor(body);
    for (std::size_t k = 0, row = 0; k < own.rows_of_node.size(); row += own.rows_of_node[k++])
        for (std::size_t r = 0; r < own.rows_of_node[k]; ++r)
            own.errors[k][r] = factor * (own.compliance->velocity(row + r) -
                                         own.compliance->compliance_times(row + r, impulses));
}

/// The velocities that an island starts from: free ones, with what the approximation gets wrong.
void ComplianceIteration::take_velocities(std::uint32_t island) {
    const Rows& rows = system_.rows_;
    std::vector<Twist>& velocities = system_.velocities_;
    for (const std::uint32_t b : system_.islands_.blocks(island))
        for (const Entry& e : rows.entries_of(rows.blocks[b])) {
            velocities[e.node] = start_[e.node];
            const NodeGroup* group = rows.group_of(e.node);
            if (!group) continue;
            const BodyNodes& own = system_.of(system_.body_of_node_[e.node]);
            PLUSH_ASSERT(!own.compliance->approximate() || own.errors.size() == own.rows_of_node.size());
            for (std::uint32_t n = group->first_node; n < group->first_node + group->count; ++n) {
                velocities[n] = start_[n];
                if (own.compliance->approximate())
                    velocities[n].linear += own.errors[n - own.first_constraint_node];
            }
        }
}

void ComplianceIteration::run(const SolveIsland& solve_island) {
    for (int iteration = 1; !pending_.empty(); ++iteration) {
        std::vector<std::pair<std::uint32_t, double>> moves;
        for (Pending& one : pending_) {
            one.accuracy = std::max(one.accuracy, finest_);
            for (const std::uint32_t i : one.bodies) moves.emplace_back(i, one.accuracy);
        }
        step_.parallel.each(moves.size(), 1,
                            [&](std::size_t k) { move_truly(moves[k].first, moves[k].second); });
        step_.parallel.each(pending_.size(), tuning::islands_per_task,
                            [&](std::size_t k) { iterate(pending_[k], iteration, solve_island); });
        step_.report.compliance_iterations = std::max(step_.report.compliance_iterations, iteration);
        factorise_failed();
        std::erase_if(pending_, [](const Pending& one) { return one.fate != Pending::Fate::again; });
    }
    step_.parallel.each(failed_.size(), tuning::islands_per_task, [&](std::size_t k) {
        take_velocities(failed_[k]);
        SweepReport& so_far = system_.island_reports_[failed_[k]];
        const SweepReport again = solve_island(system_.islands_.blocks(failed_[k]));
        so_far = {so_far.iterations + again.iterations, again.residual};
    });
}

/// Checks the laws at the true motion, and solves again where they do not hold.
void ComplianceIteration::iterate(Pending& one, int iteration, const SolveIsland& solve_island) {
    PLUSH_ASSERT(one.fate == Pending::Fate::again && !one.bodies.empty());
    take_velocities(one.island);
    const auto blocks = system_.islands_.blocks(one.island);
    SweepReport& so_far = system_.island_reports_[one.island];
    const double left = so_far.residual =
        IslandSolver(system_.rows_, blocks, system_.nodes_, system_.velocities_, solver_).residual();
    const bool known = one.accuracy <= finest_;
    const bool nodal = std::any_of(one.bodies.begin(), one.bodies.end(),
                                   [&](std::uint32_t body) { return system_.of(body).nodal; });
    if (left <= (nodal ? std::max(tolerance_, nodal_tolerance)
                       : tolerance_)) {  // but for what is not known of the motion
        if (known) one.fate = Pending::Fate::done;
        one.accuracy = finest_;
        return;
    }
    one.stalled = left > tuning::compliance_progress * one.residual ? one.stalled + 1 : 0;
    one.residual = std::min(one.residual, left);
    if (iteration > (nodal ? tuning::nodal_iterations : tuning::compliance_iterations) || one.stalled == 2) {
        one.fate = nodal ? Pending::Fate::done : Pending::Fate::failed;  // the next step goes on from here
        return;
    }
    one.accuracy = tuning::true_motion_progress * std::min(left, 1.0);
    take_velocities(one.island);
    so_far.iterations += solve_island(blocks).iterations;
}

/// Islands in which the approximation would not do get exact compliances.
void ComplianceIteration::factorise_failed() {
    for (const Pending& one : pending_) {
        if (one.fate != Pending::Fate::failed) continue;
        failed_.push_back(one.island);
        for (const std::uint32_t body : one.bodies) {
            BodyNodes& own = system_.of_body_[body];
            own.compliance->measure(system_.bodies_[body].deformable(), ComplianceAs::itself);
            system_.copy_compliance(own);
        }
        step_.report.factorised_bodies += static_cast<int>(one.bodies.size());
    }
}

}  // namespace plush
