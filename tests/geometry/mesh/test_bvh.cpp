#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "geometry/mesh/bvh.hpp"
#include "geometry/mesh/test_shapes.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using Soup = test::Parts;
using test::random_vector;
using test::sphere;

Box3 box_of(const Soup& soup, int triangle) {
    Box3 b;
    for (std::size_t k = 0; k < 3; ++k) b.add(soup.corner(triangle, k));
    return b;
}

Soup random_soup(int count, double size, std::uint64_t seed) {
    Random random(seed);
    Soup soup;
    for (int t = 0; t < count; ++t) {
        const Vec3 centre = random_vector(random);
        for (int k = 0; k < 3; ++k) soup.positions.push_back(centre + random_vector(random, size));
        soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    }
    return soup;
}

// Möller & Trumbore 1997, on purpose another formula than the tree's. HUGE_VAL for a miss.
double ray_triangle(const Soup& s, int t, const Vec3& o, const Vec3& d) {
    const Vec3 e1 = s.corner(t, 1) - s.corner(t, 0), e2 = s.corner(t, 2) - s.corner(t, 0), q = cross(d, e2);
    const double det = dot(e1, q);
    if (det == 0) return HUGE_VAL;
    const Vec3 to = o - s.corner(t, 0), r = cross(to, e1);
    const double u = dot(to, q) / det, v = dot(d, r) / det, at = dot(e2, r) / det;
    return u >= 0 && v >= 0 && u + v <= 1 && at >= 0 ? at : HUGE_VAL;
}

// The squared distance of p to triangle t: the foot on the plane where it lies inside, else the best edge.
double distance2(const Soup& s, int t, const Vec3& p) {
    double best = HUGE_VAL;
    for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 &a = s.corner(t, k), &b = s.corner(t, (k + 1) % 3);
        const double at = norm2(b - a) > 0 ? dot(p - a, b - a) / norm2(b - a) : 0;
        best = std::min(best, norm2(a + (b - a) * std::clamp(at, 0.0, 1.0) - p));
    }
    const Vec3 n = cross(s.corner(t, 1) - s.corner(t, 0), s.corner(t, 2) - s.corner(t, 0));
    bool inside = norm2(n) > 0;
    for (std::size_t k = 0; k < 3; ++k)
        inside = inside && dot(cross(s.corner(t, (k + 1) % 3) - s.corner(t, k), p - s.corner(t, k)), n) >= 0;
    const double height = dot(p - s.corner(t, 0), n);
    return inside ? std::min(best, height * height / norm2(n)) : best;
}

using Pairs = std::set<std::pair<int, int>>;

TEST(Bvh, AnEmptyTreeFindsNothing) {
    const Bvh bvh({}, {});
    EXPECT_TRUE(bvh.bounds().empty());
    EXPECT_FALSE(bvh.ray({}, {}, {}, {1, 0, 0}, HUGE_VAL));
    EXPECT_FALSE(bvh.closest({}, {}, {}));
    bvh.overlaps(Box3{{-1, -1, -1}, {1, 1, 1}}, [](int) { FAIL(); });
    bvh.self_overlaps([](int, int) { FAIL(); });
    bvh.overlaps(bvh, [](int, int) { FAIL(); });
}

TEST(Bvh, RaysHitWhatBruteForceHits) {
    int hits = 0;
    for (const double size : {0.02, 0.2, 1.5}) {
        const Soup s = random_soup(700, size, 1);
        const Bvh bvh(s.positions, s.triangles);
        Random random(2);
        for (int i = 0; i < 500; ++i) {
            const Vec3 o = random_vector(random, 2), d = random_vector(random);
            double best = HUGE_VAL;
            for (int t = 0; t < s.size(); ++t) best = std::min(best, ray_triangle(s, t, o, d));
            const auto hit = bvh.ray(s.positions, s.triangles, o, d, HUGE_VAL);
            ASSERT_EQ(hit.has_value(), best < HUGE_VAL) << "ray " << i << " of size " << size;
            if (!hit) continue;
            ++hits;
            EXPECT_NEAR(hit->t, best, 1e-12);  // measured: at most 2.7e-15
            const Vec3 p = s.corner(hit->triangle, 0) * hit->weights.x +
                           s.corner(hit->triangle, 1) * hit->weights.y +
                           s.corner(hit->triangle, 2) * hit->weights.z;
            EXPECT_LT(norm(p - (o + d * hit->t)), 1e-12);  // measured: at most 7.4e-16
            const auto nearer = bvh.ray(s.positions, s.triangles, o, d, hit->t * (1 - 1e-9));
            EXPECT_FALSE(nearer.has_value()) << "t_max was not honoured";
        }
    }
    EXPECT_GT(hits, 300);
}

TEST(Bvh, AClosedSurfaceIsWatertightForRaysThroughItsVerticesAndEdges) {
    const Soup s = sphere(3);
    const Bvh bvh(s.positions, s.triangles);
    for (int t = 0; t < s.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 a = s.corner(t, k), b = s.corner(t, (k + 1) % 3);
            for (const double w : {0.0, 0.5, 0.3})
                for (const Vec3& o : {Vec3{}, Vec3{0.1, -0.2, 0.05}}) {
                    const Vec3 target = a * (1 - w) + b * w;
                    EXPECT_TRUE(bvh.ray(s.positions, s.triangles, o, target - o, HUGE_VAL)) << t << ' ' << w;
                }
        }
}

TEST(Bvh, OfEqualHitsTheLowestTriangleIsReported) {
    const Soup s = sphere(2);
    const Bvh bvh(s.positions, s.triangles);
    for (std::size_t axis = 0; axis < 3; ++axis)
        for (const double sign : {1.0, -1.0}) {
            Vec3 pole;
            pole[axis] = sign;
            int lowest = -1;
            for (int t = s.size(); t-- > 0;)
                for (std::size_t k = 0; k < 3; ++k)
                    if (s.corner(t, k) == pole) lowest = t;
            const auto hit = bvh.ray(s.positions, s.triangles, {}, pole, HUGE_VAL);
            ASSERT_TRUE(hit);
            EXPECT_EQ(hit->t, 1);
            EXPECT_EQ(hit->triangle, lowest);
            EXPECT_EQ(bvh.closest(s.positions, s.triangles, pole * 2)->triangle, lowest);
        }
}

TEST(Bvh, TheClosestPointIsThatOfBruteForce) {
    for (const double size : {0.02, 0.2, 1.5}) {
        const Soup s = random_soup(700, size, 3);
        const Bvh bvh(s.positions, s.triangles);
        Random random(4);
        for (int i = 0; i < 500; ++i) {
            const Vec3 p = random_vector(random, 1.5);
            double best = HUGE_VAL;
            for (int t = 0; t < s.size(); ++t) best = std::min(best, distance2(s, t, p));
            const auto closest = bvh.closest(s.positions, s.triangles, p);
            ASSERT_TRUE(closest);
            EXPECT_NEAR(closest->distance2, best, 1e-13);  // measured: at most 2.2e-16
            EXPECT_NEAR(norm2(closest->point - p), closest->distance2, 1e-15);
            EXPECT_FALSE(bvh.closest(s.positions, s.triangles, p, best * (1 - 1e-9)));
            EXPECT_TRUE(bvh.closest(s.positions, s.triangles, p, best * (1 + 1e-9)));
        }
    }
}

TEST(Bvh, BoxOverlapsAreThoseOfBruteForce) {
    const Soup s = random_soup(900, 0.15, 5);
    const Bvh bvh(s.positions, s.triangles);
    Random random(6);
    for (int i = 0; i < 200; ++i) {
        Box3 box;
        box.add(random_vector(random)), box.add(random_vector(random));
        std::vector<int> found, expected;
        bvh.overlaps(box, [&](int t) { found.push_back(t); });
        for (int t = 0; t < s.size(); ++t)
            if (box_of(s, t).overlaps(box)) expected.push_back(t);
        std::sort(found.begin(), found.end());
        EXPECT_EQ(found, expected);
    }
}

TEST(Bvh, PairsAreThoseOfBruteForceEachOnce) {
    const Soup s = random_soup(600, 0.15, 7), other = random_soup(500, 0.2, 8);
    const Bvh bvh(s.positions, s.triangles), second(other.positions, other.triangles);
    Pairs found, expected;
    int calls = 0;
    bvh.self_overlaps([&](int i, int j) { calls += i < j, found.insert({i, j}); });
    for (int i = 0; i < s.size(); ++i)
        for (int j = i + 1; j < s.size(); ++j)
            if (box_of(s, i).overlaps(box_of(s, j))) expected.insert({i, j});
    EXPECT_EQ(found, expected);
    EXPECT_EQ(static_cast<std::size_t>(calls), found.size());
    EXPECT_GT(calls, 400);  // 470: the test has something to find

    found.clear(), expected.clear(), calls = 0;
    bvh.overlaps(second, [&](int i, int j) { ++calls, found.insert({i, j}); });
    for (int i = 0; i < s.size(); ++i)
        for (int j = 0; j < other.size(); ++j)
            if (box_of(s, i).overlaps(box_of(other, j))) expected.insert({i, j});
    EXPECT_EQ(found, expected);
    EXPECT_EQ(static_cast<std::size_t>(calls), found.size());
}

TEST(Bvh, RefitFollowsMovedVertices) {
    Soup s = random_soup(600, 0.15, 9);
    Bvh bvh(s.positions, s.triangles);
    const Soup moved = random_soup(600, 0.4, 10);
    bvh.refit(moved.positions, moved.triangles);
    Random random(11);
    for (int i = 0; i < 100; ++i) {
        const Vec3 p = random_vector(random, 1.5);
        double best = HUGE_VAL;
        for (int t = 0; t < moved.size(); ++t) best = std::min(best, distance2(moved, t, p));
        EXPECT_NEAR(bvh.closest(moved.positions, moved.triangles, p)->distance2, best, 1e-13);
    }
    Pairs found, expected;
    bvh.self_overlaps([&](int i, int j) { found.insert({i, j}); });
    for (int i = 0; i < moved.size(); ++i)
        for (int j = i + 1; j < moved.size(); ++j)
            if (box_of(moved, i).overlaps(box_of(moved, j))) expected.insert({i, j});
    EXPECT_EQ(found, expected);
}

TEST(Bvh, HostileInputKeepsTheTreeShallow) {
    // Equal triangles, and triangles at 2⁻ⁱ: bins of equal width would peel them off a few at a time for
    // ever.
    Soup equal, powers;
    for (int i = 0; i < 3000; ++i) {
        equal.triangles.push_back({0, 1, 2});
        const double x = std::ldexp(1.0, -(i % 1000));
        const int v = static_cast<int>(powers.positions.size());
        powers.positions.insert(powers.positions.end(), {{x, 0, 0}, {x, x, 0}, {x, 0, x}});
        powers.triangles.push_back({v, v + 1, v + 2});
    }
    equal.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (const Soup* s : {&equal, &powers}) {
        const Bvh bvh(s->positions, s->triangles);
        EXPECT_TRUE(bvh.closest(s->positions, s->triangles, {0.1, 0.2, 0.3}));
        EXPECT_TRUE(bvh.ray(s->positions, s->triangles, {0.25, 0.125, -1}, {1e-3, 0, 1}, HUGE_VAL) ||
                    s == &powers);
        int depth = 0;
        std::vector<int> depths(bvh.nodes().size(), 0);
        for (std::size_t n = 0; n < depths.size(); ++n) {
            depth = std::max(depth, depths[n]);
            if (bvh.nodes()[n].count > 0) continue;
            for (std::size_t k = 0; k < 2; ++k)
                depths[static_cast<std::size_t>(bvh.nodes()[n].first) + k] = depths[n] + 1;
        }
        EXPECT_LE(depth, 40 + 12);  // 2¹² items is the most that is left below the depth of the heuristic
    }
}

TEST(ClosestWeights, HasExactZerosOnCornersAndEdges) {
    const Vec3 a{0, 0, 0}, b{3, 0.1, 0.2}, c{0.7, 2, -0.3};
    const Vec3 n = normalised(cross(b - a, c - a));
    EXPECT_EQ(closest_weights(a - b - c, a, b, c), (Vec3{1, 0, 0}));
    EXPECT_EQ(closest_weights(b * 3.0 - c + n, a, b, c), (Vec3{0, 1, 0}));
    EXPECT_EQ(closest_weights(c * 3.0 - b - n, a, b, c), (Vec3{0, 0, 1}));
    for (int k = 0; k < 3; ++k) {
        const std::array<Vec3, 3> p{a, b, c};
        const Vec3 &e0 = p[static_cast<std::size_t>(k)], &e1 = p[static_cast<std::size_t>((k + 1) % 3)];
        const Vec3 out = normalised(cross(e1 - e0, n));
        const Vec3 w = closest_weights(e0 * 0.25 + e1 * 0.75 + out * 0.5 + n, a, b, c);
        EXPECT_EQ(w[static_cast<std::size_t>((k + 2) % 3)], 0) << k;
        EXPECT_NEAR(w[static_cast<std::size_t>(k)], 0.25, 1e-14);
        EXPECT_NEAR(w[static_cast<std::size_t>((k + 1) % 3)], 0.75, 1e-14);
    }
    const Vec3 inside = closest_weights(a * 0.2 + b * 0.3 + c * 0.5 + n * 2.0, a, b, c);
    EXPECT_NEAR(norm(inside - Vec3{0.2, 0.3, 0.5}), 0, 1e-14);  // measured: 1e-16
}

TEST(ClosestWeights, SurvivesTrianglesOfNoArea) {
    const Vec3 a{0, 0, 0}, b{1, 0, 0}, c{3, 0, 0};
    EXPECT_EQ(closest_weights({0.2, 1, 0}, a, a, a), (Vec3{1, 0, 0}));
    const Vec3 w = closest_weights({2, 1, 0}, a, b, c);
    EXPECT_NEAR(norm(a * w.x + b * w.y + c * w.z - Vec3{2, 0, 0}), 0, 1e-15);
    // Slivers of a height of a few ulps, in any direction: the answer is that of the longest side.
    Random random(12);
    for (int i = 0; i < 2000; ++i) {
        const Vec3 p = random_vector(random), q = random_vector(random), from = random_vector(random);
        const Vec3 tip = p + (q - p) * random.uniform(0.1, 0.9);  // rounding moves it off the line
        const Vec3 v = closest_weights(from, p, tip, q);
        const double on_line = std::clamp(dot(from - p, q - p) / norm2(q - p), 0.0, 1.0);
        EXPECT_NEAR(norm(p * v.x + tip * v.y + q * v.z - (p + (q - p) * on_line)), 0,
                    1e-13);  // measured: at most 9.3e-16
    }
}

}  // namespace
}  // namespace plush
