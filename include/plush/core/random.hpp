#pragma once

#include <cstdint>
#include <random>

namespace plush {

/// Seeded random numbers that are the same on every machine. The engine is the standard's mt19937_64, whose
/// stream is fixed by the standard; the distributions are written out here because the standard's are not.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    std::uint64_t bits() { return engine_(); }

    /// Uniform in [0, 1).
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

    /// Uniform in [low, high).
    double uniform(double low, double high) { return low + (high - low) * uniform(); }

    /// Uniform in 0 … n−1. The bias of the remainder is below n / 2⁶⁴.
    std::uint64_t below(std::uint64_t n) { return engine_() % n; }

private:
    std::mt19937_64 engine_;
};

}  // namespace plush
