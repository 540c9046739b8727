#pragma once

#include <span>
#include <vector>

#include "contact/solver/rows.hpp"
#include "math/block_cholesky.hpp"
#include "math/block_matrix.hpp"

namespace plush {

/// The joints of an island as one sparse symmetric system S = J A⁻¹ Jᵀ + Γ, factorised and solved as a whole.
/// Rows may be redundant: the impulses are then those of the least norm.
class JointSystem {
public:
    /// `blocks` are the direct ones of an island.
    JointSystem(const Rows& rows, std::span<const std::uint32_t> blocks, std::span<const Node> nodes);

    std::size_t size() const { return blocks_.size(); }
    /// Factorises the part of the blocks whose byte is not 0; false where that is not possible.
    [[nodiscard]] bool factorise(std::span<const std::uint8_t> active);
    /// x with S x = b in the active part, in the sense of least squares and least norm; 0 elsewhere.
    void solve(std::span<const Vec3> b, std::span<Vec3> x);
    /// The block's own part of S; the rows that it does not have are those of the identity.
    const Mat3& diagonal(std::size_t i) const { return diagonals_[i]; }

private:
    struct Coupling {
        std::uint32_t slot, mirrored;  ///< of blocks (i, j) and (j, i)
        std::uint32_t i, j;
        Mat3 value;
    };
    struct Bounded {
        std::uint32_t owner;
        std::size_t block;
    };
    bool share_coordinate(std::span<const std::uint8_t> active) const;
    void couple(const Rows& rows, std::span<const Node> nodes);
    bool may_be_redundant(const Rows& rows) const;
    void fill(std::span<const std::uint8_t> active, double epsilon);
    void multiply(std::span<const Vec3> x, std::span<Vec3> y) const;
    void leave_contradictions(std::span<Vec3> b);
    void precondition(std::span<const Vec3> r, std::span<Vec3> z);

    std::vector<std::uint32_t> blocks_;
    std::vector<Mat3> diagonals_;
    std::vector<Coupling> couplings_;
    std::vector<double> weights_;  ///< D: the mean compliance of a block's rows
    std::vector<std::uint8_t> rows_, active_;
    BlockMatrix matrix_;  ///< M = S + ε D
    BlockCholesky factor_;
    std::vector<Bounded> bounded_;  ///< by rising blocks
    bool redundant_ = false;        ///< whether the joints may be
    bool filtered_ = false;         ///< whether the rows that were factorised may be
    double epsilon_ = 0;
    std::vector<Vec3> r_, z_, p_, q_, t_;
};

}  // namespace plush
