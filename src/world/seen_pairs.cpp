#include <algorithm>

#include "core/tuning.hpp"
#include "geometry/shape_data.hpp"
#include "world/world_impl.hpp"

// What was seen of a pair with a deformable body, and is carried along while the two are near where they were
// looked at: to the end of the step, through the passes of stabilise, and into the steps that follow. A
// contact changes to first order, V + ∂V/∂q Δq; it keeps its place, its normal and its area. It is state,
// for how far it was carried depends on the steps before.

namespace plush {

// Beside their types, where visitors look for them.
static void visit_state(StateVisitor& v, VertexGradient& g) {
    v(g.vertex, g.gradient);
}

static void visit_state(StateVisitor& v, VolumeContact& c) {
    Overlap& o = c.overlap;
    v(c.a, c.b, c.own_normal, c.escape, c.area, c.depth, c.allowed, o.volume, o.gradient, o.moment, o.area,
      o.centre, o.sides, o.normal, o.largest_depth, o.a, o.b);
}

static void visit_state(StateVisitor& v, SeenPair& pair) {
    v(pair.i, pair.j, pair.drift.near, pair.drift.touch, pair.pixel, pair.direction, pair.contacts);
}

void World::Impl::visit_seen(StateVisitor& v) {
    for (Slot& slot : slots)
        if (slot.body) v(slot.seen_positions, slot.seen_pose);
    v(seen_pairs);
}

/// Whether what was restored speaks of bodies that are there.
bool World::Impl::seen_makes_sense() const {
    const auto has = [&](std::uint32_t k, const std::vector<VertexGradient>& gradients) {
        if (k >= slots.size() || !slots[k].body) return false;
        const std::size_t count = slots[k].body->node_count();
        return std::all_of(gradients.begin(), gradients.end(),
                           [&](const VertexGradient& g) { return g.vertex < count; });
    };
    return std::all_of(seen_pairs.begin(), seen_pairs.end(), [&](const SeenPair& pair) {
        return std::all_of(pair.contacts.begin(), pair.contacts.end(), [&](const VolumeContact& c) {
            return std::min(c.a, c.b) == pair.i && std::max(c.a, c.b) == pair.j && has(c.a, c.overlap.a) &&
                   has(c.b, c.overlap.b);
        });
    });
}

/// A body that comes, goes or is another one after a cut: nothing is known of it.
void World::Impl::forget_seen(std::uint32_t body) {
    std::erase_if(seen_pairs, [&](const SeenPair& pair) { return pair.i == body || pair.j == body; });
}

namespace {

/// From one pose to another, of a rigid body: its centre's way, and a rotation vector.
Twist way_between(const Transform& from, const Transform& to) {
    return {to.position - from.position, log_rotation(to.rotation * conjugate(from.rotation))};
}

}  // namespace

/// How far bodies are, or will be, from where contacts were last looked for or carried to.
void World::Impl::measure_missed(VolumeLook look) {
    const bool ahead = look == VolumeLook::ahead;
    parallel.each(slots.size(), 1, [&](std::size_t i) {
        Slot& slot = slots[i];
        slot.missed = 0;
        if (!slot.body || slot.asleep) return;
        if (slot.soft_surface) {
            if (look == VolumeLook::end) slot.seen_positions = slot.expected_positions;
            const auto x =
                ahead ? std::span<const Vec3>(slot.expected_positions) : slot.deformable().positions();
            slot.witnesses.clear();
            if (slot.seen_positions.size() == x.size())
                slot.soft_surface->ask(slot.seen_positions, x, slot.witnesses);
            else
                slot.missed = HUGE_VAL;
            for (const SoftSurface::Witness& w : slot.witnesses) slot.missed = std::max(slot.missed, w.way);
        } else if (slot.kind != BodyKind::deformable) {
            if (look == VolumeLook::end) slot.seen_pose = slot.expected_pose;
            const Twist way = way_between(slot.seen_pose, ahead ? slot.expected_pose : slot.body->pose());
            const double turn = norm(way.angular);
            slot.missed = norm(way.linear) + (turn > 0 ? turn * norm(slot.shape.bounds().size()) : 0);
        }
    });
}

void World::Impl::remember_places() {
    for (Slot& slot : slots) {
        if (!slot.body || slot.asleep) continue;
        if (slot.soft_surface) {
            const auto x = slot.deformable().positions();
            slot.seen_positions.assign(x.begin(), x.end());
        }
        slot.seen_pose = slot.body->pose();
    }
}

/// How much deeper a contact is where its bodies are now, or will be, to first order: ∂V/∂q Δq by its area.
double World::Impl::deepened(const VolumeContact& contact, VolumeLook look) const {
    const bool ahead = look == VolumeLook::ahead;
    double change = 0;
    for (std::size_t side = 0; side < (contact.self() ? 1u : 2u); ++side) {
        const Slot& slot = slots[side == 0 ? contact.a : contact.b];
        if (slot.asleep || slot.missed == 0) continue;
        if (slot.soft_surface)
            change += deepening(
                contact, side, slot.seen_positions,
                ahead ? std::span<const Vec3>(slot.expected_positions) : slot.deformable().positions());
        else
            change += deepening(contact, side, slot.seen_pose.position,
                                way_between(slot.seen_pose, ahead ? slot.expected_pose : slot.body->pose()));
    }
    return change;
}

/// How far the parts of a body have moved that are near another one.
double World::Impl::near_way(std::uint32_t body, std::uint32_t other, VolumeLook look) const {
    const Slot &slot = slots[body], &there = slots[other];
    if (body == other || !slot.soft_surface || slot.missed == 0 || slot.missed == HUGE_VAL)
        return slot.missed;
    const bool ahead = look == VolumeLook::ahead;
    const double around = tuning::witness_reach * slot.soft_surface->size();
    const auto farthest = [&](const auto& near) {
        double most = 0;
        for (const SoftSurface::Witness& w : slot.witnesses)
            if (w.way > most && near(w.at)) most = w.way;
        return most;
    };
    const auto in_box = [&](const Box3& box) {
        return farthest([box = box.grown(around)](const Vec3& x) { return box.contains(x); });
    };
    if (there.soft_surface)
        return in_box((ahead && !there.asleep ? there.bounds_ahead : there.bounds_now).all);
    const Transform& pose = ahead ? there.expected_pose : there.body->pose();
    if (const auto normal = there.shape.data().plane_normal) {
        const Vec3 n = rotate(pose.rotation, *normal);
        return farthest([&](const Vec3& x) { return dot(n, x - pose.position) <= around; });
    }
    if (!there.shape.bounded()) return slot.missed;
    return in_box(ImageMap{to_matrix(pose.rotation), pose.position}(there.shape.bounds()));
}

/// How far the sides of a contact have moved against each other. A heap that creeps as a whole takes its
/// contacts along.
double World::Impl::touch_way(const VolumeContact& contact, VolumeLook look) const {
    const bool ahead = look == VolumeLook::ahead;
    Vec3 apart;
    for (std::size_t side = 0; side < (contact.self() ? 1u : 2u); ++side) {
        const Slot& slot = slots[side == 0 ? contact.a : contact.b];
        if (slot.asleep || slot.missed == 0) continue;
        const Vec3 way =
            slot.soft_surface
                ? movement(
                      contact, side, slot.seen_positions,
                      ahead ? std::span<const Vec3>(slot.expected_positions) : slot.deformable().positions())
                : movement(contact, slot.seen_pose.position,
                           way_between(slot.seen_pose, ahead ? slot.expected_pose : slot.body->pose()));
        apart += side == 0 ? way : -way;
    }
    return norm(apart);
}

PairWay World::Impl::way_of(const VolumePair& pair, std::span<const VolumeContact> found,
                            VolumeLook look) const {
    PairWay way{.near = near_way(pair.i, pair.j, look) + near_way(pair.j, pair.i, look)};
    if (way.near < HUGE_VAL)
        for (const VolumeContact& c : found) way.touch = std::max(way.touch, touch_way(c, look));
    return way;
}

/// A contact where its bodies are now, or will be. It becomes a gap where they part.
void World::Impl::carry(VolumeContact& contact, VolumeLook look) const {
    const double change = deepened(contact, look);
    contact.ahead = false, contact.moved = {};
    contact.depth += change;
    contact.overlap.largest_depth = std::max(0.0, contact.overlap.largest_depth + change);
    contact.overlap.volume = std::max(0.0, contact.depth * contact.area);
}

/// Whether contacts that were found as far away as a pair has drifted, in units of a pixel or what is as
/// small, still tell what is there.
bool World::Impl::may_carry(const VolumePair& pair, std::span<const VolumeContact> found, const PairWay& way,
                            double unit, VolumeLook look) const {
    const bool ahead = look == VolumeLook::ahead;
    const bool rests = way.touch < tuning::resting_pixels * unit;
    const double touch = rests ? tuning::resting_carried_pixels : tuning::seen_pixels;
    if (ahead && pair.drift.touch > touch * unit) return false;
    const double near = ahead || found.empty() ? tuning::seen_pixels : tuning::carried_pixels;
    // Where sides of an overlap cancel, its depth changes by more than its bodies move, and first order says
    // nothing.
    const auto follows = [&](const VolumeContact& c) {
        return !c.escape && std::abs(deepened(c, look)) <= way.near;
    };
    return pair.drift.near <= near * unit && std::all_of(found.begin(), found.end(), follows);
}

/// What was seen of a pair, where that is good enough at the end of the step.
const SeenPair* World::Impl::seen_near(VolumePair& pair) const {
    const auto seen =
        std::lower_bound(seen_pairs.begin(), seen_pairs.end(), std::pair(pair.i, pair.j),
                         [](const SeenPair& s, const auto& key) { return std::pair(s.i, s.j) < key; });
    if (seen == seen_pairs.end() || seen->i != pair.i || seen->j != pair.j) return nullptr;
    const PairWay way = way_of(pair, seen->contacts, VolumeLook::ahead);
    pair.drift = seen->drift;
    pair.drift += way;
    return may_carry(pair, seen->contacts, way, seen->pixel, VolumeLook::ahead) ? &*seen : nullptr;
}

void World::Impl::expect_seen(VolumePair& pair, const SeenPair& seen) {
    std::vector<VolumeContact> there = seen.contacts;
    for (VolumeContact& contact : there) carry(contact, VolumeLook::ahead);
    pair.pixel = seen.pixel, pair.direction = seen.direction;
    expect_contacts(pair, there);
}

/// After a step: what is known for the next one.
void World::Impl::remember_seen() {
    seen_pairs.clear();
    for (const VolumePair& pair : volume_pairs) {
        const Slot &a = slots[pair.i], &b = slots[pair.j];
        if (!pair.looked_ahead || !(pair.pixel > 0)) continue;
        if ((a.dynamic() && a.asleep) || (b.dynamic() && b.asleep)) continue;
        const auto first = volume_contacts.begin() + pair.first;
        seen_pairs.push_back(
            {pair.i, pair.j, pair.drift, pair.pixel, pair.direction, {first, first + pair.count}});
    }
}

}  // namespace plush
