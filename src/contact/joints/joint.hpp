#pragma once

#include <array>
#include <vector>

#include "contact/solver/rows.hpp"
#include "plush/contact/joints.hpp"
#include "plush/math/rotation.hpp"

namespace plush {

enum class JointKind : std::uint8_t { ball, hinge, slider, fixed, distance, rope };

/// What a block of a joint is for. The first two hold it together, the others act on its coordinate.
/// `sway` calms short ropes under tension.
enum class JointRole : std::uint8_t { point, turn, spring, motor, low, high, sway };
inline constexpr std::size_t joint_roles = 7;

/// A joint between two frames, one on each body. Their x axis is the joint's axis.
struct Joint {
    JointKind kind = JointKind::ball;
    Transform frame_a{}, frame_b{};  ///< in the frames of the bodies, or in the world
    double length = 0;               ///< of a distance joint, m
    double lever = 1;      ///< what stands for a radian where gaps are compared, m (JointStore::set_levers)
    JointLimits limits{};  ///< of a rope: its length; of a ball joint: its cone
    JointMotor motor{};
    JointSpring spring{};  ///< `rest` is set

    // State.
    double position = 0;                             ///< the coordinate; angles of hinges go on past π
    std::array<std::uint8_t, joint_roles> active{};  ///< bounded rows that were between their bounds
    Vec3 force{}, torque{};                          ///< on a, at its anchor, of the last step, N and N m
    double gain = 0;  ///< energy that its rows gave since they last had given none, J
};

/// One end of a joint in a step: a pose, and how it moves.
struct JointSide {
    Transform pose{};
    std::optional<std::uint32_t> node{};  ///< none: its motion is given
    Motion motion{};                      ///< where it is given
};
struct JointSides {
    JointSide a, b;
};

/// Where the joint is on a body, in the world.
struct JointFrames {
    Transform a, b;
};
JointFrames joint_frames(const Joint& joint, const Transform& pose_a, const Transform& pose_b);

/// Whether limits, a motor or a spring act on its coordinate.
bool is_driven(const Joint& joint);

/// What the rows of a role measure: zero where the joint holds; the coordinate for those that act on it
/// (negative for `high`).
Vec3 joint_value(const Joint& joint, JointRole role, const JointFrames& at);
/// The coordinate; angles of hinges are those nearest to joint.position.
double joint_coordinate(const Joint& joint, const JointFrames& at);

/// A block of a joint, with what the step needs to aim it.
struct JointRow {
    std::uint32_t joint = 0;
    JointRole role = JointRole::point;
    Vec3 given{};        ///< the part of J u that prescribed motion adds
    Vec3 law{};          ///< what the law adds to J u
    Vec3 start{};        ///< joint_value at the start
    bool closes = true;  ///< of a displacement: it closes a gap, else it keeps the joint as it is
};

/// Adds the blocks of a joint for velocities, with a JointRow each.
void add_joint_rows(Rows& rows, std::vector<JointRow>& sources, const Joint& joint, std::uint32_t index,
                    const JointSides& sides, std::span<const Node> nodes, double h);
/// Adds those that close its gaps, J Δq = −gap, with a JointRow each; returns the largest gap, rad, or m by the lever.
double add_joint_displacement_rows(Rows& rows, std::vector<JointRow>& sources, const Joint& joint,
                                   std::uint32_t index, const JointSides& sides, std::span<const Node> nodes);
/// What gaps of a role are divided by to be compared with others: 1 for angles, the lever for ways.
double gap_unit(const Joint& joint, JointRole role);
/// What such rows measure: the gap; the room to a limit, negative where it is passed.
Vec3 joint_gap(const Joint& joint, JointRole role, const JointFrames& at);
/// The largest of these gaps, rad, or m by the lever.
double joint_opening(const Joint& joint, const JointFrames& at);

/// Gives a block the bias with which the joint will be where it shall at the *end* of the step, given where
/// the present velocities take it (`end`). Returns by how much the aim was missed, rad, or m by the lever.
double aim_joint_row(Block& block, const JointRow& row, const Rows& rows, const Joint& joint,
                     const JointFrames& end, std::span<const Twist> velocity, double h);

/// The bias before any aim. Released: rows that hold the joint aim at nothing and do no positive work.
void reset_joint_row(Block& block, const JointRow& row, bool released);

/// Whether its row may do work: motors, and springs, which give back what they took.
inline bool gives_energy(JointRole role) {
    return role == JointRole::motor || role == JointRole::spring;
}

}  // namespace plush
