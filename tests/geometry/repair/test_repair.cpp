#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/mesh/test_shapes.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/check.hpp"
#include "plush/geometry/mass.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::cube;
using test::Parts;
using test::random_vector;
using test::says;
using test::sphere;

bool did(const Repair& r, const std::string& text) {
    for (const std::string& action : r.actions)
        if (says(action, text)) return true;
    return false;
}

std::string all(const Repair& r) {
    std::string text;
    for (const std::string& action : r.actions) text += action + "; ";
    return text;
}

void expect_good(const Repair& r, double volume, double tolerance = 1e-12) {
    const MeshReport report = check(r.mesh);
    EXPECT_TRUE(report.usable()) << all(r) << report.problems.front().what;
    EXPECT_TRUE(report.problems.empty()) << all(r) << report.problems.front().what;
    EXPECT_NEAR(report.volume, volume, tolerance) << all(r);
}

TEST(Repair, LeavesAGoodMeshAlone) {
    const Parts p = sphere(2);
    const Repair r = repair(p.mesh());
    EXPECT_TRUE(r.actions.empty()) << all(r);
    EXPECT_TRUE(std::equal(p.positions.begin(), p.positions.end(), r.mesh.positions().begin()));
    EXPECT_TRUE(std::equal(p.triangles.begin(), p.triangles.end(), r.mesh.triangles().begin()));
    EXPECT_TRUE(repair(Mesh()).mesh.empty());
}

TEST(Repair, FlippedTrianglesAreFlippedBack) {
    Parts p = sphere(3);
    const double v = volume(p.mesh());
    Random random(1);
    int flipped = 0;
    for (std::size_t t = 0; t < p.triangles.size(); ++t)
        if (t == 0 || random.below(3) == 0) p.flip(t), ++flipped;  // the first too: the majority decides
    ASSERT_FALSE(check(p.mesh()).usable());
    const Repair r = repair(p.mesh());
    expect_good(r, v);
    EXPECT_TRUE(did(r, "flipped " + std::to_string(flipped) + " triangles to face as their neighbours do"))
        << all(r);
}

TEST(Repair, AMeshInsideOutIsTurned) {
    Parts p = sphere(2);
    const double v = volume(p.mesh());
    p.flip_all();
    const Repair r = repair(p.mesh());
    expect_good(r, v);
    EXPECT_TRUE(did(r, "turned 1 part outward")) << all(r);
}

TEST(Repair, HolesAreFilledUpToTheLimit) {
    Parts p = sphere(3);
    const double v = volume(p.mesh());
    p.triangles.erase(p.triangles.begin() + 300, p.triangles.begin() + 304);  // the four of one: 6 edges
    p.triangles.erase(p.triangles.begin() + 100);                             // 3 edges
    ASSERT_EQ(check(p.mesh()).boundary_edges, 9);
    const Repair r = repair(p.mesh());
    expect_good(r, v);  // the filling is what was taken away
    EXPECT_TRUE(did(r, "filled 2 holes with 5 triangles")) << all(r);

    const Repair small = repair(p.mesh(), {.largest_hole = 4});
    EXPECT_EQ(check(small.mesh).boundary_edges, 6);
    EXPECT_TRUE(did(small, "left 1 hole open, the largest of 6 edges (largest_hole is 4)")) << all(small);
    EXPECT_EQ(check(repair(p.mesh(), {.largest_hole = 0}).mesh).boundary_edges, 9);
    EXPECT_EQ(check(repair(p.mesh(), {.largest_hole = -5}).mesh).boundary_edges, 9);
}

TEST(Repair, AFlatHoleIsFilledFlatAndWithGoodAngles) {
    // The top of a cube cut into 4 × 4 × 2 triangles, all of them taken away: 16 edges, four of them
    // collinear on each side.
    Parts p = test::subdivided(test::subdivided(cube()));
    std::erase_if(p.triangles, [&](const Triangle& t) {
        return std::all_of(t.begin(), t.end(),
                           [&](int v) { return p.positions[static_cast<std::size_t>(v)].z == 1; });
    });
    ASSERT_EQ(check(p.mesh()).boundary_edges, 16);
    const Repair r = repair(p.mesh());
    expect_good(r, 1);
    EXPECT_TRUE(did(r, "filled 1 hole with 14 triangles")) << all(r);
    EXPECT_EQ(check(r.mesh).degenerate_triangles, 0);
    EXPECT_NEAR(area(r.mesh), 6, 1e-12);
}

TEST(Repair, HolesThatTouchInAVertexAreTwoHoles) {
    Parts p = sphere(2);
    // Two triangles at the pole that share only the pole: those of opposite sides.
    const Vec3 pole{0, 0, 1};
    std::vector<std::size_t> at_pole;
    for (std::size_t t = 0; t < p.triangles.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k)
            if (p.corner(static_cast<int>(t), k) == pole) at_pole.push_back(t);
    ASSERT_EQ(at_pole.size(), 4u);
    p.triangles.erase(p.triangles.begin() + static_cast<std::ptrdiff_t>(at_pole[2]));
    p.triangles.erase(p.triangles.begin() + static_cast<std::ptrdiff_t>(at_pole[0]));
    const Repair r = repair(p.mesh());
    expect_good(r, volume(sphere(2).mesh()));
    EXPECT_TRUE(did(r, "filled 2 holes with 2 triangles")) << all(r);
}

TEST(Repair, ALoneTriangleIsNotClosedByItsOwnBack) {
    Parts p = cube();
    p.add({{{3, 0, 0}, {4, 0, 0}, {3, 1, 0}}, {{0, 1, 2}}});
    const Repair r = repair(p.mesh());
    EXPECT_EQ(check(r.mesh).boundary_edges, 3);
    EXPECT_EQ(check(r.mesh).duplicate_triangles, 0);
    EXPECT_TRUE(did(r, "left 1 hole open")) << all(r);
}

TEST(Repair, SplitVerticesAreWelded) {
    const Parts whole = sphere(3);
    Parts soup;
    Random random(2);
    for (const Triangle& t : whole.triangles) {
        const int first = static_cast<int>(soup.positions.size());
        for (const int v : t) soup.positions.push_back(whole.positions[static_cast<std::size_t>(v)]);
        soup.triangles.push_back({first, first + 1, first + 2});
    }
    const Repair r = repair(soup.mesh());
    expect_good(r, volume(whole.mesh()));
    EXPECT_EQ(r.mesh.positions().size(), whole.positions.size());
    EXPECT_EQ(r.actions.front(), "welded 1278 vertices on open edges to another at the same position");

    // Shaken by a micrometre: equal positions are gone, the distance brings them together again.
    for (Vec3& p : soup.positions) p += random_vector(random, 1e-6);
    EXPECT_GT(check(repair(soup.mesh(), {.largest_hole = 0}).mesh).boundary_edges, 1000);
    const Repair shaken = repair(soup.mesh(), {.weld_distance = 1e-5});
    expect_good(shaken, volume(whole.mesh()), 1e-5);
    EXPECT_EQ(shaken.mesh.positions().size(), whole.positions.size());
    // Silly distances do no harm.
    for (const double d : {-1.0, 1e-300, 1e300, std::numeric_limits<double>::quiet_NaN()})
        static_cast<void>(check(repair(soup.mesh(), {.weld_distance = d}).mesh));
}

TEST(Repair, ClosedPartsThatTouchStayApart) {
    Parts p = cube();
    p.add(cube().moved({1, 1, 1}));  // a corner in common
    EXPECT_TRUE(repair(p.mesh()).actions.empty());
    EXPECT_EQ(repair(p.mesh()).mesh.positions().size(), 16u);
}

TEST(Repair, DuplicatesAndFlapsGo) {
    Parts p = cube();
    p.triangles.push_back(p.triangles[3]);
    p.triangles.push_back({p.triangles[7][2], p.triangles[7][1], p.triangles[7][0]});
    const Repair r = repair(p.mesh());
    expect_good(r, 1);
    EXPECT_EQ(r.mesh.triangles().size(), 12u);

    Parts flap = cube();  // a triangle and its back, on the edge 0-1
    flap.positions.push_back({0.5, -1, -1});
    flap.triangles.push_back({0, 1, 8});
    flap.triangles.push_back({1, 0, 8});
    const Repair cut = repair(flap.mesh());
    expect_good(cut, 1);
    EXPECT_EQ(cut.mesh.positions().size(), 8u);
}

TEST(Repair, TrianglesWithoutAreaGoWithoutAGap) {
    Parts p = cube();
    p.triangles.push_back({3, 3, 7});
    p.positions.push_back({0.5, 0, 0});
    p.triangles[0] = {0, 2, 8};
    p.triangles.push_back({8, 2, 1});
    p.triangles.push_back({0, 8, 1});  // a cap on the edge 0-1
    ASSERT_EQ(check(p.mesh()).degenerate_triangles, 2);
    const Repair r = repair(p.mesh());
    expect_good(r, 1);
    EXPECT_TRUE(did(r, "turned 1 edge")) << all(r);

    Parts needle = cube();  // vertex 6 doubled, with two triangles of zero width between the copies
    needle.positions.push_back(needle.positions[6]);
    for (const std::size_t t : {2u, 3u})
        for (int& v : needle.triangles[t])
            if (v == 6) v = 8;
    needle.triangles.push_back({8, 5, 6});
    needle.triangles.push_back({8, 6, 7});
    ASSERT_TRUE(check(needle.mesh()).boundary_edges == 0);
    const Repair thin = repair(needle.mesh());
    expect_good(thin, 1);
    EXPECT_EQ(thin.mesh.triangles().size(), 12u);
}

TEST(Repair, CavitiesFaceInwardWhateverTheFileSays) {
    Parts inner = sphere(2).moved({}, 0.5), core = sphere(1).moved({}, 0.2), outer = sphere(2);
    const double v = volume(outer.mesh()) - volume(inner.mesh()) + volume(core.mesh());
    Random random(3);
    for (int variant = 0; variant < 4; ++variant) {
        Parts p = outer, hole = inner;
        if (variant == 0) hole.flip_all();  // as it should be
        p.add(core), p.add(hole);
        if (variant == 2) p.flip_all();
        if (variant == 3)
            for (std::size_t t = 0; t < p.triangles.size(); ++t)
                if (random.below(4) == 0) p.flip(t);
        const Repair r = repair(p.mesh());
        SCOPED_TRACE(variant);
        expect_good(r, v);
        EXPECT_EQ(r.actions.empty(), variant == 0) << all(r);
    }
}

TEST(Repair, APartThatOnlySticksOutOfAnotherIsNoCavity) {
    Parts p = sphere(2), eye = sphere(1).moved({0.9, 0, 0}, 0.3);
    p.add(eye);
    EXPECT_TRUE(repair(p.mesh()).actions.empty());
    p.flip_all();
    EXPECT_TRUE(did(repair(p.mesh()), "turned 2 parts outward"));
}

TEST(Repair, SolidsThatShareAnEdgeAreParted) {
    Parts shared = cube();  // and another at the edge x = y = 1, with the same two vertices
    Parts other = cube().moved({1, 1, 0});
    std::vector<int> index;
    for (const Vec3& p : other.positions) {
        const auto known = std::find(shared.positions.begin(), shared.positions.end(), p);
        index.push_back(static_cast<int>(known - shared.positions.begin()));
        if (known == shared.positions.end()) shared.positions.push_back(p);
    }
    const auto at = [&](int v) { return index[static_cast<std::size_t>(v)]; };
    for (const auto& [a, b, c] : other.triangles) shared.triangles.push_back({at(a), at(b), at(c)});
    ASSERT_EQ(shared.positions.size(), 14u);
    ASSERT_FALSE(check(shared.mesh()).usable());
    const Repair parted = repair(shared.mesh());
    EXPECT_TRUE(did(parted, "parted the solids that share 1 edge, with copies of 2 vertices")) << all(parted);
    const MeshReport r = check(parted.mesh);
    EXPECT_TRUE(r.usable() && r.closed && r.outward);
    EXPECT_EQ(r.components, 2);
    EXPECT_EQ(r.volume, 2);
    // A wall inside a cube: three triangles at each of its edges belong together as nobody knows.
    Parts wall = cube();
    wall.triangles.push_back({wall.triangles[0][0], wall.triangles[0][1], wall.triangles[5][2]});
    EXPECT_FALSE(check(repair(wall.mesh()).mesh).usable());
}

TEST(Repair, AHoleThatIsTooLargeNamesTheOptionThatFillsIt) {
    Parts tube;  // 100 corners around, open at both ends
    for (int i = 0; i < 100; ++i)
        for (const double y : {0.0, 1.0})
            tube.positions.push_back(
                {std::cos(0.02 * std::numbers::pi * i), y, std::sin(0.02 * std::numbers::pi * i)});
    for (int i = 0; i < 100; ++i) {
        const int a = 2 * i, b = 2 * ((i + 1) % 100);
        tube.triangles.push_back({a, a + 1, b});
        tube.triangles.push_back({a + 1, b + 1, b});
    }
    EXPECT_TRUE(did(repair(tube.mesh()), "--largest-hole 100 fills it"));
    EXPECT_TRUE(check(repair(tube.mesh(), {.largest_hole = 100}).mesh).closed);
}

TEST(Repair, TheBadRealMeshes) {
    PLUSH_NEED_MESHES();
    const auto load = [](const char* file) { return Mesh::load(test::meshes() / file); };
    // Repaired, once the limit lets the largest of its five holes be filled.
    const Mesh open = load("bad/stanford-bunny-with-holes.obj");
    const Repair bunny = repair(open, {.largest_hole = 80});
    expect_good(bunny, 0.000754844, 1e-9);  // measured: 7.54844e-4; the closed bunny.off has 7.53934e-4
    EXPECT_TRUE(did(bunny, "filled 5 holes with 213 triangles")) << all(bunny);  // 223 edges less two a hole
    EXPECT_TRUE(did(bunny, "removed 1113 vertices that no triangle uses")) << all(bunny);
    EXPECT_EQ(check(bunny.mesh).self_intersections, 0)
        << "plain least area would cut the surface in 13 pairs";
    EXPECT_TRUE(
        did(repair(open),
            "left 1 hole open, the largest of 80 edges (largest_hole is 64): --largest-hole 80 fills it"));

    // Not repaired: which of the four triangles at the edge belong together is the author's to say.
    const Repair cow = repair(load("bad/cow-nonmanifold-edge.off"));
    EXPECT_TRUE(cow.actions.empty()) << all(cow);
    EXPECT_EQ(check(cow.mesh).nonmanifold_edges, 1);

    // Repaired but for the eyes, which are closed parts that cut the head: a warning.
    const Repair suzanne = repair(load("bad/suzanne-open-nonmanifold.obj"));
    const MeshReport s = check(suzanne.mesh);
    EXPECT_TRUE(s.usable()) << all(suzanne);
    EXPECT_TRUE(s.closed && s.outward);
    EXPECT_EQ(s.components, 3);
    EXPECT_TRUE(did(suzanne, "removed 2 triangles with the vertices of another")) << all(suzanne);
    EXPECT_TRUE(did(suzanne, "filled 4 holes with 34 triangles")) << all(suzanne);
    EXPECT_GT(s.self_intersections, 0);
}

}  // namespace
}  // namespace plush
