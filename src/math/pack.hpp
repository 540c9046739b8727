#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

// As many doubles as a register of the machine holds, in the vectors that g++ and clang both know: written
// out instead of left to the compiler's taste. Every operation acts on each lane alone and rounds as IEEE 754
// says, so a lane has the bits that a double in its place would have, for any width.

namespace plush {

struct Pack {
#ifdef __AVX__
    static constexpr std::size_t width = 4;
#else
    static constexpr std::size_t width = 2;  // SSE2; elsewhere the compiler makes two scalars of it
#endif
    using Lanes [[gnu::vector_size(width * sizeof(double))]] = double;
    /// All bits of a lane set where a comparison holds.
    using Mask [[gnu::vector_size(width * sizeof(double))]] = std::int64_t;

    Lanes lanes;

    Pack() = default;
    explicit Pack(double value) : lanes(Lanes{} + value) {}
    explicit Pack(Lanes values) : lanes(values) {}

    static Pack load(const double* from) {
        Pack p;
        std::memcpy(&p.lanes, from, sizeof(Lanes));
        return p;
    }
    void store(double* to) const {
        std::memcpy(to, &lanes, sizeof(Lanes));
    }

    friend Pack operator+(const Pack& a, const Pack& b) {
        return Pack(a.lanes + b.lanes);
    }
    friend Pack operator-(const Pack& a, const Pack& b) {
        return Pack(a.lanes - b.lanes);
    }
    friend Pack operator*(const Pack& a, const Pack& b) {
        return Pack(a.lanes * b.lanes);
    }
    friend Pack operator/(const Pack& a, const Pack& b) {
        return Pack(a.lanes / b.lanes);
    }
    friend Mask operator<(const Pack& a, const Pack& b) {
        return a.lanes < b.lanes;
    }
    friend Mask operator>(const Pack& a, const Pack& b) {
        return a.lanes > b.lanes;
    }
};

/// a where the mask is set, else b, lane by lane.
inline Pack select(const Pack::Mask& mask, const Pack& a, const Pack& b) {
    return Pack(mask ? a.lanes : b.lanes);
}

/// Whether every lane is set.
inline bool all(const Pack::Mask& mask) {
#ifdef __AVX__
    return _mm256_movemask_pd(__m256d(mask)) == 15;
#else
    return (mask[0] & mask[1]) != 0;
#endif
}

inline Pack square_root(const Pack& a) {
#ifdef __AVX__
    return Pack(Pack::Lanes(_mm256_sqrt_pd(a.lanes)));
#elif defined(__SSE2__)
    return Pack(Pack::Lanes(_mm_sqrt_pd(a.lanes)));
#else
    return Pack(Pack::Lanes{__builtin_sqrt(a.lanes[0]), __builtin_sqrt(a.lanes[1])});
#endif
}

}  // namespace plush
