#pragma once

#include "plush/geometry/sdf.hpp"
#include "plush/math/rotation.hpp"

namespace plush {

/// A distance where a body is. It refers to it.
class PosedDistance : public SignedDistance {
public:
    PosedDistance(const SignedDistance& shape, const Transform& pose)
        : shape_(shape), pose_(pose), back_(inverse(pose)) {}
    DistanceSample sample(const Vec3& p) const override {
        const DistanceSample s = shape_.sample(back_ * p);
        return {s.value, rotate(pose_.rotation, s.gradient)};
    }
    double value(const Vec3& p) const override { return shape_.value(back_ * p); }
    Exactness exactness() const override { return shape_.exactness(); }
    Box3 bounds() const override {
        const Vec3 all{HUGE_VAL, HUGE_VAL, HUGE_VAL};
        return {-all, all};
    }
    double steepness() const override { return shape_.steepness(); }

private:
    const SignedDistance& shape_;
    Transform pose_, back_;
};

}  // namespace plush
