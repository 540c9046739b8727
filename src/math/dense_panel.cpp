#include "math/dense_panel.hpp"

#include <algorithm>
#include <cmath>

#include "math/pack.hpp"

// The product works on tiles of 2 packs of rows by 6 (or 3) columns whose sums stay in registers: 12 sums, 2
// packs of A and one number of B fill the 16 registers of AVX2. A tile reads A and B once per step of the
// depth.

namespace plush {
namespace {

constexpr std::size_t fours = 4;
constexpr std::size_t packs_of_four = fours / Pack::width;

template <std::size_t packs, std::size_t columns>
void tile(std::size_t depth, const double* a, std::size_t a_stride, const double* b, std::size_t b_stride,
          double* c, std::size_t c_stride, bool subtract) {
    Pack sum[columns][packs];
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < packs; ++i) sum[j][i] = Pack(0.0);
    for (std::size_t k = 0; k < depth; ++k, a += a_stride, b += b_stride) {
        Pack left[packs];
        for (std::size_t i = 0; i < packs; ++i) left[i] = Pack::load(a + i * Pack::width);
        for (std::size_t j = 0; j < columns; ++j) {
            const Pack right(b[j]);
            for (std::size_t i = 0; i < packs; ++i) sum[j][i] = sum[j][i] + left[i] * right;
        }
    }
    for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < packs; ++i) {
            double* const to = c + j * c_stride + i * Pack::width;
            (subtract ? Pack::load(to) - sum[j][i] : sum[j][i]).store(to);
        }
}

template <std::size_t columns>
void strip(std::size_t rows, std::size_t depth, const double* a, std::size_t a_stride, const double* b,
           std::size_t b_stride, double* c, std::size_t c_stride, bool subtract) {
    constexpr std::size_t tall = 2 * fours;
    std::size_t i = 0;
    for (; i + fours < rows; i += tall)
        tile<2 * packs_of_four, columns>(depth, a + i, a_stride, b, b_stride, c + i, c_stride, subtract);
    if (i < rows)
        tile<packs_of_four, columns>(depth, a + i, a_stride, b, b_stride, c + i, c_stride, subtract);
}

}  // namespace

void multiply_panels(std::size_t rows, std::size_t columns, std::size_t depth, const double* a,
                     std::size_t a_stride, const double* b, std::size_t b_stride, double* c,
                     std::size_t c_stride, bool subtract, bool lower) {
    for (std::size_t j = 0; j < columns;) {
        // Rows above the strip's first column, down to the last four that are wholly above, are left out.
        const std::size_t skip = lower ? j / fours * fours : 0;
        double* const to = c + j * c_stride + skip;
        if (columns - j >= 6) {
            strip<6>(rows - skip, depth, a + skip, a_stride, b + j, b_stride, to, c_stride, subtract);
            j += 6;
        } else {
            strip<3>(rows - skip, depth, a + skip, a_stride, b + j, b_stride, to, c_stride, subtract);
            j += 3;
        }
    }
}

bool factorise_panel(std::size_t rows, std::size_t columns, double* a, std::size_t stride) {
    constexpr std::size_t strip_width = 12;  // a multiple of four and of three
    for (std::size_t first = 0; first < columns; first += strip_width) {
        const std::size_t end = std::min(first + strip_width, columns);
        double* const corner = a + first * stride + first;
        if (first > 0)
            multiply_panels(rows - first, end - first, first, a + first, stride, a + first, stride, corner,
                            stride, true, true);
        for (std::size_t j = first; j < end; ++j) {
            double* const column = a + j * stride;
            const double pivot = column[j];
            if (!(pivot > 0) || !std::isfinite(pivot)) return false;
            const double factor = 1 / std::sqrt(pivot);
            const std::size_t start = j / fours * fours;
            const Pack scale(factor);
            for (std::size_t i = start; i < rows; i += Pack::width)
                (Pack::load(column + i) * scale).store(column + i);
            for (std::size_t k = j + 1; k < end; ++k) {
                double* const later = a + k * stride;
                const Pack times(column[k]);
                for (std::size_t i = k / fours * fours; i < rows; i += Pack::width)
                    (Pack::load(later + i) - Pack::load(column + i) * times).store(later + i);
            }
        }
    }
    return true;
}

}  // namespace plush
