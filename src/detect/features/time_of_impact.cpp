#include "detect/features/time_of_impact.hpp"

#include <algorithm>

#include "bodies/body_at.hpp"
#include "core/tuning.hpp"
#include "detect/features/exact_contacts.hpp"
#include "detect/features/point_overlap.hpp"

// Conservative advancement (Mirtich 1996): over a time of gap/speed, where `speed` bounds that of any two points against each
// other, nothing can touch. Where the gap is small beside the bodies, as of two that slide past each other, it would not get on:
// the gap is evaluated every half of the thinner one's inscribed radius at least, so that no body is jumped over, and an overlap
// seen there has its beginning by false position.

namespace plush {
namespace {

/// The smallest gap of a pair at a moment, and the normal there.
struct Gap {
    double size = 0;
    Vec3 normal{};
};

/// `gap_at(time, margin)`: the gap, or `margin` where it is larger. `speed` bounds that of any two points, `thickness` is the
/// thinner one's inscribed radius.
template <class GapAt>
class Search {
public:
    Search(const ImpactSearch& search, double speed, double thickness, GapAt gap_at)
        : search_(search), speed_(speed), thickness_(thickness), gap_at_(std::move(gap_at)) {}

    ImpactTime run() {
        const double way = speed_ * search_.step;
        ImpactTime result;
        if (!(way > 0)) return result;
        result.way = way, result.far = way > thickness_;
        double stride = tuning::impact_stride * thickness_, sight = tuning::impact_sight * stride;
        const auto query = [&](double time) {
            const double margin = std::min(sight, speed_ * (search_.step - time)) + search_.touching;
            const Gap gap = gap_at_(time, margin);
            if (gap.size >= margin) sight *= 2;  // nothing is near
            return gap;
        };
        double time = 0;
        Gap gap = query(0);
        if (gap.size <= search_.touching) {
            result.outcome = ImpactTime::Outcome::touching;
            result.normal = gap.normal;
            return result;
        }
        for (int queries = 1; time < search_.step; ++queries) {
            if (gap.size >= speed_ * (search_.step - time)) {
                result.outcome = ImpactTime::Outcome::apart;
                return result;
            }
            if (queries % tuning::impact_queries == 0) stride *= 2, result.at_limit = true;
            const double next = std::min(search_.step, time + std::max(gap.size, stride) / speed_);
            const Gap there = query(next);
            if (there.size <= search_.tolerance) {
                find_touch(time, gap, next, there, result);
                return result;
            }
            time = next, gap = there;
        }
        return result;
    }

private:
    /// Between a time of a gap and one of an overlap (Illinois' false position).
    void find_touch(double time, Gap gap, double later, Gap overlap, ImpactTime& result) {
        double low = gap.size, high = overlap.size;
        for (int k = 0; k < tuning::impact_roots && std::abs(overlap.size) > search_.tolerance; ++k) {
            const double part = std::clamp(low / (low - high), 0.01, 0.99);
            const double middle = time + part * (later - time);
            const Gap found = gap_at_(middle, search_.touching + gap.size);
            if (found.size > search_.tolerance) {
                time = middle, gap = found;
                low = found.size, high *= 0.5;
            } else {
                later = middle, overlap = found;
                high = found.size, low *= 0.5;
            }
        }
        result.time = later, result.normal = overlap.normal;
        // At the very end it is left to the next step.
        const bool within = result.time < (1 - tuning::impact_end) * search_.step;
        result.outcome = within ? ImpactTime::Outcome::impact : ImpactTime::Outcome::apart;
    }

    const ImpactSearch search_;
    const double speed_, thickness_;
    GapAt gap_at_;
};

}  // namespace

ImpactTime time_of_impact(const Body& a, bool a_moves, const Body& b, bool b_moves,
                          const ImpactSearch& search) {
    PLUSH_ASSERT(search.step > 0 && search.tolerance > 0 && search.touching >= search.tolerance);
    PairMemory memory;
    std::vector<PointHit> hits;
    const auto gap_at = [&](double time, double margin) {
        const BodyAt there_a(a, place_at(a, a_moves, time)), there_b(b, place_at(b, b_moves, time));
        const Reach reach{margin, 0, search.inset};
        hits.clear();
        if (is_exact_pair(there_a, there_b))
            find_exact_hits(there_a, there_b, reach, hits);
        else
            find_point_hits(there_a, there_b, reach, memory, hits);
        Gap gap{margin, {}};
        for (const PointHit& hit : hits)
            if (-hit.depth < gap.size) gap = {-hit.depth, hit.normal};
        return gap;
    };
    const Vec3 relative =
        place_at(a, a_moves, 0).motion.twist.linear - place_at(b, b_moves, 0).motion.twist.linear;
    const double speed = norm(relative) + (a_moves ? a.speed_spread() : 0) + (b_moves ? b.speed_spread() : 0);
    return Search(search, speed, std::min(a.thickness(), b.thickness()), gap_at).run();
}

ImpactTime time_of_impact(const PointPaths& points, const Body& solid, bool solid_moves,
                          const ImpactSearch& search) {
    PLUSH_ASSERT(points.from.size() == points.to.size() && solid.distance());
    const auto gap_at = [&](double time, double margin) {
        const Transform pose = place_at(solid, solid_moves, time).pose, inverse_pose = inverse(pose);
        const Box3 near = solid.distance()->bounds().grown(margin);
        const double part = time / search.step;
        Gap gap{margin, {}};
        Vec3 nearest;
        for (std::size_t k = 0; k < points.from.size(); ++k) {
            const Vec3 p = inverse_pose * (points.from[k] + part * (points.to[k] - points.from[k]));
            if (!near.contains(p)) continue;
            const double value = solid.distance()->value(p);
            if (value < gap.size) gap.size = value, nearest = p;
        }
        if (gap.size < margin) gap.normal = rotate(pose.rotation, solid.distance()->sample(nearest).gradient);
        return gap;
    };
    const Vec3 velocity = place_at(solid, solid_moves, 0).motion.twist.linear;
    double square = 0;
    for (std::size_t k = 0; k < points.from.size(); ++k)
        square = std::max(square, norm2((points.to[k] - points.from[k]) / search.step - velocity));
    const double speed = std::sqrt(square) + (solid_moves ? solid.speed_spread() : 0);
    return Search(search, speed, std::min(points.thickness, solid.thickness()), gap_at).run();
}

}  // namespace plush
