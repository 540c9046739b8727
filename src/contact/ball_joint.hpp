#pragma once

#include "contact/point_contact.hpp"

namespace plush {

/// Holds a point of a on a point of b. Anchors are in the bodies' frames (in the world where there is no b).
struct BallJoint {
    Vec3 anchor_a{}, anchor_b{};
    Vec3 impulse{};  ///< of the last step, on a; the next warm start
};

/// The vector from b's anchor to a's, world.
Vec3 joint_gap(const BallJoint& joint, const PairSides& pair);

/// Three bilateral rows at the joint. For velocities (`positions` false) or for closing the gap (true).
void add_joint_block(Rows& rows, const BallJoint& joint, const PairSides& pair, std::span<const Node> nodes,
                     bool positions);

}  // namespace plush
