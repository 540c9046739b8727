#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/block_matrix.hpp"

// Conjugate gradients in single precision: the inner part of a solve that is checked in double. A float takes
// half the bytes of a double, which is what counts once a matrix has left the fastest caches, and a register
// holds two blocks' columns.
//
// The system is scaled so that no float overflows or fades away, whatever the units: with s_i = (tr
// A_ii/3)^−½
//
//     (S A S) d̃ = S r/ρ,     d = ρ S d̃,     ρ² = rᵀ P⁻¹ r
//
// has ones on its diagonal on average, and r̃ᵀ P̃⁻¹ r̃ = 1. Pinned rows have s = 0 and stay out of it.
//
// The matrix is symmetric, and of each pair of blocks only that above the diagonal is kept: a product then
// reads half the bytes, and uses each block twice,
//
//     q_i += B p_j,     q_j += Bᵀ p_i.
//
// Rows go in order, so that q_j has what the rows above it give, one after the other, before its own row is
// added. Several threads cannot write to each other's rows; there each row collects the same numbers in the
// same order, from blocks that it has to look up.
//
// What it finds is off by what rounding does, 6e-8 of the matrix times its condition number: the caller looks
// at the residual in double and goes on from there where that is not enough (conjugate_gradients.hpp).
//
// Lanes are components and blocks of a row; sums are taken row by row in double, over chunks of a fixed
// number of rows and then over the chunks in order. So any number of threads, and any width of registers,
// gives the same bits.

namespace plush {

class SingleGradients {
public:
    /// Takes the matrix over, and with it y = A x for an x that is zero in pinned rows; returns x·y. In
    /// pinned rows, where `inverse_diagonal` is zero, y is zero.
    double take(const BlockMatrix& a, std::span<const Mat3> inverse_diagonal, std::span<const Vec3> x,
                std::span<Vec3> y, const Parallel& parallel);

    /// Until d leaves `part` (below 1) of rᵀP⁻¹r, which is `size`, or the iterations are used up, or the
    /// matrix turns out not to be definite. Returns the iterations.
    int solve(std::span<const Vec3> r, double size, double part, int iterations, std::span<Vec3> d,
              const Parallel& parallel);

    /// Bytes that an iteration reads and writes at least: the matrix, P⁻¹ and the vectors.
    std::size_t iteration_bytes() const;

private:
    /// A vector of three, and a zero.
    struct alignas(16) Single {
        float x = 0, y = 0, z = 0, w = 0;
    };
    /// A block by columns.
    struct Preconditioner {
        Single c0, c1, c2;
    };

    void take_pattern(const BlockMatrix& a, const Parallel& parallel);
    void take_rows(const BlockMatrix& a, std::size_t begin, std::size_t end);
    /// q = A p, where q is zero before; returns p·q.
    double multiply(const Parallel& parallel);
    template <bool alone>
    double multiply_rows(std::size_t begin, std::size_t end);
    template <class F>
    double sum_over_chunks(const Parallel& parallel, F&& part);

    // Rows of the upper triangle: first the diagonal, then the columns behind it.
    std::vector<std::uint32_t> first_;  ///< one more than there are rows
    std::vector<std::uint32_t> columns_;
    std::vector<float, LargePages<float>> values_;  ///< nine a block by columns, and three more that are read
    // What a row has below the diagonal, where threads need it: the rows above, and where their blocks are.
    struct Mirrored {
        std::uint32_t row, slot;
    };
    std::vector<std::uint32_t> first_mirrored_;
    std::vector<Mirrored> mirrored_;
    std::vector<double> scales_;
    std::vector<Preconditioner> inverse_diagonal_;
    std::vector<Single> d_, r_, p_, q_;
    std::vector<double> parts_;
};

}  // namespace plush
