#include "world/body_factory.hpp"

#include <fmt/format.h>

#include "world/refusal.hpp"

// Rigid, fixed and scripted bodies, and particles.

namespace plush {
namespace {

/// A body has either a mesh or a shape.
Shape shape_from(const std::string& name, const Mesh& mesh, const Shape& shape, int cells) {
    if (mesh.empty() == shape.empty())
        refuse(
            name, "mesh",
            mesh.empty() ? "the body has neither a mesh nor a shape" : "the body has both a mesh and a shape",
            "give one of them");
    if (mesh.empty()) return shape;
    auto made = Shape::try_mesh(mesh, cells);
    if (!made.ok()) refuse(name, "mesh", made.error().problem(), made.error().cure());
    return std::move(made).value();
}

Placement checked(const std::string& name, Placement p) {
    require_usable(name, "position", p.position);
    require_usable(name, "velocity", p.velocity);
    require_usable(name, "angular_velocity", p.angular_velocity);
    p.rotation = checked_rotation(name, "rotation", p.rotation);
    return p;
}

MassProperties mass_properties_of(const Rigid& body, const Shape& shape) {
    auto made = shape.mass(body.mass ? 1.0 : body.density);
    if (!made.ok()) refuse(body.name, "shape", made.error().problem(), made.error().cure());
    MassProperties mass = made.value();
    if (body.mass) {
        mass.inertia = mass.inertia * (*body.mass / mass.mass);
        mass.mass = *body.mass;
    }
    if (!(mass.mass > 0) || !std::isfinite(mass.mass) || !(determinant(mass.inertia) > 0) ||
        !std::isfinite(trace(inverse(mass.inertia))))
        refuse(body.name, "shape", fmt::format("its mass of {} kg or its inertia is not usable", mass.mass),
               "check the size of the shape and its density");
    return mass;
}

/// What every solid body has.
template <class Solid>
BodyRecord solid_record(const Solid& body, BodyKind kind) {
    require_ranges(body.name, body);
    require_material(body.name, body.material);
    require_look(body.name, body.look);
    BodyRecord record;
    record.kind = kind;
    record.shape = shape_from(body.name, body.mesh, body.shape, body.distance_cells);
    record.name = body.name, record.material = body.material, record.filter = body.filter;
    record.look = body.look;
    record.sensor = body.sensor;
    return record;
}

}  // namespace

Quat checked_rotation(const std::string& name, const char* key, const Quat& q) {
    const double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(n2 > 1e-12 && n2 < 1e12)) refuse(name, key, "it is not a rotation", "give a unit quaternion");
    return normalised(q);
}

std::vector<Keyframe> checked_keyframes(const std::string& name, std::vector<Keyframe> keyframes) {
    if (keyframes.empty())
        refuse(name, "keyframes", "there are none", "give at least one, or make the body fixed");
    for (std::size_t k = 0; k < keyframes.size(); ++k) {
        require_usable(name, "keyframes", keyframes[k].position);
        require_range(name, "keyframes", keyframes[k].time, -1e9, 1e9);
        if (k > 0 && !(keyframes[k].time > keyframes[k - 1].time))
            refuse(name, "keyframes",
                   fmt::format("the time of keyframe {} does not come after the one before", k + 1),
                   "give rising times");
        keyframes[k].rotation = checked_rotation(name, "keyframes", keyframes[k].rotation);
    }
    return keyframes;
}

BodyRecord BodyFactory::make(const Rigid& body, const Placement& placement) {
    BodyRecord record = solid_record(body, BodyKind::rigid);
    if (!record.shape.bounded())
        refuse(body.name, "shape", "a half-space has no mass", "make it a fixed or scripted body");
    record.body = std::make_unique<RigidBody>(record.shape, mass_properties_of(body, record.shape),
                                              checked(body.name, placement), body.damping);
    record.tets = body.tets;
    record.tet_shape = tets_.shape_of(body.tets);
    return record;
}

BodyRecord BodyFactory::make(const Fixed& body, const Placement& placement) {
    const Placement at = checked(body.name, placement);
    BodyRecord record = solid_record(body, BodyKind::fixed);
    record.body = std::make_unique<KinematicBody>(record.shape, Transform{at.position, at.rotation},
                                                  std::vector<Keyframe>{}, false);
    return record;
}

BodyRecord BodyFactory::make(const Scripted& body) {
    if (!body.frames.empty()) return deformed_by_frames(body);
    auto keyframes = checked_keyframes(body.name, body.keyframes);
    BodyRecord record = solid_record(body, BodyKind::scripted);
    record.blade = body.blade;
    record.body = std::make_unique<KinematicBody>(record.shape, Transform{}, std::move(keyframes), body.loop);
    return record;
}

BodyRecord BodyFactory::make(const Particles& body) {
    require_material(body.name, body.material);
    require_ranges(body.name, body);
    require_look(body.name, body.look);
    if (body.positions.empty())
        refuse(body.name, "positions", "there are no particles", "give at least one position");
    if (!body.velocities.empty() && body.velocities.size() != body.positions.size())
        refuse(body.name, "velocities",
               fmt::format("there are {} for {} particles", body.velocities.size(), body.positions.size()),
               "give one each, or none");
    for (const Vec3& p : body.positions) require_usable(body.name, "positions", p);
    for (const Vec3& v : body.velocities) require_usable(body.name, "velocities", v);
    if (body.integration) return point_cloud(body);
    BodyRecord record;
    record.kind = BodyKind::particles;
    record.body = std::make_unique<ParticleBody>(body);
    record.name = body.name, record.material = body.material, record.filter = body.filter;
    record.look = body.look;
    return record;
}

}  // namespace plush
