#pragma once

#include "plush/math/vec.hpp"
#include "plush/world/ids.hpp"

// Forces to read after a step.

namespace plush {

/// Of the last step, or the exponential mean over the time that World::smooth_forces() was given: df̄/dt = (f − f̄)/τ.
enum class Reading { last_step, smoothed };

/// A force and a torque.
struct Wrench {
    Vec3 force{};   ///< N
    Vec3 torque{};  ///< about the body's centre of mass (scripted: its origin; joints: the anchor), N m
};

/// What contacts do to a body.
struct ContactForce {
    Vec3 normal{};    ///< along the normals of the contacts, N
    Vec3 friction{};  ///< across them, N
    Vec3 torque{};    ///< of both, about the body's centre of mass (scripted: its origin), N m
    Vec3 force() const { return normal + friction; }
};

/// What b does to a.
struct PairForce {
    BodyId a, b;
    ContactForce on_a{};
};

}  // namespace plush
