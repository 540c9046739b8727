#include "math/single_gradients.hpp"

#include <cmath>
#include <cstring>

#include "core/assert.hpp"
#include "math/four.hpp"

namespace plush {
namespace {

using Floats [[gnu::vector_size(16)]] = float;  // of one block
using Pair [[gnu::vector_size(32)]] = float;    // of two

constexpr std::size_t chunk = BlockMatrix::rows_per_task;

Floats load(const void* from) {
    Floats f;
    std::memcpy(&f, from, sizeof f);
    return f;
}

void store(const Floats& f, void* to) {
    std::memcpy(to, &f, sizeof f);
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

Four widened(const Floats& f) {
    return __builtin_convertvector(f, Four);
}

double sum_of(const Four& f) {
    return f[0] + f[1] + f[2];
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

double SingleGradients::take(const BlockMatrix& a, std::span<const Mat3> inverse_diagonal,
                             std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel) {
    const std::size_t n = a.rows();
    matrix_ = &a;
    values_.resize(9 * a.blocks() + 3);
    scales_.resize(n), inverse_diagonal_.resize(n);
    d_.resize(n), r_.resize(n), p_.resize(n), q_.resize(n);
    parallel.each(n, chunk, [&](std::size_t i) {
        const double size = trace(a.block(a.diagonal_slot(i))) / 3;
        const bool free = size > 0 && !(inverse_diagonal[i] == Mat3{});
        const double s = free ? 1 / std::sqrt(size) : 0.0, back = free ? size : 0.0;
        scales_[i] = s;
        const auto column = [&](std::size_t c) {
            Single out;
            store(narrowed(back * inverse_diagonal[i].column(c)), &out);
            return out;
        };
        inverse_diagonal_[i] = {column(0), column(1), column(2)};
    });
    return sum_over_chunks(
        parallel, [&](std::size_t begin, std::size_t end) { return take_rows(a, x, y, begin, end); });
}

double SingleGradients::take_rows(const BlockMatrix& a, std::span<const Vec3> x, std::span<Vec3> y,
                                  std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        Four row{};
        std::uint32_t slot = a.first_slot(i);
        const double own = scales_[i];
        for (const std::uint32_t j : a.columns(i)) {
            const double* const from = a.numbers(slot);
            const Four c0 = load_four(from), c1 = load_four(from + 3), c2 = load_four(from + 6);
            const Vec3& xj = x[j];
            row += c0 * xj.x + c1 * xj.y + c2 * xj.z;
            const double s = own * scales_[j];
            // Each column covers what the one before wrote too much; the last one writes three numbers.
            float* const to = &values_[9 * std::size_t{slot}];
            store(__builtin_convertvector(s * c0, Floats), to);
            store(__builtin_convertvector(s * c1, Floats), to + 3);
            const Floats last = __builtin_convertvector(s * c2, Floats);
            std::memcpy(to + 6, &last, 3 * sizeof(float));
            ++slot;
        }
        y[i] = {row[0], row[1], row[2]};
        sum += dot(x[i], y[i]);
    }
    return sum;
}

double SingleGradients::multiply_rows(std::size_t begin, std::size_t end) {
    Four sum{};
    const float* value = &values_[9 * std::size_t{matrix_->first_slot(begin)}];
    const Single* const p = p_.data();
    for (std::size_t i = begin; i < end; ++i) {
        const auto columns = matrix_->columns(i);
        Pair both{};
        std::size_t k = 0;
        for (; k + 2 <= columns.size(); k += 2, value += 18) {
            const Pair v = join(load(p + columns[k]), load(p + columns[k + 1]));
            both += load_two(value, value + 9) * spread<0>(v) +
                    load_two(value + 3, value + 12) * spread<1>(v) +
                    load_two(value + 6, value + 15) * spread<2>(v);
        }
        Floats row =
            __builtin_shufflevector(both, both, 0, 1, 2, 3) + __builtin_shufflevector(both, both, 4, 5, 6, 7);
        if (k < columns.size()) {
            const Floats v = load(p + columns[k]);
            row +=
                load(value) * spread<0>(v) + load(value + 3) * spread<1>(v) + load(value + 6) * spread<2>(v);
            value += 9;
        }
        store(row, &q_[i]);
        sum += widened(load(p + i)) * widened(row);  // the fourth lane of p is zero
    }
    return sum_of(sum);
}

int SingleGradients::solve(std::span<const Vec3> r, double size, double part, int iterations,
                           std::span<Vec3> d, const Parallel& parallel) {
    PLUSH_ASSERT(matrix_ && r.size() == scales_.size());
    const double rho = std::sqrt(size);
    const auto preconditioned = [&](std::size_t i, const Floats& v) -> Floats {
        const Preconditioner& m = inverse_diagonal_[i];
        return load(&m.c0) * spread<0>(v) + load(&m.c1) * spread<1>(v) + load(&m.c2) * spread<2>(v);
    };
    double rz = sum_over_chunks(parallel, [&](std::size_t begin, std::size_t end) {
        Four sum{};
        for (std::size_t i = begin; i < end; ++i) {
            const Floats own = narrowed((scales_[i] / rho) * r[i]), p = preconditioned(i, own);
            store(own, &r_[i]), store(p, &p_[i]), store(Floats{}, &d_[i]);
            sum += widened(own) * widened(p);
        }
        return sum_of(sum);
    });
    int done = 0;
    while (rz > part && done < iterations) {
        const double pq = sum_over_chunks(
            parallel, [&](std::size_t begin, std::size_t end) { return multiply_rows(begin, end); });
        if (!(pq > 0)) break;
        const Floats step = Floats{} + static_cast<float>(rz / pq);
        const double next = sum_over_chunks(parallel, [&](std::size_t begin, std::size_t end) {
            Four sum{};
            for (std::size_t i = begin; i < end; ++i) {
                store(load(&d_[i]) + step * load(&p_[i]), &d_[i]);
                const Floats left = load(&r_[i]) - step * load(&q_[i]), z = preconditioned(i, left);
                store(left, &r_[i]), store(z, &q_[i]);
                sum += widened(left) * widened(z);
            }
            return sum_of(sum);
        });
        const Floats beta = Floats{} + static_cast<float>(next / rz);
        rz = next;
        ++done;
        if (rz > part)
            parallel.each(scales_.size(), chunk,
                          [&](std::size_t i) { store(load(&q_[i]) + beta * load(&p_[i]), &p_[i]); });
    }
    parallel.each(scales_.size(), chunk, [&](std::size_t i) {
        const double s = rho * scales_[i];
        const Four found = s * widened(load(&d_[i]));
        d[i] = {found[0], found[1], found[2]};
    });
    return done;
}

std::size_t SingleGradients::iteration_bytes() const {
    return values_.size() * sizeof(float) + values_.size() / 9 * sizeof(std::uint32_t) +
           scales_.size() * (sizeof(Preconditioner) + 10 * sizeof(Single));
}

}  // namespace plush
