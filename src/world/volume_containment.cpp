#include <algorithm>

#include "detect/depth_images/surface_nearest.hpp"
#include "geometry/sdf/posed_distance.hpp"
#include "world/volume_query.hpp"

// Where the volume that two bodies share does not tell how they part: one is wholly inside the other, and the volume does not
// change as it moves; or one goes right through the other, and the volume changes along it only when an end comes in.
// Which of these it is the lines of the images tell (LineCounts), by whose surface they go in and out.
//
//      inside               right through                 across a hole
//    ┌────────┐            ┌───┐                       ┌──┐      ┌──┐
//    │  ▓▓    │          ▒▒│▓▓▓│▒▒▒▒                   │ ▓│▒▒▒▒▒▒│▓ │      two contacts like others: lines go in
//    │  ▓▓    │            │   │                       │  │      │  │      through one surface and out through the other
//    └────────┘            └───┘                       └──┘      └──┘
//
// What is inside leaves by the shortest way of its middle, by the outer body's distance. Of what goes through, the directions
// that the two distances know at the overlap's middle, and the one across both, are compared by how far the two would have to move.

namespace plush {

double reach_along(const SurfaceView& view, const Vec3& n) {
    const Vec3 m = rotate(conjugate(view.pose.rotation), n), w = abs(m);
    double most = -HUGE_VAL;
    for (const Box3& box : view.bounds->outline())
        most = std::max(most, dot(m, box.centre()) + 0.5 * dot(w, box.size()));
    return most + dot(n, view.pose.position);
}

/// A direction, and how far something has to go along it, m.
struct VolumeQuery::WayOut {
    Vec3 direction{};
    double length = HUGE_VAL;
};

namespace {

const Transform& pose_of(const VolumePair& pair, std::uint32_t body) {
    return body == pair.i ? pair.pose_i : pair.pose_j;
}

/// All of these overlaps as one, without a direction.
Overlap sum_of(std::span<const Overlap> parts) {
    Overlap all;
    double weights = 0;
    for (const Overlap& o : parts) {
        all.volume += o.volume, all.area += o.area;
        all.centre += o.volume * o.centre, weights += o.volume;
        all.largest_depth = std::max(all.largest_depth, o.largest_depth);
        all.columns += o.columns;
    }
    if (weights > 0) all.centre = all.centre / weights;
    return all;
}

}  // namespace

/// The shortest way of a point that is in a body.
std::optional<VolumeQuery::WayOut> VolumeQuery::way_out_of(std::uint32_t outer, const VolumePair& pair,
                                                           const Vec3& from, BodyPlace place) const {
    const Transform& pose = pose_of(pair, outer);
    if (surfaces_.soft(outer)) {
        const Vec3 way = nearest_point(surfaces_.view(outer, pose, place), from) - from;
        return WayOut{normalised(way, {0, 1, 0}), norm(way)};
    }
    const DistanceSample s = PosedDistance(*bodies_[outer].body->distance(), pose).sample(from);
    if (s.value > 0) return {};
    return WayOut{normalised(s.gradient, {0, 1, 0}), -s.value};
}

/// How a is moved out of b, where one goes through the other.
VolumeQuery::WayOut VolumeQuery::way_apart(const VolumePair& pair, std::uint32_t a, std::uint32_t b,
                                           const Vec3& centre, BodyPlace place) const {
    const SurfaceView view_a = surfaces_.view(a, pose_of(pair, a), place),
                      view_b = surfaces_.view(b, pose_of(pair, b), place);
    WayOut best;
    const auto consider = [&](const Vec3& n, double length) {
        if (length < best.length) best = {n, length};
    };
    // Past a face that is near the middle, or past all of it.
    const auto of_a = way_out_of(b, pair, centre, place), of_b = way_out_of(a, pair, centre, place);
    if (of_a)
        consider(of_a->direction,
                 of_a->length + dot(of_a->direction, centre) + reach_along(view_a, -of_a->direction));
    if (of_b)
        consider(-of_b->direction,
                 of_b->length + dot(of_b->direction, centre) + reach_along(view_b, -of_b->direction));
    const Vec3 across = of_a && of_b ? cross(of_a->direction, of_b->direction) : Vec3{};
    for (const Vec3& n : {across, of_a ? of_a->direction : Vec3{}, of_b ? of_b->direction : Vec3{}})
        for (const double sign : {1.0, -1.0})
            if (norm2(n) > 0.01) {
                const Vec3 along = normalised(sign * n);
                consider(along, reach_along(view_b, along) + reach_along(view_a, -along));
            }
    return best;
}

std::optional<VolumeContact> VolumeQuery::containment(const VolumePair& pair, std::uint32_t a,
                                                      std::uint32_t b, const OverlapModel& model,
                                                      BodyPlace place, bool told) const {
    const LineCounts& lines = model.lines();
    const bool soft = surfaces_.any_soft(a, b);
    const bool inside = lines.a_inside() || lines.b_inside() || !surfaces_.has(b) || soft;
    // Limbs of a soft body find their own way, as long as any part of it tells one.
    const bool through = !inside && lines.right_through();
    if (a == b || model.contacts.empty()) return {};
    if (told && !lines.a_inside() && !lines.b_inside() && !through) return {};
    const auto& parts = model.contacts;
    const auto largest = std::max_element(
        parts.begin(), parts.end(), [](const Overlap& x, const Overlap& y) { return x.volume < y.volume; });
    VolumeContact contact{.a = a, .b = b, .overlap = soft ? *largest : sum_of(parts)};
    Overlap& o = contact.overlap;
    if (!(o.volume > 0)) return {};
    if (inside) {
        // Of soft bodies whose parts tell nothing the smaller one leaves.
        const bool told_side = lines.a_inside() || lines.b_inside();
        const bool from_b = told_side ? lines.a_inside() : surfaces_.volume(a) <= surfaces_.volume(b);
        const auto out = way_out_of(from_b ? b : a, pair, o.centre, place);
        if (!out) return {};
        o.normal = from_b ? out->direction : -out->direction;
        contact.depth = out->length + o.largest_depth;
    } else {
        const WayOut out = way_apart(pair, a, b, o.centre, place);
        if (!(out.length < HUGE_VAL)) return {};
        o.normal = out.direction, contact.depth = out.length;
    }
    o.sides = {o.centre, o.centre};
    o.one_sided = false;
    contact.containment = true;
    contact.area = std::max(o.area, 1e-300);
    return contact;
}

}  // namespace plush
