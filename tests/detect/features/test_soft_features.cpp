#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "detect/features/closest_features.hpp"
#include "detect/features/soft_features.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"

// Proximity of surfaces that deform, against tables and against all triangles.

namespace plush {
namespace {

/// Bent and swollen, so that it is not what its tree and its fans were made of.
std::vector<Vec3> bent(std::span<const Vec3> points, double by) {
    std::vector<Vec3> out;
    for (const Vec3& p : points)
        out.push_back({p.x * (1 + by) + by * p.y * p.y, p.y - by * p.x * p.z, p.z + 0.5 * by * p.x});
    return out;
}

TEST(SoftFeatures, NormalsOfABentSurfaceAreThoseOfItsMesh) {
    const Mesh mesh = generate({.shape = "bear", .triangles = 800, .size = 0.3}).value();
    SoftFeatures soft(mesh.positions(), mesh.triangles(), {});
    const std::vector<Vec3> now = bent(mesh.positions(), 0.4);
    soft.put(now);
    const Pseudonormals known(Mesh(now, {mesh.triangles().begin(), mesh.triangles().end()}));
    const FeatureView view = soft.view();
    for (int t = 0; t < static_cast<int>(mesh.triangles().size()); ++t)
        for (const Vec3& w : {Vec3{0.2, 0.3, 0.5}, Vec3{0, 0.4, 0.6}, Vec3{0.4, 0, 0.6}, Vec3{0.4, 0.6, 0},
                              Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
            EXPECT_EQ(view.normal(t, w), known.at(t, w)) << t;
}

double distance_to_all(const FeatureView& view, const Vec3& p) {
    double least = HUGE_VAL;
    for (int t = 0; t < static_cast<int>(view.triangles.size()); ++t) {
        const Vec3 a = view.corner(t, 0), b = view.corner(t, 1), c = view.corner(t, 2);
        const Vec3 w = closest_weights(p, a, b, c);
        least = std::min(least, norm(p - (w.x * a + w.y * b + w.z * c)));
    }
    return least;
}

TEST(SoftFeatures, EveryVertexNearIsFoundWithItsDistance) {
    const Mesh mesh = generate({.shape = "pebble", .triangles = 300, .size = 0.2}).value();
    int inside = 0, outside = 0;
    for (const double shift : {0.17, 0.21, 0.23}) {
        SoftFeatures a(mesh.positions(), mesh.triangles(), {}), b(mesh.positions(), mesh.triangles(), {});
        std::vector<Vec3> there = bent(mesh.positions(), 0.2);
        for (Vec3& p : there) p += Vec3{shift, 0.02, 0.01};
        a.put(bent(mesh.positions(), 0.3)), b.put(there);
        const double alarm = 0.01, deepest = 0.05;
        const auto near =
            find_near_vertices({a.view(), {}, deepest}, {b.view(), {}, deepest}, alarm, nullptr);
        for (const NearVertex& n : near) {
            const FeatureView mine = n.of_b ? b.view() : a.view(), its = n.of_b ? a.view() : b.view();
            EXPECT_EQ(n.position, mine.positions[n.vertex]);
            const auto nearest = nearest_feature(its, n.position, deepest);
            ASSERT_TRUE(nearest);
            if (dot(nearest->normal, mine.vertex_normal(n.vertex)) > -0.1) continue;  // it got a second query
            EXPECT_NEAR(std::abs(n.near.gap), distance_to_all(its, n.position), 1e-12);
            EXPECT_LT(norm(n.position - n.near.point - n.near.gap * n.near.normal), 1e-12);
            (n.near.gap < 0 ? inside : outside)++;
        }
        // And none was missed of those that face the other.
        const auto is_found = [&](std::size_t v) {
            return std::any_of(near.begin(), near.end(),
                               [&](const NearVertex& n) { return !n.of_b && n.vertex == v; });
        };
        for (std::size_t v = 0; v < a.view().positions.size(); ++v) {
            const auto known = nearest_feature(b.view(), a.view().positions[v], deepest);
            if (!known || dot(known->normal, a.view().vertex_normal(v)) > -0.1) continue;
            EXPECT_EQ(is_found(v), known->gap <= alarm) << v;
        }
    }
    EXPECT_GT(inside, 5);
    EXPECT_GE(outside, 5);
}

// Equal boxes, vertex on vertex: one contact for two vertices.
TEST(SoftFeatures, TwoVerticesThatMeetAreOneContact) {
    const Mesh box = shapes::box({0.1, 0.1, 0.1}, 192);
    const FeatureSurface lower(box);
    SoftFeatures upper(box.positions(), box.triangles(), {});
    std::vector<Vec3> above(box.positions().begin(), box.positions().end());
    for (Vec3& p : above) p.y += 0.2005;
    upper.put(above);
    const auto near = find_near_vertices({upper.view(), {}, 0.01}, {lower.view(), {}, 0.01}, 1e-3, nullptr);
    EXPECT_EQ(near.size(), 25u);  // 5 x 5, and not twice as many
    for (const NearVertex& n : near) {
        EXPECT_NEAR(n.near.gap, 5e-4, 1e-12);
        EXPECT_FALSE(n.of_b);
    }
}

// A point of a triangle moves with the vertices of the body as its weights say.
TEST(SoftFeatures, SkinsPassThingsOnToWhatCarriesThem) {
    const std::vector<Vec3> cage{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::vector<Vec3> points{{0.1, 0.1, 0.1}, {0.5, 0.1, 0.1}, {0.1, 0.5, 0.1}, {0.1, 0.1, 0.5}};
    const std::vector<Triangle> triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    std::vector<std::array<Embedding::Entry, 4>> shares;  // barycentric
    for (const Vec3& p : points) shares.push_back({{{0, 1 - p.x - p.y - p.z}, {1, p.x}, {2, p.y}, {3, p.z}}});
    const auto skin = std::make_shared<const Embedding>(Embedding::of_rows(shares));
    SoftFeatures soft(cage, triangles, skin);
    std::vector<VertexGradient> rows;
    const Vec3 weights{0.2, 0.3, 0.5}, g{1, 2, 3};
    soft.add_point(3, weights, g, rows);
    SoftFeatures::finish(rows);
    // Σ w_k g·Δx_k is the work of g on the point, whatever the vertices do.
    Random random(5);
    std::vector<Vec3> moved = cage;
    for (Vec3& x : moved)
        for (std::size_t d = 0; d < 3; ++d) x[d] += random.uniform(-0.1, 0.1);
    double work = 0;
    for (const VertexGradient& r : rows) work += dot(r.gradient, moved[r.vertex] - cage[r.vertex]);
    const auto at = [&] {
        const FeatureView v = soft.view();
        return weights.x * v.corner(3, 0) + weights.y * v.corner(3, 1) + weights.z * v.corner(3, 2);
    };
    const Vec3 before = at();
    soft.put(moved);
    EXPECT_NEAR(work, dot(g, at() - before), 1e-14);
    EXPECT_EQ(rows.size(), 4u);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                               [](const auto& x, const auto& y) { return x.vertex < y.vertex; }));
}

}  // namespace
}  // namespace plush
