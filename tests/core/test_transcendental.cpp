#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "core/transcendental.hpp"
#include "plush/core/random.hpp"
#include "plush/core/state.hpp"

// The pinned functions against the 64 bits of long double, and their bits against what they were.

namespace plush {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double pi = 3.14159265358979323846;

/// The distance of a double to its neighbour, at the size of x.
double unit(long double x) {
    if (std::abs(x) < 0x1p-1022L) return 0x1p-1074;
    int e = 0;
    static_cast<void>(std::frexp(x, &e));
    return std::ldexp(1.0, e - 53);
}

double error_in_units(double found, long double expected) {
    return static_cast<double>(std::abs(found - expected) / unit(expected));
}

/// Any finite double: all sizes are as frequent.
double of_any_size(Random& random) {
    for (;;)
        if (const double x = std::bit_cast<double>(random.bits()); std::isfinite(x)) return x;
}

using Draw = std::function<double(Random&)>;
Draw between(double low, double high) {
    return [=](Random& random) { return random.uniform(low, high); };
}
/// Towards 1 from below, and towards 0.
double near_one(Random& random) {
    const double x = random.uniform(0.5, 1);
    return 1 - std::ldexp(x, -static_cast<int>(random.below(52)));
}
double small(Random& random) {
    const double x = random.uniform(-1, 1);
    return std::ldexp(x, -static_cast<int>(random.below(60)));
}

struct Case {
    const char* name;
    std::function<double(double, double)> pinned;  ///< of x, y
    std::function<long double(long double, long double)> exact;
    Draw draw;
    double most;  ///< units in the last place; the measured value of 10⁶ points stands beside it
};

std::vector<Case> cases() {
    using L = long double;
    const auto sin = [](double x, double) { return pinned::sin(x); };
    const auto cos = [](double x, double) { return pinned::cos(x); };
    const auto tan = [](double x, double) { return pinned::tan(x); };
    const auto acos = [](double x, double) { return pinned::acos(x); };
    const auto atan2 = [](double x, double y) { return pinned::atan2(y, x); };
    const auto exp = [](double x, double) { return pinned::exp(x); };
    const auto log = [](double x, double) { return pinned::log(std::abs(x)); };
    const auto cbrt = [](double x, double) { return pinned::cbrt(x); };
    const auto hypot = [](double x, double y) { return pinned::hypot(x, y); };
    const auto sin_l = [](L x, L) { return std::sin(x); };
    const auto cos_l = [](L x, L) { return std::cos(x); };
    const auto tan_l = [](L x, L) { return std::tan(x); };
    const auto acos_l = [](L x, L) { return std::acos(x); };
    const auto atan2_l = [](L x, L y) { return std::atan2(y, x); };
    const auto exp_l = [](L x, L) { return std::exp(x); };
    const auto log_l = [](L x, L) { return std::log(std::abs(x)); };
    const auto cbrt_l = [](L x, L) { return std::cbrt(x); };
    const auto hypot_l = [](L x, L y) { return std::hypot(x, y); };
    return {{"sin", sin, sin_l, between(-10, 10), 0.56},   // 0.5557
            {"sin large", sin, sin_l, of_any_size, 0.56},  // 0.5483
            {"sin 10⁶", sin, sin_l, between(-1e6, 1e6), 0.56},
            {"cos", cos, cos_l, between(-10, 10), 0.56},
            {"cos large", cos, cos_l, of_any_size, 0.56},
            {"tan", tan, tan_l, between(-10, 10), 0.58},
            {"acos", acos, acos_l, between(-1, 1), 0.51},
            {"acos near 1", acos, acos_l, near_one, 0.51},
            {"atan2", atan2, atan2_l, between(-1, 1), 0.51},
            {"atan2 small", atan2, atan2_l, small, 0.51},
            {"atan2 large", atan2, atan2_l, of_any_size, 0.51},
            {"exp", exp, exp_l, between(-708, 709), 0.53},
            {"exp near 0", exp, exp_l, between(-1, 1), 0.53},
            {"exp below the normal", exp, exp_l, between(-745, -708), 0.80},  // rounded twice there
            {"log", log, log_l, of_any_size, 0.51},
            {"log near 1", log, log_l, between(0.5, 2), 0.54},
            {"cbrt", cbrt, cbrt_l, of_any_size, 0.501},
            {"hypot", hypot, hypot_l, between(-1, 1), 0.501},
            {"hypot large", hypot, hypot_l, of_any_size, 0.501}};
}

void expect_close(int points) {
    for (const Case& c : cases()) {
        Random random(7);
        double worst = 0, at = 0;
        for (int i = 0; i < points; ++i) {
            const double x = c.draw(random), y = c.draw(random);
            const long double expected = c.exact(x, y);
            if (!std::isfinite(static_cast<double>(expected))) continue;
            const double error = error_in_units(c.pinned(x, y), expected);
            if (!(error <= worst)) worst = error, at = x;
        }
        EXPECT_LT(worst, c.most) << c.name << " at " << at;
    }
}

TEST(Transcendental, AreRightToAboutHalfAUnitInTheLastPlace) {
    expect_close(20'000);
}
TEST(TranscendentalExhaustiveFull, AreRightToAboutHalfAUnitInTheLastPlace) {
    expect_close(4'000'000);
}

// Multiples of π/2 that are close to a double: what is left after the reduction has lost all leading digits.
TEST(Transcendental, ArgumentsNextToMultiplesOfARightAngleAreReducedExactly) {
    for (int k = 1; k < 20'000; ++k) {
        const double x = k * (pi / 2);
        EXPECT_LT(error_in_units(pinned::sin(x), std::sin(static_cast<long double>(x))), 0.56) << k;
        EXPECT_LT(error_in_units(pinned::cos(x), std::cos(static_cast<long double>(x))), 0.56) << k;
    }
    // The double that is nearest to a multiple of π/2 for its size (Kahan); cos to 17 digits from 2,400 bits.
    const double worst = std::ldexp(6381956970095103.0, 797);
    EXPECT_EQ(pinned::cos(worst), -4.687165924254628e-19);
}

TEST(Transcendental, SpecialValuesAreThoseOfAnnexF) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double x : {inf, -inf, nan}) {
        EXPECT_TRUE(std::isnan(pinned::sin(x)) && std::isnan(pinned::cos(x)) && std::isnan(pinned::tan(x)));
        EXPECT_TRUE(std::isnan(pinned::acos(x)));
    }
    EXPECT_TRUE(std::isnan(pinned::acos(1 + 1e-15)) && std::isnan(pinned::log(-1)) &&
                std::isnan(pinned::exp(nan)));
    EXPECT_TRUE(std::signbit(pinned::sin(-0.0)) && std::signbit(pinned::cbrt(-0.0)));
    EXPECT_EQ(pinned::acos(1), 0);
    EXPECT_EQ(pinned::acos(-1), pi);
    EXPECT_EQ(pinned::cos(0), 1);
    EXPECT_EQ(pinned::exp(-inf), 0);
    EXPECT_EQ(pinned::exp(inf), inf);
    EXPECT_EQ(pinned::exp(0), 1);
    EXPECT_EQ(pinned::exp(709.8), inf);
    EXPECT_EQ(pinned::log(0), -inf);
    EXPECT_EQ(pinned::log(inf), inf);
    EXPECT_EQ(pinned::log(1), 0);
    EXPECT_EQ(pinned::cbrt(-27), -3);
    EXPECT_EQ(pinned::cbrt(inf), inf);
    EXPECT_EQ(pinned::hypot(3e300, 4e300), 5e300);
    EXPECT_EQ(pinned::hypot(5e-324, 0), 5e-324);
    EXPECT_EQ(pinned::hypot(nan, -inf), inf);
    const double values[] = {inf, -inf, 0.0, -0.0, 1.0, -1.0, 5e-324, -5e-324, 1e308};
    for (const double y : values)
        for (const double x : values) {
            const double expected = std::atan2(y, x), found = pinned::atan2(y, x);
            EXPECT_EQ(found, expected) << y << ' ' << x;
            EXPECT_EQ(std::signbit(found), std::signbit(expected)) << y << ' ' << x;
        }
}

// The same on every machine and with every compiler: this is what the functions are for.
TEST(Transcendental, TheirBitsAreStored) {
    std::vector<double> values;
    for (const Case& c : cases()) {
        Random random(11);
        for (int i = 0; i < 1000; ++i) {
            const double x = c.draw(random), y = c.draw(random);
            values.push_back(c.pinned(x, y));
        }
    }
    EXPECT_EQ(checksum(std::as_bytes(std::span(values))), 17094710557211893676u);
}

}  // namespace
}  // namespace plush
