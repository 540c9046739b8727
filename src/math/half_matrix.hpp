#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/block_columns.hpp"
#include "math/block_matrix.hpp"

// A symmetric matrix of 3×3 blocks of which one of each pair is kept, and that in single precision: a quarter
// of the bytes of a BlockMatrix. Blocks on the diagonal are in double.
//
// Rows have an order of their own, in which whoever fills the matrix completes them. A row keeps the blocks
// of the columns that come later in this order, one row behind the other. Row numbers themselves, and with
// them all vectors, are those of the user.
//
// Rounded blocks are the matrix, and no approximation to another one that is kept somewhere: where the
// diagonal of a stiffness is minus the sum of the *rounded* blocks, its rows still sum to zero, and
// (K x)_i = Σ_j K_ij (x_j − x_i) is a stiffness whose blocks are off by 6e-8 of themselves and no more.
// Rounding a finished matrix would instead be off by 6e-8 of K_ii x_i, however little of that is left in K x.
//
// In a product each block is used twice, y_i += B x_j and y_j += Bᵀ x_i. Rows go in their order, so that y_j
// has what earlier rows give, one after the other, before its own row is added. Several threads cannot write
// to each other's rows; there each row collects the same numbers in the same order, from blocks that it has
// to look up.

namespace plush {

using Floats [[gnu::vector_size(16)]] = float;

inline Floats load_floats(const void* from) {
    Floats f;
    __builtin_memcpy(&f, from, sizeof f);
    return f;
}
inline void store_floats(const Floats& f, void* to) {
    __builtin_memcpy(to, &f, sizeof f);
}
inline Four widened(const Floats& f) {
#ifdef __AVX__
    return _mm256_cvtps_pd(f);  // g++ makes two of it
#else
    return __builtin_convertvector(f, Four);
#endif
}

/// Of nine numbers by columns and one behind them.
inline BlockColumns widened_block(const float* from) {
    return {widened(load_floats(from)), widened(load_floats(from + 3)), widened(load_floats(from + 6))};
}
/// Each column covers what the one before wrote too much; the last one writes three numbers.
inline void store_block(const Floats& c0, const Floats& c1, const Floats& c2, float* to) {
    store_floats(c0, to), store_floats(c1, to + 3);
    __builtin_memcpy(to + 6, &c2, 3 * sizeof(float));
}

class HalfMatrix {
public:
    /// Block `slot` is in this row.
    struct Mirrored {
        std::uint32_t row, slot;
    };

    HalfMatrix() = default;
    /// `order` has each row once. Row order[k] has the columns at [first[k], first[k + 1]), all of them later
    /// in the order.
    HalfMatrix(std::vector<std::uint32_t> order, std::vector<std::uint32_t> first,
               std::vector<std::uint32_t> columns);

    std::size_t rows() const { return order_.size(); }
    std::size_t blocks() const { return columns_.size(); }  ///< of one triangle, without the diagonal
    std::span<const std::uint32_t> order() const { return order_; }
    std::span<const std::uint32_t> first() const { return first_; }  ///< by place in the order
    std::span<const std::uint32_t> columns() const { return columns_; }
    /// The nine numbers of a block by columns, those of the next blocks behind them.
    float* numbers(std::size_t slot) { return &values_[9 * slot]; }
    const float* numbers(std::size_t slot) const { return &values_[9 * slot]; }
    /// The block on the diagonal of a row.
    double* diagonal(std::size_t row) { return &diagonal_[9 * row]; }
    const double* diagonal(std::size_t row) const { return &diagonal_[9 * row]; }
    void clear_diagonal(const Parallel& parallel);
    Mat3 diagonal_block(std::size_t row) const;
    /// m is symmetric.
    void add_diagonal(std::size_t row, const Mat3& m);

    /// Where several threads have to look a row's other blocks up: made when it is first asked for.
    void find_mirrored();
    std::span<const Mirrored> mirrored(std::size_t row) const {
        return std::span(mirrored_).subspan(first_mirrored_[row],
                                            first_mirrored_[row + 1] - first_mirrored_[row]);
    }

    /// y = A x, in double.
    void multiply(std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel);

    /// As a matrix that has all of these blocks; its others become zero.
    void expand(BlockMatrix& to) const;

    std::size_t bytes() const;

private:
    template <bool alone>
    void multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin, std::size_t end) const;

    std::vector<std::uint32_t> order_, first_{0}, columns_;
    std::vector<float, LargePages<float>> values_;  ///< nine a block, and three more that are read
    std::vector<double> diagonal_;                  ///< nine a row, and one more that is read
    std::vector<std::uint32_t> first_mirrored_;     ///< empty where nobody has asked
    std::vector<Mirrored> mirrored_;
};

}  // namespace plush
