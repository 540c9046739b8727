#include "detect/point_overlap.hpp"

#include <algorithm>

#include "core/tuning.hpp"

// Points against a distance. Each point of one surface, carried into the other body's frame, asks the
// distance φ there; φ less the point's radius is the gap. A ball of points is skipped when φ at its centre
// exceeds its radius (a distance changes by no more than one metre a metre), or when it is outside the
// other's box by as much.
//
// Inside a thin corner the nearest surface may be the wrong one: a box that rests on another of its size has
// its corners above the other's edges, where the nearest face may be the side. Such a point is left out when
// its own outward normal m does not face the surface that it is said to touch. If it is near the surface it
// gets a second look from slightly inside its own body, at p − δ m, where the right face is the nearest one;
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
          other_(other),
          points_(owner.points()),
          distance_(*other.distance()),
          bounds_(distance_.bounds()),
          reach_(reach),
          farthest_(reach.margin + reach.step * (norm(owner.common_velocity() - other.common_velocity()) +
                                                 owner.speed_spread() + other.speed_spread())),
          of_b_(of_b),
          to_other_(inverse(other.pose()) * owner.pose()),
          to_world_(other.pose()),
          hits_(hits) {}

    /// All points that may come within reach.
    void search() {
        if (points_.tree.empty()) test(0, points_.positions.size());
        for (std::size_t i = 0; i < points_.tree.size();) {
            const PointSet::Ball& ball = points_.tree[i];
            const bool close = near(ball);
            if (close && ball.leaf) test(ball.first, ball.first + ball.count);
            i = close ? i + 1 : ball.skip;
        }
    }

    /// From now on, points that faced no surface leave by the one behind them.
    void look_through() { through_ = true; }
    bool lost() const { return lost_; }  ///< whether there were such points

    /// These points again.
    void measure(std::span<const PointName> names) {
        for (const PointName& name : names)
            if (name.of_b == of_b_) test(name.point, name.point + 1);
    }

private:
    bool near(const PointSet::Ball& ball) const {
        const double reach = ball.radius + points_.radius + farthest_;
        const Vec3 centre = to_other_(ball.centre);
        return bounds_.distance2(centre) <= reach * reach && distance_.value(centre) <= reach;
    }

    void test(std::size_t first, std::size_t last) {
        const double point_reach = points_.radius + farthest_, point_reach2 = point_reach * point_reach;
        for (std::size_t i = first; i < last; ++i) {
            const Vec3 p = to_other_(points_.positions[i]);
            if (bounds_.distance2(p) > point_reach2) continue;
            const double gap = distance_.value(p) - points_.radius;
            if (gap > farthest_) continue;
            const DistanceSample s = distance_.sample(p);
            if (points_.normals.empty()) {
                add(i, p, s.gradient, gap);
                continue;
            }
            const Vec3 m = to_other_.rotation * points_.normals[i];
            if (dot(m, s.gradient) <= tuning::facing_limit)
                add(i, p, s.gradient, gap);
            else if (std::abs(gap) <= reach_.inset)
                look_again(i, p, m);
            else if (gap < 0)
                go_through(i, p, m);
        }
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
            const double approach = dot(other_.velocity_at(position) - velocity_of(i, position), outward);
            if (gap > reach_.margin + reach_.step * std::max(approach, 0.0)) return;
        }
        hits_.push_back(
            {static_cast<std::uint32_t>(i), of_b_, position, of_b_ ? -outward : outward, -gap, false});
    }

    Vec3 velocity_of(std::size_t i, const Vec3& position) const {
        return owner_.distance() ? owner_.velocity_at(position) : owner_.point_velocity(i);
    }

    const Body& owner_;
    const Body& other_;
    const PointSet& points_;
    const SignedDistance& distance_;
    const Box3 bounds_;  ///< of the other, in its frame: a box is cheaper to ask than a distance
    const Reach reach_;
    const double farthest_;
    const bool of_b_;
    const Frame to_other_, to_world_;
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

void find_point_hits(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits) {
    both_ways(a, b, reach, hits, [](OneWay& way) { way.search(); });
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
    const double same = tuning::same_point * norm(box.size());

    // Farthest-point choice; distance2[i] is that of hit i to the nearest kept one. A gap counts for less
    // than a touch: its distance is shrunk by up to one half at a gap of the contact's own extent.
    std::vector<double> distance2(hits.size(), HUGE_VAL);
    std::vector<char> kept(hits.size(), 0);
    for (std::size_t chosen = deepest, n = 0; n < count; ++n) {
        kept[chosen] = 1;
        std::size_t next = hits.size();
        double best = same * same;
        for (std::size_t i = 0; i < hits.size(); ++i) {
            distance2[i] = std::min(distance2[i], norm2(hits[i].position - hits[chosen].position));
            const double gap = std::max(0.0, -hits[i].depth);
            const double favour = hits[i].known ? tuning::known_point_favour : 1.0;
            const double score = kept[i] ? 0 : favour * distance2[i] / (1.0 + gap / (norm(box.size()) + gap));
            if (score > best) best = score, next = i;
        }
        if (next == hits.size()) break;
        chosen = next;
    }
    std::size_t out = 0;
    for (std::size_t i = 0; i < hits.size(); ++i)
        if (kept[i]) hits[out++] = hits[i];
    hits.resize(out);
}

}  // namespace plush
