#pragma once

#include "world/joint_store.hpp"
#include "world/step_context.hpp"

// The position phase of joints between rigid bodies: their gaps are closed as a nonlinear least-squares problem, solved to
// its minimum in every step.

namespace plush {

class JointProjection {
public:
    JointProjection(BodyStore& bodies, const JointStore& joints) : bodies_(bodies), joints_(joints) {}

    /// Records where the bodies are.
    void begin_step();
    /// Moves the bodies of all groups of joints that gape; adds to `way`, by body, how far, m, and marks them in
    /// `displaced`. Velocities turn with the bodies; what a group is lifted by, its motion pays.
    void run(const StepContext& step, std::span<double> way, std::span<char> displaced);
    /// By joint: whether this is how it is closed.
    std::span<const char> projected() const { return projected_; }

private:
    /// Rigid bodies awake that joints connect, and these joints; rising.
    struct Group {
        std::vector<std::uint32_t> bodies, joints;
    };
    class Problem;
    std::vector<Group> gaping_groups();
    bool is_free(std::uint32_t body) const;
    bool is_driven(const Group& group) const;
    /// Takes what the bodies were lifted by from their motion.
    void pay(const Group& group, double energy);

    BodyStore& bodies_;
    const JointStore& joints_;
    std::vector<Transform> start_;  ///< of all bodies in this step
    std::vector<char> projected_;
};

}  // namespace plush
