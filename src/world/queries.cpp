#include "world/queries.hpp"

#include <algorithm>
#include <cmath>

#include "core/transcendental.hpp"
#include "detect/broad_phase.hpp"
#include "detect/penetration/tet_overlap.hpp"
#include "world/surface_points.hpp"

namespace plush {

std::vector<TetOverlapResult> overlapping_tets(const BodyStore& bodies, const PairRules& rules) {
    std::vector<std::uint32_t> with;
    std::vector<std::vector<Vec3>> x;
    std::vector<Box3> boxes;
    for (std::uint32_t i = 0; i < bodies.size(); ++i) {
        if (!bodies[i].body || bodies[i].tets.tets().empty()) continue;
        with.push_back(i);
        auto& here = x.emplace_back();
        if (bodies[i].kind == BodyKind::deformable) {
            const auto now = bodies[i].deformable().positions();
            here.assign(now.begin(), now.end());
        } else {
            const Transform pose = bodies[i].body->pose();
            for (const Vec3& p : bodies[i].tets.positions()) here.push_back(pose * p);
        }
        Box3& box = boxes.emplace_back();
        for (const Vec3& p : here) box.add(p);
    }
    std::vector<TetOverlapResult> result;
    BroadPhase near;
    for (const auto& [a, b] : near.find(boxes)) {
        if (!rules.collision_allowed(with[a], with[b])) continue;
        if (const auto found =
                find_tet_overlap(x[a], bodies[with[a]].tets.tets(), x[b], bodies[with[b]].tets.tets()))
            result.push_back({bodies.id(with[a]), bodies.id(with[b]), found->pairs});
    }
    return result;
}

namespace {

// Sphere tracing (Hart 1996): a step by the distance at hand never passes a surface, where that is a true
// distance or a lower bound. Sampled distances are neither to the last digit: steps are shortened a little,
// and the last one is refined by bisection.
std::optional<double> trace(const Body& body, const Vec3& origin, const Vec3& direction, double far) {
    constexpr int max_steps = 512;
    constexpr double close = 1e-7, shorten = 0.95;
    const Transform to_body = inverse(body.pose());
    const Vec3 o = to_body * origin, d = rotate(to_body.rotation, direction);
    const auto value = [&](double t) { return body.distance()->sample(o + t * d).value; };
    double t = 0, before = 0;
    for (int i = 0; i < max_steps && t <= far; ++i) {
        const double v = value(t);
        if (v < close) {
            for (int k = 0; k < 60 && v < 0 && t - before > close; ++k) {
                const double middle = 0.5 * (before + t);
                (value(middle) < 0 ? t : before) = middle;
            }
            return t;
        }
        before = t;
        t += shorten * v + close;
    }
    return std::nullopt;
}

/// A hit on the triangles of a body. `to_world`: of the triangles' frame.
RayResult result_of(const BodyStore& bodies, BodyId id, const SurfaceTriangles& surface,
                    const TriangleHit& hit, const Vec3& point, const Transform& to_world) {
    const Triangle& t = surface.triangles[static_cast<std::size_t>(hit.triangle)];
    const auto at = [&](std::size_t k) { return surface.positions[static_cast<std::size_t>(t[k])]; };
    const Vec3 n = cross(at(1) - at(0), at(2) - at(0));
    return {id, hit.t, point, norm2(n) > 0 ? rotate(to_world.rotation, normalised(n)) : Vec3{},
            make_surface_point(bodies, id, static_cast<std::uint32_t>(hit.triangle), hit.weights)};
}

/// The place of a body with a distance: its own frame tells all, the nearest triangle of what is drawn goes with it.
SurfacePoint distance_point(BodyId id, const SurfaceTriangles& surface, const Vec3& local,
                            const Vec3& normal) {
    SurfacePoint at{id, SurfacePoint::none, {1, 0, 0}, local, normal};
    if (const auto near = surface.closest(local, HUGE_VAL))
        at.triangle = static_cast<std::uint32_t>(near->triangle), at.weights = near->weights;
    return at;
}

/// Where a ray enters a ball or a capsule; 0 from inside.
std::optional<double> enter_capsule(const Vec3& origin, const Vec3& d, const Vec3& a, const Vec3& b,
                                    double radius) {
    std::optional<double> first;
    const auto offer = [&](double t) {
        if (t >= 0 && (!first || t < *first)) first = t;
    };
    // |o + t d|² = r², the first root; d need not have unit length.
    const auto root = [&](const Vec3& o, const Vec3& along) -> std::optional<double> {
        const double aa = norm2(along), half = dot(o, along), c = norm2(o) - radius * radius;
        const double disc = half * half - aa * c;
        if (!(aa > 0) || disc < 0) return {};
        return (-half - std::sqrt(disc)) / aa;
    };
    const auto gap = [&](const Vec3& p) {
        const Vec3 ab = b - a;
        const double l2 = norm2(ab);
        const double s = l2 > 0 ? std::clamp(dot(p - a, ab) / l2, 0.0, 1.0) : 0;
        return norm(p - a - s * ab) - radius;
    };
    if (gap(origin) <= 0) return 0.0;
    for (const Vec3& centre : {a, b})
        if (const auto t = root(origin - centre, d)) offer(*t);
    if (a == b) return first;
    const Vec3 n = normalised(b - a), o = origin - a;
    if (const auto t = root(o - dot(o, n) * n, d - dot(d, n) * n)) {
        const double s = dot(o + *t * d, n);
        if (s >= 0 && s <= norm(b - a)) offer(*t);
    }
    return first;
}

std::optional<RayResult> ray_on_beads(const BodyRecord& record, BodyId id, const Vec3& origin, const Vec3& d,
                                      double far) {
    const BeadSurface beads = beads_of(record);
    std::optional<RayResult> nearest;
    if (!(beads.radius > 0)) return nearest;
    for (std::size_t i = 0; i < beads.size(); ++i) {
        const auto [ia, ib] = beads.ends(i);
        const Vec3 &a = beads.positions[ia], &b = beads.positions[ib];
        const auto t = enter_capsule(origin, d, a, b, beads.radius);
        if (!t || *t > far || (nearest && *t >= nearest->distance)) continue;
        const Vec3 point = origin + *t * d, ab = b - a;
        const double s = ia == ib ? 0 : std::clamp(dot(point - a, ab) / norm2(ab), 0.0, 1.0);
        const Vec3 out = point - a - s * ab;
        nearest = RayResult{id,
                            *t,
                            point,
                            norm2(out) > 0 ? normalised(out) : -d,
                            {id, static_cast<std::uint32_t>(i), {1 - s, s, 0}, {}, {}}};
    }
    return nearest;
}

std::optional<RayResult> ray_on_body(const BodyStore& bodies, const QuerySurfaces& surfaces, BodyId id,
                                     const Vec3& origin, const Vec3& d, double far) {
    const BodyRecord& record = bodies.at(id);
    if (is_beads(record)) return ray_on_beads(record, id, origin, d, far);
    const SurfaceTriangles surface = surfaces.triangles(bodies.index_of(id));
    const Transform pose = record.is_deformable() ? Transform{} : record.body->pose(), back = inverse(pose);
    if (is_queried_by_triangles(record)) {
        const auto hit = surface.ray(back * origin, rotate(back.rotation, d), far);
        if (!hit) return {};
        return result_of(bodies, id, surface, *hit, origin + hit->t * d, pose);
    }
    const auto t = trace(*record.body, origin, d, far);
    if (!t) return {};
    const Vec3 point = origin + *t * d, local = back * point;
    const Vec3 normal = record.body->distance()->sample(local).gradient;
    return RayResult{id, *t, point, rotate(pose.rotation, normal),
                     distance_point(id, surface, local, normal)};
}

/// Whether a point is inside of closed triangles of which this is the nearest place: by the pseudo-normal there, the sum of
/// the normals of all triangles that meet in it, weighted by their angles (Baerentzen & Aanaes 2005).
bool is_inside(const SurfaceTriangles& surface, const ClosestPoint& near, const Vec3& p) {
    const Triangle& own = surface.triangles[static_cast<std::size_t>(near.triangle)];
    std::vector<int> shared;  // the corners that the place is between
    for (std::size_t k = 0; k < 3; ++k)
        if (near.weights[k] != 0) shared.push_back(own[k]);
    Vec3 normal{};
    const auto add = [&](const Triangle& t) {
        const auto at = [&](std::size_t k) { return surface.positions[static_cast<std::size_t>(t[k % 3])]; };
        const Vec3 n = cross(at(1) - at(0), at(2) - at(0));
        if (!(norm2(n) > 0)) return;
        double angle = 1;
        for (std::size_t k = 0; k < 3 && shared.size() == 1; ++k)
            if (t[k] == shared[0]) {
                const Vec3 u = at(k + 1) - at(k), v = at(k + 2) - at(k);
                angle = pinned::atan2(norm(cross(u, v)), dot(u, v));
            }
        normal += angle * normalised(n);
    };
    const auto has = [](const Triangle& t, int v) { return t[0] == v || t[1] == v || t[2] == v; };
    if (shared.size() == 3) {
        add(own);
    } else {
        for (const Triangle& t : surface.triangles)
            if (std::all_of(shared.begin(), shared.end(), [&](int v) { return has(t, v); })) add(t);
    }
    return dot(p - near.point, normal) < 0;
}

std::optional<ClosestResult> closest_on_beads(const BodyRecord& record, BodyId id, const Vec3& point,
                                              double max_distance) {
    const BeadSurface beads = beads_of(record);
    std::optional<ClosestResult> nearest;
    for (std::size_t i = 0; i < beads.size(); ++i) {
        const auto [ia, ib] = beads.ends(i);
        const Vec3 &a = beads.positions[ia], ab = beads.positions[ib] - a;
        const double l2 = norm2(ab), s = l2 > 0 ? std::clamp(dot(point - a, ab) / l2, 0.0, 1.0) : 0;
        const Vec3 axis = a + s * ab, out = point - axis;
        const double d = norm(out) - beads.radius;
        if (d > max_distance || (nearest && d >= nearest->distance)) continue;
        const Vec3 unit = norm2(out) > 0 ? normalised(out) : Vec3{0, 1, 0};
        nearest = ClosestResult{
            id, d, axis + beads.radius * unit, {id, static_cast<std::uint32_t>(i), {1 - s, s, 0}, {}, {}}};
    }
    return nearest;
}

bool is_closed(const BodyRecord& record) {
    // Of a deformable body the flag is that of the surface that touches, which is closed where the drawn one is.
    return !record.is_deformable() || record.parts.encloses_volume;
}

}  // namespace

std::optional<RayResult> cast_ray(const BodyStore& bodies, const QuerySurfaces& surfaces, const Vec3& origin,
                                  const Vec3& direction, double max_distance) {
    if (!is_finite(origin) || !is_finite(direction) || !(norm(direction) > 0) || !(max_distance > 0))
        throw Error({.place = "ray",
                     .problem = "it has no origin, direction or length",
                     .cure = "give finite numbers and a direction of any length but zero"});
    const Vec3 d = normalised(direction);
    std::optional<RayResult> nearest;
    for (const BodyId id : bodies.ids()) {
        auto hit = ray_on_body(bodies, surfaces, id, origin, d, nearest ? nearest->distance : max_distance);
        if (hit && !(nearest && hit->distance >= nearest->distance)) nearest = hit;
    }
    return nearest;
}

std::optional<ClosestResult> closest_on_body(const BodyStore& bodies, const QuerySurfaces& surfaces,
                                             std::uint32_t body, const Vec3& point, double max_distance) {
    const BodyRecord& record = bodies[body];
    const BodyId id = bodies.id(body);
    if (is_beads(record)) return closest_on_beads(record, id, point, max_distance);
    const SurfaceTriangles surface = surfaces.triangles(body);
    const Transform pose = record.is_deformable() ? Transform{} : record.body->pose();
    const Vec3 local = inverse(pose) * point;
    if (is_queried_by_triangles(record)) {
        // Inside, the place may be farther than the largest distance, which is signed.
        const auto near = surface.closest(local, HUGE_VAL);
        if (!near) return {};
        const bool inside = is_closed(record) && is_inside(surface, *near, local);
        const double distance = (inside ? -1 : 1) * std::sqrt(near->distance2);
        if (distance > max_distance) return {};
        return ClosestResult{
            id, distance, pose * near->point,
            make_surface_point(bodies, id, static_cast<std::uint32_t>(near->triangle), near->weights)};
    }
    const DistanceSample s = record.body->distance()->sample(local);
    if (s.value > max_distance) return {};
    const Vec3 on = local - s.gradient * s.value;
    return ClosestResult{id, s.value, point - rotate(pose.rotation, s.gradient) * s.value,
                         distance_point(id, surface, on, s.gradient)};
}

std::optional<ClosestResult> closest_body(const BodyStore& bodies, const QuerySurfaces& surfaces,
                                          const Vec3& point, double max_distance) {
    if (!is_finite(point))
        throw Error(
            {.place = "point", .problem = "it is not finite", .cure = "check the number that was computed"});
    std::optional<ClosestResult> nearest;
    for (const BodyId id : bodies.ids()) {
        const double far = nearest ? nearest->distance : max_distance;
        const auto found = closest_on_body(bodies, surfaces, bodies.index_of(id), point, far);
        if (found && !(nearest && found->distance >= nearest->distance)) nearest = found;
    }
    return nearest;
}

std::vector<BodyId> bodies_overlapping(const BodyStore& bodies, const Box3& box) {
    std::vector<BodyId> found;
    for (const BodyId id : bodies.ids())
        if (bodies.at(id).body->bounds().overlaps(box)) found.push_back(id);
    return found;
}

}  // namespace plush
