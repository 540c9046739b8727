#include <algorithm>
#include <cmath>

#include "detect/penetration/tet_overlap.hpp"
#include "world/world_impl.hpp"

// Questions to a world, answered by the bodies' distances.

namespace plush {

bool World::may_collide(BodyId a, BodyId b) const {
    return impl_->collision_allowed(impl_->slot_of(a), impl_->slot_of(b));
}

std::vector<TetOverlapResult> World::overlapping_tets() const {
    const auto& slots = impl_->slots;
    std::vector<std::uint32_t> with;
    std::vector<std::vector<Vec3>> x;
    std::vector<Box3> boxes;
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
        if (!slots[i].body || slots[i].tets.tets().empty()) continue;
        with.push_back(i);
        auto& here = x.emplace_back();
        if (slots[i].kind == BodyKind::deformable) {
            const auto now = slots[i].deformable().positions();
            here.assign(now.begin(), now.end());
        } else {
            const Transform pose = slots[i].body->pose();
            for (const Vec3& p : slots[i].tets.positions()) here.push_back(pose * p);
        }
        Box3& box = boxes.emplace_back();
        for (const Vec3& p : here) box.add(p);
    }
    std::vector<TetOverlapResult> result;
    BroadPhase near;
    for (const auto& [a, b] : near.find(boxes)) {
        if (!impl_->collision_allowed(with[a], with[b])) continue;
        if (const auto found =
                find_tet_overlap(x[a], slots[with[a]].tets.tets(), x[b], slots[with[b]].tets.tets()))
            result.push_back({impl_->id(with[a]), impl_->id(with[b]), found->pairs});
    }
    return result;
}
namespace {

// Sphere tracing (Hart 1996): a step by the distance at hand never passes a surface, where that is a true
// distance or a lower bound. Sampled distances are neither to the last digit: steps are shortened a little,
// and the last one is refined by bisection.
std::optional<double> trace(const Body& body, const Vec3& origin, const Vec3& direction, double far) {
    constexpr int most_steps = 512;
    constexpr double close = 1e-7, shorten = 0.95;
    const Transform to_body = inverse(body.pose());
    const Vec3 o = to_body * origin, d = rotate(to_body.rotation, direction);
    const auto value = [&](double t) { return body.distance()->sample(o + t * d).value; };
    double t = 0, before = 0;
    for (int i = 0; i < most_steps && t <= far; ++i) {
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

std::optional<RayResult> World::ray(const Vec3& origin, const Vec3& direction, double max_distance) const {
    if (!is_finite(origin) || !is_finite(direction) || !(norm(direction) > 0) || !(max_distance > 0))
        throw Error({.place = "ray",
                     .problem = "it has no origin, direction or length",
                     .cure = "give finite numbers and a direction of any length but zero"});
    const Vec3 d = normalised(direction);
    std::optional<RayResult> nearest;
    for (BodyId id : bodies()) {
        const Body& body = *impl_->slot(id).body;
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

std::optional<ClosestResult> World::closest(const Vec3& point, double max_distance) const {
    if (!is_finite(point))
        throw Error(
            {.place = "point", .problem = "it is not finite", .cure = "check the number that was computed"});
    std::optional<ClosestResult> nearest;
    for (BodyId id : bodies()) {
        const Body& body = *impl_->slot(id).body;
        if (!body.distance()) continue;
        const Transform pose = body.pose();
        const DistanceSample s = body.distance()->sample(inverse(pose) * point);
        if (s.value > max_distance || (nearest && s.value >= nearest->distance)) continue;
        nearest = ClosestResult{id, s.value, point - rotate(pose.rotation, s.gradient) * s.value};
    }
    return nearest;
}

std::vector<BodyId> World::overlapping(const Box3& box) const {
    std::vector<BodyId> found;
    for (BodyId id : bodies())
        if (impl_->slot(id).body->bounds().overlaps(box)) found.push_back(id);
    return found;
}

}  // namespace plush
