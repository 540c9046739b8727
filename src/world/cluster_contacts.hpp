#pragma once

#include "contact/points/matched_contact.hpp"
#include "world/contact_model.hpp"
#include "world/pair_rules.hpp"

// Bodies of one shape-matching cluster against one another, after each has moved by itself and before they meet the
// surfaces of all the others: see contact/points/matched_contact.hpp.

namespace plush {

class ClusterContacts final : public ContactModel {
public:
    ClusterContacts(BodyStore& bodies, const PairRules& rules) : bodies_(bodies), rules_(rules) {}

    void push_after_prediction(const StepContext& step) override;
    void report(const StepContext& step, const ConstraintSystem& system,
                std::vector<ContactRecord>& out) override;
    void each_touching_pair(PairVisitor visit) const override;

private:
    /// A body of one cluster, at the end of the step.
    struct Posed {
        std::uint32_t body;
        Box3 bounds{};
        Vec3 position{};
        Mat3 rotation{};
    };
    struct Pair {
        std::uint32_t a, b;  ///< places in the list of bodies
        PairLaw law;
    };
    void find_bodies(const StepContext& step);
    std::vector<Pair> near_pairs() const;
    std::vector<MatchedContact> contacts_between(const StepContext& step) const;
    std::vector<MatchedContact> contacts_with_fixed(const StepContext& step);
    double smallest_extent() const;

    BodyStore& bodies_;
    const PairRules& rules_;
    std::vector<Posed> posed_;
    std::vector<MatchedProxy> proxies_;  ///< one for each of those, then those of fixed and scripted bodies
    std::vector<std::uint32_t> body_of_proxy_;
    std::vector<MatchedContact> contacts_;  ///< of the step, between bodies
};

}  // namespace plush
