#include <gtest/gtest.h>

#include <array>

#include "math/conjugate_gradients.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;
using test::random_vectors;

/// Edges with their numbers, and the same as blocks.
struct Edges {
    std::vector<std::uint32_t> ends;
    std::vector<Vec3> w;
    std::vector<double> s;
    EdgeMatrix matrix;
    BlockMatrix blocks;
};

Edges filled(std::size_t n, std::vector<std::uint32_t> ends, Random& random) {
    Edges e;
    e.ends = std::move(ends);
    BlockPattern pattern(n);
    for (std::size_t k = 0; k < e.ends.size(); k += 2) {
        e.w.push_back(random_vector(random)), e.s.push_back(random.uniform(0, 1));
        pattern.add(e.ends[k], e.ends[k + 1]);
    }
    e.matrix.build(n, e.ends);
    for (std::size_t c = 0; c < e.matrix.edges().size(); ++c) {
        const std::uint32_t k = e.matrix.edges()[c];
        if (k == EdgeMatrix::none) continue;
        EdgeMatrix::Group& g = e.matrix.group(c / EdgeMatrix::width);
        const std::size_t l = c % EdgeMatrix::width;
        g.x[l] = e.w[k].x, g.y[l] = e.w[k].y, g.z[l] = e.w[k].z, g.s[l] = e.s[k];
    }
    e.blocks = BlockMatrix(pattern);
    for (std::size_t k = 0; k < e.w.size(); ++k) {
        const Mat3 m = outer(e.w[k], e.w[k]) + Mat3::identity() * e.s[k];
        const std::uint32_t i = e.ends[2 * k], j = e.ends[2 * k + 1];
        e.blocks.add(e.blocks.diagonal_slot(i), m), e.blocks.add(e.blocks.diagonal_slot(j), m);
        e.blocks.add(e.blocks.slot(i, j), m * -1.0), e.blocks.add(e.blocks.slot(j, i), m * -1.0);
    }
    return e;
}

/// A grid with diagonals, whose rows are alike, or joints at random, some of them twice; n need not be fours.
std::vector<std::uint32_t> grid(std::uint32_t nx, std::uint32_t ny) {
    std::vector<std::uint32_t> ends;
    for (std::uint32_t j = 0; j < ny; ++j)
        for (std::uint32_t i = 0; i < nx; ++i) {
            const std::uint32_t a = j * nx + i;
            if (i + 1 < nx) ends.insert(ends.end(), {a, a + 1});
            if (j + 1 < ny) ends.insert(ends.end(), {a, a + nx});
            if (i + 1 < nx && j + 1 < ny) ends.insert(ends.end(), {a + nx + 1, a});
        }
    return ends;
}

std::vector<std::uint32_t> at_random(std::uint32_t n, int count, Random& random) {
    std::vector<std::uint32_t> ends;
    for (int k = 0; k < count; ++k) {
        const auto i = static_cast<std::uint32_t>(random.uniform(0, n)) % n;
        const auto j = (i + 1 + static_cast<std::uint32_t>(random.uniform(0, n - 1)) % (n - 1)) % n;
        ends.insert(ends.end(), {i, j});
    }
    ends.insert(ends.end(), {ends[0], ends[1]});  // a second spring between two vertices
    return ends;
}

TEST(EdgeMatrix, ItsProductAndDiagonalAreThoseOfItsBlocks) {
    Random random(1);
    for (const auto& [n, ends] : {std::pair{std::size_t{63}, grid(9, 7)},
                                  {std::size_t{41}, at_random(41, 150, random)},
                                  {std::size_t{2}, std::vector<std::uint32_t>{0, 1}},
                                  {std::size_t{3}, {}}}) {
        const Edges e = filled(n, ends, random);
        const std::vector<Vec3> x = random_vectors(n, random), start = random_vectors(n, random);
        std::vector<Vec3> y = start, z(n);
        const double added = e.matrix.multiply_rows(x, y, 0, n);
        e.blocks.multiply(x, z, Parallel(1));
        std::vector<Mat3> d(n);
        e.matrix.add_diagonal(0, n, d);
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            EXPECT_LT(norm(y[i] - start[i] - z[i]), 1e-13) << i;  // measured 8e-15
            sum += dot(x[i], z[i]);
            const Mat3 expected = e.blocks.block(e.blocks.diagonal_slot(i));
            for (std::size_t r = 0; r < 3; ++r) EXPECT_LT(norm(d[i].row[r] - expected.row[r]), 1e-13);
        }
        EXPECT_NEAR(added, sum, 1e-11);
        EXPECT_GE(added, 0);
    }
}

/// x·Ay = y·Ax, and nothing for a common motion: exactly, or springs would push a body as a whole.
TEST(EdgeMatrix, IsSymmetricAndBlindToACommonMotion) {
    Random random(2);
    const std::size_t n = 200;
    const Edges e = filled(n, at_random(200, 900, random), random);
    const std::vector<Vec3> x = random_vectors(n, random), y = random_vectors(n, random);
    std::vector<Vec3> ax(n), ay(n), common(n);
    e.matrix.multiply_rows(x, ax, 0, n), e.matrix.multiply_rows(y, ay, 0, n);
    double xay = 0, yax = 0;
    for (std::size_t i = 0; i < n; ++i) xay += dot(x[i], ay[i]), yax += dot(y[i], ax[i]);
    EXPECT_NEAR(xay, yax, 1e-10);  // of about 50
    e.matrix.multiply_rows(std::vector<Vec3>(n, Vec3{0.1, -3, 1e6}), common, 0, n);
    for (const Vec3& v : common) EXPECT_EQ(v, Vec3{});
}

/// With edges or with their blocks: the same answer; pinned rows stay; one thread or two: the same bits.
TEST(EdgeMatrix, ConjugateGradientsTakeIt) {
    Random random(3);
    const std::size_t n = 70 * 70;
    const Edges e = filled(n, grid(70, 70), random);
    BlockMatrix masses{BlockPattern(n)}, all = e.blocks;
    for (std::size_t i = 0; i < n; ++i) {
        masses.add(masses.diagonal_slot(i), Mat3::identity() * 0.1);
        all.add(all.diagonal_slot(i), Mat3::identity() * 0.1);
    }
    const std::vector<Vec3> b = random_vectors(n, random);
    std::vector<std::uint8_t> pinned(n, 0);
    pinned[0] = pinned[69] = 1;
    const std::array<const EdgeMatrix*, 1> edges{&e.matrix};
    std::vector<Vec3> x(n), y(n), z(n);
    ConjugateGradients cg;
    const ConjugateGradients::Settings settings{.tolerance = 1e-12};
    EXPECT_TRUE(cg.solve(masses, {{}, edges}, b, pinned, x, settings, Parallel(1)).converged);
    EXPECT_TRUE(cg.solve(masses, {{}, edges}, b, pinned, y, settings, Parallel(2)).converged);
    EXPECT_TRUE(cg.solve(all, {}, b, pinned, z, settings, Parallel(1)).converged);
    EXPECT_EQ(x, y);
    EXPECT_EQ(x[0], Vec3{});
    EXPECT_EQ(x[69], Vec3{});
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, norm(x[i] - z[i]));
    EXPECT_LT(worst, 1e-9);
}

/// A guess ten times too long, turned round or at odds with the answer must not make a loose answer worse
/// than none: Φ = ½ x·Ax − x·b stays below that of zero.
TEST(ConjugateGradients, NoGuessFeedsEnergyIntoALooseSolve) {
    Random random(4);
    const std::size_t n = 400;
    const Edges e = filled(n, grid(20, 20), random);
    BlockMatrix a = e.blocks;
    for (std::size_t i = 0; i < n; ++i) a.add(a.diagonal_slot(i), Mat3::identity() * 0.01);
    const std::vector<Vec3> b = random_vectors(n, random), odd = random_vectors(n, random);
    ConjugateGradients cg;
    std::vector<Vec3> exact(n);
    cg.solve(a, {}, b, {}, exact, {.tolerance = 1e-12}, Parallel(1));
    for (const double factor : {10.0, -10.0, 0.0}) {
        std::vector<Vec3> x(n), ax(n);
        for (std::size_t i = 0; i < n; ++i) x[i] = factor == 0 ? 100 * odd[i] : factor * exact[i];
        cg.solve(a, {}, b, {}, x, {.tolerance = 0.9, .iterations = 1}, Parallel(1));
        a.multiply(x, ax, Parallel(1));
        double energy = 0;
        for (std::size_t i = 0; i < n; ++i) energy += 0.5 * dot(x[i], ax[i]) - dot(x[i], b[i]);
        EXPECT_LT(energy, 0) << factor;
    }
}

}  // namespace
}  // namespace plush
