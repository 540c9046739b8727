#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/mesh/test_shapes.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/mass.hpp"
#include "support/errors.hpp"

namespace plush {
namespace {

using test::cube;
using test::Parts;
using test::says;
using test::sphere;
using test::tetrahedron;

const MeshReport::Problem* find(const MeshReport& report, const std::string& text) {
    for (const auto& p : report.problems)
        if (says(p.what, text)) return &p;
    return nullptr;
}

void expect_clean(const MeshReport& r) {
    EXPECT_TRUE(r.usable());
    EXPECT_TRUE(r.closed && r.oriented && r.outward);
    EXPECT_TRUE(r.problems.empty()) << r.problems.front().what;
}

TEST(Check, GoodShapesAreCleanAndMeasuredExactly) {
    const MeshReport t = check(tetrahedron().mesh());
    expect_clean(t);
    EXPECT_EQ(t.vertices, 4);
    EXPECT_EQ(t.triangles, 4);
    EXPECT_EQ(t.components, 1);
    EXPECT_EQ(t.genus, 0);
    EXPECT_NEAR(t.volume, 1.0 / 6, 1e-16);
    EXPECT_NEAR(t.area, 1.5 + std::sqrt(0.75), 1e-15);
    EXPECT_EQ(t.bounds.high, (Vec3{1, 1, 1}));

    const MeshReport c = check(test::subdivided(test::subdivided(cube())).moved({1000, -200, 30}).mesh());
    expect_clean(c);
    EXPECT_NEAR(c.volume, 1, 1e-13);  // measured: 0
    EXPECT_NEAR(c.area, 6, 1e-12);    // measured: 0

    const MeshReport ring = check(test::ring(12).mesh());
    expect_clean(ring);
    EXPECT_EQ(ring.genus, 1);
}

TEST(Check, AnEmptyMeshIsNotUsable) {
    const MeshReport r = check(Mesh());
    EXPECT_FALSE(r.usable());
    EXPECT_FALSE(r.closed);
    EXPECT_NE(find(r, "no triangles"), nullptr);
    EXPECT_FALSE(check(Mesh({{1, 2, 3}}, {})).usable());
}

TEST(Check, AMissingTriangleIsABoundaryWithAPlaceAndACure) {
    Parts p = cube();
    p.triangles.pop_back();  // {0, 7, 3}
    const MeshReport r = check(p.mesh());
    EXPECT_FALSE(r.usable());
    EXPECT_FALSE(r.closed);
    EXPECT_EQ(r.boundary_edges, 3);
    const auto* problem = find(r, "not closed");
    ASSERT_NE(problem, nullptr);
    EXPECT_TRUE(problem->fatal);
    EXPECT_EQ(problem->where, "edge 0-3 (first of 3)");
    EXPECT_EQ(problem->cure, "plush mesh repair FILE -o OUT fills 1 hole");
    EXPECT_EQ(r.genus, -1);
}

TEST(Check, AFlippedTriangleIsMisoriented) {
    Parts p = cube();
    p.flip(5);
    const MeshReport r = check(p.mesh());
    EXPECT_EQ(r.misoriented_edges, 3);
    EXPECT_FALSE(r.oriented);
    EXPECT_FALSE(r.usable());
    EXPECT_TRUE(r.closed);
}

TEST(Check, AMeshTurnedInsideOutIsFatal) {
    Parts p = sphere(1);
    p.flip_all();
    const MeshReport r = check(p.mesh());
    EXPECT_TRUE(r.closed && r.oriented);
    EXPECT_FALSE(r.outward);
    EXPECT_LT(r.volume, 0);
    EXPECT_FALSE(r.usable());
    EXPECT_NE(find(r, "inside out"), nullptr);
    // Two triangles back to back: closed, oriented, and nothing inside.
    const MeshReport nothing = check(Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {0, 2, 1}}));
    EXPECT_FALSE(nothing.usable());
    EXPECT_NE(find(nothing, "encloses nothing"), nullptr);
}

TEST(Check, BranchingEdgesAndPinchedVerticesAreCounted) {
    Parts fins = cube();  // two more triangles on the edge 0-1
    fins.positions.push_back({0.5, -1, -1});
    fins.triangles.push_back({0, 1, 8});
    fins.triangles.push_back({1, 0, 8});
    const MeshReport f = check(fins.mesh());
    EXPECT_EQ(f.nonmanifold_edges, 1);
    EXPECT_EQ(f.nonmanifold_vertices, 2);
    EXPECT_EQ(f.duplicate_triangles, 1);
    EXPECT_FALSE(f.usable());

    Parts pinched = tetrahedron();  // two tetrahedra that share vertex 0
    for (const auto& [a, b, c] : tetrahedron().triangles) {
        const auto other = [](int v) { return v == 0 ? 0 : v + 3; };
        pinched.triangles.push_back({other(a), other(c), other(b)});
    }
    pinched.positions.insert(pinched.positions.end(), {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}});
    const MeshReport p = check(pinched.mesh());
    EXPECT_EQ(p.nonmanifold_vertices, 1);
    EXPECT_EQ(p.nonmanifold_edges, 0);
    EXPECT_EQ(p.components, 2);
    EXPECT_EQ(p.self_intersections, 0);
    EXPECT_EQ(p.genus, 0);
    EXPECT_TRUE(p.usable()) << "a pinch is a warning";
    EXPECT_NE(find(p, "pinched"), nullptr);
}

TEST(Check, PartsThatTouchAlongCopiesOfAnEdgeBranch) {
    Parts p = cube();
    p.add(cube().moved({1, 1, 0}));  // the edge x = y = 1 is common, its vertices are not
    const MeshReport r = check(p.mesh());
    EXPECT_EQ(r.boundary_edges, 0);
    EXPECT_EQ(r.nonmanifold_edges, 1);
    EXPECT_EQ(r.coincident_vertices, 2);
    EXPECT_EQ(r.self_intersections, 0);
    EXPECT_TRUE(r.closed);
    EXPECT_TRUE(r.usable());
    EXPECT_NE(find(r, "parts touch along 1 edge"), nullptr);
    // A repair would leave it as it is, and so it is not named.
    ASSERT_NE(find(r, "position of another"), nullptr);
    EXPECT_EQ(find(r, "position of another")->cure, "none is needed: the surface is whole there");
}

TEST(Check, AHoleNamesTheRepairThatFillsIt) {
    const auto cure_of_rim = [](int n) {
        Parts cone;
        for (int i = 0; i < n; ++i)
            cone.positions.push_back(
                {std::cos(2 * i * std::numbers::pi / n), 0, std::sin(2 * i * std::numbers::pi / n)});
        cone.positions.push_back({0, -1, 0});
        for (int i = 0; i < n; ++i) cone.triangles.push_back({i, (i + 1) % n, n});
        const MeshReport r = check(cone.mesh());
        const auto* problem = find(r, "not closed");
        return problem ? problem->cure : "";
    };
    EXPECT_EQ(cure_of_rim(64), "plush mesh repair FILE -o OUT fills 1 hole");
    EXPECT_EQ(cure_of_rim(100),
              "plush mesh repair FILE -o OUT --largest-hole 100 fills 1 hole, the largest of 100 edges");
    EXPECT_EQ(
        cure_of_rim(600),
        "plush mesh repair FILE -o OUT --largest-hole 500 fills what it can of 1 hole, the largest of 600 "
        "edges; larger ones are for a modelling program");
}

TEST(Check, DegenerateDuplicateAndUnusedThingsAreWarnings) {
    Parts p = cube();
    p.positions.push_back({5, 5, 5});    // unused
    p.triangles.push_back({3, 3, 7});    // a repeated vertex: bounds nothing
    p.positions.push_back({0.5, 0, 0});  // on the edge 0-1
    p.triangles[0] = {0, 2, 9};          // 0-2-1 becomes two,
    p.triangles.push_back({9, 2, 1});    //
    p.triangles.push_back({0, 9, 1});    // and a cap without area closes the gap
    const MeshReport r = check(p.mesh());
    EXPECT_TRUE(r.closed);
    EXPECT_TRUE(r.usable());
    EXPECT_EQ(r.degenerate_triangles, 2);
    EXPECT_EQ(r.unused_vertices, 1);
    EXPECT_EQ(r.self_intersections, 2);  // across the cap: 0-2-9 and 9-2-1 lie against the edge 0-1 of 0-1-5
    EXPECT_EQ(find(r, "no area")->where, "triangle 12 (first of 2)");
    EXPECT_EQ(find(r, "in no triangle")->where, "vertex 8");
}

TEST(Check, SelfIntersectionsAreCountedOncePerPairAndOnlyWarn) {
    Parts p = tetrahedron();
    // A needle through the slanted face and the face z = 0, and nothing else.
    p.add({{{0.2, 0.2, -1}, {0.21, 0.2, -1}, {0.2, 0.21, -1}, {0.2, 0.2, 2}},
           {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}});
    const MeshReport r = check(p.mesh());
    EXPECT_EQ(r.self_intersections, 6);  // three sides of the needle, two faces
    EXPECT_TRUE(r.usable());
    ASSERT_NE(find(r, "cuts itself"), nullptr);
    EXPECT_EQ(find(r, "cuts itself")->where, "triangles 0 and 5 (first of 6)");
}

TEST(Check, CavitiesAreWellWhenTheyFaceInwardAndWarnedOfWhenNot) {
    Parts hollow = cube(), inner = cube().moved({0.25, 0.25, 0.25}, 0.5);
    Parts wrong = hollow;
    wrong.add(inner);
    inner.flip_all();
    hollow.add(inner);
    const MeshReport good = check(hollow.mesh());
    expect_clean(good);
    EXPECT_EQ(good.components, 2);
    EXPECT_NEAR(good.volume, 1 - 0.125, 1e-15);
    const MeshReport bad = check(wrong.mesh());
    EXPECT_TRUE(bad.usable());
    ASSERT_NE(find(bad, "inside out"), nullptr);
    EXPECT_EQ(find(bad, "inside out")->where, "triangle 12");
}

TEST(Check, AStackOfEqualTrianglesNeitherHangsNorOverflows) {
    Parts p{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {}};
    for (int i = 0; i < 5000; ++i) p.triangles.push_back({0, 1, 2});  // 12.5 million pairs
    const MeshReport r = check(p.mesh());
    EXPECT_EQ(r.duplicate_triangles, 4999);
    EXPECT_EQ(r.self_intersections, 16 * 15 / 2);  // of sixteen of them: the others are the same
}

TEST(Check, SizeDoesNotMatterToTheVerdict) {
    for (const double scale : {1e-100, 1e-30, 1e30, 1e90}) {
        Parts p = sphere(2).moved({}, scale);
        const MeshReport r = check(p.mesh());
        EXPECT_EQ(r.self_intersections, 0) << scale;
        EXPECT_EQ(r.degenerate_triangles, 0) << scale;
        EXPECT_TRUE(r.usable()) << scale;
    }
}

struct Known {
    const char* file;
    int triangles, genus;
    double volume;  // by CGAL's Polygon_mesh_processing, six digits
};

TEST(Check, TheClosedRealMeshesAreClean) {
    PLUSH_NEED_MESHES();
    // CGAL's self_intersections finds none in any of them.
    for (const Known& known : {Known{"armadillo.obj", 86482, 0, 0.0686187},
                               {"bunny.off", 6966, 0, 0.000753934},
                               {"spot.obj", 5856, 0, 0.718259},
                               {"cheburashka.off", 13334, 0, 0.0543816},
                               {"elephant.obj", 12064, 0, 193902},
                               {"3holes.off", 7200, 3, 0.0994653},
                               {"octopus-low.mesh", 898, 0, 0.00913555},
                               {"hand.mesh", 9556, 0, 0.160466}}) {
        SCOPED_TRACE(known.file);
        const MeshReport r = check(Mesh::load(test::meshes() / known.file));
        expect_clean(r);
        EXPECT_EQ(r.triangles, known.triangles);
        EXPECT_EQ(r.genus, known.genus);
        EXPECT_NEAR(r.volume, known.volume, 1e-5 * known.volume);
    }
}

TEST(Check, TheBadRealMeshesAreRefusedWithTheirNumbers) {
    PLUSH_NEED_MESHES();
    const MeshReport bunny = check(Mesh::load(test::meshes() / "bad/stanford-bunny-with-holes.obj"));
    EXPECT_FALSE(bunny.usable());
    EXPECT_EQ(bunny.boundary_edges, 223);
    EXPECT_EQ(bunny.unused_vertices, 1113);
    EXPECT_EQ(bunny.nonmanifold_edges, 0);
    EXPECT_EQ(bunny.self_intersections, 0);

    // Vertices 620 and 2761 of the cow are at one position. CGAL finds 118 intersecting pairs when they are
    // two vertices, as the file has them, and 83 when they are one, as they are here.
    const MeshReport cow = check(Mesh::load(test::meshes() / "bad/cow-nonmanifold-edge.off"));
    EXPECT_TRUE(cow.usable()) << "the two vertices are apart in the file";
    EXPECT_TRUE(cow.closed);
    EXPECT_EQ(cow.boundary_edges, 0);
    EXPECT_EQ(cow.nonmanifold_edges, 1);
    EXPECT_EQ(cow.coincident_vertices, 1);
    EXPECT_EQ(cow.self_intersections, 83);

    const MeshReport suzanne = check(Mesh::load(test::meshes() / "bad/suzanne-open-nonmanifold.obj"));
    EXPECT_FALSE(suzanne.usable());
    EXPECT_EQ(suzanne.boundary_edges, 42);
    EXPECT_EQ(suzanne.nonmanifold_edges, 1);
    EXPECT_EQ(suzanne.duplicate_triangles, 1);
    EXPECT_EQ(suzanne.self_intersections, 91);  // CGAL: the same (147 with copies of positions apart)
}

}  // namespace
}  // namespace plush
