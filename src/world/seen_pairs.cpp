#include <algorithm>

#include "core/tuning.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "math/polar.hpp"
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
    v(c.a, c.b, c.own_normal, c.escape, c.area, c.depth, c.allowed, c.slid, o.volume, o.gradient, o.moment,
      o.area, o.centre, o.sides, o.normal, o.largest_depth, o.a, o.b);
}

static void visit_state(StateVisitor& v, SeenPlace& place) {
    v(place.pose, place.near, place.points);
}

static void visit_state(StateVisitor& v, SeenPair& pair) {
    v(pair.i, pair.j, pair.places, pair.pixel, pair.direction, pair.contacts);
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
        for (const SeenPlace& place : pair.places)
            if (place.near.size() != place.points.size()) return false;
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

/// How far bodies are, or will be, from where contacts were last looked for or carried to, and where their
/// witnesses are.
void World::Impl::measure_missed(VolumeLook look) {
    const bool ahead = look == VolumeLook::ahead;
    parallel.each(slots.size(), 1, [&](std::size_t i) {
        Slot& slot = slots[i];
        slot.missed = 0;
        slot.witnesses.clear();  // what sleeps has none, in a world that was restored too
        if (!slot.body || slot.asleep) return;
        if (slot.soft_surface) {
            if (look == VolumeLook::end) slot.seen_positions = slot.expected_positions;
            const auto x =
                ahead ? std::span<const Vec3>(slot.expected_positions) : slot.deformable().positions();
            double square = slot.seen_positions.size() == x.size() ? 0 : HUGE_VAL;
            for (std::size_t k = 0; k < x.size() && square < HUGE_VAL; ++k)
                square = std::max(square, norm2(x[k] - slot.seen_positions[k]));
            slot.missed = std::sqrt(square);
            slot.soft_surface->witnesses(x, slot.witnesses);
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

/// For each side of a contact that has moved: soft(side, from, to) its vertices, or rigid(side, centre, way).
template <class Soft, class Rigid>
void World::Impl::each_moved_side(const VolumeContact& contact, VolumeLook look, const Soft& soft,
                                  const Rigid& rigid) const {
    const bool ahead = look == VolumeLook::ahead;
    for (std::size_t side = 0; side < (contact.self() ? 1u : 2u); ++side) {
        const Slot& slot = slots[side == 0 ? contact.a : contact.b];
        if (slot.asleep || slot.missed == 0) continue;
        if (slot.soft_surface)
            soft(side, slot.seen_positions,
                 ahead ? std::span<const Vec3>(slot.expected_positions) : slot.deformable().positions());
        else
            rigid(side, slot.seen_pose.position,
                  way_between(slot.seen_pose, ahead ? slot.expected_pose : slot.body->pose()));
    }
}

/// How much deeper a contact is where its bodies are now, or will be, to first order: ∂V/∂q Δq by its area.
double World::Impl::deepened(const VolumeContact& contact, VolumeLook look) const {
    double change = 0;
    const auto add = [&](std::size_t side, const auto& from, const auto& to) {
        change += deepening(contact, side, from, to);
    };
    each_moved_side(contact, look, add, add);
    return change;
}

/// How far the sides of a contact have moved against each other. A heap that creeps as a whole takes its
/// contacts along.
Vec3 World::Impl::slid_by(const VolumeContact& contact, VolumeLook look) const {
    Vec3 apart;
    const auto add = [&](std::size_t side, const auto& from, const auto& to) {
        const Vec3 way = movement(contact, side, from, to);
        apart += side == 0 ? way : -way;
    };
    each_moved_side(contact, look, add, add);
    return apart;
}

/// visit(number, point) for the witnesses of a soft body that are in the box of another one, or so near to
/// it.
template <class F>
void World::Impl::each_near_witness(std::uint32_t body, std::uint32_t other, double around, VolumeLook look,
                                    const F& visit) const {
    const Slot &slot = slots[body], &there = slots[other];
    const bool ahead = look == VolumeLook::ahead;
    const auto each = [&](const auto& near) {
        for (std::uint32_t k = 0; k < slot.witnesses.size(); ++k)
            if (near(slot.witnesses[k])) visit(k, slot.witnesses[k]);
    };
    const auto each_in = [&](const Box3& box) {
        each([wide = box.grown(around)](const Vec3& x) { return wide.contains(x); });
    };
    const Transform pose = ahead ? there.expected_pose : there.body->pose();
    if (there.soft_surface) {
        each_in((ahead && !there.asleep ? there.bounds_ahead : there.bounds_now).steady_all);
    } else if (const auto normal = there.shape.data().plane_normal) {
        const Vec3 n = rotate(pose.rotation, *normal);
        each([&](const Vec3& x) { return dot(n, x - pose.position) <= around; });
    } else if (there.shape.bounded()) {
        each_in(ImageMap{to_matrix(pose.rotation), pose.position}(there.shape.bounds()));
    } else {
        each([](const Vec3&) { return true; });
    }
}

SeenPlace World::Impl::place_of(std::uint32_t body, std::uint32_t other, VolumeLook look) const {
    const Slot& slot = slots[body];
    SeenPlace place;
    if (!slot.soft_surface) {
        place.pose = look == VolumeLook::ahead ? slot.expected_pose : slot.body->pose();
        return place;
    }
    const double around = 2 * tuning::witness_reach * slot.soft_surface->size();
    each_near_witness(body, other, around, look, [&](std::uint32_t k, const Vec3& x) {
        place.near.push_back(k), place.points.push_back(x);
    });
    return place;
}

std::array<SeenPlace, 2> World::Impl::places_of(const VolumePair& pair, VolumeLook look) const {
    return {place_of(pair.i, pair.j, look), place_of(pair.j, pair.i, look)};
}

namespace {

/// How far points have moved against each other, as the farthest from the rigid motion that fits them best;
/// and the turn of that.
struct Strayed {
    double way = 0, turn = 0;
};

Strayed strayed(std::span<const Vec3> before, std::span<const Vec3> now) {
    if (before.size() != now.size() || now.empty()) return {HUGE_VAL, 0};
    Vec3 from, to;
    for (std::size_t k = 0; k < now.size(); ++k) from += before[k], to += now[k];
    from = from / static_cast<double>(now.size()), to = to / static_cast<double>(now.size());
    Mat3 moments{};
    for (std::size_t k = 0; k < now.size(); ++k) moments += outer(now[k] - to, before[k] - from);
    const Mat3 rotation = polar(moments).rotation;
    double square = 0;
    for (std::size_t k = 0; k < now.size(); ++k)
        square = std::max(square, norm2(now[k] - to - rotation * (before[k] - from)));
    // 3 − tr R = (2 sin θ/2)².
    const double trace = rotation(0, 0) + rotation(1, 1) + rotation(2, 2);
    return {std::sqrt(square), std::sqrt(std::max(0.0, 3 - trace))};
}

}  // namespace

/// How far a body has moved from where it was seen, as the farthest of its parts that are near the other;
/// infinitely far where one of them was not near then.
double World::Impl::way_from(const SeenPlace& seen, std::uint32_t body, std::uint32_t other,
                             VolumeLook look) const {
    const Slot& slot = slots[body];
    if (!slot.soft_surface) {
        const Twist way =
            way_between(seen.pose, look == VolumeLook::ahead ? slot.expected_pose : slot.body->pose());
        const double turn = norm(way.angular);
        return norm(way.linear) + (turn > 0 ? turn * norm(slot.shape.bounds().size()) : 0);
    }
    double square = 0;
    std::size_t at = 0;
    const double around = tuning::witness_reach * slot.soft_surface->size();
    each_near_witness(body, other, around, look, [&](std::uint32_t k, const Vec3& x) {
        while (at < seen.near.size() && seen.near[at] < k) ++at;
        const bool known = at < seen.near.size() && seen.near[at] == k;
        square = std::max(square, known ? norm2(x - seen.points[at]) : HUGE_VAL);
    });
    return std::sqrt(square);
}

/// How far two bodies have moved together. What a body looks like to itself does not change where it moves as
/// a whole; but normals of what touches turn with it.
double World::Impl::way_of(const VolumePair& pair, const std::array<SeenPlace, 2>& places, bool touch,
                           double unit, VolumeLook look) const {
    if (pair.i != pair.j)
        return way_from(places[0], pair.i, pair.j, look) + way_from(places[1], pair.j, pair.i, look);
    const Strayed own = strayed(places[0].points, slots[pair.i].witnesses);
    return 2 * own.way + (touch ? own.turn * tuning::pixels_a_turn * unit : 0);
}

/// A contact where its bodies are now, or will be. It becomes a gap where they part.
void World::Impl::carry(VolumeContact& contact, VolumeLook look) const {
    const double change = deepened(contact, look);
    contact.ahead = false, contact.moved = {};
    contact.slid += slid_by(contact, look);
    contact.depth += change;
    contact.overlap.largest_depth = std::max(0.0, contact.overlap.largest_depth + change);
    contact.overlap.volume = std::max(0.0, contact.depth * contact.area);
}

/// Whether contacts that were found where two bodies were then, with a pixel or what is as small for a unit,
/// still tell what is there.
bool World::Impl::may_carry(const VolumePair& pair, const std::array<SeenPlace, 2>& places,
                            std::span<const VolumeContact> found, double unit, VolumeLook look) const {
    const bool ahead = look == VolumeLook::ahead;
    const double step = slots[pair.i].missed + slots[pair.j].missed;
    if (step == HUGE_VAL) return false;
    // Pieces lie on each other with a whole section, and rock on what is a little old: a loaf in two kept 2
    // cm/s.
    if (ahead && (slots[pair.i].in_pieces || slots[pair.j].in_pieces)) return false;
    const auto follows = [&](const VolumeContact& c) {
        // Where sides of an overlap cancel, its depth changes by more than its bodies move, and first order
        // says nothing.
        if (c.escape || std::abs(deepened(c, look)) > step) return false;
        const Vec3 way = slid_by(c, look);
        const bool rests = norm(way) < tuning::resting_pixels * unit;
        const double most = rests ? tuning::resting_carried_pixels : tuning::seen_pixels;
        return !ahead || norm(c.slid + way) <= most * unit;
    };
    if (!std::all_of(found.begin(), found.end(), follows)) return false;
    const double most = ahead || found.empty() ? tuning::seen_pixels : tuning::carried_pixels;
    return way_of(pair, places, !found.empty(), unit, look) <= most * unit;
}

/// What was seen of a pair, where that is good enough at the end of the step.
SeenPair* World::Impl::seen_near(const VolumePair& pair) {
    const auto seen =
        std::lower_bound(seen_pairs.begin(), seen_pairs.end(), std::pair(pair.i, pair.j),
                         [](const SeenPair& s, const auto& key) { return std::pair(s.i, s.j) < key; });
    if (seen == seen_pairs.end() || seen->i != pair.i || seen->j != pair.j) return nullptr;
    return may_carry(pair, seen->places, seen->contacts, seen->pixel, VolumeLook::ahead) ? &*seen : nullptr;
}

void World::Impl::expect_seen(VolumePair& pair, SeenPair& seen) {
    std::vector<VolumeContact> there = std::move(seen.contacts);
    for (VolumeContact& contact : there) carry(contact, VolumeLook::ahead);
    pair.pixel = seen.pixel, pair.direction = seen.direction;
    pair.places = std::move(seen.places);
    expect_contacts(pair, there);
}

/// After a step: what is known for the next one.
void World::Impl::remember_seen() {
    seen_pairs.clear();
    for (VolumePair& pair : volume_pairs) {
        const Slot &a = slots[pair.i], &b = slots[pair.j];
        if (!pair.looked_ahead || !pair.places || !(pair.pixel > 0)) continue;
        if ((a.dynamic() && a.asleep) || (b.dynamic() && b.asleep)) continue;
        const auto first = volume_contacts.begin() + pair.first;
        seen_pairs.push_back({pair.i,
                              pair.j,
                              *std::exchange(pair.places, {}),
                              pair.pixel,
                              pair.direction,
                              {first, first + pair.count}});
    }
}

}  // namespace plush
