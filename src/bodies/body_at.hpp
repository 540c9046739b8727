#pragma once

#include "bodies/body.hpp"
#include "core/assert.hpp"

namespace plush {

/// The surface of a body where it is at another moment of the step: for detection, which asks nothing else of it.
class BodyAt final : public Body {
public:
    BodyAt(const Body& body, const PathPoint& place) : body_(&body), place_(place) {}

    Motion motion() const override { return place_.motion; }
    const PointSet& points() const override { return body_->points(); }
    const ExactShape* exact_shape() const override { return body_->exact_shape(); }
    const SignedDistance* distance() const override { return body_->distance(); }
    Transform pose() const override { return place_.pose; }
    Vec3 common_velocity() const override { return place_.motion.twist.linear; }
    double speed_spread() const override { return body_->speed_spread(); }
    double size() const override { return body_->size(); }
    double thickness() const override { return body_->thickness(); }
    bool is_finite() const override { return body_->is_finite(); }

    // It does not move.
    void predict(double, const Vec3&, RotationMethod) override { PLUSH_ASSERT(false); }
    void correct(double, std::span<const Twist>) override { PLUSH_ASSERT(false); }
    void displace(std::span<const Twist>) override { PLUSH_ASSERT(false); }
    void visit_state(StateVisitor&) override { PLUSH_ASSERT(false); }
    std::size_t node_count() const override { return 0; }
    Node node(std::size_t) const override { return {}; }
    Box3 bounds() const override { return body_->bounds(); }
    double kinetic_energy() const override { return 0; }
    double gravity_energy(const Vec3&) const override { return 0; }
    Vec3 momentum() const override { return {}; }
    Vec3 moment_of_momentum() const override { return {}; }

private:
    const Body* body_;
    PathPoint place_;
};

}  // namespace plush
