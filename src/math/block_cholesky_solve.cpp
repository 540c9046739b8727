#include <algorithm>

#include "core/assert.hpp"
#include "math/block_cholesky.hpp"
#include "math/pack.hpp"
#include "math/triangle_sweeps.hpp"

// L y = b from the first supernode to the last, Lᵀ x = y back again. Three columns at a time: what is read of
// y serves all three.

namespace plush {
namespace {

constexpr std::size_t fours(std::size_t n) {
    return (n + 3) / 4 * 4;
}

double sum(const Pack& p) {
    double total = 0;
    for (std::size_t i = 0; i < Pack::width; ++i) total += p.lanes[i];
    return total;
}

// z begins with the supernode's own rows; rows below follow, and zeros up to a multiple of four.
void forward(const double* panel, std::size_t width, std::size_t height, double* z) {
    for (std::size_t j = 0; j < width; j += 3) {
        const double *const c0 = panel + j * height, *const c1 = c0 + height, *const c2 = c1 + height;
        const double z0 = z[j] / c0[j];
        const double z1 = (z[j + 1] - c0[j + 1] * z0) / c1[j + 1];
        const double z2 = (z[j + 2] - c0[j + 2] * z0 - c1[j + 2] * z1) / c2[j + 2];
        std::size_t i = j + 3;
        for (const std::size_t whole = std::min(fours(i), height); i < whole; ++i)
            z[i] -= c0[i] * z0 + c1[i] * z1 + c2[i] * z2;
        const Pack p0(z0), p1(z1), p2(z2);
        for (; i < height; i += Pack::width)
            (Pack::load(z + i) -
             (Pack::load(c0 + i) * p0 + Pack::load(c1 + i) * p1 + Pack::load(c2 + i) * p2))
                .store(z + i);
        z[j] = z0, z[j + 1] = z1, z[j + 2] = z2;
    }
}

void backward(const double* panel, std::size_t width, std::size_t height, double* z) {
    for (std::size_t j = width; j > 0;) {
        j -= 3;
        const double *const c0 = panel + j * height, *const c1 = c0 + height, *const c2 = c1 + height;
        double z0 = z[j], z1 = z[j + 1], z2 = z[j + 2];
        std::size_t i = j + 3;
        for (const std::size_t whole = std::min(fours(i), height); i < whole; ++i)
            z0 -= c0[i] * z[i], z1 -= c1[i] * z[i], z2 -= c2[i] * z[i];
        Pack p0(0.0), p1(0.0), p2(0.0);
        for (; i < height; i += Pack::width) {
            const Pack y = Pack::load(z + i);
            p0 = p0 + Pack::load(c0 + i) * y;
            p1 = p1 + Pack::load(c1 + i) * y;
            p2 = p2 + Pack::load(c2 + i) * y;
        }
        z2 = (z2 - sum(p2)) / c2[j + 2];
        z1 = (z1 - sum(p1) - c1[j + 2] * z2) / c1[j + 1];
        z0 = (z0 - sum(p0) - c0[j + 1] * z1 - c0[j + 2] * z2) / c0[j];
        z[j] = z0, z[j + 1] = z1, z[j + 2] = z2;
    }
}

}  // namespace

void BlockCholesky::solve(std::span<Vec3> x) const {
    PLUSH_ASSERT(good_ && x.size() == rows());
    std::vector<Vec3> y(rows());
    for (std::size_t i = 0; i < rows(); ++i) y[i] = x[order_[i]];
    std::vector<double> z;
    for (const Supernode& s : supernodes_) {
        const std::size_t own = s.end - s.first;
        z.assign(s.height, 0.0);
        for (std::size_t i = 0; i < own; ++i)
            for (std::size_t a = 0; a < 3; ++a) z[3 * i + a] = y[s.first + i][a];
        forward(values_.data() + s.values, s.width(), s.height, z.data());
        for (std::size_t i = 0; i < s.block_rows(); ++i) {
            const Vec3 change{z[3 * i], z[3 * i + 1], z[3 * i + 2]};
            if (i < own)
                y[s.first + i] = change;
            else
                y[block_row(s, i)] += change;
        }
    }
    back_substitute(y);
    for (std::size_t i = 0; i < rows(); ++i) x[order_[i]] = per_unit(order_[i]) * y[i];
}

void BlockCholesky::back_substitute(std::span<Vec3> y) const {
    std::vector<double> z;
    for (auto s = supernodes_.rbegin(); s != supernodes_.rend(); ++s) {
        z.assign(s->height, 0.0);
        for (std::size_t i = 0; i < s->block_rows(); ++i)
            for (std::size_t a = 0; a < 3; ++a) z[3 * i + a] = y[block_row(*s, i)][a];
        backward(values_.data() + s->values, s->width(), s->height, z.data());
        for (std::size_t i = 0; i < s->end - s->first; ++i)
            y[s->first + i] = {z[3 * i], z[3 * i + 1], z[3 * i + 2]};
    }
}

// y holds 3 × rows × lanes numbers, in the order of L.
template <std::size_t packs>
void BlockCholesky::solve_group(double* y) const {
    constexpr std::size_t block = 3 * Abreast<packs>::wide;
    std::vector<double> z;
    for (const Supernode& s : supernodes_) {
        const std::size_t own = s.end - s.first;
        z.assign(s.block_rows() * block, 0.0);
        std::copy_n(y + s.first * block, own * block, z.data());
        forward_group<packs>(values_.data() + s.values, s.width(), 3 * s.block_rows(), s.height, z.data());
        std::copy_n(z.data(), own * block, y + s.first * block);
        for (std::size_t i = own; i < s.block_rows(); ++i) {
            double* const to = y + block_row(s, i) * block;
            for (std::size_t a = 0; a < block; ++a) to[a] += z[i * block + a];
        }
    }
    for (auto s = supernodes_.rbegin(); s != supernodes_.rend(); ++s) {
        z.resize(s->block_rows() * block);
        for (std::size_t i = 0; i < s->block_rows(); ++i)
            std::copy_n(y + block_row(*s, i) * block, block, z.data() + i * block);
        backward_group<packs>(values_.data() + s->values, s->width(), 3 * s->block_rows(), s->height,
                              z.data());
        std::copy_n(z.data(), (s->end - s->first) * block, y + s->first * block);
    }
}

void BlockCholesky::solve_many(std::span<Vec3> x) const {
    PLUSH_ASSERT(good_ && (rows() == 0 || x.size() % rows() == 0));
    if (rows() == 0) return;
    constexpr std::size_t packs = 8 / Pack::width, lanes = 8;
    const std::size_t sides = x.size() / rows();
    std::vector<double> y(3 * rows() * lanes);
    for (std::size_t first = 0; first < sides; first += lanes) {
        const std::size_t count = std::min(lanes, sides - first);
        if (count == 1) return solve(x.subspan(first * rows(), rows()));
        std::fill(y.begin(), y.end(), 0.0);
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t i = 0; i < rows(); ++i)
                for (std::size_t a = 0; a < 3; ++a)
                    y[(3 * i + a) * lanes + k] = x[(first + k) * rows() + order_[i]][a];
        solve_group<packs>(y.data());
        for (std::size_t k = 0; k < count; ++k)
            for (std::size_t i = 0; i < rows(); ++i)
                for (std::size_t a = 0; a < 3; ++a)
                    x[(first + k) * rows() + order_[i]][a] = per_unit(order_[i]) * y[(3 * i + a) * lanes + k];
    }
}

}  // namespace plush
