#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "core/transcendental.hpp"

// Eigenvalues of a small symmetric matrix by cyclic Jacobi rotations (Golub & Van Loan, Matrix Computations,
// 8.5), and the pseudoinverse that follows from them. For set-up, not for hot loops: some microseconds.

namespace plush {

template <std::size_t N>
struct SymmetricEigen {
    std::array<double, N> values{};
    std::array<std::array<double, N>, N> vectors{};  ///< vectors[k] belongs to values[k]
};

/// Of the matrix a, by rows. The order of the values is that in which they come.
template <std::size_t N>
[[nodiscard]] SymmetricEigen<N> symmetric_eigen(std::array<double, N * N> a) {
    std::array<std::array<double, N>, N> v{};
    for (std::size_t i = 0; i < N; ++i) v[i][i] = 1;
    const auto at = [&](std::size_t i, std::size_t j) -> double& { return a[i * N + j]; };
    for (int sweep = 0; sweep < 50; ++sweep) {  // six or seven do; quadratic at the end
        double off = 0, all = 0;
        for (std::size_t i = 0; i < N; ++i)
            for (std::size_t j = 0; j < N; ++j) (i == j ? all : off) += at(i, j) * at(i, j);
        if (!(off > 1e-32 * all)) break;
        for (std::size_t p = 0; p < N; ++p)
            for (std::size_t q = p + 1; q < N; ++q) {
                if (at(p, q) == 0) continue;
                const double theta = (at(q, q) - at(p, p)) / (2 * at(p, q));
                const double t = std::copysign(1 / (std::abs(theta) + pinned::hypot(theta, 1.0)), theta);
                const double c = 1 / pinned::hypot(t, 1.0), s = t * c;
                for (std::size_t k = 0; k < N; ++k) {
                    const double x = at(k, p), y = at(k, q);
                    at(k, p) = c * x - s * y, at(k, q) = s * x + c * y;
                }
                for (std::size_t k = 0; k < N; ++k) {
                    const double x = at(p, k), y = at(q, k);
                    at(p, k) = c * x - s * y, at(q, k) = s * x + c * y;
                    const double vx = v[p][k], vy = v[q][k];
                    v[p][k] = c * vx - s * vy, v[q][k] = s * vx + c * vy;
                }
            }
    }
    SymmetricEigen<N> result;
    for (std::size_t i = 0; i < N; ++i) result.values[i] = at(i, i);
    result.vectors = v;
    return result;
}

template <std::size_t N>
struct Pseudoinverse {
    std::array<double, N * N> inverse{};
    std::array<double, N * N> null{};  ///< the projector onto what was left out
};

/// Of a symmetric positive semidefinite matrix: eigenvalues up to `least` of the largest count as zero.
template <std::size_t N>
[[nodiscard]] Pseudoinverse<N> pseudoinverse(const std::array<double, N * N>& a, double least) {
    const SymmetricEigen<N> e = symmetric_eigen<N>(a);
    double largest = 0;
    for (const double value : e.values) largest = std::fmax(largest, value);
    Pseudoinverse<N> result;
    for (std::size_t k = 0; k < N; ++k) {
        const bool kept = e.values[k] > least * largest;
        for (std::size_t i = 0; i < N; ++i)
            for (std::size_t j = 0; j < N; ++j)
                (kept ? result.inverse : result.null)[i * N + j] +=
                    e.vectors[k][i] * e.vectors[k][j] / (kept ? e.values[k] : 1);
    }
    return result;
}

}  // namespace plush
