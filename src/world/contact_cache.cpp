#include "world/contact_cache.hpp"

#include <algorithm>

#include "core/tuning.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "math/polar.hpp"

namespace plush {

// -- state, beside the types, where visitors look for it

static void visit_state(StateVisitor& v, VertexGradient& g) {
    v(g.vertex, g.gradient);
}

static void visit_state(StateVisitor& v, VolumeContact& c) {
    Overlap& o = c.overlap;
    v(c.a, c.b, c.own_normal, c.containment, c.area, c.depth, c.allowed, c.slip, o.volume, o.gradient,
      o.moment, o.area, o.centre, o.sides, o.normal, o.largest_depth, o.a, o.b);
}

static void visit_state(StateVisitor& v, QueryPose& pose) {
    v(pose.pose, pose.near, pose.points);
}

static void visit_state(StateVisitor& v, KnownCell& k) {
    v(k.cell, k.contact, k.patch_size, k.area);
}

static void visit_state(StateVisitor& v, CachedPair& pair) {
    v(pair.i, pair.j, pair.queried, pair.pixel, pair.direction, pair.contacts, pair.cut);
}

void ContactCache::visit_state(StateVisitor& v) {
    reference_.fit(bodies_.size());
    for (std::uint32_t i = 0; i < bodies_.size(); ++i)
        if (bodies_[i].body) v(reference_[i].positions, reference_[i].pose);
    v(pairs_);
}

static bool is_rotation(const Quat& q) {
    return std::abs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1) < 1e-6;
}

bool ContactCache::is_consistent() const {
    const auto has = [&](std::uint32_t k, const std::vector<VertexGradient>& gradients) {
        if (k >= bodies_.size() || !bodies_[k].body) return false;
        const std::size_t count = bodies_[k].body->node_count();
        return std::all_of(gradients.begin(), gradients.end(),
                           [&](const VertexGradient& g) { return g.vertex < count; });
    };
    const auto sound = [](const VolumeContact& c) {
        return c.area > 0 && c.area < HUGE_VAL && c.allowed >= 0 && std::isfinite(c.depth) &&
               is_finite(c.overlap.normal) && is_finite(c.overlap.centre);
    };
    const auto before = [](const CachedPair& x, const CachedPair& y) {
        return std::tie(x.i, x.j) < std::tie(y.i, y.j);
    };
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        if (!bodies_[i].body) continue;
        const Reference& own = reference_[i];
        if (!is_finite(own.pose.position) || !is_rotation(own.pose.rotation) ||
            !std::all_of(own.positions.begin(), own.positions.end(),
                         [](const Vec3& x) { return is_finite(x); }))
            return false;
    }
    for (std::size_t k = 1; k < pairs_.size(); ++k)
        if (!before(pairs_[k - 1], pairs_[k])) return false;
    return std::all_of(pairs_.begin(), pairs_.end(), [&](const CachedPair& pair) {
        if (pair.i > pair.j || !(pair.pixel >= 0 && pair.pixel < HUGE_VAL)) return false;
        for (const QueryPose& pose : pair.queried)
            if (pose.near.size() != pose.points.size() || !is_rotation(pose.pose.rotation) ||
                !std::is_sorted(pose.near.begin(), pose.near.end()))
                return false;
        return std::all_of(pair.contacts.begin(), pair.contacts.end(), [&](const VolumeContact& c) {
            return sound(c) && std::min(c.a, c.b) == pair.i && std::max(c.a, c.b) == pair.j &&
                   has(c.a, c.overlap.a) && has(c.b, c.overlap.b);
        });
    });
}

void ContactCache::forget_body(std::uint32_t body) {
    std::erase_if(pairs_, [&](const CachedPair& pair) { return pair.i == body || pair.j == body; });
    reference_.reset(body);
}

// -- how far bodies have moved

namespace {

/// From one pose to another, of a rigid body: its centre's way, and a rotation vector.
Twist motion_between(const Transform& from, const Transform& to) {
    return {to.position - from.position, log_rotation(to.rotation * conjugate(from.rotation))};
}

}  // namespace

std::span<const Vec3> ContactCache::positions_at(std::uint32_t body, QueryTime when) const {
    return place_at(when) == BodyPlace::expected ? expected_.positions(body)
                                                 : bodies_[body].deformable().positions();
}

Transform ContactCache::pose_at(std::uint32_t body, QueryTime when) const {
    return place_at(when) == BodyPlace::expected ? expected_.pose(body) : bodies_[body].body->pose();
}

/// How far the points of a body with a shape have moved, at most, m.
double ContactCache::rigid_motion(std::uint32_t body, const Transform& from, QueryTime when) const {
    const Twist motion = motion_between(from, pose_at(body, when));
    const double turn = norm(motion.angular);
    return norm(motion.linear) + (turn > 0 ? turn * norm(bodies_[body].shape.bounds().size()) : 0);
}

void ContactCache::measure_motion(const Parallel& parallel, QueryTime when) {
    PLUSH_ASSERT(when != QueryTime::start);  // nothing has moved since
    reference_.fit(bodies_.size());
    parallel.each(bodies_.size(), 1, [&](std::size_t k) {
        const auto i = static_cast<std::uint32_t>(k);
        Reference& own = reference_[i];
        const BodyRecord& record = bodies_[i];
        own.moved = 0;
        own.samples.clear();  // what sleeps has none, in a world that was restored too
        if (!record.body || record.asleep) return;
        if (const SoftSurface* surface = surfaces_.soft(i)) {
            const auto x = positions_at(i, when);
            double square = own.positions.size() == x.size() ? 0 : HUGE_VAL;
            for (std::size_t v = 0; v < x.size() && square < HUGE_VAL; ++v)
                square = std::max(square, norm2(x[v] - own.positions[v]));
            own.moved = std::sqrt(square);
            surface->samples(x, own.samples);
        } else if (record.kind != BodyKind::deformable) {
            own.moved = rigid_motion(i, own.pose, when);
        }
    });
}

void ContactCache::set_reference(QueryTime when) {
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) {
        const BodyRecord& record = bodies_[i];
        if (!record.body || record.asleep) continue;
        if (surfaces_.soft(i)) {
            const auto x = positions_at(i, when);
            reference_[i].positions.assign(x.begin(), x.end());
        }
        reference_[i].pose = pose_at(i, when);
    }
}

// -- contacts to first order

/// For each side of a contact that has moved: soft(side, from, to) its vertices, or rigid(side, centre, motion).
template <class Soft, class Rigid>
void ContactCache::each_moved_side(const VolumeContact& contact, QueryTime when, const Soft& soft,
                                   const Rigid& rigid) const {
    for (std::size_t side = 0; side < (contact.self() ? 1u : 2u); ++side) {
        const std::uint32_t body = side == 0 ? contact.a : contact.b;
        const Reference& own = reference_[body];
        if (bodies_[body].asleep || own.moved == 0) continue;
        PLUSH_ASSERT(own.moved < HUGE_VAL);  // else may_reuse() has refused
        if (surfaces_.soft(body))
            soft(side, own.positions, positions_at(body, when));
        else
            rigid(side, own.pose.position, motion_between(own.pose, pose_at(body, when)));
    }
}

/// How much deeper a contact is where its bodies are now, or will be: ∂V/∂q Δq by its area.
double ContactCache::deepening_since(const VolumeContact& contact, QueryTime when) const {
    double change = 0;
    const auto add = [&](std::size_t side, const auto& from, const auto& to) {
        change += deepening(contact, side, from, to);
    };
    each_moved_side(contact, when, add, add);
    return change;
}

/// How far the sides of a contact have moved against each other. A heap that creeps as a whole takes its contacts
/// along.
Vec3 ContactCache::slip_since(const VolumeContact& contact, QueryTime when) const {
    Vec3 apart;
    const auto add = [&](std::size_t side, const auto& from, const auto& to) {
        const Vec3 motion = movement(contact, side, from, to);
        apart += side == 0 ? motion : -motion;
    };
    each_moved_side(contact, when, add, add);
    return apart;
}

void ContactCache::extrapolate(VolumeContact& contact, QueryTime when) const {
    const double change = deepening_since(contact, when);
    contact.speculative = false, contact.travel = {};
    contact.slip += slip_since(contact, when);
    PLUSH_ASSERT(contact.area > 0);
    contact.depth += change;
    contact.overlap.largest_depth = std::max(0.0, contact.overlap.largest_depth + change);
    contact.overlap.volume = std::max(0.0, contact.depth * contact.area);
}

// -- sample points of soft surfaces

/// visit(number, point) for the sample points of a soft body that are in the bounds of another one, or so near to them.
template <class F>
void ContactCache::each_near_sample(std::uint32_t body, std::uint32_t other, double around, QueryTime when,
                                    const F& visit) const {
    const std::vector<Vec3>& samples = reference_[body].samples;
    const BodyRecord& there = bodies_[other];
    const auto each = [&](const auto& near) {
        for (std::uint32_t k = 0; k < samples.size(); ++k)
            if (near(samples[k])) visit(k, samples[k]);
    };
    const auto each_in = [&](const Box3& box) {
        each([wide = box.grown(around)](const Vec3& x) { return wide.contains(x); });
    };
    const Transform pose = pose_at(other, when);
    if (surfaces_.soft(other)) {
        const BodyPlace place = there.asleep ? BodyPlace::now : place_at(when);
        each_in(surfaces_.bounds(other, place).steady_all);
    } else if (const auto normal = there.shape.data().plane_normal) {
        const Vec3 n = rotate(pose.rotation, *normal);
        each([&](const Vec3& x) { return dot(n, x - pose.position) <= around; });
    } else if (there.shape.bounded()) {
        each_in(ImageMap{to_matrix(pose.rotation), pose.position}(there.shape.bounds()));
    } else {
        each([](const Vec3&) { return true; });
    }
}

QueryPose ContactCache::pose_of(std::uint32_t body, std::uint32_t other, QueryTime when) const {
    QueryPose pose;
    const SoftSurface* surface = surfaces_.soft(body);
    if (!surface) {
        pose.pose = pose_at(body, when);
        return pose;
    }
    const double around = 2 * tuning::sample_reach * surface->size();
    each_near_sample(body, other, around, when, [&](std::uint32_t k, const Vec3& x) {
        pose.near.push_back(k), pose.points.push_back(x);
    });
    return pose;
}

std::array<QueryPose, 2> ContactCache::poses_of(const VolumePair& pair, QueryTime when) const {
    return {pose_of(pair.i, pair.j, when), pose_of(pair.j, pair.i, when)};
}

namespace {

/// How far points have moved against each other, as the farthest from the rigid motion that fits them best; and the
/// turn of that.
struct InnerMotion {
    double distance = 0, turn = 0;
};

InnerMotion inner_motion(std::span<const Vec3> before, std::span<const Vec3> now) {
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

/// How far a body has moved since the query, as the farthest of its parts that are near the other; infinitely far where
/// one of them was not near then.
double ContactCache::motion_of(const QueryPose& queried, std::uint32_t body, std::uint32_t other,
                               QueryTime when) const {
    const SoftSurface* surface = surfaces_.soft(body);
    if (!surface) return rigid_motion(body, queried.pose, when);
    double square = 0;
    std::size_t at = 0;
    PLUSH_ASSERT(queried.near.size() == queried.points.size());
    PLUSH_ASSERT(std::is_sorted(queried.near.begin(), queried.near.end()));
    const double around = tuning::sample_reach * surface->size();
    each_near_sample(body, other, around, when, [&](std::uint32_t k, const Vec3& x) {
        while (at < queried.near.size() && queried.near[at] < k) ++at;
        const bool known = at < queried.near.size() && queried.near[at] == k;
        square = std::max(square, known ? norm2(x - queried.points[at]) : HUGE_VAL);
    });
    return std::sqrt(square);
}

/// How far two bodies have moved together since the query. A body with itself sees no motion of the whole; but normals
/// of what touches turn with it.
double ContactCache::motion_of(const VolumePair& pair, const std::array<QueryPose, 2>& queried, bool touching,
                               double unit, QueryTime when) const {
    if (pair.i != pair.j)
        return motion_of(queried[0], pair.i, pair.j, when) + motion_of(queried[1], pair.j, pair.i, when);
    const InnerMotion own = inner_motion(queried[0].points, reference_[pair.i].samples);
    return 2 * own.distance + (touching ? own.turn * tuning::pixels_a_turn * unit : 0);
}

// -- reuse

bool ContactCache::may_reuse(const VolumePair& pair, const std::array<QueryPose, 2>& queried,
                             std::span<const VolumeContact> contacts, double unit, QueryTime when) const {
    PLUSH_ASSERT(pair.i <= pair.j && unit >= 0);
    const bool expected = when == QueryTime::expected;
    const double moved = reference_[pair.i].moved + reference_[pair.j].moved;
    if (!(moved < HUGE_VAL)) return false;  // nor where motion is no number: the end of the step tells
    // Pieces lie on each other with a whole section, and rock on what is a little old: a loaf in two kept 2 cm/s.
    if (expected && (bodies_[pair.i].parts.in_pieces || bodies_[pair.j].parts.in_pieces)) return false;
    const auto follows = [&](const VolumeContact& c) {
        // Where sides of an overlap cancel, its depth changes by more than its bodies move, and first order says
        // nothing.
        if (c.containment || std::abs(deepening_since(c, when)) > moved) return false;
        const Vec3 slip = slip_since(c, when);
        const bool rests = norm(slip) < tuning::resting_pixels * unit;
        const double most = rests ? tuning::resting_reuse_pixels : tuning::reuse_pixels;
        return !expected || norm(c.slip + slip) <= most * unit;
    };
    if (!std::all_of(contacts.begin(), contacts.end(), follows)) return false;
    const double most = expected || contacts.empty() ? tuning::reuse_pixels : tuning::reuse_pixels_in_step;
    return motion_of(pair, queried, !contacts.empty(), unit, when) <= most * unit;
}

namespace {

template <class Pairs>
auto* find_pair(Pairs& pairs, std::uint32_t i, std::uint32_t j) {
    const auto at =
        std::lower_bound(pairs.begin(), pairs.end(), std::pair(i, j),
                         [](const CachedPair& c, const auto& key) { return std::pair(c.i, c.j) < key; });
    return at != pairs.end() && at->i == i && at->j == j ? &*at : nullptr;
}

}  // namespace

std::span<const KnownCell> ContactCache::cut_of(std::uint32_t i, std::uint32_t j) const {
    const CachedPair* cached = find_pair(pairs_, i, j);
    return cached ? std::span<const KnownCell>(cached->cut) : std::span<const KnownCell>();
}

CachedPair* ContactCache::find(const VolumePair& pair) {
    CachedPair* cached = find_pair(pairs_, pair.i, pair.j);
    if (!cached) return nullptr;
    const bool good = may_reuse(pair, cached->queried, cached->contacts, cached->pixel, QueryTime::expected);
    return good ? cached : nullptr;
}

void ContactCache::store(std::span<VolumePair> pairs, std::span<const VolumeContact> contacts) {
    pairs_.clear();
    for (VolumePair& pair : pairs) {
        const BodyRecord &a = bodies_[pair.i], &b = bodies_[pair.j];
        if (!pair.speculative || !pair.queried || !(pair.pixel > 0)) continue;
        if ((a.dynamic() && a.asleep) || (b.dynamic() && b.asleep)) continue;
        PLUSH_ASSERT(pair.first + pair.count <= contacts.size());
        PLUSH_ASSERT(pairs_.empty() || std::tie(pairs_.back().i, pairs_.back().j) < std::tie(pair.i, pair.j));
        const auto own = contacts.subspan(pair.first, pair.count);
        pairs_.push_back({pair.i,
                          pair.j,
                          *std::exchange(pair.queried, {}),
                          pair.pixel,
                          pair.direction,
                          {own.begin(), own.end()},
                          std::move(pair.cut)});
    }
}

}  // namespace plush
