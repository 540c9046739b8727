#include "world/bounces.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "world/energy_limit.hpp"

namespace plush {
namespace {

double mass_of_node(const BodyRecord& record, std::size_t node) {
    if (record.kind == BodyKind::deformable) return record.deformable().masses()[node];
    if (record.kind == BodyKind::particles)
        return record.particles().mass() / static_cast<double>(record.particles().node_count());
    return record.kind == BodyKind::rigid ? record.rigid().mass() : 0;
}

/// The bodies that the blocks of an island act on.
std::vector<std::uint32_t> bodies_of(const ConstraintSystem& system, std::span<const std::uint32_t> blocks) {
    std::vector<std::uint32_t> bodies;
    for (const std::uint32_t b : blocks)
        for (const Entry& e : system.rows().entries_of(system.rows().blocks[b]))
            bodies.push_back(system.body_of_node(e.node));
    std::sort(bodies.begin(), bodies.end());
    bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
    return bodies;
}

/// What the step would give to deformable bodies beyond gravity, the forces on them and the work of all rows, J: to those that
/// nothing else can give energy to.
double gain_of_deformables(const StepContext& step, const BodyStore& bodies, const ConstraintSystem& system,
                           std::span<const std::uint32_t> members) {
    const auto own = [&](std::uint32_t i) {
        return bodies[i].is_deformable() && may_only_lose(step, bodies[i], system.is_attached(i));
    };
    if (std::none_of(members.begin(), members.end(), own)) return 0;
    const std::vector<double> work = system.work_on_bodies();
    double gain = 0;
    for (const std::uint32_t i : members)
        if (own(i))
            gain += std::max(0.0, bodies[i].deformable().gain_by(step.h, system.velocity_change(i), work[i]));
    return gain;
}

}  // namespace

void Bounces::settle(const StepContext& step, const SolverSettings& solver, const SolveIsland& solve_island) {
    displacements_.clear();
    const auto blocks = system_.rows().blocks;
    if (std::none_of(blocks.begin(), blocks.end(),
                     [](const Block& b) { return b.rebound > 0 && b.impulse.x > 0; }))
        return;
    plan(step);
    const std::vector<double> lift = lifts(step);
    for (std::uint32_t k = 0; k < system_.island_count(); ++k) {
        const auto island = system_.island_blocks(k);
        if (!bouncing(island)) continue;
        double part = 1;  // of the rebounds that is asked for now
        const std::vector<std::uint32_t> bodies = bodies_of(system_, island);
        const auto excess = [&] {
            return contact_work(island) + part * lift[k] +
                   gain_of_deformables(step, bodies_, system_, bodies);
        };
        double scale = std::abs(lift[k]);
        for (const std::uint32_t b : island) scale += std::abs(system_.work_of(system_.rows().blocks[b]));
        const double allowed = tuning::restitution_excess * scale;
        double high = 1, high_excess = excess();
        if (!(high_excess > allowed)) continue;
        const auto solve_with = [&](double wanted) {
            for (const std::uint32_t b : island) {
                Block& block = system_.rows().blocks[b];
                block.bias.x += (part - wanted) * block.rebound;
            }
            part = wanted;
            system_.solve_again(step, k, solver, solve_island);
            return excess();
        };
        // False position between what creates energy and what does not. Without a rebound nothing does, but for rounding.
        double low = 0, low_excess = solve_with(0);
        for (int i = 0; i < tuning::restitution_solves && low_excess < 0 && high_excess > allowed; ++i) {
            const double middle =
                low + (high - low) * std::min(0.9, -low_excess / (high_excess - low_excess));
            const double found = solve_with(middle);
            (found > allowed ? high : low) = middle;
            (found > allowed ? high_excess : low_excess) = found;
        }
        if (part != low) solve_with(low);
        scale_displacements(island, low);
    }
}

/// The displacements of all bodies, by the rows of the contacts that bounce; joints hold meanwhile.
void Bounces::plan(const StepContext& step) {
    const ConstraintSystem::Saved saved = system_.save();
    add_shifts(system_.rows());
    if (!system_.rows().blocks.empty()) {
        system_.start_velocities(true);
        const SolverSettings solver{.iterations = tuning::position_sweeps,
                                    .tolerance = tuning::position_tolerance};
        system_.solve(step, system_.build_islands(), solver, tuning::position_compliance_tolerance,
                      [&](std::span<const std::uint32_t> blocks) {
                          return solve_blocks(system_.rows(), blocks, system_.nodes(), system_.velocities(),
                                              solver);
                      });
        displacements_.resize(bodies_.size());
        for (std::uint32_t i = 0; i < bodies_.size(); ++i)
            if (bodies_[i].awake() &&
                !bodies_[i].is_deformable())  // a deformable one would be strained by it
                displacements_[i] = system_.displacement(i);
    }
    system_.restore(saved);
}

void Bounces::add_shifts(Rows& rows) const {
    Rows shifts;
    const auto copy = [&](const Block& block) -> Block& {
        Block& copied = shifts.blocks.emplace_back(block);
        const auto entries = rows.entries_of(block);
        copied.first_entry = static_cast<std::uint32_t>(shifts.entries.size());
        shifts.entries.insert(shifts.entries.end(), entries.begin(), entries.end());
        copied.impulse = {};
        return copied;
    };
    for (const ConstraintSystem::Bounce& bounce : system_.bounces()) {
        PLUSH_ASSERT(bounce.block >= system_.joint_blocks() && bounce.block < rows.blocks.size());
        if (rows.blocks[bounce.block].impulse.x <= 0) continue;
        Block& shift = copy(rows.blocks[bounce.block]);
        shift.rows = 1;
        shift.law = Block::Law::bilateral;
        shift.bias = {-bounce.shift, 0, 0};
    }
    if (!shifts.blocks.empty())
        for (std::size_t k = 0; k < system_.joint_blocks(); ++k) {
            const Block& block = rows.blocks[k];
            if (block.law == Block::Law::bilateral && !(block.softness.x > 0)) copy(block).bias = {};
        }
    rows.blocks = std::move(shifts.blocks), rows.entries = std::move(shifts.entries);
}

/// What the displacements do to the potential of gravity, island by island, J.
std::vector<double> Bounces::lifts(const StepContext& step) const {
    std::vector<double> lift(system_.island_count());
    for (std::uint32_t k = 0; k < system_.island_count(); ++k) {
        for (const std::uint32_t i : bodies_of(system_, system_.island_blocks(k))) {
            if (i >= displacements_.size()) continue;
            for (std::size_t n = 0; n < displacements_[i].size(); ++n)
                lift[k] -=
                    mass_of_node(bodies_[i], n) * dot(step.settings.gravity, displacements_[i][n].linear);
        }
    }
    return lift;
}

double Bounces::contact_work(std::span<const std::uint32_t> blocks) const {
    double work = 0;
    for (const std::uint32_t b : blocks) {
        const Block& block = system_.rows().blocks[b];
        if (block.law == Block::Law::contact) work += system_.work_of(block);
    }
    return work;
}

bool Bounces::bouncing(std::span<const std::uint32_t> blocks) const {
    return std::any_of(blocks.begin(), blocks.end(), [&](std::uint32_t b) {
        const Block& block = system_.rows().blocks[b];
        return block.rebound > 0 && block.impulse.x > 0;
    });
}

void Bounces::scale_displacements(std::span<const std::uint32_t> blocks, double factor) {
    std::vector<char> scaled(bodies_.size());
    for (const std::uint32_t b : blocks)
        for (const Entry& e : system_.rows().entries_of(system_.rows().blocks[b])) {
            const std::uint32_t i = system_.body_of_node(e.node);
            if (i >= displacements_.size() || std::exchange(scaled[i], 1)) continue;
            for (Twist& t : displacements_[i]) t = {factor * t.linear, factor * t.angular};
        }
}

void Bounces::displace() const {
    for (std::uint32_t i = 0; i < displacements_.size(); ++i) {
        const auto& change = displacements_[i];
        if (std::any_of(change.begin(), change.end(),
                        [](const Twist& t) { return norm2(t.linear) + norm2(t.angular) > 0; }))
            bodies_[i].body->displace(change);
    }
}

}  // namespace plush
