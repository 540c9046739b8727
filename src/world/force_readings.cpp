#include "world/force_readings.hpp"

#include <algorithm>

#include "core/transcendental.hpp"

namespace plush {

static void visit_state(StateVisitor& v, ContactForce& f) {
    v(f.normal, f.friction, f.torque);
}
static void visit_state(StateVisitor& v, Wrench& w) {
    v(w.force, w.torque);
}
static void visit_state(StateVisitor& v, ForceReadings::Pair& p) {
    v(p.i, p.j, p.on_i, p.on_j);
}

namespace {

ContactForce operator*(double s, const ContactForce& f) {
    return {s * f.normal, s * f.friction, s * f.torque};
}
Wrench mixed(const Wrench& mean, const Wrench& now, double part) {
    return {mean.force + part * (now.force - mean.force), mean.torque + part * (now.torque - mean.torque)};
}
ContactForce mixed(const ContactForce& mean, const ContactForce& now, double part) {
    return (1 - part) * mean + part * now;
}

bool before(const ForceReadings::Pair& a, const ForceReadings::Pair& b) {
    return std::pair(a.i, a.j) < std::pair(b.i, b.j);
}

double size_of(const ForceReadings::Pair& p) {
    return norm(p.on_i.normal) + norm(p.on_i.friction);
}

}  // namespace

ContactForce operator+(const ContactForce& a, const ContactForce& b) {
    return {a.normal + b.normal, a.friction + b.friction, a.torque + b.torque};
}

std::vector<ForceReadings::Pair> ForceReadings::pairs(std::span<const Contact> contacts) const {
    std::vector<Pair> all;
    for (const Contact& c : contacts) {
        if (c.a == c.b) continue;  // what a body does to itself has no net force
        Pair pair;
        pair.i = bodies_.index_of(c.a), pair.j = bodies_.index_of(c.b);
        const Vec3 normal = c.normal_force * c.normal, force = normal + c.friction_force;
        pair.on_i = {normal, c.friction_force, cross(c.point - centre_of(bodies_[pair.i]), force)};
        pair.on_j = {-normal, -c.friction_force, cross(centre_of(bodies_[pair.j]) - c.point, force)};
        if (pair.i > pair.j) std::swap(pair.i, pair.j), std::swap(pair.on_i, pair.on_j);
        all.push_back(pair);
    }
    std::stable_sort(all.begin(), all.end(), before);
    std::vector<Pair> sums;
    for (const Pair& p : all) {
        if (sums.empty() || before(sums.back(), p))
            sums.push_back(p);
        else
            sums.back().on_i = sums.back().on_i + p.on_i, sums.back().on_j = sums.back().on_j + p.on_j;
    }
    return sums;
}

void ForceReadings::smooth(double time, std::span<const Contact> contacts, std::span<const Wrench> blades) {
    time_ = time;
    pairs_.clear(), of_joints_.clear(), of_blades_.clear();
    if (!smoothed()) return;
    pairs_ = pairs(contacts);
    of_blades_.assign(blades.begin(), blades.end());
    for (const JointRecord& joint : joints_.records())
        of_joints_.push_back(joint.alive ? Wrench{joint.joint.force, joint.joint.torque} : Wrench{});
}

void ForceReadings::update(double h, std::span<const Contact> contacts, std::span<const Wrench> blades) {
    if (!smoothed()) return;
    constexpr double forgotten = 1e-9;  // of the largest force: a pair that parted long ago
    const double part = 1 - pinned::exp(-h / time_);
    const std::vector<Pair> now = pairs(contacts);
    std::vector<Pair> next;
    double largest = 0;
    auto old = pairs_.begin();
    auto fresh = now.begin();
    while (old != pairs_.end() || fresh != now.end()) {
        const bool has_old = old != pairs_.end() && (fresh == now.end() || !before(*fresh, *old));
        const bool has_fresh = fresh != now.end() && (old == pairs_.end() || !before(*old, *fresh));
        Pair mean = has_old ? *old : *fresh;
        const ContactForce i = has_fresh ? fresh->on_i : ContactForce{};
        const ContactForce j = has_fresh ? fresh->on_j : ContactForce{};
        mean.on_i = mixed(has_old ? old->on_i : ContactForce{}, i, part);
        mean.on_j = mixed(has_old ? old->on_j : ContactForce{}, j, part);
        next.push_back(mean);
        largest = std::max(largest, size_of(mean));
        old += has_old, fresh += has_fresh;
    }
    std::erase_if(next, [&](const Pair& p) { return size_of(p) <= forgotten * largest; });
    pairs_ = std::move(next);
    of_blades_.resize(blades.size());
    for (std::size_t k = 0; k < blades.size(); ++k) of_blades_[k] = mixed(of_blades_[k], blades[k], part);
    const auto joints = joints_.records();
    of_joints_.resize(joints.size());
    for (std::size_t k = 0; k < joints.size(); ++k)
        of_joints_[k] = joints[k].alive
                            ? mixed(of_joints_[k], {joints[k].joint.force, joints[k].joint.torque}, part)
                            : Wrench{};
}

Wrench ForceReadings::mean_joint(std::uint32_t joint) const {
    return joint < of_joints_.size() ? of_joints_[joint] : Wrench{};
}

Wrench ForceReadings::mean_blade(std::uint32_t body) const {
    return body < of_blades_.size() ? of_blades_[body] : Wrench{};
}

void ForceReadings::forget_body(std::uint32_t body) {
    std::erase_if(pairs_, [&](const Pair& p) { return p.i == body || p.j == body; });
    if (body < of_blades_.size()) of_blades_[body] = {};
}

void ForceReadings::visit_state(StateVisitor& v) {
    v(time_, pairs_, of_joints_, of_blades_);
    if (dynamic_cast<StateReader*>(&v))  // of a damaged snapshot
        std::erase_if(pairs_, [&](const Pair& p) {
            return p.i >= bodies_.size() || p.j >= bodies_.size() || !bodies_[p.i].body || !bodies_[p.j].body;
        });
}

ContactForce sum_on(std::span<const ForceReadings::Pair> pairs, std::uint32_t body) {
    ContactForce sum;
    for (const ForceReadings::Pair& p : pairs) {
        if (p.i == body) sum = sum + p.on_i;
        if (p.j == body && p.i != body) sum = sum + p.on_j;
    }
    return sum;
}

ContactForce force_on(std::span<const ForceReadings::Pair> pairs, std::uint32_t body, std::uint32_t by) {
    for (const ForceReadings::Pair& p : pairs) {
        if (p.i == body && p.j == by) return p.on_i;
        if (p.j == body && p.i == by) return p.on_j;
    }
    return {};
}

}  // namespace plush
