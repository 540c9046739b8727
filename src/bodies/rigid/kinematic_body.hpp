#pragma once

#include <vector>

#include "bodies/body.hpp"

namespace plush {

void visit_state(StateVisitor& v, Keyframe& k);

/// Where keyframes, at least one, put a body at a time.
Transform pose_at(std::span<const Keyframe> keyframes, bool loop, double time);

/// A fixed body, or one whose motion is given by keyframes. It has no nodes: nothing pushes it.
class KinematicBody final : public Body {
public:
    /// Without keyframes it stays at `pose`.
    KinematicBody(Shape shape, const Transform& pose, std::vector<Keyframe> keyframes, bool loop);

    void predict(double h, const Vec3& gravity, RotationMethod rotation) override;
    std::size_t node_count() const override { return 0; }
    Node node(std::size_t) const override { return {}; }
    void correct(double h, std::span<const Twist> change) override;
    void displace(std::span<const Twist>) override {}
    Motion motion() const override { return {pose_.position, velocity_}; }
    PathPoint path(double time) const override;

    const PointSet& points() const override;
    const ExactShape* exact_shape() const override;
    const SignedDistance* distance() const override { return &shape_.distance(); }
    Transform pose() const override { return pose_; }
    /// Where predict() found that it will be at the end of the step.
    Transform next_pose() const { return moves() ? next_pose_ : pose_; }
    Box3 bounds() const override;
    Vec3 common_velocity() const override { return velocity_.linear; }
    /// Of an unbounded body only the linear part counts near its origin; contact asks velocity_at() for the
    /// rest.
    double speed_spread() const override { return norm(velocity_.angular) * radius_; }
    double size() const override { return HUGE_VAL; }  // it is never moved by a correction
    double thickness() const override { return shape_.thickness(); }

    double kinetic_energy() const override { return 0; }
    double gravity_energy(const Vec3&) const override { return 0; }
    Vec3 moment_of_momentum() const override { return {}; }
    Vec3 momentum() const override { return {}; }
    bool is_finite() const override { return true; }
    void visit_state(StateVisitor& v) override;

    const Shape& shape() const { return shape_; }
    bool moves() const { return !keyframes_.empty(); }
    /// Fixed, or past its last keyframe.
    bool at_rest() const;
    Twist velocity() const { return velocity_; }
    void set_pose(const Transform& pose) { pose_ = pose; }
    /// From now on, in the world's time.
    void set_keyframes(std::vector<Keyframe> keyframes, bool loop);
    bool loops() const { return loop_; }

private:
    Shape shape_;
    double radius_;
    std::vector<Keyframe> keyframes_;
    bool loop_;
    double time_ = 0;
    Transform pose_;
    Transform next_pose_{};
    Twist velocity_{};  ///< about pose_.position, over the step under way or the last one
};

}  // namespace plush
