#pragma once

#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

#include "plush/math/vec.hpp"

// Four doubles in the vectors that g++ and clang both know: one register where there is AVX, two elsewhere.
// Mostly a vector of three, with a fourth number that means nothing.

namespace plush {

using Four [[gnu::vector_size(32)]] = double;

inline Four load_four(const double* from) {
    Four f;
    std::memcpy(&f, from, sizeof f);
    return f;
}

inline void store_four(const Four& f, double* to) {
    std::memcpy(to, &f, sizeof f);
}

/// Reads no more than the vector; the fourth number is finite where that is.
inline Four four(const Vec3& v) {
#ifdef __AVX__
    return _mm256_blend_pd(_mm256_castpd128_pd256(_mm_loadu_pd(&v.x)), _mm256_broadcast_sd(&v.z), 0b1100);
#else
    return Four{v.x, v.y, v.z, v.z};
#endif
}

}  // namespace plush
