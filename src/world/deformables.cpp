#include <fmt/format.h>

#include <algorithm>

#include "bodies/topologies.hpp"
#include "plush/geometry/mass.hpp"
#include "world/world_impl.hpp"

// Deformable bodies: adding them, reading them, and holding on to their vertices.

namespace plush {
namespace {

std::string place_of(const std::string& name, std::string_view key) {
    return name.empty() ? std::string(key) : fmt::format("body \"{}\", {}", name, key);
}

[[noreturn]] void refuse(const std::string& name, const Error& error) {
    throw Error({.place = place_of(name, error.place()), .problem = error.problem(), .cure = error.cure()});
}

void require(const std::string& name, bool good, const char* key, const char* problem, const char* cure) {
    if (!good) refuse(name, Error({.place = key, .problem = problem, .cure = cure}));
}

bool usable(const Vec3& v) {
    return is_finite(v) && max_component(abs(v)) <= 1e12;
}

void require_constraints(const Deformable& body) {
    const ConstraintSettings& c = body.constraints;
    if (!c.any()) return;
    const IntegrationMethod method = body.motion.integration.method;
    require(body.name,
            method == IntegrationMethod::verlet || method == IntegrationMethod::time_corrected_verlet,
            "constraints", "only verlet and time_corrected_verlet have position constraints",
            "take one of those two integrators, or no constraints");
    require(body.name, !(c.inextensible && c.most_stretch), "constraints",
            "inextensible and most_stretch exclude each other", "keep one");
    require(body.name, !c.most_stretch || (*c.most_stretch >= 1 && *c.most_stretch <= 1e3), "most_stretch",
            "it is out of range", "take from 1 to 1000");
    require(body.name, c.iterations >= 1 && c.iterations <= 100'000, "iterations", "it is out of range",
            "take from 1 to 100000");
}

std::vector<double> checked_masses(const Deformable& body, std::size_t vertices) {
    if (body.masses.size() != vertices)
        refuse(body.name,
               Error({.place = "masses",
                      .problem = fmt::format("{} masses for {} vertices", body.masses.size(), vertices),
                      .cure = "give one for each vertex, or none"}));
    for (std::size_t i = 0; i < vertices; ++i)
        if (!(body.masses[i] > 0 && body.masses[i] <= 1e12))
            refuse(body.name, Error({.place = fmt::format("masses[{}]", i),
                                     .problem = fmt::format("{} cannot be used", body.masses[i]),
                                     .cure = "give a number above 0 and up to 1e12 kg"}));
    return body.masses;
}

DeformableModel made(const Deformable& body, Result<DeformableModel> model, const Placement& placement) {
    require_material(body.name, body.material);
    const DeformableSettings& m = body.motion;
    require(body.name, m.damping >= 0 && m.damping <= 1e9, "damping", "it is out of range",
            "take from 0 to 1e9");
    require(body.name, m.radius >= 0 && m.radius <= 1e3, "radius", "it is out of range",
            "take from 0 to 1000 m");
    require(body.name, m.drag >= 0 && m.drag <= 1e6, "drag", "it is out of range", "take from 0 to 1e6");
    require(body.name, usable(m.wind), "wind", "it is not usable", "give finite numbers");
    require(body.name, usable(placement.position), "position", "it is not usable",
            "give finite numbers below 1e12");
    require(body.name, usable(placement.velocity), "velocity", "it is not usable",
            "give finite numbers below 1e12");
    require_constraints(body);
    if (!model.ok()) refuse(body.name, model.error());
    DeformableModel result = std::move(model).value();
    if (!body.masses.empty()) result.masses = checked_masses(body, result.positions.size());
    const Transform pose{placement.position, normalised(placement.rotation)};
    for (Vec3& p : result.positions) {
        require(body.name, usable(p), "vertices", "one is not finite", "look at the form of the body");
        p = pose * p;
    }
    return result;
}

DeformableBody& deformable(const Slot& slot) {
    if (slot.kind == BodyKind::deformable) return slot.deformable();
    throw Error({.place = place_of(slot.name, to_word(slot.kind)),
                 .problem = "only deformable bodies have vertices",
                 .cure = "ask a rope, a cloth, a jelly, shells or tet springs"});
}

std::vector<std::uint32_t> vertices_in(const DeformableBody& body, const Box3& box) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < body.positions().size(); ++i)
        if (box.contains(body.positions()[i])) found.push_back(i);
    return found;
}

void require_vertex(const Slot& slot, std::uint32_t vertex) {
    const std::size_t count = deformable(slot).positions().size();
    if (vertex < count) return;
    throw Error({.place = place_of(slot.name, "vertex"),
                 .problem = fmt::format("there is no vertex {}", vertex),
                 .cure = fmt::format("it has {}, counted from 0", count)});
}

}  // namespace

BodyId World::Impl::add_deformable(const Deformable& body, DeformableModel model, const Vec3& velocity) {
    Slot slot;
    slot.kind = BodyKind::deformable;
    PositionConstraints constraints = edge_constraints(model, body.constraints);
    auto made_body = std::make_unique<DeformableBody>(std::move(model), body.motion);
    made_body->set_parallel(&parallel);
    if (velocity != Vec3{}) made_body->set_velocity(velocity);
    SurfaceSettings surface_settings = settings.contact.surface;
    if (body.constraints.obstacles) surface_settings.law = SurfaceLaw::impulse;  // which has no forces
    const SurfaceLaw law = surface_settings.law;
    require(body.name, law != SurfaceLaw::barrier && law != SurfaceLaw::log_barrier, "contact.surface.law",
            "barriers are not part of worlds yet: nothing would guard their steps",
            "take buffered, quadratic or impulse");
    auto surface = std::make_unique<SurfaceField>(surface_settings);
    surface->set_radii(std::vector<double>(made_body->positions().size(), body.motion.radius));
    slot.surface = surface.get();
    made_body->add_element(std::move(surface));
    made_body->set_constraints(std::move(constraints));
    if (body.constraints.obstacles) {
        auto projection = std::make_unique<SurfaceProjection>(*slot.surface);
        slot.projection = projection.get();
        made_body->set_obstacles(std::move(projection));
    }
    slot.body = std::move(made_body);
    slot.name = body.name, slot.material = body.material, slot.filter = body.filter;
    return add(std::move(slot));
}

// Everything with a distance whose box comes near within the step is an obstacle.
void World::Impl::find_obstacles(std::uint32_t index) {
    Slot& slot = slots[index];
    const Box3 box =
        boxes[index].grown(settings.contact.surface.buffer + slot.deformable().settings().radius);
    std::vector<Obstacle> obstacles;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        const Slot& other = slots[i];
        if (i == index || !other.body || !other.body->distance() || other.sensor || !boxes[i].overlaps(box))
            continue;
        if (!collision_allowed(i, index)) continue;
        ContactMethod method;
        const PairLaw pair_law = law({i, index}, method);
        if (method == ContactMethod::none) continue;
        obstacles.push_back({other.body->distance(), other.body->pose(), other.body->motion(),
                             pair_law.friction, pair_law.restitution, i});
    }
    slot.surface->set_obstacles(std::move(obstacles), slot.deformable().time());
}

void World::Impl::predict_deformable(std::uint32_t index) {
    Slot& slot = slots[index];
    DeformableBody& body = slot.deformable();
    for (const Attachment& a : slot.attachments)
        body.pin(a.vertex, {{0, slots[a.to].kinematic().next_pose() * a.anchor}});
    for (UserForceField* field : slot.force_fields) field->set_clock(time - body.time());
    find_obstacles(index);
    if (slot.projection) slot.projection->begin_step();
    slot.surface->begin_step(body.settings().integration.method, settings.step, body.masses());
    body.predict(settings.step, settings.gravity, settings.rotation);
    if (body.problem()) return;
    if (slot.projection) {
        slot.projection->finish_step(settings.step);
    } else if (settings.contact.surface.law == SurfaceLaw::impulse) {
        slot.surface->set_time(body.time() + settings.step);  // on the surface at the end of the step
        slot.surface->project(body.next().x, body.next().v, body.masses(), body.pins());
    } else {
        slot.surface->finish_step(body.velocities(), body.next_velocities());
    }
}

// What the vertices got, the bodies they touched get the other way round.
void World::Impl::push_obstacles(const Slot& slot) {
    const auto obstacles = slot.surface->obstacles();
    for (std::size_t k = 0; k < obstacles.size(); ++k) {
        Slot& other = slots[obstacles[k].index];
        const Twist& impulse = slot.surface->impulses()[k];
        if (other.kind != BodyKind::rigid || (impulse.linear == Vec3{} && impulse.angular == Vec3{}))
            continue;
        other.asleep = false;
        other.quiet = 0;
        other.rigid().add_force(impulse.linear / settings.step, other.rigid().centre());
        other.rigid().add_torque(impulse.angular / settings.step);
    }
}

void World::Impl::predict_deformables(const std::vector<std::byte>& before) {
    std::vector<std::uint32_t> awake;
    for (std::uint32_t i = 0; i < slots.size(); ++i)
        if (slots[i].kind == BodyKind::deformable && slots[i].body && !slots[i].asleep) awake.push_back(i);
    parallel.each(awake.size(), 1, [&](std::size_t k) {
        if (slots[awake[k]].force_fields.empty()) predict_deformable(awake[k]);
    });
    predict_in_this_thread(awake, before);
    for (const std::uint32_t i : awake) {
        if (const auto& problem = slots[i].deformable().problem()) {
            const Error error(
                {.place = name_of(slots[i]), .problem = problem->problem(), .cure = problem->cure()});
            restore(before).value();
            throw error;
        }
        push_obstacles(slots[i]);
    }
}

BodyId World::add(const Rope& b, const Placement& placement) {
    return impl_->add_deformable(b, made(b, rope(b.from, b.to, b.segments, b.springs), placement),
                                 placement.velocity);
}

BodyId World::add(const Cloth& b, const Placement& placement) {
    auto model = b.mesh.empty() ? cloth(b.corner, b.side_x, b.side_y, b.vertices[0], b.vertices[1], b.springs)
                                : cloth(b.mesh, b.springs);
    return impl_->add_deformable(b, made(b, std::move(model), placement), placement.velocity);
}

BodyId World::add(const Jelly& b, const Placement& placement) {
    auto model = jelly({b.low, b.high}, b.cells[0], b.cells[1], b.cells[2], b.springs);
    return impl_->add_deformable(b, made(b, std::move(model), placement), placement.velocity);
}

BodyId World::add(const Shells& b, const Placement& placement) {
    // Without shells the surface is a cloth of the same mass.
    SpringMaterial skin = b.springs;
    if (const auto solid = mass_properties(b.mesh, skin.density); b.shells == 0 && !skin.mass && solid.ok())
        skin.mass = solid.value().mass;
    auto model = b.shells == 0 ? cloth(b.mesh, skin) : virtual_shells(b.mesh, b.shells, b.offset, b.springs);
    return impl_->add_deformable(b, made(b, std::move(model), placement), placement.velocity);
}

BodyId World::add(const TetSprings& b, const Placement& placement) {
    return impl_->add_deformable(b, made(b, tet_springs(b.mesh, b.springs), placement), placement.velocity);
}

std::span<const Vec3> World::vertex_positions(BodyId body) const {
    return deformable(impl_->slot(body)).positions();
}
std::span<const Vec3> World::vertex_velocities(BodyId body) const {
    return deformable(impl_->slot(body)).velocities();
}
double World::vertex_radius(BodyId body) const {
    return deformable(impl_->slot(body)).settings().radius;
}
std::span<const Triangle> World::surface(BodyId body) const {
    return deformable(impl_->slot(body)).triangles();
}
std::span<const std::array<int, 2>> World::edges(BodyId body) const {
    return deformable(impl_->slot(body)).edges();
}
std::span<const double> World::vertex_masses(BodyId body) const {
    return deformable(impl_->slot(body)).masses();
}
double World::constraint_error(BodyId body) const {
    const DeformableBody& b = deformable(impl_->slot(body));
    return b.constraints().error(b.positions());
}
double World::elastic_energy(BodyId body) const {
    return deformable(impl_->slot(body)).elastic_energy();
}
double World::largest_stable_step(BodyId body) const {
    return deformable(impl_->slot(body)).largest_stable_step();
}

void World::pin(BodyId body, std::uint32_t vertex) {
    Slot& slot = impl_->slot(body);
    require_vertex(slot, vertex);
    slot.deformable().pin(vertex);
    impl_->touched(slot);
}

std::size_t World::pin(BodyId body, const Box3& box) {
    const auto found = vertices_in(deformable(impl_->slot(body)), box);
    for (std::uint32_t vertex : found) pin(body, vertex);
    return found.size();
}

std::size_t World::attach(BodyId body, const Box3& box, BodyId to) {
    Slot& slot = impl_->slot(body);
    const std::uint32_t other = impl_->slot_of(to);
    if (impl_->slots[other].dynamic())
        throw Error({.place = place_of(slot.name, "attach"),
                     .problem = "vertices can be attached to fixed and scripted bodies only",
                     .cure = "attach them to one of those, or pin them"});
    const auto found = vertices_in(deformable(slot), box);
    const Transform to_local = inverse(impl_->slots[other].body->pose());
    for (std::uint32_t vertex : found) {
        unpin(body, vertex);
        slot.deformable().pin(vertex);
        slot.attachments.push_back({vertex, other, to_local * slot.deformable().positions()[vertex]});
    }
    impl_->touched(slot);
    return found.size();
}

void World::unpin(BodyId body, std::uint32_t vertex) {
    Slot& slot = impl_->slot(body);
    require_vertex(slot, vertex);
    slot.deformable().unpin(vertex);
    std::erase_if(slot.attachments, [&](const Attachment& a) { return a.vertex == vertex; });
    impl_->touched(slot);
}

void World::set_wind(BodyId body, const Vec3& wind) {
    Slot& slot = impl_->slot(body);
    require(slot.name, usable(wind), "wind", "it is not usable", "give finite numbers");
    deformable(slot).set_wind(wind);
    impl_->touched(slot);
}

void World::apply_vertex_force(BodyId body, std::uint32_t vertex, const Vec3& force) {
    Slot& slot = impl_->slot(body);
    require_vertex(slot, vertex);
    require(slot.name, is_finite(force), "force", "it is not finite", "check the number that was computed");
    slot.asleep = false;
    slot.quiet = 0;
    slot.deformable().add_force(vertex, force);
}

void World::set_vertex(BodyId body, std::uint32_t vertex, const Vec3& position, const Vec3& velocity) {
    Slot& slot = impl_->slot(body);
    require_vertex(slot, vertex);
    require(slot.name, usable(position), "position", "it is not usable", "give finite numbers below 1e12");
    require(slot.name, usable(velocity), "velocity", "it is not usable", "give finite numbers below 1e12");
    const auto pins = slot.deformable().pins();
    require(slot.name, pins.empty() || !pins[vertex], "vertex", "it is pinned",
            "unpin it, set it, and pin it again");
    impl_->touched(slot);
    slot.deformable().set_vertex(vertex, position, velocity);
}

}  // namespace plush
