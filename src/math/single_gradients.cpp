#include "math/single_gradients.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/assert.hpp"
#include "math/four.hpp"

namespace plush {
namespace {

using Pair [[gnu::vector_size(32)]] = float;  // of two blocks

constexpr std::size_t chunk = BlockMatrix::rows_per_task;

Floats load(const void* from) {
    return load_floats(from);
}

void store(const Floats& f, void* to) {
    store_floats(f, to);
}

Pair join(const Floats& low, const Floats& high) {
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

Pair load_two(const float* low, const float* high) {
    return join(load(low), load(high));
}

/// Component k of both vectors in all of their lanes.
template <int k>
Pair spread(const Pair& v) {
    return __builtin_shufflevector(v, v, k, k, k, k, 4 + k, 4 + k, 4 + k, 4 + k);
}
template <int k>
Floats spread(const Floats& v) {
    return __builtin_shufflevector(v, v, k, k, k, k);
}

Floats low(const Pair& v) {
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
Floats high(const Pair& v) {
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}

/// Bᵀ v for the columns of B and the components of v in all lanes: the rows of B are made of its columns.
Floats rows_times(const Floats& c0, const Floats& c1, const Floats& c2, const Floats& v0, const Floats& v1,
                  const Floats& v2) {
    const Floats first = __builtin_shufflevector(c0, c1, 0, 4, 1, 5);
    const Floats last = __builtin_shufflevector(c0, c1, 2, 6, 3, 7);
    return __builtin_shufflevector(first, c2, 0, 1, 4, 7) * v0 +
           __builtin_shufflevector(first, c2, 2, 3, 5, 7) * v1 +
           __builtin_shufflevector(last, c2, 0, 1, 6, 7) * v2;
}
/// The rows of two blocks side by side times their vectors.
Pair rows_times(const Pair& c0, const Pair& c1, const Pair& c2, const Pair& v0, const Pair& v1,
                const Pair& v2) {
    const Pair first = __builtin_shufflevector(c0, c1, 0, 8, 1, 9, 4, 12, 5, 13);
    const Pair last = __builtin_shufflevector(c0, c1, 2, 10, 3, 11, 6, 14, 7, 15);
    return __builtin_shufflevector(first, c2, 0, 1, 8, 11, 4, 5, 12, 15) * v0 +
           __builtin_shufflevector(first, c2, 2, 3, 9, 11, 6, 7, 13, 15) * v1 +
           __builtin_shufflevector(last, c2, 0, 1, 10, 11, 4, 5, 14, 15) * v2;
}

double sum_of(const Four& f) {
    return f[0] + f[1] + f[2];
}

/// s times the nine numbers of a block.
void store_scaled(double s, const double* from, float* to) {
    store_block(__builtin_convertvector(s * load_four(from), Floats),
                __builtin_convertvector(s * load_four(from + 3), Floats),
                __builtin_convertvector(s * load_four(from + 6), Floats), to);
}

Floats narrowed(const Vec3& v) {
    return Floats{static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z), 0};
}

}  // namespace

template <class F>
double SingleGradients::sum_over_chunks(const Parallel& parallel, F&& part) {
    parts_.resize((scales_.size() + chunk - 1) / chunk);
    parallel.chunks(scales_.size(), chunk,
                    [&](std::size_t begin, std::size_t end) { parts_[begin / chunk] = part(begin, end); });
    double sum = 0;
    for (const double p : parts_) sum += p;
    return sum;
}

void SingleGradients::take_pattern(const BlockMatrix& a) {
    const std::size_t n = a.rows();
    const auto behind = [&](std::size_t i) {
        return a.columns(i).last(a.first_slot(i + 1) - a.diagonal_slot(i) - 1);
    };
    bool same = own_.rows() == n;
    for (std::size_t i = 0; i < n && same; ++i) {
        const auto there = own_.columns().subspan(own_.first()[i], own_.first()[i + 1] - own_.first()[i]);
        const auto now = behind(i);
        same = std::equal(now.begin(), now.end(), there.begin(), there.end());
    }
    if (same) return;
    std::vector<std::uint32_t> order(n), first{0}, columns;
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = 0; i < n; ++i) {
        const auto now = behind(i);
        columns.insert(columns.end(), now.begin(), now.end());
        first.push_back(static_cast<std::uint32_t>(columns.size()));
    }
    own_ = HalfMatrix(std::move(order), std::move(first), std::move(columns));
}

double SingleGradients::take(const BlockMatrix& a, std::span<const Mat3> inverse_diagonal,
                             std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel) {
    take_pattern(a);
    a_ = &own_;
    resize(parallel);
    find_unit(inverse_diagonal);
    matrix_unit_ = vector_unit_;
    parallel.each(a.rows(), chunk, [&](std::size_t i) {
        // The inverse is at hand, the block itself lies among all others.
        const double size = trace(inverse_diagonal[i]) / 3;
        scales_[i] = size > 0 ? std::sqrt(size / matrix_unit_) : 0.0;
        take_inverse(i, size > 0 ? 1 / size : 0.0, inverse_diagonal[i]);
    });
    parallel.chunks(a.rows(), chunk, [&](std::size_t begin, std::size_t end) { take_rows(a, begin, end); });
    return first_product(x, y, parallel);
}

double SingleGradients::take(HalfMatrix& a, std::span<const Mat3> inverse_diagonal, std::span<const Vec3> x,
                             std::span<Vec3> y, const Parallel& parallel) {
    a_ = &a;
    resize(parallel);
    find_unit(inverse_diagonal);
    matrix_unit_ = 1;
    parallel.each(a.rows(), chunk, [&](std::size_t i) {
        const bool free = trace(inverse_diagonal[i]) > 0;
        scales_[i] = free ? 1.0 : 0.0;
        take_inverse(i, free ? 1.0 : 0.0, inverse_diagonal[i]);
        take_diagonal(i, 1.0, a.diagonal(i));
    });
    return first_product(x, y, parallel);
}

void SingleGradients::resize(const Parallel& parallel) {
    const std::size_t n = a_->rows();
    scales_.resize(n), inverse_diagonal_.resize(n), diagonal_.resize(9 * n + 3);
    d_.resize(n), r_.resize(n), p_.resize(n), q_.resize(n);
    if (parallel.threads() > 1) a_->find_mirrored();
}

void SingleGradients::find_unit(std::span<const Mat3> inverse_diagonal) {
    vector_unit_ = 1;
    for (const Mat3& inverse : inverse_diagonal) {
        const double size = trace(inverse) / 3;
        if (!(size > 0) || !std::isfinite(size)) continue;
        vector_unit_ = std::ldexp(1, std::ilogb(size));
        return;
    }
}

void SingleGradients::take_inverse(std::size_t row, double factor, const Mat3& inverse) {
    const auto column = [&](std::size_t c) {
        Single out;
        store(narrowed(factor * inverse.column(c)), &out);
        return out;
    };
    inverse_diagonal_[row] = {column(0), column(1), column(2)};
}

void SingleGradients::take_diagonal(std::size_t row, double factor, const double* from) {
    store_scaled(factor, from, &diagonal_[9 * row]);
}

/// For an x that is zero in pinned rows.
double SingleGradients::first_product(std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel) {
    const std::size_t n = a_->rows();
    // x goes by the scale of its rows, in a size that floats can hold.
    const double largest = std::sqrt(sum_over_chunks(parallel, [&](std::size_t begin, std::size_t end) {
        double most = 0;
        for (std::size_t i = begin; i < end; ++i)
            if (scales_[i] > 0) most += norm2(x[i]) / (scales_[i] * scales_[i]);
        return most;
    }));
    const bool zero = !(largest > 0) || !std::isfinite(largest);
    parallel.each(n, chunk, [&](std::size_t i) {
        const bool still = zero || scales_[i] == 0;
        store(still ? Floats{} : narrowed(x[i] / (largest * scales_[i])), &p_[i]);
        store(Floats{}, &q_[i]);
    });
    const double along = zero ? 0.0 : multiply(parallel) * (largest * largest / matrix_unit_);
    parallel.each(n, chunk, [&](std::size_t i) {
        const double back = zero || scales_[i] == 0 ? 0.0 : largest / (matrix_unit_ * scales_[i]);
        const Four found = back * widened(load(&q_[i]));
        y[i] = {found[0], found[1], found[2]};
    });
    return along;
}

void SingleGradients::take_rows(const BlockMatrix& a, std::size_t begin, std::size_t end) {
    const auto columns = own_.columns();
    const auto first = own_.first();
    for (std::size_t i = begin; i < end; ++i) {
        const double* from = a.numbers(a.diagonal_slot(i));
        const double own = matrix_unit_ * scales_[i];
        take_diagonal(i, own * scales_[i], from);
        from += 9;
        for (std::uint32_t slot = first[i]; slot < first[i + 1]; ++slot, from += 9)
            store_scaled(own * scales_[columns[slot]], from, own_.numbers(slot));
    }
}

double SingleGradients::multiply(const Parallel& parallel) {
    if (parallel.threads() == 1)
        return sum_over_chunks(
            parallel, [&](std::size_t begin, std::size_t end) { return multiply_rows<true>(begin, end); });
    return sum_over_chunks(
        parallel, [&](std::size_t begin, std::size_t end) { return multiply_rows<false>(begin, end); });
}

// The fourth lanes of p are zero; those of q hold anything, and nobody looks at them.
template <bool alone>
double SingleGradients::multiply_rows(std::size_t begin, std::size_t end) {
    Four sum{};
    const auto order = a_->order(), first = a_->first();
    const float* value = a_->numbers(first[begin]);
    const std::uint32_t* column = a_->columns().data() + first[begin];
    const Single* const p = p_.data();
    Single* const q = q_.data();
    for (std::size_t k = begin; k < end; ++k) {
        const std::uint32_t i = order[k];
        const Floats own = load(p + i);
        const float* const middle = &diagonal_[9 * std::size_t{i}];
        const Floats diagonal = load(middle) * spread<0>(own) + load(middle + 3) * spread<1>(own) +
                                load(middle + 6) * spread<2>(own);
        std::uint32_t left = first[k + 1] - first[k];
        const Pair o0 = spread<0>(join(own, own)), o1 = spread<1>(join(own, own)),
                   o2 = spread<2>(join(own, own));
        Pair both{};
        for (; left >= 2; left -= 2, value += 18, column += 2) {
            const Pair v = join(load(p + column[0]), load(p + column[1]));
            const Pair c0 = load_two(value, value + 9), c1 = load_two(value + 3, value + 12),
                       c2 = load_two(value + 6, value + 15);
            both += c0 * spread<0>(v) + c1 * spread<1>(v) + c2 * spread<2>(v);
            if constexpr (alone) {
                const Pair across = rows_times(c0, c1, c2, o0, o1, o2);
                store(load(q + column[0]) + low(across), q + column[0]);
                store(load(q + column[1]) + high(across), q + column[1]);
            }
        }
        Floats behind = low(both) + high(both);
        if (left > 0) {
            const Floats v = load(p + *column);
            const Floats c0 = load(value), c1 = load(value + 3), c2 = load(value + 6);
            behind += c0 * spread<0>(v) + c1 * spread<1>(v) + c2 * spread<2>(v);
            if constexpr (alone)
                store(load(q + *column) + rows_times(c0, c1, c2, low(o0), low(o1), low(o2)), q + *column);
            value += 9, ++column;
        }
        Floats before = load(q + i);
        if constexpr (!alone) {
            for (const HalfMatrix::Mirrored& m : a_->mirrored(i)) {
                const float* const block = a_->numbers(m.slot);
                const Floats v = load(p + m.row);
                before += rows_times(load(block), load(block + 3), load(block + 6), spread<0>(v),
                                     spread<1>(v), spread<2>(v));
            }
        }
        store(before + (diagonal + behind), q + i);
        sum += widened(own) * widened(diagonal + (behind + behind));
    }
    return sum_of(sum);
}

int SingleGradients::solve(std::span<const Vec3> r, double size, double part, int iterations,
                           std::span<Vec3> d, const Parallel& parallel) {
    PLUSH_ASSERT(!scales_.empty() && r.size() == scales_.size());
    const double rho = std::sqrt(size / vector_unit_), enough = part * (vector_unit_ / matrix_unit_);
    const auto preconditioned = [&](std::size_t i, const Floats& v) -> Floats {
        const Preconditioner& m = inverse_diagonal_[i];
        return load(&m.c0) * spread<0>(v) + load(&m.c1) * spread<1>(v) + load(&m.c2) * spread<2>(v);
    };
    double rz = sum_over_chunks(parallel, [&](std::size_t begin, std::size_t end) {
        Four sum{};
        for (std::size_t i = begin; i < end; ++i) {
            const Floats own = narrowed((scales_[i] / rho) * r[i]), p = preconditioned(i, own);
            store(own, &r_[i]), store(p, &p_[i]), store(Floats{}, &d_[i]), store(Floats{}, &q_[i]);
            sum += widened(own) * widened(p);
        }
        return sum_of(sum);
    });
    int done = 0;
    while (rz > enough && done < iterations) {
        const double pq = multiply(parallel);
        if (!(pq > 0)) break;
        const Floats step = Floats{} + static_cast<float>(rz / pq);
        const double next = sum_over_chunks(parallel, [&](std::size_t begin, std::size_t end) {
            Four sum{};
            for (std::size_t i = begin; i < end; ++i) {
                const Floats left = load(&r_[i]) - step * load(&q_[i]), z = preconditioned(i, left);
                store(left, &r_[i]), store(z, &q_[i]);
                sum += widened(left) * widened(z);
            }
            return sum_of(sum);
        });
        const Floats beta = Floats{} + static_cast<float>(next / rz);
        rz = next;
        ++done;
        // d waits until p is read again for its own change.
        parallel.each(scales_.size(), chunk, [&](std::size_t i) {
            const Floats p = load(&p_[i]);
            store(load(&d_[i]) + step * p, &d_[i]);
            store(load(&q_[i]) + beta * p, &p_[i]);
            store(Floats{}, &q_[i]);
        });
    }
    parallel.each(scales_.size(), chunk, [&](std::size_t i) {
        const double s = rho * matrix_unit_ * scales_[i];
        const Four found = s * widened(load(&d_[i]));
        d[i] = {found[0], found[1], found[2]};
    });
    return done;
}

std::size_t SingleGradients::iteration_bytes() const {
    return a_->blocks() * (9 * sizeof(float) + sizeof(std::uint32_t)) +
           scales_.size() *
               (sizeof(Preconditioner) + 13 * sizeof(Single) + 9 * sizeof(float) + 2 * sizeof(std::uint32_t));
}

}  // namespace plush
