#include "detect/features/time_of_impact.hpp"

#include <algorithm>

#include "bodies/body_at.hpp"
#include "core/tuning.hpp"
#include "detect/features/exact_contacts.hpp"
#include "detect/features/point_overlap.hpp"

// Conservative advancement (Mirtich 1996): over a time of gap/speed, where `speed` bounds that of any two points against each
// other, nothing can touch. Where the gap is small beside the bodies, as of two that slide past each other, it would not get on:
// a moment is looked at every half of the thinner one's inscribed radius at least, so that no body is jumped over, and an overlap
// seen there has its beginning by false position.

namespace plush {
namespace {

class Search {
public:
    Search(const Body& a, bool a_moves, const Body& b, bool b_moves, const ImpactSearch& search)
        : a_(a), b_(b), a_moves_(a_moves), b_moves_(b_moves), search_(search) {
        const Motion at_a = place_at(a, a_moves, 0).motion, at_b = place_at(b, b_moves, 0).motion;
        speed_ = norm(at_a.twist.linear - at_b.twist.linear) + (a_moves ? a.speed_spread() : 0) +
                 (b_moves ? b.speed_spread() : 0);
    }

    ImpactTime run() {
        const double way = speed_ * search_.step;
        ImpactTime result;
        if (!(way > 0)) return result;
        const double thickness = std::min(a_.thickness(), b_.thickness());
        double stride = tuning::impact_stride * thickness;
        if (way > tuning::impact_looks * stride) stride = way / tuning::impact_looks, result.at_limit = true;
        const auto margin = [&](double time) {
            return std::min(speed_ * (search_.step - time), tuning::impact_margin * stride) +
                   search_.touching;
        };
        double time = 0, gap = gap_at(0, margin(0));
        if (gap <= search_.touching) {
            result.outcome = ImpactTime::Outcome::touching;
            return result;
        }
        while (time < search_.step) {
            if (gap >= speed_ * (search_.step - time)) return {};
            const double next = std::min(search_.step, time + std::max(gap, stride) / speed_);
            const double there = gap_at(next, margin(next));
            if (there <= search_.tolerance) {
                result.time = first_touch(time, gap, next, there);
                result.normal = normal_;
                // At the very end it is left to the next step.
                const bool within = result.time < (1 - tuning::impact_end) * search_.step;
                result.outcome = within ? ImpactTime::Outcome::impact : ImpactTime::Outcome::apart;
                return result;
            }
            time = next, gap = there;
        }

        return result;
    }

private:
    /// The smallest gap at a time; `margin` where it is larger than that.
    double gap_at(double time, double margin) {
        const BodyAt a(a_, place_at(a_, a_moves_, time)), b(b_, place_at(b_, b_moves_, time));
        const Reach reach{margin, 0, search_.inset};
        hits_.clear();
        if (is_exact_pair(a, b))
            find_exact_hits(a, b, reach, hits_);
        else
            find_point_hits(a, b, reach, memory_, hits_);
        double gap = margin;
        for (const PointHit& hit : hits_)
            if (-hit.depth < gap) gap = -hit.depth, normal_ = hit.normal;
        return gap;
    }

    /// Between a time of a gap and one of an overlap (Illinois' false position).
    double first_touch(double time, double gap, double later, double overlap) {
        double low = gap, high = overlap;
        for (int k = 0; k < tuning::impact_roots && std::abs(overlap) > search_.tolerance; ++k) {
            const double part = std::clamp(low / (low - high), 0.01, 0.99);
            const double middle = time + part * (later - time),
                         found = gap_at(middle, search_.touching + gap);
            if (found > search_.tolerance) {
                time = middle, low = gap = found, high *= 0.5;
            } else {
                later = middle, high = overlap = found, low *= 0.5;
            }
        }
        return later;
    }

    const Body &a_, &b_;
    const bool a_moves_, b_moves_;
    const ImpactSearch search_;
    double speed_ = 0;
    PairMemory memory_;
    std::vector<PointHit> hits_;
    Vec3 normal_{};
};

}  // namespace

ImpactTime time_of_impact(const Body& a, bool a_moves, const Body& b, bool b_moves,
                          const ImpactSearch& search) {
    PLUSH_ASSERT(search.step > 0 && search.tolerance > 0 && search.touching >= search.tolerance);
    return Search(a, a_moves, b, b_moves, search).run();
}

}  // namespace plush
