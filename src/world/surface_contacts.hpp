#pragma once

#include "world/contact_model.hpp"
#include "world/near_pairs.hpp"
#include "world/pair_rules.hpp"

// Vertices of deformable bodies (or points of their skins) against the signed distances of other bodies: forces of a
// surface field in every stage of the integrator, an impulse after it, or position constraints, as the body's law says.

namespace plush {

class SurfaceContacts final : public ContactModel {
public:
    SurfaceContacts(BodyStore& bodies, const PairRules& rules, const NearPairs& near)
        : bodies_(bodies), rules_(rules), near_(near) {}

    // -- around the prediction of one body, in this order
    /// Everything with a distance whose bounds come near within the step is an obstacle.
    void find_obstacles(std::uint32_t body);
    void share_obstacles();  ///< after those of all bodies were found
    void begin(const StepContext& step, std::uint32_t body);
    void finish(const StepContext& step, std::uint32_t body);

    /// After all of them: vertices are put on surfaces, and what they touched gets its share.
    void push_after_prediction(const StepContext& step) override;
    void report(const StepContext& step, const ConstraintSystem& system,
                std::vector<ContactRecord>& out) override;
    /// Free obstacles are not where they were expected.
    void end_step(const StepContext& step) override;
    void each_touching_pair(PairVisitor visit) const override;
    /// The work of the forces on a body's vertices in the step that was corrected, with what its contact fields store now
    /// (J) less what they stored before. Nothing of impulses and projections: those push after the prediction.
    EnergyLedger work_on(const StepContext& step, std::uint32_t body, double stored) const;
    /// Whether forces at the end of a step push the body's vertices, as the integrator knows them.
    bool by_forces(std::uint32_t body) const;

private:
    void meet_surfaces(const StepContext& step, std::uint32_t body);
    void push_obstacles(const StepContext& step, const SurfaceField& surface);

    BodyStore& bodies_;
    const PairRules& rules_;
    const NearPairs& near_;
};

}  // namespace plush
