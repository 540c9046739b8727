#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/block_matrix.hpp"

// A = L Lᵀ for sparse symmetric positive definite matrices of 3×3 blocks: what joints, contact compliance and
// stiff bodies are solved with when conjugate gradients would need too many turns.
//
// Rows are reordered for little fill (approximate minimum degree, Amestoy, Davis & Duff 1996), and columns of
// L with the same pattern are kept together as a dense *supernode*. Each supernode collects the updates of
// its descendants as dense products (left-looking, Ng & Peyton 1993; the bookkeeping follows Chen, Davis,
// Hager & Rajamanickam 2008), so nearly all of the work runs at the speed of a small dense product. Chains
// and trees have no fill: their cost is linear.
//
// The order of all sums is fixed by the pattern: the same matrix gives the same bits. One factorisation is
// sequential; bodies and islands are factorised side by side.

namespace plush {

class BlockCholesky {
public:
    /// The ordering and the pattern of L; once for a pattern. Every block of the lower triangle counts.
    void analyse(const BlockMatrix& matrix);
    /// The numbers of L, from a matrix with the pattern that was analysed. False where a pivot is not
    /// positive: then the matrix was not positive definite (or not finite) and nothing can be solved. Rows
    /// that are pinned (empty, or a byte a row) and their columns count as those of the identity.
    [[nodiscard]] bool factorise(const BlockMatrix& matrix, std::span<const std::uint8_t> pinned = {});
    /// Whether the matrix has the pattern that was analysed.
    bool fits(const BlockMatrix& matrix) const;

    /// x = A⁻¹ x.
    void solve(std::span<Vec3> x) const;
    /// The same for many right-hand sides, one after another in `x`. Faster for each than one by one.
    void solve_many(std::span<Vec3> x) const;

    std::size_t rows() const { return order_.size(); }
    /// Numbers stored for L, zeros that supernodes add included.
    std::size_t stored() const { return stored_; }
    /// Multiplications and additions of one factorisation.
    double operations() const { return operations_; }

private:
    friend class HalfSolves;
    /// Columns [first, end) of L, dense: block rows first..end, then `below`.
    struct Supernode {
        std::uint32_t first = 0, end = 0;
        std::uint32_t below_start = 0, below_count = 0;  ///< in below_
        std::uint32_t height = 0;                        ///< of a column: numbers, with padding
        std::size_t values = 0;                          ///< in values_
        std::size_t width() const { return 3 * std::size_t{end - first}; }
        std::size_t block_rows() const { return end - first + below_count; }
    };
    struct Source {
        std::uint32_t slot = 0, place = 0;  ///< of the matrix; in the panel, in numbers
        std::uint32_t row = 0, column = 0;  ///< of the matrix
    };

    void order_rows(const BlockMatrix& matrix);
    void find_supernodes(const BlockMatrix& matrix);
    void place_values(const BlockMatrix& matrix);
    std::uint32_t block_row(const Supernode& s, std::size_t i) const {
        const std::size_t own = s.end - s.first;
        return i < own ? s.first + static_cast<std::uint32_t>(i) : below_[s.below_start + i - own];
    }
    void update(const Supernode& target, const Supernode& from, std::size_t begin, std::size_t end);
    template <std::size_t packs>
    void solve_group(double* x) const;
    /// What a row of L Lᵀ x = b must be multiplied by.
    double per_unit(std::size_t row) const { return !pinned_.empty() && pinned_[row] ? 1 : 1 / unit_; }
    /// Lᵀ x = y in place, in the order of L.
    void back_substitute(std::span<Vec3> y) const;

    std::vector<std::uint32_t> order_, place_;       ///< new → old, old → new
    std::vector<std::uint32_t> columns_, row_ends_;  ///< the pattern that was analysed
    std::vector<Supernode> supernodes_;
    std::vector<std::uint32_t> supernode_of_;  ///< of each column
    std::vector<std::uint32_t> below_;
    std::vector<std::uint32_t> source_start_;  ///< of each supernode, in sources_
    std::vector<Source> sources_;
    std::size_t stored_ = 0;
    double operations_ = 0;
    std::vector<double> values_;
    double unit_ = 1;                   ///< a power of two near the diagonal: L Lᵀ is the matrix over it
    std::vector<std::uint8_t> pinned_;  ///< rows of the identity, or empty
    bool good_ = false;
    // Room that factorise() keeps.
    std::vector<double> product_;
    std::vector<std::uint32_t> row_of_, head_, next_, position_;
};

}  // namespace plush
