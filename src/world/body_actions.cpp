#include "world/body_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/range_check.hpp"
#include "world/body_factory.hpp"
#include "world/body_recipe.hpp"
#include "world/feature_query.hpp"
#include "world/refusal.hpp"
#include "world/surface_points.hpp"

namespace plush {
namespace {

void require_vector(const BodyRecord& record, const Vec3& v, const char* what, double most = HUGE_VAL) {
    require(record.name, is_finite(v), what, "it is not finite", "check the number that was computed");
    if (max_component(abs(v)) > most)
        refuse(record.name, what, fmt::format("({}, {}, {}) is not usable", v.x, v.y, v.z),
               fmt::format("give numbers below {}", most));
}

}  // namespace

BodyRecord& BodyActions::free_body(BodyId body) {
    BodyRecord& record = bodies_.at(body);
    if (record.is_given()) throw_wrong_kind(record, "a body that moves freely");
    return record;
}

// -- forces

void BodyActions::apply_force(BodyId body, const Vec3& force) {
    require_vector(bodies_.at(body), force, "force");
    BodyRecord& record = free_body(body);
    record.wake();
    if (record.kind == BodyKind::rigid) record.rigid().add_force(force, record.rigid().centre());
    if (record.kind == BodyKind::particles) record.particles().add_force(force);
    if (record.kind == BodyKind::deformable) record.deformable().add_force(force);
}

void BodyActions::apply_force(BodyId body, const Vec3& force, const Vec3& point) {
    require_vector(bodies_.at(body), force, "force");
    require_vector(bodies_.at(body), point, "point");
    BodyRecord& record = free_body(body);
    record.wake();
    if (record.kind == BodyKind::rigid) record.rigid().add_force(force, point);
    if (record.kind == BodyKind::particles) record.particles().add_force(force);
    if (record.kind != BodyKind::deformable) return;
    for (const VertexWeight& w : weights_at(bodies_, surfaces_, bodies_.index_of(body), point))
        record.deformable().add_force(w.vertex, w.weight * force);
}

void BodyActions::apply_force(const SurfacePoint& at, const Vec3& force) {
    require_vector(bodies_.at(at.body), force, "force");
    BodyRecord& record = free_body(at.body);
    record.wake();
    if (record.kind == BodyKind::rigid) {
        record.rigid().add_force(force, position_of(bodies_, at));
        return;
    }
    require(record.name, record.kind == BodyKind::deformable, "force", "particles take no force one by one",
            "give this one an impulse, or a drag");
    for (const VertexWeight& w : weights_of(bodies_, at))
        record.deformable().add_force(w.vertex, w.weight * force);
}

void BodyActions::apply_vertex_force(BodyId body, std::uint32_t vertex, const Vec3& force) {
    BodyRecord& record = bodies_.at(body);
    require_vertex(record, vertex);
    require_vector(record, force, "force");
    record.wake();
    record.deformable().add_force(vertex, force);
}

void BodyActions::apply_torque(BodyId body, const Vec3& torque) {
    BodyRecord& record = bodies_.at(body);
    require_vector(record, torque, "torque");
    if (record.kind != BodyKind::rigid) throw_wrong_kind(record, "rigid");
    record.wake();
    record.rigid().add_torque(torque);
}

void BodyActions::apply_impulse(BodyId body, const Vec3& impulse, const Vec3& point) {
    require_vector(bodies_.at(body), impulse, "impulse", largest_usable * mass_of(bodies_.at(body)));
    require_vector(bodies_.at(body), point, "point");
    BodyRecord& record = free_body(body);
    bodies_.mark_changed(record);
    if (record.kind == BodyKind::rigid) record.rigid().apply_impulse(impulse, point);
    if (record.kind == BodyKind::particles) record.particles().apply_impulse(impulse);
    if (record.kind == BodyKind::deformable)
        for (const VertexWeight& w : weights_at(bodies_, surfaces_, bodies_.index_of(body), point))
            record.deformable().apply_impulse(w.vertex, w.weight * impulse);
}

void BodyActions::apply_impulse(const SurfacePoint& at, const Vec3& impulse) {
    require_vector(bodies_.at(at.body), impulse, "impulse", largest_usable * mass_of(bodies_.at(at.body)));
    BodyRecord& record = free_body(at.body);
    bodies_.mark_changed(record);
    if (record.kind == BodyKind::rigid) {
        record.rigid().apply_impulse(impulse, position_of(bodies_, at));
        return;
    }
    for (const VertexWeight& w : weights_of(bodies_, at)) {
        if (record.kind == BodyKind::particles)
            record.particles().apply_impulse(w.vertex, w.weight * impulse);
        if (record.kind == BodyKind::deformable)
            record.deformable().apply_impulse(w.vertex, w.weight * impulse);
    }
}

// -- places and velocities

void BodyActions::set_pose(BodyId body, const Transform& pose) {
    BodyRecord& record = bodies_.at(body);
    require_vector(record, pose.position, "position", largest_usable);
    const Quat& q = pose.rotation;
    const double length2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    require(record.name, length2 > 0 && std::isfinite(length2), "rotation", "it is not a rotation",
            "give a unit quaternion");
    require(record.name, !record.parts.scripted, "position", "its vertices follow frames",
            "give it keyframes when it is added");
    bodies_.mark_changed(record);
    const Transform clean{pose.position, normalised(pose.rotation)};
    switch (record.kind) {
        case BodyKind::rigid: {
            const Vec3 spin = record.rigid().angular_velocity();
            record.rigid().set_pose(clean);
            record.rigid().set_velocity(record.rigid().velocity(), spin);
            break;
        }
        case BodyKind::particles:
            record.particles().move_by(pose.position - centre_of(record));
            break;
        case BodyKind::deformable:
            record.deformable().move_by(pose.position - centre_of(record));
            break;
        case BodyKind::fixed:
        case BodyKind::scripted:
            record.kinematic().set_pose(clean);
            break;
    }
    sleep_.wake_neighbours(bodies_.index_of(body));
}

void BodyActions::set_velocity(BodyId body, const Vec3& velocity, const Vec3& angular_velocity) {
    require_vector(bodies_.at(body), velocity, "velocity", largest_usable);
    require_vector(bodies_.at(body), angular_velocity, "angular_velocity", largest_usable);
    BodyRecord& record = free_body(body);
    bodies_.mark_changed(record);
    if (record.kind == BodyKind::rigid) record.rigid().set_velocity(velocity, angular_velocity);
    if (record.kind == BodyKind::particles) record.particles().set_velocity(velocity);
    if (record.kind == BodyKind::deformable) record.deformable().set_velocity(velocity, angular_velocity);
}

void BodyActions::set_vertex(BodyId body, std::uint32_t vertex, const Vec3& position, const Vec3& velocity) {
    BodyRecord& record = bodies_.at(body);
    require_vertex(record, vertex);
    require(record.name, usable(position), "position", "it is not usable", "give finite numbers below 1e12");
    require(record.name, usable(velocity), "velocity", "it is not usable", "give finite numbers below 1e12");
    const auto pins = record.deformable().pins();
    require(record.name, pins.empty() || !pins[vertex], "vertex", "it is pinned",
            "unpin it, set it, and pin it again");
    bodies_.mark_changed(record);
    record.deformable().set_vertex(vertex, position, velocity);
}

void BodyActions::set_keyframes(BodyId body, std::vector<Keyframe> keyframes) {
    BodyRecord& record = bodies_.at(body);
    if (record.kind != BodyKind::scripted)
        refuse(record.name, "keyframes", fmt::format("the body is {}", to_word(record.kind)),
               "add it as Scripted");
    KinematicBody& scripted = record.kinematic();
    scripted.set_keyframes(checked_keyframes(record.name, std::move(keyframes)), scripted.loops());
    bodies_.mark_changed(record);
    sleep_.wake_neighbours(bodies_.index_of(body));
}

void BodyActions::sleep(BodyId body) {
    BodyRecord& record = free_body(body);
    set_velocity(body, {}, {});
    record.asleep = true;
}

// -- what acts on it

void BodyActions::set_wind(BodyId body, const Vec3& wind) {
    BodyRecord& record = bodies_.at(body);
    require(record.name, usable(wind), "wind", "it is not usable", "give finite numbers");
    require_deformable(record).set_wind(wind);
    bodies_.mark_changed(record);
}

void BodyActions::set_surface(BodyId body, const SurfaceSettings& surface) {
    BodyRecord& record = bodies_.at(body);
    require_deformable(record);
    if (const auto in_range = check_ranges(surface); !in_range) refuse(record.name, in_range.error());
    require(record.name, !record.parts.projection, "surface",
            "its obstacles are position constraints, not forces",
            "leave out constraints.obstacles, or the surface law");
    if (record.parts.embedded_surface) require_skin_law(record.name, surface);
    record.parts.surface->set_settings(surface);
    edit_recipe(record, [&](BodyRecipe& r) { r.surface = surface; });
    bodies_.mark_changed(record);
}

void BodyActions::add_cluster(BodyId body, std::vector<std::uint32_t> vertices,
                              const MatchSettings& settings) {
    BodyRecord& record = bodies_.at(body);
    DeformableBody& deformable = require_deformable(record);
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    for (const std::uint32_t v : vertices) require_vertex(record, v);
    const auto attachments = attachments_.of(bodies_.index_of(body));
    const auto attached = [&](std::uint32_t v) {
        return std::any_of(attachments.begin(), attachments.end(),
                           [&](const Attachment& a) { return a.vertex == v; });
    };
    require(record.name, !vertices.empty(), "cluster", "it has no vertices", "give at least one");
    require(record.name, std::none_of(vertices.begin(), vertices.end(), attached), "cluster",
            "one of its vertices is attached to another body", "leave that one out");
    require(record.name, !record.body->distance(), "cluster", "the body is one cluster as a whole already",
            "add clusters to bodies of springs, or of several clusters");
    require(record.name, !record.parts.projection, "cluster", "its obstacles are position constraints",
            "leave out constraints.obstacles, and take the surface law impulse");
    if (const auto in_range = check_ranges(settings); !in_range) refuse(record.name, in_range.error());
    const auto x = deformable.positions();
    std::vector<Vec3> rest(x.begin(), x.end());
    edit_recipe(record, [&](BodyRecipe& r) { r.clusters.push_back({vertices, rest, settings}); });
    deformable.add_clusters(std::array{std::move(vertices)}, rest, settings);
    bodies_.mark_changed(record);
}

void BodyActions::add_force_field(BodyId body, ForceFunction force) {
    BodyRecord& record = bodies_.at(body);
    if (record.kind != BodyKind::deformable || !force)
        throw Error({.place = record.name.empty() ? "force field" : fmt::format("body \"{}\"", record.name),
                     .problem = force ? "only deformable bodies have force fields" : "the function is empty",
                     .cure = force ? "use add_custom_force and apply_force" : "give a function"});
    edit_recipe(record, [&](BodyRecipe& r) { r.force_fields.push_back(force); });
    auto field = std::make_unique<UserForceField>(std::move(force));
    record.parts.force_fields.push_back(field.get());
    record.deformable().add_element(std::move(field));
    bodies_.mark_changed(record);
}

std::size_t BodyActions::attach(BodyId body, const Box3& box, BodyId to, double until) {
    const BodyRecord& record = bodies_.at(body);
    if (bodies_.at(to).kind == BodyKind::rigid && joints_.holds_vertex_of(bodies_.index_of(body)))
        throw Error({.place = place_of(record.name, "attach"),
                     .problem = "a joint holds a vertex of this body, which is not solved with the bodies "
                                "that it is attached to",
                     .cure = "joint the other vertices as well, instead of attaching them"});
    return attachments_.attach(body, box, to, until);
}

// -- pairs

void BodyActions::set_filter(BodyId body, const Filter& filter) {
    rules_.set_filter(body, filter);
    sleep_.wake_neighbours(bodies_.index_of(body));
}

void BodyActions::set_pair_method(BodyId a, BodyId b, ContactMethod method) {
    if (method == ContactMethod::closest_feature)
        for (const BodyId body : {a, b}) require_features(bodies_.at(body));
    for (const BodyId body : {a, b}) require_rows(bodies_.at(body), method);
    rules_.set_method(a, b, method);
}

}  // namespace plush
