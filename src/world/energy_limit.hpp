#pragma once

#include "world/contact_models.hpp"

// A step of a deformable body linearises its forces. Where they change by more than that within the step (a light, stiff body that
// is struck and turns by a radian), its end may have more energy than its start and all impulses gave. Such a gain is taken away:
// first the deformation of the step is made smaller, then the motion of deformation (what each velocity has beside the body's
// rigid motion), which changes neither momentum; and last all motion, where nothing but the ground and given bodies touch it.
// Bodies that rows act on keep the velocities that the solver gave them.

namespace plush {

/// Whether rows, forces of surfaces and gravity are all that can give energy to a body, and its velocities are its own.
bool may_only_lose(const StepContext& step, const BodyRecord& record, bool attached);

/// After the correction.
void limit_energy(const StepContext& step, BodyStore& bodies, const Attachments& attachments,
                  const ConstraintSystem& system, ContactModels& models);

}  // namespace plush
