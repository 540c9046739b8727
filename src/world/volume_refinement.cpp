#include <algorithm>

#include "core/tuning.hpp"
#include "world/volume_contacts.hpp"

namespace plush {

// Contacts are linear in the motion only near where they were found. Where a solve takes its bodies elsewhere, those that
// come to lie too deep are found again there, and the step is solved with them: then impulses, contacts and elastic forces
// belong to one place, the end of the step.
bool VolumeContacts::refine_speculative(const StepContext& step, const ConstraintSystem& system) {
    if (std::none_of(pairs_.begin(), pairs_.end(), [](const VolumePair& p) { return p.speculative; }))
        return false;
    surfaces_.refit(step.parallel, BodyPlace::expected);
    cache_.measure_motion(step.parallel, QueryTime::refined);
    std::vector<char> reused(pairs_.size());
    step.parallel.each(pairs_.size(), tuning::pairs_per_task, [&](std::size_t p) {
        const VolumePair& pair = pairs_[p];
        if (pair.speculative && pair.queried)
            reused[p] = cache_.may_reuse(pair, *pair.queried, speculative_of(pair), reuse_unit(pair),
                                         QueryTime::refined);
    });
    std::vector<VolumePair> wanted;
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
        if (!pairs_[p].speculative || reused[p]) continue;
        wanted.push_back(pairs_[p]);
        [[maybe_unused]] const bool still =
            speculates(pairs_[p], step, wanted.back());  // sets its poses there
        PLUSH_ASSERT(still);
    }
    std::vector<std::vector<VolumeContact>> found = query(step, wanted, BodyPlace::expected);
    std::vector<VolumeContact> all = not_speculative();
    double excess = 0;
    for (std::size_t p = 0, next = 0; p < pairs_.size(); ++p) {
        VolumePair& pair = pairs_[p];
        if (!pair.speculative) continue;
        const auto old = speculative_of(pair);
        std::vector<VolumeContact> here =
            reused[p] ? std::vector<VolumeContact>(old.begin(), old.end()) : std::move(found[next]);
        if (reused[p]) {
            for (VolumeContact& contact : here) cache_.extrapolate(contact, QueryTime::refined);
        } else {
            pair.pixel = wanted[next].pixel, pair.direction = wanted[next].direction;
            pair.coarsened = wanted[next].coarsened, pair.cut = std::move(wanted[next].cut);
            pair.queried = cache_.poses_of(pair, QueryTime::refined);
            ++next;
        }
        for (const VolumeContact& c : here)
            if (!c.containment) excess = std::max(excess, c.depth / c.allowed);
        add_speculative(step, pair, here, nullptr, all);
    }
    refined_ = std::move(all);
    is_refined_ = true;
    cache_.set_reference(QueryTime::refined);
    if (!(excess > 1)) return false;
    record_warm_starts(system);
    step_contacts_ = std::move(refined_);
    is_refined_ = false;
    return true;
}

/// Contacts of the step between pairs that are not speculative.
std::vector<VolumeContact> VolumeContacts::not_speculative() const {
    const std::vector<VolumeContact>& latest = is_refined_ ? refined_ : step_contacts_;
    std::vector<char> is_speculative(latest.size());
    for (const VolumePair& pair : pairs_)
        for (std::uint32_t k = 0; pair.speculative && k < pair.count_speculative; ++k)
            is_speculative[pair.first_speculative + k] = 1;
    std::vector<VolumeContact> others;
    for (std::size_t k = 0; k < latest.size(); ++k)
        if (!is_speculative[k]) others.push_back(latest[k]);
    return others;
}

/// The impulses of the solve, for the one after it.
void VolumeContacts::record_warm_starts(const ConstraintSystem& system) {
    warm_starts_.clear();
    for (std::size_t k = 0; k < step_contacts_.size(); ++k)
        warm_starts_.record(step_contacts_[k], rows_.blocks()[k]
                                                   ? rows_.impulse(system, step_contacts_[k], k).warm
                                                   : warm_impulses_[k]);
    warm_starts_.sort();
}

}  // namespace plush
