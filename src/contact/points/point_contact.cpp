#include "contact/points/point_contact.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"

// A contact point becomes three rows: the relative velocity of a against b at the point, in the frame (n, t₁,
// t₂).
//
// A point with a gap d < 0 may still approach, but not by more than the gap in one step: w_n ≥ d/h. So
// nothing overlaps that need not, and a body at rest rests on its surface and not below it.
//
// Bounces are resolved inside the step. Semi-implicit Euler is leapfrog: u* is the velocity half a step after
// q, u half a step before, so that v̄ = (u + u*)/2 belongs to q, and a = (u* − u)/h is the acceleration. With
// depth d (positive inside) the point was, or will be, at the surface a time τ ago (τ < 0: ahead) with the
// speed v_c,
//
//     v_c² = v̄² + 2 a d,        τ = 2 d / (|v̄| + v_c),
//
// and after a bounce with e v_c its height and velocity now are y = e v_c τ + ½ a τ² and e v_c + a τ. The row
// asks for u⁺ = e v_c + a τ + ½ a h (leapfrog again), and the height it lacks, d + y, is made up at the end
// of the step. For one body in free flight this is exact: a ball keeps its heights eⁿ at any step (`plush
// validate bounce`).
//
// A body that was advanced by t to an impact has that way behind it: it was t w* deeper when the step started, and what it lacks
// is less by t (u⁺ − w*), which it does not move back. Without forces that is nothing.

namespace plush {

Mat3 contact_frame(const Vec3& normal) {
    const Vec3 t = perpendicular(normal);
    return {{normal, t, cross(normal, t)}};
}

Block& add_point_block(Rows& rows, const PairSides& pair, const PointHit& hit, std::span<const Node> nodes,
                       std::uint8_t row_count) {
    PLUSH_ASSERT(row_count >= 1 && row_count <= 3);
    Block block;
    block.rows = row_count;
    block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
    const Mat3 frame = contact_frame(hit.normal);
    const auto add_side = [&](const Side& side, bool owns_point, double sign) {
        if (!side.first_node) return;
        const auto local = static_cast<std::uint32_t>(owns_point ? side.body->node_of_point(hit.point) : 0);
        const std::uint32_t node = *side.first_node + local;
        PLUSH_ASSERT(node < nodes.size());
        const Vec3 arm = hit.position - nodes[node].origin;
        Entry entry = point_entry(node, frame, arm, sign);
        const Entry friction = point_entry(node, frame, arm + hit.friction_offset, sign);
        entry.angular.row[1] = friction.angular.row[1], entry.angular.row[2] = friction.angular.row[2];
        rows.entries.push_back(entry);
        ++block.entry_count;
    };
    add_side(pair.a, !hit.of_b, 1.0);
    add_side(pair.b, hit.of_b, -1.0);
    PLUSH_ASSERT(block.entry_count > 0);
    return rows.blocks.emplace_back(block);
}

namespace {

/// The velocity of a body whose motion is given, in the contact's frame.
Vec3 given_velocity(const Body& body, const Mat3& frame, const PointHit& hit) {
    const Vec3 sliding = frame * body.velocity_at(hit.position + hit.friction_offset);
    return {dot(frame.row[0], body.velocity_at(hit.position)), sliding.y, sliding.z};
}

}  // namespace

Vec3 relative_velocity(const Block& block, const Rows& rows, const PairSides& pair, const PointHit& hit,
                       std::span<const Node> nodes, Twist Node::*velocity) {
    Vec3 w{};
    for (const Entry& e : rows.entries_of(block)) {
        PLUSH_ASSERT(e.node < nodes.size());
        const Twist& u = nodes[e.node].*velocity;
        w += e.linear * u.linear + e.angular * u.angular;
    }
    const Mat3 frame = contact_frame(hit.normal);
    if (!pair.a.first_node) w += given_velocity(*pair.a.body, frame, hit);
    if (!pair.b.first_node) w -= given_velocity(*pair.b.body, frame, hit);
    return w;
}

namespace {

// Restitution fades to 0 towards the resting speed, so that small bounces end.
double faded_restitution(double restitution, double speed, double resting_speed) {
    const double t = (speed / resting_speed - 1.0) / (tuning::restitution_fade - 1.0);
    return resting_speed > 0 ? restitution * std::clamp(t, 0.0, 1.0) : restitution;
}

struct Bounce {
    double velocity;  ///< u⁺ along the normal
    double shift;     ///< d + y
};

std::optional<Bounce> bounce(double before, double free, double depth, const PairLaw& law,
                             const ContactTime& time) {
    const double h = time.step;
    depth += time.moment * free;
    const double now = 0.5 * (before + free), a = (free - before) / h;
    const double speed2 = now * now + 2 * a * depth;
    if (law.restitution <= 0 || now >= 0 || speed2 <= 0) return std::nullopt;
    const double speed = std::sqrt(speed2);
    const double tau = 2 * depth / (speed - now);
    if (tau < -h || tau > 2 * h) return std::nullopt;  // not in this step, or an overlap that is no impact
    const double e = faded_restitution(law.restitution, speed, law.resting_speed);
    const double velocity = e * speed + a * tau + 0.5 * a * h;
    if (e <= 0 || velocity <= 0) return std::nullopt;
    const double behind = (h - time.window) * (velocity - free);
    return Bounce{velocity, depth + e * speed * tau + 0.5 * a * tau * tau + behind};
}

}  // namespace

double set_normal_law(Block& block, double before, double free, double depth, const PairLaw& law,
                      const ContactTime& time, double rest) {
    PLUSH_ASSERT(time.step > 0 && time.window > 0);
    const double ahead = time.moment - (time.step - time.window);  // of where the bodies are
    const double closing = std::min(0.0, depth + ahead * free - rest) / time.window;
    if (const auto b = bounce(before, free, depth, law, time)) {
        block.bias.x -= b->velocity;
        block.rebound = b->velocity - closing;
        return b->shift;
    }
    block.bias.x -= closing;
    return 0;
}

double set_contact_law(Block& block, const Rows& rows, const PairSides& pair, const PointHit& hit,
                       const PairLaw& law, std::span<const Node> nodes, const ContactTime& time) {
    PLUSH_ASSERT(law.friction >= 0);
    block.friction = law.friction;
    const Mat3 frame = contact_frame(hit.normal);
    if (!pair.a.first_node) block.given += given_velocity(*pair.a.body, frame, hit);
    if (!pair.b.first_node) block.given -= given_velocity(*pair.b.body, frame, hit);
    block.bias += block.given;
    const double before = relative_velocity(block, rows, pair, hit, nodes, &Node::before).x;
    const double free = relative_velocity(block, rows, pair, hit, nodes, &Node::velocity).x;
    return set_normal_law(block, before, free, hit.depth, law, time);
}

}  // namespace plush
