#include <gtest/gtest.h>

#include <algorithm>

#include "detect/features/closest_features.hpp"
#include "detect/features/rigid_bodies.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

// Contact points of closest features against their definition and against all pairs of features.

namespace plush {
namespace {

using test::random_vector;
using test::rigid;

Shape cube(double half) {
    return Shape::box({half, half, half});
}

std::vector<PointHit> hits_of(const RigidBody& a, const FeatureSurface& fa, const RigidBody& b,
                              const FeatureSurface& fb, const Reach& reach) {
    std::vector<PointHit> hits;
    find_feature_hits({a, fa}, {b, fb}, reach, hits);
    return hits;
}

TEST(ClosestFeatures, OfACubeTwelveEdgesAreConvex) {
    const FeatureSurface f(cube(0.1).drawn());
    EXPECT_EQ(f.edges.size(), 12u);  // its diagonals are flat
    for (const FeatureSurface::Edge& e : f.edges)
        for (const Vec3& in : e.in) EXPECT_NEAR(dot(in, e.normal), -std::sqrt(0.5), 1e-12);
}

TEST(ClosestFeatures, CornersAboveAFace) {
    const Shape shape = cube(0.1);
    const FeatureSurface f(shape.drawn());
    for (const double gap : {5e-4, -5e-4}) {
        const RigidBody lower = rigid(cube(0.1), {}),
                        upper = rigid(shape, {.position = {0.03, 0.2 + gap, 0.02}});
        const auto hits = hits_of(upper, f, lower, f, {1e-3, 0, 0});
        // One corner of each over the other's face, and no edge runs across another but these: of the rims
        // that cross, two pairs.
        int corners = 0, edges = 0;
        for (const PointHit& hit : hits) {
            EXPECT_NEAR(hit.depth, -gap, 1e-12);
            EXPECT_LT(norm(hit.normal - Vec3{0, 1, 0}), 1e-9);
            EXPECT_NEAR(hit.position.y, 0.1 + 0.5 * gap, 1e-12);
            (hit.point < 8 ? corners : edges)++;
        }
        EXPECT_EQ(corners, 2) << gap;
        EXPECT_EQ(edges, 2) << gap;
    }
}

// Equal cubes, one exactly on the other: the corners lie above corners, where the walls are as near.
TEST(ClosestFeatures, CornersOnCornersStandOnTheFace) {
    const Shape shape = cube(0.1);
    const FeatureSurface f(shape.drawn());
    for (const double gap : {0.0, 1e-5, -1e-5}) {
        const RigidBody lower = rigid(shape, {}), upper = rigid(shape, {.position = {0, 0.2 + gap, 0}});
        int pushing_up = 0;
        for (const PointHit& hit : hits_of(upper, f, lower, f, {1e-3, 0, 0}))
            if (hit.normal.y > 0.999) ++pushing_up;
        EXPECT_GE(pushing_up, 4) << gap;
    }
}

TEST(ClosestFeatures, TwoEdgesThatCross) {
    const Shape shape = cube(0.1);
    const FeatureSurface f(shape.drawn());
    const Quat on_edge = from_axis_angle({1, 0, 0}, 45);
    const double height = 0.1 * std::sqrt(2.0);
    for (const double gap : {5e-4, -5e-4}) {
        const RigidBody lower = rigid(shape, {.rotation = on_edge}),
                        upper = rigid(shape, {.position = {0.01, 2 * height + gap, 0.02},
                                              .rotation = from_axis_angle({0, 1, 0}, 70) * on_edge});
        const auto hits = hits_of(upper, f, lower, f, {1e-3, 0, 0});
        ASSERT_EQ(hits.size(), 1u) << gap;
        EXPECT_GE(hits[0].point, 8u);
        EXPECT_NEAR(hits[0].depth, -gap, 1e-12);
        EXPECT_LT(norm(hits[0].normal - Vec3{0, 1, 0}), 1e-12);
        // Above the lower ridge, below the upper one.
        EXPECT_NEAR(hits[0].position.y, height + 0.5 * gap, 1e-12);
        EXPECT_NEAR(hits[0].position.z, 0, 1e-12);
    }
}

/// Two bodies of a shape, turned at random, the second moved towards the first until they just touch, and on
/// by a little.
std::pair<RigidBody, RigidBody> touching(const Shape& shape, const FeatureSurface& f, Random& random,
                                         double on) {
    const RigidBody a = rigid(shape, {.rotation = exp_rotation(random_vector(random, 2))});
    const Quat turn = exp_rotation(random_vector(random, 2));
    const Vec3 from = normalised(random_vector(random, 1));
    for (double d = 0.4;; d -= 0.002) {
        const RigidBody b = rigid(shape, {.position = from * d, .rotation = turn});
        if (!hits_of(a, f, b, f, {0.002, 0, 0}).empty() || d < 0.05)
            return {a, rigid(shape, {.position = from * (d - on), .rotation = turn})};
    }
}

/// The distance of a vertex to all triangles of the other.
double distance_to(const Vec3& p, const Mesh& mesh) {
    double best = HUGE_VAL;
    for (const Triangle& t : mesh.triangles()) {
        const auto at = [&](std::size_t k) { return mesh.positions()[static_cast<std::size_t>(t[k])]; };
        const Vec3 w = closest_weights(p, at(0), at(1), at(2));
        best = std::min(best, norm(p - (w.x * at(0) + w.y * at(1) + w.z * at(2))));
    }
    return best;
}

// Two pebbles that nearly touch: every vertex that is within the margin and faces the other is there, with
// its distance; and the nearest of all points is as near as the surfaces are.
TEST(ClosestFeatures, OfPebblesTheNearestAreFound) {
    const Mesh mesh = generate({.shape = "pebble", .triangles = 500, .size = 0.3}).value();
    const Shape shape = Shape::mesh(mesh, 16);
    const FeatureSurface f(mesh);
    Random random(3);
    int vertices = 0, edges = 0;
    for (int i = 0; i < 40; ++i) {
        const auto [a, b] = touching(shape, f, random, i % 2 ? 0 : 0.004);
        const Reach reach{0.01, 0, 0};
        const auto hits = hits_of(a, f, b, f, reach);
        std::vector<char> seen(mesh.positions().size(), 0);
        for (const PointHit& hit : hits) {
            EXPECT_LE(std::abs(hit.depth), reach.margin);
            EXPECT_NEAR(norm(hit.normal), 1, 1e-12);
            EXPECT_GT(dot(hit.normal, a.pose().position - b.pose().position), 0);  // pushes a away from b
            if (hit.point >= mesh.positions().size()) {
                ++edges;
                continue;
            }
            ++vertices;
            const RigidBody &owner = hit.of_b ? b : a, &other = hit.of_b ? a : b;
            const Vec3 p = inverse(other.pose()) * (owner.pose() * mesh.positions()[hit.point]);
            EXPECT_NEAR(distance_to(p, mesh), std::abs(hit.depth), 1e-12);  // measured: rounding
            if (!hit.of_b) seen[hit.point] = 1;
        }
        const Transform to_b = inverse(b.pose()) * a.pose();
        for (std::size_t v = 0; v < mesh.positions().size(); ++v) {
            if (seen[v]) continue;
            const Vec3 p = to_b * mesh.positions()[v];
            const bool faces = dot(rotate(to_b.rotation, f.vertex_normals[v]), normalised(p)) < -0.5;
            EXPECT_FALSE(faces && distance_to(p, mesh) < 0.9 * reach.margin) << i << " vertex " << v;
        }
        std::vector<PointName> names;
        for (const PointHit& hit : hits) names.push_back({hit.point, hit.of_b});
        std::vector<PointHit> again;
        measure_features({a, f}, {b, f}, reach, names, again);
        ASSERT_EQ(again.size(), hits.size());
        for (std::size_t k = 0; k < hits.size(); ++k) EXPECT_EQ(again[k].depth, hits[k].depth);
    }
    EXPECT_GT(vertices, 300);  // measured: 503
    EXPECT_GT(edges, 10);      // measured: 23
}

// Every pair of edges that pass each other, with no tree and by another route: the shortest way between two
// segments is a local one where no step along either edge, nor from it into one of its faces, makes it
// shorter.
TEST(ClosestFeatures, EveryPassingEdgeIsFound) {
    const Mesh mesh = generate({.shape = "pebble", .triangles = 160, .size = 0.3}).value();
    const Shape shape = Shape::mesh(mesh, 16);
    const FeatureSurface f(mesh);
    Random random(5);
    std::size_t total = 0;
    for (int i = 0; i < 30; ++i) {
        const auto [a, b] = touching(shape, f, random, i % 2 ? 0 : 0.004);
        const Reach reach{0.01, 0, 0};
        std::vector<std::pair<std::uint32_t, double>> expected, found;
        const Transform to_b = inverse(b.pose()) * a.pose();
        for (std::uint32_t k = 0; k < f.edges.size(); ++k) {
            const auto at = [&](int v) { return mesh.positions()[static_cast<std::size_t>(v)]; };
            const Vec3 p0 = to_b * at(f.edges[k].a), u = to_b * at(f.edges[k].b) - p0;
            for (const FeatureSurface::Edge& e : f.edges) {
                const Vec3 q0 = at(e.a), v = at(e.b) - q0, n = cross(u, v);
                // p0 + s u − q0 − t v = r n: three equations, by Cramer's rule.
                const double det = norm2(n);
                if (det < 1e-8 * norm2(u) * norm2(v)) continue;
                const double s = dot(cross(q0 - p0, v), n) / det, t = dot(cross(q0 - p0, u), n) / det;
                if (s <= 0 || s >= 1 || t <= 0 || t >= 1) continue;
                const Vec3 way = p0 + s * u - q0 - t * v;  // from b to a
                const double outside = dot(way, e.normal) > 0 ? 1 : -1;
                const Vec3 d = normalised(way) * outside;
                bool local = true;
                for (const Vec3& in : e.in) local = local && dot(in, d) <= 0.02;
                for (const Vec3& in : f.edges[k].in)
                    local = local && dot(rotate(to_b.rotation, in), d) >= -0.02;
                if (local && norm(way) <= reach.margin) expected.emplace_back(k, outside * norm(way));
            }
        }
        for (const PointHit& hit : hits_of(a, f, b, f, reach))
            if (hit.point >= mesh.positions().size())
                found.emplace_back(hit.point - static_cast<std::uint32_t>(mesh.positions().size()),
                                   -hit.depth);
        ASSERT_EQ(found.size(), expected.size()) << i;
        for (std::size_t k = 0; k < found.size(); ++k) {
            EXPECT_EQ(found[k].first, expected[k].first);
            EXPECT_NEAR(found[k].second, expected[k].second, 1e-12);
        }
        total += found.size();
    }
    EXPECT_GT(total, 10u);  // measured: 19
}

}  // namespace
}  // namespace plush
