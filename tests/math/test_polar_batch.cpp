#include "math/polar_batch.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "math/matrices.hpp"
#include "math/polar.hpp"

namespace plush {
namespace {

using namespace test;

// All kinds: ordinary, near and beyond the border of the closed form, reflections, degenerate, bad.
std::vector<Mat3> all_kinds(std::size_t n, std::uint64_t seed) {
    Random random(seed);
    std::vector<Mat3> all;
    while (all.size() < n) {
        const double s = random.uniform(0.1, 1);
        switch (random.below(10)) {
            case 0:
                all.push_back(Known(random, random_values(random, 1e6)).a);
                break;
            case 1:
                all.push_back(Known(random, {1, random.uniform(3e-4, 3e-3), 0}).a);  // on the border
                break;
            case 2:
                all.push_back(Known(random, {1, s, -s}).a);
                break;
            case 3:
                all.push_back(Known(random, {s, 0, 0}).a);
                break;
            case 4:
                all.push_back(Known(random, {s, s, s}).a * std::pow(10, random.uniform(-300, 300)));
                break;
            case 5:
                all.push_back(random.uniform() < 0.5
                                  ? Mat3{}
                                  : Mat3::identity() * std::numeric_limits<double>::quiet_NaN());
                break;
            default:
                all.push_back(Known(random, {1 + s, 1, random.uniform(-1, 1)}).a);
        }
    }
    return all;
}

TEST(PolarBatch, EveryLaneHasTheBitsOfTheScalarFunction) {
    const std::vector<Mat3> all = all_kinds(40000, 1);
    for (std::size_t i = 0; i < all.size(); i += 8) {
        Mat3x8 batch, found;
        for (std::size_t k = 0; k < 8; ++k) batch.set_lane(k, all[i + k]);
        polar_rotations(batch, found);
        for (std::size_t k = 0; k < 8; ++k) ASSERT_EQ(found.lane(k), polar(all[i + k]).rotation) << i + k;
        polar_rotations(batch, batch);  // in place
        ASSERT_EQ(batch.entry, found.entry) << i;
    }
}

TEST(PolarBatch, HoldsTheCheck) {
    Random random(2);
    double skew = 0, error = 0;
    for (int i = 0; i < 2000; ++i) {
        Mat3x8 batch;
        std::vector<Known> known;
        for (std::size_t k = 0; k < 8; ++k) {
            known.emplace_back(random, random_values(random, 1e6));
            batch.set_lane(k, known[k].a);
        }
        polar_rotations(batch, batch);
        for (std::size_t k = 0; k < 8; ++k) {
            skew = std::fmax(skew, skewness(batch.lane(k)));
            if (known[k].gap() >= 1e-8) error = std::fmax(error, size(batch.lane(k) - known[k].rotation()));
        }
    }
    EXPECT_LT(skew, 1e-9);   // measured 2e-15
    EXPECT_LT(error, 1e-6);  // measured 5e-9
}

// A lane does not know its neighbours: the same bits at any place, in any company, in lists cut anywhere.
TEST(PolarBatch, ALaneDoesNotDependOnItsNeighbours) {
    const std::vector<Mat3> all = all_kinds(203, 3);
    std::vector<Mat3> whole(all.size());
    polar_rotations(all, whole);
    for (std::size_t cut = 0; cut <= 17; ++cut) {
        std::vector<Mat3> parts(all.size());
        const std::span<const Mat3> a(all);
        const std::span<Mat3> r(parts);
        polar_rotations(a.first(cut), r.first(cut));
        polar_rotations(a.subspan(cut), r.subspan(cut));
        EXPECT_EQ(parts, whole) << cut;
    }
}

TEST(PolarBatch, LanesAreWhereTheySay) {
    Mat3x8 m;
    const Mat3 a{{Vec3{1, 2, 3}, Vec3{4, 5, 6}, Vec3{7, 8, 9}}};
    m.set_lane(5, a);
    EXPECT_EQ(m.entry[1][5], 2);  // row 0, column 1
    EXPECT_EQ(m.entry[6][5], 7);
    EXPECT_EQ(m.lane(5), a);
    EXPECT_EQ(m.lane(4), Mat3{});
}

}  // namespace
}  // namespace plush
