#include <fmt/format.h>

#include <algorithm>

#include "core/tuning.hpp"
#include "world/absurd_motion.hpp"
#include "world/energy_limit.hpp"
#include "world/world_impl.hpp"

// The step pipeline (docs/architecture.md): detect, predict, detect again where the prediction ends, rows, solve, correct,
// and the position phase. Each function here is one phase, and is timed as such.

namespace plush {

void World::step() {
    const std::shared_ptr<Impl> parts = WorldAccess::alive(*this);  // wherever a force moves the world to
    const WorldAccess::Write access(*parts, WorldUse::change);
    parts->step([&] {
        parts->access.begin_custom_forces();
        for (const auto& force : parts->custom_forces) force(*this);
        parts->access.end_custom_forces();
    });
}

void WorldParts::step(const std::function<void()>& before) {
    std::vector<std::uint32_t> frozen;
    for (;;) try {
            take_step(before);
            break;
        } catch (const AbsurdMotionError& absurd) {  // the state is that of before the step
            if (!may_freeze(absurd.body())) throw;
            freeze(absurd.body());
            frozen.push_back(absurd.body());
        }
    for (const std::uint32_t body : frozen) report.convergence.count(frozen_trouble, {1, bodies.id(body)});
}

void WorldParts::take_step(const std::function<void()>& before) {
    std::vector<std::byte> start = snapshot(std::move(spare_snapshot));
    const Rollback rollback([&] { restore(start).value(); });
    if (before) before();
    report = {};
    const StepContext step{settings, parallel, report, rollback, settings.step, clock.time};
    PLUSH_ASSERT(step.h > 0);
    check_bodies(step, Checked::start);          // a velocity given from outside may be no velocity
    attachments.release_due(step.time, step.h);  // before detection: what holds a body decides how it touches
    cutting.apply_blades(step.h);
    drags.begin_step(step.h);  // after cuts: a surface point may have gone
    account.begin_step();
    position_phase.begin_step();
    detect(step);
    predict(step);
    check_bodies(step, Checked::prediction);
    meet(step);
    detect_speculative(step);
    for (int k = 0; k == 0 || (k < settings.contact.stabilise_passes && refine_speculative(step)); ++k) {
        add_nodes(step);
        add_rows(step);
        solve(step);
    }
    finish_solve(step);
    correct(step);
    position_phase.run(step);
    for (ContactModel* model : contact.all()) model->end_step(step);
    move_attached_vertices(step);
    drags.end_step(step.h);
    account.after_position_phase(step);
    ++clock.steps;
    clock.time = clock.start + static_cast<double>(clock.steps - clock.first_step) * settings.step;
    forces.update(step.h, contacts, blade_wrenches());
    report.pairs = events.update(bodies, contact);
    sleep.update(step.h);
    account.end_step(step);
    count_inverted_tets(step);
    if (queries.enabled()) queries.update(parallel);
    spare_snapshot = std::move(start);
}

/// Contacts where the step starts, and those that the present velocities bring about within it.
void WorldParts::detect(const StepContext& step) {
    PhaseScope scope(report.times, Phase::detect);
    const auto models = contact.all();
    for (const BodyRecord& record : bodies) scale_surface(record);
    joints.set_levers();
    for (ContactModel* model : models) model->begin_step(step);
    contact.near.find(step, models);
    for (ContactModel* model : models) model->detect(step);
    sleep.wake_touched();
    for (ContactModel* model : models) model->detect_awake(step);
}

/// Free motion. That which is given first: vertices may be attached to it. Then deformable bodies, whose contact pushes
/// the free ones, and then those.
void WorldParts::predict(const StepContext& step) {
    PhaseScope scope(report.times, Phase::predict);
    warn_fast_bodies(step);
    joint_rows.add_geometric_stiffness(step.h);
    const auto predict_others = [&](bool free) {
        parallel.each(bodies.size(), tuning::bodies_per_task, [&](std::size_t i) {
            BodyRecord& record = bodies[i];
            if (!record.body || record.asleep || record.kind == BodyKind::deformable ||
                record.dynamic() != free)
                return;
            record.body->predict(step.h, settings.gravity, settings.rotation);
        });
    };
    predict_others(false);
    for (ContactModel* model : contact.all()) model->push_before_prediction(step);
    deformables.predict(step);
    warn_limited_friction(step);
    account.after_prediction();
    for (ContactModel* model : contact.all()) model->push_after_prediction(step);
    predict_others(true);
}

/// The first touches of solid bodies, at their times.
void WorldParts::meet(const StepContext& step) {
    PhaseScope scope(report.times, Phase::detect);
    impacts.find(step, contact.near.pairs());
    for (ContactModel* model : contact.all()) model->detect_impacts(step, impacts);
}

void WorldParts::detect_speculative(const StepContext& step) {
    PhaseScope scope(report.times, Phase::detect);
    for (ContactModel* model : contact.all()) model->detect_speculative(step);
}

/// Contacts of deformable bodies where the solve takes them; whether the step is to be solved with those.
bool WorldParts::refine_speculative(const StepContext& step) {
    if (contact.surfaces.soft_bodies().empty() && !contact.cloth.any()) return false;
    PhaseScope scope(report.times, Phase::detect);
    parallel.each(bodies.size(), 1, [&](std::size_t k) {
        const auto i = static_cast<std::uint32_t>(k);
        if (bodies[i].body && bodies[i].awake() &&
            (contact.surfaces.soft(i) || bodies[i].kind == BodyKind::rigid))
            contact.expected.follow(step, i, system.velocity_change(i));
    });
    bool again = false;
    for (ContactModel* model : contact.all()) again = model->refine_speculative(step, system) || again;
    return again;
}

/// Nodes of all bodies awake, and the compliance of those of deformable ones.
void WorldParts::add_nodes(const StepContext& step) {
    PhaseScope scope(report.times, Phase::solve);
    report.awake = system.begin();
    joint_rows.add_constraint_nodes();
    drags.add_constraint_nodes();
    for (ContactModel* model : contact.all()) model->add_constraint_nodes(system, false);
    system.add_constraint_nodes(step.parallel, 3, false);
}

void WorldParts::add_rows(const StepContext& step) {
    PhaseScope scope(report.times, Phase::model);
    system.start_velocities(false);
    system.clear_rows();
    joint_rows.add_velocity_rows(step.h);
    drags.add_rows(step.h);
    for (ContactModel* model : contact.all()) model->add_velocity_rows(step, system);
}

void WorldParts::solve(const StepContext& step) {
    PhaseScope scope(report.times, Phase::solve);
    system.solve(step, system.build_islands(), settings.solver, settings.solver.tolerance,
                 [&](std::span<const std::uint32_t> blocks) {
                     return joint_rows.solve_island(blocks, system.solver_for(blocks, settings.solver),
                                                    step.h);
                 });
}

/// The velocities of what was parted, and bounces.
void WorldParts::finish_solve(const StepContext& step) {
    PhaseScope scope(report.times, Phase::solve);
    const auto solve_island = [&](std::span<const std::uint32_t> blocks) {
        return joint_rows.solve_island(blocks, system.solver_for(blocks, settings.solver), step.h);
    };
    recovery.relax(step, settings.solver, solve_island);
    bounces.settle(step, settings.solver, solve_island);
    joint_rows.keep_accounts();
    report.islands = static_cast<int>(system.island_count());
    for (std::size_t k = 0; k < system.island_count(); ++k) {
        const SweepReport& r = system.island_reports()[k];
        report.iterations = std::max(report.iterations, r.iterations);
        report.residual = std::max(report.residual, r.residual);
        if (r.residual > settings.solver.tolerance)
            report.convergence.count(island_trouble, system.worst_case(k));
    }
    account.after_solve(step);
}

/// Forces to read, then u = u* + A⁻¹ Jᵀ λ and q = q* + h A⁻¹ Jᵀ λ.
void WorldParts::correct(const StepContext& step) {
    PhaseScope scope(report.times, Phase::correct);
    std::vector<ContactRecord> records;
    for (ContactModel* model : contact.all()) model->report(step, system, records);
    joint_rows.report(step.h);
    drags.report(step.h);
    contacts.clear();
    for (const ContactRecord& record : records) {
        PLUSH_ASSERT(record.a < bodies.size() && record.b < bodies.size());
        contacts.push_back(record.contact);
        contacts.back().a = bodies.id(record.a), contacts.back().b = bodies.id(record.b);
    }
    report.contacts = static_cast<int>(contacts.size());

    const bool any_soft = !contact.surfaces.soft_bodies().empty();
    const auto correct_bodies = [&](bool deformable, std::size_t per_task) {
        parallel.each(bodies.size(), per_task, [&](std::size_t k) {
            const auto i = static_cast<std::uint32_t>(k);
            if (!bodies[i].body || bodies[i].asleep || bodies[i].is_deformable() != deformable) return;
            const std::vector<Twist> change = system.velocity_change(i);
            const double lasting = deformable ? system.lasting_part(i) : 0;
            bodies[i].body->correct(step.h, change);
            if (lasting > 0) bodies[i].deformable().keep_history(change, lasting);
            if (contact.surfaces.soft(i) || (any_soft && bodies[i].kind == BodyKind::rigid))
                contact.expected.record_contact_change(i, change);
        });
    };
    correct_bodies(false, tuning::bodies_per_task);
    correct_bodies(true, 1);
    limit_energy(step, bodies, attachments, system, contact);
    account.after_correct(step);
    cutting.account(step);
    bounces.displace();
    recovery.displace(step);
    account.after_bounces(step);
    check_bodies(step, Checked::end);
}

void WorldParts::move_attached_vertices(const StepContext& step) {
    PhaseScope scope(report.times, Phase::correct);
    deformables.move_attached_vertices();
    check_bodies(step, Checked::end);
}

}  // namespace plush
