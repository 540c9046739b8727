#include <gtest/gtest.h>

#include "geometry/cutting/cut_checks.hpp"
#include "geometry/cutting/plane_triangles.hpp"
#include "plush/core/random.hpp"

// A detailed surface that is cut with the tets that it is embedded in, and the triangles that close the cut.

namespace plush {
namespace {

using namespace test;

double area_of(std::span<const Vec3> x, std::span<const Triangle> triangles) {
    double sum = 0;
    for (const Triangle& t : triangles) {
        const auto p = [&](std::size_t i) { return x[static_cast<std::size_t>(t[i])]; };
        sum += cross(p(1) - p(0), p(2) - p(0)).z / 2;
    }
    return sum;
}

TEST(PlaneTriangles, FillASquareWithAHole) {
    std::vector<Vec3> points;
    std::vector<std::array<int, 2>> edges;
    const auto ring = [&](double half, int each) {
        const int first = static_cast<int>(points.size()), n = 4 * each;
        for (int k = 0; k < n; ++k) {
            const double t = half * (2.0 * (k % each) / each - 1);
            const Vec3 sides[] = {{t, -half, 0}, {half, t, 0}, {-t, half, 0}, {-half, -t, 0}};
            points.push_back(sides[k / each]);
            edges.push_back({first + k, first + (k + 1) % n});
        }
    };
    ring(1, 10);
    ring(0.3, 4);
    const auto made = plane_triangles(points, edges, 0.2);
    ASSERT_TRUE(made.has_value());
    std::vector<Vec3> all = points;
    all.insert(all.end(), made->inner.begin(), made->inner.end());
    EXPECT_GT(made->inner.size(), 20u);
    EXPECT_NEAR(area_of(all, made->triangles), 4 - 0.36, 1e-12);
    for (const Triangle& t : made->triangles) EXPECT_GT(area_of(all, std::span(&t, 1)), 0);
    // Lines that cross enclose nothing.
    EXPECT_FALSE(plane_triangles(std::vector<Vec3>{{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}},
                                 std::vector<std::array<int, 2>>{{0, 1}, {1, 2}, {2, 3}, {3, 0}}, 10)
                     .has_value());
}

TEST(CutSkin, ABallBecomesTwoHalves) {
    Skinned ball("icosphere");
    const double volume = volume_of(ball.skin.positions(), ball.skin.triangles());
    EXPECT_GT(ball.through(plane({0, 0.01, 0}, {0, 1, 0})), 0u);
    EXPECT_EQ(ball.cut.pieces(ball.solid), 2u);
    ball.expect_sound(volume);
}

// Toys with arms and legs, cut three times in any direction.
TEST(CutSkin, RandomPlanesLeaveTheWholeBehind) {
    Random random(5);
    const auto number = [&] { return 2 * random.uniform() - 1; };
    int cuts = 0, tries = 0;
    for (const char* shape : {"bear", "bunny", "torus"}) {
        Skinned toy(shape);
        const double volume = volume_of(toy.skin.positions(), toy.skin.triangles());
        const Box3 box = toy.skin.bounds();
        for (int k = 0; k < 4; ++k) {
            const std::size_t before = toy.cut.pieces(toy.solid);
            const Vec3 middle =
                0.5 * (box.low + box.high) + 0.15 * times(box.size(), Vec3{number(), number(), number()});
            ++tries;
            cuts += toy.through(plane(middle, {number(), number(), number()})) > 0;
            EXPECT_GE(toy.cut.pieces(toy.solid), before);
            toy.expect_sound(volume);
        }
        EXPECT_GE(toy.cut.pieces(toy.solid), 3u) << shape;
    }
    EXPECT_EQ(cuts, tries);
}

// A blade that does not cover the body leaves it one piece, and one that stays in the cut does not cut again.
TEST(CutSkin, IsPartedOnceAndOnlyRightThrough) {
    Skinned ball("icosphere");
    const Box3 box = ball.skin.bounds();
    BladeSheet blade{{{0.01, 0, -5}, {0.01, 0, 5}}, {0, 5, 0}};
    CutStroke stroke;
    EXPECT_GT(ball.through(blade, stroke), 0u);
    EXPECT_EQ(ball.cut.pieces(ball.solid), 1u);
    blade.edge[0].y = blade.edge[1].y = box.low.y - 1, blade.back.y = 10;
    EXPECT_GT(ball.through(blade, stroke), 0u);
    for (Vec3& p : ball.x) p.x += 0.03 * norm(box.size());
    EXPECT_EQ(ball.through(blade, stroke), 0u);
    EXPECT_EQ(ball.cut.pieces(ball.solid), 2u);
    EXPECT_GT(ball.through(blade), 0u);  // another stroke may
}

}  // namespace
}  // namespace plush
