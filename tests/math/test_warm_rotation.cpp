#include "math/warm_rotation.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "math/matrices.hpp"
#include "math/polar.hpp"

namespace plush {
namespace {

using namespace test;
constexpr double pi = std::numbers::pi;

// A soft thing that tumbles at 10 rad/s and wobbles, at 60 steps a second.
TEST(WarmRotation, FollowsATumblingBodyInFewTurns) {
    Quat last{};
    int steps = 0, restarts = 0;
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const double t = i / 60.0;
        const Quat turn = exp_rotation(Vec3{6, 7, -4} * t);
        const Mat3 stretch =
            Mat3::diagonal({1 + 0.3 * std::sin(9 * t), 1 - 0.3 * std::sin(7 * t), 0.6}) +
            0.2 * std::sin(5 * t) * (outer({1, 0, 0}, {0, 1, 0}) + outer({0, 1, 0}, {1, 0, 0}));
        const Mat3 a = to_matrix(turn) * stretch;
        const WarmRotation found = warm_rotation(a, last);
        last = found.rotation;
        steps += found.steps, restarts += found.restarted;
        worst = std::fmax(worst, size(to_matrix(last) - polar(a).rotation));
    }
    EXPECT_LT(worst, 1e-13);  // measured 3.4e-15
    EXPECT_LT(steps, 3100);   // measured 2998, at 10° a step
    EXPECT_EQ(restarts, 0);
}

TEST(WarmRotation, FindsTheNearestFromAnyStart) {
    Random random(1);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const Known known(random, random_values(random, 1e4));
        if (known.gap() < 1e-5) continue;
        const Quat start = random_turn(random);
        const WarmRotation found = warm_rotation(known.a, start);
        EXPECT_LE(found.steps, 5);
        worst = std::fmax(worst, known.gap() * size(to_matrix(found.rotation) - known.rotation()));
    }
    EXPECT_LT(worst, 1e-13);  // measured 3.4e-15
}

// Half a turn off about an eigenvector of the stretch the gradient is zero. Müller's iteration stays there.
TEST(WarmRotation, IsNotCaughtHalfATurnOff) {
    Random random(2);
    for (int i = 0; i < 300; ++i) {
        const Known known(random, {1, 0.8, i % 2 ? 0.5 : -0.5});
        const Quat right = to_quaternion(known.rotation());
        for (std::size_t k = 0; k < 3; ++k)
            for (const double nearly : {0.0, 1e-12, 1e-6, 1e-2}) {
                const Vec3 axis = known.right.column(k) * (pi - nearly);
                const WarmRotation found = warm_rotation(known.a, right * exp_rotation(axis));
                EXPECT_LT(angle_between(found.rotation, right), 1e-12) << k << nearly;
                EXPECT_TRUE(found.restarted);
            }
    }
}

// A body crushed to a line may turn about it: it stays as it was. To nothing: it stays at all.
TEST(WarmRotation, OfSeveralNearestTakesTheOneNearestToTheLast) {
    Random random(3);
    for (int i = 0; i < 1000; ++i) {
        const Known known(random, {1, 0, 0});
        const Vec3 v = known.right.column(0), w = known.left.column(0);
        const Quat last = random_turn(random);
        const Quat found = warm_rotation(known.a, last).rotation;
        EXPECT_LT(norm(rotate(found, v) - w), 1e-14);
        const Vec3 now = rotate(last, v);  // the arc from here to w is all that it turns
        EXPECT_NEAR(angle_between(last, found), std::atan2(norm(cross(now, w)), dot(now, w)), 1e-7);
        EXPECT_LT(angle_between(warm_rotation(Mat3{}, last).rotation, last), 1e-15);
    }
}

TEST(WarmRotation, WhatIsNotFiniteKeepsTheLast) {
    const Quat last = normalised(Quat{1, 2, -3, 4});
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL}) {
        Mat3 a = Mat3::identity();
        a(1, 2) = bad;
        EXPECT_LT(angle_between(warm_rotation(a, last).rotation, last), 1e-15);
    }
    // A start that is no rotation is none.
    EXPECT_LT(angle_between(warm_rotation(Mat3::identity(), {0, 0, 0, 0}).rotation, {}), 1e-15);
}

// Through flat and inside out and back: the rotation moves no more a step than the body does.
TEST(WarmRotation, DoesNotFlickerWhereAnElementTurnsInsideOut) {
    Quat last{};
    double largest = 0;
    for (int i = 0; i <= 400; ++i) {
        const double height = 1 - i * 0.004;  // from 1 through 0 to −0.6: σ₃ passes zero, gap stays
        const Quat turn = exp_rotation({0, 0.002 * i, 0});
        const Quat found = warm_rotation(to_matrix(turn) * Mat3::diagonal({1, height, 1}), last).rotation;
        largest = std::fmax(largest, angle_between(last, found));
        last = found;
    }
    EXPECT_LT(largest, 0.0021);  // measured 0.002
}

}  // namespace
}  // namespace plush
