#pragma once

#include "plush/world/world.hpp"
#include "world/joint_store.hpp"

namespace plush {

/// The system of all joints, as a step that began now would have it before anything drives them.
JointMatrix joint_matrix(const BodyStore& bodies, const JointStore& joints);

}  // namespace plush
