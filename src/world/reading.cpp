#include "world/reading.hpp"

#include <fmt/format.h>

#include "world/body_recipe.hpp"
#include "world/world_impl.hpp"

namespace plush {

JointPlace joint_place(const World& world, JointId joint) {
    const WorldParts& parts = WorldAccess::parts(world);
    const JointRecord& record = parts.joints.records()[parts.joints.index_of(joint)];
    const auto body = [&](const JointRecord::End& end) {
        return end.body == JointRecord::none ? BodyId{} : parts.bodies.id(end.body);
    };
    return {static_cast<std::uint32_t>(record.joint.kind), body(record.a), body(record.b),
            parts.joints.frames_now(record).a.position};
}

namespace {

bool touches_itself(const WorldParts& parts, std::uint32_t body) {
    const BodyRecord& record = parts.bodies[body];
    return record.body && record.parts.self_contact && record.parts.encloses_volume &&
           is_volume_method(parts.rules.behaviour(body, body).method);
}

/// Why a body that is told to touch itself would not; nothing where it does, or where nothing is to touch.
std::optional<Error> without_self_contact(const WorldParts& parts, std::uint32_t body) {
    const BodyRecord& record = parts.bodies[body];
    if (!record.body || !record.parts.self_contact || touches_itself(parts, body)) return {};
    if (parts.rules.behaviour(body, body).method == ContactMethod::none) return {};
    const bool sheet = !record.parts.encloses_volume || record.parts.hollow;
    return Error({.place = parts.bodies.label(body),
                  .problem = fmt::format(
                      "its self_contact would be ignored: bodies touch themselves by volume, and {}",
                      sheet ? "this one encloses none that anything holds up"
                            : "volume contact is not what this one has"),
                  .cure = sheet ? "leave self_contact out, or take shells or soft"
                                : "take contact.method automatic or volume, and no law, tets or explicit "
                                  "integrator of its own; or leave self_contact out"});
}

}  // namespace

void require_contact(const World& world) {
    const WorldParts& parts = WorldAccess::parts(world);
    for (std::uint32_t i = 0; i < parts.bodies.size(); ++i)
        if (const auto error = without_self_contact(parts, i)) throw *error;
    parts.rules.require_contact();
}

bool vertices_touch_by_rows(const World& world, BodyId a, BodyId b) {
    const WorldParts& parts = WorldAccess::parts(world);
    const std::uint32_t i = parts.bodies.index_of(a), j = parts.bodies.index_of(b);
    const auto touches = [&](std::uint32_t vertices, std::uint32_t other) {
        return parts.rules.vertices_by_rows(vertices, other) || parts.rules.vertices_on_free(vertices, other);
    };
    return touches(i, j) || touches(j, i);
}

bool touches_itself(const World& world, BodyId body) {
    const WorldParts& parts = WorldAccess::parts(world);
    return touches_itself(parts, parts.bodies.index_of(body));
}

bool first_touch_is_searched(const World& world, BodyId a, BodyId b) {
    const WorldParts& parts = WorldAccess::parts(world);
    const BodyRecord &x = parts.bodies.at(a), &y = parts.bodies.at(b);
    const ContactMethod method =
        parts.rules.behaviour(parts.bodies.index_of(a), parts.bodies.index_of(b)).method;
    const auto solid = [](const BodyRecord& r) {
        return !r.sensor && !r.is_deformable() && r.kind != BodyKind::particles && r.body->distance();
    };
    const auto soft = [&](const BodyRecord& r) {  // as Impacts takes part, also before the first prediction
        return r.is_deformable() && is_volume_method(method) && r.parts.encloses_volume &&
               is_implicit(r.deformable().settings().integration.method) && r.deformable().pins().empty();
    };
    return (solid(x) && (solid(y) || soft(y))) || (soft(x) && solid(y));
}

bool cuts(const World& world, BodyId a, BodyId b) {
    const WorldParts& parts = WorldAccess::parts(world);
    const std::uint32_t i = parts.bodies.index_of(a), j = parts.bodies.index_of(b);
    return parts.rules.may_cut(i, j) && parts.rules.rules_allow(i, j);
}

std::optional<IntegrationSettings> integration_of(const World& world, BodyId body) {
    const BodyRecord& record = WorldAccess::parts(world).bodies.at(body);
    if (!record.is_deformable()) return {};
    return record.deformable().settings().integration;
}

std::span<const Vec3> rest_positions(const World& world, BodyId body) {
    return WorldAccess::parts(world).bodies.at(body).parts.rest;
}

BodyReading read_body(const World& world, BodyId body) {
    const BodyRecord& record = WorldAccess::parts(world).bodies.at(body);
    BodyReading reading{.friction = record.material.friction};
    if (record.is_deformable()) reading.damping = record.deformable().settings().damping;
    if (record.kind == BodyKind::rigid && record.recipe)
        if (const Rigid* rigid = std::get_if<Rigid>(&record.recipe->settings))
            reading.damping = rigid->damping;
    if (record.source) reading.young = record.source->elastic.young;
    return reading;
}

}  // namespace plush
