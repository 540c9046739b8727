#include <gtest/gtest.h>

#include "bodies/elements/elastic_tets.hpp"
#include "math/dense.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/math/rotation.hpp"
#include "support/random.hpp"

// What finite elements promise beyond what every element does (test_elements.cpp).

namespace plush {
namespace {

using test::random_vector;

using Vectors = std::vector<Vec3>;

constexpr ElasticModel models[] = {ElasticModel::corotational, ElasticModel::neo_hookean};

/// A box of tets whose inner vertices are shaken, so that no two tets are alike.
TetMesh shaken_box(const std::array<int, 3>& cells) {
    const TetMesh box = tet_box({0.5, 0.4, 0.3}, cells).value();
    Random random(4);
    Vectors x(box.positions().begin(), box.positions().end());
    for (Vec3& p : x) {
        const Vec3 shift = random_vector(random);
        p += (0.1 / cells[0]) * shift;
    }
    return TetMesh(std::move(x), {box.tets().begin(), box.tets().end()});
}

ElasticTets elements_of(const TetMesh& mesh, const ElasticMaterial& material) {
    ElasticTets tets(material.model);
    for (const Tet& t : mesh.tets()) {
        std::array<std::uint32_t, 4> v{};
        std::array<Vec3, 4> rest{};
        for (std::size_t a = 0; a < 4; ++a) {
            v[a] = static_cast<std::uint32_t>(t[a]);
            rest[a] = mesh.positions()[v[a]];
        }
        tets.add(v, rest, material);
    }
    return tets;
}

Vectors forces(ElasticTets& tets, std::span<const Vec3> x, int threads = 1) {
    const Vectors still(x.size());
    Vectors f(x.size());
    tets.add_forces(x, still, f, Parallel(threads));
    return f;
}

double largest(std::span<const Vec3> x) {
    double most = 0;
    for (const Vec3& v : x) most = std::max(most, norm(v));
    return most;
}

struct Derivatives {
    BlockMatrix matrix;
    Vectors product, force;
};

Derivatives derivatives(ElasticTets& tets, std::span<const Vec3> x, std::span<const Vec3> v, int threads = 1,
                        bool full = false, double b = 0) {
    BlockPattern pattern(x.size());
    tets.add_pattern(pattern);
    Derivatives d{BlockMatrix(pattern), Vectors(x.size()), Vectors(x.size())};
    tets.bind(d.matrix);
    std::vector<Mat3> external(x.size());
    std::vector<RankOneTerm> terms;
    std::vector<const EdgeMatrix*> edges;
    Linearisation out{-1, b, d.matrix, external, terms, edges, d.product, full};
    tets.add_forces_and_derivatives(x, v, d.force, out, Parallel(threads));
    return d;
}

TEST(ElasticTets, ARigidMotionGivesNoForce) {
    const TetMesh mesh = shaken_box({3, 3, 3});
    for (const ElasticModel model : models) {
        ElasticTets tets = elements_of(mesh, {.model = model, .young = 1e6, .poisson = 0.4});
        Random random(2);
        for (int i = 0; i < 20; ++i) {
            const Quat q = normalised(Quat{random.uniform(-1, 1), random.uniform(-1, 1),
                                           random.uniform(-1, 1), random.uniform(-1, 1)});
            Vectors x(mesh.positions().begin(), mesh.positions().end());
            for (Vec3& p : x) p = rotate(q, p) + Vec3{3, -2, 1};
            // The box has sides of about 1 m²: 1e-9 of E times area. Measured: 8e-10 N.
            EXPECT_LE(largest(forces(tets, x)), 1e-9 * 1e6);
            EXPECT_LE(tets.energy(x), 1e-15 * 1e6);
        }
    }
}

// A constant F has the same stress everywhere, so inner vertices feel nothing: whatever the mesh, linear
// displacements are solutions.
TEST(ElasticTets, AffineDisplacementsAreReproduced) {
    const TetMesh mesh = shaken_box({4, 3, 3});
    const Mesh surface = mesh.surface();
    std::vector<bool> inner(mesh.positions().size(), true);
    for (std::size_t i = 0; i < inner.size(); ++i)
        for (const Vec3& p : surface.positions())
            if (p == mesh.positions()[i]) inner[i] = false;
    ASSERT_GT(std::count(inner.begin(), inner.end(), true), 5);
    Random random(8);
    for (const ElasticModel model : models)
        for (int i = 0; i < 20; ++i) {
            ElasticTets tets = elements_of(mesh, {.model = model, .young = 1, .poisson = 0.35});
            Mat3 f = Mat3::identity();
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3; ++c) f(r, c) += random.uniform(-0.4, 0.4);
            Vectors x;
            for (const Vec3& p : mesh.positions()) x.push_back(f * p);
            const Vectors force = forces(tets, x);
            double worst = 0;
            for (std::size_t k = 0; k < x.size(); ++k)
                if (inner[k]) worst = std::max(worst, norm(force[k]));
            EXPECT_GT(largest(force), 1e-3);
            EXPECT_LE(worst, 1e-10 * largest(force));  // measured: 6e-15
            // Each tet has the strain energy of F.
            EXPECT_NEAR(norm(tets.deformation(3, x).row[1] - f.row[1]), 0, 1e-13);
        }
}

TEST(ElasticTets, SixMotionsCostNothingAtRest) {
    const TetMesh mesh = shaken_box({2, 2, 1});
    for (const ElasticModel model : models) {
        ElasticTets tets = elements_of(mesh, {.model = model, .young = 1, .poisson = 0.3});
        const Vectors still(mesh.positions().size());
        std::vector<double> values =
            test::eigenvalues(test::dense(derivatives(tets, mesh.positions(), still).matrix));
        std::sort(values.begin(), values.end());
        EXPECT_LE(std::abs(values[5]), 1e-12 * values.back());  // measured: 7e-17
        EXPECT_GE(values[6], 1e-4 * values.back());             // measured: 0.033
    }
}

// The two models are the same linear elasticity in small strains.
TEST(ElasticTets, BothModelsAreEquallyStiffAtRest) {
    const TetMesh mesh = shaken_box({2, 2, 2});
    const Vectors still(mesh.positions().size());
    for (const double poisson : {0.0, 0.3, 0.49}) {
        ElasticTets a = elements_of(mesh, {.young = 1, .poisson = poisson}),
                    b = elements_of(mesh,
                                    {.model = ElasticModel::neo_hookean, .young = 1, .poisson = poisson});
        const auto dense = [&](ElasticTets& t, bool full) {
            return test::dense(derivatives(t, mesh.positions(), still, 1, full).matrix);
        };
        const test::Dense ka = dense(a, false), kb = dense(b, false), kc = dense(a, true);
        double most = 0;
        for (const double v : ka.a) most = std::max(most, std::abs(v));
        for (std::size_t i = 0; i < ka.a.size(); ++i) {
            EXPECT_NEAR(ka.a[i], kb.a[i], 1e-12 * most);  // measured: 4e-16
            EXPECT_NEAR(ka.a[i], kc.a[i], 1e-12 * most);
        }
    }
}

// Eight tets side by side give what one alone gives by the plain formulas.
TEST(ElasticTets, ForcesOfBothRoutesAgree) {
    const TetMesh mesh = shaken_box({3, 2, 2});
    Random random(6);
    Vectors x(mesh.positions().begin(), mesh.positions().end());
    for (Vec3& p : x) p += 0.3 * random_vector(random);
    ElasticTets tets = elements_of(mesh, {.young = 10, .stiffness_damping = 0.1});
    const Vectors a = derivatives(tets, x, x, 1, false).force, b = derivatives(tets, x, x, 1, true).force;
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LE(norm(a[i] - b[i]), 1e-12 * largest(b));
}

// K v and the damping's force have no factor, however much of B is in the matrix they are taken from.
TEST(ElasticTets, ProductsAndForcesDoNotDependOnTheFactors) {
    const TetMesh mesh = shaken_box({3, 2, 2});
    Vectors x(mesh.positions().begin(), mesh.positions().end());
    for (Vec3& p : x) p = {1.1 * p.x + 0.1 * p.y, p.y, 0.9 * p.z};
    for (const ElasticModel model : {ElasticModel::corotational, ElasticModel::neo_hookean}) {
        ElasticTets tets = elements_of(mesh, {.model = model, .young = 10, .stiffness_damping = 0.1});
        const Derivatives with = derivatives(tets, x, x, 1, false, -5), without = derivatives(tets, x, x);
        for (std::size_t i = 0; i < x.size(); ++i) {
            EXPECT_LE(norm(with.product[i] - without.product[i]), 1e-12 * largest(without.product));
            EXPECT_LE(norm(with.force[i] - without.force[i]), 1e-12 * largest(without.force));
        }
    }
}

TEST(ElasticTets, AnyNumberOfThreadsGivesTheSameBits) {
    const TetMesh mesh = shaken_box({12, 12, 12});
    ASSERT_GT(mesh.tets().size(), 3 * elements_per_task);
    Random random(6);
    Vectors x(mesh.positions().begin(), mesh.positions().end()), v(x.size());
    for (Vec3& p : x) p += 0.02 * random_vector(random);
    for (Vec3& p : v) p = random_vector(random);
    // One thread goes by many small windows with a ring between them, four take all at once; and where the
    // numbers of neighbours are far from each other the ring has to hold nearly all.
    std::vector<Tet> mixed(mesh.tets().begin(), mesh.tets().end());
    for (std::size_t t = mixed.size() - 1; t > 0; --t)
        std::swap(mixed[t], mixed[static_cast<std::size_t>(random.uniform(0, static_cast<double>(t)))]);
    const TetMesh shuffled(Vectors(mesh.positions().begin(), mesh.positions().end()), mixed);
    for (const TetMesh& of : {mesh, shuffled})
        for (const ElasticModel model : models)
            for (const bool full : {false, true}) {
                ElasticTets tets = elements_of(of, {.model = model, .stiffness_damping = 0.01});
                Derivatives one = derivatives(tets, x, v, 1, full), four = derivatives(tets, x, v, 4, full);
                EXPECT_EQ(one.force, four.force);
                EXPECT_EQ(one.product, four.product);
                for (std::uint32_t s = 0; s < one.matrix.blocks(); ++s)
                    ASSERT_EQ(one.matrix.block(s), four.matrix.block(s));
                EXPECT_EQ(forces(tets, x, 1), forces(tets, x, 4));
            }
}

// However many tets there are, what they write down between the passes takes the room of a few layers.
TEST(ElasticTets, MemoryATetDoesNotGrow) {
    const auto bytes = [](const std::array<int, 3>& cells) {
        const TetMesh mesh = shaken_box(cells);
        ElasticTets tets = elements_of(mesh, {});
        const Vectors x(mesh.positions().begin(), mesh.positions().end());
        derivatives(tets, x, x);
        return static_cast<double>(tets.bytes()) / static_cast<double>(mesh.tets().size());
    };
    EXPECT_LT(bytes({8, 8, 100}), 0.85 * bytes({8, 8, 10}));  // measured: 425 and 538 B; equal without a ring
}

// An empty matrix is written, whatever stands in it; another one keeps what it had.
TEST(ElasticTets, AnEmptyMatrixIsWrittenAndAnotherOneIsAddedTo) {
    const TetMesh mesh = shaken_box({3, 3, 3});
    const std::size_t n = mesh.positions().size();
    Random random(8);
    Vectors x(mesh.positions().begin(), mesh.positions().end());
    for (Vec3& p : x) p += 0.02 * random_vector(random);
    const Vectors v(x.rbegin(), x.rend());
    for (const ElasticModel model : models) {
        ElasticTets tets =
            elements_of(mesh, {.model = model, .young = 1e6, .poisson = 0.4, .stiffness_damping = 0.01});
        const Derivatives alone = derivatives(tets, x, v, 1, false, -2);  // added to zero
        const auto with = [&](double before, bool empty) {
            BlockMatrix matrix = alone.matrix;
            std::fill_n(matrix.numbers(0), 9 * matrix.blocks(), before);
            std::vector<Mat3> external(n);
            std::vector<RankOneTerm> terms;
            std::vector<const EdgeMatrix*> edges;
            Vectors f(n), product(n);
            Linearisation out{-1, -2, matrix, external, terms, edges, product, false, empty};
            tets.add_forces_and_derivatives(x, v, f, out, Parallel(2));
            EXPECT_EQ(f, alone.force);
            EXPECT_EQ(product, alone.product);
            return matrix;
        };
        EXPECT_TRUE(tets.covers_matrix());
        const BlockMatrix written = with(std::nan(""), true), added = with(3, false);
        for (std::uint32_t s = 0; s < written.blocks(); ++s) {
            EXPECT_EQ(written.block(s), alone.matrix.block(s)) << s;
            const Mat3 kept = added.block(s), own = written.block(s);
            for (std::size_t r = 0; r < 3; ++r)
                for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(kept(r, c), 3 + own(r, c)) << s;
        }
        for (std::uint32_t i = 0; i < n; ++i)
            for (const std::uint32_t j : written.columns(i)) {
                if (i == j) continue;
                EXPECT_EQ(written.block(written.slot(i, j)), transpose(written.block(written.slot(j, i))));
            }
    }
    // With a pair of vertices that no tet has, somebody must clear its block.
    ElasticTets tets = elements_of(mesh, {.young = 1e6, .poisson = 0.4});
    BlockPattern pattern(n);
    tets.add_pattern(pattern);
    pattern.add(0, static_cast<std::uint32_t>(n - 1));
    tets.bind(BlockMatrix(pattern));
    EXPECT_FALSE(tets.covers_matrix());
}

struct HalfDerivatives {
    HalfMatrix half;
    Vectors product, force;
};

HalfDerivatives in_halves(ElasticTets& tets, std::span<const Vec3> x, std::span<const Vec3> v, int threads) {
    HalfDerivatives d{tets.half_pattern(x.size(), 0), Vectors(x.size()), Vectors(x.size())};
    std::vector<Mat3> external(x.size());
    std::vector<RankOneTerm> terms;
    std::vector<const EdgeMatrix*> edges;
    BlockMatrix none;
    Linearisation out{-1, -2, none, external, terms, edges, d.product, false, true, &d.half};
    tets.add_forces_and_derivatives(x, v, d.force, out, Parallel(threads));
    return d;
}

// Blocks are those of the whole matrix, rounded once; the diagonal is minus the sum of what was rounded, so
// that a common motion still costs nothing; forces have the same bits but for damping, which goes by K v.
TEST(ElasticTets, AMatrixInHalvesIsTheWholeOneRounded) {
    const TetMesh mesh = shaken_box({12, 12, 12});
    Random random(6);
    Vectors x(mesh.positions().begin(), mesh.positions().end()), v(x.size());
    for (Vec3& p : x) p += 0.02 * random_vector(random);
    for (Vec3& p : v) p = random_vector(random);
    std::vector<Tet> mixed(mesh.tets().begin(), mesh.tets().end());
    for (std::size_t t = mixed.size() - 1; t > 0; --t)
        std::swap(mixed[t], mixed[static_cast<std::size_t>(random.uniform(0, static_cast<double>(t)))]);
    const TetMesh shuffled(Vectors(mesh.positions().begin(), mesh.positions().end()), mixed);
    for (const TetMesh& of : {mesh, shuffled})
        for (const double damping : {0.0, 0.01}) {
            ElasticTets tets = elements_of(of, {.young = 1e6, .stiffness_damping = damping});
            const Derivatives whole = derivatives(tets, x, v, 1, false, -2);
            HalfDerivatives one = in_halves(tets, x, v, 1);
            const HalfDerivatives four = in_halves(tets, x, v, 4);
            EXPECT_EQ(one.force, four.force);
            EXPECT_EQ(one.product, four.product);
            const float *const blocks = one.half.numbers(0), *const same = four.half.numbers(0);
            EXPECT_TRUE(std::equal(blocks, blocks + 9 * one.half.blocks(), same));
            for (std::size_t i = 0; i < x.size(); ++i)
                ASSERT_EQ(one.half.diagonal_block(i), four.half.diagonal_block(i));
            if (damping == 0) {
                EXPECT_EQ(one.force, whole.force);
            }
            BlockMatrix expanded = whole.matrix;
            one.half.expand(expanded);
            double size = 0, sum = 0;
            for (std::uint32_t i = 0; i < x.size(); ++i) {
                Mat3 row;
                std::uint32_t slot = whole.matrix.first_slot(i);
                for (const std::uint32_t j : whole.matrix.columns(i)) {
                    const Mat3 was = whole.matrix.block(slot), is = expanded.block(slot++);
                    row += is;
                    if (i == j) size = std::max(size, trace(was));
                    for (std::size_t e = 0; e < 9; ++e)
                        ASSERT_NEAR(
                            is(e / 3, e % 3), was(e / 3, e % 3),
                            (i == j ? 1e-7 * trace(was) : 6e-8 * std::abs(was(e / 3, e % 3))) + 1e-14 * size);
                }
                for (const Vec3& r : row.row) sum = std::max(sum, norm(r));
            }
            EXPECT_LT(sum, 1e-13 * size);
            Vectors off(x.size());
            for (std::size_t i = 0; i < x.size(); ++i) off[i] = one.product[i] - whole.product[i];
            EXPECT_LT(largest(off), 1e-7 * largest(whole.product));
            EXPECT_GT(largest(off), 0);
        }
}

TEST(ElasticTets, WhatFloatsCannotHoldIsNotPutIntoHalves) {
    const TetMesh mesh = shaken_box({3, 3, 3});
    ElasticTets tets = elements_of(mesh, {.young = 1e6});
    EXPECT_GT(tets.half_pattern(mesh.positions().size(), 0).rows(), 0u);
    EXPECT_TRUE(tets.fits_half(-1e-4, 0));
    EXPECT_FALSE(tets.fits_half(-1e-32, 0));
    EXPECT_FALSE(tets.fits_half(-1e22, 0));
    EXPECT_EQ(tets.half_pattern(mesh.positions().size(), 1u << 15).rows(), 0u);  // too few to gain by it
    ElasticTets others = elements_of(mesh, {.model = ElasticModel::neo_hookean});
    EXPECT_EQ(others.half_pattern(mesh.positions().size(), 0).rows(), 0u);
}

TEST(ElasticTets, StressOfAStretchedBarIsYoungsModulus) {
    const TetMesh mesh = tet_box({0.5, 0.1, 0.1}, {4, 1, 1}).value();
    const double young = 2e5, poisson = 0.3, strain = 1e-6;
    for (const ElasticModel model : models) {
        ElasticTets tets = elements_of(mesh, {.model = model, .young = young, .poisson = poisson});
        Vectors x;
        for (const Vec3& p : mesh.positions())
            x.push_back({p.x * (1 + strain), p.y * (1 - poisson * strain), p.z * (1 - poisson * strain)});
        for (std::size_t t = 0; t < tets.size(); ++t) {
            const Mat3 s = tets.stress(t, x);
            EXPECT_NEAR(s(0, 0), young * strain, 1e-5 * young * strain);  // measured: 6e-7
            EXPECT_NEAR(s(1, 1), 0, 1e-5 * young * strain);
        }
    }
}

TEST(ElasticTets, TheRestShapeFlowsBeyondYieldAndNoFurtherThanAllowed) {
    const TetMesh mesh = tet_box({0.5, 0.5, 0.5}, {1, 1, 1}).value();
    ElasticMaterial clay{.young = 1e4, .poisson = 0.3};
    clay.yield = 0.05, clay.creep = 100, clay.max_plastic = 0.3;
    const auto stretched = [&](double by) {
        Vectors x;
        for (const Vec3& p : mesh.positions()) x.push_back({p.x * by, p.y, p.z});
        return x;
    };
    ElasticTets tets = elements_of(mesh, clay);
    tets.end_step(stretched(1.04), 0.1);
    EXPECT_EQ(tets.plastic_strain(0), Mat3{});  // below yield
    for (int i = 0; i < 200; ++i) tets.end_step(stretched(1.2), 0.1);
    // All but `yield` of the strain has flowed, and the force is that of what is left.
    EXPECT_NEAR(tets.plastic_strain(0)(0, 0), 0.15, 1e-9);
    ElasticTets fresh = elements_of(mesh, {.young = 1e4, .poisson = 0.3});
    EXPECT_NEAR(norm(forces(tets, stretched(1.2))[0]), norm(forces(fresh, stretched(1.05))[0]), 1e-6);
    for (const double far : {1.5, 2.0}) {
        for (int i = 0; i < 200; ++i) tets.end_step(stretched(far), 0.1);
        EXPECT_NEAR(tets.plastic_strain(0)(0, 0), 0.3, 1e-9) << far;
    }
    EXPECT_EQ(fresh.plastic_strain(0), Mat3{});
}

}  // namespace
}  // namespace plush
