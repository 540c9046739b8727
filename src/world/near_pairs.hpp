#pragma once

#include "detect/broad_phase.hpp"
#include "world/contact_model.hpp"
#include "world/pair_rules.hpp"

namespace plush {

/// The broad phase: bounds of all bodies, grown by what they may move in the step, and who takes the pairs whose bounds
/// overlap.
class NearPairs {
public:
    NearPairs(BodyStore& bodies, const PairRules& rules) : bodies_(bodies), rules_(rules) {}

    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    /// Offers every near pair, and every body that may touch itself, to the models.
    void find(const StepContext& step, std::span<ContactModel* const> models);
    /// Of the last find(), i < j, sorted.
    std::span<const Pair> pairs() const { return pairs_; }
    const Box3& bounds(std::uint32_t body) const { return bounds_[body]; }

private:
    bool may_touch(std::uint32_t i, std::uint32_t j) const;

    BodyStore& bodies_;
    const PairRules& rules_;
    std::vector<Box3> bounds_;
    std::vector<Pair> pairs_;
    BroadPhase broad_phase_;
};

}  // namespace plush
