#include <gtest/gtest.h>

#include <numbers>

#include "math/matrices.hpp"
#include "plush/core/random.hpp"
#include "plush/math/rotation.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::angle_between;
using test::random_vector;

constexpr double pi = std::numbers::pi;

Vec3 random_axis(Random& random) {
    Vec3 v;
    do v = random_vector(random);
    while (norm(v) > 1 || norm(v) < 0.1);
    return normalised(v);
}

Quat random_rotation(Random& random) {
    return exp_rotation(random_axis(random) * random.uniform(0, pi));
}

double length(const Quat& q) {
    return std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
}

TEST(Rotation, ExpThenLogIsTheSameVectorFromTinyToNearlyPi) {
    Random random(1);
    double worst = 0;
    for (double angle : {0.0, 1e-300, 1e-16, 1e-9, 1e-8, 9.9e-5, 1e-4, 1.01e-4, 1e-3, 0.5, 2.0, pi - 1e-3,
                         pi - 1e-9, pi - 1e-14})
        for (int i = 0; i < 100; ++i) {
            const Vec3 v = random_axis(random) * angle;
            worst = std::fmax(worst, norm(log_rotation(exp_rotation(v)) - v) / std::fmax(angle, 1e-300));
        }
    EXPECT_LT(worst, 2e-15);  // measured 3.3e-16, relative
}

TEST(Rotation, LogOfMoreThanPiComesBackTheShorterWay) {
    const Vec3 axis = normalised(Vec3{1, 2, -3});
    for (double angle : {pi + 0.1, 1.5 * pi, 2 * pi - 1e-6, 2 * pi + 0.3}) {
        const double shorter = angle - 2 * pi;
        EXPECT_LT(norm(log_rotation(exp_rotation(axis * angle)) - axis * shorter), 2e-15) << angle;
    }
}

TEST(Rotation, ExpIsAUnitQuaternionAndTurnsByTheRightHand) {
    EXPECT_LT(norm(rotate(exp_rotation({0, 0, pi / 2}), {1, 0, 0}) - Vec3{0, 1, 0}), 1e-15);
    EXPECT_LT(norm(rotate(from_axis_angle({0, 5, 0}, 90), {0, 0, 1}) - Vec3{1, 0, 0}), 1e-15);
    Random random(2);
    for (int i = 0; i < 1000; ++i)
        EXPECT_NEAR(length(exp_rotation(random_axis(random) * random.uniform(0, 100))), 1, 3e-16);
}

TEST(Rotation, TheMatrixIsOrthogonalRightHandedAndTurnsAsTheQuaternionDoes) {
    Random random(3);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const Quat q = random_rotation(random), r = random_rotation(random);
        const Mat3 m = to_matrix(q), identity = m * transpose(m);
        for (std::size_t k = 0; k < 3; ++k)
            worst = std::fmax(worst, norm(identity.row[k] - Mat3::identity().row[k]));
        worst = std::fmax(worst, std::abs(determinant(m) - 1));
        const Vec3 v = random_axis(random);
        worst = std::fmax(worst, norm(m * v - rotate(q, v)));
        worst = std::fmax(worst, norm(rotate(q * r, v) - rotate(q, rotate(r, v))));
    }
    EXPECT_LT(worst, 3e-15);  // measured 2.1e-15
}

TEST(Rotation, NormalisingNothingGivesTheIdentity) {
    EXPECT_EQ(normalised(Quat{0, 0, 0, 0}), Quat());
    EXPECT_NEAR(length(normalised(Quat{3, -4, 12, 84})), 1, 1e-16);
}

TEST(Rotation, SlerpStartsAtAEndsAtBAndTurnsEvenly) {
    Random random(4);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const Quat a = random_rotation(random), b = random_rotation(random);
        worst = std::fmax(worst, angle_between(slerp(a, b, 0), a));
        worst = std::fmax(worst, angle_between(slerp(a, b, 1), b));
        const double t = random.uniform(), whole = angle_between(a, b);
        worst = std::fmax(worst, std::abs(angle_between(a, slerp(a, b, t)) - t * whole));
        worst = std::fmax(worst, std::abs(angle_between(slerp(a, b, t), b) - (1 - t) * whole));
    }
    EXPECT_LT(worst, 3e-15);  // measured 8.9e-16
}

TEST(Rotation, SlerpTakesTheShorterArcWhateverTheSigns) {
    const Quat a = from_axis_angle({0, 1, 0}, 10), b = from_axis_angle({0, 1, 0}, 50);
    const Quat minus_b{-b.w, -b.x, -b.y, -b.z}, middle = from_axis_angle({0, 1, 0}, 30);
    EXPECT_LT(angle_between(slerp(a, b, 0.5), middle), 1e-15);
    EXPECT_LT(angle_between(slerp(a, minus_b, 0.5), middle), 1e-15);
    // 350° and 10° are 20° apart, through 0°.
    const Quat c = from_axis_angle({0, 1, 0}, 350);
    EXPECT_LT(angle_between(slerp(c, a, 0.5), Quat()), 1e-15);
}

TEST(Transform, TheInverseUndoesAndProductsCompose) {
    Random random(5);
    double worst = 0;
    for (int i = 0; i < 1000; ++i) {
        const Transform a{random_axis(random) * 3, random_rotation(random)};
        const Transform b{random_axis(random) * 3, random_rotation(random)};
        const Vec3 p = random_axis(random);
        worst = std::fmax(worst, norm(inverse(a) * (a * p) - p));
        worst = std::fmax(worst, norm(a * (inverse(a) * p) - p));
        worst = std::fmax(worst, norm((a * b) * p - a * (b * p)));
        worst = std::fmax(worst, norm((a * inverse(a)).position));
    }
    EXPECT_LT(worst, 1e-14);  // measured 6.4e-15
}

// Half turns, where w is zero, are the place where quaternions of matrices go wrong.
TEST(Rotation, AMatrixGivesItsQuaternionBack) {
    Random random(17);
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const double angle = i % 2 ? random.uniform(0, pi) : pi - std::pow(10, random.uniform(-17, 0));
        const Mat3 r = to_matrix(exp_rotation(random_axis(random) * angle));
        const Quat q = to_quaternion(r);
        EXPECT_GE(q.w, 0);
        EXPECT_NEAR(length(q), 1, 1e-15);
        const Mat3 apart = to_matrix(q) - r;
        worst = std::fmax(worst, std::sqrt(norm2(apart.row[0]) + norm2(apart.row[1]) + norm2(apart.row[2])));
    }
    EXPECT_LT(worst, 6e-15);  // measured 2.8e-15
    for (const Vec3& d : {Vec3{1, 1, 1}, Vec3{1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, -1, 1}})
        EXPECT_EQ(to_matrix(to_quaternion(Mat3::diagonal(d))), Mat3::diagonal(d));
}

}  // namespace
}  // namespace plush
