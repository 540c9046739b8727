#pragma once

#include <cstddef>
#include <span>

#include "geometry/shapes/exact_shape.hpp"
#include "geometry/shapes/point_set.hpp"
#include "plush/bodies/settings.hpp"
#include "plush/core/state.hpp"

// The one picture (docs/architecture.md): a body owns its generalised positions q and velocities u.
// Everything outside sees its surface points p(q) and how their velocities follow from u, nothing else.
//
// To the solver a body is a list of *nodes*, each a rigid frame with up to six velocities: a rigid body is
// one node, a cloud of particles one node a particle, a fixed or scripted body none. A step runs
//
//     predict   u* = u + h M⁻¹ f,  q* = q + h u*            (free motion; q and u stay readable)
//     advance   q = q + t u*                                (rigid bodies: to the moment t of an impact)
//     correct   u = u* + Δu,  q = q* + (h − t) Δu           (Δu = A⁻¹ Jᵀ λ from the solver)
//     displace  q = q + Δq                                  (the stabilise phase; never touches u)

namespace plush {

/// Six velocities, or six small displacements: of a point that moves with the node's origin, and of rotation.
struct Twist {
    Vec3 linear{}, angular{};
};

/// A node as the solver sees it, at the pose the step started from.
struct Node {
    Twist before{};    ///< u, before predict
    Twist velocity{};  ///< u*, after it
    Vec3 origin{};     ///< lever arms are measured from here, world
    double inverse_mass = 0;
    Mat3 inverse_inertia{};  ///< world frame
};

/// A common rigid motion: the velocity of every material point.
struct Motion {
    Vec3 origin{};
    Twist twist{};
    Vec3 at(const Vec3& point) const { return twist.linear + cross(twist.angular, point - origin); }
};

/// Work done on a body in its last step by all that is not of the solver, J: entries of the EnergyLedger
/// (plush/world/report.hpp).
struct StepWork {
    double scripts = 0, forces = 0, joints = 0, contact = 0, damping = 0, integrator = 0;
};

/// A pose, and how the body moves there.
struct PathPoint {
    Transform pose{};
    Motion motion{};
};

class Body {
public:
    virtual ~Body() = default;

    // -- motion
    virtual void predict(double h, const Vec3& gravity, RotationMethod rotation) = 0;
    virtual std::size_t node_count() const = 0;
    virtual Node node(std::size_t i) const = 0;
    virtual void correct(double h, std::span<const Twist> change) = 0;
    virtual void displace(std::span<const Twist> change) = 0;
    /// How it moves through this step where the motion is given, how it moves now where it is free. Nothing
    /// where it has no common motion.
    virtual Motion motion() const = 0;
    /// Of a body with a common motion, after predict(): where it is within the step if nothing touches it, so many seconds
    /// after pose().
    virtual PathPoint path(double) const { return {pose(), motion()}; }
    /// Of the material point of this body at `point` (world).
    Vec3 velocity_at(const Vec3& point) const { return motion().at(point); }
    /// Of one of points(), where the body has no common motion (particles).
    virtual Vec3 point_velocity(std::size_t) const { return {}; }

    // -- surface
    /// The points tested against others, in the frame of pose().
    virtual const PointSet& points() const = 0;
    /// The node that carries a point.
    virtual std::size_t node_of_point(std::size_t) const { return 0; }
    /// The distance that others' points are tested against, in the frame of pose(); null where there is none.
    virtual const SignedDistance* distance() const = 0;
    virtual Transform pose() const = 0;
    virtual Box3 bounds() const = 0;
    /// The speed of any point differs from that of the common motion by no more than this, m/s.
    virtual Vec3 common_velocity() const = 0;
    virtual double speed_spread() const = 0;
    double speed_bound() const { return norm(common_velocity()) + speed_spread(); }
    /// The size that corrections are measured against, m.
    virtual double size() const = 0;
    virtual double thickness() const = 0;

    // -- measures
    virtual double kinetic_energy() const = 0;
    virtual double gravity_energy(const Vec3& gravity) const = 0;
    virtual double elastic_energy() const { return 0; }
    double potential_energy(const Vec3& gravity) const { return gravity_energy(gravity) + elastic_energy(); }
    virtual Vec3 momentum() const = 0;
    virtual Vec3 moment_of_momentum() const = 0;  ///< angular momentum about the world's origin
    /// Of the last correct(). Deformable bodies, of which it takes time, are asked otherwise.
    virtual StepWork step_work() const { return {}; }
    virtual bool is_finite() const = 0;

    /// Everything that the next step reads.
    virtual void visit_state(StateVisitor& v) = 0;

    /// The faces, edges and rims of its surface in the frame of pose(); null where they are not known in closed form.
    virtual const ExactShape* exact_shape() const { return nullptr; }
};

}  // namespace plush
