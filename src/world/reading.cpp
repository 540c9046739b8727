#include "world/reading.hpp"

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

void require_contact(const World& world) {
    WorldAccess::parts(world).rules.require_contact();
}

bool vertices_touch_by_rows(const World& world, BodyId a, BodyId b) {
    const WorldParts& parts = WorldAccess::parts(world);
    const std::uint32_t i = parts.bodies.index_of(a), j = parts.bodies.index_of(b);
    const auto touches = [&](std::uint32_t vertices, std::uint32_t other) {
        return parts.rules.vertices_by_rows(vertices, other) || parts.rules.vertices_on_free(vertices, other);
    };
    return touches(i, j) || touches(j, i);
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
