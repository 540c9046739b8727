#include "world/sleep.hpp"

#include <algorithm>
#include <numeric>

namespace plush {

void Sleep::wake_touched() {
    bool woken = true;
    const auto wake_other = [&](std::uint32_t i, std::uint32_t j) {
        for (auto [from, to] : {std::pair{i, j}, std::pair{j, i}}) {
            const BodyRecord& other = bodies_[to];
            if (!bodies_[from].moving() || !other.dynamic() || !other.asleep || other.frozen) continue;
            bodies_[to].wake();
            woken = true;
        }
    };
    while (woken) {
        woken = false;
        for (const ContactModel* model : models_.all()) model->each_linked_pair(wake_other);
        // Contacts of deformable bodies that move are found later: what they touched when the last step ended is state.
        for (const auto& [i, j] : events_.touching())
            if (surfaces_.any_soft(i, j)) wake_other(i, j);
        for (const JointRecord& joint : joints_.records())
            if (joint.alive && joint.b.body != JointRecord::none) wake_other(joint.a.body, joint.b.body);
        deformables_.each_linked_pair(wake_other);
    }
}

// What rested on a body that leaves or moves may now hang in the air. The pairs that touched are state: they are known even
// where the contacts have not been found again since a restore.
void Sleep::wake_neighbours(std::uint32_t body) {
    const auto wake = [&](std::uint32_t i, std::uint32_t j) {
        if (i != body && j != body) return;
        for (const std::uint32_t k : {i, j})
            if (bodies_[k].dynamic()) bodies_.mark_changed(bodies_[k]);
    };
    for (const ContactModel* model : models_.all()) model->each_linked_pair(wake);
    for (const auto& [i, j] : events_.touching()) wake(i, j);
}

/// Whether all that touches or moves a deformable body does so by volume contact or joints.
bool Sleep::may_sleep(std::uint32_t body) const {
    if (settings_.contact.method == ContactMethod::automatic && !rules_.prefers_volume(body)) return false;
    const BodyRecord& record = bodies_[body];
    return !record.parts.scripted && surfaces_.soft(body) && record.parts.surface->obstacles().empty() &&
           record.deformable().pins().empty() && attachments_.of(body).empty() &&
           record.parts.force_fields.empty() && record.deformable().settings().drag == 0;
}

namespace {

/// Points that tell where a body is: all vertices, or the centre of a rigid body and a point along each of its axes.
std::vector<Vec3> places(const BodyRecord& record) {
    if (record.kind == BodyKind::deformable) {
        const auto x = record.deformable().positions();
        return {x.begin(), x.end()};
    }
    if (record.kind == BodyKind::particles) {
        const auto x = record.particles().positions();
        return {x.begin(), x.end()};
    }
    const RigidBody& body = record.rigid();
    const Mat3 axes = to_matrix(body.pose().rotation);
    std::vector<Vec3> points{body.centre()};
    for (std::size_t k = 0; k < 3; ++k) points.push_back(body.centre() + body.size() * axes.column(k));
    return points;
}

}  // namespace

void stop_motion(const BodyRecord& record) {
    if (record.kind == BodyKind::rigid) record.rigid().set_velocity({}, {});
    if (record.kind == BodyKind::particles) record.particles().set_velocity({});
    if (record.kind == BodyKind::deformable) record.deformable().set_velocity({});
}

/// For each body the shortest time that a body of its island has been slow, s. Bodies that touch or are joined are an
/// island; kinematic ones join nothing, but a moving one keeps awake. An island that nothing supports sleeps only where it does
/// not move at all.
std::vector<double> Sleep::quiet_times_of_islands() const {
    std::vector<std::uint32_t> parent(bodies_.size());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    };
    std::vector<double> least(bodies_.size(), HUGE_VAL);
    std::vector<char> supported(bodies_.size());
    const auto link = [&](std::uint32_t i, std::uint32_t j) {
        const BodyRecord &a = bodies_[i], &b = bodies_[j];
        if (!a.is_given() && b.is_given() && b.moving()) least[i] = 0;
        if (!b.is_given() && a.is_given() && a.moving()) least[j] = 0;
        if (b.is_given() || b.asleep) supported[i] = 1;
        if (a.is_given() || a.asleep) supported[j] = 1;
        if (a.is_given() || b.is_given()) return;
        const std::uint32_t first = root(i), second = root(j);
        parent[std::max(first, second)] = std::min(first, second);
    };
    const auto link_contact = [&](std::uint32_t i, std::uint32_t j) {
        if (!bodies_[i].sensor && !bodies_[j].sensor) link(i, j);
    };
    for (const ContactModel* model : models_.all()) model->each_linked_pair(link_contact);
    for (const JointRecord& joint : joints_.records()) {
        if (!joint.alive) continue;
        if (joint.b.body != JointRecord::none)
            link(joint.a.body, joint.b.body);
        else
            supported[joint.a.body] = 1;
        if (!joints_.drives(joint)) continue;
        for (const auto& end : {joint.a, joint.b})
            if (end.body != JointRecord::none && bodies_[end.body].dynamic()) least[end.body] = 0;
    }
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        for (const Attachment& a : attachments_.of(i)) link(i, a.to);
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (supported[i]) supported[root(i)] = 1;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].awake() && !supported[root(i)] && bodies_[i].body->speed_bound() > 0)
            least[root(i)] = 0;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].awake()) {
            double& island = least[root(i)];
            island = std::min({island, bodies_[i].quiet_time, least[i]});
        }
    std::vector<double> times(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) times[i] = least[root(i)];
    return times;
}

// What rests trembles about a place. What drifts, rolls or slides on, however slowly, travels: it is farther from where it was
// than trembling would take it, and does not become slower.
bool Sleep::travels(const BodyRecord& record, double slow) const {
    constexpr double directed = 0.5;  // of the path that leads somewhere
    constexpr double decayed = 0.5;   // of the speed that is left of a motion that ends
    constexpr double stillness =
        1e-4;  // of the sleeping speed: by default a millimetre in a quarter of an hour
    if (record.quiet_path <= stillness * slow * record.quiet_time) return false;
    if (record.body->speed_bound() <= decayed * record.quiet_speed) return false;
    const std::vector<Vec3> now = places(record);
    double way = 0;
    for (std::size_t k = 0; k < now.size() && k < record.quiet_from.size(); ++k)
        way = std::max(way, norm(now[k] - record.quiet_from[k]));
    return way > directed * record.quiet_path;
}

// A body counts as slow by the speed of its fastest point, so that long things that tip are not stopped.
void Sleep::watch(BodyRecord& record, double slow, double h) const {
    const double speed = record.body->speed_bound();
    if (!(speed < slow)) {
        record.quiet_time = 0;
        return;
    }
    if (record.quiet_time == 0) {
        record.quiet_from = places(record);
        record.quiet_path = 0;
        record.quiet_speed = speed;
    }
    record.quiet_time += h;
    record.quiet_path += h * speed;
    if (record.quiet_time >= settings_.sleep.after && travels(record, slow)) record.quiet_time = 0;
}

void Sleep::update(double h) {
    if (!settings_.sleep.enabled) return;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        BodyRecord& record = bodies_[i];
        // What touches by volume is woken by what it touches. Other deformable bodies stay awake: nothing tells them that
        // what they lean on has moved.
        if (!record.awake() || (record.kind == BodyKind::deformable && !may_sleep(i))) continue;
        watch(record, rules_.sleep_speed(i), h);
    }
    const std::vector<double> quiet = quiet_times_of_islands();
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        BodyRecord& record = bodies_[i];
        if (!record.awake() || quiet[i] < settings_.sleep.after) continue;
        record.asleep = true;
        record.quiet_from = {};
        stop_motion(record);
    }
}

}  // namespace plush
