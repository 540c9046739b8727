#pragma once

#include "world/contact_models.hpp"

// A step of a deformable body linearises its forces. Where they change by more than that within the step (a light, stiff body that
// is struck and turns by a radian), its end may have more energy than its start and all impulses gave. Such a gain is taken out
// of the motion of deformation: what remains of each velocity beside the body's rigid motion is made smaller by one factor, which
// changes neither momentum.

namespace plush {

/// After the correction.
void limit_energy(const StepContext& step, BodyStore& bodies, const Attachments& attachments,
                  const ConstraintSystem& system, ContactModels& models);

}  // namespace plush
