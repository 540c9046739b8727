#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/triangle_intersection.hpp"
#include "plush/core/random.hpp"

namespace plush {
namespace {

// ---------------------------------------------------------------------------------------------------------
// An independent exact arithmetic: integers as polynomials in 2³⁰ with digits that need not be normal.

__extension__ using Int128 = __int128;  // the extension is known; g++ and clang both have it

struct Wide {
    std::array<Int128, 9> digit{};

    Wide(Int128 x = 0) { digit[0] = x & 0x3fffffff, digit[1] = (x >> 30) & 0x3fffffff, digit[2] = x >> 60; }
    Wide operator-(const Wide& b) const {
        Wide r;
        for (std::size_t i = 0; i < 9; ++i) r.digit[i] = digit[i] - b.digit[i];
        return r;
    }
    Wide operator+(const Wide& b) const { return *this - (Wide() - b); }
    Wide operator*(const Wide& b) const {
        Wide r;
        for (std::size_t i = 0; i < 9; ++i)
            for (std::size_t j = 0; i + j < 9; ++j) r.digit[i + j] += digit[i] * b.digit[j];
        for (std::size_t i = 0; i + 1 < 9; ++i) r.digit[i + 1] += r.digit[i] >> 30, r.digit[i] &= 0x3fffffff;
        // The sum is right modulo 2²⁷⁰: the top digit is the one that fits in 30 bits with its sign.
        r.digit[8] = ((r.digit[8] & 0x3fffffff) ^ 0x20000000) - 0x20000000;
        return r;
    }
    int sign() const {
        Wide r = *this * Wide(1);
        if (r.digit[8] < 0) return -1;
        for (const Int128 d : r.digit)
            if (d != 0) return 1;
        return 0;
    }
};

struct WideVec {
    Wide x, y, z;
    explicit WideVec(const Vec3& p)
        : x(static_cast<Int128>(p.x)), y(static_cast<Int128>(p.y)), z(static_cast<Int128>(p.z)) {}
    WideVec(const Wide& a, const Wide& b, const Wide& c) : x(a), y(b), z(c) {}
    WideVec operator-(const WideVec& b) const { return {x - b.x, y - b.y, z - b.z}; }
};

WideVec cross(const WideVec& a, const WideVec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Wide dot(const WideVec& a, const WideVec& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// For positions with integer coordinates.
int wide_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const WideVec o(a);
    return dot(cross(WideVec(b) - o, WideVec(c) - o), WideVec(d) - o).sign();
}
int wide_orient2d(const Vec3& a, const Vec3& b, const Vec3& c, std::size_t axis) {
    const WideVec o(a), n = cross(WideVec(b) - o, WideVec(c) - o);
    return (axis == 0 ? n.x : axis == 1 ? n.y : n.z).sign();
}

Vec3 grid_point(Random& random, std::uint64_t size) {
    const auto coordinate = [&] { return static_cast<double>(random.below(size)); };
    const double x = coordinate(), y = coordinate();
    return {x, y, coordinate()};
}

int plain_sign(double x) {
    return (x > 0) - (x < 0);
}

TEST(Predicates, AgreeWithIntegersOnSmallGrids) {
    Random random(1);
    int zeros = 0;
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t size = i % 2 == 0 ? 3 : 20;
        const Vec3 a = grid_point(random, size), b = grid_point(random, size), c = grid_point(random, size),
                   d = grid_point(random, size);
        ASSERT_EQ(orient3d(a, b, c, d), wide_orient3d(a, b, c, d)) << i;
        for (std::size_t axis = 0; axis < 3; ++axis)
            ASSERT_EQ(orient2d(a, b, c, axis), wide_orient2d(a, b, c, axis)) << i;
        zeros += orient3d(a, b, c, d) == 0;
    }
    EXPECT_GT(zeros, 1000);
}

// Coordinates between 2⁵² and 2⁶², where every double is an integer but differences need more than 53 bits.
double large_coordinate(Random& random) {
    return std::floor(random.uniform(0x1p52, 0x1p54)) * static_cast<double>(1u << random.below(9));
}
Vec3 large_point(Random& random) {
    const double x = large_coordinate(random), y = large_coordinate(random);
    return {x, y, large_coordinate(random)};
}

TEST(Predicates, AreRightWherePlainArithmeticIsNot) {
    Random random(2);
    int wrong3 = 0, wrong2 = 0;
    std::array<int, 3> seen{};
    for (int i = 0; i < 20000; ++i) {
        const Vec3 a = large_point(random), b = large_point(random), c = large_point(random);
        // A point of the plane (of the line on every third turn), as near as rounding allows, moved by ulps.
        const double s = random.uniform(0, 0.5), t = i % 3 == 0 ? 0 : random.uniform(0, 0.5);
        Vec3 d = a + (b - a) * s + (c - a) * t;
        for (std::size_t k = 0; k < 3; ++k) {
            d[k] = std::floor(d[k]);
            for (std::uint64_t steps = random.below(3); steps > 0; --steps)
                d[k] = std::nextafter(d[k], random.below(2) == 0 ? 0 : HUGE_VAL);
        }
        const int exact = wide_orient3d(a, b, c, d);
        ASSERT_EQ(orient3d(a, b, c, d), exact) << i;
        ASSERT_EQ(orient3d(b, a, c, d), -exact) << i;
        ASSERT_EQ(orient3d(d, c, b, a), exact) << i;  // two exchanges
        ++seen[static_cast<std::size_t>(exact + 1)];
        wrong3 += plain_sign(plush::dot(plush::cross(b - a, c - a), d - a)) != exact;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int flat = wide_orient2d(a, b, d, axis);
            ASSERT_EQ(orient2d(a, b, d, axis), flat) << i;
            wrong2 += plain_sign(plush::cross(b - a, d - a)[axis]) != flat;
        }
    }

    EXPECT_GT(wrong3, 1000);  // the test is worth something: plain arithmetic fails in 2879
    EXPECT_GT(wrong2, 1000);  // and 1912 cases
    EXPECT_GT(seen[0], 1000);
    EXPECT_GT(seen[2], 1000);
}

TEST(Predicates, AreExactlyZeroOnExactlyFlatInput) {
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
        // All on the plane x + y = z, with coordinates whose sums are exact.
        std::array<Vec3, 4> p;
        for (Vec3& q : p) {
            const double x = std::floor(random.uniform(0, 0x1p50)) * 0x1p-40,
                         y = std::floor(random.uniform(0, 0x1p50)) * 0x1p-40;
            q = {x, y, x + y};
        }
        ASSERT_EQ(orient3d(p[0], p[1], p[2], p[3]), 0);
        Vec3 up = p[3];
        up.z = std::nextafter(up.z, HUGE_VAL);
        const int side = orient2d(p[0], p[1], p[2], 2);  // seen from above, +1 means up is on the +1 side
        ASSERT_EQ(orient3d(p[0], p[1], p[2], up), side);
    }
    EXPECT_TRUE(collinear({0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {0.4, 0.8, 1.2}));
    EXPECT_FALSE(collinear({0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {0.4, 0.8, std::nextafter(1.2, 2)}));
    EXPECT_TRUE(collinear({1, 1, 1}, {1, 1, 1}, {2, 5, 3}));
}

TEST(Predicates, ExtremeMeshesAreBroughtIntoRange) {
    // A tetrahedron of 1e-150 m: its volume underflows to zero; and one of 1e150 m: it overflows.
    for (const double size : {1e-150, 1e150, 1e-300, 1e300}) {
        const std::vector<Vec3> p{{0, 0, 0}, {size, 0, 0}, {0, size, 0}, {0, 0, size}, {size, size, 0}};
        const std::vector<Vec3> q = in_predicate_range(p);
        EXPECT_EQ(orient3d(q[0], q[1], q[2], q[3]), 1) << size;
        EXPECT_EQ(orient3d(q[0], q[2], q[1], q[3]), -1) << size;
        EXPECT_EQ(orient3d(q[0], q[1], q[2], q[4]), 0) << size;
    }
    const std::vector<Vec3> ordinary{{0.1, 0.2, 0.3}, {-4, 5e6, 1e-9}};
    EXPECT_EQ(in_predicate_range(ordinary), ordinary);
    const std::vector<Vec3> tiny{{1, 1e-200, 0}, {0, -1, 1}};
    EXPECT_EQ(in_predicate_range(tiny)[0].y, 0);
}

// ---------------------------------------------------------------------------------------------------------
// Triangles against the separating axis theorem in integers: two convex figures are apart exactly when a
// facet normal of their Minkowski difference separates them. Normals, products of edges, and for flat
// differences the products of normal and edge.

struct IntVec {
    std::int64_t x, y, z;
    explicit IntVec(const Vec3& p)
        : x(static_cast<std::int64_t>(p.x)),
          y(static_cast<std::int64_t>(p.y)),
          z(static_cast<std::int64_t>(p.z)) {}
    IntVec(std::int64_t a, std::int64_t b, std::int64_t c) : x(a), y(b), z(c) {}
    IntVec operator-(const IntVec& b) const { return {x - b.x, y - b.y, z - b.z}; }
    IntVec operator+(const IntVec& b) const { return {x + b.x, y + b.y, z + b.z}; }
    IntVec operator*(std::int64_t s) const { return {x * s, y * s, z * s}; }
};
IntVec cross(const IntVec& a, const IntVec& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
std::int64_t dot(const IntVec& a, const IntVec& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

using IntTriangle = std::array<IntVec, 3>;  // corners may coincide: a segment

bool apart_along(const IntVec& axis, const IntTriangle& s, const IntTriangle& t) {
    std::array<std::int64_t, 3> a{}, b{};
    for (std::size_t k = 0; k < 3; ++k) a[k] = dot(axis, s[k]), b[k] = dot(axis, t[k]);
    const auto [a0, a1] = std::minmax({a[0], a[1], a[2]});
    const auto [b0, b1] = std::minmax({b[0], b[1], b[2]});
    return a1 < b0 || b1 < a0;
}

bool sat_meet(const IntTriangle& s, const IntTriangle& t) {
    const IntVec ns = cross(s[1] - s[0], s[2] - s[0]), nt = cross(t[1] - t[0], t[2] - t[0]);
    if (apart_along(ns, s, t) || apart_along(nt, s, t)) return false;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            const IntVec e = s[(i + 1) % 3] - s[i], f = t[(j + 1) % 3] - t[j];
            for (const IntVec& axis : {cross(e, f), cross(ns, e), cross(ns, f), cross(nt, e), cross(nt, f)})
                if (apart_along(axis, s, t)) return false;
        }
    return true;
}

IntTriangle integers(std::span<const Vec3> p, const Triangle& t) {
    return {IntVec(p[static_cast<std::size_t>(t[0])]), IntVec(p[static_cast<std::size_t>(t[1])]),
            IntVec(p[static_cast<std::size_t>(t[2])])};
}

bool flat(std::span<const Vec3> p, const Triangle& t) {
    return collinear(p[static_cast<std::size_t>(t[0])], p[static_cast<std::size_t>(t[1])],
                     p[static_cast<std::size_t>(t[2])]);
}

TEST(TriangleIntersection, AgreesWithSeparatingAxesOnGrids) {
    Random random(4);
    int meet = 0, all = 0;
    for (int i = 0; i < 60000; ++i) {
        std::vector<Vec3> p;
        for (int k = 0; k < 6; ++k) p.push_back(grid_point(random, i % 3 == 0 ? 3 : i % 3 == 1 ? 5 : 40));
        if (i % 7 == 0)
            for (Vec3& q : p) q.z = 1;  // coplanar, and parallel to an axis
        if (i % 11 == 0)
            for (Vec3& q : p) q.z = q.x + 2 * q.y;  // coplanar, and slanted
        const Triangle s{0, 1, 2}, t{3, 4, 5};
        if (flat(p, s) || flat(p, t)) continue;
        const bool expected = sat_meet(integers(p, s), integers(p, t));
        ASSERT_EQ(triangles_meet(p[0], p[1], p[2], p[3], p[4], p[5]), expected) << i;
        ASSERT_EQ(triangles_intersect(p, s, t), expected) << i;
        ASSERT_EQ(triangles_intersect(p, {5, 3, 4}, {1, 0, 2}), expected) << i;
        ASSERT_EQ(segment_meets_triangle(p[0], p[1], p[3], p[4], p[5]),
                  sat_meet({IntVec(p[0]), IntVec(p[1]), IntVec(p[1])}, integers(p, t)))
            << i;
        meet += expected, ++all;
    }
    EXPECT_GT(meet, all / 10);
    EXPECT_LT(meet, all * 9 / 10);
}

TEST(TriangleIntersection, NeighboursAtAVertexMeetWhenTheirConesShareARay) {
    Random random(5);
    int meet = 0, all = 0;
    for (int i = 0; i < 60000; ++i) {
        std::vector<Vec3> p;
        for (int k = 0; k < 5; ++k) p.push_back(grid_point(random, i % 2 == 0 ? 3 : 6));
        if (i % 5 == 0)
            for (Vec3& q : p) q.y = 2 * q.x - q.z;
        const Triangle s{0, 1, 2}, t{3, 0, 4};
        if (flat(p, s) || flat(p, t)) continue;
        // Grown a thousandfold from the common vertex, s is as good as its cone against points this near.
        const IntVec v(p[0]);
        const IntTriangle cone{v, v + (IntVec(p[1]) - v) * 1000, v + (IntVec(p[2]) - v) * 1000};
        const bool expected = sat_meet(cone, {IntVec(p[3]), IntVec(p[4]), IntVec(p[4])});
        ASSERT_EQ(triangles_intersect(p, s, t), expected) << i;
        ASSERT_EQ(triangles_intersect(p, {4, 3, 0}, {2, 0, 1}), expected) << i;
        meet += expected, ++all;
    }
    EXPECT_GT(meet, all / 20);
    EXPECT_LT(meet, all * 19 / 20);
}

TEST(TriangleIntersection, NeighboursAtAnEdgeMeetOnlyWhenFolded) {
    const std::vector<Vec3> p{{0, 0, 0},   {1, 0, 0},    {0.3, 1, 0},
                              {0.6, 2, 0}, {0.6, -2, 0}, {0.6, 2, 0x1p-200}};
    const Triangle s{0, 1, 2};
    EXPECT_TRUE(triangles_intersect(p, s, {1, 0, 3})) << "folded flat";
    EXPECT_TRUE(triangles_intersect(p, {2, 0, 1}, {3, 0, 1})) << "the same in another order";
    EXPECT_FALSE(triangles_intersect(p, s, {1, 0, 4})) << "flat, on either side";
    EXPECT_FALSE(triangles_intersect(p, s, {1, 0, 5})) << "a fold that is not quite closed";
    EXPECT_TRUE(triangles_intersect(p, s, {2, 1, 0})) << "the same triangle again";
}

}  // namespace
}  // namespace plush
