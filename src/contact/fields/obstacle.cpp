#include "contact/fields/obstacle.hpp"

#include "core/assert.hpp"
#include "geometry/sdf/sdf_base.hpp"

// How far a point may go. φ(s) is the distance along the way p + s w, 0 ≤ s ≤ 1.
//
// Any distance (conservative advancement): φ changes by no more than L |w| per unit of s, L the steepness, so
// the next (φ − floor)/(L |w|) are safe. Repeat from there. On a way along the surface this makes many small
// strides.
//
// Convex ones (a half-space, a box, a capsule): φ is a convex function, and lies above its tangent. So the
// next (φ − floor)/(−φ') are safe, and all of the rest where φ' ≥ 0. That is Newton's method from the safe
// side: one evaluation for a plane, a few for a sphere, and ways along the surface cost nothing.
//
// Both end when the room left to the floor is a hundredth of what it was; whatever they return is safe.

namespace plush {
namespace {

constexpr double room_left = 0.01;
/// Strides at most: what was found so far is returned. Newton doubles its digits with each; a way of a
/// thousand gaps along a surface is as far as a vertex goes in a step.
constexpr int max_newton = 50, max_strides = 1000;

}  // namespace

PosedObstacle::PosedObstacle(const Obstacle& o, double reach)
    : distance_(o.distance),
      start_(o.pose),
      start_origin_(o.motion.origin),
      linear_(o.motion.twist.linear),
      angular_(o.motion.twist.angular),
      local_bounds_(level_bounds(*o.distance, reach)),
      steepness_(o.distance->steepness()),
      convex_(is_convex(*o.distance) && o.distance->exactness() != Exactness::approximate),
      moves_(!(linear_ == Vec3{} && angular_ == Vec3{})) {
    PLUSH_ASSERT(distance_ && reach >= 0);
    set_time(0);
}

void PosedObstacle::set_time(double t) {
    const Quat turn = moves_ ? exp_rotation(angular_ * t) : Quat{};
    origin_ = start_origin_ + t * linear_;
    rotation_ = to_matrix(turn * start_.rotation);
    position_ = moves_ ? origin_ + rotate(turn, start_.position - start_origin_) : start_.position;
}

double PosedObstacle::safe_fraction(const Vec3& from, const Vec3& to, double floor) const {
    const Vec3 way = to - from;
    if (!is_finite(way)) return 0;
    return convex_ ? newton_fraction(from, way, floor) : lipschitz_fraction(from, way, floor);
}

double PosedObstacle::newton_fraction(const Vec3& from, const Vec3& way, double floor) const {
    double s = 0, first_room = 0;
    for (int i = 0; i < max_newton; ++i) {
        const DistanceSample at = distance_->sample(from + s * way);
        const double room = at.value - floor, rate = dot(at.gradient, way);
        if (i == 0) first_room = room;
        if (!(room > 0) || (i > 0 && room <= room_left * first_room)) return s;
        if (rate >= 0 || s * -rate + room >= -rate) return 1;
        s += room / -rate;
    }
    return s;
}

double PosedObstacle::lipschitz_fraction(const Vec3& from, const Vec3& way, double floor) const {
    const double length = steepness_ * norm(way);
    double s = 0, first_room = 0;
    for (int i = 0; i < max_strides; ++i) {
        const double room = distance_->value(from + s * way) - floor;
        if (i == 0) first_room = room;
        if (!(room > 0) || (i > 0 && room <= room_left * first_room)) return s;
        if (s * length + room >= length) return 1;
        s += room / length;
    }
    return s;
}

}  // namespace plush
