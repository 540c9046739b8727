#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "math/pack.hpp"
#include "plush/math/vec.hpp"

// Polar decomposition for hot loops: eight matrices side by side. The answers are those of polar(), bit for
// bit, whatever stands in the other lanes and wherever a longer list is cut.

namespace plush {

/// Eight 3×3 matrices as a structure of arrays: entry[3 i + j][lane].
struct Mat3x8 {
    static constexpr std::size_t lanes = 8;
    alignas(64) std::array<std::array<double, lanes>, 9> entry{};

    [[nodiscard]] Mat3 lane(std::size_t k) const;
    void set_lane(std::size_t k, const Mat3& m);
};

/// As many 3×3 matrices as a register has lanes: m[3 i + j].
struct Mat3Packs {
    Pack m[9];

    static Mat3Packs load(const Mat3x8& from, std::size_t at) {
        Mat3Packs p;
        for (std::size_t e = 0; e < 9; ++e) p.m[e] = Pack::load(&from.entry[e][at]);
        return p;
    }
};

/// The nearest rotation of each. Best for several packs at once: each waits for itself most of the time. The
/// spans are equally long, and may be the same.
void polar_rotations(std::span<const Mat3Packs> a, std::span<Mat3Packs> rotations);

/// The nearest rotation of each. Lanes outside the range of the closed form (gap below about 1e-3, entries
/// beyond 1e±40, zero, NaN) are done again by the scalar route, which costs as much as there.
void polar_rotations(const Mat3x8& a, Mat3x8& rotations);

/// The same for any number, eight at a time. The spans are equally long.
void polar_rotations(std::span<const Mat3> a, std::span<Mat3> rotations);

}  // namespace plush
