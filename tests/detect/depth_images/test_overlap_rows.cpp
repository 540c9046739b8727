#include "detect/depth_images/overlap_rows.hpp"

#include <gtest/gtest.h>

#include <map>

#include "detect/depth_images/surfaces.hpp"

// The gradient over vertices: is what is summed triangle by triangle the sum crossing by crossing?

namespace plush {
namespace {

TEST(TriangleSums, AreTheSumsOfTheirCrossings) {
    TriangleSums sums;
    Random random(1);
    for (int round = 0; round < 2; ++round) {  // used again they forget
        sums.clear();
        EXPECT_TRUE(sums.entries().empty());
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::array<Vec3, 3>> expected;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> met;
        std::uint32_t last = TriangleSums::none;
        for (int i = 0; i < 5000; ++i) {
            // Runs of the same triangle, as along a row of columns; both objects; 1,600 keys: the table
            // grows.
            const auto contact = static_cast<std::uint32_t>(i / 7 % 4);
            const auto place =
                static_cast<std::uint32_t>(i / 3 * 7919 % 200) * 5000000u % (second_object * 2);
            const std::size_t axis = random.below(3);
            const auto u = static_cast<std::uint16_t>(1000 + random.below(50));
            const auto v = static_cast<std::uint16_t>(2000 + random.below(50));
            const double g = random.uniform(-1, 1);
            sums.add(contact, place, axis, u, v, g, last);
            auto [at, fresh] = expected.insert({{contact, place}, {}});
            if (fresh) met.push_back(at->first);
            at->second[axis] += Vec3{1.0, static_cast<double>(u), static_cast<double>(v)} * g;
        }
        ASSERT_EQ(sums.entries().size(), expected.size());
        EXPECT_GT(expected.size(), 500u);  // measured: 800
        for (std::size_t e = 0; e < met.size(); ++e) {
            const TriangleSums::Entry& entry = sums.entries()[e];
            ASSERT_EQ(std::pair(entry.contact, entry.place), met[e]);
            for (std::size_t d = 0; d < 3; ++d) {
                const TriangleSums::AxisSum& s = entry.axes[d];
                const Vec3 all = expected[met[e]][d];
                EXPECT_NEAR(s.all, all.x, 1e-13);               // measured: 0
                EXPECT_NEAR(s.u + s.u0 * s.all, all.y, 1e-10);  // measured: 2e-12
                EXPECT_NEAR(s.v + s.v0 * s.all, all.z, 1e-10);  // measured: 2e-12
            }
        }
        std::vector<std::uint32_t> first, numbers;
        sums.group(4, first, numbers);
        ASSERT_EQ(first.size(), 5u);
        EXPECT_EQ(first[4], met.size());
        for (std::uint32_t c = 0; c < 4; ++c)
            for (std::uint32_t i = first[c]; i < first[c + 1]; ++i) {
                EXPECT_EQ(sums.entries()[numbers[i]].contact, c);
                if (i > first[c]) {
                    EXPECT_LT(numbers[i - 1], numbers[i]);
                }
            }
    }
}

// Every crossing gives its weight to the corners of its triangle by its place in it: to each corner as much
// as the place is near it, in all as much as it has.
TEST(TriangleSums, GiveEveryCornerItsShare) {
    const test::Surface surface(Mesh({{0.1, 0.2, 0.3}, {9.3, 1.2, 2.7}, {3.1, 7.9, 5.6}, {4, 4, 9}},
                                     {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}));
    DepthPlan plan;
    plan.make({.a = surface.view, .self = true}, 1.0, Mat3::identity(), true, {});
    std::array<FragmentList, 3> lists;
    find_crossings(plan, surface.view, 0, plan.kept[0], lists, nullptr);
    TriangleSums sums;
    std::map<std::uint32_t, std::array<Vec3, 3>> expected;
    std::uint32_t last = TriangleSums::none;
    for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t f = 0; f < lists[d].size(); ++f) {
            const CrossingKey key = lists[d].keys()[f];
            const ColumnPlace column = lists[d].columns()[f];
            const double g = 0.3 + 0.1 * static_cast<double>(f % 5);
            sums.add(0, place_of(key), d, static_cast<std::uint16_t>(column),
                     static_cast<std::uint16_t>(column >> 16), g, last);
            // Where the line meets the plane of the triangle, by its depth; then barycentric weights in
            // space.
            const auto ids = surface.clusters.triangle_vertices(triangle_at(place_of(key)));
            std::array<Vec3, 3> p;
            for (std::size_t k = 0; k < 3; ++k) p[k] = plan.maps[0](surface.mesh.positions()[ids[k]]);
            Vec3 x;
            x[first_across(d)] = (column & 0xffff) + 0.5, x[second_across(d)] = (column >> 16) + 0.5;
            x[d] = depth_of(key) / plan.frame.quanta;
            const Vec3 n = cross(p[1] - p[0], p[2] - p[0]);
            for (std::size_t k = 0; k < 3; ++k)
                expected[place_of(key)][k][d] +=
                    g * dot(n, cross(p[(k + 2) % 3] - p[(k + 1) % 3], x - p[(k + 1) % 3])) / norm2(n);
        }
    ASSERT_EQ(sums.entries().size(), 4u);
    for (const TriangleSums::Entry& entry : sums.entries()) {
        const std::array<Vec3, 3> got = corner_gradients(plan, surface.view, entry);
        for (std::size_t k = 0; k < 3; ++k)
            EXPECT_NEAR(norm(got[k] - expected[entry.place][k]), 0, 2e-3);  // measured: 8e-4, by snapping
        for (std::size_t d = 0; d < 3; ++d)
            EXPECT_NEAR(got[0][d] + got[1][d] + got[2][d], entry.axes[d].all, 1e-12);  // measured: 4e-15
    }
}

}  // namespace
}  // namespace plush
