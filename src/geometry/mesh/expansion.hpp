#pragma once

#include <array>
#include <cmath>
#include <cstddef>

// Exact sums and products of doubles: J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast
// robust geometric predicates", Discrete & Computational Geometry 18 (1997); the error-free steps are those
// of Dekker (1971) and Knuth (TAOCP 2). A number is kept as an unevaluated sum of doubles,
//
//     e = e₀ + e₁ + … ,   |e₀| < |e₁| < … , no two of which overlap in their bits,
//
// so that its sign is the sign of the last one. Rounding must be to nearest and a·b + c must not be
// contracted (every preset has -ffp-contract=off). Overflow and underflow are the caller's care: see
// predicates.hpp.

namespace plush {

/// value + error, exactly.
struct Exact2 {
    double value, error;
};

inline Exact2 two_sum(double a, double b) {
    const double sum = a + b, b_seen = sum - a, a_seen = sum - b_seen;
    return {sum, (a - a_seen) + (b - b_seen)};
}

/// For |a| ≥ |b|, or a = 0.
inline Exact2 fast_two_sum(double a, double b) {
    const double sum = a + b;
    return {sum, b - (sum - a)};
}

inline Exact2 two_product(double a, double b) {
    const double product = a * b;
    return {product, std::fma(a, b, -product)};
}

/// At most N components; zeros are dropped, so zero has none.
template <std::size_t N>
struct Expansion {
    std::array<double, N> part;
    std::size_t size = 0;

    void push(double x) {
        if (x != 0) part[size++] = x;
    }
    int sign() const { return size == 0 ? 0 : part[size - 1] > 0 ? 1 : -1; }
};

inline Expansion<2> difference(double a, double b) {
    const Exact2 d = two_sum(a, -b);
    Expansion<2> e;
    e.push(d.error), e.push(d.value);
    return e;
}

template <std::size_t N>
Expansion<N> negative(Expansion<N> e) {
    for (std::size_t i = 0; i < e.size; ++i) e.part[i] = -e.part[i];
    return e;
}

/// e + f: merge by magnitude, then carry upward (Shewchuk's fast expansion sum, theorem 13).
template <std::size_t M, std::size_t N>
Expansion<M + N> sum(const Expansion<M>& e, const Expansion<N>& f) {
    Expansion<M + N> h;
    std::size_t i = 0, j = 0;
    const auto next = [&] {
        const bool from_e = j == f.size || (i < e.size && std::abs(e.part[i]) < std::abs(f.part[j]));
        return from_e ? e.part[i++] : f.part[j++];
    };
    double carry = 0;
    while (i < e.size || j < f.size) {
        const Exact2 s = two_sum(carry, next());
        h.push(s.error);
        carry = s.value;
    }
    h.push(carry);
    return h;
}

/// e · b (Shewchuk's scale expansion, theorem 19).
template <std::size_t N>
Expansion<2 * N> scaled(const Expansion<N>& e, double b) {
    Expansion<2 * N> h;
    double carry = 0;
    for (std::size_t i = 0; i < e.size; ++i) {
        const Exact2 p = two_product(e.part[i], b), low = two_sum(carry, p.error);
        h.push(low.error);
        const Exact2 high = fast_two_sum(p.value, low.value);
        h.push(high.error);
        carry = high.value;
    }
    h.push(carry);
    return h;
}

template <std::size_t N>
Expansion<4 * N> product(const Expansion<N>& e, const Expansion<2>& f) {
    if (f.size == 0) return {};
    const Expansion<2 * N> low = scaled(e, f.part[0]);
    return f.size == 1 ? sum(low, Expansion<2 * N>{}) : sum(low, scaled(e, f.part[1]));
}

}  // namespace plush
