#pragma once

#include <cstdint>
#include <optional>

#include "plush/core/describe.hpp"
#include "plush/math/vec.hpp"

// What holds bodies together. A joint has a *coordinate*: the angle of a hinge (rad), the way along a slider
// (m), the length of a distance joint or rope (m), the angle by which a ball joint is bent (rad). Limits, a
// motor and a spring act on it. Angles and ways are zero where the bodies are when the joint is added.
//
// Anchors and axes are given in the world, at the time of adding.

namespace plush {

/// The range of the coordinate: hard stops. Absent: none on that side.
struct JointLimits {
    std::optional<double> low{}, high{};
};
PLUSH_API void describe(FieldVisitor& v, JointLimits& s);

/// Drives the coordinate with a speed, or to a position with at most that speed. Absent speed and position:
/// no motor.
struct JointMotor {
    std::optional<double> speed{};      ///< of a against b, rad/s or m/s
    std::optional<double> position{};   ///< rad or m; the speed is then the largest, its sign ignored
    std::optional<double> max_force{};  ///< N, or N m for an angle; absent: as much as it takes
};
PLUSH_API void describe(FieldVisitor& v, JointMotor& s);

/// Pulls the coordinate to its rest value: f = −k (s − rest) − d ṡ, taken implicitly, so that any stiffness
/// is stable. No spring where both are 0.
struct JointSpring {
    double stiffness = 0;          ///< k, N/m or N m/rad
    double damping = 0;            ///< d, N s/m or N m s/rad
    std::optional<double> rest{};  ///< rad or m; absent: the value when the joint is added
};
PLUSH_API void describe(FieldVisitor& v, JointSpring& s);

/// Holds a point of a on a point of b; both may turn, within a cone where one is given.
struct BallJoint {
    Vec3 anchor{};                 ///< m
    Vec3 axis{0, 1, 0};            ///< of the cone, fixed to both bodies
    std::optional<double> cone{};  ///< the largest angle between the two axes, rad
    JointSpring spring{};          ///< on that angle; rest is the straight one
    bool collide = false;          ///< whether the two bodies touch each other as well
};
PLUSH_API void describe(FieldVisitor& v, BallJoint& s);

/// Turns about one axis. The coordinate is the angle of a against b about it.
struct HingeJoint {
    Vec3 anchor{};       ///< m
    Vec3 axis{0, 1, 0};  ///< of any length but zero
    JointLimits limits{};
    JointMotor motor{};
    JointSpring spring{};
    bool collide = false;
};
PLUSH_API void describe(FieldVisitor& v, HingeJoint& s);

/// Slides along one axis, which is fixed to b, and does not turn. The coordinate is the way of a along it.
struct SliderJoint {
    Vec3 anchor{};       ///< m
    Vec3 axis{0, 1, 0};  ///< of any length but zero
    JointLimits limits{};
    JointMotor motor{};
    JointSpring spring{};
    bool collide = false;
};
PLUSH_API void describe(FieldVisitor& v, SliderJoint& s);

/// Holds both bodies together as they are.
struct FixedJoint {
    Vec3 anchor{};  ///< where forces and torques are measured, m
    bool collide = false;
};
PLUSH_API void describe(FieldVisitor& v, FixedJoint& s);

/// Keeps two points at a distance. With limits, a motor or a spring these decide, and the length is free
/// else.
struct DistanceJoint {
    Vec3 anchor_a{}, anchor_b{};     ///< m
    std::optional<double> length{};  ///< m; absent: as it is
    JointLimits limits{};
    JointMotor motor{};
    JointSpring spring{};
    bool collide = false;
};
PLUSH_API void describe(FieldVisitor& v, DistanceJoint& s);

/// Keeps two points from being farther apart than its length.
struct RopeJoint {
    Vec3 anchor_a{}, anchor_b{};     ///< m
    std::optional<double> length{};  ///< m; absent: as it is
    bool collide = false;
};
PLUSH_API void describe(FieldVisitor& v, RopeJoint& s);

}  // namespace plush
