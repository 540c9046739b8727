#include "math/half_solves.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "math/pack.hpp"
#include "math/triangle_sweeps.hpp"

namespace plush {

void HalfSolves::solve(const BlockCholesky& factor) {
    factor_ = &factor;
    y_.assign(groups() * 3 * factor.rows() * lanes, 0.0);
    met_.assign(groups() * factor.supernodes_.size(), 0);
    for (std::size_t g = 0; g < groups(); ++g) solve_group(g);
}

void HalfSolves::solve_group(std::size_t group) {
    const BlockCholesky& f = *factor_;
    constexpr std::size_t packs = lanes / Pack::width, block = 3 * lanes;
    double* const y = y_.data() + group * f.rows() * block;
    std::uint8_t* const met = met_.data() + group * f.supernodes_.size();
    for (std::size_t k = 0; k < lanes && group * lanes + k < columns(); ++k) {
        const std::size_t column = group * lanes + k;
        for (std::uint32_t e = first_[column]; e < first_[column + 1]; ++e) {
            const std::uint32_t row = f.place_[entries_[e].row];
            for (std::size_t a = 0; a < 3; ++a) y[row * block + a * lanes + k] = entries_[e].value[a];
            met[f.supernode_of_[row]] = 1;
        }
    }
    std::vector<double> z;
    for (std::size_t index = 0; index < f.supernodes_.size(); ++index) {
        if (!met[index]) continue;
        const BlockCholesky::Supernode& s = f.supernodes_[index];
        const std::size_t own = s.end - s.first;
        z.assign(s.block_rows() * block, 0.0);
        std::copy_n(y + s.first * block, own * block, z.data());
        forward_group<packs>(f.values_.data() + s.values, s.width(), 3 * s.block_rows(), s.height, z.data());
        std::copy_n(z.data(), own * block, y + s.first * block);
        for (std::size_t i = own; i < s.block_rows(); ++i) {
            const std::uint32_t row = f.block_row(s, i);
            met[f.supernode_of_[row]] = 1;
            double* const to = y + row * block;
            for (std::size_t a = 0; a < block; ++a) to[a] += z[i * block + a];
        }
    }
}

namespace {

/// sums[i][j] += Σ_rows a[row][i] b[row][j] for 8 × 8 lanes: two halves of a, whose sums stay in registers.
void add_products(std::size_t rows, const double* a, const double* b, double* sums) {
    constexpr std::size_t lanes = 8, packs = lanes / Pack::width, half = 4;
    for (std::size_t first = 0; first < lanes; first += half) {
        Pack sum[half][packs];
        for (std::size_t i = 0; i < half; ++i)
            for (std::size_t p = 0; p < packs; ++p)
                sum[i][p] = Pack::load(sums + (first + i) * lanes + p * Pack::width);
        for (std::size_t r = 0; r < rows; ++r) {
            Pack right[packs];
            for (std::size_t p = 0; p < packs; ++p) right[p] = Pack::load(b + r * lanes + p * Pack::width);
            for (std::size_t i = 0; i < half; ++i) {
                const Pack left(a[r * lanes + first + i]);
                for (std::size_t p = 0; p < packs; ++p) sum[i][p] = sum[i][p] + left * right[p];
            }
        }
        for (std::size_t i = 0; i < half; ++i)
            for (std::size_t p = 0; p < packs; ++p)
                sum[i][p].store(sums + (first + i) * lanes + p * Pack::width);
    }
}

}  // namespace

void HalfSolves::products(std::vector<double>& out) const {
    const BlockCholesky& f = *factor_;
    const std::size_t n = columns(), size = 3 * f.rows() * lanes;
    out.assign(n * n, 0.0);
    for (std::size_t g = 0; g < groups(); ++g)
        for (std::size_t h = 0; h <= g; ++h) {
            double sums[lanes * lanes] = {};
            const std::uint8_t *const met_g = met_.data() + g * f.supernodes_.size(),
                                      *const met_h = met_.data() + h * f.supernodes_.size();
            for (std::size_t index = 0; index < f.supernodes_.size(); ++index) {
                if (!met_g[index] || !met_h[index]) continue;
                const BlockCholesky::Supernode& s = f.supernodes_[index];
                const std::size_t at = 3 * s.first * lanes;
                add_products(s.width(), y_.data() + g * size + at, y_.data() + h * size + at, sums);
            }
            for (std::size_t i = 0; i < lanes && g * lanes + i < n; ++i)
                for (std::size_t j = 0; j < lanes && h * lanes + j < n; ++j) {
                    const std::size_t r = g * lanes + i, c = h * lanes + j;
                    out[r * n + c] = out[c * n + r] = sums[i * lanes + j] / f.unit_;
                }
        }
}

void HalfSolves::combine(std::span<const double> factors, std::span<Vec3> x) const {
    const BlockCholesky& f = *factor_;
    PLUSH_ASSERT(factors.size() == columns() && x.size() == f.rows());
    std::vector<Vec3> sum(f.rows());
    for (std::size_t g = 0; g < groups(); ++g) {
        const double* const y = y_.data() + g * 3 * f.rows() * lanes;
        double by[lanes] = {};
        for (std::size_t k = 0; k < lanes && g * lanes + k < columns(); ++k) by[k] = factors[g * lanes + k];
        for (std::size_t i = 0; i < f.rows(); ++i)
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t k = 0; k < lanes; ++k) sum[i][a] += by[k] * y[(3 * i + a) * lanes + k];
    }
    f.back_substitute(sum);
    for (std::size_t i = 0; i < f.rows(); ++i) x[f.order_[i]] = f.per_unit(f.order_[i]) * sum[i];
}

}  // namespace plush
