#include "bodies/rigid/rigid_body.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "geometry/shapes/shape_data.hpp"

// Rigid motion. The lecture slides advance ω and leave the gyroscopic term −ω × Iω out, and with it every
// tumbling motion. Carrying the angular momentum L brings it in for free: L is constant in the world, and the
// orientation follows it as that of a free top (free_rotation.cpp). Impulses act at the orientation R that the step starts
// from, and the body turns on with all of its new momentum,
//
//     L ← L + h τ + Jᵀλ,   R ← free motion of R with L for the time h,   ω = R I_ref⁻¹ Rᵀ L.
//
// The constraint solver sees ω and I⁻¹ at R: what an impulse does to the energy there is what it does to the body's, since
// the free motion keeps it.

namespace plush {
namespace {

double bounding_radius(const Shape& shape, const Vec3& centre) {
    const Shape::Data& data = shape.data();
    double r2 = 0;
    for (const Vec3& p : data.points.positions) r2 = std::max(r2, norm2(p - centre));
    double radius = std::sqrt(r2) + data.points.radius;
    if (data.points.empty()) radius = norm(data.bounds.size());
    return radius;
}

}  // namespace

RigidBody::RigidBody(Shape shape, const MassProperties& mass, const Placement& placement, double damping)
    : shape_(std::move(shape)),
      offset_(mass.centre),
      mass_(mass.mass),
      inertia_(mass.inertia),
      inverse_inertia_(plush::inverse(mass.inertia)),
      free_rotation_(mass.inertia),
      radius_(bounding_radius(shape_, mass.centre)),
      damping_(damping),
      momentum_{} {
    PLUSH_ASSERT(mass_ > 0 && damping_ >= 0);
    set_pose({placement.position, placement.rotation});
    set_velocity(placement.velocity, placement.angular_velocity);
}

Mat3 RigidBody::inertia(const Quat& orientation) const {
    const Mat3 r = to_matrix(orientation);
    return r * inertia_ * transpose(r);
}

Mat3 RigidBody::inverse_inertia(const Quat& orientation) const {
    const Mat3 r = to_matrix(orientation);
    return r * inverse_inertia_ * transpose(r);
}

void RigidBody::predict(double h, const Vec3& gravity, RotationMethod rotation) {
    PLUSH_ASSERT(1.0 + h * damping_ > 0);
    // Damping v̇ = −c v is taken implicitly: stable for any h.
    const double keep = 1.0 / (1.0 + h * damping_);
    const Vec3 pushed = velocity_ + h * (gravity + force_ / mass_), turned = momentum_ + h * torque_;
    next_velocity_ = pushed * keep;
    next_position_ = position_ + h * next_velocity_;
    next_momentum_ = turned * keep;
    gravity_ = gravity;
    damping_impulse_ = {mass_ * (next_velocity_ - pushed), next_momentum_ - turned};
    inertia_impulse_ = {};
    step_ = remaining_ = h;
    advance_work_ = 0;
    switch (rotation) {
        case RotationMethod::momentum:
            rotate_by_momentum(h);
            break;
        case RotationMethod::implicit:
            rotate_implicitly(h);
            break;
        case RotationMethod::first_order:
            rotate_first_order(h);
            break;
    }
    rotation_ = rotation;
    step_inertia_ = plush::inverse(step_inverse_inertia_);
    answering_inverse_inertia_ = step_inverse_inertia_;
    if (added_inertia_) add_inertia(h);
}

// (I + ΔI) ω' = I ω: what is added takes part in the motion of this step and keeps nothing.
void RigidBody::add_inertia(double h) {
    answering_inverse_inertia_ = plush::inverse(step_inertia_ + *added_inertia_);
    turning_ = answering_inverse_inertia_ * (step_inertia_ * turning_);
    inertia_impulse_ = step_inertia_ * turning_ - next_momentum_;
    next_momentum_ = step_inertia_ * turning_;
    next_orientation_ = rotation_ == RotationMethod::momentum
                            ? free_rotation_.advance(orientation_, next_momentum_, h)
                            : normalised(exp_rotation(h * turning_) * orientation_);
}

void RigidBody::rotate_by_momentum(double h) {
    step_inverse_inertia_ = inverse_inertia(orientation_);
    turning_ = step_inverse_inertia_ * next_momentum_;
    next_orientation_ = free_rotation_.advance(orientation_, next_momentum_, h);
}

// The implicit gyroscopic step (Catto, GDC 2015): in the body's frame solve I (ω' − ω) + h ω' × I ω' = 0 by
// one Newton step from ω. Stable for any h, and damps spin: an option, for comparison.
void RigidBody::rotate_implicitly(double h) {
    const Mat3 r = to_matrix(orientation_);
    const Vec3 omega = inverse_inertia_ * transpose_times(r, next_momentum_);
    const Vec3 spin = inertia_ * omega;
    const Mat3 jacobian = inertia_ + h * (skew(omega) * inertia_ - skew(spin));
    const Vec3 next = omega - plush::inverse(jacobian) * (h * cross(omega, spin));
    step_inverse_inertia_ = r * inverse_inertia_ * transpose(r);
    turning_ = r * next;
    next_orientation_ = normalised(exp_rotation(h * turning_) * orientation_);
    next_momentum_ = inertia(next_orientation_) * turning_;
}

// The slides: ω is constant without torque (no gyroscopic term), q ← q + [0, ½ h ω] q, normalised.
void RigidBody::rotate_first_order(double h) {
    step_inverse_inertia_ = inverse_inertia(orientation_);
    turning_ = step_inverse_inertia_ * next_momentum_;
    const Vec3 half = 0.5 * h * turning_;
    const Quat change = Quat{0, half.x, half.y, half.z} * orientation_;
    next_orientation_ = normalised(Quat{orientation_.w + change.w, orientation_.x + change.x,
                                        orientation_.y + change.y, orientation_.z + change.z});
    next_momentum_ = inertia(next_orientation_) * turning_;
}

Node RigidBody::node(std::size_t i) const {
    PLUSH_ASSERT(i == 0);
    static_cast<void>(i);
    return {{velocity_, angular_velocity_},
            {next_velocity_, turning_},
            position_,
            1.0 / mass_,
            answering_inverse_inertia_};
}

void RigidBody::correct(double h, std::span<const Twist> change) {
    PLUSH_ASSERT(change.size() == 1);
    account(h, change[0]);
    const double spin_energy = 0.5 * dot(momentum_, angular_velocity_);
    velocity_ = next_velocity_ + change[0].linear;
    position_ = next_position_ + remaining_ * change[0].linear;
    momentum_ = next_momentum_ + step_inertia_ * change[0].angular;
    orientation_ = orientation_after(change[0].angular);
    added_inertia_.reset();
    force_ = torque_ = {};
    contact_impulse_ = attachment_impulse_ = {};
    follow_momentum();
    // What the free motion, or another rule of rotation, makes of the energy that the impulses left.
    work_.integrator += 0.5 * dot(momentum_, angular_velocity_) - spin_energy - spin_work_ + advance_work_;
}

PathPoint RigidBody::path(double time) const {
    const Quat orientation = path_orientation(time);
    const Vec3 centre = position_ + time * next_velocity_;
    return {{centre - rotate(orientation, offset_), orientation},
            {centre, {next_velocity_, inverse_inertia(orientation) * next_momentum_}}};
}

// Impulses act at the pose of the moment, between bodies that are there at the same time: their moments are opposite about
// any point, and the sum of x × m v and L of all bodies is what it was.
void RigidBody::advance(double time) {
    PLUSH_ASSERT(may_advance() && time >= 0 && time <= remaining_);
    const double spin_energy = 0.5 * dot(momentum_, angular_velocity_);
    orientation_ = path_orientation(time);
    position_ += time * next_velocity_;
    remaining_ -= time;
    follow_momentum();
    advance_work_ += 0.5 * dot(momentum_, angular_velocity_) - spin_energy;
    step_inverse_inertia_ = inverse_inertia(orientation_);
    step_inertia_ = plush::inverse(step_inverse_inertia_);
    answering_inverse_inertia_ = step_inverse_inertia_;
    turning_ = step_inverse_inertia_ * next_momentum_;
}

// Impulses do work at the mean of the velocities of the start and the end. The free motion acts from the start on, with the
// momentum of the end.
void RigidBody::account(double h, const Twist& change) {
    const Vec3 end = next_velocity_ + change.linear, mean = 0.5 * (velocity_ + end);
    const Vec3 mean_turn = 0.5 * (angular_velocity_ + turning_ + change.angular);
    const auto work = [&](const Twist& impulse) {
        return dot(impulse.linear, mean) + dot(impulse.angular, mean_turn);
    };
    const Twist user{h * force_ - contact_impulse_.linear - attachment_impulse_.linear,
                     h * torque_ - contact_impulse_.angular - attachment_impulse_.angular};
    Vec3 added = inertia_impulse_;
    if (added_inertia_) added -= *added_inertia_ * change.angular;
    work_ = {.forces = work(user),
             .joints = work(attachment_impulse_),
             .contact = work(contact_impulse_),
             .damping = work(damping_impulse_),
             .integrator = mass_ * dot(gravity_, h * (mean - end) + (h - remaining_) * change.linear) +
                           dot(added, mean_turn)};
    spin_work_ =
        dot(h * torque_ + damping_impulse_.angular + inertia_impulse_ + step_inertia_ * change.angular,
            mean_turn);
}

void RigidBody::add_impulse(const Twist& impulse, double h, Twist& of_kind) {
    PLUSH_ASSERT(h > 0);
    force_ += impulse.linear / h, torque_ += impulse.angular / h;
    of_kind.linear += impulse.linear, of_kind.angular += impulse.angular;
}

Quat RigidBody::orientation_after(const Vec3& change) const {
    if (change == Vec3{}) return next_orientation_;
    if (rotation_ != RotationMethod::momentum)
        return normalised(exp_rotation(step_ * change) * next_orientation_);
    return free_rotation_.advance(orientation_, next_momentum_ + step_inertia_ * change, remaining_);
}

Quat RigidBody::path_orientation(double time) const {
    if (rotation_ != RotationMethod::momentum)
        return normalised(exp_rotation(time * turning_) * orientation_);
    return free_rotation_.advance(orientation_, next_momentum_, time);
}

Transform RigidBody::pose_after(const Twist& change) const {
    const Quat orientation = orientation_after(change.angular);
    return {next_position_ + remaining_ * change.linear - rotate(orientation, offset_), orientation};
}

void RigidBody::displace(std::span<const Twist> change) {
    PLUSH_ASSERT(change.size() == 1);
    // It does no work: L and ω turn with the body, and their lengths and the energy stay.
    const Quat turn = exp_rotation(change[0].angular);
    position_ += change[0].linear;
    orientation_ = normalised(turn * orientation_);
    momentum_ = rotate(turn, momentum_);
    follow_momentum();
}

void RigidBody::follow_momentum() {
    angular_velocity_ = inverse_inertia(orientation_) * momentum_;
}

const PointSet& RigidBody::points() const {
    return shape_.data().points;
}

const ExactShape* RigidBody::exact_shape() const {
    const auto& exact = shape_.data().exact;
    return exact ? &*exact : nullptr;
}

Transform RigidBody::pose() const {
    return {position_ - rotate(orientation_, offset_), orientation_};
}

// The box of the turned bounding box: |R| half-size. Cheaper than walking the points and tight enough.
Box3 RigidBody::bounds() const {
    const Box3 local = shape_.bounds();
    const Mat3 r = to_matrix(orientation_);
    const Vec3 half = local.size() * 0.5;
    const Vec3 extent{dot(abs(r.row[0]), half), dot(abs(r.row[1]), half), dot(abs(r.row[2]), half)};
    const Vec3 centre = pose() * local.centre();
    return {centre - extent, centre + extent};
}

double RigidBody::kinetic_energy() const {
    return 0.5 * mass_ * norm2(velocity_) + 0.5 * dot(momentum_, angular_velocity_);
}

bool RigidBody::is_finite() const {
    const double q2 = orientation_.w + orientation_.x + orientation_.y + orientation_.z;
    return plush::is_finite(position_) && plush::is_finite(velocity_) && plush::is_finite(momentum_) &&
           std::isfinite(q2);
}

void RigidBody::visit_state(StateVisitor& v) {
    v(position_, orientation_, velocity_, momentum_, force_, torque_, damping_);
    follow_momentum();
}

void RigidBody::set_pose(const Transform& pose) {
    orientation_ = normalised(pose.rotation);
    position_ = pose.position + rotate(orientation_, offset_);
    follow_momentum();
}

void RigidBody::set_velocity(const Vec3& velocity, const Vec3& angular_velocity) {
    velocity_ = velocity;
    momentum_ = inertia(orientation_) * angular_velocity;
    follow_momentum();
}

void RigidBody::add_force(const Vec3& force, const Vec3& point) {
    force_ += force;
    torque_ += cross(point - position_, force);
}

void RigidBody::apply_impulse(const Vec3& impulse, const Vec3& point) {
    velocity_ += impulse / mass_;
    momentum_ += cross(point - position_, impulse);
    follow_momentum();
}

}  // namespace plush
