#pragma once

#include "contact/points/contact_time.hpp"
#include "detect/features/time_of_impact.hpp"
#include "world/attachments.hpp"
#include "world/body_store.hpp"
#include "world/contact_events.hpp"
#include "world/drags.hpp"
#include "world/joint_store.hpp"
#include "world/near_pairs.hpp"
#include "world/pair_rules.hpp"
#include "world/step_context.hpp"

// Bodies meet where they meet, not where the step begins. After the prediction, pairs of solid bodies that are apart get the time
// at which their paths first touch. A free body is then advanced to the first of its impacts, with the velocities of the
// prediction: the rows of the step have the points, normals and lever arms of that moment, and the body goes on from there
// with what they give it for the rest of the step. Each body has one such moment, so that all impulses on it act where
// it stands, and angular momentum is kept to rounding whatever the moments of others are.
//
// What is held by joints, drags or vertices, touches something already, or may touch several bodies in this step, stays where
// the step starts, and so do the contacts that are seen from there: gaps between bodies at different times say little. Where
// nothing is seen from there, since it would jump over the other, the impact has the normal of its time, and a gap.

namespace plush {

/// A pair that meets in this step.
struct Impact {
    std::uint32_t i = 0, j = 0;
    double time = 0;       ///< s after the start of the step
    Vec3 normal{};         ///< pushes i out of j
    bool reached = false;  ///< a body of it was advanced to that time; else both are where they were before
    bool far = false;      ///< the step is long enough to jump over one of them
    bool second = false;   ///< a body of it was advanced to another impact before
};

class Impacts {
public:
    Impacts(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
            const JointStore& joints, const Attachments& attachments, const Drags& drags,
            const VolumeSurfaces& surfaces, const ContactEvents& events)
        : settings_(settings),
          bodies_(bodies),
          rules_(rules),
          joints_(joints),
          attachments_(attachments),
          drags_(drags),
          surfaces_(surfaces),
          events_(events) {}

    /// After the prediction, among these near pairs: finds the impacts and advances bodies to them.
    void find(const StepContext& step, std::span<const NearPairs::Pair> near);

    std::span<const Impact> all() const { return impacts_; }
    bool any() const { return !impacts_.empty() || !misses_.empty(); }
    /// Nothing where the pair does not meet in this step, or not at a time that its bodies have to themselves.
    const Impact* of(std::uint32_t i, std::uint32_t j) const;
    bool advanced(std::uint32_t body) const { return body < moments_.size() && moments_[body] > 0; }
    double remaining(std::uint32_t body) const { return step_ - (advanced(body) ? moments_[body] : 0); }
    /// Whether nothing can change the paths of two bodies in this step and they do not touch: no row is to hold them apart.
    bool miss(std::uint32_t i, std::uint32_t j) const;
    /// Whether contacts of a pair that were found at the start of the step must be found again.
    bool concerns(std::uint32_t i, std::uint32_t j) const {
        return advanced(i) || advanced(j) || of(i, j) != nullptr || miss(i, j);
    }
    /// Where a body is, or would be, at a time of the step.
    PathPoint place(std::uint32_t body, double time) const;
    /// When the rows of a pair act.
    ContactTime time_of(std::uint32_t i, std::uint32_t j) const;
    /// The half of the way that the free bodies of an impact make until then, if they are not there: the two together.
    Vec3 travel(const Impact& impact) const;

private:
    bool takes_part(std::uint32_t i, std::uint32_t j) const;
    ImpactTime search(const StepContext& step, std::uint32_t i, std::uint32_t j) const;
    bool moves_far(const StepContext& step, std::uint32_t i, std::uint32_t j) const;
    std::vector<int> open_pairs(std::span<const NearPairs::Pair> near) const;
    void mark_held(std::span<const NearPairs::Pair> near);

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const PairRules& rules_;
    const JointStore& joints_;
    const Attachments& attachments_;
    const Drags& drags_;
    const VolumeSurfaces& surfaces_;
    const ContactEvents& events_;
    std::vector<Impact> impacts_;          ///< sorted by (i, j)
    std::vector<NearPairs::Pair> misses_;  ///< sorted; pairs that were searched and do not meet
    std::vector<double> moments_;          ///< of each body, s; 0: where the step starts
    std::vector<char> held_;               ///< bodies that cannot be advanced
    double step_ = 0;
};

}  // namespace plush
