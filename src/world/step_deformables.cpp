#include <algorithm>

#include "contact/fields/barrier_guard.hpp"
#include "contact/fields/barrier_particles.hpp"
#include "world/world_impl.hpp"

// The part of a step that belongs to deformable bodies: what is near them, their motion, and what those feel
// that they touch.

namespace plush {

// Everything with a distance whose box comes near within the step is an obstacle. Where a barrier promises
// that nothing ever crosses, what forces do within the step must not matter: all of them are.
void World::Impl::find_obstacles(std::uint32_t index) {
    Slot& slot = slots[index];
    const SurfaceSettings& surface = slot.surface->settings();
    const Box3 box = boxes[index].grown(surface.buffer + slot.deformable().settings().radius);
    const bool all = is_barrier(surface.law);
    std::vector<Obstacle> obstacles;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        const Slot& other = slots[i];
        if (i == index || !other.body || !other.body->distance() || other.sensor) continue;
        if (!all && !boxes[i].overlaps(box)) continue;
        if (!collision_allowed(i, index)) continue;
        ContactMethod method;
        const PairLaw pair_law = law(i, index, method);
        if (method == ContactMethod::none) continue;
        if (touch_by_tets(i, index) || soft_by_volume(i, index)) continue;
        // Two bodies of one cluster each: part_matched().
        if (other.kind == BodyKind::deformable && slot.body->distance()) continue;
        obstacles.push_back({other.body->distance(), other.body->pose(), other.body->motion(),
                             pair_law.friction, pair_law.restitution, i});
    }
    slot.surface->set_obstacles(std::move(obstacles), slot.deformable().time());
}

void World::Impl::prepare_deformable(std::uint32_t index) {
    Slot& slot = slots[index];
    DeformableBody& body = slot.deformable();
    for (const Attachment& a : slot.attachments)
        if (!slots[a.to].dynamic()) body.pin(a.vertex, {{0, slots[a.to].kinematic().next_pose() * a.anchor}});
    for (UserForceField* field : slot.force_fields) field->set_clock(time - body.time());
    find_obstacles(index);
}

void World::Impl::begin_contact(std::uint32_t index) {
    const Slot& slot = slots[index];
    const DeformableBody& body = slot.deformable();
    if (slot.projection) slot.projection->begin_step();
    if (slot.carried_surface)
        slot.carried_surface->begin_step(body.settings().integration, settings.step);
    else
        slot.surface->begin_step(body.settings().integration, settings.step, body.masses());
}

void World::Impl::finish_deformable(std::uint32_t index) {
    Slot& slot = slots[index];
    DeformableBody& body = slot.deformable();
    if (body.problem()) return;
    const SurfaceLaw law = slot.surface->settings().law;
    if (slot.projection)
        slot.projection->finish_step(settings.step);
    else if (slot.carried_surface)
        slot.carried_surface->finish_step(body.velocities(), body.next_velocities());
    else if (!is_barrier(law) && law != SurfaceLaw::impulse)
        slot.surface->finish_step(body.velocities(), body.next_velocities());
    body.match(settings.step);
}

void World::Impl::meet_surfaces(std::uint32_t index) {
    Slot& slot = slots[index];
    DeformableBody& body = slot.deformable();
    const SurfaceLaw law = slot.surface->settings().law;
    if (body.problem() || slot.projection) return;
    slot.surface->set_time(body.time() + settings.step);  // on the surface at the end of the step
    if (law == SurfaceLaw::impulse)
        slot.surface->project(body.next().x, body.next().v, body.masses(), body.pins());
    else if (is_barrier(law) && body.matcher())
        slot.surface->hold_back(body.matcher()->moved(), body.next().x, body.next().v, body.masses(),
                                settings.step);
}

void World::Impl::predict_deformable(std::uint32_t index) {
    prepare_deformable(index);
    begin_contact(index);
    Slot& slot = slots[index];
    DeformableBody& body = slot.deformable();
    if (!is_barrier(slot.surface->settings().law)) {
        body.predict(settings.step, settings.gravity, settings.rotation);
    } else {
        body.predict(settings.step, settings.gravity,
                     [&](Integrator& integrator, MotionSystem& system, MotionState& state, double h,
                         const IntegrationSettings& integration) -> Result<AdvanceReport> {
                         if (slot.points && body.pins().empty()) return advance_points(slot, state);
                         auto done = advance_without_crossing(integrator, system, state, h, integration,
                                                              *slot.surface);
                         if (!done) return done.error();
                         return done.value().step;
                     });
    }
    finish_deformable(index);
}

// Free particles before a barrier do not wait for one another: each takes steps of its own.
Result<AdvanceReport> World::Impl::advance_points(const Slot& slot, MotionState& state) const {
    const DeformableBody& body = slot.deformable();
    const double mass = body.masses().front();
    std::vector<Twist> received(slot.surface->obstacles().size());
    auto done = step_before_barriers({.x = state.x,
                                      .v = state.v,
                                      .mass = mass,
                                      .radius = body.settings().radius,
                                      .drag = body.settings().damping * mass,
                                      .gravity = settings.gravity,
                                      .forces = body.added_forces()},
                                     slot.surface->obstacles(), settings.step, slot.surface->settings(),
                                     received, parallel);
    if (!done) return done.error();
    slot.surface->add_impulses(received);
    state.forget();
    state.t += settings.step;
    slot.surface->set_time(state.t);
    slot.surface->feel(state.x, state.v, parallel);
    return AdvanceReport{};
}

// What the vertices got, the bodies they touched get the other way round.
void World::Impl::push_obstacles(const Slot& slot) {
    const auto obstacles = slot.surface->obstacles();
    for (std::size_t k = 0; k < obstacles.size(); ++k) {
        Slot& other = slots[obstacles[k].index];
        const Twist& impulse = slot.surface->impulses()[k];
        if (impulse.linear == Vec3{} && impulse.angular == Vec3{}) continue;
        if (other.kind == BodyKind::deformable) other.deformable().push(impulse);  // asleep: woken next step
        if (other.kind != BodyKind::rigid) continue;
        other.asleep = false;
        other.quiet = 0;
        other.rigid().add_force(impulse.linear / settings.step, other.rigid().centre());
        other.rigid().add_torque(impulse.angular / settings.step);
    }
}

void World::Impl::release_vertices() {
    for (Slot& slot : slots) {
        if (slot.releases.empty()) continue;
        // A step that starts within rounding of the time is the first one free.
        const auto due = [&](const Release& r) { return r.time <= time + 1e-9 * settings.step; };
        for (const Release& r : slot.releases) {
            if (!due(r)) continue;
            slot.deformable().unpin(r.vertex);
            std::erase_if(slot.attachments, [&](const Attachment& a) { return a.vertex == r.vertex; });
            groups_hold = false;
        }
        std::erase_if(slot.releases, due);
    }
}

void World::Impl::predict_deformables(const std::vector<std::byte>& before) {
    if (!groups_hold) make_groups();
    std::vector<std::uint32_t> alone, awake;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        if (slots[i].kind != BodyKind::deformable || !slots[i].body || slots[i].asleep) continue;
        awake.push_back(i);
        if (!slots[i].grouped) alone.push_back(i);
    }
    const auto calls_the_user = [&](std::uint32_t i) { return !slots[i].force_fields.empty(); };
    const auto group_calls = [&](const Group& group) {
        return std::any_of(group.bodies.begin(), group.bodies.end(), calls_the_user);
    };
    parallel.each(alone.size(), 1, [&](std::size_t k) {
        if (!calls_the_user(alone[k])) predict_deformable(alone[k]);
    });
    parallel.each(groups.size(), 1, [&](std::size_t k) {
        if (!group_calls(groups[k])) predict_group(groups[k]);
    });
    for (const std::uint32_t i : alone)
        if (calls_the_user(i))
            guard_user_code(
                i, [&] { predict_deformable(i); }, before);
    for (Group& group : groups)
        if (group_calls(group))
            guard_user_code(
                group.bodies.front(), [&] { predict_group(group); }, before);
    part_matched();
    push_tets_implicitly();
    parallel.each(awake.size(), 4, [&](std::size_t k) { meet_surfaces(awake[k]); });
    for (const std::uint32_t i : awake) {
        if (const auto& problem = slots[i].deformable().problem()) {
            const Error error(
                {.place = name_of(slots[i]), .problem = problem->problem(), .cure = problem->cure()});
            restore(before).value();
            throw error;
        }
        report.motion_iterations += slots[i].deformable().last_step().solve.iterations;
        push_obstacles(slots[i]);
    }
}

}  // namespace plush
