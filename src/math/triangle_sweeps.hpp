#pragma once

#include <cstddef>

#include "math/pack.hpp"

// The two ways through a triangular panel of a factor, for several right-hand sides that lie side by side in
// the lanes of `packs` registers. Three columns at a time: what is read of y serves all three.

namespace plush {

template <std::size_t packs>
struct Abreast {
    static constexpr std::size_t wide = packs * Pack::width;
    Pack lane[packs];

    static Abreast load(const double* from) {
        Abreast s;
        for (std::size_t p = 0; p < packs; ++p) s.lane[p] = Pack::load(from + p * Pack::width);
        return s;
    }
    void store(double* to) const {
        for (std::size_t p = 0; p < packs; ++p) lane[p].store(to + p * Pack::width);
    }
    void subtract(double factor, const Abreast& other) {
        const Pack f(factor);
        for (std::size_t p = 0; p < packs; ++p) lane[p] = lane[p] - f * other.lane[p];
    }
    void divide(double by) {
        const Pack f(by);
        for (std::size_t p = 0; p < packs; ++p) lane[p] = lane[p] / f;
    }
};

/// z begins with the panel's own rows; the rows below follow, from zero.
template <std::size_t packs>
void forward_group(const double* panel, std::size_t width, std::size_t rows, std::size_t height, double* z) {
    using S = Abreast<packs>;
    for (std::size_t j = 0; j < width; j += 3) {
        const double *const c0 = panel + j * height, *const c1 = c0 + height, *const c2 = c1 + height;
        S z0 = S::load(z + j * S::wide), z1 = S::load(z + (j + 1) * S::wide),
          z2 = S::load(z + (j + 2) * S::wide);
        z0.divide(c0[j]);
        z1.subtract(c0[j + 1], z0);
        z1.divide(c1[j + 1]);
        z2.subtract(c0[j + 2], z0);
        z2.subtract(c1[j + 2], z1);
        z2.divide(c2[j + 2]);
        z0.store(z + j * S::wide), z1.store(z + (j + 1) * S::wide), z2.store(z + (j + 2) * S::wide);
        for (std::size_t i = j + 3; i < rows; ++i) {
            S y = S::load(z + i * S::wide);
            y.subtract(c0[i], z0);
            y.subtract(c1[i], z1);
            y.subtract(c2[i], z2);
            y.store(z + i * S::wide);
        }
    }
}

template <std::size_t packs>
void backward_group(const double* panel, std::size_t width, std::size_t rows, std::size_t height, double* z) {
    using S = Abreast<packs>;
    for (std::size_t j = width; j > 0;) {
        j -= 3;
        const double *const c0 = panel + j * height, *const c1 = c0 + height, *const c2 = c1 + height;
        S z0 = S::load(z + j * S::wide), z1 = S::load(z + (j + 1) * S::wide),
          z2 = S::load(z + (j + 2) * S::wide);
        for (std::size_t i = j + 3; i < rows; ++i) {
            const S y = S::load(z + i * S::wide);
            z0.subtract(c0[i], y);
            z1.subtract(c1[i], y);
            z2.subtract(c2[i], y);
        }
        z2.divide(c2[j + 2]);
        z1.subtract(c1[j + 2], z2);
        z1.divide(c1[j + 1]);
        z0.subtract(c0[j + 1], z1);
        z0.subtract(c0[j + 2], z2);
        z0.divide(c0[j]);
        z0.store(z + j * S::wide), z1.store(z + (j + 1) * S::wide), z2.store(z + (j + 2) * S::wide);
    }
}

}  // namespace plush
