#include "math/polar.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numbers>

#include "math/matrices.hpp"
#include "math/polar_kernel.hpp"
#include "math/svd3.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using namespace test;
constexpr double pi = std::numbers::pi;
constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = HUGE_VAL;

// The check that the method was given: of the function that the engine calls, on n matrices with condition up
// to 1e6 and determinants of both signs, of sizes from 1e-30 to 1e30.
void the_check(int n, std::uint64_t seed) {
    Random random(seed);
    double skew = 0, from_svd = 0, from_known = 0, product = 0, stretch = 0, det = 0;
    int negative = 0;
    for (int i = 0; i < n; ++i) {
        const Vec3 sigma = random_values(random, 1e6) * std::pow(10, random.uniform(-30, 30));
        const Known known(random, sigma);
        const Polar p = polar(known.a);
        negative += sigma.z < 0;
        skew = std::fmax(skew, skewness(p.rotation));
        det = std::fmax(det, std::abs(determinant(p.rotation) - 1));
        product = std::fmax(product, size(p.rotation * p.stretch - known.a) / sigma.x);
        // Of a reflection with σ₂ near σ₃ the stretch itself is not well conditioned.
        if (sigma.z > 0) stretch = std::fmax(stretch, size(p.stretch - known.stretch()) / sigma.x);
        if (known.gap() < 1e-8) continue;
        from_svd = std::fmax(from_svd, size(p.rotation - polar(known.a, PolarMethod::svd).rotation));
        from_known = std::fmax(from_known, size(p.rotation - known.rotation()));
    }
    EXPECT_GT(negative, n / 3);
    // Measured on a million beside each.
    EXPECT_LT(skew, 1e-9);        // 2.6e-15
    EXPECT_LT(det, 1e-9);         // 2.2e-15
    EXPECT_LT(from_svd, 1e-6);    // 2.4e-13: below a gap of about 1e-3 they are the same code
    EXPECT_LT(from_known, 1e-6);  // 9.8e-9, of which most is the rounding of A, divided by gap
    EXPECT_LT(product, 1e-14);    // 2.1e-15
    EXPECT_LT(stretch, 1e-14);    // 2.2e-15
}

TEST(Polar, HoldsTheCheckOnATenthOfAMillionMatrices) {
    the_check(100'000, 1);
}
TEST(PolarExhaustiveFull, HoldsTheCheckOnAMillionMatrices) {
    the_check(1'000'000, 2);
}

// Uniform entries, as an adversary without a plan would choose them.
TEST(Polar, AnyMatrixGivesTheRotationWithTheLargestTrace) {
    Random random(3);
    for (int i = 0; i < 2000; ++i) {
        Mat3 a;
        for (Vec3& row : a.row) row = random_vector(random);
        const Mat3 r = polar(a).rotation;
        const double best = trace(transpose(r) * a);
        for (int k = 0; k < 20; ++k) {
            // Half of the rivals anywhere, half of them near.
            Mat3 q = to_matrix(random_turn(random));
            if (k % 2) q = r * to_matrix(exp_rotation(random_vector(random, 0.1)));
            EXPECT_LE(trace(transpose(q) * a), best + 1e-14);
        }
    }
}

// Each raw route in the range that its word promises. The closed form works on AᵀA: its error grows with the
// square of the condition.
TEST(Polar, RawRoutesAreRightInTheirRanges) {
    Random random(4);
    double svd = 0, newton = 0, closed = 0, closed_far = 0;
    for (int i = 0; i < 20000; ++i) {
        const Known known(random, random_values(random, 1e6));
        const auto error = [&](PolarMethod m) { return size(polar(known.a, m).rotation - known.rotation()); };
        svd = std::fmax(svd, known.gap() * error(PolarMethod::svd));
        newton = std::fmax(newton, known.gap() * error(PolarMethod::newton));
        const double condition = 1 / std::abs(known.sigma.z);
        const double c = known.gap() * error(PolarMethod::closed_form) / condition;
        if (condition <= 1e3 && known.gap() > 0.1)
            closed = std::fmax(closed, error(PolarMethod::closed_form));
        if (condition > 1e5) closed_far = std::fmax(closed_far, c);
    }
    EXPECT_LT(svd, 1e-14);        // measured 3.3e-15
    EXPECT_LT(newton, 1e-14);     // measured 2.7e-15
    EXPECT_LT(closed, 1e-9);      // measured 1.4e-10
    EXPECT_GT(closed_far, 1e-9);  // measured 7e-7: outside it is as bad as its word says
}

// A flat matrix, of rank 2: unique, and no route through an inverse finds it.
TEST(Polar, RankTwoIsUnique) {
    Random random(5);
    for (int i = 0; i < 1000; ++i) {
        const Known known(random, {1, random.uniform(0.05, 1), 0});
        for (const PolarMethod method : {PolarMethod::automatic, PolarMethod::svd}) {
            const Polar p = polar(known.a, method);
            EXPECT_LT(size(p.rotation - known.rotation()), 1e-14);  // worst measured 2.3e-15
            EXPECT_NEAR(determinant(p.stretch), 0, 1e-15);
        }
    }
    // Exactly flat: the xy plane, turned by 90° about z.
    const Mat3 quarter = to_matrix(from_axis_angle({0, 0, 1}, 90));
    EXPECT_LT(size(polar(quarter * Mat3::diagonal({3, 2, 0})).rotation - quarter), 1e-15);
}

TEST(Polar, AReflectionGetsTheRotationAndTheStretchTakesTheSign) {
    const Polar p = polar(Mat3::diagonal({3, -1, 2}));
    EXPECT_LT(size(p.rotation - Mat3::identity()), 1e-15);
    EXPECT_LT(size(p.stretch - Mat3::diagonal({3, -1, 2})), 1e-15);
    // The shortest direction is the one that flips: the nearest rotation of this one is a half turn about x.
    const Polar q = polar(Mat3::diagonal({-1, -3, -2}));
    EXPECT_LT(size(q.rotation - Mat3::diagonal({1, -1, -1})), 1e-15);
    EXPECT_LT(size(q.stretch - Mat3::diagonal({-1, 3, 2})), 1e-15);
}

TEST(Polar, RankOneTurnsLeast) {
    Random random(6);
    for (int i = 0; i < 1000; ++i) {
        const Known known(random, {random.uniform(0.1, 10), 0, 0});
        const Vec3 v = known.right.column(0), w = known.left.column(0);
        const Mat3 r = polar(known.a).rotation;
        EXPECT_LT(skewness(r), 1e-14);
        EXPECT_LT(norm(r * v - w), 1e-14);
        EXPECT_NEAR(angle_of(r), std::atan2(norm(cross(v, w)), dot(v, w)), 1e-13);  // measured 1.3e-15
        // Every other nearest rotation is this one after a turn about v, and turns more.
        for (const double more : {-2.0, -0.3, 0.3, 2.0})
            EXPECT_GE(angle_of(r * to_matrix(exp_rotation(v * more))), angle_of(r) - 1e-7);
    }
}

TEST(Polar, RankOneThatPointsBackIsAHalfTurnAboutANamedAxis) {
    Random random(7);
    for (int i = 0; i < 100; ++i) {
        const Vec3 v = rotate(random_turn(random), {1, 0, 0});
        const Mat3 r = polar(-2.0 * outer(v, v)).rotation;
        EXPECT_LT(norm(r * v + v), 1e-14);
        EXPECT_LT(norm(r * perpendicular(v) - perpendicular(v)), 1e-14);  // measured 2e-15
        // Nearly back, too: the arc still ends where it must, to the last digits.
        const Vec3 w = normalised(-v + 3e-8 * perpendicular(v));
        EXPECT_LT(norm(polar(outer(w, v)).rotation * v - w), 1e-14);
    }
    // The axis as the header says it, without rounding.
    EXPECT_LT(size(polar(Mat3::diagonal({-1, 0, 0})).rotation -
                   to_matrix({0, perpendicular({1, 0, 0}).x, perpendicular({1, 0, 0}).y,
                              perpendicular({1, 0, 0}).z})),
              1e-15);
}

TEST(Polar, EqualShortDirectionsOfAReflectionTurnLeast) {
    Random random(8);
    for (int i = 0; i < 1000; ++i) {
        const double s = random.uniform(0.01, 0.9);
        const Known known(random, {1, s, -s});
        const Vec3 v = known.right.column(0), w = known.left.column(0);
        const Mat3 r = polar(known.a).rotation;
        EXPECT_LT(norm(r * v - w), 1e-13);
        EXPECT_NEAR(angle_of(r), std::atan2(norm(cross(v, w)), dot(v, w)), 1e-13);  // measured 4e-15
        // It is nearest: the trace is that of any other, σ₁ + σ₂ − σ₃.
        EXPECT_NEAR(trace(transpose(r) * known.a), 1, 1e-13);
    }
}

TEST(Polar, AnInvertedRotationTurnsByWhatIsMissingToAHalfTurn) {
    Random random(9);
    for (int i = 0; i < 1000; ++i) {
        const Vec3 axis = rotate(random_turn(random), {1, 0, 0});
        const double theta = random.uniform(0, pi);
        const Mat3 q = to_matrix(exp_rotation(axis * theta));
        const Mat3 expected = to_matrix(exp_rotation(axis * (theta - pi)));
        EXPECT_LT(size(polar(-3.0 * q).rotation - expected), 1e-13) << theta;  // measured 5e-15
    }
    EXPECT_EQ(polar(-1.0 * Mat3::identity()).rotation, Mat3::diagonal({1, -1, -1}));
    EXPECT_EQ(polar(-1e300 * Mat3::identity()).rotation, Mat3::diagonal({1, -1, -1}));
}

TEST(Polar, ZeroAndWhatIsNotFiniteGiveTheIdentityByEveryRoute) {
    for (const PolarWord& word : polar_choices()) {
        const Polar zero = polar(Mat3{}, word.method);
        EXPECT_EQ(zero.rotation, Mat3::identity()) << word.word;
        EXPECT_EQ(zero.stretch, Mat3{}) << word.word;
        for (const double bad : {nan, inf, -inf})
            for (std::size_t k = 0; k < 9; ++k) {
                Mat3 a = Mat3::diagonal({1, 2, 3});
                a(k / 3, k % 3) = bad;
                EXPECT_EQ(polar(a, word.method).rotation, Mat3::identity()) << word.word << k;
                EXPECT_EQ(polar(a, word.method).stretch, Mat3{}) << word.word << k;
            }
    }
}

// Whatever goes in, no NaN comes out, by any word.
TEST(Polar, NeverANan) {
    const double least = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
    const std::array values{0.0, 1.0, -1.0, least, -least, 1e-160, -1e160, most, -most};
    Random random(10);
    for (int i = 0; i < 20000; ++i) {
        Mat3 a;
        for (std::size_t k = 0; k < 9; ++k) a(k / 3, k % 3) = values[random.below(values.size())];
        for (const PolarWord& word : polar_choices()) {
            const Polar p = polar(a, word.method);
            EXPECT_TRUE(is_finite(p.rotation)) << word.word;
            for (const Vec3& row : p.stretch.row)
                EXPECT_FALSE(std::isnan(row.x) || std::isnan(row.y) || std::isnan(row.z)) << word.word;
            if (word.method == PolarMethod::automatic || word.method == PolarMethod::svd) {
                EXPECT_LT(skewness(p.rotation), 1e-14);
                EXPECT_NEAR(determinant(p.rotation), 1, 1e-14);
            }
        }
    }
}

TEST(Polar, SizeDoesNotMatter) {
    Random random(11);
    const Known known(random, {1, 0.7, -0.2});
    for (const PolarWord& word : polar_choices())
        for (const int exponent : {-1000, -400, -130, 0, 130, 400, 1000})
            EXPECT_LT(size(polar(scaled(known.a, exponent), word.method).rotation - known.rotation()), 1e-13)
                << word.word << exponent;
    const double least = std::numeric_limits<double>::denorm_min();
    const Mat3 quarter = to_matrix(from_axis_angle({0, 0, 1}, 90));
    EXPECT_LT(
        size(polar(Mat3{{Vec3{0, -least, 0}, Vec3{least, 0, 0}, Vec3{0, 0, least}}}).rotation - quarter),
        1e-15);
}

TEST(Polar, ARotationIsItself) {
    Random random(12);
    for (int i = 0; i < 1000; ++i) {
        const Mat3 r = to_matrix(random_turn(random));
        for (const PolarWord& word : polar_choices()) {
            EXPECT_LT(size(polar(r, word.method).rotation - r), 1e-14) << word.word;  // measured 1.6e-15
            EXPECT_LT(size(polar(5.0 * r, word.method).stretch - 5.0 * Mat3::identity()), 1e-13)
                << word.word;  // 1.1e-14
        }
    }
}

// The kernel must answer by itself what hot loops ask, or they would crawl without anybody noticing.
TEST(Polar, TheKernelAnswersWhatItPromises) {
    Random random(13);
    int answered = 0;
    for (int i = 0; i < 20000; ++i) {
        const Known known(random, random_values(random, 1e6));
        const Mat3& a = known.a;
        const auto found = polar_kernel::nearest_rotation(polar_kernel::Columns<double>{
            {a(0, 0), a(1, 0), a(2, 0)}, {a(0, 1), a(1, 1), a(2, 1)}, {a(0, 2), a(1, 2), a(2, 2)}});
        const auto [x, y, z] = known.sigma;
        const double measure = (x + y) * (y + z) * (z + x) / std::pow(x + y + z, 3);
        if (std::abs(measure / polar_kernel::least_gap - 1) < 1e-6) continue;
        EXPECT_EQ(found.inside, measure > polar_kernel::least_gap) << measure;
        answered += found.inside;
    }
    EXPECT_GT(answered, 15000);  // measured 16743
}

TEST(Polar, TheCosineOfAThirdIsAPolynomial) {
    double worst = 0;
    for (int i = 0; i <= 1000; ++i) {
        const double x = -1 + i * 0.002;
        const double third = polar_kernel::cosine_of_two_thirds(std::sqrt(0.5 + 0.5 * x));
        worst = std::fmax(worst, std::abs(third - std::cos(std::acos(std::fmin(x, 1.0)) / 3)));
    }
    EXPECT_LT(worst, 6e-10);  // measured 5.5e-10
}

}  // namespace
}  // namespace plush
