#include "world/deformable_motion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "contact/fields/barrier_guard.hpp"
#include "contact/fields/barrier_particles.hpp"
#include "contact/fields/surface_law.hpp"

namespace plush {

// -- assemblies

/// Bodies that share rigid ones are in one group, in the order of their first members.
std::vector<DeformableMotion::Group> DeformableMotion::connected_groups() const {
    constexpr std::uint32_t none = 0xffffffffu;
    std::vector<Group> groups;
    std::vector<std::uint32_t> group_of(bodies_.size(), none);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].is_deformable() || !attachments_.any_to_dynamic(i)) continue;
        std::vector<std::uint32_t> members{i};
        for (const Attachment& a : attachments_.of(i))
            if (bodies_[a.to].dynamic()) members.push_back(a.to);
        // All groups that any of these is in become one: the first.
        auto first = static_cast<std::uint32_t>(groups.size());
        for (const std::uint32_t m : members) first = std::min(first, group_of[m]);
        if (first == groups.size()) groups.emplace_back();
        const auto join = [&](std::uint32_t m) {
            if (group_of[m] == first) return;
            group_of[m] = first;
            (bodies_[m].kind == BodyKind::deformable ? groups[first].bodies : groups[first].rigid)
                .push_back(m);
        };
        for (const std::uint32_t m : members) {
            const std::uint32_t other = group_of[m];
            if (other != none && other != first) {
                const Group moved = std::exchange(groups[other], {});
                for (const std::uint32_t k : moved.bodies) join(k);
                for (const std::uint32_t k : moved.rigid) join(k);
            }
            join(m);
        }
    }
    std::erase_if(groups, [](const Group& g) { return g.bodies.empty(); });
    return groups;
}

/// Vertices that are part of rigid bodies feel no surfaces: those bodies do.
void DeformableMotion::set_exempt_vertices(std::uint32_t index) const {
    const DeformableParts& parts = bodies_[index].parts;
    std::vector<std::uint8_t> exempt;
    for (const Attachment& a : attachments_.of(index)) {
        if (!bodies_[a.to].dynamic()) continue;
        exempt.resize(bodies_[index].deformable().positions().size());
        PLUSH_ASSERT(a.vertex < exempt.size());
        exempt[a.vertex] = 1;
    }
    if (parts.embedded_surface && !exempt.empty()) exempt = parts.embedded_surface->points_of(exempt);
    parts.surface->set_exempt(std::move(exempt));
}

void DeformableMotion::make_assembly(Group& group, const Parallel& parallel) const {
    std::sort(group.bodies.begin(), group.bodies.end());
    std::sort(group.rigid.begin(), group.rigid.end());
    std::vector<DeformableBody*> bodies;
    std::vector<AttachedVertex> attached;
    for (std::uint32_t b = 0; b < group.bodies.size(); ++b) {
        bodies.push_back(&bodies_[group.bodies[b]].deformable());
        for (const Attachment& a : attachments_.of(group.bodies[b])) {
            if (!bodies_[a.to].dynamic()) continue;
            const auto at = std::lower_bound(group.rigid.begin(), group.rigid.end(), a.to);
            PLUSH_ASSERT(at != group.rigid.end() && *at == a.to);
            attached.push_back({b, a.vertex, static_cast<std::uint32_t>(at - group.rigid.begin())});
        }
    }
    group.assembly =
        std::make_unique<Assembly>(std::move(bodies), group.rigid.size(), std::move(attached), parallel);
}

void DeformableMotion::make_groups(const Parallel& parallel) {
    if (revision_ == attachments_.revision()) return;
    revision_ = attachments_.revision();
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].is_deformable()) set_exempt_vertices(i);
    groups_ = connected_groups();
    for (Group& group : groups_) make_assembly(group, parallel);
}

void DeformableMotion::each_linked_pair(PairVisitor visit) const {
    for (const Group& group : groups_)
        for (const std::uint32_t r : group.rigid) visit(group.bodies.front(), r);
}

// -- prediction

void DeformableMotion::prepare(const StepContext& step, std::uint32_t index) {
    const BodyRecord& record = bodies_[index];
    DeformableBody& body = record.deformable();
    for (const Attachment& a : attachments_.of(index))
        if (!bodies_[a.to].dynamic())
            body.pin(a.vertex, {{0, bodies_[a.to].kinematic().next_pose() * a.anchor}});
    for (UserForceField* field : record.parts.force_fields) field->set_clock(step.time - body.time());
    surfaces_.find_obstacles(index);
}

/// Clusters are drawn to their shapes.
void DeformableMotion::finish(const StepContext& step, std::uint32_t index) {
    DeformableBody& body = bodies_[index].deformable();
    if (body.problem()) return;
    surfaces_.finish(step, index);
    body.match(step.h);
}

void DeformableMotion::predict_body(const StepContext& step, std::uint32_t index) {
    surfaces_.begin(step, index);
    const BodyRecord& record = bodies_[index];
    DeformableBody& body = record.deformable();
    if (!is_barrier(record.parts.surface->settings().law)) {
        body.predict(step.h, step.settings.gravity, step.settings.rotation);
    } else {
        body.predict(step.h, step.settings.gravity,
                     [&](Integrator& integrator, MotionSystem& system, MotionState& state, double h,
                         const IntegrationSettings& integration) -> Result<AdvanceReport> {
                         if (record.parts.point_cloud && body.pins().empty())
                             return advance_points(step, index, state);
                         auto done = advance_without_crossing(integrator, system, state, h, integration,
                                                              *record.parts.surface);
                         if (!done) return done.error();
                         return done.value().step;
                     });
    }
    finish(step, index);
}

/// Free particles before a barrier do not wait for one another: each takes steps of its own.
Result<AdvanceReport> DeformableMotion::advance_points(const StepContext& step, std::uint32_t index,
                                                       MotionState& state) const {
    const DeformableBody& body = bodies_[index].deformable();
    SurfaceField& surface = *bodies_[index].parts.surface;
    const double mass = body.masses().front();
    std::vector<Twist> received(surface.obstacles().size());
    auto done =
        step_before_barriers({.x = state.x,
                              .v = state.v,
                              .mass = mass,
                              .radius = body.settings().radius,
                              .drag = body.settings().damping * mass,
                              .gravity = step.settings.gravity,
                              .forces = body.added_forces()},
                             surface.obstacles(), step.h, surface.settings(), received, step.parallel);
    if (!done) return done.error();
    surface.add_impulses(received);
    state.forget();
    state.t += step.h;
    surface.set_time(state.t);
    surface.feel(state.x, state.v, step.parallel);
    return AdvanceReport{};
}

void DeformableMotion::predict_group(const StepContext& step, Group& group) {
    std::vector<AttachedBody> rigid_bodies;
    for (const std::uint32_t r : group.rigid) {
        const RigidBody& rigid = bodies_[r].rigid();
        rigid_bodies.push_back({.centre = rigid.centre(),
                                .velocity = {rigid.velocity(), rigid.angular_velocity()},
                                .mass = rigid.mass(),
                                .inertia = rigid.world_inertia(),
                                .force = rigid.force() + rigid.mass() * step.settings.gravity,
                                .torque = rigid.torque()});
    }
    for (const std::uint32_t b : group.bodies) {
        if (!is_barrier(bodies_[b].parts.surface->settings().law)) continue;
        bodies_[b].deformable().give_up(
            Error({.problem = "a body before a barrier cannot be attached to a free one: nothing would guard "
                              "the step of both",
                   .cure = "take the law buffered, or attach it to a fixed or scripted body"}));
        return;
    }
    PLUSH_ASSERT(group.assembly && rigid_bodies.size() == group.rigid.size());
    group.assembly->begin(step.h, step.settings.gravity, rigid_bodies);
    for (const std::uint32_t b : group.bodies) surfaces_.begin(step, b);
    group.assembly->predict(step.h);
    for (const std::uint32_t b : group.bodies) finish(step, b);
    if (bodies_[group.bodies.front()].deformable().problem()) return;
    for (std::size_t k = 0; k < rigid_bodies.size(); ++k) {
        RigidBody& rigid = bodies_[group.rigid[k]].rigid();
        rigid.add_attachment_impulse(rigid_bodies[k].impulse, step.h);
    }
}

/// Functions of the user are called from the user's own thread, one body after the other. They may throw, and the world
/// is put back then.
void DeformableMotion::guard_user_code(const StepContext& step, std::uint32_t body,
                                       const std::function<void()>& action) const {
    try {
        action();
    } catch (const Error& error) {
        step.rollback.fail(Error({.place = fmt::format("{}, {}", bodies_.label(body), error.place()),
                                  .problem = error.problem(),
                                  .cure = error.cure()}));
    }
}

void DeformableMotion::predict(const StepContext& step) {
    make_groups(step.parallel);
    std::vector<std::uint32_t> alone, awake;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].is_deformable() || bodies_[i].asleep) continue;
        awake.push_back(i);
        if (!attachments_.any_to_dynamic(i)) alone.push_back(i);
    }
    step.parallel.each(awake.size(), 1, [&](std::size_t k) { prepare(step, awake[k]); });
    surfaces_.share_obstacles();
    const auto calls_the_user = [&](std::uint32_t i) { return !bodies_[i].parts.force_fields.empty(); };
    const auto group_calls = [&](const Group& group) {
        return std::any_of(group.bodies.begin(), group.bodies.end(), calls_the_user);
    };
    step.parallel.each(alone.size(), 1, [&](std::size_t k) {
        if (!calls_the_user(alone[k])) predict_body(step, alone[k]);
    });
    step.parallel.each(groups_.size(), 1, [&](std::size_t k) {
        if (!group_calls(groups_[k])) predict_group(step, groups_[k]);
    });
    for (const std::uint32_t i : alone)
        if (calls_the_user(i)) guard_user_code(step, i, [&] { predict_body(step, i); });
    for (Group& group : groups_)
        if (group_calls(group))
            guard_user_code(step, group.bodies.front(), [&] { predict_group(step, group); });
    for (const std::uint32_t i : awake) {
        const DeformableBody& body = bodies_[i].deformable();
        if (const auto& problem = body.problem())
            step.rollback.fail(
                Error({.place = bodies_.label(i), .problem = problem->problem(), .cure = problem->cure()}));
        const AdvanceReport& last = body.last_step();
        const IntegrationSettings& integration = body.settings().integration;
        step.report.motion_iterations += last.solve.iterations;
        ConvergenceReport& report = step.report.convergence;
        const bool newton = integration.newton > 1;
        report.count(linear_trouble, {last.solve.residual, bodies_.id(i)}, !last.solve.converged);
        report.count(newton_trouble, {last.unbalanced, bodies_.id(i)},
                     newton && last.unbalanced > integration.newton_tolerance);
        report.count(substep_trouble, {static_cast<double>(last.substeps), bodies_.id(i)},
                     last.limited_friction);
        report.linear_residual = std::max(report.linear_residual, last.solve.residual);
        if (newton) report.newton_residual = std::max(report.newton_residual, last.unbalanced);
        report.max_substeps = std::max(report.max_substeps, last.substeps);
    }
}

void DeformableMotion::move_attached_vertices() {
    for (const Group& group : groups_)
        for (const std::uint32_t b : group.bodies)
            for (const Attachment& a : attachments_.of(b)) {
                if (!bodies_[a.to].dynamic()) continue;
                const RigidBody& rigid = bodies_[a.to].rigid();
                PLUSH_ASSERT(a.vertex < bodies_[b].deformable().positions().size());
                const Vec3 place = rigid.pose() * a.anchor;
                bodies_[b].deformable().move_attached_vertex(a.vertex, place, rigid.motion().at(place));
            }
}

}  // namespace plush
