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
