#include <fmt/format.h>

#include <algorithm>

#include "bodies/matched_model.hpp"
#include "bodies/pressure.hpp"
#include "bodies/soft_data.hpp"
#include "bodies/topologies.hpp"
#include "contact/barrier_guard.hpp"
#include "contact/barrier_particles.hpp"
#include "core/range_check.hpp"
#include "geometry/shape_data.hpp"
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

/// Contact at the points of a skin is by forces that pull back to vertices; others would move the points.
void require_skin_law(const std::string& name, const SurfaceSettings& surface) {
    require(name, surface.law == SurfaceLaw::quadratic || surface.law == SurfaceLaw::buffered, "surface",
            "a body with a skin is held off surfaces by the laws quadratic and buffered",
            "take one of these two");
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
    if (const auto in_range = check_ranges(body.motion); !in_range) refuse(body.name, in_range.error());
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
                 .cure = "ask a rope, a cloth, a jelly, shells, tet springs or shape matching"});
}

std::vector<std::uint32_t> vertices_in(const DeformableBody& body, const Box3& box) {
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < body.positions().size(); ++i)
        if (box.contains(body.positions()[i])) found.push_back(i);
    return found;
}

void release_at(Slot& slot, const std::vector<std::uint32_t>& vertices, double until) {
    require(slot.name, until > 0, "until", "it is not a time to come", "give a time above 0, in s");
    if (!(until < HUGE_VAL)) return;
    for (const std::uint32_t v : vertices) slot.releases.push_back({v, until});
}

void require_vertex(const Slot& slot, std::uint32_t vertex) {
    const std::size_t count = deformable(slot).positions().size();
    if (vertex < count) return;
    throw Error({.place = place_of(slot.name, "vertex"),
                 .problem = fmt::format("there is no vertex {}", vertex),
                 .cure = fmt::format("it has {}, counted from 0", count)});
}

}  // namespace

BodyId World::Impl::add_deformable(const Deformable& body, DeformableModel model, const Vec3& velocity,
                                   std::shared_ptr<const Embedding> contact_points) {
    Slot slot;
    slot.kind = BodyKind::deformable;
    PositionConstraints constraints = edge_constraints(model, body.constraints);
    auto made_body = std::make_unique<DeformableBody>(std::move(model), body.motion);
    made_body->set_parallel(&parallel);
    if (velocity != Vec3{}) made_body->set_velocity(velocity);
    SurfaceSettings surface_settings = settings.contact.surface;
    if (body.constraints.obstacles) surface_settings.law = SurfaceLaw::impulse;  // which has no forces
    auto surface = std::make_unique<SurfaceField>(surface_settings);
    const std::size_t points = contact_points ? contact_points->size() : made_body->positions().size();
    surface->set_radii(std::vector<double>(points, body.motion.radius));
    slot.surface = surface.get();
    if (contact_points) {
        auto carried = std::make_unique<CarriedSurface>(std::move(surface), std::move(contact_points),
                                                        made_body->masses());
        slot.carried_surface = carried.get();
        made_body->add_element(std::move(carried));
    } else {
        made_body->add_element(std::move(surface));
    }
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

BodyId World::Impl::add_points(const Particles& body) {
    if (const auto in_range = check_ranges(*body.integration); !in_range) refuse(body.name, in_range.error());
    Deformable like;
    like.motion = {.integration = *body.integration, .damping = body.drag / body.mass, .radius = body.radius};
    like.material = body.material, like.filter = body.filter, like.name = body.name;
    DeformableModel model;
    model.positions = body.positions;
    model.masses.assign(body.positions.size(), body.mass);
    const BodyId id = add_deformable(like, std::move(model), {});
    slot(id).points = true;
    for (std::uint32_t i = 0; i < body.velocities.size(); ++i)
        slot(id).deformable().set_vertex(i, body.positions[i], body.velocities[i]);
    return id;
}

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
        const PairLaw pair_law = law({i, index}, method);
        if (method == ContactMethod::none) continue;
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
        if (other.kind == BodyKind::deformable) other.deformable().push(impulse);  // it is never asleep
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
    release_vertices();
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
    parallel.each(awake.size(), 4, [&](std::size_t k) { meet_surfaces(awake[k]); });
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

namespace {

/// What others touch: given, or made of a closed surface.
Shape touched_shape(const ShapeMatching& b) {
    if (!b.shape.empty()) return b.shape;
    const Mesh surface = !b.skin.empty() ? b.skin : !b.tets.tets().empty() ? b.tets.surface() : b.mesh;
    if (surface.empty()) return {};
    auto made = Shape::try_mesh(surface);
    return made.ok() ? std::move(made).value() : Shape{};  // an open one has no inside
}

void require_cluster(const Slot& slot, const std::vector<std::uint32_t>& vertices) {
    const auto carried = [&](std::uint32_t v) {
        return std::any_of(slot.attachments.begin(), slot.attachments.end(),
                           [&](const Attachment& a) { return a.vertex == v; });
    };
    require(slot.name, !vertices.empty(), "cluster", "it has no vertices", "give at least one");
    require(slot.name, std::none_of(vertices.begin(), vertices.end(), carried), "cluster",
            "one of its vertices is attached to another body", "leave that one out");
    require(slot.name, !slot.body->distance(), "cluster", "the body is one cluster as a whole already",
            "add clusters to bodies of springs, or of several clusters");
    require(slot.name, !slot.projection, "cluster", "its obstacles are position constraints",
            "leave out constraints.obstacles, and take the surface law impulse");
}

}  // namespace

BodyId World::add(const ShapeMatching& b, const Placement& placement) {
    auto model = matched_model(b);
    if (!model.ok()) refuse(b.name, model.error());
    require(b.name, !b.constraints.obstacles, "constraints", "obstacles cannot be position constraints here",
            "take the surface law impulse");
    require(b.name, b.shape.empty() || b.shape.bounded(), "shape", "it has no end", "give a bounded one");
    MatchedModel m = std::move(model).value();
    const BodyId id = impl_->add_deformable(b, made(b, std::move(m.body), placement), placement.velocity);
    Slot& slot = impl_->slot(id);
    slot.deformable().add_clusters(m.clusters, m.rest, b.match);
    slot.skin = b.skin, slot.skin_weights = std::make_shared<const Embedding>(std::move(m.skin));
    if (b.touched && slot.deformable().matcher()->holds_all()) {
        const Shape shape = touched_shape(b);
        if (!shape.empty()) slot.deformable().set_distance(shape.data().distance);
    }
    return id;
}

BodyId World::add(const Soft& b, const Placement& placement) {
    require(b.name, !b.constraints.any(), "constraints", "elastic bodies have no position constraints",
            "leave them out");
    require(b.name, std::isfinite(b.pressure) && std::abs(b.pressure) <= 1e12, "pressure", "it is not usable",
            "give a finite number below 1e12 Pa");
    require(b.name, !b.mass || (*b.mass > 0 && *b.mass <= 1e15), "mass", "it is out of range",
            "give a number above 0 and up to 1e15 kg");
    const SoftSolid::Data& solid = b.solid.data();
    const bool skinned = !solid.skin.empty();
    if (skinned) require_skin_law(b.name, impl_->settings.contact.surface);
    auto model = elastic_solid(solid.tets, b.elastic, b.regions,
                               b.by_skin ? b.solid.shares() : std::span<const double>{});
    if (model.ok() && b.mass) {
        double sum = 0;
        for (const double m : model.value().masses) sum += m;
        for (double& m : model.value().masses) m *= *b.mass / sum;
    }
    // The skin's weights are part of the solid, which the body keeps alive.
    const std::shared_ptr<const Embedding> weights(
        skinned ? std::make_shared<const SoftSolid>(b.solid) : nullptr, skinned ? &solid.weights : nullptr);
    DeformableModel placed = made(b, std::move(model), placement);
    if (b.pressure != 0)
        placed.elements.push_back(std::make_unique<Pressure>(
            b.pressure, skinned ? solid.skin.triangles() : std::span<const Triangle>(placed.triangles),
            weights.get()));
    const BodyId id = impl_->add_deformable(b, std::move(placed), placement.velocity, weights);
    Slot& slot = impl_->slot(id);
    slot.skin = solid.skin, slot.skin_weights = weights;
    return id;
}

void World::add_cluster(BodyId body, std::vector<std::uint32_t> vertices, const MatchSettings& settings) {
    Slot& slot = impl_->slot(body);
    DeformableBody& b = deformable(slot);
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    for (const std::uint32_t v : vertices) require_vertex(slot, v);
    require_cluster(slot, vertices);
    if (const auto in_range = check_ranges(settings); !in_range) refuse(slot.name, in_range.error());
    b.add_clusters(std::array{std::move(vertices)}, b.positions(), settings);
    impl_->touched(slot);
}

std::size_t World::cluster_count(BodyId body) const {
    const ShapeMatcher* matcher = deformable(impl_->slot(body)).matcher();
    return matcher ? matcher->size() : 0;
}
std::vector<Vec3> World::drawn_positions(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    const auto x = deformable(slot).positions();
    if (slot.skin.empty()) return {x.begin(), x.end()};
    std::vector<Vec3> out(slot.skin_weights->size());
    slot.skin_weights->apply(x, out);
    return out;
}
std::span<const Triangle> World::drawn_surface(BodyId body) const {
    const Slot& slot = impl_->slot(body);
    return slot.skin.empty() ? deformable(slot).triangles() : slot.skin.triangles();
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

std::size_t World::pin(BodyId body, const Box3& box, double until) {
    const auto found = vertices_in(deformable(impl_->slot(body)), box);
    for (std::uint32_t vertex : found) pin(body, vertex);
    release_at(impl_->slot(body), found, until);
    return found.size();
}

std::size_t World::attach(BodyId body, const Box3& box, BodyId to, double until) {
    Slot& slot = impl_->slot(body);
    const std::uint32_t other = impl_->slot_of(to);
    const BodyKind kind = impl_->slots[other].kind;
    if (kind == BodyKind::particles || kind == BodyKind::deformable)
        throw Error({.place = place_of(slot.name, "attach"),
                     .problem = "vertices can be attached to rigid, fixed and scripted bodies only",
                     .cure = "attach them to one of those, or pin them"});
    const std::uint32_t own = body.index - 1;
    for (const JointSlot& joint : impl_->joints)
        if (kind == BodyKind::rigid && joint.alive && (joint.a == own || joint.b == own))
            throw Error({.place = place_of(slot.name, "attach"),
                         .problem =
                             "a joint holds a vertex of this body, which is not solved with the bodies "
                             "that it is attached to",
                         .cure = "joint the other vertices as well, instead of attaching them"});
    const auto found = vertices_in(deformable(slot), box);
    const ShapeMatcher* matcher = slot.deformable().matcher();
    const auto clustered = [&](std::uint32_t v) { return matcher && matcher->holds(v); };
    require(slot.name, kind != BodyKind::rigid || std::none_of(found.begin(), found.end(), clustered),
            "attach",
            "a vertex that keeps a shape cannot be part of a free body: that would not feel its pull",
            "attach it to a fixed or scripted body, or leave it out of the box");
    const Transform to_local = inverse(impl_->slots[other].body->pose());
    for (std::uint32_t vertex : found) {
        unpin(body, vertex);
        if (kind != BodyKind::rigid) slot.deformable().pin(vertex);
        slot.attachments.push_back({vertex, other, to_local * slot.deformable().positions()[vertex]});
    }
    impl_->touched(slot);
    impl_->touched(impl_->slots[other]);
    impl_->groups_hold = false;
    release_at(slot, found, until);
    return found.size();
}

void World::unpin(BodyId body, std::uint32_t vertex) {
    Slot& slot = impl_->slot(body);
    require_vertex(slot, vertex);
    slot.deformable().unpin(vertex);
    std::erase_if(slot.attachments, [&](const Attachment& a) { return a.vertex == vertex; });
    std::erase_if(slot.releases, [&](const Release& r) { return r.vertex == vertex; });
    impl_->groups_hold = false;
    impl_->touched(slot);
}

void World::set_surface(BodyId body, const SurfaceSettings& surface) {
    Slot& slot = impl_->slot(body);
    deformable(slot);
    if (const auto in_range = check_ranges(surface); !in_range) refuse(slot.name, in_range.error());
    require(slot.name, !slot.projection, "surface", "its obstacles are position constraints, not forces",
            "leave out constraints.obstacles, or the surface law");
    if (slot.carried_surface) require_skin_law(slot.name, surface);
    slot.surface->set_settings(surface);
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
