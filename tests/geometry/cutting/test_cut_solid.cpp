#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/cutting/cut_checks.hpp"
#include "plush/core/random.hpp"

// Tets that a blade goes through: what becomes of their material, their surface and their vertices.

namespace plush {
namespace {

using namespace test;

double smallest_angle_measure(const Mesh& mesh) {
    double worst = HUGE_VAL;
    for (const Triangle& t : mesh.triangles()) {
        const auto p = [&](std::size_t i) { return mesh.positions()[static_cast<std::size_t>(t[i])]; };
        const double squares = norm2(p(1) - p(0)) + norm2(p(2) - p(1)) + norm2(p(0) - p(2));
        worst = std::min(worst, norm(cross(p(1) - p(0), p(2) - p(0))) / squares);
    }
    return worst;
}

TEST(CutSolid, APlaneMakesTwoOfABox) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {8, 4, 4}).value());
    EXPECT_GT(cut(solid, plane({0.3, 0, 0}, {1, 0, 0})).cuts, 0u);
    EXPECT_EQ(solid.pieces(), 2u);
    expect_sound(solid, 2);
    const auto volumes = part_volumes(surface_of(solid));
    ASSERT_EQ(volumes.size(), 2u);
    EXPECT_NEAR(volumes[0], 0.7, 1e-12);  // measured: 2e-16
    EXPECT_NEAR(volumes[1], 1.3, 1e-12);
    EXPECT_GT(smallest_angle_measure(surface_of(solid)), 0.01);
}

// Every surface vertex is carried by vertices of its own part alone.
TEST(CutSolid, PartsMoveFreely) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {8, 4, 4}).value());
    cut(solid, plane({0.3, 0, 0}, {1, 0.2, 0.1}));
    std::vector<Vec3> x = rest_of(solid);
    DisjointSets sets(solid.vertices());
    for (const CutCell& cell : solid.cells())
        for (std::size_t k = 1; k < 4; ++k)
            sets.merge(static_cast<int>(cell.corners[0]), static_cast<int>(cell.corners[k]));
    const int first = sets.root(0);
    for (std::size_t v = 0; v < x.size(); ++v)
        if (sets.root(static_cast<int>(v)) != first) x[v] += Vec3{5, 0, 0};
    Embedding weights;
    const Mesh surface = solid.surface(weights);
    std::vector<Vec3> moved(surface.positions().size());
    weights.apply(x, moved);
    int near = 0, far = 0;
    for (std::size_t p = 0; p < moved.size(); ++p) {
        const double way = norm(moved[p] - surface.positions()[p]);
        near += way < 1e-12, far += std::abs(way - 5) < 1e-12;
    }
    EXPECT_EQ(near + far, static_cast<int>(moved.size()));
    EXPECT_GT(near, 50);
    EXPECT_GT(far, 50);
    EXPECT_NEAR(volume_of(moved, surface.triangles()), 2, 1e-12);
}

// The plane goes through vertices, edges and whole faces of the tets: nothing is divided, faces part.
TEST(CutSolid, APlaneThroughVerticesPartsFaces) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {8, 4, 4}).value());
    const std::size_t cells = solid.cells().size();
    EXPECT_GT(cut(solid, plane({0.25, 0, 0}, {1, 0, 0})).cuts, 0u);
    EXPECT_EQ(solid.cells().size(), cells);
    EXPECT_EQ(solid.pieces(), 2u);
    expect_sound(solid, 2);
    const auto volumes = part_volumes(surface_of(solid));
    ASSERT_EQ(volumes.size(), 2u);
    EXPECT_NEAR(volumes[0], 0.75, 1e-12);
}

TEST(CutSolid, ABladeThatMissesOrGrazesChangesNothing) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {8, 4, 4}).value());
    for (const BladeSheet& blade :
         {plane({1.5, 0, 0}, {1, 0, 0}), plane({1, 0, 0}, {1, 0, 0}), plane({-1, 0, 0}, {1, 0, 0}),
          plane({1, 0.5, 0.5}, {1, 1, 1}), plane({1, 0.5, 0}, {1, 1, 0}),
          BladeSheet{{{0.3, 0.6, -1}, {0.3, 0.6, 1}}, {0, 1, 0}},
          BladeSheet{{{0.3, 0.6, 0}, {0.3, 0.6, 0}}, {}}}) {
        EXPECT_EQ(cut(solid, blade).cuts, 0u);
        EXPECT_EQ(solid.pieces(), 1u);
        expect_sound(solid, 2);
    }
}

TEST(CutSolid, TwoCutsCrosswiseMakeFour) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {8, 4, 4}).value());
    cut(solid, plane({0.3, 0, 0}, {1, 0, 0}));
    cut(solid, plane({0, 0.1, 0}, {0, 1, 0}));
    EXPECT_EQ(solid.pieces(), 4u);
    expect_sound(solid, 2);
    const auto volumes = part_volumes(surface_of(solid));
    ASSERT_EQ(volumes.size(), 4u);
    EXPECT_NEAR(volumes[0], 0.7 * 0.4, 1e-12);
    EXPECT_NEAR(volumes[3], 1.3 * 0.6, 1e-12);
}

// A blade that ends inside makes a slit, whose surface is closed at its front.
TEST(CutSolid, ASlitLeavesOnePiece) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {8, 4, 4}).value());
    const std::size_t vertices = solid.vertices();
    const BladeSheet blade{{{0.3, 0.05, -1}, {0.3, 0.05, 1}}, {0, 1, 0}};
    EXPECT_GT(cut(solid, blade).cuts, 0u);
    EXPECT_EQ(solid.pieces(), 1u);
    EXPECT_GT(solid.vertices(), vertices);
    expect_sound(solid, 2);
    EXPECT_EQ(part_volumes(surface_of(solid)).size(), 1u);
}

// Deeper step by step, while the body slides to and fro along the normal of the blade: no slices, no bridges.
TEST(CutSolid, ABladeGoesDeeperStepByStep) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {8, 4, 4}).value());
    CutStroke stroke;
    std::size_t pieces = 1;
    for (int k = 0; k <= 60; ++k) {
        const double depth = 0.6 - 0.02 * k;
        const BladeSheet blade{{{0.3, depth, -1}, {0.3, depth, 1}}, {0, 2, 0}};
        std::vector<Vec3> x = rest_of(solid);
        for (Vec3& p : x) p.x += 0.07 * std::sin(0.5 * k);
        solid.cut(blade, x, stroke);
        expect_sound(solid, 2);
        EXPECT_GE(solid.pieces(), pieces);
        pieces = solid.pieces();
        if (depth > -0.3) {
            EXPECT_EQ(pieces, 1u);
        }
    }
    EXPECT_EQ(pieces, 2u);
    EXPECT_NEAR(part_volumes(surface_of(solid))[0], 0.7, 0.07);  // measured: 0.748
}

// Planes in any direction through tets of every form; each leaves a closed surface, the whole volume, the
// centre of mass, and as many pieces as it must.
TEST(CutSolid, RandomPlanesLeaveTheWholeBehind) {
    const TetMesh bear = tetrahedralise(generate({.shape = "bear", .triangles = 2000}).value(),
                                        {.conforming = true, .cells_across = 10});
    Random random(7);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    double worst = HUGE_VAL;
    for (int trial = 0; trial < 6; ++trial) {
        CutSolid solid(bear);
        const double volume = volume_of(surface_of(solid).positions(), surface_of(solid).triangles());
        Box3 box;
        for (const Vec3& p : bear.positions()) box.add(p);
        const Vec3 middle = 0.5 * (box.low + box.high);
        for (int k = 0; k < 3; ++k) {
            const Vec3 n{number(), number(), number()};
            cut(solid, plane(middle + 0.2 * times(box.size(), Vec3{number(), number(), number()}), n));
            EXPECT_GE(solid.pieces(), static_cast<std::size_t>(k + 2));
            expect_sound(solid, volume);
        }
        Vec3 centre{}, before{};
        const auto parts = solid.vertex_volumes();
        for (std::size_t v = 0; v < parts.size(); ++v) centre += parts[v] * rest_of(solid)[v];
        const CutSolid whole(bear);
        const auto whole_parts = whole.vertex_volumes();
        for (std::size_t v = 0; v < whole_parts.size(); ++v) before += whole_parts[v] * bear.positions()[v];
        EXPECT_LT(norm(centre - before), 1e-12 * volume);
        for (const double s : solid.shares()) worst = std::min(worst, s);
    }
    EXPECT_GT(worst, 1e-7);
}

// What a body keeps through a cut: each new vertex says which old one it was a part of.
TEST(CutSolid, DoublesKnowWhatTheyWere) {
    for (const double direction : {1.0, -1.0}) {
        CutSolid solid(tet_box({1, 0.5, 0.5}, {4, 2, 2}).value());
        const std::size_t vertices = solid.vertices(), cells = solid.cells().size();
        const CutOutcome outcome = cut(solid, plane({0.1, 0, 0}, {direction, 0.3, 0}));
        ASSERT_EQ(outcome.vertex_parents.size(), solid.vertices());
        ASSERT_EQ(outcome.cell_parents.size(), solid.cells().size());
        for (std::size_t v = 0; v < solid.vertices(); ++v)
            EXPECT_EQ(solid.origin(v), v < vertices ? v : outcome.vertex_parents[v]);
        for (std::size_t c = cells; c < solid.cells().size(); ++c)
            EXPECT_EQ(solid.cells()[c].tet, outcome.cell_parents[c]);
        const auto real = solid.real_vertices();
        for (std::size_t v = 0; v < vertices; ++v) EXPECT_EQ(real[v], 1);  // old names stay with the material
        EXPECT_EQ(std::count(real.begin(), real.end(), 0), static_cast<long>(solid.vertices() - vertices));
    }
}

TEST(CutSolid, StateComesBackBitForBit) {
    CutSolid solid(tet_box({1, 0.5, 0.5}, {4, 2, 2}).value());
    CutStroke stroke;
    solid.cut({{{0.3, 0.05, -1}, {0.3, 0.05, 1}}, {0, 1, 0}}, rest_of(solid), stroke);
    StateWriter writer;
    solid.visit_state(writer);
    const auto bytes = writer.take();
    CutSolid other(tet_box({1, 0.5, 0.5}, {4, 2, 2}).value());
    StateReader reader(bytes);
    other.visit_state(reader);
    EXPECT_TRUE(reader.finish().ok());
    EXPECT_TRUE(other.sound());
    EXPECT_EQ(other.vertices(), solid.vertices());
    EXPECT_EQ(surface_of(other).positions().size(), surface_of(solid).positions().size());
    CutSolid wrong(tet_box({1, 0.5, 0.5}, {2, 2, 2}).value());
    StateReader again(bytes);
    wrong.visit_state(again);
    EXPECT_FALSE(wrong.sound());
}

}  // namespace
}  // namespace plush
