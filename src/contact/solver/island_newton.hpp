#pragma once

#include <cstdint>
#include <span>

#include "contact/solver/rows.hpp"

namespace plush {

/// A block with what the sweeps need, close together in memory: a large island is solved at the speed at
/// which its blocks can be read.
struct PreparedBlock {
    Block* block;
    std::span<const Entry> entries;
    Vec3 bias, impulse;
    double friction;
    double tangent_compliance;
    Mat3 compliance;          ///< D + γ; the rows that the block does not have are those of the identity
    Mat3 inverse_compliance;  ///< its inverse; zero where the block has one row
    bool contact, one_row;
    bool bounded, limited;
    bool swept;       ///< not swept: part of the direct system
    int activations;  ///< of a bounded row
    double low, high;
    Vec3 softness;
    std::int64_t normal = -1;  ///< the prepared block that the normal impulse is a share of; −1: none
    double share = 0;
};

/// After how many sweeps Newton's method takes over; 0: never. It knows the cone, and neither joints that are solved as a
/// whole nor blocks that follow another.
int sweeps_before_newton(std::span<const PreparedBlock> blocks, const Rows& rows,
                         const SolverSettings& settings);

/// Newton's method for the blocks of an island, whose rows have these velocities now. `impulses` become the best ones that
/// are found. Returns the number of factorisations.
int newton_impulses(const Rows& rows, std::span<const Node> nodes, std::span<const PreparedBlock> blocks,
                    std::span<const Vec3> velocities, double tolerance, std::span<Vec3> impulses);

}  // namespace plush
