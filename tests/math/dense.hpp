#pragma once

#include <vector>

#include "math/block_matrix.hpp"

// Dense reference algebra for tests: small systems only.

namespace plush::test {

/// Row-major, square.
struct Dense {
    explicit Dense(std::size_t size) : n(size), a(size * size, 0.0) {}
    double& operator()(std::size_t i, std::size_t j) { return a[i * n + j]; }
    double operator()(std::size_t i, std::size_t j) const { return a[i * n + j]; }
    std::size_t n;
    std::vector<double> a;
};

inline Dense dense(const BlockMatrix& m) {
    Dense d(3 * m.rows());
    for (std::size_t i = 0; i < m.rows(); ++i) {
        std::uint32_t s = m.first_slot(i);
        for (std::uint32_t j : m.columns(i)) {
            const Mat3 b = m.block(s++);
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3; ++c) d(3 * i + r, 3 * j + c) = b(r, c);
        }
    }
    return d;
}

/// x of A x = b by A = L D Lᵀ without pivoting: A must be definite.
inline std::vector<double> solve_ldlt(Dense a, std::vector<double> b) {
    const std::size_t n = a.n;
    for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < j; ++k) a(j, j) -= a(j, k) * a(j, k) * a(k, k);
        for (std::size_t i = j + 1; i < n; ++i) {
            for (std::size_t k = 0; k < j; ++k) a(i, j) -= a(i, k) * a(j, k) * a(k, k);
            a(i, j) /= a(j, j);
        }
    }
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < i; ++k) b[i] -= a(i, k) * b[k];
    for (std::size_t i = 0; i < n; ++i) b[i] /= a(i, i);
    for (std::size_t i = n; i-- > 0;)
        for (std::size_t k = i + 1; k < n; ++k) b[i] -= a(k, i) * b[k];
    return b;
}

/// The eigenvalues of a symmetric matrix by Jacobi's rotations, unsorted.
inline std::vector<double> eigenvalues(Dense a) {
    const std::size_t n = a.n;
    for (int sweep = 0; sweep < 60; ++sweep) {
        double off = 0, all = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) (i == j ? all : off) += a(i, j) * a(i, j);
        if (off <= 1e-28 * (all + off)) break;
        for (std::size_t p = 0; p < n; ++p)
            for (std::size_t q = p + 1; q < n; ++q) {
                if (a(p, q) == 0) continue;
                const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
                const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (std::size_t k = 0; k < n; ++k) {
                    const double kp = a(k, p), kq = a(k, q);
                    a(k, p) = c * kp - s * kq, a(k, q) = s * kp + c * kq;
                }
                for (std::size_t k = 0; k < n; ++k) {
                    const double pk = a(p, k), qk = a(q, k);
                    a(p, k) = c * pk - s * qk, a(q, k) = s * pk + c * qk;
                }
            }
    }
    std::vector<double> values(n);
    for (std::size_t i = 0; i < n; ++i) values[i] = a(i, i);
    return values;
}

}  // namespace plush::test
