#include "detect/features/exact_contacts.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "detect/features/contact_polygon.hpp"
#include "detect/features/ring_contacts.hpp"
#include "detect/features/separating_axis.hpp"
#include "geometry/sdf/posed_distance.hpp"

// Contacts of boxes, cylinders, capsules and half-spaces. The normal n is the axis that separates the two best
// (separating_axis.hpp). Along it each shows a flat: a face, a cap, a generator of a curved side, an end. Their
// projections along n are clipped against each other (contact_polygon.hpp), and every corner of the overlap is a contact
// with the gap between the two flats there:
//
//     ____________________ a            seen from above
//     |     ______|____                 overlap: corners of a, corners of b, crossings of edges
//     |_____x_____x   |
//           |_________| b
//
// A cylinder that rolls touches with the two ends of its lowest generator, which is fixed to the pose and not to the
// body; a coin on its edge with the lowest point of its rim. So nothing that rolls meets corners of a sampled surface.
//
// Where the flats overlap in less than a polygon (rim against edge, capsule across cylinder) the closest points found
// with the axis are the contact.

namespace plush {
namespace {

using Kind = ExactShape::Kind;

constexpr std::uint32_t witness_name = 0xffff;

class Manifold {
public:
    Manifold(const Body& a, const Body& b, const Reach& reach, const Vec3& origin,
             std::vector<PointHit>& hits)
        : reach_(reach), origin_(origin), a_(a.motion()), b_(b.motion()), hits_(hits), first_(hits.size()) {}

    void add(std::uint32_t name, const Vec3& position, const Vec3& normal, double gap) {
        const Vec3 place = origin_ + position;
        lowest_ = std::min(lowest_, gap);
        if (gap > reach_.margin) {
            const double approach = dot(b_.at(place) - a_.at(place), normal);
            if (gap > reach_.margin + reach_.step * std::max(approach, 0.0)) return;
        }
        hits_.push_back({name, false, place, normal, -gap});
    }
    void clear() {
        hits_.resize(first_);
        lowest_ = HUGE_VAL;
    }
    double lowest() const { return lowest_; }  ///< gap of all that was added, m
    /// Tells the hits how far from its centroid the patch is on the average.
    void set_patch(const ContactPolygon& overlap) {
        const double radius = mean_radius(closer_than(overlap, reach_.inset));
        for (std::size_t i = first_; i < hits_.size(); ++i) hits_[i].patch_radius = radius;
    }

private:
    const Reach& reach_;
    const Vec3 origin_;
    const Motion a_, b_;
    std::vector<PointHit>& hits_;
    std::size_t first_;
    double lowest_ = HUGE_VAL;
};

Mat3 frame_of(const Vec3& n) {
    const Vec3 t = perpendicular(n);
    return {{n, t, cross(n, t)}};
}

// -- a solid on a half-space

/// `side` = 1: the solid is a, the half-space b; −1: the other way round.
void on_half_space(const ConvexSolid& solid, const Vec3& normal, double level, double side,
                   const Reach& reach, Manifold& out) {
    const auto add = [&](std::uint32_t name, const Vec3& p) {
        const double gap = dot(p, normal) - level;
        out.add(name, p - 0.5 * gap * normal, side * normal, gap);
    };
    const SupportFace face = solid.face(-normal, reach.inset);
    if (solid.kind() == Kind::box) {
        const auto corners = solid.box_corners();
        for (std::uint32_t i = 0; i < corners.size(); ++i) add(i, corners[i]);
    } else {
        for (const SupportFace::Corner& c : face.outline())
            if (!c.redundant) add(std::uint32_t{face.id} << 8 | c.label, c.position);
    }
    ContactPolygon patch;
    const Mat3 frame = frame_of(normal);
    for (const SupportFace::Corner& c : face.outline()) {
        const Vec3 p = frame * c.position;
        patch.push_back({.x = p.y, .y = p.z, .top = p.x, .bottom = level});
    }
    out.set_patch(patch);
}

// -- two solids

/// A ball of the core of `capsule` at `core` against the distance of the other: exact wherever the core is outside.
/// `sign` = 1: the capsule is a. False where the core is inside.
bool add_ball(const ConvexSolid& capsule, const Vec3& core, const ConvexSide& other, double sign,
              std::uint32_t name, Manifold& out) {
    const DistanceSample s = other.distance.sample(core);
    if (!(s.value > tuning::least_sine * capsule.radius())) return false;
    const double gap = s.value - capsule.radius();
    out.add(name, core - s.gradient * (capsule.radius() + 0.5 * gap), sign * s.gradient, gap);
    return true;
}

/// Two generators of curved sides: where they cross, and the ends of the stretch along which the axes run side by side.
void side_on_side(const ConvexSolid& a, const ConvexSide& other, const Vec3& n, std::uint32_t faces,
                  Manifold& out) {
    const ConvexSolid& b = other.solid;
    const Vec3 &u = a.axis(), &v = b.axis(), between = a.centre() - b.centre();
    const double cosine = dot(u, v), sine2 = 1 - cosine * cosine;
    if (sine2 > tuning::least_sine) {
        const double au = dot(between, u), av = dot(between, v);
        const double s = (cosine * av - au) / sine2, t = (av - cosine * au) / sine2;
        if (std::abs(s) <= a.half_height() && std::abs(t) <= b.half_height()) {
            const Vec3 p = a.centre() + s * u, q = b.centre() + t * v;
            const double gap = dot(p - q, n) - a.radius() - b.radius();
            out.add(faces | 2, q + n * (b.radius() + 0.5 * gap), n, gap);
        }
    }
    const double middle = -dot(between, u), half = std::abs(cosine) * b.half_height();
    const double low = std::max(-a.half_height(), middle - half);
    const double high = std::min(a.half_height(), middle + half);
    if (low > high) return;
    // Points of the surface of a against the distance of b: exact however the axes lie.
    ContactPolygon ends;
    for (const double s : {low, high}) {
        const std::uint32_t name = faces | (s == high);
        const Vec3 p = a.centre() + s * u, d = p - b.centre(), apart = d - v * dot(d, v);
        if (a.kind() == Kind::capsule && add_ball(a, p, other, 1, name, out)) {
            ends.push_back({.x = s, .top = other.distance.value(p) - a.radius()});
            continue;
        }
        const Vec3 surface = p - a.radius() * normalised(apart - u * dot(apart, u), n);
        const DistanceSample found = other.distance.sample(surface);
        out.add(name, surface - 0.5 * found.value * found.gradient, found.gradient, found.value);
        ends.push_back({.x = s, .top = found.value});
    }
    out.set_patch(ends);
}

/// The manifold along one axis.
void along(const Vec3& n, const ConvexSide& side_a, const ConvexSide& side_b, const Reach& reach,
           Manifold& out) {
    const ConvexSolid &a = side_a.solid, &b = side_b.solid;
    const SupportFace up = a.face(-n, reach.inset), down = b.face(n, reach.inset);
    const std::uint32_t faces = std::uint32_t{up.id} << 20 | std::uint32_t{down.id} << 17;
    if (up.count == 2 && down.count == 2) return side_on_side(a, side_b, n, faces, out);
    if (up.count < 3 && down.count < 3)
        return;  // an end against an end or a side: the closest points are all
    const Mat3 frame = frame_of(n);
    const double slack = tuning::outline_slack * (a.diameter() + b.diameter());
    const ContactPolygon overlap = overlap_of_faces(up, down, frame, slack);
    for (const PolygonPoint& p : overlap) {
        if (p.redundant) continue;
        const std::uint32_t name = faces | std::uint32_t{p.before} << 8 | p.after;
        const auto at = [&](double height) { return transpose_times(frame, {height, p.x, p.y}); };
        const bool ball_of_a = up.count == 2 && a.kind() == Kind::capsule &&
                               add_ball(a, at(p.top + a.radius()), side_b, 1, name, out);
        const bool ball_of_b = down.count == 2 && b.kind() == Kind::capsule &&
                               add_ball(b, at(p.bottom - b.radius()), side_a, -1, name, out);
        if (!ball_of_a && !ball_of_b) out.add(name, at(0.5 * (p.top + p.bottom)), n, p.gap());
    }
    out.set_patch(overlap);
}

void find_convex_hits(const Body& a, const Body& b, const Reach& reach, double farthest, const Vec3& origin,
                      Manifold& out) {
    const ConvexSolid sa(*a.exact_shape(), a.pose(), origin), sb(*b.exact_shape(), b.pose(), origin);
    const auto posed = [&](const Body& body) {
        Transform pose = body.pose();
        pose.position -= origin;
        return PosedDistance(*body.distance(), pose);
    };
    const PosedDistance da = posed(a), db = posed(b);
    const ConvexSide side_a{sa, da}, side_b{sb, db};
    const double rounding = tuning::outline_slack * (sa.diameter() + sb.diameter());
    Separation axis = separating_axis(side_a, side_b);
    if (axis.distance > farthest) return;
    along(axis.normal, side_a, side_b, reach, out);
    // An axis is the best nearby where the flats that it shows overlap at their lowest gap. Deep inside, another may be
    // better all the same.
    const bool round = sa.kind() != Kind::box || sb.kind() != Kind::box;
    const bool open = out.lowest() > axis.distance + rounding;
    if (!axis.witness && (open || (round && axis.distance < -reach.inset))) {
        const Separation better = with_round_features(side_a, side_b, axis);
        if (better.distance > axis.distance) {
            axis = better;
            out.clear();
            if (axis.distance > farthest) return;
            along(axis.normal, side_a, side_b, reach, out);
        }
    }
    if (out.lowest() <= axis.distance + rounding) return;
    const Vec3 middle =
        axis.witness ? *axis.witness : 0.5 * (sa.support(-axis.normal) + sb.support(axis.normal));
    out.add(witness_name, middle, axis.normal, axis.distance);
}

}  // namespace

void find_exact_hits(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits) {
    PLUSH_ASSERT(is_exact_pair(a, b));
    const ExactShape &sa = *a.exact_shape(), &sb = *b.exact_shape();
    if (sa.kind == Kind::half_space && sb.kind == Kind::half_space) return;
    if (sa.kind == Kind::torus || sb.kind == Kind::torus) return find_ring_hits(a, b, reach, hits);
    const double farthest = reach.margin + reach.step * (norm(a.common_velocity() - b.common_velocity()) +
                                                         a.speed_spread() + b.speed_spread());
    const bool plane_a = sa.kind == Kind::half_space, plane_b = sb.kind == Kind::half_space;
    const Vec3 origin = plane_a ? b.pose().position : a.pose().position;
    Manifold out(a, b, reach, origin, hits);
    if (!plane_a && !plane_b) return find_convex_hits(a, b, reach, farthest, origin, out);
    const Transform plane = plane_a ? a.pose() : b.pose();
    const Vec3 normal = rotate(plane.rotation, plane_a ? sa.size : sb.size);
    const double level = dot(plane.position - origin, normal);
    const ConvexSolid solid(plane_a ? sb : sa, plane_a ? b.pose() : a.pose(), origin);
    if (-solid.extent(normal) - level > farthest) return;
    on_half_space(solid, normal, level, plane_a ? -1 : 1, reach, out);
}

}  // namespace plush
