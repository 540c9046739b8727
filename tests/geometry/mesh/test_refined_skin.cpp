#include "geometry/mesh/refined_skin.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/tuning.hpp"
#include "geometry/cutting/cut_checks.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/geometry/tetrahedralise.hpp"
#include "support/random.hpp"

// Skins that are coarser than what they are embedded in get a finer surface for contact.

namespace plush {
namespace {

/// How long an edge at this point may be.
double longest_at(const Embedding& weights, std::size_t p, std::span<const Vec3> x) {
    double span = 0;
    for (const auto& a : weights.row(p))
        for (const auto& b : weights.row(p)) span = std::max(span, norm(x[a.vertex] - x[b.vertex]));
    return tuning::skin_edge * span;
}

/// No edge is longer than what carries its ends, the surface is the same solid, and its points are where its weights say.
void expect_refined(const RefinedSkin& refined, const Mesh& skin, std::span<const Vec3> cage) {
    const auto x = refined.surface.positions();
    ASSERT_EQ(refined.weights.size(), x.size());
    EXPECT_EQ(test::open_edges(refined.surface.triangles()), 0);
    const auto before = mass_properties(skin, 1).value(), after = mass_properties(refined.surface, 1).value();
    EXPECT_NEAR(after.mass, before.mass, 1e-12 * before.mass);
    EXPECT_LT(norm(after.centre - before.centre), 1e-12 * norm(skin.bounds().size()));
    double area = 0, area_before = 0;
    for (const Triangle& t : refined.surface.triangles()) {
        const auto at = [&](std::size_t k) { return static_cast<std::size_t>(t[k % 3]); };
        area += norm(cross(x[at(1)] - x[at(0)], x[at(2)] - x[at(0)]));
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_LE(norm(x[at(k)] - x[at(k + 1)]), std::min(longest_at(refined.weights, at(k), cage),
                                                              longest_at(refined.weights, at(k + 1), cage)));
    }
    for (const Triangle& t : skin.triangles()) {
        const auto at = [&](std::size_t k) { return skin.positions()[static_cast<std::size_t>(t[k])]; };
        area_before += norm(cross(at(1) - at(0), at(2) - at(0)));
    }
    EXPECT_NEAR(area, area_before, 1e-12 * area_before);
    for (std::size_t p = 0; p < x.size(); ++p)
        EXPECT_LT(norm(refined.weights.at(p, cage) - x[p]), 1e-9 * norm(skin.bounds().size()));
    for (std::size_t p = 0; p < skin.positions().size(); ++p) EXPECT_EQ(x[p], skin.positions()[p]);
}

TEST(RefinedSkin, RandomSolidsHaveNoEdgeLongerThanHalfTheirTets) {
    Random random(1);
    for (int round = 0; round < 12; ++round) {
        const char* shapes[] = {"box", "icosphere", "torus", "box", "cylinder", "bear"};
        const char* shape = shapes[round % 6];
        const double size = std::exp(random.uniform(std::log(1e-3), std::log(10.0)));
        Mesh skin = generate({.shape = shape, .triangles = 200, .size = size}).value();
        if (shape == std::string("box"))
            skin = shapes::box({size * random.uniform(0.05, 1), size, size * random.uniform(0.05, 1)});
        const TetMesh tets = tetrahedralise(
            skin,
            {.method = round % 2 ? TetMethod::delaunay : TetMethod::lattice, .cells_across = 5 + round});
        const Embedding weights = Embedding::in_tets(tets, skin.positions()).value();
        const auto refined = refined_skin(skin, weights, tets);
        if (!refined) continue;
        SCOPED_TRACE(std::string(shape) + ", round " + std::to_string(round));
        expect_refined(*refined, skin, tets.positions());
        // No more than the tets ask for: as many triangles as there were, and a few for each outer face.
        EXPECT_LT(refined->surface.triangles().size(),
                  16 * (skin.triangles().size() + tets.surface().triangles().size()));
    }
}

TEST(RefinedSkin, TwelveTrianglesOverManyTetsHaveAVertexInEveryTouchedTet) {
    const Mesh skin = shapes::box({0.1, 0.1, 0.1});
    const TetMesh tets = tetrahedralise(skin, {.cells_across = 8});
    const auto refined = refined_skin(skin, Embedding::in_tets(tets, skin.positions()).value(), tets);
    ASSERT_TRUE(refined);
    std::vector<char> loaded(tets.positions().size(), 0);
    for (std::size_t p = 0; p < refined->weights.size(); ++p)
        for (const auto& e : refined->weights.row(p))
            if (e.weight > 1e-9) loaded[e.vertex] = 1;
    // Every vertex of the cage that lies on a face of the box, or outside of it, bears some of the surface.
    for (std::size_t v = 0; v < loaded.size(); ++v) {
        const Vec3 p = tets.positions()[v];
        const double out = std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)});
        EXPECT_TRUE(out < 0.1 - 1e-9 || loaded[v]) << p.x << ' ' << p.y << ' ' << p.z;
    }
}

// As fine as those of the scenes soft_toys_40 and octopuses.
TEST(RefinedSkin, FineSkinsAreLeftAlone) {
    struct Toy {
        const char* shape;
        int triangles, nodes;
    };
    for (const auto& [shape, triangles, nodes] :
         {Toy{"bear", 18120, 350}, Toy{"star", 18120, 350}, Toy{"octopus", 15300, 900}}) {
        const Mesh skin = generate({.shape = shape, .triangles = triangles, .size = 0.3}).value();
        const TetMesh tets = tetrahedralise(skin, {.nodes = nodes});
        EXPECT_FALSE(refined_skin(skin, Embedding::in_tets(tets, skin.positions()).value(), tets)) << shape;
    }
}

// A needle keeps its short edges: only what is too long is divided.
TEST(RefinedSkin, LongThinTrianglesLoseTheirLongEdges) {
    const Mesh skin = shapes::box({1, 0.01, 0.01});
    const TetMesh tets = tet_box({1, 0.01, 0.01}, {50, 1, 1}).value();
    const auto refined = refined_skin(skin, Embedding::in_tets(tets, skin.positions()).value(), tets);
    ASSERT_TRUE(refined);
    expect_refined(*refined, skin, tets.positions());
    EXPECT_LE(refined->surface.triangles().size(), 8 * 3 * 128u);  // strips of 128; 8 · 3⁷ without flips
}

TEST(RefinedSkin, PointsCarryASkinToo) {
    Random random(3);
    std::vector<Vec3> points = test::random_vectors(400, random, 0.6);
    const Mesh skin = shapes::box({0.5, 0.5, 0.5});
    const auto refined = refined_skin(skin, Embedding::in_points(points, skin.positions()).value(), points);
    ASSERT_TRUE(refined);
    expect_refined(*refined, skin, points);
}

}  // namespace
}  // namespace plush
