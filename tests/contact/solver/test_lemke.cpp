#include "contact/solver/lemke.hpp"

#include <gtest/gtest.h>

#include "contact/solver/random_system.hpp"

// The sweeps against Lemke's method, which shares nothing with them but the rows.

namespace plush {
namespace {

using test::System;

TEST(Lemke, SolvesAProblemByHand) {
    // w₁ = 2 z₁ + z₂ − 4, w₂ = z₁ + 2 z₂ − 5: z = (1, 2).
    const auto z = test::lemke({{2, 1}, {1, 2}}, {-4, -5});
    ASSERT_TRUE(z);
    EXPECT_NEAR((*z)[0], 1, 1e-12);
    EXPECT_NEAR((*z)[1], 2, 1e-12);
    const auto none = test::lemke({{2, 1}, {1, 2}}, {-4, 5});
    ASSERT_TRUE(none);
    EXPECT_NEAR((*none)[0], 2, 1e-12);
    EXPECT_EQ((*none)[1], 0);
}

/// J A⁻¹ Jᵀ over all rows of all blocks.
std::vector<std::vector<double>> compliance(const System& s) {
    const std::size_t n = s.rows.blocks.size();
    std::vector<std::vector<double>> w(3 * n, std::vector<double>(3 * n, 0));
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
            for (const Entry& e : s.rows.entries_of(s.rows.blocks[i]))
                for (const Entry& f : s.rows.entries_of(s.rows.blocks[j])) {
                    const Mat3 d = compliance_between(s.rows, s.nodes, e, f);
                    for (std::size_t a = 0; a < 3; ++a)
                        for (std::size_t b = 0; b < 3; ++b) w[3 * i + a][3 * j + b] += d(a, b);
                }
    return w;
}

/// Impulses of all blocks with the friction pyramid: unknowns λ_n, four β ≥ 0 along ± the tangents, and σ.
std::optional<std::vector<Vec3>> by_lemke(const System& s) {
    const std::size_t n = s.rows.blocks.size();
    const auto w = compliance(s);
    std::vector<std::vector<double>> m(6 * n, std::vector<double>(6 * n, 0));
    std::vector<double> q(6 * n, 0);
    // Each of the five pushes is a row with a sign: 0, +1, −1, +2, −2.
    const std::size_t row_of[] = {0, 1, 1, 2, 2};
    const double sign_of[] = {1, 1, -1, 1, -1};
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 free = s.relative_velocity(s.rows.blocks[i]);
        for (std::size_t a = 0; a < 5; ++a) {
            q[6 * i + a] = sign_of[a] * free[row_of[a]];
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t b = 0; b < 5; ++b)
                    m[6 * i + a][6 * j + b] =
                        sign_of[a] * sign_of[b] * w[3 * i + row_of[a]][3 * j + row_of[b]];
            if (a > 0) m[6 * i + a][6 * i + 5] = 1, m[6 * i + 5][6 * i + a] = -1;
        }
        m[6 * i + 5][6 * i] = s.rows.blocks[i].friction;
    }
    const auto z = test::lemke(m, q);
    if (!z) return std::nullopt;
    std::vector<Vec3> impulses(n);
    for (std::size_t i = 0; i < n; ++i)
        impulses[i] = {(*z)[6 * i], (*z)[6 * i + 1] - (*z)[6 * i + 2], (*z)[6 * i + 3] - (*z)[6 * i + 4]};
    return impulses;
}

/// The largest difference of velocities, m/s or rad/s; nothing where Lemke ends on a ray.
std::optional<double> difference(const System& start, const SolverSettings& settings) {
    const auto impulses = by_lemke(start);
    if (!impulses) return std::nullopt;
    System swept = start, pivoted = start;
    swept.solve(settings);
    for (std::size_t i = 0; i < impulses->size(); ++i) pivoted.push(pivoted.rows.blocks[i], (*impulses)[i]);
    double worst = 0;
    for (std::size_t k = 0; k < start.nodes.size(); ++k)
        worst = std::max({worst, norm(swept.velocity[k].linear - pivoted.velocity[k].linear),
                          norm(swept.velocity[k].angular - pivoted.velocity[k].angular)});
    return worst;
}

// Without friction velocities are unique.
TEST(Lemke, AgreesWithTheSweepsWithoutFriction) {
    int compared = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed);
        System s = test::random_system(random, 4, 8, true);
        for (Block& b : s.rows.blocks) b.friction = 0;
        const auto d = difference(s, {.iterations = 20000, .tolerance = 1e-10});
        if (!d) continue;
        ++compared;
        EXPECT_LT(*d, 1e-7) << seed;
    }
    EXPECT_GE(compared, 38);
}

TEST(Lemke, AgreesWithTheSweepsOnThePyramid) {
    int compared = 0, other = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed);
        System s = test::random_system(random, 4, 6, true);
        for (Block& b : s.rows.blocks) b.friction = std::min(b.friction, 0.3);
        const auto d =
            difference(s, {.iterations = 20000, .tolerance = 1e-10, .friction = FrictionModel::pyramid});
        if (!d) continue;
        ++compared;
        other += *d > 1e-6;
    }
    EXPECT_GE(compared, 36);
    // With friction the answer need not be unique, but here it nearly always is.
    EXPECT_LE(other, 1);
}

}  // namespace
}  // namespace plush
