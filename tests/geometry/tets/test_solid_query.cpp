#include <gtest/gtest.h>

#include "geometry/mesh/test_shapes.hpp"
#include "geometry/tets/solid_query.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/sdf.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

SolidQuery query(const test::Parts& parts) {
    return SolidQuery(parts.positions, parts.triangles);
}

// Rays from a grid that holds the cube's corners, edges and diagonals: every degenerate case there is.
TEST(SolidQuery, CountsDegenerateRaysOnce) {
    const SolidQuery cube = query(test::cube());
    for (int i = -2; i <= 6; ++i)
        for (int j = -2; j <= 6; ++j)
            for (int k = -2; k <= 6; ++k) {
                const Vec3 p{0.25 * i, 0.25 * j, 0.25 * k};
                const double margin = std::min({p.x, p.y, p.z, 1 - p.x, 1 - p.y, 1 - p.z});
                if (margin == 0) continue;
                EXPECT_EQ(cube.winding(p), margin > 0 ? 1 : 0) << p.x << ' ' << p.y << ' ' << p.z;
            }
}

TEST(SolidQuery, CavitiesAreOutsideAndOverlapsCountTwice) {
    test::Parts parts = test::sphere(2);
    test::Parts cavity = test::sphere(2).moved({}, 0.5);
    cavity.flip_all();
    parts.add(cavity);
    parts.add(test::sphere(2).moved({1.2, 0, 0}));
    const SolidQuery solid = query(parts);
    EXPECT_EQ(solid.winding({0, 0, 0}), 0);
    EXPECT_EQ(solid.winding({-0.7, 0, 0}), 1);
    EXPECT_EQ(solid.winding({0.7, 0.01, 0.01}), 2);
    EXPECT_EQ(solid.winding({1.2, 0, 0}), 1);
    EXPECT_EQ(solid.winding({1.2, 1.2, 0}), 0);
    EXPECT_NEAR(solid.signed_distance({0, 0, 0}), 0.2, 1e-12);  // to the third
    EXPECT_LT(solid.signed_distance({-0.75, 0, 0}), -0.2);
}

TEST(SolidQuery, AgreesWithPseudonormals) {
    const Mesh mesh = generate({.shape = "octopus"}).value();
    const SolidQuery solid({mesh.positions().begin(), mesh.positions().end()},
                           {mesh.triangles().begin(), mesh.triangles().end()});
    const Sdf exact = sdf::exact(mesh);
    Random random(3);
    int inside = 0;
    for (int i = 0; i < 3000; ++i) {
        const Box3 box = mesh.bounds();
        Vec3 p;
        for (std::size_t k = 0; k < 3; ++k) p[k] = random.uniform(box.low[k], box.high[k]);
        const double d = exact->value(p);
        if (std::abs(d) < 1e-12) continue;
        ASSERT_NEAR(solid.signed_distance(p), d, 1e-14);
        inside += d < 0;
    }
    EXPECT_GT(inside, 300);
}

// A tet of the size of the triangles against a dense sampling of them.
TEST(SolidQuery, TetsMeetTheTrianglesThatPassThroughThem) {
    const test::Parts parts = test::sphere(1);
    const SolidQuery solid = query(parts);
    std::vector<int> all;
    for (int t = 0; t < parts.size(); ++t) all.push_back(t);
    Random random(5);
    const auto barycentric_inside = [](const std::array<Vec3, 4>& tet, const Vec3& p) {
        const Mat3 m = Mat3::columns(tet[1] - tet[0], tet[2] - tet[0], tet[3] - tet[0]);
        const Vec3 w = inverse(m) * (p - tet[0]);
        return std::min({w.x, w.y, w.z, 1 - w.x - w.y - w.z}) > 1e-9;
    };
    int met = 0, apart = 0;
    for (int i = 0; i < 400; ++i) {
        std::array<Vec3, 4> tet;
        const Vec3 centre = random_vector(random);
        for (Vec3& p : tet) p = centre + random_vector(random, 0.5);
        if (dot(cross(tet[1] - tet[0], tet[2] - tet[0]), tet[3] - tet[0]) < 0) std::swap(tet[2], tet[3]);
        bool sampled = false;
        for (int t = 0; t < parts.size() && !sampled; ++t)
            for (int u = 0; u <= 20 && !sampled; ++u)
                for (int v = 0; u + v <= 20 && !sampled; ++v)
                    sampled = barycentric_inside(tet, parts.corner(t, 0) * (u / 20.0) +
                                                          parts.corner(t, 1) * (v / 20.0) +
                                                          parts.corner(t, 2) * ((20 - u - v) / 20.0));
        const bool meets = solid.any_meets_tet(all, tet);
        EXPECT_TRUE(meets || !sampled) << i;
        // Where they do not meet, all corners are on one side of the surface.
        for (const Vec3& p : tet) EXPECT_TRUE(meets || solid.inside(p) == solid.inside(tet[0])) << i;
        ++(meets ? met : apart);
    }
    EXPECT_GT(met, 100);
    EXPECT_GT(apart, 20);
}

}  // namespace
}  // namespace plush
