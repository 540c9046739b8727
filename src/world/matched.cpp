#include <algorithm>

#include "contact/fields/surface_law.hpp"
#include "world/world_impl.hpp"

// Bodies of one cluster against one another, after each has moved by itself and before they meet the surfaces
// of all the others: see contact/points/matched_contact.hpp.

namespace plush {
namespace {

/// Turns through all contacts of a step: a choice, not a bound. A few were compared, in the scene
/// `shape_matching` and on one slope, and no count was seen to be better by much.
constexpr int sweeps = 4;
/// Left of an overlap, as a part of a body's smaller extent: so that what rests stays in touch.
constexpr double slack_part = 0.002;

struct Pair {
    std::uint32_t a, b;  ///< places in the list of bodies
    PairLaw law;
};

MatchedContact contact_like(std::uint32_t a, std::uint32_t b, double friction, double restitution,
                            double resting_speed) {
    MatchedContact c;
    c.a = a, c.b = b, c.friction = friction, c.restitution = restitution, c.resting_speed = resting_speed;
    return c;
}

/// Vertices inside of a fixed or scripted body.
void add_contacts(const DeformableBody& a, const PosedObstacle& b, const MatchedContact& like,
                  std::vector<MatchedContact>& out) {
    for (const std::uint32_t i : a.surface_vertices()) {
        const Vec3& x = a.after().x[i];
        const Vec3 p = b.to_local(x);
        if (!b.may_reach_local(p)) continue;
        const DistanceSample s = b.distance().sample(p);
        const double depth = a.settings().radius - s.value;
        if (!(depth > 0)) continue;
        MatchedContact c = like;
        c.point = x, c.normal = b.normal_to_world(s.gradient), c.depth = depth;
        out.push_back(c);
    }
}

/// A body of the list, at the end of the step.
struct Posed {
    std::uint32_t slot;
    Box3 box;
    Vec3 place;
    Mat3 turn;
};

/// Vertices of a inside of b.
void add_contacts(const DeformableBody& a, const DeformableBody& b, const Posed& pose_b,
                  const MatchedContact& like, std::vector<MatchedContact>& out) {
    const Box3 local = b.distance()->bounds();
    for (const std::uint32_t i : a.surface_vertices()) {
        const Vec3& x = a.after().x[i];
        if (!pose_b.box.contains(x)) continue;
        const Vec3 p = transpose_times(pose_b.turn, x - pose_b.place);
        if (!local.contains(p)) continue;
        const DistanceSample s = b.distance()->sample(p);
        const double depth = a.settings().radius - s.value;
        if (!(depth > 0)) continue;
        MatchedContact c = like;
        c.point = x, c.normal = pose_b.turn * s.gradient, c.depth = depth;
        out.push_back(c);
    }
}

}  // namespace

void World::Impl::part_matched() {
    matched.clear();
    std::vector<Posed> bodies;  // of those awake: no other has an end of the step
    for (std::uint32_t i = 0; i < slots.size(); ++i)
        if (slots[i].body && slots[i].kind == BodyKind::deformable && slots[i].body->distance() &&
            !slots[i].asleep && !slots[i].deformable().problem())
            bodies.push_back({i, {}, {}, {}});
    if (bodies.empty()) return;
    std::vector<MatchedProxy> proxies(bodies.size());
    parallel.each(bodies.size(), 8, [&](std::size_t k) {
        const DeformableBody& body = slots[bodies[k].slot].deformable();
        const Transform pose = body.next_pose();
        bodies[k].place = pose.position, bodies[k].turn = to_matrix(pose.rotation);
        for (const Vec3& x : body.after().x) bodies[k].box.add(x);
        body.measure_next(proxies[k].centre, proxies[k].velocity, proxies[k].inverse_inertia);
        proxies[k].inverse_mass = body.pins().empty() ? 1 / body.mass() : 0;
        if (!body.pins().empty()) proxies[k].inverse_inertia = {};
    });

    // Pairs whose boxes overlap: along x in order, each against those that begin before it ends.
    std::vector<std::uint32_t> order(bodies.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
        return std::pair(bodies[i].box.low.x, i) < std::pair(bodies[j].box.low.x, j);
    });
    std::vector<Pair> near;
    for (std::size_t p = 0; p < order.size(); ++p)
        for (std::size_t q = p + 1; q < order.size(); ++q) {
            const std::uint32_t i = std::min(order[p], order[q]), j = std::max(order[p], order[q]);
            if (bodies[order[q]].box.low.x > bodies[order[p]].box.high.x) break;
            if (!bodies[i].box.overlaps(bodies[j].box)) continue;
            if (!collision_allowed(bodies[i].slot, bodies[j].slot)) continue;
            if (touch_by_tets(bodies[i].slot, bodies[j].slot)) continue;
            if (soft_by_volume(bodies[i].slot, bodies[j].slot)) continue;
            ContactMethod method;
            const PairLaw pair_law = law(bodies[i].slot, bodies[j].slot, method);
            if (method != ContactMethod::none) near.push_back({i, j, pair_law});
        }
    std::sort(near.begin(), near.end(),
              [](const Pair& x, const Pair& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });

    constexpr std::size_t chunk = 32;
    std::vector<std::vector<MatchedContact>> found((near.size() + chunk - 1) / chunk);
    parallel.chunks(near.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p) {
            const Pair& n = near[p];
            const DeformableBody &a = slots[bodies[n.a].slot].deformable(),
                                 &b = slots[bodies[n.b].slot].deformable();
            const auto like = [&](std::uint32_t i, std::uint32_t j) {
                return contact_like(i, j, n.law.friction, n.law.restitution, n.law.resting_speed);
            };
            add_contacts(a, b, bodies[n.b], like(n.a, n.b), found[begin / chunk]);
            add_contacts(b, a, bodies[n.a], like(n.b, n.a), found[begin / chunk]);
        }
    });
    std::vector<MatchedContact> touching;
    for (const auto& part : found) touching.insert(touching.end(), part.begin(), part.end());
    // Where surfaces act by impulses, those of fixed and scripted bodies too: each has a proxy without end.
    const std::size_t movable = proxies.size();
    std::vector<std::vector<MatchedContact>> on_fixed(movable);
    std::vector<std::size_t> first_proxy(movable);
    std::vector<std::uint32_t> slot_of;
    for (const Posed& body : bodies) slot_of.push_back(body.slot);
    for (std::size_t k = 0; k < movable; ++k) {
        const SurfaceField& surface = *slots[bodies[k].slot].surface;
        first_proxy[k] = proxies.size();
        for (const Obstacle& o : surface.obstacles()) {
            MatchedProxy& proxy = proxies.emplace_back();
            proxy.centre = o.motion.origin, proxy.velocity = o.motion.twist;
            slot_of.push_back(o.index);
        }
    }
    ContactMethod ignored;
    const double resting = law(bodies[0].slot, bodies[0].slot, ignored).resting_speed;
    parallel.each(movable, 8, [&](std::size_t k) {
        const Slot& slot = slots[bodies[k].slot];
        if (slot.surface->settings().law != SurfaceLaw::impulse) return;
        slot.surface->set_time(slot.deformable().time() + settings.step);
        for (std::size_t o = 0; o < slot.surface->obstacles().size(); ++o) {
            const Obstacle& obstacle = slot.surface->obstacles()[o];
            if (slots[obstacle.index].dynamic()) continue;  // what is free feels vertices alone
            add_contacts(
                slot.deformable(), slot.surface->posed()[o],
                contact_like(static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(first_proxy[k] + o),
                             obstacle.friction, obstacle.restitution, resting),
                on_fixed[k]);
        }
    });
    for (const auto& part : on_fixed) touching.insert(touching.end(), part.begin(), part.end());
    if (touching.empty()) return;
    double size = HUGE_VAL;
    for (const Posed& b : bodies) {
        const Vec3 extent = slots[b.slot].body->distance()->bounds().size();
        size = std::min({size, extent.x, extent.y, extent.z});
    }
    const std::vector<MatchedProxy> before = proxies;
    part_matched_bodies(proxies, touching, settings.step, sweeps, slack_part * size);
    parallel.each(bodies.size(), 8, [&](std::size_t k) {
        const Slot& slot = slots[bodies[k].slot];
        const Twist change{proxies[k].velocity.linear - before[k].velocity.linear,
                           proxies[k].velocity.angular - before[k].velocity.angular};
        // A barrier's promise is the stronger: nothing but the guard moves vertices before one.
        const bool guarded = is_barrier(slot.surface->settings().law);
        slot.deformable().move_next(proxies[k].centre, change, guarded ? Twist{} : proxies[k].shift);
    });
    matched = std::move(touching);
    for (MatchedContact& c : matched) c.a = slot_of[c.a], c.b = slot_of[c.b];
}

}  // namespace plush
