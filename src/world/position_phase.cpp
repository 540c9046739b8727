#include "world/position_phase.hpp"

#include <algorithm>

#include "core/tuning.hpp"

namespace plush {
namespace {

/// Rows that contradict each other, as those of a limb in a narrow gap, may throw a soft body far beyond what any of
/// them asks for. It is moved less; what is left over is seen again.
void limit_displacement(std::span<Twist> change, double most) {
    double square = 0;
    for (const Twist& t : change) square = std::max(square, norm2(t.linear));
    if (!(square > most * most)) return;
    const double part = most / std::sqrt(square);
    for (Twist& t : change) t.linear = part * t.linear;
}

}  // namespace

// What it takes to see contacts again counts as detection.
void PositionPhase::run(const StepContext& step) {
    way_.assign(bodies_.size(), 0);
    displaced_.assign(bodies_.size(), 0);
    {
        PhaseScope scope(step.report.times, Phase::stabilise);
        projection_.run(step, way_, displaced_);
    }
    redetect(step, false);
    // Deformable bodies that overlap deeply are moved as wholes as long as that helps: it strains nothing, so that no push
    // turns into motion later on. Those that are squeezed must yield, and what is left of a contact is best mended where
    // it is.
    bool soft_as_rigid = true;
    double excess = HUGE_VAL;
    for (int pass = 0; pass < step.settings.contact.stabilise_passes; ++pass) {
        const double before = std::exchange(excess, largest_soft_excess());
        soft_as_rigid =
            soft_as_rigid && excess > tuning::deep_overlap && excess <= tuning::soft_progress * before;
        {
            PhaseScope scope(step.report.times, Phase::stabilise);
            if (!push_apart(step, soft_as_rigid)) break;
            projection_.run(step, way_, displaced_);
        }
        redetect(step, true);
        ++step.report.stabilise_passes;
    }
    for (const double way : way_) {
        step.report.convergence.displacement += way;
        step.report.convergence.largest_displacement =
            std::max(step.report.convergence.largest_displacement, way);
    }
    for (const ContactModel* model : models_.all())
        step.report.largest_depth = std::max(step.report.largest_depth, model->largest_depth());
}

void PositionPhase::redetect(const StepContext& step, bool after_pass) {
    PhaseScope scope(step.report.times, Phase::detect);
    for (ContactModel* model : models_.all()) model->redetect(step, {after_pass, displaced_});
}

double PositionPhase::largest_soft_excess() {
    double largest = 0;
    for (const ContactModel* model : models_.all()) largest = std::max(largest, model->largest_soft_excess());
    return largest;
}

/// One pass; false where nothing had to be done.
bool PositionPhase::push_apart(const StepContext& step, bool soft_as_rigid) {
    step.report.awake = system_.begin();
    joints_.add_constraint_nodes();
    for (ContactModel* model : models_.all()) model->add_constraint_nodes(system_, true);
    system_.add_constraint_nodes(step.parallel, 1, soft_as_rigid);
    system_.start_velocities(true);
    system_.clear_rows();
    PositionRows out{system_, soft_as_rigid};
    joints_.add_position_rows(projection_.projected(), out.urgent);
    for (ContactModel* model : models_.all()) model->add_position_rows(step, out);
    if (std::none_of(out.urgent.begin(), out.urgent.end(), [](char u) { return u != 0; })) return false;
    PLUSH_ASSERT(out.urgent.size() == system_.rows().blocks.size());
    displace(step, out.urgent);
    return true;
}

/// Solves the position rows of the system and moves the bodies of the islands in which at least one block is urgent.
void PositionPhase::displace(const StepContext& step, std::span<const char> urgent) {
    system_.start_velocities(true);
    const SolverSettings solver{.iterations = tuning::position_sweeps,
                                .tolerance = tuning::position_tolerance};
    const std::vector<std::uint32_t> islands = system_.build_islands(urgent);
    system_.solve(
        step, islands, solver, tuning::position_compliance_tolerance,
        [&](std::span<const std::uint32_t> blocks) { return joints_.solve_position_island(blocks, solver); });
    ConvergenceReport& convergence = step.report.convergence;
    for (const std::uint32_t k : islands) {
        const SweepReport& r = system_.island_reports()[k];
        convergence.position_residual = std::max(convergence.position_residual, r.residual);
        convergence.count(position_trouble, system_.worst_case(k), r.residual > solver.tolerance);
    }
    displaced_.assign(bodies_.size(), 0);
    step.parallel.each(bodies_.size(), 1, [&](std::size_t k) {
        const auto i = static_cast<std::uint32_t>(k);
        if (!bodies_[i].body) return;
        std::vector<Twist> change = system_.displacement(i);
        double way = 0;
        if (const SoftSurface* surface = surfaces_.soft(i))
            limit_displacement(change, tuning::largest_correction * surface->size());
        for (const Twist& t : change)
            way = std::max(
                way, norm(t.linear) + (t.angular == Vec3{} ? 0 : norm(t.angular) * bodies_[i].body->size()));
        way_[i] += way;
        displaced_[i] = std::any_of(change.begin(), change.end(),
                                    [](const Twist& t) { return norm2(t.linear) + norm2(t.angular) > 0; });
        if (displaced_[i]) bodies_[i].body->displace(change);
    });
}

}  // namespace plush
