#include "contact/fields/surface_law.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/transcendental.hpp"

namespace plush {
namespace {

constexpr double least_gap_ratio = 1e-6;  // of the buffer; see the head of surface_law.hpp

LawValue log_barrier(double k, double buffer, double d) {
    const double rho = k * buffer * buffer, t = d / buffer;
    return {rho * (t - 1 - pinned::log(t)), rho * (1 / d - 1 / buffer), rho / (d * d)};
}

LawValue clamped_barrier(double k, double buffer, double d) {
    const double l = pinned::log(d / buffer), a = d - buffer, r = a / d;
    return {-k * a * a * l, k * (2 * a * l + a * r), k * (r * r - 4 * r - 2 * l)};
}

LawValue spring(double k, double depth) {
    return {0.5 * k * depth * depth, k * depth, k};
}

}  // namespace

double force_reach(const SurfaceSettings& s) {
    return s.law == SurfaceLaw::quadratic || s.law == SurfaceLaw::impulse ? 0 : s.buffer;
}

double least_gap(const SurfaceSettings& s) {
    return least_gap_ratio * s.buffer;
}

LawValue evaluate_law(const SurfaceSettings& s, double gap) {
    const double reach = force_reach(s);
    if (!(gap < reach)) return {};
    if (s.law == SurfaceLaw::impulse) return {};
    if (!is_barrier(s.law)) return spring(s.stiffness, reach - gap);
    PLUSH_ASSERT(s.buffer > 0 && s.stiffness >= 0);
    const double d = gap > least_gap(s) ? gap : least_gap(s), beyond = d - gap;
    LawValue value = s.law == SurfaceLaw::barrier ? clamped_barrier(s.stiffness, s.buffer, d)
                                                  : log_barrier(s.stiffness, s.buffer, d);
    value.energy += beyond * (value.force + 0.5 * beyond * value.stiffness);
    value.force += beyond * value.stiffness;
    return value;
}

SurfaceFriction smoothed_friction(double limit, double stick_speed, const Vec3& normal, const Vec3& velocity,
                                  double mass_rate) {
    if (!(limit > 0)) return {};
    PLUSH_ASSERT(stick_speed > 0 && mass_rate >= 0);
    const Vec3 slide = velocity - dot(velocity, normal) * normal;
    const double speed = norm(slide);
    const bool full = speed >= stick_speed;
    const double secant = limit * (full ? 1 / speed : (2 - speed / stick_speed) / stick_speed);
    const double slope = full ? 0 : 2 * limit * (1 - speed / stick_speed) / stick_speed;
    const double tangent = std::max(slope, secant - mass_rate);
    const Vec3 along = speed > 0 ? slide / speed : Vec3{};
    return {-secant * slide,
            secant * (Mat3::identity() - outer(normal, normal)) + (tangent - secant) * outer(along, along),
            secant};
}

}  // namespace plush
