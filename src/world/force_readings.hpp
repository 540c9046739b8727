#pragma once

#include "world/joint_store.hpp"

// Forces of contacts, joints and blades, summed for bodies and pairs, and their exponential means,
//
//     f̄ ← f̄ + (1 − e^(−h/τ)) (f − f̄).

namespace plush {

class ForceReadings {
public:
    ForceReadings(const BodyStore& bodies, const JointStore& joints) : bodies_(bodies), joints_(joints) {}

    /// Of the contacts of a step, by pairs i < j: what acts on i.
    struct Pair {
        std::uint32_t i = 0, j = 0;
        ContactForce on_i{}, on_j{};
    };
    std::vector<Pair> pairs(std::span<const Contact> contacts) const;

    void smooth(double time, std::span<const Contact> contacts, std::span<const Wrench> blades);
    bool smoothed() const { return time_ > 0; }
    /// After a step. `blades`: of each body.
    void update(double h, std::span<const Contact> contacts, std::span<const Wrench> blades);

    std::span<const Pair> mean_pairs() const { return pairs_; }
    Wrench mean_joint(std::uint32_t joint) const;
    Wrench mean_blade(std::uint32_t body) const;

    void forget_body(std::uint32_t body);
    void visit_state(StateVisitor& v);

private:
    const BodyStore& bodies_;
    const JointStore& joints_;
    double time_ = 0;  ///< τ, s; 0: no means
    std::vector<Pair> pairs_;
    std::vector<Wrench> of_joints_, of_blades_;
};

ContactForce operator+(const ContactForce& a, const ContactForce& b);
ContactForce sum_on(std::span<const ForceReadings::Pair> pairs, std::uint32_t body);
ContactForce force_on(std::span<const ForceReadings::Pair> pairs, std::uint32_t body, std::uint32_t by);

}  // namespace plush
