#include "contact/joints/joint.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "core/tuning.hpp"

// Joints as rows. With the frames (p, x y z) on a and on b, and r the way from a body's origin to the point
// that a row holds, the rows and what they measure are
//
//     point   ball, hinge, fixed   R_bᵀ (p_a − p_b)                  v_a + ω_a × r − v_b − ω_b × r, of the point p_a
//                                                                    on both, in the axes of b
//             slider               (y_b, z_b)·(p_a − p_b)            the same, in y_b, z_b
//             distance             |p_a − p_b| − length              of p_a and p_b, along p_a − p_b
//     turn    hinge                (y_b, z_b)·x_a                    (x_a × y_b, x_a × z_b)·(ω_a − ω_b)
//             slider, fixed        rotation vector of R_bᵀ R_a       R_bᵀ (ω_a − ω_b)
//
// and the coordinate s is the angle of y_a about x_b (hinge), x_b·(p_a − p_b) (slider), |p_a − p_b|
// (distance, rope) or the angle between x_a and x_b (ball). Each row is the derivative of what it measures,
// and none changes when both bodies turn together: a joint that gapes does not hold them back.
//
// Laws, with w the velocity of what is measured:
//
//     spring    λ = −h (k (s + h w − rest) + d w)
//               ⇔ w + γ λ + k (s − rest)/(h k + d) = 0,  γ = 1/(h (h k + d))
//     motor     w = speed,  |λ| ≤ h max_force
//     low       w ≥ −(s − low)/h,  λ ≥ 0
//     high      w ≤ (high − s)/h,  λ ≤ 0
//
// A velocity that fulfils the rows at the start of a step leaves the joint on its tangent: the gap grows by
// ½ h² ω² r each step, and closing it afterwards costs energy. So the rows are aimed at the end of the step.
// After a solve the bodies are moved on trial, and where they then are decides the bias of the next one,
//
//     b = (g(q_end) − g(q_start))/h − J u + law,
//
// which is Newton's method with the matrix of the start. At its end g(q_end) = g(q_start) − h law: the forces
// act along the rows of the start and the constraint holds at the end. That is SHAKE (Ryckaert, Ciccotti &
// Berendsen 1977), which is symplectic: energy oscillates and does not drift.
//
// A force that keeps its direction through a step is a stiffness taken explicitly, T/l against swaying of a
// length l under tension T, and stable up to h² T/l = 4/D, D = J A⁻¹ Jᵀ across it. Beyond, as in short ropes
// that carry much, two more rows damp the swaying implicitly, λ = −h d w with
//
//     d = ½ h T/l − 2 c/(h D),
//
// which is just enough for stability (c = ¼: with a margin). Long ropes have none. The same for levers is in
// world/joints.cpp, stiffen_against_turning().

namespace plush {
namespace {

struct Axes {
    Vec3 x, y, z;
};

Axes axes(const Quat& q) {
    const Mat3 m = to_matrix(q);
    return {m.column(0), m.column(1), m.column(2)};
}

bool measures_length(JointKind kind) {
    return kind == JointKind::distance || kind == JointKind::rope;
}

Vec3 relative_rotation(const JointFrames& at) {
    return log_rotation(conjugate(at.b.rotation) * at.a.rotation);
}

/// Along which a length is measured; anything where it is zero.
Vec3 direction(const JointFrames& at) {
    return normalised(at.a.position - at.b.position);
}

/// About which a ball joint is bent.
Vec3 bend_axis(const JointFrames& at) {
    const Vec3 x_a = axes(at.a.rotation).x, x_b = axes(at.b.rotation).x;
    return normalised(cross(x_b, x_a), perpendicular(x_b));
}

/// Writes the blocks of one joint.
class RowWriter {
public:
    RowWriter(Rows& rows, const JointSides& sides, std::span<const Node> nodes, std::uint32_t owner,
              double lever)
        : rows_(rows), sides_(sides), nodes_(nodes), owner_(owner), lever_(lever) {}

    /// `frame` times the velocity of a's point at `on_a` against b's at `on_b`.
    void begin_points(const Mat3& frame, const Vec3& on_a, const Vec3& on_b, std::uint8_t count) {
        begin(count);
        add_point(sides_.a, frame, on_a, 1);
        add_point(sides_.b, frame, on_b, -1);
    }
    /// `frame` times ω_a − ω_b.
    void begin_turn(const Mat3& frame, std::uint8_t count) {
        begin(count);
        block.lever = lever_;
        add_turn(sides_.a, frame, 1);
        add_turn(sides_.b, frame, -1);
    }
    Block block{};
    Vec3 given{};

    void end() {
        PLUSH_ASSERT(block.entry_count > 0);
        rows_.blocks.push_back(block);
    }

private:
    void begin(std::uint8_t count) {
        PLUSH_ASSERT(count >= 1 && count <= 3);
        block = {};
        given = {};
        block.law = Block::Law::bilateral;
        block.rows = count;
        block.direct = true;
        block.owner = owner_;
        block.first_entry = static_cast<std::uint32_t>(rows_.entries.size());
    }
    void add_point(const JointSide& side, const Mat3& frame, const Vec3& point, double sign) {
        if (!side.node) {
            given += sign * (frame * side.motion.at(point));
            return;
        }
        PLUSH_ASSERT(*side.node < nodes_.size());
        rows_.entries.push_back(point_entry(*side.node, frame, point - nodes_[*side.node].origin, sign));
        ++block.entry_count;
    }
    void add_turn(const JointSide& side, const Mat3& frame, double sign) {
        if (!side.node) {
            given += sign * (frame * side.motion.twist.angular);
            return;
        }
        PLUSH_ASSERT(*side.node < nodes_.size());
        rows_.entries.push_back({*side.node, {}, frame * sign});
        ++block.entry_count;
    }

    Rows& rows_;
    const JointSides& sides_;
    std::span<const Node> nodes_;
    std::uint32_t owner_;
    double lever_;
};

// The rows that hold the joint together; false where the kind has none.
bool begin_point(RowWriter& out, const Joint& joint, const JointFrames& at) {
    const Vec3 &p = at.a.position, &q = at.b.position;
    switch (joint.kind) {
        case JointKind::ball:
        case JointKind::hinge:
        case JointKind::fixed: {
            const Axes b = axes(at.b.rotation);
            out.begin_points({{b.x, b.y, b.z}}, p, p, 3);
            return true;
        }
        case JointKind::slider: {
            const Axes b = axes(at.b.rotation);
            out.begin_points({{b.y, b.z, Vec3{}}}, p, p, 2);
            return true;
        }
        case JointKind::distance:
            if (is_driven(joint)) return false;
            out.begin_points({{direction(at), Vec3{}, Vec3{}}}, p, q, 1);
            return true;
        case JointKind::rope:
            return false;
    }
    return false;
}

bool begin_turn(RowWriter& out, const Joint& joint, const JointFrames& at) {
    const Axes a = axes(at.a.rotation), b = axes(at.b.rotation);
    if (joint.kind == JointKind::hinge) {
        out.begin_turn({{cross(a.x, b.y), cross(a.x, b.z), Vec3{}}}, 2);
        return true;
    }
    if (joint.kind != JointKind::slider && joint.kind != JointKind::fixed) return false;
    out.begin_turn({{b.x, b.y, b.z}}, 3);
    return true;
}

// One row: the velocity of the coordinate, times a sign.
void begin_coordinate(RowWriter& out, const Joint& joint, const JointFrames& at, double sign) {
    const Vec3& p = at.a.position;
    const auto row = [sign](const Vec3& v) { return Mat3{{sign * v, Vec3{}, Vec3{}}}; };
    switch (joint.kind) {
        case JointKind::ball:
            return out.begin_turn(row(bend_axis(at)), 1);
        case JointKind::hinge:
            return out.begin_turn(row(axes(at.b.rotation).x), 1);
        case JointKind::slider:
            return out.begin_points(row(axes(at.b.rotation).x), p, p, 1);
        case JointKind::fixed:
            PLUSH_ASSERT(false);
            return;
        case JointKind::distance:
        case JointKind::rope:
            return out.begin_points(row(direction(at)), p, at.b.position, 1);
    }
}

void begin_role(RowWriter& out, const Joint& joint, JointRole role, const JointFrames& at) {
    if (role == JointRole::spring && joint.kind == JointKind::ball) {
        const Axes b = axes(at.b.rotation);
        return out.begin_turn({{b.x, b.y, b.z}}, 3);
    }
    begin_coordinate(out, joint, at, role == JointRole::high ? -1 : 1);
}

Vec3 clamp(const Vec3& v, double most) {
    return max(min(v, {most, most, most}), {-most, -most, -most});
}

// The speed that the motor aims at: it does not run past its position or against a stop.
double motor_speed(const Joint& joint, double h) {
    const JointMotor& motor = joint.motor;
    double speed = motor.speed.value_or(0);
    if (motor.position) {
        const double most = motor.speed ? std::abs(*motor.speed) : HUGE_VAL;
        speed = std::clamp((*motor.position - joint.position) / h, -most, most);
    }
    if (joint.limits.high) speed = std::min(speed, std::max(0.0, *joint.limits.high - joint.position) / h);
    if (joint.limits.low) speed = std::max(speed, std::min(0.0, *joint.limits.low - joint.position) / h);
    return speed;
}

/// Weaker springs (N/m, N m/rad, and the same a second) do nothing that a double can tell, and 1 / (h² k) would not fit one.
constexpr double weakest_spring = 1e-100;

// The law of a role in `block`, and what it adds to J u.
Vec3 set_law(Block& block, const Joint& joint, JointRole role, const Vec3& start, double h) {
    PLUSH_ASSERT(h > 0);
    const auto bound = [&](double low, double high) {
        PLUSH_ASSERT(low <= high && block.rows == 1);
        block.law = Block::Law::bounded;
        block.low = low, block.high = high;
        block.active = joint.active[static_cast<std::size_t>(role)] != 0;
    };
    switch (role) {
        case JointRole::point:
        case JointRole::turn:
            return clamp(start, tuning::joint_slack * gap_unit(joint, role)) / h;
        case JointRole::spring: {
            const double k = joint.spring.stiffness, d = joint.spring.damping;
            PLUSH_ASSERT(h * k + d > 0 && (joint.kind == JointKind::ball || joint.spring.rest));
            block.softness = Vec3{1, 1, 1} / (h * (h * k + d));
            const Vec3 off = joint.kind == JointKind::ball ? start : Vec3{start.x - *joint.spring.rest, 0, 0};
            return off * (k / (h * k + d));
        }
        case JointRole::motor: {
            const double most = h * joint.motor.max_force.value_or(HUGE_VAL);
            bound(-most, most);
            return {-motor_speed(joint, h), 0, 0};
        }
        case JointRole::low:
            bound(0, HUGE_VAL);
            return {std::max(0.0, start.x - *joint.limits.low) / h, 0, 0};
        case JointRole::high:
            bound(0, HUGE_VAL);
            return {std::max(0.0, start.x + *joint.limits.high) / h, 0, 0};
        case JointRole::sway:
            break;
    }
    return {};
}

/// d of the rows across a length; 0 where there is no need.
double sway_damping(const Joint& joint, const JointSides& sides, const JointFrames& at, const Mat3& across,
                    std::span<const Node> nodes, double h) {
    const double length = norm(at.a.position - at.b.position);
    const double tension = -dot(joint.force, direction(at));
    if (!measures_length(joint.kind) || !(tension > 0) || !(length > 0)) return 0;
    double compliance = 0;
    for (const auto& [side, point] :
         {std::pair(&sides.a, at.a.position), std::pair(&sides.b, at.b.position)}) {
        if (!side->node) continue;
        PLUSH_ASSERT(*side->node < nodes.size());
        const Node& node = nodes[*side->node];
        double most = 0;
        for (const std::size_t k : {0u, 1u}) {
            const Vec3 turn = cross(point - node.origin, across.row[k]);
            most = std::max(most, node.inverse_mass + dot(turn, node.inverse_inertia * turn));
        }
        compliance += most;
    }
    if (!(compliance > 0)) return 0;
    return std::max(0.0, 0.5 * h * tension / length - 2 * tuning::explicit_turning / (h * compliance));
}

bool has_role(const Joint& joint, JointRole role) {
    switch (role) {
        case JointRole::spring:
            return joint.spring.stiffness > weakest_spring || joint.spring.damping > weakest_spring;
        case JointRole::motor:
            return joint.motor.speed || joint.motor.position;
        case JointRole::low:
            return joint.limits.low.has_value();
        case JointRole::high:
            return joint.limits.high.has_value();
        default:
            return false;
    }
}

constexpr std::array coordinate_roles{JointRole::spring, JointRole::motor, JointRole::low, JointRole::high};

}  // namespace

bool is_driven(const Joint& joint) {
    return std::any_of(coordinate_roles.begin(), coordinate_roles.end(),
                       [&](JointRole role) { return has_role(joint, role); });
}

JointFrames joint_frames(const Joint& joint, const Transform& pose_a, const Transform& pose_b) {
    return {pose_a * joint.frame_a, pose_b * joint.frame_b};
}

double joint_coordinate(const Joint& joint, const JointFrames& at) {
    const Vec3 gap = at.a.position - at.b.position;
    if (measures_length(joint.kind)) return norm(gap);
    const Axes a = axes(at.a.rotation), b = axes(at.b.rotation);
    switch (joint.kind) {
        case JointKind::hinge: {
            constexpr double turn = 2 * 3.14159265358979323846;
            const double angle = pinned::atan2(dot(a.y, b.z), dot(a.y, b.y));
            return angle + turn * std::round((joint.position - angle) / turn);
        }
        case JointKind::slider:
            return dot(b.x, gap);
        case JointKind::ball:
            return pinned::atan2(norm(cross(b.x, a.x)), dot(b.x, a.x));
        default:
            return 0;
    }
}

Vec3 joint_value(const Joint& joint, JointRole role, const JointFrames& at) {
    const Vec3 gap = at.a.position - at.b.position;
    if (role == JointRole::point) {
        if (joint.kind == JointKind::distance) return {norm(gap) - joint.length, 0, 0};
        const Axes b = axes(at.b.rotation);
        if (joint.kind != JointKind::slider) return {dot(b.x, gap), dot(b.y, gap), dot(b.z, gap)};
        return {dot(b.y, gap), dot(b.z, gap), 0};
    }
    if (role == JointRole::turn && joint.kind == JointKind::hinge) {
        const Vec3 x = axes(at.a.rotation).x;
        const Axes b = axes(at.b.rotation);
        return {dot(b.y, x), dot(b.z, x), 0};
    }
    if (role == JointRole::sway) return {};
    if (role == JointRole::turn || (role == JointRole::spring && joint.kind == JointKind::ball))
        return relative_rotation(at);
    const double s = joint_coordinate(joint, at);
    return {role == JointRole::high ? -s : s, 0, 0};
}

void add_joint_rows(Rows& rows, std::vector<JointRow>& sources, const Joint& joint, std::uint32_t index,
                    const JointSides& sides, std::span<const Node> nodes, double h) {
    if (!sides.a.node && !sides.b.node) return;
    const JointFrames at = joint_frames(joint, sides.a.pose, sides.b.pose);
    RowWriter out(rows, sides, nodes, index, joint.lever);
    const auto finish = [&](JointRole role) {
        JointRow source{index, role, out.given, {}, joint_value(joint, role, at)};
        source.law = set_law(out.block, joint, role, source.start, h);
        out.block.given = source.given;
        out.block.bias = source.given + source.law;
        sources.push_back(source);
        out.end();
    };
    if (begin_point(out, joint, at)) finish(JointRole::point);
    if (begin_turn(out, joint, at)) finish(JointRole::turn);
    for (const JointRole role : coordinate_roles) {
        if (!has_role(joint, role)) continue;
        begin_role(out, joint, role, at);
        finish(role);
    }
    const Vec3 n = direction(at), t = perpendicular(n);
    const Mat3 across{{t, cross(n, t), Vec3{}}};
    if (const double d = sway_damping(joint, sides, at, across, nodes, h); d > 0) {
        out.begin_points(across, at.a.position, at.b.position, 2);
        out.block.softness = Vec3{1, 1, 1} / (h * d);
        out.block.bias = out.block.given = out.given;
        sources.push_back({index, JointRole::sway, out.given, {}, {}});
        out.end();
    }
}

Vec3 joint_gap(const Joint& joint, JointRole role, const JointFrames& at) {
    Vec3 gap = joint_value(joint, role, at);
    if (role == JointRole::low) gap.x -= *joint.limits.low;
    if (role == JointRole::high) gap.x += *joint.limits.high;
    return gap;
}

double gap_unit(const Joint& joint, JointRole role) {
    if (role == JointRole::point || role == JointRole::sway) return joint.lever;
    if (role == JointRole::turn) return 1;
    return joint.kind == JointKind::hinge || joint.kind == JointKind::ball ? 1 : joint.lever;
}

double joint_opening(const Joint& joint, const JointFrames& at) {
    double largest = 0;
    const bool has_point =
        joint.kind != JointKind::rope && (joint.kind != JointKind::distance || !is_driven(joint));
    const bool has_turn =
        joint.kind == JointKind::hinge || joint.kind == JointKind::slider || joint.kind == JointKind::fixed;
    if (has_point) largest = norm(joint_gap(joint, JointRole::point, at)) / gap_unit(joint, JointRole::point);
    if (has_turn) largest = std::max(largest, norm(joint_gap(joint, JointRole::turn, at)));
    for (const JointRole role : {JointRole::low, JointRole::high})
        if (has_role(joint, role))
            largest = std::max(largest, -joint_gap(joint, role, at).x / gap_unit(joint, role));
    return largest;
}

double add_joint_displacement_rows(Rows& rows, std::vector<JointRow>& sources, const Joint& joint,
                                   std::uint32_t index, const JointSides& sides,
                                   std::span<const Node> nodes) {
    if (!sides.a.node && !sides.b.node) return 0;
    const JointFrames at = joint_frames(joint, sides.a.pose, sides.b.pose);
    RowWriter out(rows, sides, nodes, index, joint.lever);
    double largest = 0;
    const auto finish = [&](JointRole role) {
        sources.push_back({index, role, {}, {}, out.block.bias});
        out.end();
    };
    const auto hold = [&](JointRole role) {
        out.block.bias = joint_gap(joint, role, at);
        largest = std::max(largest, norm(out.block.bias) / gap_unit(joint, role));
        finish(role);
    };
    if (begin_point(out, joint, at)) hold(JointRole::point);
    if (begin_turn(out, joint, at)) hold(JointRole::turn);
    for (const JointRole role : {JointRole::low, JointRole::high}) {
        if (!has_role(joint, role)) continue;
        begin_role(out, joint, role, at);
        out.block.bias = joint_gap(joint, role, at);
        const double room = out.block.bias.x;
        out.block.law = Block::Law::bounded;
        out.block.low = 0;
        out.block.active = room < 0;
        largest = std::max(largest, -room / gap_unit(joint, role));
        finish(role);
    }
    return largest;
}

double aim_joint_row(Block& block, const JointRow& row, const Rows& rows, const Joint& joint,
                     const JointFrames& end, std::span<const Twist> velocity, double h) {
    if (row.role == JointRole::sway) return 0;
    Vec3 linear{};
    PLUSH_ASSERT(h > 0);
    for (const Entry& e : rows.entries_of(block)) {
        PLUSH_ASSERT(e.node < velocity.size());
        linear += e.linear * velocity[e.node].linear + e.angular * velocity[e.node].angular;
    }
    const Vec3 moved = joint_value(joint, row.role, end) - row.start;
    const Vec3 fresh = moved / h - linear + row.law;
    const double missed = h * max_component(abs(fresh - block.bias)) / gap_unit(joint, row.role);
    block.bias = fresh;
    return missed;
}

void reset_joint_row(Block& block, const JointRow& row, bool released) {
    const bool holds = row.role == JointRole::point || row.role == JointRole::turn;
    block.bias = released && holds ? row.given : row.given + row.law;
}

}  // namespace plush
