#include "math/half_matrix.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"

namespace plush {
namespace {

constexpr std::size_t chunk = BlockMatrix::rows_per_task;

void add_to(Vec3& sum, const Four& f) {
    sum += Vec3{f[0], f[1], f[2]};
}

}  // namespace

HalfMatrix::HalfMatrix(std::vector<std::uint32_t> order, std::vector<std::uint32_t> first,
                       std::vector<std::uint32_t> columns)
    : order_(std::move(order)), first_(std::move(first)), columns_(std::move(columns)) {
    PLUSH_ASSERT(first_.size() == order_.size() + 1 && first_.back() == columns_.size());
    values_.resize(9 * columns_.size() + 3);
    diagonal_.resize(9 * order_.size() + 1);
}

void HalfMatrix::clear_diagonal(const Parallel& parallel) {
    parallel.chunks(rows(), chunk, [&](std::size_t begin, std::size_t end) {
        std::fill(diagonal(begin), diagonal(begin) + 9 * (end - begin), 0.0);
    });
}

Mat3 HalfMatrix::diagonal_block(std::size_t row) const {
    const double* const v = diagonal(row);
    return Mat3::columns({v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]});
}

void HalfMatrix::add_diagonal(std::size_t row, const Mat3& m) {
    double* const value = diagonal(row);
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t r = 0; r < 3; ++r) value[3 * c + r] += m.row[c][r];
}

void HalfMatrix::find_mirrored() {
    if (!first_mirrored_.empty()) return;
    first_mirrored_.assign(rows() + 1, 0);
    for (const std::uint32_t j : columns_) ++first_mirrored_[j + 1];
    for (std::size_t i = 0; i < rows(); ++i) first_mirrored_[i + 1] += first_mirrored_[i];
    mirrored_.resize(columns_.size());
    std::vector<std::uint32_t> next(first_mirrored_.begin(), first_mirrored_.end() - 1);
    for (std::size_t k = 0; k < rows(); ++k)
        for (std::uint32_t slot = first_[k]; slot < first_[k + 1]; ++slot)
            mirrored_[next[columns_[slot]]++] = {order_[k], slot};
}

void HalfMatrix::multiply(std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel) {
    PLUSH_ASSERT(x.size() == rows() && y.size() == rows());
    std::fill(y.begin(), y.end(), Vec3{});
    if (parallel.threads() == 1) return multiply_rows<true>(x, y, 0, rows());
    find_mirrored();
    parallel.chunks(rows(), chunk,
                    [&](std::size_t begin, std::size_t end) { multiply_rows<false>(x, y, begin, end); });
}

template <bool alone>
void HalfMatrix::multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin,
                               std::size_t end) const {
    const float* value = numbers(first_[begin]);
    for (std::size_t k = begin; k < end; ++k) {
        const std::uint32_t i = order_[k];
        const Four own = four(x[i]);
        Four row = BlockColumns::load(diagonal(i)).times(own);
        for (std::uint32_t slot = first_[k]; slot < first_[k + 1]; ++slot, value += 9) {
            const std::uint32_t j = columns_[slot];
            const BlockColumns block = widened_block(value);
            row += block.times(four(x[j]));
            if constexpr (alone) add_to(y[j], block.transposed().times(own));
        }
        if constexpr (!alone)
            for (const Mirrored& m : mirrored(i))
                add_to(y[i], widened_block(numbers(m.slot)).transposed().times(four(x[m.row])));
        add_to(y[i], row);
    }
}

void HalfMatrix::expand(BlockMatrix& to) const {
    PLUSH_ASSERT(to.rows() == rows());
    to.set_zero(Parallel(1));
    for (std::size_t k = 0; k < rows(); ++k) {
        const std::uint32_t i = order_[k];
        to.add(to.diagonal_slot(i), diagonal_block(i));
        for (std::uint32_t slot = first_[k]; slot < first_[k + 1]; ++slot) {
            std::array<double, 9> v;
            std::copy_n(numbers(slot), v.size(), v.begin());
            const Mat3 block = Mat3::columns({v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]});
            to.add(to.slot(i, columns_[slot]), block);
            to.add(to.slot(columns_[slot], i), transpose(block));
        }
    }
}

std::size_t HalfMatrix::bytes() const {
    const auto of = [](const auto& array) { return array.capacity() * sizeof(array[0]); };
    return of(order_) + of(first_) + of(columns_) + of(values_) + of(diagonal_) + of(first_mirrored_) +
           of(mirrored_);
}

}  // namespace plush
