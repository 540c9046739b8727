#include <gtest/gtest.h>

#include <algorithm>

#include "geometry/mesh/predicates.hpp"
#include "geometry/tets/delaunay.hpp"
#include "geometry/tets/tet_quality.hpp"
#include "geometry/tets/tet_topology.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/mass.hpp"

namespace plush {
namespace {

std::vector<Vec3> random_points(int count, std::uint64_t seed) {
    Random random(seed);
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
        const double x = random.uniform(), y = random.uniform();
        points.push_back({x, y, random.uniform()});
    }
    return points;
}

std::vector<Vec3> grid(int n) {
    std::vector<Vec3> points;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
                points.push_back({static_cast<double>(i), static_cast<double>(j), static_cast<double>(k)});
    return points;
}

/// Integer points on one sphere: all of x² + y² + z² = 1105 (= 5·13·17).
std::vector<Vec3> cospherical() {
    std::vector<Vec3> points;
    for (int x = -33; x <= 33; ++x)
        for (int y = -33; y <= 33; ++y)
            for (int z = -33; z <= 33; ++z)
                if (x * x + y * y + z * z == 1105)
                    points.push_back(
                        {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)});
    return points;
}

/// Every sphere is empty (exactly), every tet positive, every face shared or on the hull, no point missing.
void expect_delaunay(const std::vector<Vec3>& points, const Delaunay& d) {
    for (const Tet& tet : d.tets) {
        const auto p = corners(points, tet);
        ASSERT_EQ(orient3d(p[0], p[1], p[2], p[3]), 1);
        for (const Vec3& q : points) ASSERT_LE(insphere(p[0], p[1], p[2], p[3], q), 0);
    }
    EXPECT_FALSE(find_clash(d.tets));
    const auto neighbours = tet_neighbours(d.tets);
    for (std::size_t t = 0; t < d.tets.size(); ++t)
        for (std::size_t i = 0; i < 4; ++i) {
            if (neighbours[t][i] >= 0) continue;
            const auto& [a, b, c] = face_opposite[i];
            const auto p = corners(points, d.tets[t]);
            for (const Vec3& q : points) ASSERT_LE(orient3d(p[a], p[b], p[c], q), 0) << "not on the hull";
        }
    std::vector<char> used(points.size());
    for (const Tet& tet : d.tets)
        for (const int v : tet) used[static_cast<std::size_t>(v)] = 1;
    for (std::size_t i = 0; i < points.size(); ++i) {
        EXPECT_NE(used[i] != 0, d.same_as[i] >= 0) << "point " << i;
        if (d.same_as[i] >= 0) {
            EXPECT_EQ(points[i], points[static_cast<std::size_t>(d.same_as[i])]);
            EXPECT_TRUE(used[static_cast<std::size_t>(d.same_as[i])]);
        }
    }
}

std::vector<std::array<Vec3, 4>> as_places(const std::vector<Vec3>& points, const std::vector<Tet>& tets) {
    const auto less = [](const Vec3& a, const Vec3& b) {
        return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
    };
    std::vector<std::array<Vec3, 4>> result;
    for (const Tet& tet : tets) {
        auto p = corners(points, tet);
        std::sort(p.begin(), p.end(), less);
        result.push_back(p);
    }
    std::sort(result.begin(), result.end(), [&](const auto& a, const auto& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), less);
    });
    return result;
}

TEST(Insphere, KnowsTheUnitSphere) {
    const Vec3 a{0, 0, 0}, b{2, 0, 0}, c{0, 2, 0}, d{0, 0, 2};  // about (1, 1, 1), radius √3
    EXPECT_EQ(insphere(a, b, c, d, {1, 1, 1}), 1);
    EXPECT_EQ(insphere(a, b, c, d, {3, 3, 3}), -1);
    EXPECT_EQ(insphere(a, b, c, d, {2, 2, 2}), 0);
    EXPECT_EQ(insphere(a, b, c, d, {2, 2, 0}), 0);
    EXPECT_EQ(insphere(a, b, c, d, {std::nextafter(2, 0), 2, 2}), 1);
    EXPECT_EQ(insphere(a, b, c, d, {std::nextafter(2, 3), 2, 2}), -1);
}

// Five integer points on one sphere: zero, exactly, and the right sign one unit in the last place aside.
TEST(Insphere, IsExactFarFromTheOrigin) {
    const auto points = cospherical();
    ASSERT_GT(points.size(), 100u);
    Random random(9);
    const Vec3 far{0x1p40, -0x1p41, 0x1p39};
    const double ulp = 0x1p-12;  // of the largest coordinate
    int tested = 0;
    for (int i = 0; i < 2000; ++i) {
        std::array<Vec3, 5> p;
        for (Vec3& q : p) q = points[random.below(points.size())] + far;
        const int side = orient3d(p[0], p[1], p[2], p[3]);
        if (side == 0) continue;
        if (side < 0) std::swap(p[2], p[3]);
        ASSERT_EQ(insphere(p[0], p[1], p[2], p[3], p[4]), 0);
        const Vec3 radius = p[4] - far;
        Vec3 out = p[4], in = p[4];
        out.x += radius.x > 0 ? ulp : -ulp, in.x -= radius.x > 0 ? ulp : -ulp;
        if (radius.x == 0) continue;
        ASSERT_EQ(insphere(p[0], p[1], p[2], p[3], out), -1);
        ASSERT_EQ(insphere(p[0], p[1], p[2], p[3], in), 1);
        ++tested;
    }
    EXPECT_GT(tested, 1000);
}

TEST(Delaunay, SpheresOfRandomPointsAreEmpty) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const auto points = random_points(300, seed);
        const Delaunay d = delaunay(points);
        expect_delaunay(points, d);
    }
}

TEST(Delaunay, FillsTheHull) {
    auto points = random_points(2000, 7);
    for (int corner = 0; corner < 8; ++corner)
        points.push_back({corner & 1 ? 1.0 : 0, corner & 2 ? 1.0 : 0, corner & 4 ? 1.0 : 0});
    const TetQuality q = tet_quality(points, delaunay(points).tets);
    EXPECT_NEAR(q.volume, 1, 1e-12);
    EXPECT_EQ(q.inverted, 0);
}

TEST(Delaunay, SurvivesAGrid) {
    const auto points = grid(7);
    const Delaunay d = delaunay(points);
    expect_delaunay(points, d);
    EXPECT_NEAR(tet_quality(points, d.tets).volume, 216, 1e-9);
}

TEST(Delaunay, SurvivesPointsOnOneSphere) {
    const auto points = cospherical();
    expect_delaunay(points, delaunay(points));
}

TEST(Delaunay, SurvivesPointsOnLinesAndPlanes) {
    std::vector<Vec3> points;
    for (int i = 0; i < 20; ++i)
        for (int j = 0; j < 3; ++j) {
            const double x = 0.1 * i;
            points.push_back(j == 0 ? Vec3{x, 0, 0} : j == 1 ? Vec3{0, x, 0} : Vec3{1, 1, x});
        }
    expect_delaunay(points, delaunay(points));
    // A plane and one point above it, which comes last.
    points.clear();
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 8; ++j) points.push_back({static_cast<double>(i), static_cast<double>(j), 0});
    points.push_back({3, 3, 1});
    const Delaunay d = delaunay(points);
    expect_delaunay(points, d);
    EXPECT_EQ(d.tets.size(), 98u);  // 49 squares of two triangles each
}

TEST(Delaunay, LeavesOutDuplicates) {
    auto points = random_points(50, 11);
    const auto copy = points;
    for (int i = 0; i < 3; ++i) points.insert(points.end(), copy.begin(), copy.end());
    const Delaunay d = delaunay(points);
    expect_delaunay(points, d);
    EXPECT_EQ(std::count(d.same_as.begin(), d.same_as.end(), -1), 50);
}

TEST(Delaunay, OfFlatOrFewPointsIsEmpty) {
    std::vector<Vec3> flat = grid(4);
    for (Vec3& p : flat) p.z = p.x + 2 * p.y;
    const Delaunay d = delaunay(flat);
    EXPECT_TRUE(d.tets.empty());
    EXPECT_EQ(std::count(d.same_as.begin(), d.same_as.end(), -1), 16);
    EXPECT_TRUE(delaunay({}).tets.empty());
    EXPECT_TRUE(delaunay(std::vector<Vec3>(10, {1, 2, 3})).tets.empty());
    EXPECT_TRUE(delaunay(random_points(3, 1)).tets.empty());
    EXPECT_EQ(delaunay(random_points(4, 1)).tets.size(), 1u);
}

// The rule for points on one sphere looks at places only.
TEST(Delaunay, DoesNotDependOnTheOrder) {
    for (const auto& points : {grid(5), cospherical(), random_points(200, 3)}) {
        auto shuffled = points;
        Random random(4);
        for (std::size_t i = shuffled.size(); i > 1; --i)
            std::swap(shuffled[i - 1], shuffled[random.below(i)]);
        EXPECT_EQ(as_places(points, delaunay(points).tets), as_places(shuffled, delaunay(shuffled).tets));
    }
}

TEST(InsertionOrder, IsAPermutationWithNeighboursNearby) {
    const auto points = random_points(4000, 2);
    auto order = insertion_order(points);
    double length = 0;
    for (std::size_t i = order.size() / 2 + 1; i < order.size(); ++i)
        length +=
            norm(points[static_cast<std::size_t>(order[i])] - points[static_cast<std::size_t>(order[i - 1])]);
    // The last round is about half of the points. Measured: 0.075 a step; 0.66 in random order.
    EXPECT_LT(length / static_cast<double>(order.size() / 2), 0.12);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], static_cast<int>(i));
}

}  // namespace
}  // namespace plush
