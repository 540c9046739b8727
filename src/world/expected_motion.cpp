#include "world/expected_motion.hpp"

#include <algorithm>

namespace plush {

template <>
inline constexpr bool is_plain_state<Twist> = true;

void ExpectedMotion::update(const StepContext& step, std::span<const std::uint32_t> deformable) {
    PLUSH_ASSERT(step.h > 0);
    of_body_.fit(bodies_.size());
    step.parallel.each(deformable.size(), 1, [&](std::size_t n) {
        const BodyRecord& record = bodies_[deformable[n]];
        if (record.asleep) return;
        Expected& own = of_body_[deformable[n]];
        const MotionState& next = record.deformable().after();
        PLUSH_ASSERT(next.x.size() == next.v.size());
        own.positions = next.x, own.velocities = next.v;
        if (own.change.size() != next.x.size()) return;
        const double part = record.deformable().position_factor(step.h);
        for (std::size_t k = 0; k < next.x.size(); ++k) {
            const Vec3 change = own.persistence * own.change[k].linear;
            own.velocities[k] += change, own.positions[k] += part * change;
        }
    });
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!record.body) continue;
        Expected& own = of_body_[i];
        own.rigid = persistent_change(i);
        Transform& pose = own.pose;
        pose = record.kind == BodyKind::scripted ? record.kinematic().next_pose() : record.body->pose();
        if (record.awake() && record.kind == BodyKind::rigid) pose = record.rigid().pose_after(own.rigid);
    }
}

Twist ExpectedMotion::persistent_change(std::uint32_t body) const {
    const Expected& own = of_body_[body];
    if (own.change.size() != 1) return {};
    PLUSH_ASSERT(own.persistence >= 0 && own.persistence <= 1);
    return {own.persistence * own.change[0].linear, own.persistence * own.change[0].angular};
}

void ExpectedMotion::follow(const StepContext& step, std::uint32_t body, std::span<const Twist> change) {
    const BodyRecord& record = bodies_[body];
    Expected& own = of_body_[body];
    if (record.kind == BodyKind::deformable) {
        const MotionState& next = record.deformable().after();
        PLUSH_ASSERT(change.empty() || change.size() == next.x.size());
        const double part = record.deformable().position_factor(step.h);
        own.positions = next.x, own.velocities = next.v;
        for (std::size_t k = 0; k < change.size(); ++k) {
            own.velocities[k] += change[k].linear;
            own.positions[k] += part * change[k].linear;
        }
    } else if (record.kind == BodyKind::rigid) {
        own.rigid = change.empty() ? Twist{} : change[0];
        own.pose = record.rigid().pose_after(own.rigid);
    }
}

void ExpectedMotion::record_contact_change(std::uint32_t body, std::span<const Twist> change) {
    const BodyRecord& record = bodies_[body];
    Expected& own = of_body_[body];
    const auto mass = [&](std::size_t k) {
        return record.kind == BodyKind::deformable ? record.deformable().masses()[k] : 1.0;
    };
    PLUSH_ASSERT(change.empty() || change.size() == record.body->node_count());
    double both = 0, square = 0;
    const bool known = own.change.size() == change.size();
    for (std::size_t k = 0; k < change.size(); ++k) {
        square += mass(k) * norm2(change[k].linear);
        if (known) both += mass(k) * dot(change[k].linear, own.change[k].linear);
    }
    own.persistence = square > 0 ? std::clamp(both / square, 0.0, 1.0) : 0.0;
    own.change.assign(change.begin(), change.end());
}

void ExpectedMotion::forget_contact_change(std::uint32_t body) {
    of_body_.at(body).change.clear();
    of_body_.at(body).persistence = 0;
}

void ExpectedMotion::visit_state(StateVisitor& v) {
    of_body_.fit(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].body) v(of_body_[i].change, of_body_[i].persistence);
}

bool ExpectedMotion::is_consistent() const {
    constexpr double most = 1e9;  // m/s; what a step itself leaves is less (step_checks.cpp)
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body) continue;
        const Expected& own = of_body_[i];
        if (!(own.persistence >= 0 && own.persistence <= 1)) return false;
        for (const Twist& t : own.change)
            if (!(norm2(t.linear) + norm2(t.angular) <= most * most)) return false;
    }
    return true;
}

}  // namespace plush
