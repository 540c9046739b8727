#pragma once

#include "world/contact_cache.hpp"
#include "world/contact_model.hpp"
#include "world/feature_query.hpp"
#include "world/volume_query.hpp"
#include "world/volume_rows.hpp"
#include "world/volume_warm_starts.hpp"

// Volume contact: which pairs, what they share, and the rows that come of it. What a query finds of a pair is a function
// of the two poses alone, so what the position phase saw last serves the next step, and what lies still is never
// queried again.
//
// Pairs that are apart are queried where their free motion takes them: what is found there becomes rows that let the
// gap close and no more. A body asleep is not: the blow must wake it first.
//
// Pairs with a deformable body are queried where they are expected even where they touch. Each part of its surface moves
// for itself, and those that were apart at the start would fall freely for a step, one after the other for ever: a soft
// box on the ground kept 4 cm/s. Those whose cached contacts are good there are not queried again.

namespace plush {

struct Impact;

class VolumeContacts final : public ContactModel {
public:
    VolumeContacts(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
                   VolumeSurfaces& surfaces, ExpectedMotion& expected);

    void begin_step(const StepContext& step) override;
    void grow_bounds(std::uint32_t body, Box3& box) const override;
    bool claim(std::uint32_t i, std::uint32_t j) override;
    void detect(const StepContext& step) override;
    void detect_impacts(const StepContext&, const Impacts& impacts) override { impacts_ = &impacts; }
    void detect_speculative(const StepContext& step) override;
    bool refine_speculative(const StepContext& step, const ConstraintSystem& system) override;
    void redetect(const StepContext& step, const Redetection& why) override;
    void add_constraint_nodes(ConstraintSystem& system, bool positions) override;
    void add_velocity_rows(const StepContext& step, ConstraintSystem& system) override;
    void add_position_rows(const StepContext& step, PositionRows& out) override;
    void report(const StepContext& step, const ConstraintSystem& system,
                std::vector<ContactRecord>& out) override;
    void end_step(const StepContext& step) override;
    double largest_depth() const override;
    double largest_soft_excess() const override;
    void each_linked_pair(PairVisitor visit) const override;
    void each_touching_pair(PairVisitor visit) const override;
    void forget_body(std::uint32_t body) override;
    void forget_contacts() override;
    void visit_state(StateVisitor& v) override;
    /// A cut has made another surface of a body's.
    void surface_changed(std::uint32_t body);
    /// Whether what was restored makes sense.
    bool is_consistent() const override { return cache_.is_consistent() && warm_starts_.is_consistent(); }

    /// The contacts that the rows of the step are made of, and the block of each; none where nothing can move.
    std::span<const VolumeContact> step_contacts() const { return step_contacts_; }
    std::span<const std::optional<std::uint32_t>> step_blocks() const { return rows_.blocks(); }

private:
    /// What becomes of a pair's contacts where its bodies are now.
    enum class Reuse { query, keep, drop, extrapolate };
    std::span<const VolumeContact> contacts_of(const VolumePair& pair) const;
    std::span<const VolumeContact> speculative_of(const VolumePair& pair) const;
    bool moving_soft(const VolumePair& pair) const;
    bool is_compliant(const VolumePair& pair) const;
    void mark_parting(VolumePair& pair, std::span<VolumeContact> contacts) const;
    bool unmoved(const VolumePair& pair) const;
    Reuse reuse_of(const VolumePair& pair, QueryTime when) const;
    void note(VolumePair& pair, Reuse reuse, QueryTime when) const;
    void keep_known_pairs();
    void update(const StepContext& step, QueryTime when);
    std::vector<std::vector<VolumeContact>> query(const StepContext& step, std::span<VolumePair> pairs,
                                                  BodyPlace place);
    void free_memory(double most);
    std::vector<VolumeContact> not_speculative() const;
    double reuse_unit(const VolumePair& pair) const;
    void record_warm_starts(const ConstraintSystem& system);
    bool speculates(const VolumePair& pair, const StepContext& step, VolumePair& there) const;
    const Impact* impact_of(const VolumePair& pair) const;
    bool swings(const VolumePair& pair, double h) const;
    double sinking(std::uint32_t i, std::uint32_t j) const;
    void place_impact(const Impact& impact, VolumePair& there) const;
    void place_soft_impacts(const StepContext& step);
    void add_speculative(const StepContext& step, VolumePair& pair, std::span<VolumeContact> found,
                         const Impact* impact, std::vector<VolumeContact>& out);
    void set_travel(const StepContext& step, bool soft, VolumeContact& contact) const;

    const WorldSettings& settings_;
    BodyStore& bodies_;
    const PairRules& rules_;
    VolumeSurfaces& surfaces_;
    ExpectedMotion& expected_;
    const Impacts* impacts_ = nullptr;  ///< of the step under way
    VolumeQuery volume_query_;
    FeatureQuery feature_query_;
    ContactCache cache_;
    VolumeRows rows_;
    VolumeWarmStarts warm_starts_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> claimed_;
    std::uint64_t revision_ = 0;                ///< of the bodies, when pairs were last found
    std::vector<VolumePair> pairs_;             ///< sorted by (i, j)
    std::vector<VolumeContact> contacts_;       ///< of now
    std::vector<VolumeContact> step_contacts_;  ///< those, and speculative ones: what the rows are made of
    std::vector<VolumeContact> refined_;        ///< speculative ones where the solve takes the bodies
    bool is_refined_ = false;
    std::vector<Vec3> warm_impulses_;  ///< of the last step, one for each of the step's contacts
    std::vector<std::unique_ptr<OverlapFinder>> finders_;
};

}  // namespace plush
