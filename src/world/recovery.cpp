#include "world/recovery.hpp"

#include <algorithm>

namespace plush {
namespace {

/// How positions follow a change of velocities, s.
double position_factor(const BodyRecord& record, double h) {
    return record.kind == BodyKind::deformable ? record.deformable().position_factor(h) : h;
}

}  // namespace

void Recovery::relax(const StepContext& step, const SolverSettings& solver, const SolveIsland& solve_island) {
    displacements_.clear();
    std::vector<std::uint32_t> islands;
    std::vector<char> parted(bodies_.size());
    for (std::uint32_t k = 0; k < system_.island_count(); ++k) {
        const auto blocks = system_.island_blocks(k);
        const auto recovers = [&](std::uint32_t b) {
            return system_.rows().blocks[b].recovery > 0 && system_.rows().blocks[b].impulse.x > 0;
        };
        if (std::none_of(blocks.begin(), blocks.end(), recovers)) continue;
        islands.push_back(k);
        for (const std::uint32_t b : blocks)
            for (const Entry& e : system_.rows().entries_of(system_.rows().blocks[b]))
                parted[system_.body_of_node(e.node)] = 1;
    }
    for (Block& block : system_.rows().blocks) block.bias.x += block.recovery;
    if (islands.empty()) return;
    displacements_.resize(bodies_.size());
    const auto add_change = [&](double sign) {
        step.parallel.each(bodies_.size(), 1, [&](std::size_t k) {
            const auto i = static_cast<std::uint32_t>(k);
            if (!parted[i]) return;
            const double factor = sign * position_factor(bodies_[i], step.h);
            const std::vector<Twist> change = system_.velocity_change(i);
            displacements_[i].resize(change.size());
            for (std::size_t n = 0; n < change.size(); ++n) {
                displacements_[i][n].linear += factor * change[n].linear;
                displacements_[i][n].angular += factor * change[n].angular;
            }
        });
    };
    add_change(1);
    for (const std::uint32_t k : islands) system_.solve_again(step, k, solver, solve_island);
    add_change(-1);
}

void Recovery::displace(const StepContext& step) {
    for (std::uint32_t i = 0; i < displacements_.size(); ++i) {
        double way = 0;
        for (const Twist& t : displacements_[i]) way = std::max(way, norm(t.linear));
        if (!(way > 0)) continue;
        bodies_[i].body->displace(displacements_[i]);
        step.report.convergence.displacement += way;
        step.report.convergence.largest_displacement =
            std::max(step.report.convergence.largest_displacement, way);
    }
}

}  // namespace plush
