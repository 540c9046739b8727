#pragma once

#include "world/contact_models.hpp"
#include "world/joint_rows.hpp"
#include "world/step_context.hpp"

// The position phase: positions, and never velocities, are corrected with fresh contacts until the overlap left is
// allowed and joints do not gape.

namespace plush {

class PositionPhase {
public:
    PositionPhase(BodyStore& bodies, ConstraintSystem& system, JointRows& joints, VolumeSurfaces& surfaces,
                  ContactModels& models)
        : bodies_(bodies), system_(system), joints_(joints), surfaces_(surfaces), models_(models) {}

    /// Contacts that bounced go where a bounce at the moment of impact would have taken them
    /// (contact/points/point_contact.cpp). The velocity rows of the step serve as position rows: J Δq = shift.
    void finish_bounces(const StepContext& step);
    void run(const StepContext& step);

private:
    void redetect(const StepContext& step, bool after_pass);
    double largest_soft_excess();
    bool push_apart(const StepContext& step, bool soft_as_rigid);
    void displace(const StepContext& step, std::span<const char> urgent, bool joints_first);

    BodyStore& bodies_;
    ConstraintSystem& system_;
    JointRows& joints_;
    VolumeSurfaces& surfaces_;
    ContactModels& models_;
    std::vector<char> displaced_;  ///< bodies that the last pass has moved
};

}  // namespace plush
