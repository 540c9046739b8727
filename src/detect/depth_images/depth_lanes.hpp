#pragma once

#include <cmath>
#include <cstdint>

#ifdef __SSE2__
#include <immintrin.h>
#endif

// Four or eight numbers at once, as vectors that g++ and clang both know; every lane is a number of its own,
// so the bits do not depend on the machine. For the insides of files alone: vectors go in and out of inline
// functions, so that no two files can disagree about the way.

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace plush {

using Int4 [[gnu::vector_size(16)]] = std::int32_t;
using Int8 [[gnu::vector_size(32)]] = std::int32_t;
using Long4 [[gnu::vector_size(32)]] = std::int64_t;
using Double4 [[gnu::vector_size(32)]] = double;

/// To the nearest whole number, halves to the even one.
inline std::int32_t rounded(double x) {
#ifdef __SSE2__
    return _mm_cvtsd_si32(_mm_set_sd(x));
#else
    return static_cast<std::int32_t>(std::nearbyint(x));
#endif
}

inline Int4 lesser(Int4 a, Int4 b) {
#ifdef __SSE4_1__
    return reinterpret_cast<Int4>(_mm_min_epi32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    return a < b ? a : b;
#endif
}
inline Int4 greater(Int4 a, Int4 b) {
#ifdef __SSE4_1__
    return reinterpret_cast<Int4>(_mm_max_epi32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    return a > b ? a : b;
#endif
}
inline Int4 rounded(Double4 x) {
#ifdef __AVX__
    return reinterpret_cast<Int4>(_mm256_cvtpd_epi32(reinterpret_cast<__m256d>(x)));
#else
    return Int4{rounded(x[0]), rounded(x[1]), rounded(x[2]), rounded(x[3])};
#endif
}
inline Double4 to_double(Int4 x) {
    return __builtin_convertvector(x, Double4);
}
inline Double4 root(Double4 x) {
#ifdef __AVX__
    return reinterpret_cast<Double4>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(x)));
#else
    return Double4{std::sqrt(x[0]), std::sqrt(x[1]), std::sqrt(x[2]), std::sqrt(x[3])};
#endif
}
inline Int4 first_four(Int8 x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3);
}
inline Int4 last_four(Int8 x) {
    return __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
/// A bit for every lane that is true.
inline unsigned bits_of(Int4 mask) {
#ifdef __SSE2__
    return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#else
    return (mask[0] ? 1u : 0u) | (mask[1] ? 2u : 0u) | (mask[2] ? 4u : 0u) | (mask[3] ? 8u : 0u);
#endif
}

inline unsigned bits_of(Int8 mask) {
#ifdef __AVX__
    return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
    return bits_of(first_four(mask)) | bits_of(last_four(mask)) << 4;
#endif
}
inline unsigned bits_of(Long4 mask) {
#ifdef __AVX__
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
#else
    return (mask[0] ? 1u : 0u) | (mask[1] ? 2u : 0u) | (mask[2] ? 4u : 0u) | (mask[3] ? 8u : 0u);
#endif
}

/// The halves of a mask as masks of twice the width.
inline Long4 widened(Int4 mask) {
    return __builtin_convertvector(mask, Long4);
}

}  // namespace plush
