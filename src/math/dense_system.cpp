#include "math/dense_system.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "math/dense_panel.hpp"

// LU by panels (Golub & Van Loan, Matrix Computations, 3.2.11): the columns of a panel are factorised one by one, then
// the rest of the matrix is updated by one product of panels, which is nearly all of the work.

namespace plush {
namespace {

constexpr std::size_t rounding = 12;     ///< the products of panels work on threes and fours
constexpr std::size_t panel_width = 48;  ///< columns

}  // namespace

void DenseSystem::resize(std::size_t size) {
    size_ = size;
    stride_ = (size + rounding - 1) / rounding * rounding;
    a_.assign(stride_ * stride_, 0);
    for (std::size_t i = size_; i < stride_; ++i) a_[i + i * stride_] = 1;
}

bool DenseSystem::factorise_columns(std::size_t first, std::size_t end) {
    for (std::size_t k = first; k < end; ++k) {
        double* const column = &a_[k * stride_];
        std::size_t pivot = k;
        for (std::size_t i = k + 1; i < stride_; ++i)
            if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
        if (!(std::abs(column[pivot]) > 0) || !std::isfinite(column[pivot])) return false;
        pivots_[k] = pivot;
        if (pivot != k)
            for (std::size_t j = 0; j < stride_; ++j) std::swap(a_[k + j * stride_], a_[pivot + j * stride_]);
        const double scale = 1 / column[k];
        for (std::size_t i = k + 1; i < stride_; ++i) column[i] *= scale;
        for (std::size_t j = k + 1; j < end; ++j) {
            double* const other = &a_[j * stride_];
            const double factor = other[k];
            if (factor == 0) continue;
            for (std::size_t i = k + 1; i < stride_; ++i) other[i] -= factor * column[i];
        }
    }
    return true;
}

void DenseSystem::update_after(std::size_t first, std::size_t end) {
    const std::size_t width = end - first, rest = stride_ - end;
    upper_.resize(rest * width);
    for (std::size_t j = 0; j < rest; ++j) {
        double* const column = &a_[(end + j) * stride_];
        for (std::size_t k = first; k < end; ++k) {
            const double factor = column[k];
            const double* const lower = &a_[k * stride_];
            for (std::size_t i = k + 1; i < end; ++i) column[i] -= factor * lower[i];
            upper_[j + (k - first) * rest] = factor;
        }
    }
    multiply_panels(rest, rest, width, &a_[end + first * stride_], stride_, upper_.data(), rest,
                    &a_[end + end * stride_], stride_, true, false);
}

bool DenseSystem::solve(std::span<double> b) {
    PLUSH_ASSERT(b.size() == size_);
    pivots_.resize(stride_);
    for (std::size_t first = 0; first < stride_; first += panel_width) {
        const std::size_t end = std::min(stride_, first + panel_width);
        if (!factorise_columns(first, end)) return false;
        if (end < stride_) update_after(first, end);
    }
    x_.assign(stride_, 0);
    std::copy(b.begin(), b.end(), x_.begin());
    for (std::size_t k = 0; k < stride_; ++k) std::swap(x_[k], x_[pivots_[k]]);
    for (std::size_t k = 0; k < stride_; ++k)
        for (std::size_t i = k + 1; i < stride_; ++i) x_[i] -= x_[k] * a_[i + k * stride_];
    for (std::size_t k = stride_; k-- > 0;) {
        x_[k] /= a_[k + k * stride_];
        for (std::size_t i = 0; i < k; ++i) x_[i] -= x_[k] * a_[i + k * stride_];
    }
    std::copy_n(x_.begin(), size_, b.begin());
    return true;
}

bool DenseSystem::solve_positive(std::span<double> b) {
    PLUSH_ASSERT(b.size() == size_);
    if (!factorise_panel(stride_, stride_, a_.data(), stride_)) return false;
    x_.assign(stride_, 0);
    std::copy(b.begin(), b.end(), x_.begin());
    for (std::size_t k = 0; k < stride_; ++k) {
        x_[k] /= a_[k + k * stride_];
        for (std::size_t i = k + 1; i < stride_; ++i) x_[i] -= x_[k] * a_[i + k * stride_];
    }
    for (std::size_t k = stride_; k-- > 0;) {
        double sum = x_[k];
        for (std::size_t i = k + 1; i < stride_; ++i) sum -= x_[i] * a_[i + k * stride_];
        x_[k] = sum / a_[k + k * stride_];
    }
    std::copy_n(x_.begin(), size_, b.begin());
    return true;
}

}  // namespace plush
