#include "math/block_matrix.hpp"

#include <algorithm>
#include <cstring>

#include "core/assert.hpp"

namespace plush {

void BlockPattern::add(std::uint32_t i, std::uint32_t j) {
    PLUSH_ASSERT(i < rows_ && j < rows_);
    if (i != j) pairs_.emplace_back(std::min(i, j), std::max(i, j));
}

void BlockPattern::add_all_pairs(std::span<const std::uint32_t> vertices) {
    for (std::size_t a = 0; a < vertices.size(); ++a)
        for (std::size_t b = a + 1; b < vertices.size(); ++b) add(vertices[a], vertices[b]);
}

BlockMatrix::BlockMatrix(const BlockPattern& pattern) {
    const std::size_t n = pattern.rows();
    // Counted into rows with repetitions, then each row is sorted and thinned.
    std::vector<std::uint32_t> start(n + 1, 0);
    for (const auto& [i, j] : pattern.pairs_) ++start[i + 1], ++start[j + 1];
    for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];
    std::vector<std::uint32_t> others(start[n]), fill(start.begin(), start.end() - 1);
    for (const auto& [i, j] : pattern.pairs_) others[fill[i]++] = j, others[fill[j]++] = i;

    first_.reserve(n + 1);
    diagonal_.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto begin = others.begin() + start[i], end = others.begin() + start[i + 1];
        std::sort(begin, end);
        const auto last = std::unique(begin, end);
        const auto middle = std::lower_bound(begin, last, static_cast<std::uint32_t>(i));
        columns_.insert(columns_.end(), begin, middle);
        diagonal_.push_back(static_cast<std::uint32_t>(columns_.size()));
        columns_.push_back(static_cast<std::uint32_t>(i));
        columns_.insert(columns_.end(), middle, last);
        first_.push_back(static_cast<std::uint32_t>(columns_.size()));
    }
    values_.assign(9 * columns_.size() + 1, 0.0);
}

std::uint32_t BlockMatrix::slot(std::uint32_t i, std::uint32_t j) const {
    const auto begin = columns_.begin() + first_[i], end = columns_.begin() + first_[i + 1];
    const auto found = std::lower_bound(begin, end, j);
    return found != end && *found == j ? static_cast<std::uint32_t>(found - columns_.begin()) : none;
}

Mat3 BlockMatrix::block(std::uint32_t slot) const {
    const double* const v = &values_[9 * std::size_t{slot}];
    return Mat3::columns({v[0], v[1], v[2]}, {v[3], v[4], v[5]}, {v[6], v[7], v[8]});
}

void BlockMatrix::add(std::uint32_t slot, const Mat3& m) {
    add_symmetric(slot, transpose(m));
}

void BlockMatrix::set_zero(const Parallel& parallel) {
    parallel.chunks(rows(), rows_per_task, [&](std::size_t begin, std::size_t end) {
        std::fill(values_.begin() + 9 * std::ptrdiff_t{first_[begin]},
                  values_.begin() + 9 * std::ptrdiff_t{first_[end]}, 0.0);
    });
}

double BlockMatrix::multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin,
                                  std::size_t end) const {
    using Lanes = double __attribute__((vector_size(32)));
    double sum = 0;
    const double* value = values_.data() + 9 * std::size_t{first_[begin]};
    if (blocks() == rows()) {  // the diagonal alone, as where all forces are edges: nothing to look up
        for (std::size_t i = begin; i < end; ++i, value += 9) {
            const Vec3 v = x[i];
            y[i] = {value[0] * v.x + value[3] * v.y + value[6] * v.z,
                    value[1] * v.x + value[4] * v.y + value[7] * v.z,
                    value[2] * v.x + value[5] * v.y + value[8] * v.z};
            sum += dot(v, y[i]);
        }
        return sum;
    }
    for (std::size_t i = begin; i < end; ++i) {
        Lanes row{};
        for (std::uint32_t s = first_[i]; s < first_[i + 1]; ++s, value += 9) {
            const Vec3& xj = x[columns_[s]];
            Lanes c0, c1, c2;  // the fourth lane holds what follows in memory, and is dropped in the end
            std::memcpy(&c0, value, sizeof c0);
            std::memcpy(&c1, value + 3, sizeof c1);
            std::memcpy(&c2, value + 6, sizeof c2);
            row += c0 * xj.x + c1 * xj.y + c2 * xj.z;
        }
        y[i] = {row[0], row[1], row[2]};
        sum += dot(x[i], y[i]);
    }
    return sum;
}

void BlockMatrix::multiply(std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel) const {
    PLUSH_ASSERT(x.size() == rows() && y.size() == rows());
    parallel.chunks(rows(), rows_per_task,
                    [&](std::size_t begin, std::size_t end) { multiply_rows(x, y, begin, end); });
}

}  // namespace plush
