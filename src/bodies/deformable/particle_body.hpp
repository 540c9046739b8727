#pragma once

#include <vector>

#include "bodies/body.hpp"

namespace plush {

/// Points with mass under gravity and drag: a deformable body without elements.
class ParticleBody final : public Body {
public:
    explicit ParticleBody(const Particles& settings);

    void predict(double h, const Vec3& gravity, RotationMethod rotation) override;
    std::size_t node_count() const override { return velocities_.size(); }
    Node node(std::size_t i) const override;
    void correct(double h, std::span<const Twist> change) override;
    void displace(std::span<const Twist> change) override;
    Motion motion() const override { return {}; }
    Vec3 point_velocity(std::size_t i) const override { return velocities_[i]; }

    const PointSet& points() const override { return points_; }
    std::size_t node_of_point(std::size_t point) const override { return point; }
    const SignedDistance* distance() const override { return nullptr; }
    Transform pose() const override { return {}; }
    Box3 bounds() const override;
    Vec3 common_velocity() const override { return {}; }
    double speed_spread() const override;
    double size() const override;
    double thickness() const override { return points_.radius; }

    double kinetic_energy() const override;
    double gravity_energy(const Vec3& gravity) const override;
    Vec3 moment_of_momentum() const override;
    StepWork step_work() const override { return work_; }
    Vec3 momentum() const override;
    bool is_finite() const override;
    void visit_state(StateVisitor& v) override;
    bool is_consistent() const;  ///< of a state that was restored

    std::span<const Vec3> positions() const { return points_.positions; }
    std::span<const Vec3> velocities() const { return velocities_; }
    double mass() const { return mass_ * static_cast<double>(velocities_.size()); }
    double radius() const { return points_.radius; }
    // As those of DeformableBody.
    std::vector<Vec3>& position_memory() { return points_.positions; }
    std::vector<Vec3>& velocity_memory() { return velocities_; }
    void move_by(const Vec3& offset);
    void set_velocity(const Vec3& velocity);
    void add_force(const Vec3& force) { force_ += force; }  ///< in all, shared equally
    void apply_impulse(const Vec3& impulse);                ///< in all, shared equally
    void apply_impulse(std::uint32_t particle, const Vec3& impulse) {
        velocities_[particle] += impulse / mass_;
    }

private:
    PointSet points_;  ///< no tree: particles move apart
    std::vector<Vec3> velocities_;
    double mass_, drag_;
    Vec3 force_{};
    std::vector<Vec3> next_velocities_;
    Vec3 gravity_{};  ///< of the step under way
    StepWork work_{};
};

}  // namespace plush
