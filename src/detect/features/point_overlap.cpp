#include "detect/features/point_overlap.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"

// Points against a distance. Each point of one surface, carried into the other body's frame, asks the
// distance φ there; φ less the point's radius is the gap. A ball of points is skipped when φ at its centre
// exceeds its radius times the steepness of φ, or when it is outside the other's box by as much.
//
// Bodies in a pile hardly move against each other from step to step. So a search reaches a little farther than
// it must, and remembers the points it saw with their φ. As long as no point has moved by more than that
// slack, only those need be asked, and of them only those whose φ can have come within reach. Nothing is lost
// by it: the hits are those of a fresh search.
//
// Inside a thin corner the nearest surface may be the wrong one: a box that rests on another of its size has
// its corners above the other's edges, where the nearest face may be the side. Such a point is left out when
// its own outward normal m does not face the surface that it is said to touch. If it is near the surface it
// gets a second query from slightly inside its own body, at p − δ m, where the right face is the nearest one;
// from there the gap is carried back to the point, φ(p) ≈ φ(p − δ m) + δ n·m, which is exact for flat faces.
//
// Deep inside, a point may have the wrong face nearest on every side: of two boxes that share half their
// volume no point faces the face it came through. Where nothing else touches, such points go inward along −m
// until they leave the other body, and the face that they leave by counts.
//
// Points see no edge that passes between them: edges against edges are found only as finely as a mesh has
// vertices.

namespace plush {
namespace {

// A rigid change of frame as a matrix: cheaper than a quaternion for many points.
struct Frame {
    explicit Frame(const Transform& t) : rotation(to_matrix(t.rotation)), position(t.position) {}
    Vec3 operator()(const Vec3& p) const { return rotation * p + position; }
    Mat3 rotation;
    Vec3 position;
};

class OneWay {
public:
    OneWay(const Body& owner, const Body& other, const Reach& reach, bool of_b, std::vector<PointHit>& hits)
        : owner_(owner),
          points_(owner.points()),
          distance_(*other.distance()),
          bounds_(distance_.bounds()),
          reach_(reach),
          farthest_(reach.margin + reach.step * (norm(owner.common_velocity() - other.common_velocity()) +
                                                 owner.speed_spread() + other.speed_spread())),
          steepness_(distance_.steepness()),
          of_b_(of_b),
          to_other_(inverse(other.pose()) * owner.pose()),
          to_world_(other.pose()),
          owner_motion_(owner.motion()),
          other_motion_(other.motion()),
          hits_(hits) {
        if (!owner.distance()) return;  // points of their own: no common field
        const Vec3 origin = to_world_.position;
        drift_ = transpose_times(to_world_.rotation, owner_motion_.at(origin) - other_motion_.at(origin));
        spin_ =
            transpose_times(to_world_.rotation, owner_motion_.twist.angular - other_motion_.twist.angular);
        turn_ = norm(spin_);
    }

    /// All points that may come within reach.
    void search(SearchMemory& memory) {
        if (points_.tree.empty()) return test_all();
        const double moved = motion_since(memory);
        if (moved > memory.slack || farthest_ + moved > memory.farthest + memory.slack) {
            look_around(memory);
            for (const SearchMemory::Seen& seen : memory.seen)
                judge(seen.point, place(seen.point), seen.value);
            return;
        }
        const double reach = points_.radius + farthest_ + steepness_ * moved;
        for (const SearchMemory::Seen& seen : memory.seen)
            if (seen.value <= reach) test(seen.point);
    }

    /// From now on, points that faced no surface leave by the one behind them.
    void look_through() { through_ = true; }
    bool lost() const { return lost_; }  ///< whether there were such points
    bool of_b() const { return of_b_; }

    /// These points again.
    void measure(std::span<const PointName> names) {
        for (const PointName& name : names)
            if (name.of_b == of_b_) test(name.point);
    }

private:
    void test_all() {
        for (std::size_t i = 0; i < points_.positions.size(); ++i) test(i);
    }

    /// How far any point can have moved in the other's frame since then, m.
    double motion_since(const SearchMemory& memory) const {
        if (memory.slack < 0) return HUGE_VAL;
        const PointSet::Ball& all = points_.tree.front();
        const Mat3 turned = to_other_.rotation - memory.rotation;
        // A difference of two rotations has two equal singular values and a zero one.
        const double turn2 = 0.5 * (norm2(turned.row[0]) + norm2(turned.row[1]) + norm2(turned.row[2]));
        const double rounding = 1e-9 * all.radius;
        return norm(turned * all.centre + to_other_.position - memory.position) +
               std::sqrt(turn2) * all.radius + rounding;
    }

    void look_around(SearchMemory& memory) const {
        const double step = farthest_ - reach_.margin, size = points_.tree.front().radius;
        const bool calm = step < tuning::calm_step * size;
        memory.seen.clear();
        memory.rotation = to_other_.rotation;
        memory.position = to_other_.position;
        memory.farthest = farthest_;
        memory.slack = calm ? std::clamp(tuning::search_steps * step, tuning::least_slack * size,
                                         tuning::max_slack * size)
                            : 0;
        for (std::size_t i = 0; i < points_.tree.size();) {
            const PointSet::Ball& ball = points_.tree[i];
            PLUSH_ASSERT(ball.skip > i &&
                         (!ball.leaf || ball.first + ball.count <= points_.positions.size()));
            const Vec3 centre = to_other_(ball.centre);
            const double reach = points_.radius + (calm ? farthest_ : reach_of(centre, ball.radius));
            const bool close = value_within(centre, reach, memory.slack + ball.radius) != HUGE_VAL;
            if (close && ball.leaf)
                for (std::uint32_t k = ball.first; k < ball.first + ball.count; ++k) {
                    const double value = value_within(place(k), reach, memory.slack);
                    if (value != HUGE_VAL) memory.seen.push_back({k, value});
                }
            i = close ? i + 1 : ball.skip;
        }
    }

    /// φ(p), or infinity where it exceeds `reach` at every place within `way` of p.
    double value_within(const Vec3& p, double reach, double way) const {
        const double box_reach = reach + way;
        if (bounds_.distance2(p) > box_reach * box_reach) return HUGE_VAL;
        const double value = distance_.value(p);
        return value <= reach + steepness_ * way ? value : HUGE_VAL;
    }

    /// How far a point within `radius` of p may be from the surface and still touch it in this step.
    /// Velocities are taken half-way between the two.
    double reach_of(const Vec3& p, double radius) const {
        const double around = points_.radius + 0.5 * farthest_ + radius;
        return std::min(farthest_,
                        reach_.margin + reach_.step * (norm(drift_ + cross(spin_, p)) + turn_ * around));
    }

    Vec3 place(std::size_t i) const {
        PLUSH_ASSERT(i < points_.positions.size());
        return to_other_(points_.positions[i]);
    }

    void test(std::size_t i) {
        const Vec3 p = place(i);
        if (within_box(p)) judge(i, p, distance_.value(p));
    }

    bool within_box(const Vec3& p) const {
        const double reach = points_.radius + farthest_;
        return bounds_.distance2(p) <= reach * reach;
    }

    void judge(std::size_t i, const Vec3& p, double value) {
        const double gap = value - points_.radius;
        if (gap > farthest_ || !within_box(p)) return;
        if (owner_.distance() && gap > reach_of(p, 0)) return;
        const DistanceSample s = distance_.sample(p);
        if (points_.normals.empty()) return add(i, p, s.gradient, gap);
        PLUSH_ASSERT(i < points_.normals.size());
        const Vec3 m = to_other_.rotation * points_.normals[i];
        if (dot(m, s.gradient) <= tuning::facing_limit)
            add(i, p, s.gradient, gap);
        else if (std::abs(gap) <= reach_.inset)
            look_again(i, p, m);
        else if (gap < 0)
            go_through(i, p, m);
    }

    void look_again(std::size_t i, const Vec3& p, const Vec3& m) {
        const DistanceSample s = distance_.sample(p - reach_.inset * m);
        const double facing = dot(m, s.gradient), gap = s.value + reach_.inset * facing;
        if (facing > tuning::facing_limit && s.value < 0)
            go_through(i, p, m);
        else if (facing <= tuning::facing_limit && std::abs(gap) <= reach_.inset)
            add(i, p, s.gradient, gap);
    }

    // Inside, a step by |φ| never passes the surface; 64 of them arrive unless they run along it.
    void go_through(std::size_t i, const Vec3& p, const Vec3& m) {
        lost_ = true;
        if (!through_) return;
        Vec3 x = p - reach_.inset * m;
        DistanceSample s = distance_.sample(x);
        for (int k = 0; k < 64 && s.value < -0.1 * reach_.inset; ++k) {
            x -= m * -s.value;
            s = distance_.sample(x);
        }
        const double depth = dot(x - p, s.gradient) - s.value;
        const bool left = s.value >= -reach_.inset && depth > 0;
        if (left && dot(m, s.gradient) <= tuning::facing_limit) add(i, p, s.gradient, -depth);
    }

    void add(std::size_t i, const Vec3& p, const Vec3& gradient, double gap) {
        const Vec3 outward = to_world_.rotation * gradient;
        const Vec3 position = to_world_(p - gradient * (points_.radius + 0.5 * gap));
        if (gap > reach_.margin) {
            const double approach = dot(other_motion_.at(position) - velocity_of(i, position), outward);
            if (gap > reach_.margin + reach_.step * std::max(approach, 0.0)) return;
        }
        hits_.push_back(
            {static_cast<std::uint32_t>(i), of_b_, position, of_b_ ? -outward : outward, -gap, false});
    }

    Vec3 velocity_of(std::size_t i, const Vec3& position) const {
        return owner_.distance() ? owner_motion_.at(position) : owner_.point_velocity(i);
    }

    const Body& owner_;
    const PointSet& points_;
    const SignedDistance& distance_;
    const Box3 bounds_;  ///< of the other, in its frame: a box is cheaper to ask than a distance
    const Reach reach_;
    const double farthest_, steepness_;
    const bool of_b_;
    const Frame to_other_, to_world_;
    const Motion owner_motion_, other_motion_;
    Vec3 drift_{}, spin_{};  ///< the owner's velocity at p, seen from the other: drift + spin × p
    double turn_ = 0;        ///< |spin|
    bool through_ = false, lost_ = false;
    std::vector<PointHit>& hits_;
};

}  // namespace

namespace {

template <class Task>
void both_ways(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits, Task&& task) {
    const bool a_tests = b.distance() && !a.points().empty();
    const bool b_tests = a.distance() && !b.points().empty();
    // Where the points of one side find everything by themselves, the other side would only repeat it.
    const bool a_alone = a_tests && a.points().complete;
    const bool b_alone = !a_alone && b_tests && b.points().complete;
    const std::size_t first = hits.size();
    bool lost = false;
    const auto look = [&](bool through) {
        const auto one_way = [&](OneWay way) {
            if (through) way.look_through();
            task(way);
            lost = lost || way.lost();
        };
        if (a_tests && !b_alone) one_way(OneWay(a, b, reach, false, hits));
        if (b_tests && !a_alone) one_way(OneWay(b, a, reach, true, hits));
    };
    look(false);
    const bool touch = std::any_of(hits.begin() + static_cast<std::ptrdiff_t>(first), hits.end(),
                                   [](const PointHit& hit) { return hit.depth > 0; });
    if (!lost || touch) return;
    hits.resize(first);
    look(true);
}

}  // namespace

void find_point_hits(const Body& a, const Body& b, const Reach& reach, PairMemory& memory,
                     std::vector<PointHit>& hits) {
    both_ways(a, b, reach, hits,
              [&](OneWay& way) { way.search(way.of_b() ? memory.b_in_a : memory.a_in_b); });
}

void find_point_hits(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits) {
    PairMemory memory;
    find_point_hits(a, b, reach, memory, hits);
}

void measure_points(const Body& a, const Body& b, const Reach& reach, std::span<const PointName> names,
                    std::vector<PointHit>& hits) {
    both_ways(a, b, reach, hits, [&](OneWay& way) { way.measure(names); });
}

void keep_well_spread(std::vector<PointHit>& hits, std::size_t count) {
    if (hits.size() <= 1) return;
    std::size_t deepest = 0;
    Box3 box;
    for (std::size_t i = 0; i < hits.size(); ++i) {
        box.add(hits[i].position);
        if (hits[i].depth > hits[deepest].depth) deepest = i;
    }
    const double extent = norm(box.size()), same = tuning::same_point * extent;
    // Of points that are equally deep but for rounding, one that is known: else a face at rest would begin with another
    // point in every step.
    const double equal = hits[deepest].depth - tuning::equal_depth * extent;
    for (std::size_t i = 0; i < hits.size() && !hits[deepest].known; ++i)
        if (hits[i].known && hits[i].depth >= equal) deepest = i;

    // Farthest-point choice. A gap counts for less than a touch: its distance is shrunk by up to one half at
    // a gap of the contact's own extent.
    struct Candidate {
        double distance2, favour;  ///< to the nearest kept one; zero for those that are kept
    };
    std::vector<Candidate> candidates(hits.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
        const double gap = std::max(0.0, -hits[i].depth);
        const double favour = hits[i].known ? tuning::known_point_favour : 1.0;
        candidates[i] = {HUGE_VAL, favour / (1.0 + gap / (extent + gap))};
    }
    for (std::size_t chosen = deepest, n = 0; n < count; ++n) {
        candidates[chosen].favour = 0;
        std::size_t next = hits.size();
        double best = same * same;
        for (std::size_t i = 0; i < hits.size(); ++i) {
            Candidate& c = candidates[i];
            c.distance2 = std::min(c.distance2, norm2(hits[i].position - hits[chosen].position));
            const double score = c.favour * c.distance2;
            if (score > best) best = score, next = i;
        }
        if (next == hits.size()) break;
        chosen = next;
    }
    std::size_t out = 0;
    for (std::size_t i = 0; i < hits.size(); ++i)
        if (candidates[i].favour == 0) hits[out++] = hits[i];
    PLUSH_ASSERT(out <= count);
    hits.resize(out);
}

}  // namespace plush
