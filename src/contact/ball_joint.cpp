#include "contact/ball_joint.hpp"

// Velocity: v_a + ω_a × r_a − v_b − ω_b × r_b = 0 at the anchors. Position: J Δq = −gap.

namespace plush {
namespace {

Vec3 world_anchor(const Side& side, const Vec3& anchor) {
    return side.body ? side.body->pose() * anchor : anchor;
}

}  // namespace

Vec3 joint_gap(const BallJoint& joint, const PairSides& pair) {
    return world_anchor(pair.a, joint.anchor_a) - world_anchor(pair.b, joint.anchor_b);
}

void add_joint_block(Rows& rows, const BallJoint& joint, const PairSides& pair, std::span<const Node> nodes,
                     bool positions) {
    Block block;
    block.law = Block::Law::bilateral;
    block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
    const auto add_side = [&](const Side& side, const Vec3& anchor, double sign) {
        const Vec3 point = world_anchor(side, anchor);
        if (side.first_node) {
            const Node& node = nodes[*side.first_node];
            rows.entries.push_back(
                point_entry(*side.first_node, Mat3::identity(), point - node.origin, sign));
            ++block.entry_count;
        } else if (side.body && !positions) {
            block.bias += sign * side.body->velocity_at(point);
        }
    };
    add_side(pair.a, joint.anchor_a, 1.0);
    add_side(pair.b, joint.anchor_b, -1.0);
    if (block.entry_count == 0) return;
    if (positions)
        block.bias = joint_gap(joint, pair);
    else
        block.impulse = joint.impulse;
    rows.blocks.push_back(block);
}

}  // namespace plush
