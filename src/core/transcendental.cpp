#include "core/transcendental.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

// The classical way: reduce the argument to where a Taylor series is short, keep the leading terms as a sum of two
// doubles, and round once in the end. Dekker, "A floating-point technique for extending the available precision"
// (1971), for the sums of two; Cody and Waite (1980) and Payne and Hanek (1983) for the reductions. Only operations
// that IEEE 754 rounds exactly are used: + - * / sqrt fma, so every machine and compiler finds the same bits.

namespace plush::pinned {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// high + low with |low| at most half a unit in the last place of high: about 106 bits.
struct Pair {
    double high = 0, low = 0;
};

/// a + b without error, for |a| >= |b| or a = 0.
Pair fast_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
}

Pair sum(double a, double b) {
    const double s = a + b, t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

Pair product(double a, double b) {
    const double p = a * b;
    return {p, std::fma(a, b, -p)};
}

Pair operator-(Pair a) {
    return {-a.high, -a.low};
}
Pair operator+(Pair a, Pair b) {
    const Pair s = sum(a.high, b.high);
    return fast_sum(s.high, s.low + (a.low + b.low));
}
Pair operator*(Pair a, Pair b) {
    const Pair p = product(a.high, b.high);
    return fast_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
Pair operator/(Pair a, Pair b) {
    const double q = a.high / b.high;
    const double rest = std::fma(-q, b.high, a.high) + (a.low - q * b.low);
    return fast_sum(q, rest / b.high);
}
Pair square_root(Pair a) {
    const double root = std::sqrt(a.high);
    if (!(root > 0)) return {root, 0};
    return fast_sum(root, (std::fma(-root, root, a.high) + a.low) / (2 * root));
}

/// c0 + c1 x + c2 x² + …
template <std::size_t N>
double polynomial(const std::array<double, N>& c, double x) {
    double value = c[N - 1];
    for (std::size_t k = N - 1; k-- > 0;) value = std::fma(value, x, c[k]);
    return value;
}

constexpr Pair pi{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
constexpr Pair half_pi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// ---- sin and cos: x = k π/2 + r, |r| <= π/4 ------------------------------------------------------------------------

struct Reduced {
    unsigned quadrant = 0;  ///< k mod 4
    Pair r{};
};

/// The bits of 2/π behind the binary point; a zero word before them.
constexpr std::array<std::uint64_t, 22> two_over_pi{0,
                                                    0xa2f9836e4e441529,
                                                    0xfc2757d1f534ddc0,
                                                    0xdb6295993c439041,
                                                    0xfe5163abdebbc561,
                                                    0xb7246e3a424dd2e0,
                                                    0x06492eea09d1921c,
                                                    0xfe1deb1cb129a73e,
                                                    0xe88235f52ebb4484,
                                                    0xe99c7026b45f7e41,
                                                    0x3991d639835339f4,
                                                    0x9c845f8bbdf9283b,
                                                    0x1ff897ffde05980f,
                                                    0xef2f118b5a0a6d1f,
                                                    0x6d367ecf27cb09b7,
                                                    0x4f463f669e5fea2d,
                                                    0x7527bac7ebe5f17b,
                                                    0x3d0739f78a5292ea,
                                                    0x6bfb5fb11f8d5d08,
                                                    0x56033046fc7b6bab,
                                                    0xf0cfbc209af4361d,
                                                    0xa9e391615ee61b08};

__extension__ using Wide = unsigned __int128;

/// Words of a number, the highest first.
using Words = std::array<std::uint64_t, 4>;

/// `count` bits from bit `at` on, moved to the top.
std::uint64_t top_bits(const Words& words, unsigned at, unsigned count) {
    const std::size_t w = at / 64;
    const unsigned shift = at % 64;
    std::uint64_t bits = words[w] << shift;
    if (shift > 0 && w + 1 < words.size()) bits |= words[w + 1] >> (64 - shift);
    return count < 64 ? bits >> (64 - count) << (64 - count) : bits;
}

/// Payne and Hanek: x = m 2^e with an integer m, and only those 256 bits of 2/π are multiplied by m that are left
/// when multiples of 4 are taken away. For x > 0 of any size; the error of r is below 2^-100 of it.
Reduced reduced_by_integers(double x) {
    int exponent = 0;
    const auto m = static_cast<std::uint64_t>(std::ldexp(std::frexp(x, &exponent), 53));
    const auto first = static_cast<unsigned>(64 + (exponent - 53) - 2);  // of the bits that matter
    Words factor{}, product{};
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned w = first / 64 + i, shift = first % 64;
        factor[i] = two_over_pi[w] << shift;
        if (shift > 0) factor[i] |= two_over_pi[w + 1] >> (64 - shift);
    }
    std::uint64_t carry = 0;
    for (std::size_t i = 4; i-- > 0;) {
        const Wide part = static_cast<Wide>(factor[i]) * m + carry;
        product[i] = static_cast<std::uint64_t>(part);
        carry = static_cast<std::uint64_t>(part >> 64);
    }
    // Two bits of the quadrant, and a fraction f of it: above 1/2 it is the next quadrant's, less 1 - f.
    auto quadrant = static_cast<unsigned>(product[0] >> 62);
    product[0] &= ~std::uint64_t{0} >> 2;
    const bool negative = (product[0] >> 61) != 0;
    if (negative) {
        ++quadrant;
        carry = 1;
        for (std::size_t i = 4; i-- > 0;) {
            const Wide part = static_cast<Wide>(~product[i]) + carry;
            product[i] = static_cast<std::uint64_t>(part);
            carry = static_cast<std::uint64_t>(part >> 64);
        }
        product[0] &= ~std::uint64_t{0} >> 2;
    }
    unsigned at = 0;
    while (at < 192 && (product[at / 64] << (at % 64) >> 63) == 0) ++at;
    const double high =
        std::ldexp(static_cast<double>(top_bits(product, at, 53)), 2 - 64 - static_cast<int>(at));
    const double low =
        std::ldexp(static_cast<double>(top_bits(product, at + 53, 53)), 2 - 64 - 53 - static_cast<int>(at));
    const Pair r = Pair{high, low} * half_pi;
    return {quadrant % 4, negative ? -r : r};
}

Reduced reduced(double x) {
    if (std::abs(x) <= 0x1.921fb54442d18p-1) return {0, {x, 0}};
    if (std::abs(x) < 0x1p20) {
        // Cody and Waite: k times the first two parts of π/2, 33 bits each, is exact.
        const double k = std::nearbyint(x * 0x1.45f306dc9c883p-1);
        const Pair near = sum(std::fma(-k, 0x1.921fb544p+0, x), -k * 0x1.0b4611a6p-34);
        const Pair r = near + -product(k, 0x1.3198a2e037073p-69);
        if (std::abs(r.high) > 0x1p-30) return {static_cast<unsigned>(static_cast<int>(k) & 3), r};
    }
    Reduced out = reduced_by_integers(std::abs(x));
    if (x < 0) out = {(4 - out.quadrant) % 4, -out.r};
    return out;
}

/// r - r³/6 + …, to r²¹.
Pair sine(Pair r) {
    constexpr std::array<double, 9> c{1 / 120.0,
                                      -1 / 5040.0,
                                      1 / 362880.0,
                                      -1 / 39916800.0,
                                      1 / 6227020800.0,
                                      -1 / 1307674368000.0,
                                      1 / 355687428096000.0,
                                      -1 / 121645100408832000.0,
                                      1 / 51090942171709440000.0};
    const Pair t = r * r;
    Pair inner = fast_sum(-0x1.5555555555555p-3, t.high * polynomial(c, t.high));
    inner.low -= 0x1.5555555555555p-57;
    return r + r * (t * inner);
}

/// 1 - r²/2 + …, to r²⁰.
Pair cosine(Pair r) {
    constexpr std::array<double, 9> c{1 / 24.0,
                                      -1 / 720.0,
                                      1 / 40320.0,
                                      -1 / 3628800.0,
                                      1 / 479001600.0,
                                      -1 / 87178291200.0,
                                      1 / 20922789888000.0,
                                      -1 / 6402373705728000.0,
                                      1 / 2432902008176640000.0};
    const Pair t = r * r, s = fast_sum(1, -0.5 * t.high);
    return fast_sum(s.high, s.low + (t.high * t.high * polynomial(c, t.high) - 0.5 * t.low));
}

// ---- Angles --------------------------------------------------------------------------------------------------------

/// atan(k / 8).
constexpr std::array<Pair, 9> atan_of_eighths{{{0, 0},
                                               {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                                               {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                                               {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                                               {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                                               {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                                               {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                                               {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                                               {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}}};

/// atan(n / d) for 0 <= n <= d: atan(c) + atan((n - c d) / (d + c n)) with c the nearest eighth to n / d.
Pair arc_tangent(Pair n, Pair d) {
    constexpr std::array<double, 8> series{-1 / 3.0,  1 / 5.0,  -1 / 7.0,  1 / 9.0,
                                           -1 / 11.0, 1 / 13.0, -1 / 15.0, 1 / 17.0};
    if (n.high < 0x1p-60 * d.high) return {n.high / d.high, 0};
    const double k = std::nearbyint(8 * (n.high / d.high));
    const Pair c{k / 8, 0};
    const Pair z = k == 0 ? n / d : (n + -(c * d)) / (d + c * n);
    const double t = z.high * z.high;
    return atan_of_eighths[static_cast<std::size_t>(k)] + (z + Pair{z.high * t * polynomial(series, t), 0});
}

/// The angle of a point of the first quadrant (y, x >= 0, not both 0), mirrored to the left if asked.
double angle(Pair y, Pair x, bool left) {
    Pair a = y.high <= x.high ? arc_tangent(y, x) : half_pi + -arc_tangent(x, y);
    if (left) a = pi + -a;
    return a.high + a.low;
}

}  // namespace

double sin(double x) {
    if (!(std::abs(x) < infinity)) return nan;
    if (std::abs(x) < 0x1p-27) return x;
    const auto [quadrant, r] = reduced(x);
    const double value = (quadrant % 2 == 0 ? sine(r) : cosine(r)).high;
    return quadrant < 2 ? value : -value;
}

double cos(double x) {
    if (!(std::abs(x) < infinity)) return nan;
    const auto [quadrant, r] = reduced(x);
    const double value = (quadrant % 2 == 0 ? cosine(r) : sine(r)).high;
    return quadrant == 0 || quadrant == 3 ? value : -value;
}

double tan(double x) {
    if (!(std::abs(x) < infinity)) return nan;
    if (std::abs(x) < 0x1p-27) return x;
    const auto [quadrant, r] = reduced(x);
    return (quadrant % 2 == 0 ? sine(r) / cosine(r) : -(cosine(r) / sine(r))).high;
}

double acos(double x) {
    if (!(std::abs(x) <= 1)) return nan;
    const Pair across = square_root(sum(1, -x) * sum(1, x));
    return angle(across, {std::abs(x), 0}, x < 0);
}

double atan2(double y, double x) {
    if (std::isnan(x) || std::isnan(y)) return nan;
    const bool left = std::signbit(x);
    double high = std::abs(y), wide = std::abs(x);
    if (high == infinity || wide == infinity)
        high = high == infinity ? 1.0 : 0.0, wide = wide == infinity ? 1.0 : 0.0;
    if (high == 0) return std::copysign(left ? pi.high : 0.0, y);
    // The first test keeps what is below the normal numbers: scaled, it would be 0.
    if (!left && high < 0x1p-60 * wide) return std::copysign(high / wide, y);
    int exponent = 0;
    static_cast<void>(std::frexp(std::fmax(high, wide), &exponent));
    high = std::ldexp(high, -exponent), wide = std::ldexp(wide, -exponent);
    return std::copysign(angle({high, 0}, {wide, 0}, left), y);
}

/// x = k ln 2 + r, |r| <= ln 2 / 2; 1 + r + r²/2 + …, to r¹⁵.
double exp(double x) {
    constexpr std::array<double, 13> c{
        1 / 6.0,          1 / 24.0,          1 / 120.0,          1 / 720.0,      1 / 5040.0,
        1 / 40320.0,      1 / 362880.0,      1 / 3628800.0,      1 / 39916800.0, 1 / 479001600.0,
        1 / 6227020800.0, 1 / 87178291200.0, 1 / 1307674368000.0};
    if (std::isnan(x)) return nan;
    if (x > 710) return infinity;
    if (x < -746) return 0;
    const double k = std::nearbyint(x * 0x1.71547652b82fep+0);
    const Pair r = sum(std::fma(-k, 0x1.62e42fefp-1, x), 0) + -product(k, 0x1.473de6af278edp-34);
    const Pair half_square = product(0.5 * r.high, r.high);
    const Pair one = sum(1, r.high), two = sum(one.high, half_square.high);
    const double rest = r.high * r.high * r.high * polynomial(c, r.high);
    const double low = one.low + two.low + half_square.low + r.low * (1 + r.high) + rest;
    return std::ldexp(two.high + low, static_cast<int>(k));
}

/// x = 2^e m with m from √½ to √2; log m = 2 artanh(s), s = (m - 1) / (m + 1).
double log(double x) {
    constexpr std::array<double, 12> series{1 / 3.0,  1 / 5.0,  1 / 7.0,  1 / 9.0,  1 / 11.0, 1 / 13.0,
                                            1 / 15.0, 1 / 17.0, 1 / 19.0, 1 / 21.0, 1 / 23.0, 1 / 25.0};
    if (std::isnan(x) || x < 0) return nan;
    if (x == 0) return -infinity;
    if (x == infinity) return infinity;
    int e = 0;
    double m = std::frexp(x, &e);
    if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --e;
    const Pair s = Pair{m - 1, 0} / sum(1, m);
    const double t = s.high * s.high, rest = 2 * s.high * t * polynomial(series, t);
    // e times the first part of ln 2, 40 bits, is exact.
    const Pair near = sum(e * 0x1.62e42fefa2p-1, 2 * s.high);
    return near.high + (near.low + (e * 0x1.9ef35793c7673p-41 + (2 * s.low + rest)));
}

/// Halley's iteration for m from 1/8 to 1, and a last Newton step whose residual m - y³ is exact.
double cbrt(double x) {
    if (x == 0 || !(std::abs(x) < infinity)) return x;
    int e = 0;
    double m = std::frexp(std::abs(x), &e);
    while (e % 3 != 0) m *= 0.5, ++e;
    double y = 0.45 + 0.55 * m;
    for (int i = 0; i < 4; ++i) {
        const double cube = y * y * y;
        y *= (cube + 2 * m) / (2 * cube + m);
    }
    const Pair cube = product(y, y) * Pair{y, 0};
    const double rest = (m - cube.high) - cube.low;
    return std::copysign(std::ldexp(y + rest / (3 * y * y), e / 3), x);
}

double hypot(double x, double y) {
    if (std::isinf(x) || std::isinf(y)) return infinity;
    const double most = std::fmax(std::abs(x), std::abs(y));
    if (std::isnan(x) || std::isnan(y)) return nan;
    if (most == 0) return 0;
    int e = 0;
    if (most > 0x1p500 || most < 0x1p-400) static_cast<void>(std::frexp(most, &e));
    if (e != 0) x = std::ldexp(x, -e), y = std::ldexp(y, -e);
    const Pair root = square_root(product(x, x) + product(y, y));
    const double value = root.high + root.low;
    return e != 0 ? std::ldexp(value, e) : value;
}

}  // namespace plush::pinned
