#include "bodies/rigid/kinematic_body.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "geometry/shapes/shape_data.hpp"

// A prescribed motion enters contact by the velocity that carries the body from its pose at the start of the
// step to that at its end: contacts then see exactly the displacement that will happen, and not a derivative
// of it.

namespace plush {

void visit_state(StateVisitor& v, Keyframe& k) {
    v(k.time, k.position, k.rotation, k.easing);
}

KinematicBody::KinematicBody(Shape shape, const Transform& pose, std::vector<Keyframe> keyframes, bool loop)
    : shape_(std::move(shape)), radius_(0), keyframes_(std::move(keyframes)), loop_(loop), pose_(pose) {
    for (const Vec3& p : shape_.data().points.positions) radius_ = std::max(radius_, norm(p));
    if (moves()) pose_ = pose_at(keyframes_, loop_, 0);
}

namespace {

/// How much of the way is done after the part t of its time.
double eased(double t, Easing easing) {
    switch (easing) {
        case Easing::linear:
            break;
        case Easing::ease_in:
            return t * t;
        case Easing::ease_out:
            return t * (2 - t);
        case Easing::smooth:
            return t * t * (3 - 2 * t);
    }
    return t;
}

}  // namespace

Transform pose_at(std::span<const Keyframe> keyframes, bool loop, double time) {
    PLUSH_ASSERT(!keyframes.empty());
    const double first = keyframes.front().time, last = keyframes.back().time;
    if (loop && last > first) time = first + std::fmod(std::max(time - first, 0.0), last - first);
    const auto after = std::upper_bound(keyframes.begin(), keyframes.end(), time,
                                        [](double t, const Keyframe& k) { return t < k.time; });
    if (after == keyframes.begin()) return {after->position, after->rotation};
    const Keyframe& a = *(after - 1);
    if (after == keyframes.end()) return {a.position, a.rotation};
    const double t = eased((time - a.time) / (after->time - a.time), after->easing);
    return {a.position + t * (after->position - a.position), slerp(a.rotation, after->rotation, t)};
}

void KinematicBody::predict(double h, const Vec3&, RotationMethod) {
    if (!moves()) return;
    PLUSH_ASSERT(h > 0);
    next_pose_ = pose_at(keyframes_, loop_, time_ + h);
    velocity_.linear = (next_pose_.position - pose_.position) / h;
    velocity_.angular = log_rotation(next_pose_.rotation * conjugate(pose_.rotation)) / h;
}

PathPoint KinematicBody::path(double time) const {
    if (!moves()) return {pose_, {pose_.position, {}}};
    const Vec3 position = pose_.position + time * velocity_.linear;
    return {{position, normalised(exp_rotation(time * velocity_.angular) * pose_.rotation)},
            {position, velocity_}};
}

void KinematicBody::correct(double h, std::span<const Twist>) {
    time_ += h;
    if (moves()) pose_ = next_pose_;
}

bool KinematicBody::at_rest() const {
    if (!moves()) return true;
    const bool ended = !loop_ && time_ >= keyframes_.back().time;
    return ended && velocity_.linear == Vec3{} && velocity_.angular == Vec3{};
}

const PointSet& KinematicBody::points() const {
    return shape_.data().points;
}

const ExactShape* KinematicBody::exact_shape() const {
    const auto& exact = shape_.data().exact;
    return exact ? &*exact : nullptr;
}

Box3 KinematicBody::bounds() const {
    const Box3 local = shape_.bounds();
    if (!shape_.bounded()) return local;
    Box3 box;
    for (int corner = 0; corner < 8; ++corner)
        box.add(pose_ * Vec3{corner & 1 ? local.high.x : local.low.x, corner & 2 ? local.high.y : local.low.y,
                             corner & 4 ? local.high.z : local.low.z});
    return box;
}

void KinematicBody::set_keyframes(std::vector<Keyframe> keyframes, bool loop) {
    keyframes_ = std::move(keyframes);
    loop_ = loop;
    if (!moves()) velocity_ = {};
}

void KinematicBody::visit_state(StateVisitor& v) {
    v(time_, pose_, velocity_.linear, velocity_.angular, keyframes_, loop_);
}

}  // namespace plush
