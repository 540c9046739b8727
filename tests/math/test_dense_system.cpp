#include "math/dense_system.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plush/core/random.hpp"

namespace plush {
namespace {

/// The largest |A x − b| over the largest |b|.
double error_of(const std::vector<double>& a, const std::vector<double>& x, const std::vector<double>& b) {
    double worst = 0, scale = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        double sum = -b[i];
        for (std::size_t j = 0; j < b.size(); ++j) sum += a[i * b.size() + j] * x[j];
        worst = std::max(worst, std::abs(sum)), scale = std::max(scale, std::abs(b[i]));
    }
    return worst / scale;
}

// Sizes around the width of a panel and its rounding. The diagonal is zero now and then: without pivots it fails.
TEST(DenseSystem, SolvesRandomSystems) {
    for (const std::size_t n : {1, 2, 3, 11, 12, 13, 47, 48, 49, 100, 150}) {
        Random random(n);
        DenseSystem system;
        system.resize(n);
        std::vector<double> a(n * n), b(n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                system(i, j) = a[i * n + j] = n > 1 && i == j && i % 3 == 0 ? 0 : random.uniform(-1, 1);
        for (double& x : b) x = random.uniform(-1, 1);
        std::vector<double> x = b;
        ASSERT_TRUE(system.solve(x)) << n;
        EXPECT_LT(error_of(a, x, b), 1e-10) << n;  // 4e-13 at most
    }
}

TEST(DenseSystem, SolvesPositiveSystemsFromTheirLowerPart) {
    for (const std::size_t n : {1, 5, 12, 50, 130}) {
        Random random(n);
        std::vector<double> g(n * n), a(n * n), b(n);
        for (double& x : g) x = random.uniform(-1, 1);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                for (std::size_t k = 0; k < n; ++k) a[i * n + j] += g[i * n + k] * g[j * n + k];
                if (i == j) a[i * n + j] += 0.1;
            }
        DenseSystem system;
        system.resize(n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j <= i; ++j) system(i, j) = a[i * n + j];
        for (double& x : b) x = random.uniform(-1, 1);
        std::vector<double> x = b;
        ASSERT_TRUE(system.solve_positive(x)) << n;
        EXPECT_LT(error_of(a, x, b), 1e-10) << n;
    }
}

TEST(DenseSystem, SaysSoWhereItIsSingular) {
    DenseSystem system;
    system.resize(3);
    for (std::size_t i = 0; i < 3; ++i) system(i, 0) = system(i, 1) = 1.0 + static_cast<double>(i);
    system(2, 2) = 1;
    std::vector<double> x(3, 1.0);
    EXPECT_FALSE(system.solve(x));
    system.resize(2);
    system(0, 0) = 1, system(1, 1) = -1;
    x.resize(2);
    EXPECT_FALSE(system.solve_positive(x));
}

}  // namespace
}  // namespace plush
