#include <gtest/gtest.h>

#include <limits>

#include "math/matrices.hpp"
#include "math/svd3.hpp"

namespace plush {
namespace {

using namespace test;

void expect_svd(const Mat3& a, double tolerance = 4e-15) {
    const Svd3 s = svd3(a);
    EXPECT_LT(skewness(s.left), 1e-14);
    EXPECT_LT(skewness(s.right), 1e-14);
    EXPECT_NEAR(determinant(s.left), 1, 1e-14);
    EXPECT_NEAR(determinant(s.right), 1, 1e-14);
    EXPECT_GE(s.sigma.x, s.sigma.y);
    EXPECT_GE(s.sigma.y, std::abs(s.sigma.z) * (1 - 1e-14));
    const Mat3 back = s.left * Mat3::diagonal(s.sigma) * transpose(s.right);
    EXPECT_LE(size(back - a), tolerance * size(a));  // worst measured 2.5e-15
}

TEST(Svd3, MakesTheMatrixAgainFromTwoRotationsAndSortedValues) {
    Random random(1);
    for (int i = 0; i < 20000; ++i) expect_svd(Known(random, random_values(random, 1e12)).a);
}

TEST(Svd3, IsDefinedForSpecialMatrices) {
    const Vec3 x{1, 0, 0}, y{0, 1, 0}, n = normalised(Vec3{1, 2, -3});
    for (const Mat3& a : {Mat3::identity(), -1.0 * Mat3::identity(), Mat3::diagonal({0, 0, 1}),
                          Mat3::diagonal({0, -2, 1}), Mat3::diagonal({1, 1, 1e-200}), outer(x, y),
                          outer(n, n), outer(n, x) + 1e-170 * outer(x, y), skew(n), Mat3{{n, n, n}}})
        expect_svd(a);
    const Svd3 zero = svd3(Mat3{});
    EXPECT_EQ(zero.left, Mat3::identity());
    EXPECT_EQ(zero.right, Mat3::identity());
    EXPECT_EQ(zero.sigma, Vec3{});
}

TEST(Svd3, SizeDoesNotMatter) {
    Random random(2);
    const Mat3 a = Known(random, {1, 0.3, -0.2}).a;
    const Svd3 s = svd3(a);
    for (const int exponent : {-1000, -500, 500, 1000}) {
        const Svd3 far = svd3(scaled(a, exponent));
        EXPECT_LT(size(far.left - s.left), 1e-14) << exponent;
        EXPECT_NEAR(std::ldexp(far.sigma.z, -exponent), s.sigma.z, 1e-15) << exponent;
    }
    const double least = std::numeric_limits<double>::denorm_min();
    EXPECT_EQ(svd3(Mat3::diagonal({0, least, 0})).sigma.x, least);
}

// The square root of an eigenvalue of AᵀA would have no digit right here.
TEST(Svd3, SmallValuesKeepTheirDigits) {
    Random random(3);
    double worst = 0;
    for (int i = 0; i < 2000; ++i)
        worst = std::fmax(worst, std::abs(svd3(Known(random, {1, 1e-5, 1e-10}).a).sigma.z / 1e-10 - 1));
    EXPECT_LT(worst, 4e-6);  // measured 1.4e-6, of which most is the rounding of A itself
}

}  // namespace
}  // namespace plush
