#include "contact/points/matched_contact.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {
namespace {

struct Arms {
    Vec3 a, b;
};

Vec3 at(const Twist& t, const Vec3& arm) {
    return t.linear + cross(t.angular, arm);
}

/// How much velocity of a against b along `n` a unit impulse makes.
double compliance(const MatchedProxy& a, const MatchedProxy& b, const Arms& r, const Vec3& n) {
    const Vec3 ta = cross(r.a, n), tb = cross(r.b, n);
    PLUSH_ASSERT(a.inverse_mass >= 0 && b.inverse_mass >= 0);
    return a.inverse_mass + b.inverse_mass + dot(ta, a.inverse_inertia * ta) +
           dot(tb, b.inverse_inertia * tb);
}

void add(Twist& twist, const MatchedProxy& body, const Vec3& arm, const Vec3& impulse) {
    twist.linear += body.inverse_mass * impulse;
    twist.angular += body.inverse_inertia * cross(arm, impulse);
}

}  // namespace

namespace {

void solve_velocities(MatchedProxy& a, MatchedProxy& b, MatchedContact& c) {
    const Arms r{c.point - a.centre, c.point - b.centre};
    const double k = compliance(a, b, r, c.normal);
    if (!(k > 0)) return;
    const auto apply = [&](const Vec3& impulse) {
        add(a.velocity, a, r.a, impulse);
        add(b.velocity, b, r.b, -impulse);
    };
    const Vec3 u = at(a.velocity, r.a) - at(b.velocity, r.b);
    const double before = c.impulse;
    c.impulse = std::max(0.0, before + (c.rebound - dot(u, c.normal)) / k);
    apply((c.impulse - before) * c.normal);

    const Vec3 w = at(a.velocity, r.a) - at(b.velocity, r.b), slide = w - dot(w, c.normal) * c.normal;
    const Vec3 rub_before = c.rub;
    if (const double speed = norm(slide); speed > 0) c.rub -= slide / compliance(a, b, r, slide / speed);
    const double most = c.friction * c.impulse, rub = norm(c.rub);
    if (rub > most) c.rub = c.rub * (most / rub);
    apply(c.rub - rub_before);
}

void solve_places(MatchedProxy& a, MatchedProxy& b, MatchedContact& c, double slack) {
    const Arms r{c.point - a.centre, c.point - b.centre};
    const double k = compliance(a, b, r, c.normal);
    if (!(k > 0)) return;
    const double apart = dot(at(a.shift, r.a) - at(b.shift, r.b), c.normal), before = c.push;
    c.push = std::max(0.0, before + (c.depth - slack - apart) / k);
    add(a.shift, a, r.a, (c.push - before) * c.normal);
    add(b.shift, b, r.b, (before - c.push) * c.normal);
}

}  // namespace

void part_matched_bodies(std::span<MatchedProxy> bodies, std::span<MatchedContact> contacts, double h,
                         int sweeps, double slack) {
    PLUSH_ASSERT(h > 0);
    for (MatchedContact& c : contacts) {
        PLUSH_ASSERT(c.a < bodies.size() && c.b < bodies.size() && c.a != c.b);
        const MatchedProxy &a = bodies[c.a], &b = bodies[c.b];
        const double approach =
            dot(at(b.velocity, c.point - b.centre) - at(a.velocity, c.point - a.centre), c.normal);
        c.rebound = approach > c.resting_speed ? c.restitution * approach : 0;
    }
    for (MatchedProxy& body : bodies) body.shift = body.velocity;
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (MatchedContact& c : contacts) solve_velocities(bodies[c.a], bodies[c.b], c);
    // The step should have been gone with the new velocity: gone with the old one and pushed back along the
    // normal, a body on a slope would creep with g h sin θ whatever its friction.
    for (MatchedProxy& body : bodies)
        body.shift = {h * (body.velocity.linear - body.shift.linear),
                      h * (body.velocity.angular - body.shift.angular)};
    for (int sweep = 0; sweep < sweeps; ++sweep)
        for (MatchedContact& c : contacts) solve_places(bodies[c.a], bodies[c.b], c, slack);
}

}  // namespace plush
