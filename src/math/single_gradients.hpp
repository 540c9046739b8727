#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/half_matrix.hpp"

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
// The matrix is symmetric, and of each pair of blocks only one is kept (half_matrix.hpp). A matrix that comes
// in this form is not copied and not scaled, s = 1: whoever made it has seen to it that floats can hold it.
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
    /// The same without a copy: `a` must stay where it is, and as it is, for `solve`.
    double take(HalfMatrix& a, std::span<const Mat3> inverse_diagonal, std::span<const Vec3> x,
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

    void take_pattern(const BlockMatrix& a);
    void resize(const Parallel& parallel);
    void find_unit(std::span<const Mat3> inverse_diagonal);
    void take_inverse(std::size_t row, double factor, const Mat3& inverse);
    void take_diagonal(std::size_t row, double factor, const double* from);
    double first_product(std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel);
    void take_rows(const BlockMatrix& a, std::size_t begin, std::size_t end);
    /// q = A p, where q is zero before; returns p·q.
    double multiply(const Parallel& parallel);
    template <bool alone>
    double multiply_rows(std::size_t begin, std::size_t end);
    template <class F>
    double sum_over_chunks(const Parallel& parallel, F&& part);

    HalfMatrix own_;               ///< the copy of a BlockMatrix, with the order of its rows
    HalfMatrix* a_ = nullptr;      ///< that, or the one that was given
    std::vector<float> diagonal_;  ///< nine a row by columns, and three more that are read
    std::vector<double> scales_;
    /// A power of two near P⁻¹: vectors are measured by it, and a copy of the matrix (else 1). Their roots then round alike
    /// whatever the units are, as long as those are powers of two of one another.
    double vector_unit_ = 1, matrix_unit_ = 1;
    std::vector<Preconditioner> inverse_diagonal_;
    std::vector<Single> d_, r_, p_, q_;
    std::vector<double> parts_;
};

}  // namespace plush
