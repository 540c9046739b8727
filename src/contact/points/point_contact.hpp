#pragma once

#include <optional>

#include "contact/points/contact_time.hpp"
#include "contact/solver/rows.hpp"
#include "detect/features/point_overlap.hpp"

namespace plush {

/// One side of a pair: a body and where its nodes start in the world's list; no nodes for a body that nothing
/// pushes (fixed, scripted).
struct Side {
    const Body* body = nullptr;
    std::optional<std::uint32_t> first_node{};
    /// The node is what the contact sees of a deformable body: its velocity is the body's part of w.
    bool constraint_node = false;
};

struct PairSides {
    Side a, b;
};

/// How a pair's contact behaves in this step.
struct PairLaw {
    double friction = 0, restitution = 0;
    double resting_speed = 0;  ///< m/s
};

/// A frame with the normal as its first row.
Mat3 contact_frame(const Vec3& normal);

/// Adds the block of one contact point: three rows, or the normal alone.
Block& add_point_block(Rows& rows, const PairSides& pair, const PointHit& hit, std::span<const Node> nodes,
                       std::uint8_t row_count);

/// Sets the normal row for a depth (m), from its velocities before and after the free motion: restitution, or
/// a gap that may close, down to `rest` below the surface. Returns as set_contact_law() does.
double set_normal_law(Block& block, double before, double free, double depth, const PairLaw& law,
                      const ContactTime& time, double rest = 0);

/// Sets the law of a velocity block: its gap, friction and restitution. Returns how far the point must be
/// moved along the normal at the end of the step, beyond what its velocity does, for the bounce to have
/// happened at the moment of impact (0 where nothing bounces).
double set_contact_law(Block& block, const Rows& rows, const PairSides& pair, const PointHit& hit,
                       const PairLaw& law, std::span<const Node> nodes, const ContactTime& time);

/// J u + prescribed motion for any velocities of the nodes.
Vec3 relative_velocity(const Block& block, const Rows& rows, const PairSides& pair, const PointHit& hit,
                       std::span<const Node> nodes, Twist Node::*velocity);

}  // namespace plush
