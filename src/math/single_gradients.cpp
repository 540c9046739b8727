#include "math/single_gradients.hpp"

#include <algorithm>
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
/// The same of two blocks side by side.
Pair rows_times(const Pair& c0, const Pair& c1, const Pair& c2, const Pair& v0, const Pair& v1,
                const Pair& v2) {
    const Pair first = __builtin_shufflevector(c0, c1, 0, 8, 1, 9, 4, 12, 5, 13);
    const Pair last = __builtin_shufflevector(c0, c1, 2, 10, 3, 11, 6, 14, 7, 15);
    return __builtin_shufflevector(first, c2, 0, 1, 8, 11, 4, 5, 12, 15) * v0 +
           __builtin_shufflevector(first, c2, 2, 3, 9, 11, 6, 7, 13, 15) * v1 +
           __builtin_shufflevector(last, c2, 0, 1, 10, 11, 4, 5, 14, 15) * v2;
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

void SingleGradients::take_pattern(const BlockMatrix& a, const Parallel& parallel) {
    const std::size_t n = a.rows();
    bool same = first_.size() == n + 1;
    first_.resize(n + 1), first_[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t behind = a.first_slot(i + 1) - a.diagonal_slot(i), end = first_[i] + behind;
        same = same && first_[i + 1] == end;
        first_[i + 1] = end;
    }
    columns_.resize(first_[n]);
    for (std::size_t i = 0; i < n; ++i) {
        const auto from = a.columns(i).last(first_[i + 1] - first_[i]);
        same = same && std::equal(from.begin(), from.end(), columns_.begin() + first_[i]);
        if (!same) std::copy(from.begin(), from.end(), columns_.begin() + first_[i]);
    }
    values_.resize(9 * columns_.size() + 3);
    if (!same) mirrored_.clear();
    if (parallel.threads() == 1 || !mirrored_.empty()) return;
    first_mirrored_.assign(n + 1, 0);
    for (std::size_t i = 0; i < n; ++i)
        first_mirrored_[i + 1] = first_mirrored_[i] + (a.diagonal_slot(i) - a.first_slot(i));
    mirrored_.resize(first_mirrored_[n]);
    std::vector<std::uint32_t> next(first_mirrored_.begin(), first_mirrored_.end() - 1);
    for (std::uint32_t i = 0; i < n; ++i)
        for (std::uint32_t slot = first_[i] + 1; slot < first_[i + 1]; ++slot)
            mirrored_[next[columns_[slot]]++] = {i, slot};
}

double SingleGradients::take(const BlockMatrix& a, std::span<const Mat3> inverse_diagonal,
                             std::span<const Vec3> x, std::span<Vec3> y, const Parallel& parallel) {
    const std::size_t n = a.rows();
    take_pattern(a, parallel);
    scales_.resize(n), inverse_diagonal_.resize(n);
    d_.resize(n), r_.resize(n), p_.resize(n), q_.resize(n);
    parallel.each(n, chunk, [&](std::size_t i) {
        // The inverse is at hand, the block itself lies among all others.
        const double size = trace(inverse_diagonal[i]) / 3;
        const bool free = size > 0;
        const double s = free ? std::sqrt(size) : 0.0, back = free ? 1 / size : 0.0;
        scales_[i] = s;
        const auto column = [&](std::size_t c) {
            Single out;
            store(narrowed(back * inverse_diagonal[i].column(c)), &out);
            return out;
        };
        inverse_diagonal_[i] = {column(0), column(1), column(2)};
    });
    // x goes by the scale of its rows, in a size that floats can hold.
    const double largest = std::sqrt(sum_over_chunks(parallel, [&](std::size_t begin, std::size_t end) {
        double most = 0;
        for (std::size_t i = begin; i < end; ++i)
            if (scales_[i] > 0) most += norm2(x[i]) / (scales_[i] * scales_[i]);
        return most;
    }));
    const bool zero = !(largest > 0) || !std::isfinite(largest);
    parallel.chunks(n, chunk, [&](std::size_t begin, std::size_t end) {
        take_rows(a, begin, end);
        for (std::size_t i = begin; i < end; ++i) {
            const bool still = zero || scales_[i] == 0;
            store(still ? Floats{} : narrowed(x[i] / (largest * scales_[i])), &p_[i]);
            store(Floats{}, &q_[i]);
        }
    });
    const double along = zero ? 0.0 : multiply(parallel) * (largest * largest);
    parallel.each(n, chunk, [&](std::size_t i) {
        const double back = zero || scales_[i] == 0 ? 0.0 : largest / scales_[i];
        const Four found = back * widened(load(&q_[i]));
        y[i] = {found[0], found[1], found[2]};
    });
    return along;
}

void SingleGradients::take_rows(const BlockMatrix& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const double* from = a.numbers(a.diagonal_slot(i));
        float* to = &values_[9 * std::size_t{first_[i]}];
        const double own = scales_[i];
        for (std::uint32_t slot = first_[i]; slot < first_[i + 1]; ++slot, from += 9, to += 9) {
            const double s = own * scales_[columns_[slot]];
            // Each column covers what the one before wrote too much; the last one writes three numbers.
            store(__builtin_convertvector(s * load_four(from), Floats), to);
            store(__builtin_convertvector(s * load_four(from + 3), Floats), to + 3);
            const Floats last = __builtin_convertvector(s * load_four(from + 6), Floats);
            std::memcpy(to + 6, &last, 3 * sizeof(float));
        }
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
    const float* value = &values_[9 * std::size_t{first_[begin]}];
    const std::uint32_t* column = &columns_[first_[begin]];
    const Single* const p = p_.data();
    Single* const q = q_.data();
    for (std::size_t i = begin; i < end; ++i) {
        const Floats own = load(p + i);
        const Floats diagonal = load(value) * spread<0>(own) + load(value + 3) * spread<1>(own) +
                                load(value + 6) * spread<2>(own);
        value += 9, ++column;
        std::uint32_t left = first_[i + 1] - first_[i] - 1;
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
            for (std::uint32_t k = first_mirrored_[i]; k < first_mirrored_[i + 1]; ++k) {
                const float* const block = &values_[9 * std::size_t{mirrored_[k].slot}];
                const Floats v = load(p + mirrored_[k].row);
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
    const double rho = std::sqrt(size);
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
    while (rz > part && done < iterations) {
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
        const double s = rho * scales_[i];
        const Four found = s * widened(load(&d_[i]));
        d[i] = {found[0], found[1], found[2]};
    });
    return done;
}

std::size_t SingleGradients::iteration_bytes() const {
    return values_.size() * sizeof(float) + values_.size() / 9 * sizeof(std::uint32_t) +
           scales_.size() * (sizeof(Preconditioner) + 13 * sizeof(Single));
}

}  // namespace plush
