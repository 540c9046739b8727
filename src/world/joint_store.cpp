#include "world/joint_store.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "contact/derived.hpp"
#include "core/range_check.hpp"
#include "core/tuning.hpp"

namespace plush {

static void visit_state(StateVisitor& v, Joint& j) {
    v(j.limits.low, j.limits.high, j.motor.speed, j.motor.position, j.motor.max_force, j.spring.stiffness,
      j.spring.damping, j.spring.rest, j.position, j.active, j.force, j.torque, j.gain);
}

namespace {

constexpr std::uint32_t none = JointRecord::none;

[[noreturn]] void refuse(std::string place, std::string problem, std::string cure) {
    throw Error({.place = std::move(place), .problem = std::move(problem), .cure = std::move(cure)});
}

template <class Settings>
void require_ranges(const Settings& settings) {
    if (const auto in_range = check_ranges(settings); !in_range) throw in_range.error();
}

/// Whether what was restored may be set.
bool is_sound(const Joint& j, const Joint& before) {
    const bool ordered = !j.limits.low || !j.limits.high || *j.limits.low <= *j.limits.high;
    return ordered && check_ranges(j.limits).ok() && check_ranges(j.motor).ok() &&
           check_ranges(j.spring).ok() && j.spring.rest.has_value() == before.spring.rest.has_value() &&
           is_finite(j.force) && is_finite(j.torque);
}

void require_order(const JointLimits& limits) {
    if (limits.low && limits.high && *limits.low > *limits.high)
        refuse("limits", fmt::format("low is {} and high is {}", *limits.low, *limits.high),
               "give a low limit that is not above the high one");
}

/// A frame at `anchor` with its x along `axis`.
Transform frame_along(const Vec3& anchor, const Vec3& axis) {
    if (!(norm(axis) > 1e-9))
        refuse("axis", "it has no direction", "give a vector that is not zero, such as [0, 0, 1]");
    const Vec3 x = axis / norm(axis), y = perpendicular(x);
    return {anchor, to_quaternion(Mat3::columns(x, y, cross(x, y)))};
}

/// Where each kind is on a and on b, in the world, and what it has of its own.
struct PlacedJoint {
    Transform a, b;
    Joint joint;
    std::optional<double> length{};
};

PlacedJoint place(const BallJoint& s) {
    if (s.spring.rest)
        refuse("spring.rest", "the spring of a ball joint has no rest of its own",
               "leave it out: the spring pulls both bodies back to how they are turned now");
    PlacedJoint placed{frame_along(s.anchor, s.axis), frame_along(s.anchor, s.axis), {}};
    placed.joint.kind = JointKind::ball;
    placed.joint.limits.high = s.cone;
    placed.joint.spring = s.spring;
    return placed;
}
template <class Axial>
PlacedJoint place_axial(const Axial& s, JointKind kind) {
    PlacedJoint placed{frame_along(s.anchor, s.axis), frame_along(s.anchor, s.axis), {}};
    placed.joint.kind = kind;
    placed.joint.limits = s.limits, placed.joint.motor = s.motor, placed.joint.spring = s.spring;
    return placed;
}
PlacedJoint place(const HingeJoint& s) {
    return place_axial(s, JointKind::hinge);
}
PlacedJoint place(const SliderJoint& s) {
    return place_axial(s, JointKind::slider);
}
PlacedJoint place(const FixedJoint& s) {
    PlacedJoint placed{{s.anchor, {}}, {s.anchor, {}}, {}};
    placed.joint.kind = JointKind::fixed;
    return placed;
}
PlacedJoint place(const DistanceJoint& s) {
    PlacedJoint placed{{s.anchor_a, {}}, {s.anchor_b, {}}, {}, s.length};
    placed.joint.kind = JointKind::distance;
    placed.joint.limits = s.limits, placed.joint.motor = s.motor, placed.joint.spring = s.spring;
    return placed;
}
PlacedJoint place(const RopeJoint& s) {
    PlacedJoint placed{{s.anchor_a, {}}, {s.anchor_b, {}}, {}, s.length};
    placed.joint.kind = JointKind::rope;
    return placed;
}

bool takes_vertices(JointKind kind) {
    return kind == JointKind::ball || kind == JointKind::distance || kind == JointKind::rope;
}

bool has_drive(JointKind kind) {
    return kind == JointKind::hinge || kind == JointKind::slider || kind == JointKind::distance;
}

}  // namespace

// -- adding and removing

const JointRecord& JointStore::record(JointId id) const {
    const std::uint32_t index = id.index - 1;
    if (id.index >= 1 && index < records_.size() && records_[index].alive &&
        records_[index].generation == id.generation)
        return records_[index];
    throw Error({.place = fmt::format("joint {}.{}", id.index, id.generation),
                 .problem = "there is no such joint in this world",
                 .cure = "use a name that add() returned; removing a body removes its joints"});
}

JointRecord& JointStore::record(JointId id) {
    return const_cast<JointRecord&>(std::as_const(*this).record(id));
}

void JointStore::require_end(const JointEnd& end, JointKind kind) const {
    const std::uint32_t index = bodies_.index_of(end.body);
    const BodyRecord& record = bodies_[index];
    const std::string place =
        record.name.empty() ? "joint" : fmt::format("joint at body \"{}\"", record.name);
    if (record.kind == BodyKind::particles)
        refuse(place, "particles cannot be jointed", "take a rigid body or a vertex of a deformable one");
    if (record.kind != BodyKind::deformable) {
        if (end.vertex)
            refuse(place, fmt::format("the body is {} and has no vertices to joint", to_word(record.kind)),
                   "leave the vertex out");
        return;
    }
    const std::size_t count = record.deformable().positions().size();
    if (!end.vertex)
        refuse(place, "a deformable body is jointed by one of its vertices",
               fmt::format("name a vertex from 0 to {}", count - 1));
    if (*end.vertex >= count)
        refuse(place, fmt::format("there is no vertex {}", *end.vertex),
               fmt::format("take one from 0 to {}", count - 1));
    if (!takes_vertices(kind))
        refuse(place, "a vertex has no direction that this joint could hold",
               "take a ball, distance or rope joint, or attach several vertices to a rigid body");
    const auto pins = record.deformable().pins();
    if (!pins.empty() && pins[*end.vertex])
        refuse(place, fmt::format("vertex {} is pinned", *end.vertex), "unpin it, or joint another one");
    if (attachments_.any_to_dynamic(index))
        refuse(place, "vertices of this body are attached to a rigid body, and it is solved with that one",
               "joint those vertices as well, instead of attaching them");
}

template <class Settings>
JointId JointStore::add(const Settings& wanted, const JointEnd& a, const JointEnd& b) {
    require_ranges(wanted);
    PlacedJoint placed = place(wanted);
    const JointKind kind = placed.joint.kind;
    require_end(a, kind);
    if (b.body) require_end(b, kind);
    if (b.vertex && !b.body) refuse("joint", "the world has no vertices", "name a body for b");
    JointRecord fresh;
    fresh.a = {bodies_.index_of(a.body), a.vertex.value_or(none)};
    fresh.b = {b.body ? bodies_.index_of(b.body) : none, b.vertex.value_or(none)};
    if (fresh.a.body == fresh.b.body && (!a.vertex || a.vertex == b.vertex))
        refuse("joint", "a joint needs two different bodies", "leave b out for the world");
    if (!bodies_[fresh.a.body].dynamic() && (fresh.b.body == none || !bodies_[fresh.b.body].dynamic()))
        refuse("joint", "neither side of the joint can move freely", "joint at least one rigid body");
    if (kind == JointKind::ball && (a.vertex || b.vertex) &&
        (placed.joint.limits.high || placed.joint.spring.stiffness > 0 || placed.joint.spring.damping > 0))
        refuse("joint", "a vertex has no direction that a cone or a spring could bend",
               "leave cone and spring out");
    require_order(placed.joint.limits);

    fresh.collide = wanted.collide;
    Joint& joint = fresh.joint = placed.joint;
    if (kind == JointKind::ball && a.vertex) placed.b.position = pose_of(fresh.a).position;
    if (kind == JointKind::ball && b.vertex) placed.a.position = pose_of(fresh.b).position;
    // A vertex is an anchor of its own, which turns with nothing.
    const auto local = [&](const JointRecord::End& end, const Transform& at) {
        if (end.vertex != none) return Transform{};
        return end.body == none ? at : inverse(bodies_[end.body].body->pose()) * at;
    };
    joint.frame_a = local(fresh.a, placed.a);
    joint.frame_b = local(fresh.b, placed.b);
    joint.position = joint_coordinate(joint, frames_now(fresh));
    joint.length = placed.length.value_or(joint.position);
    if (kind == JointKind::rope) joint.limits.high = joint.length;
    if (!joint.spring.rest) joint.spring.rest = joint.position;
    return insert(fresh);
}

template JointId JointStore::add(const BallJoint&, const JointEnd&, const JointEnd&);
template JointId JointStore::add(const HingeJoint&, const JointEnd&, const JointEnd&);
template JointId JointStore::add(const SliderJoint&, const JointEnd&, const JointEnd&);
template JointId JointStore::add(const FixedJoint&, const JointEnd&, const JointEnd&);
template JointId JointStore::add(const DistanceJoint&, const JointEnd&, const JointEnd&);
template JointId JointStore::add(const RopeJoint&, const JointEnd&, const JointEnd&);

JointId JointStore::insert(JointRecord fresh) {
    std::uint32_t index = 0;
    while (index < records_.size() && records_[index].alive) ++index;
    if (index == records_.size()) records_.emplace_back();
    fresh.alive = true;
    fresh.generation = records_[index].generation + 1;
    PLUSH_ASSERT(fresh.a.body != none && fresh.a.body < bodies_.size());
    records_[index] = fresh;
    keep_apart(fresh, true);
    for (const auto& end : {fresh.a, fresh.b})
        if (end.body != none) bodies_.mark_changed(bodies_[end.body]);
    return {index + 1, fresh.generation};
}

void JointStore::remove(JointId joint) {
    JointRecord& removed = record(joint);
    removed.alive = false;
    keep_apart(removed, false);
    for (const auto& end : {removed.a, removed.b})
        if (end.body != none) bodies_.mark_changed(bodies_[end.body]);
}

void JointStore::keep_apart(const JointRecord& joint, bool apart) {
    if (joint.b.body != none && !joint.collide) rules_.set_jointed(joint.a.body, joint.b.body, apart);
}

void JointStore::forget_body(std::uint32_t body) {
    for (JointRecord& joint : records_) {
        if (!joint.alive || (joint.a.body != body && joint.b.body != body)) continue;
        joint.alive = false;
        keep_apart(joint, false);
        for (const auto& end : {joint.a, joint.b})
            if (end.body != body && end.body != none) bodies_.mark_changed(bodies_[end.body]);
    }
}

bool JointStore::holds_vertex_of(std::uint32_t body) const {
    return std::any_of(records_.begin(), records_.end(), [&](const JointRecord& joint) {
        return joint.alive && (joint.a.body == body || joint.b.body == body);
    });
}

void JointStore::visit_state(StateVisitor& v) {
    const bool reads = dynamic_cast<const StateReader*>(&v) != nullptr;
    for (JointRecord& joint : records_) {
        if (!joint.alive) continue;
        const Joint before = joint.joint;
        plush::visit_state(v, joint.joint);
        if (reads && !is_sound(joint.joint, before)) joint.joint = before;  // of a damaged snapshot
    }
}

void JointStore::visit_joints(StateVisitor& v) {
    const std::size_t n = v.length(records_.size(), 1);
    const bool reads = n != records_.size();
    if (reads) records_.resize(n);
    for (JointRecord& r : records_) {
        std::uint8_t alive = r.alive, collide = r.collide;
        Joint& j = r.joint;
        v(alive, r.generation, r.a.body, r.a.vertex, r.b.body, r.b.vertex, collide);
        v(j.kind, j.frame_a, j.frame_b, j.length);
        r.alive = alive != 0, r.collide = collide != 0;
        plush::visit_state(v, j);
    }
    if (!reads) return;
    require_sound(false);  // a cut may have given bodies more vertices, which come with their state
    for (const JointRecord& r : records_)
        if (r.alive) keep_apart(r, true);
}

void JointStore::require_sound(bool vertices) const {
    const auto sound = [&](const JointRecord::End& end) {
        if (end.body == none) return end.vertex == none;  // the world
        if (end.body >= bodies_.size() || !bodies_[end.body].body) return false;
        const BodyRecord& body = bodies_[end.body];
        if (!body.is_deformable()) return body.kind != BodyKind::particles && end.vertex == none;
        return !vertices || end.vertex < body.deformable().positions().size();
    };
    const auto finite = [](const Transform& t) {
        return is_finite(t.position) &&
               std::isfinite(t.rotation.w + t.rotation.x + t.rotation.y + t.rotation.z);
    };
    for (const JointRecord& r : records_)
        if (r.alive && !(r.a.body != none && sound(r.a) && sound(r.b) && r.joint.kind <= JointKind::rope &&
                         finite(r.joint.frame_a) && finite(r.joint.frame_b) && std::isfinite(r.joint.length)))
            refuse("a joint", "it holds on to what is not there", "save the world again");
}

// -- reading and driving

std::vector<JointId> JointStore::ids() const {
    std::vector<JointId> ids;
    for (std::uint32_t k = 0; k < records_.size(); ++k)
        if (records_[k].alive) ids.push_back({k + 1, records_[k].generation});
    return ids;
}

Transform JointStore::pose_of(const JointRecord::End& end) const {
    if (end.body == none) return {};
    const BodyRecord& body = bodies_[end.body];
    if (end.vertex == none) return body.body->pose();
    PLUSH_ASSERT(end.vertex < body.deformable().positions().size());
    return {body.deformable().positions()[end.vertex], {}};
}

JointFrames JointStore::frames_now(const JointRecord& joint) const {
    return joint_frames(joint.joint, pose_of(joint.a), pose_of(joint.b));
}

double JointStore::gap(JointId id) const {
    const JointRecord& joint = record(id);
    const JointFrames at = frames_now(joint);
    if (joint.joint.kind == JointKind::rope)
        return std::max(0.0, joint_coordinate(joint.joint, at) - joint.joint.length);
    if (joint.joint.kind == JointKind::distance && is_driven(joint.joint)) return 0;
    return norm(joint_value(joint.joint, JointRole::point, at));
}

double JointStore::position(JointId id) const {
    const JointRecord& joint = record(id);
    return joint_coordinate(joint.joint, frames_now(joint));
}

// By a difference over a time too short for anything to bend, and long enough for rounding.
double JointStore::speed(JointId id) const {
    const JointRecord& joint = record(id);
    const double dt = 1e-6 * settings_.step;
    const auto moved = [&](const JointRecord::End& end, double t) -> Transform {
        if (end.body == none) return {};
        const BodyRecord& body = bodies_[end.body];
        if (end.vertex != none)
            return {
                body.deformable().positions()[end.vertex] + t * body.deformable().velocities()[end.vertex],
                {}};
        const Transform pose = body.body->pose();
        const Motion motion = body.body->motion();
        return {pose.position + t * motion.at(pose.position),
                exp_rotation(t * motion.twist.angular) * pose.rotation};
    };
    const auto at = [&](double t) {
        return joint_coordinate(joint.joint, joint_frames(joint.joint, moved(joint.a, t), moved(joint.b, t)));
    };
    return (at(dt) - at(-dt)) / (2 * dt);
}

JointRecord& JointStore::record_with_drive(JointId id, const char* what) {
    JointRecord& joint = record(id);
    if (!has_drive(joint.joint.kind))
        refuse(what, "this joint has none", "take a hinge, a slider or a distance joint");
    return joint;
}

void JointStore::set_motor(JointId id, const JointMotor& motor) {
    JointRecord& joint = record_with_drive(id, "motor");
    require_ranges(motor);
    joint.joint.motor = motor;
    mark_ends_changed(joint);
}

void JointStore::set_limits(JointId id, const JointLimits& limits) {
    JointRecord& joint = record_with_drive(id, "limits");
    require_ranges(limits);
    require_order(limits);
    joint.joint.limits = limits;
    mark_ends_changed(joint);
}

void JointStore::set_spring(JointId id, const JointSpring& spring) {
    JointRecord& joint = record_with_drive(id, "spring");
    require_ranges(spring);
    const double rest = spring.rest.value_or(*joint.joint.spring.rest);
    joint.joint.spring = spring;
    joint.joint.spring.rest = rest;
    mark_ends_changed(joint);
}

void JointStore::mark_ends_changed(const JointRecord& joint) {
    for (const auto& end : {joint.a, joint.b})
        if (end.body != none && bodies_[end.body].dynamic()) bodies_.mark_changed(bodies_[end.body]);
}

void JointStore::set_levers() {
    for (JointRecord& joint : records_) {
        if (!joint.alive) continue;
        double size = HUGE_VAL;
        for (const auto& end : {joint.a, joint.b})
            if (end.body != none) size = std::min(size, bodies_[end.body].size);
        joint.joint.lever = derived(tuning::derived_lever, size, norm(settings_.gravity));
    }
}

bool JointStore::drives(const JointRecord& joint) const {
    const JointMotor& motor = joint.joint.motor;
    if (!motor.speed && !motor.position) return false;
    const double now = joint_coordinate(joint.joint, frames_now(joint));
    const auto arrived = [&](std::optional<double> at) {
        return at && std::abs(*at - now) <= tuning::joint_slack * gap_unit(joint.joint, JointRole::motor);
    };
    if (motor.position) return !arrived(motor.position);
    return *motor.speed != 0 && !arrived(*motor.speed > 0 ? joint.joint.limits.high : joint.joint.limits.low);
}

}  // namespace plush
