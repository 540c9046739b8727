#pragma once

#include "core/internal_api.hpp"
#include "plush/world/world.hpp"

// What the viewer shows of a world beyond its motion: joints, and settings as they are now.

namespace plush {

struct JointPlace {
    std::uint32_t kind = 0;  ///< of JointKind
    BodyId a{}, b{};         ///< null: the world
    Vec3 anchor{};           ///< on a, m
};
PLUSH_INTERNAL_API JointPlace joint_place(const World& world, JointId joint);

/// Throws where two bodies that may touch would pass through each other.
void require_contact(const World& world);

/// Whether vertices of one of the two touch the other by rows.
bool vertices_touch_by_rows(const World& world, BodyId a, BodyId b);

/// Whether the body touches itself, by volume.
bool touches_itself(const World& world, BodyId body);

/// Whether the time of the first touch of two bodies within a step is searched, so that none jumps over the other: of
/// solid bodies, and of soft ones that touch them by volume and that nothing holds.
bool first_touch_is_searched(const World& world, BodyId a, BodyId b);

/// Whether a is a blade that cuts b, and what the body is advanced with where it has an integrator.
bool cuts(const World& world, BodyId a, BodyId b);
std::optional<IntegrationSettings> integration_of(const World& world, BodyId body);

/// Where the vertices of a deformable body were when it was added, m; those that cuts made, too.
PLUSH_INTERNAL_API std::span<const Vec3> rest_positions(const World& world, BodyId body);

struct BodyReading {
    double friction = 0;
    std::optional<double> damping{};  ///< as the body was added, of rigid ones; 1/s
    std::optional<double> young{};    ///< of a body added as Soft, Pa
};
PLUSH_INTERNAL_API BodyReading read_body(const World& world, BodyId body);

}  // namespace plush
