#pragma once

#include "world/body_store.hpp"
#include "world/by_body.hpp"
#include "world/step_context.hpp"

// Where bodies are expected at the end of the step: free motion, and on top of it as much of what rows did to them in
// the last step as they did in the one before,
//
//     u + θ Δu,      θ = ⟨Δu, Δu_before⟩ / ⟨Δu, Δu⟩, between 0 and 1.
//
// A pile at rest is expected where it will be, and its contacts are found there; without θ a soft limb is expected
// where it would be without what it lies on, a centimetre further, and is never quite at rest. What was hit in the
// last step (θ = 0) is expected where free motion takes it.

namespace plush {

class ExpectedMotion {
public:
    explicit ExpectedMotion(BodyStore& bodies) : bodies_(bodies) {}

    /// After the prediction: of all bodies their poses, of these deformable ones their vertices.
    void update(const StepContext& step, std::span<const std::uint32_t> deformable);
    /// After a solve: a body is expected where the rows take it, whose velocities they change by so much.
    void follow(const StepContext& step, std::uint32_t body, std::span<const Twist> change);

    /// A deformable body is expected elsewhere.
    void place(std::uint32_t body, std::vector<Vec3> positions) {
        of_body_[body].positions = std::move(positions);
    }
    std::span<const Vec3> positions(std::uint32_t body) const { return of_body_[body].positions; }
    std::span<const Vec3> velocities(std::uint32_t body) const { return of_body_[body].velocities; }
    const Transform& pose(std::uint32_t body) const { return of_body_[body].pose; }

    /// What rows did to the velocities of a body's nodes in the last step; empty where that is not known.
    std::span<const Twist> contact_change(std::uint32_t body) const { return of_body_[body].change; }
    double persistence(std::uint32_t body) const { return of_body_[body].persistence; }  ///< θ
    /// θ Δu of a rigid body, from the last step.
    Twist persistent_change(std::uint32_t body) const;
    /// What rows are expected to do to the velocity of a rigid body: θ Δu, or what a solve has found.
    Twist rigid_change(std::uint32_t body) const { return of_body_[body].rigid; }
    void record_contact_change(std::uint32_t body, std::span<const Twist> change);

    void forget_contact_change(std::uint32_t body);
    void forget_body(std::uint32_t body) { of_body_.reset(body); }
    void visit_state(StateVisitor& v);
    bool is_consistent() const;  ///< of a state that was restored

private:
    struct Expected {
        std::vector<Vec3> positions{}, velocities{};  ///< of a deformable body
        Transform pose{};
        Twist rigid{};
        std::vector<Twist> change{};  ///< Δu of the last step
        double persistence = 0;       ///< θ
    };
    BodyStore& bodies_;
    ByBody<Expected> of_body_;
};

}  // namespace plush
