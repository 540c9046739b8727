#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/large_pages.hpp"
#include "core/parallel.hpp"
#include "plush/math/vec.hpp"

// A sparse matrix of 3×3 blocks whose pattern is symmetric: block (j, i) is stored wherever (i, j) is. Rows
// of blocks one after another, columns rising within a row (CSR). The pattern is made once; each step refills
// the values. Whoever adds to it looks its blocks up once and keeps their *slots*.
//
// Blocks lie by columns, so that a product is y += c₀ x₀ + c₁ x₁ + c₂ x₂ with whole columns: the lanes of a
// vector register hold the components of y, which are independent sums. The order of every sum is fixed, and
// rows are independent: any number of threads gives the same bits.

namespace plush {

/// Which blocks a matrix has. The diagonal is always there.
class BlockPattern {
public:
    explicit BlockPattern(std::size_t rows) : rows_(rows) {}
    std::size_t rows() const { return rows_; }
    bool diagonal_alone() const { return pairs_.empty(); }
    /// Blocks (i, j) and (j, i).
    void add(std::uint32_t i, std::uint32_t j);
    /// The blocks of every pair.
    void add_all_pairs(std::span<const std::uint32_t> vertices);

private:
    friend class BlockMatrix;
    std::size_t rows_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;  ///< i < j, unsorted, repeated
};

class BlockMatrix {
public:
    static constexpr std::uint32_t none = 0xffffffffu;

    BlockMatrix() = default;
    explicit BlockMatrix(const BlockPattern& pattern);

    std::size_t rows() const { return diagonal_.size(); }
    std::size_t blocks() const { return columns_.size(); }
    std::span<const std::uint32_t> columns(std::size_t row) const {
        return std::span(columns_).subspan(first_[row], first_[row + 1] - first_[row]);
    }
    /// The slot of the first block of a row; those of the others follow.
    std::uint32_t first_slot(std::size_t row) const { return first_[row]; }
    /// Where block (i, j) is stored; `none` where it is not.
    std::uint32_t slot(std::uint32_t i, std::uint32_t j) const;
    std::uint32_t diagonal_slot(std::size_t i) const { return diagonal_[i]; }

    Mat3 block(std::uint32_t slot) const;
    void add(std::uint32_t slot, const Mat3& m);
    /// Adds to the slot's block where m is symmetric, without transposing it.
    void add_symmetric(std::uint32_t slot, const Mat3& m) {
        double* const value = &values_[9 * std::size_t{slot}];
        for (std::size_t c = 0; c < 3; ++c)
            for (std::size_t r = 0; r < 3; ++r) value[3 * c + r] += m.row[c][r];
    }
    /// The nine numbers of a block by columns, those of the next blocks behind them.
    double* numbers(std::uint32_t slot) { return &values_[9 * std::size_t{slot}]; }
    const double* numbers(std::uint32_t slot) const { return &values_[9 * std::size_t{slot}]; }
    void set_zero(const Parallel& parallel);

    /// y = A x.
    void multiply(std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel) const;
    /// The same for rows [begin, end), and the part of x·y that these rows hold.
    double multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin,
                         std::size_t end) const;

    /// What a product must read and write: the matrix once, both vectors once.
    std::size_t product_bytes() const {
        return blocks() * (9 * sizeof(double) + sizeof(std::uint32_t)) + rows() * 2 * sizeof(Vec3);
    }

    /// Rows that a task takes at once: a fixed number, large enough for a task to be worth its start.
    static constexpr std::size_t rows_per_task = 1024;

private:
    std::vector<std::uint32_t> first_{0};  ///< one more than there are rows
    std::vector<std::uint32_t> columns_, diagonal_;
    std::vector<double, LargePages<double>>
        values_;  ///< nine a block by columns, and one more that is read but never used
};

}  // namespace plush
