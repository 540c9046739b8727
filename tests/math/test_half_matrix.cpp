#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/conjugate_gradients.hpp"
#include "plush/core/random.hpp"
#include "support/points.hpp"
#include "support/random.hpp"

// A symmetric matrix of which one block of each pair is kept, in single precision, with rows in an order of
// their own.

namespace plush {
namespace {

using test::largest_difference;
using test::random_vector;

/// Points on a grid of n³, joined to their neighbours, with rows in a random order.
struct Grid {
    Grid(std::uint32_t n, double stiffness) : rows(n * n * n) {
        Random random(3);
        std::vector<std::uint32_t> order(rows), place(rows), first{0}, columns;
        std::iota(order.begin(), order.end(), 0u);
        for (std::size_t k = rows - 1; k > 0; --k)
            std::swap(order[k], order[static_cast<std::size_t>(random.uniform(0, static_cast<double>(k)))]);
        for (std::uint32_t k = 0; k < rows; ++k) place[order[k]] = k;
        BlockPattern pattern(rows);
        for (std::uint32_t k = 0; k < rows; ++k) {
            const std::uint32_t i = order[k], column = i % n, line = i / n % n, layer = i / n / n;
            const auto join = [&](bool there, std::uint32_t j) {
                if (there && place[j] > k) columns.push_back(j), pattern.add(i, j);
            };
            join(column > 0, i - 1), join(column + 1 < n, i + 1), join(line > 0, i - n),
                join(line + 1 < n, i + n);
            join(layer > 0, i - n * n), join(layer + 1 < n, i + n * n);
            first.push_back(static_cast<std::uint32_t>(columns.size()));
        }
        half = HalfMatrix(order, first, columns);
        whole = BlockMatrix(pattern);
        for (std::uint32_t i = 0; i < rows; ++i) {
            const double mass = random.uniform(0.5, 2);
            half.add_diagonal(i, Mat3::diagonal({mass, mass, mass}));
            b.push_back(random_vector(random)), x.push_back(random_vector(random));
        }
        for (std::uint32_t k = 0; k < rows; ++k)
            for (std::uint32_t slot = first[k]; slot < first[k + 1]; ++slot) {
                // (x_i − M x_j)² k: definite whatever M, and not symmetric off the diagonal
                Mat3 m;
                for (std::size_t e = 0; e < 9; ++e) {
                    half.numbers(slot)[e] = static_cast<float>(-stiffness * random.uniform(-1, 1));
                    m(e % 3, e / 3) = -static_cast<double>(half.numbers(slot)[e]) / stiffness;
                }
                half.add_diagonal(order[k], stiffness * Mat3::identity());
                half.add_diagonal(columns[slot], stiffness * (transpose(m) * m));
            }
        half.expand(whole);
    }
    std::uint32_t rows;
    HalfMatrix half;
    BlockMatrix whole;
    std::vector<Vec3> b, x;
};

TEST(HalfMatrix, WrittenOutItHasBothBlocksOfEachPair) {
    const Grid g(4, 3);
    std::size_t slot = 0;
    for (std::size_t k = 0; k < g.rows; ++k)
        for (; slot < g.half.first()[k + 1]; ++slot) {
            const std::uint32_t i = g.half.order()[k], j = g.half.columns()[slot];
            const Mat3 block = g.whole.block(g.whole.slot(i, j));
            EXPECT_EQ(block, transpose(g.whole.block(g.whole.slot(j, i))));
            for (std::size_t e = 0; e < 9; ++e)
                EXPECT_EQ(block(e % 3, e / 3), static_cast<double>(g.half.numbers(slot)[e]));
        }
    for (std::uint32_t i = 0; i < g.rows; ++i)
        EXPECT_EQ(g.whole.block(g.whole.diagonal_slot(i)), g.half.diagonal_block(i));
}

TEST(HalfMatrix, AProductIsThatOfTheWholeMatrixWithTheSameBitsForAnyNumberOfThreads) {
    Grid g(16, 3);
    std::vector<Vec3> one(g.rows), three(g.rows), whole(g.rows);
    g.half.multiply(g.x, one, Parallel(1));
    g.half.multiply(g.x, three, Parallel(3));
    g.whole.multiply(g.x, whole, Parallel(1));
    EXPECT_EQ(one, three);
    EXPECT_LT(largest_difference(one, whole), 1e-13);
}

struct Answer {
    std::vector<Vec3> x;
    SolveReport report;
};

Answer solved(Grid& g, double tolerance, int threads = 1, std::span<const std::uint8_t> pinned = {}) {
    Answer a{g.x, {}};
    ConjugateGradients cg;
    a.report = cg.solve(g.half, g.b, pinned, a.x, {tolerance, 5000}, Parallel(threads));
    return a;
}

TEST(HalfMatrix, ASolveLeavesTheResidualThatItReports) {
    for (const double stiffness : {1.0, 1e3}) {
        Grid g(18, stiffness);
        for (const double tolerance : {1e-2, 1e-4, 1e-6}) {
            const Answer a = solved(g, tolerance);
            ASSERT_TRUE(a.report.converged);
            std::vector<Vec3> ax(g.rows);
            g.whole.multiply(a.x, ax, Parallel(1));
            double left = 0, all = 0;
            for (std::uint32_t i = 0; i < g.rows; ++i) {
                const Mat3 p = inverse_of_definite(g.half.diagonal_block(i));
                left += dot(g.b[i] - ax[i], p * (g.b[i] - ax[i])), all += dot(g.b[i], p * g.b[i]);
            }
            EXPECT_LE(std::sqrt(left / all), tolerance * (1 + 1e-6));
            EXPECT_NEAR(std::sqrt(left / all), a.report.residual, 1e-6 * tolerance);
            EXPECT_EQ(a.x, solved(g, tolerance, 3).x);
        }
    }
}

TEST(HalfMatrix, PinnedRowsStayAtZero) {
    Grid g(12, 10);
    std::vector<std::uint8_t> pinned(g.rows);
    for (std::uint32_t i = 0; i < 144; ++i) pinned[i] = 1;
    const Answer a = solved(g, 1e-6, 1, pinned);
    ASSERT_TRUE(a.report.converged);
    std::vector<Vec3> exact(g.rows);
    ConjugateGradients cg;
    cg.solve(g.whole, {}, g.b, pinned, exact, {1e-12, 5000}, Parallel(1));
    for (std::uint32_t i = 0; i < 144; ++i) EXPECT_EQ(a.x[i], Vec3{});
    EXPECT_LT(largest_difference(a.x, exact), 1e-4);
}

// Below what numbers can tell apart it says so, and has got as far as it could.
TEST(HalfMatrix, WhatSinglePrecisionCannotReachIsReported) {
    Grid g(10, 1e6);
    const Answer a = solved(g, 1e-20);
    EXPECT_FALSE(a.report.converged);
    EXPECT_LT(a.report.residual, 1e-4);
}

}  // namespace
}  // namespace plush
