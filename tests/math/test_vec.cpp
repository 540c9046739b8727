#include <gtest/gtest.h>

#include "plush/core/random.hpp"
#include "plush/math/vec.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

double largest(const Mat3& m) {
    return std::fmax(max_component(abs(m.row[0])),
                     std::fmax(max_component(abs(m.row[1])), max_component(abs(m.row[2]))));
}

TEST(Mat3, TheInverseUndoesTheMatrixFromBothSides) {
    Random random(1);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const Mat3 m = outer(random_vector(random), random_vector(random)) + Mat3::diagonal({3, 4, 5});
        worst = std::fmax(worst, largest(m * inverse(m) - Mat3::identity()));
        worst = std::fmax(worst, largest(inverse(m) * m - Mat3::identity()));
    }
    EXPECT_LT(worst, 1e-15);  // measured 4.4e-16
}

TEST(Mat3, SkewIsTheCrossProductAndOuterTheDyad) {
    Random random(2);
    for (int i = 0; i < 100; ++i) {
        const Vec3 a = random_vector(random), b = random_vector(random), c = random_vector(random);
        EXPECT_LT(norm(skew(a) * b - cross(a, b)), 1e-15);
        EXPECT_EQ(largest(skew(a) + transpose(skew(a))), 0.0);
        EXPECT_LT(norm(outer(a, b) * c - a * dot(b, c)), 1e-15);
        EXPECT_EQ(outer(a, b)(0, 2), a.x * b.z);
        EXPECT_EQ(transpose(outer(a, b)), outer(b, a));
    }
}

TEST(Mat3, TransposeTimesIsTheProductWithTheTranspose) {
    Random random(3);
    const Mat3 m{{random_vector(random), random_vector(random), random_vector(random)}};
    const Vec3 v = random_vector(random);
    EXPECT_LT(norm(transpose_times(m, v) - transpose(m) * v), 1e-15);
    EXPECT_EQ(m.column(1), transpose(m).row[1]);
    EXPECT_NEAR(determinant(Mat3::diagonal({2, 3, -4})), -24, 0);
}

TEST(Vec3, APerpendicularIsUnitAndPerpendicularAlsoAtThePoles) {
    Random random(4);
    double worst = 0;
    const auto look = [&](const Vec3& n) {
        worst = std::fmax(worst, std::abs(dot(perpendicular(n), n)));
        worst = std::fmax(worst, std::abs(norm(perpendicular(n)) - 1));
    };
    for (int i = 0; i < 1000; ++i) look(normalised(random_vector(random)));
    for (double sign : {1.0, -1.0})
        for (double tilt : {0.0, 1e-16, 1e-9, 1e-4}) look(normalised(Vec3{tilt, -tilt, sign}));
    EXPECT_LT(worst, 2e-15);  // measured 4.2e-16
}

// The nearest point of the box, found by clamping: another formula than the one tested.
TEST(Box3, Distance2IsThatToTheNearestPointAndZeroInside) {
    Random random(5);
    const Box3 box{{-1, -2, -0.5}, {1, 0.5, 3}};
    for (int i = 0; i < 10'000; ++i) {
        const Vec3 p = random_vector(random, 5);
        const Vec3 nearest = min(max(p, box.low), box.high);
        EXPECT_NEAR(box.distance2(p), norm2(p - nearest), 1e-14);
        EXPECT_EQ(box.distance2(p) == 0, box.contains(p));
    }
    EXPECT_EQ(Box3{}.distance2({1, 2, 3}), HUGE_VAL);
    const Box3 everything{{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    EXPECT_EQ(everything.distance2({1, 2, 3}), 0.0);
}

TEST(Box3, IsEmptyUntilSomethingIsAdded) {
    Box3 box;
    EXPECT_TRUE(box.empty());
    EXPECT_EQ(box.size(), Vec3{});
    box.add(Vec3{1, 2, 3});
    EXPECT_FALSE(box.empty());
    EXPECT_TRUE(box.contains({1, 2, 3}));
    box.add(Box3{{-1, -1, -1}, {0, 0, 0}});
    EXPECT_EQ(box.centre(), (Vec3{0, 0.5, 1}));
    EXPECT_TRUE(box.overlaps(Box3{{1, 2, 3}, {9, 9, 9}})) << "touching counts";
    EXPECT_FALSE(box.overlaps(Box3{{1.001, 2, 3}, {9, 9, 9}}));
    EXPECT_FALSE(box.overlaps(Box3{}));
}

}  // namespace
}  // namespace plush
