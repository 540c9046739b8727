#include "world/queries.hpp"

#include <algorithm>
#include <cmath>

#include "detect/broad_phase.hpp"
#include "detect/penetration/tet_overlap.hpp"

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

}  // namespace

std::optional<RayResult> cast_ray(const BodyStore& bodies, const Vec3& origin, const Vec3& direction,
                                  double max_distance) {
    if (!is_finite(origin) || !is_finite(direction) || !(norm(direction) > 0) || !(max_distance > 0))
        throw Error({.place = "ray",
                     .problem = "it has no origin, direction or length",
                     .cure = "give finite numbers and a direction of any length but zero"});
    const Vec3 d = normalised(direction);
    std::optional<RayResult> nearest;
    for (const BodyId id : bodies.ids()) {
        const Body& body = *bodies.at(id).body;
        if (!body.distance()) continue;
        const auto t = trace(body, origin, d, nearest ? nearest->distance : max_distance);
        if (!t || (nearest && *t >= nearest->distance)) continue;
        const Vec3 point = origin + *t * d;
        const Transform pose = body.pose();
        const Vec3 normal = rotate(pose.rotation, body.distance()->sample(inverse(pose) * point).gradient);
        nearest = RayResult{id, *t, point, normal};
    }
    return nearest;
}

std::optional<ClosestResult> closest_body(const BodyStore& bodies, const Vec3& point, double max_distance) {
    if (!is_finite(point))
        throw Error(
            {.place = "point", .problem = "it is not finite", .cure = "check the number that was computed"});
    std::optional<ClosestResult> nearest;
    for (const BodyId id : bodies.ids()) {
        const Body& body = *bodies.at(id).body;
        if (!body.distance()) continue;
        const Transform pose = body.pose();
        const DistanceSample s = body.distance()->sample(inverse(pose) * point);
        if (s.value > max_distance || (nearest && s.value >= nearest->distance)) continue;
        nearest = ClosestResult{id, s.value, point - rotate(pose.rotation, s.gradient) * s.value};
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
