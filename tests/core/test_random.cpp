#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "plush/core/random.hpp"

namespace plush {
namespace {

// [rand.predef]: the 10000th value of a default-constructed mt19937_64 (seed 5489) is 9981545732273789042.
TEST(Random, TheStreamIsTheOneOfTheStandard) {
    Random random(5489);
    for (int i = 1; i < 10'000; ++i) random.bits();
    EXPECT_EQ(random.bits(), 9981545732273789042u);
}

// 14514284786278117030 is the first output of the reference mt19937-64 for seed 5489 (Matsumoto & Nishimura).
TEST(Random, FirstValuesAreKnown) {
    EXPECT_EQ(Random(5489).bits(), 14514284786278117030u);
    EXPECT_EQ(Random(5489).uniform(), static_cast<double>(14514284786278117030u >> 11) / 0x1p53);
    EXPECT_EQ(Random(5489).below(1000), 30u);
    EXPECT_EQ(Random(7).bits(), Random(7).bits());
    EXPECT_NE(Random(7).bits(), Random(8).bits());
}

TEST(Random, UniformNumbersFillTheirRangeAndStayInside) {
    Random random(3);
    std::array<int, 10> bins{};
    double sum = 0;
    const int n = 100'000;
    for (int i = 0; i < n; ++i) {
        const double u = random.uniform();
        ASSERT_GE(u, 0.0);
        ASSERT_LT(u, 1.0);
        sum += u;
        ++bins[static_cast<std::size_t>(u * 10)];
        const double v = random.uniform(-2, 5);
        ASSERT_GE(v, -2.0);
        ASSERT_LT(v, 5.0);
        ASSERT_LT(random.below(7), 7u);
    }
    EXPECT_NEAR(sum / n, 0.5, 5 * 0.2887 / std::sqrt(n));  // five standard errors
    for (int count : bins) EXPECT_NEAR(count, n / 10, 5 * std::sqrt(n * 0.09));
}

}  // namespace
}  // namespace plush
