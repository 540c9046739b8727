#pragma once

#include <algorithm>
#include <cmath>

#include "contact/points/point_contact.hpp"
#include "contact/solver/block_solver.hpp"
#include "plush/core/random.hpp"
#include "plush/math/rotation.hpp"
#include "support/random.hpp"

// Systems of rigid nodes with contact blocks between them, made by hand: no shapes, no detection.

namespace plush::test {

struct System {
    std::vector<Node> nodes;
    Rows rows;
    std::vector<Twist> velocity;

    std::size_t add_node(const Vec3& origin, double mass, const Mat3& inertia, const Twist& u) {
        nodes.push_back({u, u, origin, 1 / mass, inverse(inertia)});
        velocity.push_back(u);
        return nodes.size() - 1;
    }

    /// A block at `point` that pushes a along `normal`, and b (or the fixed world) back.
    Block& add_block(std::size_t a, std::optional<std::size_t> b, const Vec3& point, const Vec3& normal,
                     double friction, Block::Law law = Block::Law::contact) {
        const Mat3 frame = contact_frame(normal);
        Block block;
        block.law = law;
        block.friction = friction;
        block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
        const auto add = [&](std::size_t node, double sign) {
            rows.entries.push_back(
                point_entry(static_cast<std::uint32_t>(node), frame, point - nodes[node].origin, sign));
            ++block.entry_count;
        };
        add(a, 1);
        if (b) add(*b, -1);
        return rows.blocks.emplace_back(block);
    }

    SweepReport solve(const SolverSettings& settings) {
        std::vector<std::uint32_t> all(rows.blocks.size());
        for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
        return solve_blocks(rows, all, nodes, velocity, settings);
    }

    /// J u + b.
    Vec3 relative_velocity(const Block& block) const {
        Vec3 w = block.bias;
        for (const Entry& e : rows.entries_of(block))
            w += e.linear * velocity[e.node].linear + e.angular * velocity[e.node].angular;
        return w;
    }

    /// D = J A⁻¹ Jᵀ.
    Mat3 compliance(const Block& block) const {
        Mat3 d{};
        for (const Entry& e : rows.entries_of(block)) {
            const Node& n = nodes[e.node];
            d += e.linear * transpose(e.linear) * n.inverse_mass;
            d += e.angular * n.inverse_inertia * transpose(e.angular);
        }
        return d;
    }

    /// λ += Δλ and u += A⁻¹ Jᵀ Δλ.
    void push(Block& block, const Vec3& change) {
        block.impulse += change;
        for (const Entry& e : rows.entries_of(block)) {
            velocity[e.node].linear += transpose_times(e.linear, change) * nodes[e.node].inverse_mass;
            velocity[e.node].angular += nodes[e.node].inverse_inertia * transpose_times(e.angular, change);
        }
    }

    double largest_impulse() const {
        double largest = 0;
        for (const Block& b : rows.blocks) largest = std::max(largest, max_component(abs(b.impulse)));
        return largest;
    }

    Vec3 linear_momentum() const {
        Vec3 sum{};
        for (std::size_t i = 0; i < nodes.size(); ++i) sum += velocity[i].linear / nodes[i].inverse_mass;
        return sum;
    }

    /// About the origin of the world.
    Vec3 angular_momentum() const {
        Vec3 sum{};
        for (std::size_t i = 0; i < nodes.size(); ++i)
            sum += inverse(nodes[i].inverse_inertia) * velocity[i].angular +
                   cross(nodes[i].origin, velocity[i].linear / nodes[i].inverse_mass);
        return sum;
    }
};

/// Of a compact body of this mass that fills a ball of half a metre about as a solid ball or box does.
inline Mat3 random_inertia(Random& random, double mass) {
    const Mat3 r = to_matrix(exp_rotation(random_vector(random, 2)));
    const double x = random.uniform(0.08, 0.12), y = random.uniform(0.08, 0.12),
                 z = random.uniform(0.08, 0.12);
    return r * Mat3::diagonal({mass * x, mass * y, mass * z}) * transpose(r);
}

/// Compact bodies with `blocks` contacts between random pairs or with the world, at surface points with
/// normals within 45° of the lever arm. All centres are at one place unless spread over some metres: the
/// solver sees lever arms alone.
///
/// The bodies are compact on purpose, and friction is at most 0.6: this is where the sweeps reach 1e-8. They
/// do not everywhere. With normals and lever arms that have nothing to do with each other, inertias that are
/// small for their levers and friction up to 1, they stall at residuals of 1e-3 to 1e-2, accelerated or not;
/// at friction up to 0.2 the same systems converge. Newton's method solves them (test_contact_newton.cpp).
inline System random_system(Random& random, std::size_t nodes, std::size_t blocks, bool world,
                            double spread = 0) {
    System s;
    for (std::size_t i = 0; i < nodes; ++i) {
        const double mass = random.uniform(0.5, 2);
        s.add_node(random_vector(random, spread), mass, random_inertia(random, mass),
                   {random_vector(random), random_vector(random)});
    }
    for (std::size_t i = 0; i < blocks; ++i) {
        const std::size_t a = random.below(nodes), b = random.below(nodes);
        const bool alone = world && random.below(4) == 0;
        if (!alone && a == b) continue;
        const Vec3 out = normalised(random_vector(random));
        const Vec3 normal = normalised(out + normalised(random_vector(random)) * 0.7);
        const double friction = random.below(5) ? random.uniform(0, 0.6) : 0;
        s.add_block(a, alone ? std::nullopt : std::optional(b), s.nodes[a].origin + out * 0.5, normal,
                    friction);
    }
    return s;
}

}  // namespace plush::test
