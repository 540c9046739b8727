#pragma once

#include "world/volume_pair.hpp"

// Contacts of pairs with a deformable body are reused while the two are near where they were queried: to the end of
// the step, through the passes of the position phase, and into the steps that follow. They are extrapolated to first
// order, V + ∂V/∂q Δq; a contact keeps its place, its normal and its area. The cache is state, for how far a contact
// was extrapolated depends on the steps before.

namespace plush {

/// The contacts of a pair when a step has ended, and where they were queried.
struct CachedPair {
    std::uint32_t i = 0, j = 0;
    std::array<QueryPose, 2> queried{};
    double pixel = 0;
    Vec3 direction{};
    std::vector<VolumeContact> contacts{};
    std::vector<KnownCell> cut{};
};

class ContactCache {
public:
    ContactCache(BodyStore& bodies, const VolumeSurfaces& surfaces, const ExpectedMotion& expected)
        : bodies_(bodies), surfaces_(surfaces), expected_(expected) {}

    /// How far bodies are, or will be, from where contacts were last queried or extrapolated to, and where their
    /// sample points are. Before anything else is asked at that time.
    void measure_motion(const Parallel& parallel, QueryTime when);
    /// All contacts are those of where the bodies are at this time.
    void set_reference(QueryTime when);

    /// A contact where its bodies are now, or will be. It becomes a gap where they part.
    void extrapolate(VolumeContact& contact, QueryTime when) const;
    /// Whether contacts that were found where two bodies were then still tell what is there; `unit` is the pixel, or
    /// what is as small.
    bool may_reuse(const VolumePair& pair, const std::array<QueryPose, 2>& queried,
                   std::span<const VolumeContact> contacts, double unit, QueryTime when) const;
    std::array<QueryPose, 2> poses_of(const VolumePair& pair, QueryTime when) const;

    /// What is cached of a pair, where that is good enough at the end of the step; or null.
    CachedPair* find(const VolumePair& pair);
    /// How a pair was cut when it was last queried; empty where that is not known.
    std::span<const KnownCell> cut_of(std::uint32_t i, std::uint32_t j) const;
    /// After a step: replaces all that was cached. Takes the pairs' query poses.
    void store(std::span<VolumePair> pairs, std::span<const VolumeContact> contacts);

    /// A body that comes, goes or is another one after a cut.
    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v);
    /// Whether what was restored speaks of bodies that are there.
    bool is_consistent() const;

private:
    struct Reference {
        std::vector<Vec3> positions{};  ///< of a deformable body
        Transform pose{};
        double moved = 0;             ///< since then, at most, m
        std::vector<Vec3> samples{};  ///< of a soft surface, where it is asked for
    };
    std::span<const Vec3> positions_at(std::uint32_t body, QueryTime when) const;
    Transform pose_at(std::uint32_t body, QueryTime when) const;
    double rigid_motion(std::uint32_t body, const Transform& from, QueryTime when) const;
    template <class Soft, class Rigid>
    void each_moved_side(const VolumeContact& contact, QueryTime when, const Soft& soft,
                         const Rigid& rigid) const;
    double deepening_since(const VolumeContact& contact, QueryTime when) const;
    Vec3 slip_since(const VolumeContact& contact, QueryTime when) const;
    template <class F>
    void each_near_sample(std::uint32_t body, std::uint32_t other, double around, QueryTime when,
                          const F& visit) const;
    QueryPose pose_of(std::uint32_t body, std::uint32_t other, QueryTime when) const;
    double motion_of(const QueryPose& queried, std::uint32_t body, std::uint32_t other, QueryTime when) const;
    double motion_of(const VolumePair& pair, const std::array<QueryPose, 2>& queried, bool touching,
                     double unit, QueryTime when) const;

    BodyStore& bodies_;
    const VolumeSurfaces& surfaces_;
    const ExpectedMotion& expected_;
    ByBody<Reference> reference_;
    std::vector<CachedPair> pairs_;  ///< sorted by (i, j)
};

}  // namespace plush
