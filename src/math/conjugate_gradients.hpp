#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "math/block_matrix.hpp"
#include "math/edge_matrix.hpp"
#include "math/single_gradients.hpp"

// Preconditioned conjugate gradients for (A + Σ E + Σ c g gᵀ) x = b with A in 3×3 blocks, E of edges, and
// their sum symmetric and positive definite (Hestenes & Stiefel 1952), preconditioned by the inverse of the
// diagonal blocks.
//
// The first guess x is scaled by α = x·b / x·Ax, with which it is the best of its direction and no worse than
// none: Φ(αx) ≤ Φ(0) for Φ = ½ x·Ax − x·b, which every iteration lowers. Unscaled, a guess and a loose
// tolerance can feed energy into a motion step by step: a cloth of 10,000 vertices burst at a tolerance of
// 0.1 and does not with α.
//
// Pinned rows keep x = 0: the residual and the directions are filtered, which is conjugate gradients on the
// other rows alone (the filter S of Baraff & Witkin, "Large steps in cloth simulation", 1998, section 5.3).
//
// In single precision (Settings::single, and a matrix of some size) most iterations are those of
// single_gradients.hpp for the correction d of A d = r. Then r − A d is worked out in double, and again until
// that is small enough: the residual that is reported, and that the tolerance is about, is always the true
// one. Where rounding keeps it from falling fast the rest is done in double.
//
// All sums are taken over chunks of a fixed number of rows and then over the chunks in order.

namespace plush {

/// factor · g gᵀ, added to rows [first, first + g.size()): a dense but thin part of the matrix, such as the
/// volume of a whole closed surface has. `factor` must not be negative.
struct RankOneTerm {
    double factor = 0;
    std::size_t first = 0;
    std::span<const Vec3> g{};
};

/// What a system has besides its blocks.
struct ThinTerms {
    ThinTerms() = default;
    ThinTerms(std::span<const RankOneTerm> dense_terms, std::span<const EdgeMatrix* const> edge_terms = {})
        : dense(dense_terms), edges(edge_terms) {}
    ThinTerms(const std::vector<RankOneTerm>& dense_terms) : dense(dense_terms) {}
    std::span<const RankOneTerm> dense{};
    std::span<const EdgeMatrix* const>
        edges{};  ///< each with as many rows as there are blocks on the diagonal
};

struct SolveReport {
    int iterations = 0;
    double residual = 0;  ///< √(rᵀP⁻¹r / bᵀP⁻¹b), P the preconditioner
    bool converged = true;
};

class ConjugateGradients {
public:
    /// Smaller matrices stay in a cache, where single precision gains no more than it costs to begin and to
    /// check it.
    static constexpr std::size_t least_single_blocks = 1u << 15;

    struct Settings {
        double tolerance = 1e-6;
        int iterations = 500;
        bool single = false;  ///< may take single precision inside
    };

    /// x holds the first guess and then the answer. `pinned` is empty or has a byte a row. Where the matrix
    /// turns out not to be positive definite it stops with the best x so far, not converged.
    SolveReport solve(const BlockMatrix& a, const ThinTerms& terms, std::span<const Vec3> b,
                      std::span<const std::uint8_t> pinned, std::span<Vec3> x, const Settings& settings,
                      const Parallel& parallel);

    /// For a matrix in halves, with iterations in single precision alone. Where they do not get there
    /// it is not converged, and x is the best so far: a first guess for the matrix as a whole.
    SolveReport solve(HalfMatrix& a, std::span<const Vec3> b, std::span<const std::uint8_t> pinned,
                      std::span<Vec3> x, const Settings& settings, const Parallel& parallel);

private:
    template <class Matrix>
    double prepare(const Matrix& a, const ThinTerms& terms, std::span<const Vec3> b,
                   std::span<const std::uint8_t> pinned, const Parallel& parallel);
    /// q = (A + Σ E + Σ c g gᵀ) p; returns p·q.
    double multiply(const BlockMatrix& a, const ThinTerms& terms, std::span<const Vec3> p, std::span<Vec3> q,
                    const Parallel& parallel);
    double start(double along, std::span<const Vec3> b, std::span<Vec3> x, const Parallel& parallel);
    double true_residual(const BlockMatrix& a, std::span<const Vec3> b, std::span<const Vec3> x,
                         const Parallel& parallel);
    double true_residual(HalfMatrix& a, std::span<const Vec3> b, std::span<const Vec3> x,
                         const Parallel& parallel);
    template <class Matrix>
    double correct_in_single(Matrix& a, std::span<const Vec3> b, double rz, double goal, std::span<Vec3> x,
                             const Settings& settings, SolveReport& report, const Parallel& parallel);
    template <class F>
    double sum_over_chunks(std::size_t n, const Parallel& parallel, F&& part);

    std::vector<Mat3> inverse_diagonal_;  ///< zero in pinned rows: that filters everything it is applied to
    std::vector<Vec3> r_, p_, q_;
    std::vector<double> parts_;
    SingleGradients single_;
};

/// Moves all x by one common vector so that Σ E_i x_i = Σ b_i to rounding.
///
/// Momentum at any tolerance: the blocks of internal forces cancel in the sum of all rows of A x = b, so that
/// only their block-diagonal rest E (masses, drag against the world) stands in it. A solution to a tolerance
/// leaves a net residual, a force from nowhere; the common motion takes it away and is the same for all rows.
void balance_net(std::span<const Mat3> e, std::span<const Vec3> b, std::span<Vec3> x);

/// The inverse of a symmetric positive definite block; that of its diagonal where it is singular.
Mat3 inverse_of_definite(const Mat3& m);

}  // namespace plush
