#include "world/surface_contacts.hpp"

#include "contact/fields/surface_law.hpp"

namespace plush {

// Where a barrier promises that nothing ever crosses, what forces do within the step must not matter: all bodies with a
// distance are obstacles.
void SurfaceContacts::find_obstacles(std::uint32_t index) {
    const BodyRecord& record = bodies_[index];
    PLUSH_ASSERT(record.is_deformable() && record.parts.surface);
    SurfaceField& field = *record.parts.surface;
    const SurfaceSettings& surface = field.settings();
    const Box3 box = near_.bounds(index).grown(surface.buffer + record.deformable().settings().radius);
    const bool all = is_barrier(surface.law);
    std::vector<Obstacle> obstacles;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& other = bodies_[i];
        if (i == index || !other.body || !other.body->distance() || other.sensor) continue;
        if (!all && !near_.bounds(i).overlaps(box)) continue;
        if (!rules_.collision_allowed(i, index)) continue;
        const PairBehaviour pair = rules_.behaviour(i, index);
        if (pair.method == ContactMethod::none) continue;
        if (rules_.by_tets(i, index) || rules_.soft_by_rows(i, index) || rules_.vertices_by_rows(index, i) ||
            rules_.vertices_on_free(index, i))
            continue;
        // Two bodies of one cluster each: cluster_contacts.hpp.
        if (other.kind == BodyKind::deformable && record.body->distance()) continue;
        Obstacle obstacle{other.body->distance(), other.body->pose(),   other.body->motion(),
                          pair.law.friction,      pair.law.restitution, i};
        if (other.kind == BodyKind::rigid) {
            obstacle.inverse_mass = 1 / other.rigid().mass();
            obstacle.inverse_inertia = inverse(other.rigid().world_inertia());
        } else if (other.kind == BodyKind::deformable) {
            Vec3 centre;
            obstacle.inverse_mass = 1 / other.deformable().mass();
            other.deformable().measure_now(centre, obstacle.inverse_inertia);
        }
        obstacles.push_back(obstacle);
    }
    field.set_obstacles(std::move(obstacles), record.deformable().time());
}

/// Bodies that may touch one free body share its mass: none of them knows what the others give it.
void SurfaceContacts::share_obstacles() {
    std::vector<double> sharers(bodies_.size(), 0.0);
    const auto each_field = [&](const auto& f) {
        for (std::uint32_t i = 0; i < bodies_.size(); ++i)
            if (bodies_[i].is_deformable() && !bodies_[i].asleep && bodies_[i].parts.surface)
                f(*bodies_[i].parts.surface);
    };
    each_field([&](const SurfaceField& field) {
        for (const Obstacle& o : field.obstacles()) ++sharers[o.index];
    });
    each_field([&](SurfaceField& field) { field.share_obstacles(sharers); });
}

void SurfaceContacts::begin(const StepContext& step, std::uint32_t index) {
    const DeformableParts& parts = bodies_[index].parts;
    const DeformableBody& body = bodies_[index].deformable();
    if (parts.projection) parts.projection->begin_step();
    if (parts.embedded_surface)
        parts.embedded_surface->begin_step(body.settings().integration, step.h);
    else
        parts.surface->begin_step(body.settings().integration, step.h, body.masses());
}

void SurfaceContacts::finish(const StepContext& step, std::uint32_t index) {
    const DeformableParts& parts = bodies_[index].parts;
    const DeformableBody& body = bodies_[index].deformable();
    const SurfaceLaw law = parts.surface->settings().law;
    if (parts.projection)
        parts.projection->finish_step(step.h);
    else if (parts.embedded_surface)
        parts.embedded_surface->finish_step(body.velocities(), body.next_velocities());
    else if (!is_barrier(law) && law != SurfaceLaw::impulse)
        parts.surface->finish_step(body.velocities(), body.next_velocities());
}

void SurfaceContacts::end_step(const StepContext&) {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].is_deformable() || bodies_[i].asleep || !bodies_[i].parts.surface) continue;
        SurfaceField& field = *bodies_[i].parts.surface;
        std::vector<Transform> poses;
        for (const Obstacle& o : field.obstacles()) poses.push_back(bodies_[o.index].body->pose());
        field.set_end_poses(poses);
    }
}

void SurfaceContacts::push_after_prediction(const StepContext& step) {
    std::vector<std::uint32_t> awake;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].is_deformable() && !bodies_[i].asleep) awake.push_back(i);
    step.parallel.each(awake.size(), 4, [&](std::size_t k) { meet_surfaces(step, awake[k]); });
    for (const std::uint32_t i : awake) push_obstacles(step, *bodies_[i].parts.surface);
}

/// The last to act: what surfaces say holds.
void SurfaceContacts::meet_surfaces(const StepContext& step, std::uint32_t index) {
    const DeformableParts& parts = bodies_[index].parts;
    DeformableBody& body = bodies_[index].deformable();
    const SurfaceLaw law = parts.surface->settings().law;
    if (body.problem() || parts.projection) return;
    parts.surface->set_time(body.time() + step.h);  // on the surface at the end of the step
    if (law == SurfaceLaw::impulse)
        parts.surface->project(body.next().x, body.next().v, body.masses(), body.pins());
    else if (is_barrier(law) && body.matcher())
        parts.surface->hold_back(body.matcher()->moved(), body.next().x, body.next().v, body.masses(),
                                 step.h);
}

/// What the vertices got, the bodies they touched get the other way round.
void SurfaceContacts::push_obstacles(const StepContext& step, const SurfaceField& surface) {
    const auto obstacles = surface.obstacles();
    PLUSH_ASSERT(surface.impulses().size() == obstacles.size());
    for (std::size_t k = 0; k < obstacles.size(); ++k) {
        BodyRecord& other = bodies_[obstacles[k].index];
        const Twist& impulse = surface.impulses()[k];
        if (impulse.linear == Vec3{} && impulse.angular == Vec3{}) continue;
        if (other.kind == BodyKind::deformable) other.deformable().push(impulse);  // asleep: woken next step
        if (other.kind != BodyKind::rigid) continue;
        other.wake();
        other.rigid().add_contact_impulse(impulse, step.h);
    }
}

namespace {

/// visit(index, touch, body touched) for all touches of bodies awake: asleep, obstacles are of another step.
template <class F>
void each_touch(const BodyStore& bodies, const F& visit) {
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        const SurfaceField* surface = bodies[i].parts.surface;
        if (!surface || bodies[i].asleep) continue;
        for (const SurfaceTouch& t : surface->touches())
            if (dot(t.force, t.normal) > 0) visit(i, t, surface->obstacles()[t.obstacle].index);
    }
}

}  // namespace

void SurfaceContacts::report(const StepContext&, const ConstraintSystem&, std::vector<ContactRecord>& out) {
    each_touch(bodies_, [&](std::uint32_t i, const SurfaceTouch& t, std::uint32_t j) {
        const double normal = dot(t.force, t.normal);
        out.push_back({i,
                       j,
                       {.point = t.point,
                        .normal = t.normal,
                        .depth = -t.gap,
                        .normal_force = normal,
                        .friction_force = t.force - normal * t.normal}});
    });
}

bool SurfaceContacts::by_forces(std::uint32_t index) const {
    const DeformableParts& parts = bodies_[index].parts;
    const SurfaceLaw law = parts.surface->settings().law;
    return !parts.projection && law != SurfaceLaw::impulse && !is_barrier(law);
}

EnergyLedger SurfaceContacts::work_on(const StepContext& step, std::uint32_t index, double stored) const {
    EnergyLedger ledger{.contact = stored};
    if (!by_forces(index)) return ledger;
    const DeformableParts& parts = bodies_[index].parts;
    const DeformableBody& body = bodies_[index].deformable();
    const auto u = body.start_velocities(), v = body.velocities();
    std::vector<Vec3> mean(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) mean[i] = 0.5 * (u[i] + v[i]);
    if (parts.embedded_surface) {
        std::vector<Vec3> points(parts.embedded_surface->weights().size());
        parts.embedded_surface->weights().apply(mean, points);
        mean = std::move(points);
    }
    for (const SurfaceTouch& t : parts.surface->touches()) {
        PLUSH_ASSERT(t.vertex < mean.size());
        const Vec3 along = dot(t.force, t.normal) * t.normal, across = t.force - along;
        const bool given = !bodies_[parts.surface->obstacles()[t.obstacle].index].dynamic();
        // Of a body that moves freely its own work is the other half; what is left of w belongs to the pair.
        const Vec3 w = given ? t.surface_velocity : Vec3{};
        ledger.contact += step.h * dot(along, mean[t.vertex] - w);
        ledger.friction += step.h * dot(across, mean[t.vertex] - w);
        ledger.scripts += step.h * dot(t.force, w);
    }
    return ledger;
}

void SurfaceContacts::each_touching_pair(PairVisitor visit) const {
    each_touch(bodies_, [&](std::uint32_t i, const SurfaceTouch&, std::uint32_t j) { visit(i, j); });
}

}  // namespace plush
