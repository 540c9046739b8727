#pragma once

#include "world/contact_models.hpp"
#include "world/joint_projection.hpp"
#include "world/joint_rows.hpp"
#include "world/step_context.hpp"

// The position phase: positions, and never velocities, are corrected with fresh contacts until the overlap left is
// allowed and joints do not gape.

namespace plush {

class PositionPhase {
public:
    PositionPhase(BodyStore& bodies, ConstraintSystem& system, const JointStore& joints,
                  JointRows& joint_rows, VolumeSurfaces& surfaces, ContactModels& models)
        : bodies_(bodies),
          system_(system),
          projection_(bodies, joints),
          joints_(joint_rows),
          surfaces_(surfaces),
          models_(models) {}

    void begin_step() { projection_.begin_step(); }
    void run(const StepContext& step);
    /// How far the last step's position phase moved the point of the body that it moved farthest, m, all passes together.
    double displacement(std::uint32_t body) const { return body < way_.size() ? way_[body] : 0; }

private:
    void redetect(const StepContext& step, bool after_pass);
    double largest_soft_excess();
    bool push_apart(const StepContext& step, bool soft_as_rigid);
    void displace(const StepContext& step, std::span<const char> urgent);

    BodyStore& bodies_;
    ConstraintSystem& system_;
    JointProjection projection_;
    JointRows& joints_;
    VolumeSurfaces& surfaces_;
    ContactModels& models_;
    std::vector<char> displaced_;  ///< bodies that the last pass has moved
    std::vector<double> way_;      ///< of each body in this step, m
};

}  // namespace plush
