#pragma once

#include "contact/points/averaged_impulse.hpp"
#include "detect/features/closest_features.hpp"
#include "world/contact_model.hpp"
#include "world/volume_surfaces.hpp"

// Contact manifolds of two exact shapes; else vertex-SDF contact, points of one body against the signed distance of the
// other, or closest features of two meshes.
// Contacts are a function of positions and velocities alone, so a restored world finds the same ones. The position phase
// measures the points again that were found at the start: nothing else can have come near within the step.

namespace plush {

struct Impact;

class PointContacts final : public ContactModel {
public:
    PointContacts(const WorldSettings& settings, BodyStore& bodies, const PairRules& rules,
                  VolumeSurfaces& surfaces)
        : settings_(settings), bodies_(bodies), rules_(rules), surfaces_(surfaces) {}

    void begin_step(const StepContext& step) override;
    bool claim(std::uint32_t i, std::uint32_t j) override;
    void detect(const StepContext& step) override;
    void detect_impacts(const StepContext& step, const Impacts& impacts) override;
    void redetect(const StepContext& step, const Redetection& why) override;
    void add_velocity_rows(const StepContext& step, ConstraintSystem& system) override;
    void account(const StepContext& step, const ConstraintSystem& system, EnergyLedger& ledger) override;
    void add_position_rows(const StepContext& step, PositionRows& out) override;
    void report(const StepContext& step, const ConstraintSystem& system,
                std::vector<ContactRecord>& out) override;
    double largest_depth() const override;
    void each_linked_pair(PairVisitor visit) const override;
    void each_touching_pair(PairVisitor visit) const override;
    void forget_body(std::uint32_t body) override;
    void forget_contacts() override;
    void visit_state(StateVisitor& v) override;
    bool is_consistent() const override;

private:
    /// Two bodies that are near, with the points where they touch or soon will.
    struct Pair {
        std::uint32_t i = 0, j = 0;
        std::uint32_t first = 0, count = 0;            ///< of the hits
        std::uint32_t first_name = 0, name_count = 0;  ///< of the points that may touch in this step
        bool at_rest = false;  ///< found while both were asleep or fixed: holds until one wakes
    };
    /// What was found: hits and names of all pairs, one after the other.
    struct Found {
        std::vector<Pair> pairs{};
        std::vector<PointHit> hits{};
        std::vector<PointName> names{};
    };
    struct SearchCache {
        std::uint32_t i, j;
        PairMemory memory;
    };
    /// The impulse of a contact point, kept for the next step as a world vector.
    struct WarmStart {
        std::uint32_t i, j, point, of_b;
        Vec3 impulse;
        auto key() const { return std::tie(i, j, of_b, point); }
    };
    friend void visit_state(StateVisitor& v, PointContacts::WarmStart& warm) {
        v(warm.i, warm.j, warm.point, warm.of_b, warm.impulse);
    }
    /// The block of a hit.
    struct RowSource {
        std::uint32_t pair, hit, block;
    };
    /// One impulse for all points of a pair (method `impulse`).
    struct Averaged {
        std::uint32_t i, j;
        AveragedImpulse impulse;
    };

    Reach reach(std::uint32_t i, std::uint32_t j, double lookahead) const;
    bool by_features(const Pair& pair) const;
    std::span<const PointHit> hits_of(const Pair& pair) const;
    template <class Find>
    void collect(const StepContext& step, Find&& find);
    void keep_search_caches();
    void find_hits(std::size_t pair, const Body& a, const Body& b, const Reach& ahead,
                   std::vector<PointHit>& found);
    void find_impact_hits(std::size_t pair, const Impact& impact, std::vector<PointHit>& found);
    void copy_known(const Pair& known, const Found& from, std::vector<PointHit>& hits,
                    std::vector<PointName>& names) const;
    void measure_hits(const Pair& pair, const Reach& here, std::span<const PointName> candidates,
                      std::vector<PointHit>& found) const;
    void keep_a_few(const Pair& pair, std::vector<PointHit>& found) const;
    void add_point_rows(const StepContext& step, ConstraintSystem& system, std::uint32_t pair,
                        const PairSides& sides, const PairLaw& law);
    Vec3 last_impulse(const Pair& pair, const PointHit& hit) const;
    void place_friction(const Pair& pair);
    void apply_averaged(const Pair& pair, const PairSides& sides, const PairLaw& law,
                        ConstraintSystem& system);
    void report_resting(const StepContext& step, const ConstraintSystem& system,
                        const std::vector<WarmStart>& before, std::vector<ContactRecord>& out);

    const WorldSettings& settings_;
    const Impacts* impacts_ = nullptr;  ///< of the step under way
    BodyStore& bodies_;
    const PairRules& rules_;
    VolumeSurfaces& surfaces_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> claimed_;
    std::uint64_t revision_ = 0;  ///< of the bodies, when pairs were last found
    Found now_;
    std::vector<SearchCache> caches_;     ///< of all near pairs, sorted by (i, j)
    std::vector<WarmStart> warm_starts_;  ///< sorted by key
    std::vector<RowSource> row_sources_;
    std::vector<Averaged> averaged_;
};

}  // namespace plush
