#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "math/conjugate_gradients.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

// Conjugate gradients that take single precision inside: what they answer is right in double.

namespace plush {
namespace {

using test::random_vector;

/// Masses on a grid of n³ points, joined to their neighbours by springs: mass + stiffness · Laplacian, with
/// blocks that are not symmetric off the diagonal.
struct Lattice {
    explicit Lattice(std::uint32_t n, double stiffness, double unit = 1) : rows(n * n * n) {
        BlockPattern pattern(rows);
        const auto each_edge = [&](auto&& f) {
            for (std::uint32_t i = 0; i < rows; ++i)
                for (const auto& [jump, inside] :
                     {std::pair{1u, i % n + 1 < n}, {n, i / n % n + 1 < n}, {n * n, i / n / n + 1 < n}})
                    if (inside) f(i, i + jump);
        };
        each_edge([&](std::uint32_t i, std::uint32_t j) { pattern.add(i, j); });
        a = BlockMatrix(pattern);
        Random random(11);
        for (std::uint32_t i = 0; i < rows; ++i)
            a.add(a.diagonal_slot(i), Mat3::identity() * (unit * random.uniform(0.5, 2)));
        each_edge([&](std::uint32_t i, std::uint32_t j) {
            Mat3 m;
            for (Vec3& row : m.row) row = random_vector(random);
            const double k = unit * stiffness;  // (x_i − M x_j)² k: definite whatever M
            a.add(a.diagonal_slot(i), Mat3::identity() * k);
            a.add(a.diagonal_slot(j), transpose(m) * m * k);
            a.add(a.slot(i, j), m * -k);
            a.add(a.slot(j, i), transpose(m) * -k);
        });
        for (std::uint32_t i = 0; i < rows; ++i) b.push_back(random_vector(random, unit));
    }
    std::size_t rows;
    BlockMatrix a;
    std::vector<Vec3> b;
};

struct Answer {
    std::vector<Vec3> x;
    SolveReport report;
};

Answer solve(const Lattice& l, double tolerance, bool single, int threads = 1,
             std::span<const std::uint8_t> pinned = {}) {
    Answer answer{std::vector<Vec3>(l.rows, Vec3{0.1, 0.2, -0.1}), {}};
    ConjugateGradients cg;
    answer.report = cg.solve(l.a, {}, l.b, pinned, answer.x, {tolerance, 5000, single}, Parallel(threads));
    return answer;
}

Answer solve_from_zero(const Lattice& l, double tolerance) {
    Answer answer{std::vector<Vec3>(l.rows), {}};
    ConjugateGradients cg;
    answer.report = cg.solve(l.a, {}, l.b, {}, answer.x, {tolerance, 5000, true}, Parallel(1));
    return answer;
}

/// √(rᵀP⁻¹r / bᵀP⁻¹b), worked out here.
double residual(const Lattice& l, std::span<const Vec3> x, std::span<const std::uint8_t> pinned = {}) {
    std::vector<Vec3> ax(l.rows);
    l.a.multiply(x, ax, Parallel(1));
    double left = 0, all = 0;
    for (std::size_t i = 0; i < l.rows; ++i) {
        if (!pinned.empty() && pinned[i]) continue;
        const Mat3 p = inverse_of_definite(l.a.block(l.a.diagonal_slot(i)));
        const Vec3 r = l.b[i] - ax[i];
        left += dot(r, p * r), all += dot(l.b[i], p * l.b[i]);
    }
    return std::sqrt(left / all);
}

double difference(std::span<const Vec3> a, std::span<const Vec3> b) {
    double d = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) d += norm2(a[i] - b[i]), size += norm2(b[i]);
    return std::sqrt(d / size);
}

constexpr std::uint32_t side = 18;  // 5,832 rows, 37,000 blocks

TEST(SingleGradients, TheTrueResidualIsWithinTheTolerance) {
    for (const double stiffness : {1.0, 1e3}) {
        const Lattice l(side, stiffness);
        ASSERT_GE(l.a.blocks(), ConjugateGradients::least_single_blocks);
        for (const double tolerance : {1e-2, 1e-4, 1e-6, 1e-9}) {
            const Answer single = solve(l, tolerance, true), exact = solve(l, 1e-12, false),
                         twice = solve(l, tolerance, false);
            EXPECT_TRUE(single.report.converged);
            const double left = residual(l, single.x);
            EXPECT_LE(left, tolerance) << stiffness;
            EXPECT_NEAR(left, single.report.residual, 1e-6 * tolerance);
            EXPECT_NE(single.x, twice.x);  // else nothing was single
            EXPECT_LE(single.report.iterations, 1.5 * twice.report.iterations + 3);
            // The error is the residual times the condition number at most.
            EXPECT_LT(difference(single.x, exact.x), 10 * std::max(tolerance, difference(twice.x, exact.x)));
        }
    }
}

TEST(SingleGradients, UnitsDoNotMatter) {
    for (const double unit : {1e-60, 1e-20, 1e20, 1e60}) {
        const Lattice l(side, 10, unit), same(side, 10);
        const Answer answer = solve(l, 1e-4, true);
        EXPECT_TRUE(answer.report.converged) << unit;
        EXPECT_LE(residual(l, answer.x), 1e-4) << unit;
        EXPECT_NE(answer.x, solve(l, 1e-4, false).x) << unit;  // else single precision was of no use
        EXPECT_EQ(answer.report.iterations, solve(same, 1e-4, true).report.iterations) << unit;
    }
}

TEST(SingleGradients, PowersOfTwoOfAUnitGiveTheSameBits) {
    const Lattice same(side, 10);
    const Answer answer = solve(same, 1e-4, true);
    for (const int k : {-15, -1, 7})
        EXPECT_EQ(solve(Lattice(side, 10, std::ldexp(1, k)), 1e-4, true).x, answer.x) << k;
}

TEST(SingleGradients, AnyNumberOfThreadsGivesTheSameBits) {
    const Lattice l(side, 30);
    const Answer one = solve(l, 1e-5, true, 1);
    for (const int threads : {2, 5}) EXPECT_EQ(solve(l, 1e-5, true, threads).x, one.x);
}

// What threads look up is made once a pattern; another matrix of as many rows and blocks must not be taken
// for it.
TEST(SingleGradients, AnotherPatternIsSeen) {
    const Lattice first(side, 30);
    Lattice other(side, 30);
    BlockPattern pattern(other.rows);
    // The same lattice with its points in another order: i ↔ i + 1 for even i.
    const auto moved = [](std::uint32_t i) { return i ^ 1u; };
    for (std::uint32_t i = 0; i < first.rows; ++i)
        for (const std::uint32_t j : first.a.columns(i)) pattern.add(moved(i), moved(j));
    other.a = BlockMatrix(pattern);
    for (std::uint32_t i = 0; i < first.rows; ++i) {
        std::uint32_t slot = first.a.first_slot(i);
        for (const std::uint32_t j : first.a.columns(i))
            other.a.add(other.a.slot(moved(i), moved(j)), first.a.block(slot++));
    }
    for (const int threads : {1, 2}) {
        const Parallel parallel(threads);
        ConjugateGradients cg;
        for (const Lattice* l : {&first, static_cast<const Lattice*>(&other), &first}) {
            std::vector<Vec3> x(l->rows);
            const SolveReport report = cg.solve(l->a, {}, l->b, {}, x, {1e-5, 5000, true}, parallel);
            EXPECT_EQ(x, solve_from_zero(*l, 1e-5).x) << threads;
            EXPECT_LE(residual(*l, x), 1e-5) << threads;
            EXPECT_LT(report.iterations, 40) << threads;
        }
    }
}

TEST(SingleGradients, PinnedRowsStayAtZeroAndAreLeftOut) {
    const Lattice l(side, 100);
    std::vector<std::uint8_t> pinned(l.rows, 0);
    for (std::size_t i = 0; i < l.rows; i += 7) pinned[i] = 1;
    const Answer answer = solve(l, 1e-4, true, 1, pinned);
    EXPECT_TRUE(answer.report.converged);
    for (std::size_t i = 0; i < l.rows; i += 7) ASSERT_EQ(answer.x[i], Vec3{});
    EXPECT_LE(residual(l, answer.x, pinned), 1e-4);
}

// So ill-conditioned that single precision finds little: the rest is done in double.
TEST(SingleGradients, WhatRoundingKeepsFromFallingIsDoneInDouble) {
    const Lattice l(side, 1e8);
    const Answer answer = solve(l, 1e-6, true);
    EXPECT_TRUE(answer.report.converged);
    EXPECT_LE(residual(l, answer.x), 1e-6);
}

}  // namespace
}  // namespace plush
