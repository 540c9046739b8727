#include <algorithm>
#include <functional>

#include "core/tuning.hpp"
#include "world/volume_contacts.hpp"

// Pairs that are queried by volume, in parallel, within the memory that volume contact may take.

namespace plush {

/// The contacts of pairs at the poses that stand in them, one list a pair.
std::vector<std::vector<VolumeContact>> VolumeContacts::query(const StepContext& step,
                                                              std::span<VolumePair> pairs, BodyPlace place) {
    std::vector<std::vector<VolumeContact>> found(pairs.size());
    if (pairs.empty()) return found;
    // Each finder keeps the memory of its images: there are so many and no more, whatever the number of pairs.
    constexpr std::size_t finders = 64;
    while (finders_.size() < std::min(finders, pairs.size()))
        finders_.push_back(std::make_unique<OverlapFinder>());
    // Of few pairs the last ones are spread over the threads that have nothing left to do; the bits are the same.
    const bool few = pairs.size() < tuning::few_pairs * static_cast<std::size_t>(step.parallel.threads());
    const Parallel* const inner = few ? &step.parallel : nullptr;
    const std::size_t chunk = (pairs.size() + finders - 1) / finders;
    PLUSH_ASSERT((pairs.size() - 1) / chunk < finders_.size());
    step.report.queries += static_cast<int>(pairs.size());
    std::vector<SurfacePair> by_images;
    std::vector<std::uint32_t> by_features;
    for (const VolumePair& pair : pairs)
        if (pair.by_features)
            by_features.insert(by_features.end(), {pair.i, pair.j});
        else
            by_images.push_back({pair.i, pair.j, pair.pose_i, pair.pose_j});
    std::sort(by_features.begin(), by_features.end());
    by_features.erase(std::unique(by_features.begin(), by_features.end()), by_features.end());
    surfaces_.tighten(step.parallel, by_images, place);
    surfaces_.place_features(step.parallel, by_features, place);
    // All that is under way at a time shares the memory. A pair that needs more than its share has all of it later: what
    // is found does not depend on the shares.
    std::vector<char> large(pairs.size());
    step.parallel.chunks(pairs.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            if (pairs[k].by_features)
                feature_query_.find(pairs[k], inner, found[k]);
            else
                large[k] = !volume_query_.find(pairs[k], place, *finders_[begin / chunk], inner, found[k],
                                               std::max(2, step.parallel.threads()));
    });
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        if (!large[k]) continue;
        free_memory(0);
        volume_query_.find(pairs[k], place, *finders_.front(), &step.parallel, found[k], 1);
    }
    free_memory(settings_.contact.volume.memory_limit * 0x1p20);
    return found;
}

/// Leaves no more than so many bytes to the finders: the largest ones begin anew.
void VolumeContacts::free_memory(double most) {
    std::vector<std::pair<std::size_t, std::size_t>> kept;
    double sum = 0;
    for (std::size_t k = 0; k < finders_.size(); ++k) {
        kept.emplace_back(finders_[k]->images().capacity(), k);
        sum += static_cast<double>(kept.back().first);
    }
    if (sum <= most) return;
    std::sort(kept.begin(), kept.end(), std::greater<>());
    for (const auto& [bytes, k] : kept) {
        if (sum <= most) return;
        finders_[k] = std::make_unique<OverlapFinder>();
        sum -= static_cast<double>(bytes);
    }
}

}  // namespace plush
