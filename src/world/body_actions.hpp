#pragma once

#include "world/query_surfaces.hpp"
#include "world/sleep.hpp"

namespace plush {

/// What a user does to the bodies of a world. What is wrong with it is said here; what it changes is awake afterwards.
class BodyActions {
public:
    BodyActions(BodyStore& bodies, Attachments& attachments, const JointStore& joints, PairRules& rules,
                Sleep& sleep, const QuerySurfaces& surfaces)
        : bodies_(bodies),
          attachments_(attachments),
          joints_(joints),
          rules_(rules),
          sleep_(sleep),
          surfaces_(surfaces) {}

    void apply_force(BodyId body, const Vec3& force);
    void apply_force(BodyId body, const Vec3& force, const Vec3& point);
    void apply_force(const SurfacePoint& at, const Vec3& force);
    void apply_impulse(const SurfacePoint& at, const Vec3& impulse);
    void apply_vertex_force(BodyId body, std::uint32_t vertex, const Vec3& force);
    void apply_torque(BodyId body, const Vec3& torque);
    void apply_impulse(BodyId body, const Vec3& impulse, const Vec3& point);
    void set_pose(BodyId body, const Transform& pose);
    void set_velocity(BodyId body, const Vec3& velocity, const Vec3& angular_velocity);
    void set_vertex(BodyId body, std::uint32_t vertex, const Vec3& position, const Vec3& velocity);
    void set_keyframes(BodyId body, std::vector<Keyframe> keyframes);
    void set_wind(BodyId body, const Vec3& wind);
    void set_surface(BodyId body, const SurfaceSettings& surface);
    void wake(BodyId body) { bodies_.mark_changed(bodies_.at(body)); }
    void sleep(BodyId body);
    void add_cluster(BodyId body, std::vector<std::uint32_t> vertices, const MatchSettings& settings);
    void add_force_field(BodyId body, ForceFunction force);
    std::size_t attach(BodyId body, const Box3& box, BodyId to, double until);
    void set_filter(BodyId body, const Filter& filter);
    void set_pair_method(BodyId a, BodyId b, ContactMethod method);

private:
    BodyRecord& free_body(BodyId body);  ///< throws where impulses cannot move it

    BodyStore& bodies_;
    Attachments& attachments_;
    const JointStore& joints_;
    PairRules& rules_;
    Sleep& sleep_;
    const QuerySurfaces& surfaces_;
};

}  // namespace plush
