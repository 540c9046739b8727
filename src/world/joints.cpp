#include <fmt/format.h>

#include <algorithm>

#include "core/range_check.hpp"
#include "core/tuning.hpp"
#include "math/svd3.hpp"
#include "world/world_impl.hpp"

// The joints of a world: adding and reading them, and their part of the step.

namespace plush {
namespace {

[[noreturn]] void refuse(std::string place, std::string problem, std::string cure) {
    throw Error({.place = std::move(place), .problem = std::move(problem), .cure = std::move(cure)});
}

template <class Settings>
void require_ranges(const Settings& settings) {
    if (const auto in_range = check_ranges(settings); !in_range) throw in_range.error();
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

// Where each kind is on a and on b, in the world, and what it has of its own.
struct Made {
    Transform a, b;
    Joint joint;
};
Made make(const BallJoint& s) {
    if (s.spring.rest)
        refuse("spring.rest", "the spring of a ball joint has no rest of its own",
               "leave it out: the spring pulls both bodies back to how they are turned now");
    Made made{frame_along(s.anchor, s.axis), frame_along(s.anchor, s.axis), {}};
    made.joint.limits.high = s.cone;
    made.joint.spring = s.spring;
    return made;
}
template <class Axial>
Made make_axial(const Axial& s) {
    Made made{frame_along(s.anchor, s.axis), frame_along(s.anchor, s.axis), {}};
    made.joint.limits = s.limits, made.joint.motor = s.motor, made.joint.spring = s.spring;
    return made;
}
Made make(const HingeJoint& s) {
    return make_axial(s);
}
Made make(const SliderJoint& s) {
    return make_axial(s);
}
Made make(const FixedJoint& s) {
    return {{s.anchor, {}}, {s.anchor, {}}, {}};
}
Made make(const DistanceJoint& s) {
    Made made{{s.anchor_a, {}}, {s.anchor_b, {}}, {}};
    made.joint.limits = s.limits, made.joint.motor = s.motor, made.joint.spring = s.spring;
    return made;
}
Made make(const RopeJoint& s) {
    return {{s.anchor_a, {}}, {s.anchor_b, {}}, {}};
}

std::optional<double> length_of(const DistanceJoint& s) {
    return s.length;
}
std::optional<double> length_of(const RopeJoint& s) {
    return s.length;
}
template <class Other>
std::optional<double> length_of(const Other&) {
    return {};
}

bool takes_vertices(JointKind kind) {
    return kind == JointKind::ball || kind == JointKind::distance || kind == JointKind::rope;
}

bool has_drive(JointKind kind) {
    return kind == JointKind::hinge || kind == JointKind::slider || kind == JointKind::distance;
}

void require_drive(const JointSlot& slot, const char* what) {
    if (!has_drive(slot.joint.kind))
        refuse(what, "this joint has none", "take a hinge, a slider or a distance joint");
}

}  // namespace

// -- adding and removing --

JointSlot& World::Impl::joint(JointId id) {
    const std::uint32_t index = id.index - 1;
    if (id.index >= 1 && index < joints.size() && joints[index].alive &&
        joints[index].generation == id.generation)
        return joints[index];
    throw Error({.place = fmt::format("joint {}.{}", id.index, id.generation),
                 .problem = "there is no such joint in this world",
                 .cure = "use a name that add() returned; removing a body removes its joints"});
}

void World::Impl::require_end(const JointEnd& end, JointKind kind) const {
    const Slot& slot = slots[slot_of(end.body)];
    const std::string place = slot.name.empty() ? "joint" : fmt::format("joint at body \"{}\"", slot.name);
    if (slot.kind == BodyKind::particles)
        refuse(place, "particles cannot be jointed", "take a rigid body or a vertex of a deformable one");
    if (slot.kind != BodyKind::deformable) {
        if (end.vertex)
            refuse(place, fmt::format("the body is {} and has no vertices to joint", to_word(slot.kind)),
                   "leave the vertex out");
        return;
    }
    const std::size_t count = slot.deformable().positions().size();
    if (!end.vertex)
        refuse(place, "a deformable body is jointed by one of its vertices",
               fmt::format("name a vertex from 0 to {}", count - 1));
    if (*end.vertex >= count)
        refuse(place, fmt::format("there is no vertex {}", *end.vertex),
               fmt::format("take one from 0 to {}", count - 1));
    if (!takes_vertices(kind))
        refuse(place, "a vertex has no direction that this joint could hold",
               "take a ball, distance or rope joint, or attach several vertices to a rigid body");
    const auto pins = slot.deformable().pins();
    if (!pins.empty() && pins[*end.vertex])
        refuse(place, fmt::format("vertex {} is pinned", *end.vertex), "unpin it, or joint another one");
    for (const Attachment& a : slot.attachments)
        if (slots[a.to].dynamic())
            refuse(place,
                   "vertices of this body are attached to a rigid body, and it is solved with that one",
                   "joint those vertices as well, instead of attaching them");
}

template <class Settings>
JointId World::Impl::add_joint(const Settings& wanted, JointKind kind, const JointEnd& a, const JointEnd& b) {
    require_ranges(wanted);
    require_end(a, kind);
    if (b.body) require_end(b, kind);
    if (b.vertex && !b.body) refuse("joint", "the world has no vertices", "name a body for b");
    const std::uint32_t i = slot_of(a.body), j = b.body ? slot_of(b.body) : JointSlot::none;
    if (i == j && (!a.vertex || a.vertex == b.vertex))
        refuse("joint", "a joint needs two different bodies", "leave b out for the world");
    if (!slots[i].dynamic() && (j == JointSlot::none || !slots[j].dynamic()))
        refuse("joint", "neither side of the joint can move freely", "joint at least one rigid body");

    Made made = make(wanted);
    JointSlot fresh;
    fresh.a = i, fresh.b = j;
    fresh.vertex_a = a.vertex.value_or(JointSlot::none), fresh.vertex_b = b.vertex.value_or(JointSlot::none);
    fresh.collide = wanted.collide;
    Joint& joint = fresh.joint = made.joint;
    joint.kind = kind;
    // A vertex is an anchor of its own, which turns with nothing.
    const auto local = [&](std::uint32_t k, std::uint32_t vertex, const Transform& at) {
        if (vertex != JointSlot::none) return Transform{};
        return k == JointSlot::none ? at : inverse(slots[k].body->pose()) * at;
    };
    if (kind == JointKind::ball && fresh.vertex_a != JointSlot::none)
        made.b.position = slots[i].deformable().positions()[fresh.vertex_a];
    if (kind == JointKind::ball && fresh.vertex_b != JointSlot::none)
        made.a.position = slots[j].deformable().positions()[fresh.vertex_b];
    if (kind == JointKind::ball && (a.vertex || b.vertex) &&
        (joint.limits.high || joint.spring.stiffness > 0 || joint.spring.damping > 0))
        refuse("joint", "a vertex has no direction that a cone or a spring could bend",
               "leave cone and spring out");
    joint.frame_a = local(i, fresh.vertex_a, made.a);
    joint.frame_b = local(j, fresh.vertex_b, made.b);
    require_order(joint.limits);
    joint.position = joint_coordinate(joint, joint_frames_now(fresh));
    joint.length = length_of(wanted).value_or(joint.position);
    if (kind == JointKind::rope) joint.limits.high = joint.length;
    if (!joint.spring.rest) joint.spring.rest = joint.position;

    std::uint32_t index = 0;
    while (index < joints.size() && joints[index].alive) ++index;
    if (index == joints.size()) joints.emplace_back();
    fresh.alive = true;
    fresh.generation = joints[index].generation + 1;
    joints[index] = fresh;
    keep_apart(fresh, true);
    for (const std::uint32_t k : {i, j})
        if (k != JointSlot::none) touched(slots[k]);
    return {index + 1, fresh.generation};
}

JointId World::add(const BallJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->add_joint(joint, JointKind::ball, a, b);
}
JointId World::add(const HingeJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->add_joint(joint, JointKind::hinge, a, b);
}
JointId World::add(const SliderJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->add_joint(joint, JointKind::slider, a, b);
}
JointId World::add(const FixedJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->add_joint(joint, JointKind::fixed, a, b);
}
JointId World::add(const DistanceJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->add_joint(joint, JointKind::distance, a, b);
}
JointId World::add(const RopeJoint& joint, const JointEnd& a, const JointEnd& b) {
    return impl_->add_joint(joint, JointKind::rope, a, b);
}

void World::remove(JointId joint) {
    JointSlot& slot = impl_->joint(joint);
    slot.alive = false;
    impl_->keep_apart(slot, false);
    for (std::uint32_t k : {slot.a, slot.b})
        if (k != JointSlot::none) impl_->touched(impl_->slots[k]);
}

// Two bodies may share several joints; they touch again when the last one that keeps them apart is gone.
void World::Impl::keep_apart(const JointSlot& joint, bool apart) {
    if (joint.b == JointSlot::none || joint.collide) return;
    const std::pair pair(std::min(joint.a, joint.b), std::max(joint.a, joint.b));
    const auto at = std::lower_bound(jointed.begin(), jointed.end(), pair);
    if (apart)
        jointed.insert(at, pair);
    else if (at != jointed.end() && *at == pair)
        jointed.erase(at);
}

// -- reading and driving --

std::vector<JointId> World::joints() const {
    std::vector<JointId> ids;
    for (std::uint32_t k = 0; k < impl_->joints.size(); ++k)
        if (impl_->joints[k].alive) ids.push_back({k + 1, impl_->joints[k].generation});
    return ids;
}

double World::joint_gap(JointId joint) const {
    const JointSlot& slot = impl_->joint(joint);
    const JointFrames at = impl_->joint_frames_now(slot);
    if (slot.joint.kind == JointKind::rope)
        return std::max(0.0, joint_coordinate(slot.joint, at) - slot.joint.length);
    if (slot.joint.kind == JointKind::distance && is_driven(slot.joint)) return 0;
    return norm(joint_value(slot.joint, JointRole::point, at));
}

double World::joint_position(JointId joint) const {
    const JointSlot& slot = impl_->joint(joint);
    return joint_coordinate(slot.joint, impl_->joint_frames_now(slot));
}

// By a difference over a time too short for anything to bend, and long enough for rounding.
double World::joint_speed(JointId joint) const {
    const JointSlot& slot = impl_->joint(joint);
    const double dt = 1e-6 * impl_->settings.step;
    const auto moved = [&](std::uint32_t k, std::uint32_t vertex, double t) -> Transform {
        if (k == JointSlot::none) return {};
        const Slot& s = impl_->slots[k];
        if (vertex != JointSlot::none) {
            const DeformableBody& body = s.deformable();
            return {body.positions()[vertex] + t * body.velocities()[vertex], {}};
        }
        const Transform pose = s.body->pose();
        const Motion motion = s.body->motion();
        return {pose.position + t * motion.at(pose.position),
                exp_rotation(t * motion.twist.angular) * pose.rotation};
    };
    const auto at = [&](double t) {
        return joint_coordinate(slot.joint, joint_frames(slot.joint, moved(slot.a, slot.vertex_a, t),
                                                         moved(slot.b, slot.vertex_b, t)));
    };
    return (at(dt) - at(-dt)) / (2 * dt);
}

Vec3 World::joint_force(JointId joint) const {
    return impl_->joint(joint).joint.force;
}
Vec3 World::joint_torque(JointId joint) const {
    return impl_->joint(joint).joint.torque;
}

void World::set_motor(JointId joint, const JointMotor& motor) {
    JointSlot& slot = impl_->joint(joint);
    require_drive(slot, "motor");
    require_ranges(motor);
    slot.joint.motor = motor;
    impl_->wake_joint(slot);
}

void World::set_limits(JointId joint, const JointLimits& limits) {
    JointSlot& slot = impl_->joint(joint);
    require_drive(slot, "limits");
    require_ranges(limits);
    require_order(limits);
    slot.joint.limits = limits;
    impl_->wake_joint(slot);
}

void World::set_spring(JointId joint, const JointSpring& spring) {
    JointSlot& slot = impl_->joint(joint);
    require_drive(slot, "spring");
    require_ranges(spring);
    const double rest = spring.rest.value_or(*slot.joint.spring.rest);
    slot.joint.spring = spring;
    slot.joint.spring.rest = rest;
    impl_->wake_joint(slot);
}

void World::Impl::wake_joint(const JointSlot& joint) {
    for (const std::uint32_t k : {joint.a, joint.b})
        if (k != JointSlot::none && slots[k].dynamic()) touched(slots[k]);
}

bool World::Impl::drives(const JointSlot& slot) const {
    const JointMotor& motor = slot.joint.motor;
    if (!motor.speed && !motor.position) return false;
    const double now = joint_coordinate(slot.joint, joint_frames_now(slot));
    const auto arrived = [&](std::optional<double> at) {
        return at && std::abs(*at - now) <= tuning::joint_slack;
    };
    if (motor.position) return !arrived(motor.position);
    return *motor.speed != 0 && !arrived(*motor.speed > 0 ? slot.joint.limits.high : slot.joint.limits.low);
}

// -- where a joint is --

JointSide World::Impl::joint_side(std::uint32_t index, std::uint32_t vertex) const {
    if (index == JointSlot::none) return {};
    const Slot& slot = slots[index];
    if (vertex == JointSlot::none)
        return {slot.body->pose(), slot.first_node, slot.dynamic() ? Motion{} : slot.body->motion()};
    JointSide side{{slot.deformable().positions()[vertex], {}}, {}, {}};
    const auto at = std::lower_bound(slot.held.begin(), slot.held.end(), vertex);
    if (at != slot.held.end() && *at == vertex)
        side.node = slot.first_grip + static_cast<std::uint32_t>(at - slot.held.begin());
    return side;
}

JointSides World::Impl::joint_sides(const JointSlot& joint) const {
    return {joint_side(joint.a, joint.vertex_a), joint_side(joint.b, joint.vertex_b)};
}

JointFrames World::Impl::joint_frames_now(const JointSlot& joint) const {
    return joint_frames(joint.joint, joint_side(joint.a, joint.vertex_a).pose,
                        joint_side(joint.b, joint.vertex_b).pose);
}

Transform World::Impl::pose_after(std::uint32_t index, std::uint32_t vertex) const {
    if (index == JointSlot::none) return {};
    Slot& slot = const_cast<Slot&>(slots[index]);
    const auto change = [&](std::uint32_t n) {
        return Twist{velocities[n].linear - nodes[n].velocity.linear,
                     velocities[n].angular - nodes[n].velocity.angular};
    };
    if (vertex != JointSlot::none) {
        const JointSide side = joint_side(index, vertex);
        if (!side.node) return side.pose;
        return {slot.deformable().next().x[vertex] + settings.step * change(*side.node).linear, {}};
    }
    if (!slot.dynamic()) return slot.kinematic().next_pose();
    return slot.first_node ? slot.rigid().pose_after(settings.step, change(*slot.first_node))
                           : slot.body->pose();
}

JointFrames World::Impl::joint_frames_after(const JointSlot& joint) const {
    return joint_frames(joint.joint, pose_after(joint.a, joint.vertex_a),
                        pose_after(joint.b, joint.vertex_b));
}

// -- the step --

namespace {

/// The part of a symmetric matrix with eigenvalues above 0.
Mat3 positive_part(const Mat3& m) {
    const Svd3 svd = svd3(m);
    const Mat3 size = svd.right * Mat3::diagonal(abs(svd.sigma)) * transpose(svd.right);  // |m|
    const Mat3 sum = 0.5 * (m + size);
    return 0.5 * (sum + transpose(sum));
}

}  // namespace

// A force f at the lever r holds a body upright as gravity holds a pendulum: turned by θ across r it is
// pulled back by the torque (f·r) θ. The rows of the start take this stiffness K = Σ (f·r) (1 − r̂ r̂ᵀ)
// explicitly, which is stable up to h² K = 4 I, and a light link in a taut chain is far beyond. There, and
// there alone, half of it is taken implicitly, as inertia (Andrews, Teichmann & Kövecses 2017, "Geometric
// stiffness for real-time constrained multibody dynamics", who add all of it; half is enough since x' = x + h
// v' with inertia 1 + h² k/2 − 2 has both of its roots in the unit circle):
//
//     ΔI = [½ h² K − 2 c I]₊.
//
// Slow bodies (pendulums, ragdolls) get none and lose no energy. f is that of the last step.
void World::Impl::stiffen_against_turning() {
    const double h = settings.step;
    std::vector<Mat3> stiffness(joints.empty() ? 0 : slots.size());
    std::vector<double> bound(stiffness.size());
    for (const JointSlot& slot : joints) {
        if (!slot.alive) continue;
        const JointFrames at = joint_frames_now(slot);
        const auto add = [&](std::uint32_t k, const Vec3& anchor, const Vec3& force) {
            if (k == JointSlot::none || slots[k].kind != BodyKind::rigid || slots[k].asleep) return;
            const Vec3 r = anchor - slots[k].rigid().centre();
            const double along = dot(force, r);
            if (!(along > 0)) return;
            stiffness[k] += along * (Mat3::identity() - outer(r, r) * (1 / norm2(r)));
            bound[k] += along;
        };
        add(slot.a, at.a.position, slot.joint.force);
        add(slot.b, at.b.position, -slot.joint.force);
    }
    for (std::size_t k = 0; k < stiffness.size(); ++k) {
        if (bound[k] == 0) continue;
        const Mat3 own = slots[k].rigid().world_inertia();
        // The least moment of inertia is at least det / (greatest)², and the greatest at most the trace / 2.
        const double greatest = 0.5 * trace(own);
        if (0.5 * h * h * bound[k] * greatest * greatest < 2 * tuning::explicit_turning * determinant(own))
            continue;
        const Mat3 extra = positive_part(0.5 * h * h * stiffness[k] - 2 * tuning::explicit_turning * own);
        if (trace(extra) > 0) slots[k].rigid().set_added_inertia(extra);
    }
}

void World::Impl::make_joint_rows() {
    joint_rows.clear();
    for (std::uint32_t k = 0; k < joints.size(); ++k) {
        JointSlot& slot = joints[k];
        if (!slot.alive) continue;
        const JointSides sides = joint_sides(slot);
        slot.joint.position =
            joint_coordinate(slot.joint, joint_frames(slot.joint, sides.a.pose, sides.b.pose));
        add_joint_rows(rows, joint_rows, slot.joint, k, sides, nodes, settings.step);
    }
    joint_blocks = rows.blocks.size();
}

// Solved, moved on trial, aimed again (joint.cpp). Newton's method with the matrix of the start diverges
// where a joint turns too far in a step, as a short rope that is caught at speed: then the last good aim
// stays, and stabilise closes the gap.
SweepReport World::Impl::solve_island(std::span<const std::uint32_t> blocks) {
    IslandSolver solver(rows, blocks, nodes, velocities, settings.solver);
    SweepReport total = solver.run();
    // Blocks of joints come first.
    const auto held = static_cast<std::size_t>(
        std::lower_bound(blocks.begin(), blocks.end(), static_cast<std::uint32_t>(joint_blocks)) -
        blocks.begin());
    std::vector<Vec3> before(held);
    double last_missed = HUGE_VAL;
    for (int aim = 1; held > 0 && aim <= tuning::joint_aims; ++aim) {
        double missed = 0;
        std::vector<Vec3> aimed_from(held);
        for (std::size_t k = 0; k < held; ++k) {
            Block& block = rows.blocks[blocks[k]];
            const JointRow& row = joint_rows[blocks[k]];
            const JointSlot& slot = joints[row.joint];
            aimed_from[k] = block.bias;
            missed = std::max(missed, aim_joint_row(block, row, rows, slot.joint, joint_frames_after(slot),
                                                    velocities, settings.step));
        }
        const bool worse = missed > last_missed;
        if (worse)
            for (std::size_t k = 0; k < held; ++k) rows.blocks[blocks[k]].bias = before[k];
        if (!worse && (missed <= tuning::joint_aim_tolerance || aim == tuning::joint_aims ||
                       total.iterations >= settings.solver.iterations))
            break;
        const SweepReport again = solver.run();
        total.iterations += again.iterations;
        total.residual = again.residual;
        if (worse) break;
        last_missed = missed;
        before = std::move(aimed_from);
    }
    return total;
}

// Forces are read off what the rows of a joint do to one of its bodies.
void World::Impl::report_joints() {
    for (JointSlot& slot : joints)
        if (slot.alive && (slots[slot.a].dynamic() ? !slots[slot.a].asleep
                                                   : slot.b != JointSlot::none && !slots[slot.b].asleep))
            slot.joint.force = slot.joint.torque = {};  // those asleep hold on as in their last step awake
    for (std::size_t k = 0; k < joint_blocks; ++k) {
        const Block& block = rows.blocks[k];
        const Entry& e = rows.entries_of(block)[0];
        JointSlot& slot = joints[joint_rows[k].joint];
        const JointSides sides = joint_sides(slot);
        const double sign = sides.a.node == e.node ? 1 : -1;  // else it is b's, and a's motion is given
        const Vec3 force = sign / settings.step * transpose_times(e.linear, block.impulse);
        const Vec3 about_origin = sign / settings.step * transpose_times(e.angular, block.impulse);
        const Vec3 anchor = joint_frames(slot.joint, sides.a.pose, sides.b.pose).a.position;
        slot.joint.force += force;
        slot.joint.torque += about_origin - cross(anchor - nodes[e.node].origin, force);
        slot.joint.active[static_cast<std::size_t>(joint_rows[k].role)] = block.active;
    }
}

}  // namespace plush
