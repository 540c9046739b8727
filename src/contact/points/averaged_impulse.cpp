#include "contact/points/averaged_impulse.hpp"

#include <algorithm>

#include "core/assert.hpp"

// Colliding points (inside and approaching) are averaged to one point r. Its velocity v splits into v_N and
// v_T, and
//
//     v_new = −e v_N + a v_T,     a = max(1 − μ (1 + e) |v_N| / |v_T|, 0),
//     j = (K_a + K_b)⁻¹ (v_new − v),     K = 1/M 1 − [Rr]× I⁻¹ [Rr]×.
//
// (Rigid Contacts lecture, GAMES103, 2021.) One averaged point can hold no torque: a box never comes to rest
// on it. `points` is the method to use; this one is for seeing why.

namespace plush {
namespace {

Mat3 compliance(const Node& node, const Vec3& r) {
    const Mat3 s = skew(r);
    return Mat3::identity() * node.inverse_mass - s * node.inverse_inertia * s;
}

Vec3 new_velocity(const Vec3& v, const Vec3& n, const PairLaw& law, double restitution, bool& sticking) {
    const double normal_speed = dot(v, n);
    const Vec3 tangential = v - normal_speed * n;
    const double speed = norm(tangential);
    const double change = law.friction * (1 + restitution) * std::abs(normal_speed);
    const double keep = speed > change ? 1 - change / speed : 0;
    sticking = keep == 0;
    return -restitution * normal_speed * n + keep * tangential;
}

}  // namespace

std::optional<AveragedImpulse> apply_averaged_impulse(const PairSides& pair, std::span<const PointHit> hits,
                                                      const PairLaw& law, std::span<const Node> nodes,
                                                      std::span<Twist> velocity) {
    PLUSH_ASSERT(velocity.size() == nodes.size());
    // The node that the point of a hit rides on; particles have one each, so they come one hit at a time.
    const auto node_of = [&](const Side& side, bool owner) {
        return *side.first_node + (owner ? side.body->node_of_point(hits[0].point) : 0);
    };
    const auto velocity_at = [&](const Side& side, bool owner, const Vec3& point) {
        if (!side.first_node) return side.body->velocity_at(point);
        const auto node = node_of(side, owner);
        PLUSH_ASSERT(node < nodes.size());
        return velocity[node].linear + cross(velocity[node].angular, point - nodes[node].origin);
    };

    AveragedImpulse result;
    int count = 0;
    for (const PointHit& hit : hits) {
        const Vec3 v =
            velocity_at(pair.a, !hit.of_b, hit.position) - velocity_at(pair.b, hit.of_b, hit.position);
        if (hit.depth <= 0 || dot(v, hit.normal) >= 0) continue;
        result.point += hit.position;
        result.normal += hit.normal;
        result.depth = std::max(result.depth, hit.depth);
        ++count;
    }
    if (count == 0) return std::nullopt;
    result.point /= count;
    result.normal = normalised(result.normal);

    const bool a_owns = !hits[0].of_b;
    const Vec3 v = velocity_at(pair.a, a_owns, result.point) - velocity_at(pair.b, !a_owns, result.point);
    const double speed = -dot(v, result.normal);
    if (speed <= 0) return std::nullopt;
    const double restitution = speed > law.resting_speed ? law.restitution : 0;
    const Vec3 wanted = new_velocity(v, result.normal, law, restitution, result.sticking);

    Mat3 k{};
    const auto add_compliance = [&](const Side& side, bool owner) {
        if (!side.first_node) return;
        const Node& node = nodes[node_of(side, owner)];
        k += compliance(node, result.point - node.origin);
    };
    add_compliance(pair.a, a_owns);
    add_compliance(pair.b, !a_owns);
    PLUSH_ASSERT(pair.a.first_node || pair.b.first_node);
    result.impulse = inverse(k) * (wanted - v);

    const auto push = [&](const Side& side, bool owner, const Vec3& impulse) {
        if (!side.first_node) return;
        const auto i = node_of(side, owner);
        velocity[i].linear += impulse * nodes[i].inverse_mass;
        velocity[i].angular += nodes[i].inverse_inertia * cross(result.point - nodes[i].origin, impulse);
    };
    push(pair.a, a_owns, result.impulse);
    push(pair.b, !a_owns, -result.impulse);
    return result;
}

}  // namespace plush
