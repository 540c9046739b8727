#include <gtest/gtest.h>

#include "math/half_solves.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

/// A chain of grids' worth of couplings, and the diagonal that makes it definite.
BlockMatrix chain(std::uint32_t rows, std::uint64_t seed) {
    BlockPattern pattern(rows);
    for (std::uint32_t i = 0; i < rows; ++i)
        for (const std::uint32_t j : {i + 1, i + 7})
            if (j < rows) pattern.add(i, j);
    BlockMatrix a(pattern);
    Random random(seed);
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (const std::uint32_t j : {i + 1, i + 7}) {
            if (j >= rows) continue;
            const Vec3 p = random_vector(random), q = random_vector(random);
            a.add(a.slot(i, i), outer(p, p)), a.add(a.slot(j, j), outer(q, q));
            a.add(a.slot(i, j), outer(p, q)), a.add(a.slot(j, i), outer(q, p));
        }
        a.add(a.slot(i, i), Mat3::identity() * 0.5);
    }
    return a;
}

/// Right-hand sides of a few entries each, as contacts have them.
struct Sides {
    HalfSolves half;
    std::vector<Vec3> dense;  ///< one after the other
};

Sides sparse_sides(std::uint32_t rows, std::size_t count, std::uint64_t seed) {
    Sides sides;
    sides.dense.resize(rows * count);
    Random random(seed);
    for (std::size_t k = 0; k < count; ++k) {
        for (int e = 0; e < 4; ++e) {
            const auto row = static_cast<std::uint32_t>(random.uniform(0, rows - 0.5));
            Vec3& at = sides.dense[k * rows + row];
            if (at != Vec3{}) continue;
            at = random_vector(random);
            sides.half.add(row, at);
        }
        sides.half.end_column();
    }
    return sides;
}

TEST(HalfSolves, GiveWhatWholeSolvesGive) {
    for (const std::uint32_t rows : {1u, 5u, 60u})
        for (const std::size_t count : {1u, 8u, 19u}) {
            const BlockMatrix a = chain(rows, rows);
            BlockCholesky factor;
            factor.analyse(a);
            ASSERT_TRUE(factor.factorise(a));
            Sides sides = sparse_sides(rows, count, 100 + count);
            sides.half.solve(factor);
            std::vector<double> products;
            sides.half.products(products);
            std::vector<Vec3> whole = sides.dense;
            factor.solve_many(whole);
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t j = 0; j < count; ++j) {
                    double expected = 0;
                    for (std::size_t k = 0; k < rows; ++k)
                        expected += dot(sides.dense[i * rows + k], whole[j * rows + k]);
                    EXPECT_NEAR(products[i * count + j], expected, 1e-12);  // measured: 3e-15
                    EXPECT_EQ(products[i * count + j], products[j * count + i]);
                }
            std::vector<double> factors;
            for (std::size_t k = 0; k < count; ++k) factors.push_back(0.3 + static_cast<double>(k));
            std::vector<Vec3> x(rows);
            sides.half.combine(factors, x);
            for (std::size_t k = 0; k < rows; ++k) {
                Vec3 expected{};
                for (std::size_t i = 0; i < count; ++i) expected += factors[i] * whole[i * rows + k];
                EXPECT_LT(norm(x[k] - expected), 1e-11 * (1 + norm(expected)));  // measured: 1e-14
            }
        }
}

}  // namespace
}  // namespace plush
