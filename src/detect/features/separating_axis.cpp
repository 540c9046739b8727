#include "detect/features/separating_axis.hpp"

#include <algorithm>
#include <numbers>

#include "core/transcendental.hpp"
#include "core/tuning.hpp"

// The signed distance of two convex solids is the largest gap between parallel supporting planes,
//
//     s(n) = n·(c_a − c_b) − h_a(n) − h_b(n),      distance = max s(n) over all unit n,
//
// where they are apart as where they overlap (then −s is the least translation that parts them). The best n is normal to a
// face of one of them or to a feature of both that touch each other:
//
//     edge or generator × edge or generator       cross product of the directions
//     parallel sides, a corner on a side          the radial direction
//     rim × edge, side or rim                     cross product of the tangents where the two curves are closest
//     core of a capsule outside of the other      the gradient of the other's distance where it is least along the core
//     corners, apart                              closest points, by projections in turn on the two solids
//
// Every candidate is a lower bound of the distance, so that the best of them is taken and a bad one does no harm. For
// boxes this is the separating axis test (Gottschalk, Lin and Manocha, OBBTree, 1996).

namespace plush {
namespace {

using Kind = ExactShape::Kind;

class Candidates {
public:
    Candidates(const ConvexSide& a, const ConvexSide& b, const Separation& best)
        : a_(a.solid), b_(b.solid), between_(a_.centre() - b_.centre()), best_(best) {
        tie_ = tuning::axis_tie * (a_.diameter() + b_.diameter());
    }
    /// A direction of any sign and length. A later one must be better by more than rounding: faces are tried first.
    void add(const Vec3& direction, std::optional<Vec3> witness = std::nullopt) {
        const double length = norm(direction);
        if (!(length > tuning::least_sine)) return;
        Vec3 n = direction / length;
        double apart = dot(n, between_);
        if (apart < 0) n = -n, apart = -apart;
        const double s = apart - a_.extent(n) - b_.extent(n);
        if (s > best_.distance + tie_) best_ = {n, s, witness};
    }
    const Separation& best() const { return best_; }

private:
    const ConvexSolid &a_, &b_;
    const Vec3 between_;
    Separation best_;
    double tie_;
};

bool has_core(const ConvexSolid& s) {
    return s.kind() == Kind::capsule;
}

/// Where the distance of the other is least along the core of a capsule. It is convex along a line, so its slope is
/// monotone and halving finds the place.
std::optional<Separation> core_outside(const ConvexSolid& capsule, const ConvexSide& other) {
    const auto at = [&](double t) { return capsule.centre() + capsule.axis() * t; };
    const auto slope = [&](double t) { return dot(other.distance.sample(at(t)).gradient, capsule.axis()); };
    double low = -capsule.half_height(), high = capsule.half_height();
    if (slope(low) >= 0)
        high = low;
    else if (slope(high) <= 0)
        low = high;
    for (int i = 0; i < tuning::halvings && low < high; ++i) {
        const double middle = 0.5 * (low + high);
        (slope(middle) < 0 ? low : high) = middle;
    }
    const Vec3 p = at(high);
    const DistanceSample s = other.distance.sample(p);
    if (!(s.value > tuning::least_sine * capsule.radius())) return std::nullopt;
    const double gap = s.value - capsule.radius();
    return Separation{s.gradient, gap, p - s.gradient * (capsule.radius() + 0.5 * gap)};
}

/// A point of a curve, and which way the curve goes there.
struct CurvePoint {
    Vec3 position, tangent;
};

struct Line {
    Vec3 origin, direction;
    CurvePoint nearest(const Vec3& p) const {
        return {origin + direction * dot(p - origin, direction), direction};
    }
};

struct Rim {
    Vec3 centre, axis, u, v;
    double radius;
    CurvePoint at(double angle) const {
        const Vec3 out = u * pinned::cos(angle) + v * pinned::sin(angle);
        return {centre + out * radius, cross(axis, out)};
    }
    CurvePoint nearest(const Vec3& p) const {
        const Vec3 d = p - centre, out = normalised(d - axis * dot(d, axis), u);
        return {centre + out * radius, cross(axis, out)};
    }
};

std::array<Rim, 2> rims_of(const ConvexSolid& s) {
    const Vec3 u = perpendicular(s.axis()), v = cross(s.axis(), u);
    const Vec3 end = s.axis() * s.half_height();
    return {Rim{s.centre() + end, s.axis(), u, v, s.radius()},
            Rim{s.centre() - end, s.axis(), u, v, s.radius()}};
}

// Calls visit(on the rim, on the curve) where the distance between the two is least nearby. Slopes at 24 places tell
// apart the at most four minima of a line or circle; each is then found by halving.
template <class Curve, class Visit>
void each_closest(const Rim& rim, const Curve& curve, Visit&& visit) {
    constexpr int places = 24;
    constexpr double step = 2 * std::numbers::pi / places;
    const auto slope = [&](double angle) {
        const CurvePoint p = rim.at(angle);
        return dot(p.position - curve.nearest(p.position).position, p.tangent);
    };
    double before = slope(0);
    for (int i = 1; i <= places; ++i) {
        const double after = slope(step * i);
        if (before < 0 && after >= 0) {
            double low = step * (i - 1), high = step * i;
            for (int k = 0; k < tuning::halvings; ++k) {
                const double middle = 0.5 * (low + high);
                (slope(middle) < 0 ? low : high) = middle;
            }
            const CurvePoint p = rim.at(high);
            visit(p, curve.nearest(p.position));
        }
        before = after;
    }
}

/// Rims of `round` against edges, rims and sides of `other`.
void add_rims(const ConvexSolid& round, const ConvexSolid& other, Candidates& candidates) {
    if (round.kind() != Kind::cylinder) return;
    for (const Rim& rim : rims_of(round)) {
        const auto crossing = [&](const CurvePoint& p, const CurvePoint& q) {
            candidates.add(cross(p.tangent, q.tangent), 0.5 * (p.position + q.position));
        };
        const auto on_side = [&](const CurvePoint& p, const CurvePoint& q) {
            const Vec3 out = normalised(p.position - q.position);
            candidates.add(cross(p.tangent, q.tangent),
                           0.5 * (p.position + q.position + other.radius() * out));
        };
        if (other.kind() == Kind::box) {
            const auto corners = other.box_corners();
            for (std::size_t d = 0; d < 3; ++d)
                for (std::size_t c = 0; c < 8; ++c)
                    if (!(c & (std::size_t{1} << d)))
                        each_closest(rim, Line{corners[c], other.edge_directions()[d]}, crossing);
        } else {
            each_closest(rim, Line{other.centre(), other.axis()}, on_side);
        }
        if (other.kind() == Kind::cylinder)
            for (const Rim& theirs : rims_of(other)) each_closest(rim, theirs, crossing);
    }
}

/// The radial directions of a curved side: to the other's axis and to its corners.
void add_radial(const ConvexSolid& side, const ConvexSolid& other, Candidates& candidates) {
    if (side.kind() == Kind::box) return;
    const auto add = [&](const Vec3& p) {
        const Vec3 d = p - side.centre();
        candidates.add(d - side.axis() * dot(d, side.axis()));
    };
    add(other.centre());
    if (other.kind() == Kind::box)
        for (const Vec3& corner : other.box_corners()) add(corner);
}

}  // namespace

Separation separating_axis(const ConvexSide& a, const ConvexSide& b) {
    if (has_core(a.solid))
        if (auto found = core_outside(a.solid, b)) return *found;
    if (has_core(b.solid) && !has_core(a.solid))
        if (auto found = core_outside(b.solid, a)) {
            found->normal = -found->normal;
            return *found;
        }
    Candidates candidates(a, b, {});
    for (const Vec3& n : a.solid.face_normals()) candidates.add(n);
    for (const Vec3& n : b.solid.face_normals()) candidates.add(n);
    add_radial(a.solid, b.solid, candidates);
    add_radial(b.solid, a.solid, candidates);
    for (const Vec3& e : a.solid.edge_directions())
        for (const Vec3& f : b.solid.edge_directions()) candidates.add(cross(e, f));
    return candidates.best();
}

Separation with_round_features(const ConvexSide& a, const ConvexSide& b, const Separation& found) {
    Candidates candidates(a, b, found);
    add_rims(a.solid, b.solid, candidates);
    add_rims(b.solid, a.solid, candidates);
    // Apart: projections in turn on two convex solids converge to the closest points (Cheney and Goldstein 1959).
    Vec3 p = a.solid.centre(), q = p;
    for (int i = 0; i < tuning::projections; ++i) {
        const DistanceSample in_b = b.distance.sample(p);
        if (!(in_b.value > 0)) return candidates.best();
        q = p - in_b.value * in_b.gradient;
        const DistanceSample in_a = a.distance.sample(q);
        if (!(in_a.value > 0)) return candidates.best();
        p = q - in_a.value * in_a.gradient;
    }
    candidates.add((p - q) / std::max(norm(p - q), 1e-300), 0.5 * (p + q));
    return candidates.best();
}

}  // namespace plush
