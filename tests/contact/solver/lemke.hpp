#pragma once

#include <cmath>
#include <optional>
#include <vector>

// Lemke's pivoting for linear complementarity (Cottle, Pang and Stone 1992, 4.4): z ≥ 0, w = M z + q ≥ 0,
// z·w = 0. Dense and exact but for rounding: the independent reference of the sweeps.

namespace plush::test {

/// z, or nothing where it ends on a ray.
inline std::optional<std::vector<double>> lemke(const std::vector<std::vector<double>>& m,
                                                const std::vector<double>& q) {
    const std::size_t n = q.size(), artificial = 2 * n, right = 2 * n + 1;
    // w − M z − z₀ 1 = q; columns w, z, z₀, and the right-hand side.
    std::vector<std::vector<double>> t(n, std::vector<double>(2 * n + 2, 0));
    std::vector<std::size_t> basis(n);
    for (std::size_t i = 0; i < n; ++i) {
        t[i][i] = 1;
        for (std::size_t j = 0; j < n; ++j) t[i][n + j] = -m[i][j];
        t[i][artificial] = -1;
        t[i][right] = q[i];
        basis[i] = i;
    }
    std::size_t row = 0;
    for (std::size_t i = 1; i < n; ++i)
        if (q[i] < q[row]) row = i;
    if (n == 0 || q[row] >= 0) return std::vector<double>(n, 0);
    std::size_t entering = artificial;
    for (std::size_t turn = 0; turn < 200 * n; ++turn) {
        const double pivot = t[row][entering];
        for (double& x : t[row]) x /= pivot;
        for (std::size_t i = 0; i < n; ++i) {
            if (i == row) continue;
            const double factor = t[i][entering];
            if (factor == 0) continue;
            for (std::size_t j = 0; j < right + 1; ++j) t[i][j] -= factor * t[row][j];
        }
        const std::size_t left = basis[row];
        basis[row] = entering;
        if (left == artificial) {
            std::vector<double> z(n, 0);
            for (std::size_t i = 0; i < n; ++i)
                if (basis[i] >= n && basis[i] < 2 * n) z[basis[i] - n] = t[i][right];
            return z;
        }
        entering = left < n ? left + n : left - n;  // the partner of what left
        double least = HUGE_VAL;
        std::size_t best = n;
        for (std::size_t i = 0; i < n; ++i) {
            if (t[i][entering] < 1e-11) continue;
            const double ratio = t[i][right] / t[i][entering];
            // Among equals the artificial one goes first: then it is over.
            if (ratio < least - 1e-13 || (ratio < least + 1e-13 && basis[i] == artificial))
                least = ratio, best = i;
        }
        if (best == n) return std::nullopt;
        row = best;
    }
    return std::nullopt;
}

}  // namespace plush::test
