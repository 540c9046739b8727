#pragma once

#include <optional>

#include "bodies/body.hpp"
#include "bodies/rigid/free_rotation.hpp"

namespace plush {

/// A rigid body: position x of the centre of mass, orientation R, velocity v, and the angular momentum L (not
/// ω), because L is what free motion conserves.
class RigidBody final : public Body {
public:
    /// `mass` in the shape's frame.
    RigidBody(Shape shape, const MassProperties& mass, const Placement& placement, double damping);

    void predict(double h, const Vec3& gravity, RotationMethod rotation) override;
    std::size_t node_count() const override { return 1; }
    Node node(std::size_t) const override;
    void correct(double h, std::span<const Twist> change) override;
    void displace(std::span<const Twist> change) override;
    /// Where correct() would put it.
    Transform pose_after(const Twist& change) const;
    Motion motion() const override { return {position_, {velocity_, angular_velocity_}}; }
    PathPoint path(double time) const override;
    /// After predict(): to a moment of the step, with the predicted velocities. The rows of the step act there, and the body
    /// moves on from there with what they give it.
    void advance(double time);
    bool may_advance() const { return rotation_ == RotationMethod::momentum && !added_inertia_; }

    const PointSet& points() const override;
    const ExactShape* exact_shape() const override;
    const SignedDistance* distance() const override { return &shape_.distance(); }
    Transform pose() const override;
    Box3 bounds() const override;
    Vec3 common_velocity() const override { return velocity_; }
    double speed_spread() const override { return norm(angular_velocity_) * radius_; }
    double size() const override { return radius_; }
    double thickness() const override { return shape_.thickness(); }

    double kinetic_energy() const override;
    double gravity_energy(const Vec3& gravity) const override { return -mass_ * dot(gravity, position_); }
    Vec3 momentum() const override { return velocity_ * mass_; }
    Vec3 moment_of_momentum() const override { return momentum_ + mass_ * cross(position_, velocity_); }
    StepWork step_work() const override { return work_; }
    bool is_finite() const override;
    void visit_state(StateVisitor& v) override;

    const Shape& shape() const { return shape_; }
    double mass() const { return mass_; }
    const Vec3& centre() const { return position_; }
    const Vec3& velocity() const { return velocity_; }
    const Vec3& angular_momentum() const { return momentum_; }
    const Vec3& angular_velocity() const { return angular_velocity_; }
    Mat3 world_inertia() const { return inertia(orientation_); }  ///< about the centre of mass
    const Vec3& force() const { return force_; }                  ///< added for the next step, N
    const Vec3& torque() const { return torque_; }

    void set_pose(const Transform& pose);
    void set_damping(double damping) { damping_ = damping; }  ///< 1/s
    void set_velocity(const Vec3& velocity, const Vec3& angular_velocity);
    void add_force(const Vec3& force, const Vec3& point);
    void add_torque(const Vec3& torque) { torque_ += torque; }
    void apply_impulse(const Vec3& impulse, const Vec3& point);
    // In the next step: impulses (N s, and N m s about the centre of mass) of contacts that are not rows, and of vertices that are
    // attached to the body.
    void add_contact_impulse(const Twist& impulse, double h) { add_impulse(impulse, h, contact_impulse_); }
    void add_attachment_impulse(const Twist& impulse, double h) {
        add_impulse(impulse, h, attachment_impulse_);
    }
    /// For the next predict(): the body turns as if it had more inertia (world frame, kg m²), which takes
    /// stiffness against turning that forces at levers have implicitly. Its momentum is not touched.
    void set_added_inertia(const Mat3& added) { added_inertia_ = added; }

private:
    Mat3 inertia(const Quat& orientation) const;
    Mat3 inverse_inertia(const Quat& orientation) const;
    void follow_momentum();
    void add_impulse(const Twist& impulse, double h, Twist& of_kind);
    /// The work of a step that ends with these velocities, before the state is theirs.
    void account(double h, const Twist& change);
    void rotate_by_momentum(double h);
    void add_inertia(double h);
    Quat orientation_after(const Vec3& change) const;
    Quat path_orientation(double time) const;
    void rotate_implicitly(double h);
    void rotate_first_order(double h);

    Shape shape_;
    Vec3 offset_;  ///< centre of mass in the shape's frame
    double mass_;
    Mat3 inertia_, inverse_inertia_;  ///< in the body's frame, about the centre of mass
    FreeRotation free_rotation_;
    double radius_;   ///< of a ball about the centre of mass that holds the body
    double damping_;  ///< 1/s

    Vec3 position_;
    Quat orientation_;
    Vec3 velocity_;
    Vec3 momentum_;            ///< angular, world
    Vec3 force_{}, torque_{};  ///< of the user, for the next step
    Vec3 angular_velocity_;    ///< what momentum_ and orientation_ make it

    // Of the step under way.
    double step_ = 0, remaining_ = 0;  ///< s: remaining_ is less than the step after advance()
    double advance_work_ = 0;          ///< what advance() did to the energy of rotation, J
    Vec3 next_position_, next_velocity_, next_momentum_;
    Quat next_orientation_;
    std::optional<Mat3> added_inertia_{};
    Vec3 gravity_{};
    Twist contact_impulse_{}, attachment_impulse_{};  ///< parts of force_ and torque_
    Twist damping_impulse_{};
    Vec3 inertia_impulse_{};  ///< angular, what added inertia takes
    StepWork work_{};
    double spin_work_ = 0;  ///< of all angular impulses, J
    RotationMethod rotation_ = RotationMethod::momentum;
    Vec3 turning_;               ///< angular velocity with next_momentum_, before the body turns
    Mat3 step_inverse_inertia_;  ///< of the body itself
    Mat3 step_inertia_;
    Mat3 answering_inverse_inertia_;  ///< with what was added
};

}  // namespace plush
