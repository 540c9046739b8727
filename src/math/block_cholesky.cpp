#include "math/block_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "math/dense_panel.hpp"

// The numbers of the factor. Supernodes are taken from left to right. Those to the left that reach into one
// stand in its list; when it is done it joins the list of the next one that it reaches.

namespace plush {
namespace {

constexpr std::uint32_t none = 0xffffffffu;
constexpr std::size_t slack = 8;  // tiles read past the end of the last panel

std::size_t fours(std::size_t n) {
    return (n + 3) / 4 * 4;
}

/// The power of two at or below the first number on the diagonal. Roots of pivots over it round alike whatever the units of the
/// matrix are, as long as those are powers of two of one another: a scene of twice the size gets the same bits.
double unit_of(const BlockMatrix& matrix, std::span<const std::uint8_t> pinned) {
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
        const double first = matrix.block(matrix.diagonal_slot(i))(0, 0);
        if ((pinned.empty() || !pinned[i]) && first > 0 && std::isfinite(first))
            return std::ldexp(1, std::ilogb(first));
    }
    return 1;
}

}  // namespace

void BlockCholesky::analyse(const BlockMatrix& matrix) {
    good_ = false;
    columns_.clear(), row_ends_.clear();
    for (std::size_t i = 0; i < matrix.rows(); ++i) {
        const auto row = matrix.columns(i);
        columns_.insert(columns_.end(), row.begin(), row.end());
        row_ends_.push_back(static_cast<std::uint32_t>(columns_.size()));
    }
    order_rows(matrix);
    find_supernodes(matrix);
    place_values(matrix);
}

bool BlockCholesky::fits(const BlockMatrix& matrix) const {
    if (matrix.rows() != rows() || matrix.blocks() != columns_.size()) return false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < rows(); ++i) {
        const auto row = matrix.columns(i);
        if (begin + row.size() != row_ends_[i] ||
            !std::equal(row.begin(), row.end(), columns_.begin() + static_cast<std::ptrdiff_t>(begin)))
            return false;
        begin = row_ends_[i];
    }
    return true;
}

void BlockCholesky::place_values(const BlockMatrix& matrix) {
    stored_ = 0;
    operations_ = 0;
    source_start_.assign(1, 0);
    sources_.clear();
    for (Supernode& s : supernodes_) {
        const std::size_t own = s.end - s.first;
        s.height = static_cast<std::uint32_t>(fours(3 * s.block_rows()));
        s.values = stored_;
        stored_ += s.height * s.width();
        for (std::size_t j = 0; j < s.width(); ++j) {
            const double below = 3.0 * static_cast<double>(s.block_rows()) - static_cast<double>(j);
            operations_ += below * below;
        }
        const auto below = below_.begin() + s.below_start;
        for (std::uint32_t j = s.first; j < s.end; ++j) {
            const std::uint32_t old = order_[j];
            const auto columns = matrix.columns(old);
            for (std::size_t k = 0; k < columns.size(); ++k) {
                const std::uint32_t i = place_[columns[k]];
                if (i < j) continue;
                const std::size_t row =
                    i < s.end ? i - s.first
                              : own + static_cast<std::size_t>(
                                          std::lower_bound(below, below + s.below_count, i) - below);
                const std::size_t place = 3 * (j - s.first) * std::size_t{s.height} + 3 * row;
                sources_.push_back({matrix.first_slot(old) + static_cast<std::uint32_t>(k),
                                    static_cast<std::uint32_t>(place), columns[k], old});
            }
        }
        source_start_.push_back(static_cast<std::uint32_t>(sources_.size()));
    }
    values_.assign(stored_ + slack, 0.0);
    row_of_.assign(order_.size(), 0);
}

bool BlockCholesky::factorise(const BlockMatrix& matrix, std::span<const std::uint8_t> pinned) {
    PLUSH_ASSERT(matrix.rows() == rows() && (pinned.empty() || pinned.size() == rows()));
    good_ = false;
    std::fill(values_.begin(), values_.end(), 0.0);
    unit_ = unit_of(matrix, pinned);
    pinned_.assign(pinned.begin(), pinned.end());
    const double per_unit = 1 / unit_;
    head_.assign(supernodes_.size(), none);
    next_.assign(supernodes_.size(), none);
    position_.assign(supernodes_.size(), 0);
    // Stands in the list of the supernode that row `position` of it belongs to.
    const auto wait = [&](std::uint32_t s) {
        if (position_[s] == supernodes_[s].block_rows()) return;
        const std::uint32_t target = supernode_of_[block_row(supernodes_[s], position_[s])];
        next_[s] = head_[target];
        head_[target] = s;
    };
    for (std::uint32_t index = 0; index < supernodes_.size(); ++index) {
        const Supernode& s = supernodes_[index];
        double* const panel = values_.data() + s.values;
        for (std::uint32_t k = source_start_[index]; k < source_start_[index + 1]; ++k) {
            const Source& source = sources_[k];
            Mat3 block = per_unit * matrix.block(source.slot);  // of the row that is a column here
            if (!pinned.empty() && (pinned[source.row] || pinned[source.column]))
                block = source.row == source.column ? Mat3::identity() : Mat3{};
            double* const to = panel + source.place;
            for (std::size_t c = 0; c < 3; ++c)
                for (std::size_t r = 0; r < 3; ++r) to[c * s.height + r] = block(c, r);
        }
        for (std::size_t i = 0; i < s.block_rows(); ++i)
            row_of_[block_row(s, i)] = static_cast<std::uint32_t>(i);
        for (std::uint32_t d = head_[index]; d != none;) {
            const std::uint32_t after = next_[d];
            const Supernode& from = supernodes_[d];
            std::size_t end = position_[d];
            while (end < from.block_rows() && block_row(from, end) < s.end) ++end;
            update(s, from, position_[d], end);
            position_[d] = static_cast<std::uint32_t>(end);
            wait(d);
            d = after;
        }
        if (!factorise_panel(3 * s.block_rows(), s.width(), panel, s.height)) return false;
        position_[index] = s.end - s.first;
        wait(index);
    }
    return good_ = true;
}

// Rows [begin, end) of `from` are columns of the target: the outer product of all rows from `begin` on with
// them is subtracted from it.
void BlockCholesky::update(const Supernode& target, const Supernode& from, std::size_t begin,
                           std::size_t end) {
    const std::size_t rows = 3 * (from.block_rows() - begin), columns = 3 * (end - begin);
    const std::size_t stride = fours(rows);
    if (product_.size() < stride * columns + slack) product_.resize(stride * columns + slack);
    const double* const source = values_.data() + from.values + 3 * begin;
    multiply_panels(rows, columns, from.width(), source, from.height, source, from.height, product_.data(),
                    stride, false, true);
    double* const panel = values_.data() + target.values;
    for (std::size_t j = begin; j < end; ++j) {
        double* const column = panel + 3 * (block_row(from, j) - target.first) * std::size_t{target.height};
        const double* const product = product_.data() + 3 * (j - begin) * stride;
        for (std::size_t i = j; i < from.block_rows(); ++i) {
            double* const to = column + 3 * std::size_t{row_of_[block_row(from, i)]};
            const double* const p = product + 3 * (i - begin);
            for (std::size_t c = 0; c < 3; ++c)
                for (std::size_t r = 0; r < 3; ++r) to[c * target.height + r] -= p[c * stride + r];
        }
    }
}

}  // namespace plush
