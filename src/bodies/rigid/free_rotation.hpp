#pragma once

#include "plush/math/rotation.hpp"

namespace plush {

/// How a rigid body turns where no torque acts: its angular momentum L is constant in the world, and the orientation
/// follows from it.
class FreeRotation {
public:
    /// `inertia` about the centre of mass, in the body's frame.
    explicit FreeRotation(const Mat3& inertia);

    /// The orientation after the time h, s, with the angular momentum L, world.
    Quat advance(const Quat& orientation, const Vec3& momentum, double h) const;

private:
    /// The turns about the axes a and b in the principal frame that L has there.
    Quat body_turn(Vec3 momentum, double h) const;

    Quat principal_{};  ///< from the frame of the axes a, b, c to the body's
    Vec3 inverse_{};    ///< of the moments of inertia about a, b, c
};

}  // namespace plush
