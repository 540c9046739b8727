#include <fmt/format.h>

#include <algorithm>

#include "core/range_check.hpp"
#include "world/refusal.hpp"
#include "world/world_impl.hpp"

// Deformable bodies: reading them, and holding on to their vertices.

namespace plush {
namespace {

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

void require_vertex(const Slot& slot, std::uint32_t vertex) {
    const std::size_t count = deformable(slot).positions().size();
    if (vertex < count) return;
    throw Error({.place = place_of(slot.name, "vertex"),
                 .problem = fmt::format("there is no vertex {}", vertex),
                 .cure = fmt::format("it has {}, counted from 0", count)});
}

}  // namespace

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
std::span<const Tet> World::tets(BodyId body) const {
    static_cast<void>(deformable(impl_->slot(body)));  // refuses others
    return impl_->slot(body).tets.tets();
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
    // Said here and not in the first step, so that a scene is refused when it is checked.
    if (const auto refusal = why_not_carried(slot.deformable().settings().integration);
        refusal && kind == BodyKind::rigid && !found.empty())
        throw Error(
            {.place = place_of(slot.name, "attach"), .problem = refusal->problem(), .cure = refusal->cure()});
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
