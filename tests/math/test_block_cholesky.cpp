#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>

#include "math/block_cholesky.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vectors;

using Edges = std::vector<std::array<std::uint32_t, 2>>;

Mat3 random_matrix(Random& random) {
    Mat3 m;
    for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t c = 0; c < 3; ++c) m(r, c) = random.uniform(-1, 1);
    return m;
}

// Σ over edges of Eᵀ E with E = (P, Q) random, plus a multiple of 1: symmetric, positive definite, and with
// none of the symmetries inside a block that would hide a transposition.
BlockMatrix spd(std::size_t n, const Edges& edges, double diagonal, std::uint64_t seed = 3) {
    BlockPattern pattern(n);
    for (const auto& [i, j] : edges) pattern.add(i, j);
    BlockMatrix a(pattern);
    Random random(seed);
    for (const auto& [i, j] : edges) {
        const Mat3 p = random_matrix(random), q = random_matrix(random);
        a.add(a.slot(i, i), transpose(p) * p);
        a.add(a.slot(j, j), transpose(q) * q);
        a.add(a.slot(i, j), transpose(p) * q);
        a.add(a.slot(j, i), transpose(q) * p);
    }
    for (std::uint32_t i = 0; i < n; ++i) a.add(a.slot(i, i), Mat3::identity() * diagonal);
    return a;
}

Edges random_edges(std::uint32_t n, std::size_t count, std::uint64_t seed) {
    Random random(seed);
    Edges edges;
    while (edges.size() < count) {
        const auto i = static_cast<std::uint32_t>(random.uniform(0, n)),
                   j = static_cast<std::uint32_t>(random.uniform(0, n));
        if (i < n && j < n && i != j) edges.push_back({i, j});
    }
    return edges;
}

// All pairs within the cells of a box of k³ vertices: the pattern of a solid.
Edges solid_edges(std::uint32_t k) {
    Edges edges;
    const auto at = [k](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return x + k * (y + k * z); };
    for (std::uint32_t z = 0; z < k; ++z)
        for (std::uint32_t y = 0; y < k; ++y)
            for (std::uint32_t x = 0; x < k; ++x)
                for (std::uint32_t d = 1; d < 8; ++d) {
                    const std::uint32_t u = x + (d & 1), v = y + (d >> 1 & 1), w = z + (d >> 2);
                    if (u < k && v < k && w < k) edges.push_back({at(x, y, z), at(u, v, w)});
                }
    return edges;
}

Edges chain_edges(std::uint32_t n) {
    Edges edges;
    for (std::uint32_t i = 0; i + 1 < n; ++i) edges.push_back({i, i + 1});
    return edges;
}

double largest(std::span<const Vec3> x) {
    double most = 0;
    for (const Vec3& v : x) most = std::max(most, max_component(abs(v)));
    return most;
}

double residual(const BlockMatrix& a, std::span<const Vec3> x, std::span<const Vec3> b) {
    std::vector<Vec3> r(x.size());
    a.multiply(x, r, Parallel(1));
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= b[i];
    return largest(r);
}

void expect_solves(const BlockMatrix& a, const char* what) {
    BlockCholesky l;
    l.analyse(a);
    ASSERT_TRUE(l.factorise(a)) << what;
    const std::vector<Vec3> b = random_vectors(a.rows(), 5);
    std::vector<Vec3> x = b;
    l.solve(x);
    // Measured: at most 4e-15.
    EXPECT_LE(residual(a, x, b), 1e-11) << what;
}

TEST(BlockCholesky, SolvesMatricesOfEveryForm) {
    expect_solves(spd(1, {}, 2), "one row");
    expect_solves(spd(7, {}, 2), "a diagonal");
    expect_solves(spd(2, {{0, 1}}, 0.5), "two rows");
    expect_solves(spd(100, chain_edges(100), 0.1), "a chain");
    expect_solves(spd(60, random_edges(60, 1500, 9), 1), "nearly full");
    expect_solves(spd(1000, solid_edges(10), 0.1), "a solid");
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const auto n = static_cast<std::uint32_t>(2 + seed * 3);
        expect_solves(spd(n, random_edges(n, n + seed, seed), 0.3, seed), "a random graph");
    }
}

TEST(BlockCholesky, AgreesWithEigen) {
    const BlockMatrix a = spd(216, solid_edges(6), 0.2);
    std::vector<Eigen::Triplet<double>> entries;
    for (std::uint32_t i = 0; i < a.rows(); ++i)
        for (const std::uint32_t j : a.columns(i)) {
            const Mat3 block = a.block(a.slot(i, j));
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    entries.emplace_back(3 * static_cast<int>(i) + r, 3 * static_cast<int>(j) + c,
                                         block(static_cast<std::size_t>(r), static_cast<std::size_t>(c)));
        }
    Eigen::SparseMatrix<double> same(3 * 216, 3 * 216);
    same.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> reference(same);
    const std::vector<Vec3> b = random_vectors(216, 5);
    Eigen::VectorXd right(3 * 216);
    for (int i = 0; i < 3 * 216; ++i)
        right[i] = b[static_cast<std::size_t>(i / 3)][static_cast<std::size_t>(i % 3)];
    const Eigen::VectorXd expected = reference.solve(right);
    BlockCholesky l;
    l.analyse(a);
    ASSERT_TRUE(l.factorise(a));
    std::vector<Vec3> x = b;
    l.solve(x);
    double worst = 0;
    for (int i = 0; i < 3 * 216; ++i)
        worst = std::max(worst, std::abs(x[static_cast<std::size_t>(i / 3)][static_cast<std::size_t>(i % 3)] -
                                         expected[i]));
    EXPECT_LE(worst, 1e-12 * expected.lpNorm<Eigen::Infinity>());  // measured: 2e-15
    // Minimum degree, as Eigen's own: the padding of supernodes costs no more than half of it again.
    EXPECT_LE(static_cast<double>(l.stored()),
              2.0 * static_cast<double>(reference.matrixL().nestedExpression().nonZeros()));
}

TEST(BlockCholesky, ManyRightHandSidesGiveWhatOneGives) {
    const BlockMatrix a = spd(343, solid_edges(7), 0.1);
    BlockCholesky l;
    l.analyse(a);
    ASSERT_TRUE(l.factorise(a));
    for (const std::size_t sides : {0u, 1u, 2u, 7u, 8u, 9u, 19u}) {
        std::vector<Vec3> all = random_vectors(343 * sides, 7);
        std::vector<Vec3> one = all;
        l.solve_many(all);
        for (std::size_t k = 0; k < sides; ++k) l.solve(std::span(one).subspan(343 * k, 343));
        for (std::size_t i = 0; i < all.size(); ++i) one[i] -= all[i];
        EXPECT_LE(largest(one), 1e-12) << sides;  // measured: 1e-15
    }
}

TEST(BlockCholesky, ASecondFactorisationIsAsGoodAsTheFirst) {
    const Edges edges = solid_edges(5);
    const BlockMatrix a = spd(125, edges, 0.1, 1), b = spd(125, edges, 0.1, 2);
    BlockCholesky twice, once;
    twice.analyse(a);
    ASSERT_TRUE(twice.factorise(a));
    ASSERT_TRUE(twice.factorise(b));
    once.analyse(b);
    ASSERT_TRUE(once.factorise(b));
    std::vector<Vec3> x = random_vectors(125, 1), y = x;
    twice.solve(x);
    once.solve(y);
    EXPECT_EQ(x, y);
}

TEST(BlockCholesky, SaysWhereAMatrixIsNotPositiveDefinite) {
    BlockMatrix a = spd(64, solid_edges(4), 0.1);
    BlockCholesky l;
    l.analyse(a);
    a.add(a.diagonal_slot(40), Mat3::identity() * -30);
    EXPECT_FALSE(l.factorise(a));
    a.add(a.diagonal_slot(40), Mat3::identity() * 30);
    EXPECT_TRUE(l.factorise(a));
    a.add(a.diagonal_slot(40), Mat3::identity() * std::nan(""));
    EXPECT_FALSE(l.factorise(a));
}

TEST(BlockCholesky, PinnedRowsAreThoseOfTheIdentity) {
    const BlockMatrix a = spd(64, solid_edges(4), 0.1);
    std::vector<std::uint8_t> pinned(64, 0);
    for (std::size_t i = 0; i < 64; i += 5) pinned[i] = 1;
    BlockCholesky l;
    l.analyse(a);
    ASSERT_TRUE(l.factorise(a, pinned));
    std::vector<Vec3> b = random_vectors(64, 2), x = b;
    for (std::size_t i = 0; i < 64; i += 5) x[i] = {};
    l.solve(x);
    std::vector<Vec3> product(64);
    a.multiply(x, product, Parallel(1));
    for (std::size_t i = 0; i < 64; ++i) {
        if (pinned[i])
            EXPECT_EQ(x[i], Vec3{});
        else
            EXPECT_LE(norm(product[i] - b[i]), 1e-12);  // measured: 7e-16
    }
}

// A root of 2 times a pivot is not a power of two times the root: what is measured in other units must not round otherwise.
TEST(BlockCholesky, AMatrixInOtherUnitsHasTheSameBits) {
    BlockMatrix a = spd(64, solid_edges(4), 0.1);
    const std::vector<Vec3> b = random_vectors(64, 2);
    std::vector<Vec3> x = b;
    BlockCholesky l;
    l.analyse(a);
    ASSERT_TRUE(l.factorise(a));
    l.solve(x);
    for (const int k : {-15, -1, 3}) {
        BlockMatrix other = a;
        for (std::uint32_t slot = 0; slot < other.blocks(); ++slot)
            for (std::size_t c = 0; c < 9; ++c) other.numbers(slot)[c] *= std::ldexp(1, k);
        ASSERT_TRUE(l.factorise(other));
        std::vector<Vec3> y = b;
        l.solve(y);
        for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(std::ldexp(1, k) * y[i], x[i]) << k;
    }
}

TEST(BlockCholesky, KnowsThePatternThatItWasMadeFor) {
    const BlockMatrix solid = spd(64, solid_edges(4), 1), chain = spd(64, chain_edges(64), 1),
                      longer = spd(65, chain_edges(65), 1);
    Edges other = chain_edges(64);
    other.back() = {0, 63};  // as many blocks in other places
    BlockCholesky l;
    EXPECT_FALSE(l.fits(chain));
    l.analyse(chain);
    EXPECT_TRUE(l.fits(spd(64, chain_edges(64), 2)));
    EXPECT_FALSE(l.fits(solid));
    EXPECT_FALSE(l.fits(longer));
    EXPECT_FALSE(l.fits(spd(64, other, 1)));
}

TEST(BlockCholesky, ChainsAndTreesHaveNoFill) {
    for (const std::uint32_t n : {100u, 1000u, 10'000u}) {
        Edges tree;
        for (std::uint32_t i = 1; i < n; ++i) tree.push_back({i, (i - 1) / 3});
        for (const Edges& edges : {chain_edges(n), tree}) {
            BlockCholesky l;
            l.analyse(spd(n, edges, 1));
            // Two blocks a column are 18 numbers, supernodes add zeros and padding. Measured: at most 52.
            EXPECT_LE(static_cast<double>(l.stored()), 60.0 * n);
        }
    }
}

}  // namespace
}  // namespace plush
