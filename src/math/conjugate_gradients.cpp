#include "math/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"

namespace plush {
namespace {

constexpr std::size_t chunk = BlockMatrix::rows_per_task;

/// Below this many rows an iteration takes less than some tens of microseconds, and its barriers would cost
/// more than a second thread saves, far more on a machine with other work. The bits are the same.
constexpr std::size_t least_parallel_rows = 4 * chunk;

// Of corrections in single precision. What one of them leaves of r·P⁻¹r at least: rounding lets it find no
// more. A little less than the goal, so that the true residual, which differs by rounding, is not just above
// it. And what it must not leave for another one to be worth it.
constexpr double least_part = 1e-10, below_goal = 0.98, worth_it = 1e-2;

const Parallel& alone() {
    static const Parallel one(1);
    return one;
}

}  // namespace

Mat3 inverse_of_definite(const Mat3& m) {
    const double a = m(0, 0), b = m(0, 1), c = m(0, 2), d = m(1, 1), e = m(1, 2), f = m(2, 2);
    const double aa = d * f - e * e, ab = c * e - b * f, ac = b * e - c * d;
    const double det = a * aa + b * ab + c * ac;
    // A determinant this far below the product of the diagonal is rounding.
    if (det > 1e-14 * a * d * f) {
        const double bc = b * c - a * e, s = 1 / det;
        return {{Vec3{s * aa, s * ab, s * ac}, Vec3{s * ab, s * (a * f - c * c), s * bc},
                 Vec3{s * ac, s * bc, s * (a * d - b * b)}}};
    }
    const auto reciprocal = [](double v) { return v > 0 ? 1 / v : 0.0; };
    return Mat3::diagonal({reciprocal(m(0, 0)), reciprocal(m(1, 1)), reciprocal(m(2, 2))});
}

void balance_net(std::span<const Mat3> e, std::span<const Vec3> b, std::span<Vec3> x) {
    Mat3 total{};
    Vec3 missing{};
    for (std::size_t i = 0; i < x.size(); ++i) {
        total += e[i];
        missing += b[i] - e[i] * x[i];
    }
    const Vec3 common = inverse_of_definite(total) * missing;
    for (Vec3& v : x) v += common;
}

template <class F>
double ConjugateGradients::sum_over_chunks(std::size_t n, const Parallel& parallel, F&& part) {
    parts_.resize((n + chunk - 1) / chunk);
    parallel.chunks(n, chunk,
                    [&](std::size_t begin, std::size_t end) { parts_[begin / chunk] = part(begin, end); });
    double sum = 0;
    for (double p : parts_) sum += p;
    return sum;
}

namespace {

Mat3 on_diagonal(const BlockMatrix& a, std::size_t i) {
    return a.block(a.diagonal_slot(i));
}
Mat3 on_diagonal(const HalfMatrix& a, std::size_t i) {
    return a.diagonal_block(i);
}

}  // namespace

/// P⁻¹; returns bᵀP⁻¹b.
template <class Matrix>
double ConjugateGradients::prepare(const Matrix& a, const ThinTerms& terms, std::span<const Vec3> b,
                                   std::span<const std::uint8_t> pinned, const Parallel& parallel) {
    const std::size_t n = a.rows();
    inverse_diagonal_.resize(n);
    r_.resize(n), p_.resize(n), q_.resize(n);
    return sum_over_chunks(n, parallel, [&](std::size_t begin, std::size_t end) {
        const auto d = std::span(inverse_diagonal_).subspan(begin, end - begin);
        for (std::size_t i = begin; i < end; ++i) d[i - begin] = on_diagonal(a, i);
        for (const EdgeMatrix* edges : terms.edges) edges->add_diagonal(begin, end, d);
        for (const RankOneTerm& t : terms.dense)
            for (std::size_t i = std::max(begin, t.first); i < std::min(end, t.first + t.g.size()); ++i)
                d[i - begin] += outer(t.factor * t.g[i - t.first], t.g[i - t.first]);
        for (std::size_t i = begin; i < end; ++i)
            d[i - begin] = !pinned.empty() && pinned[i] ? Mat3{} : inverse_of_definite(d[i - begin]);
        double s = 0;
        for (std::size_t i = begin; i < end; ++i) s += dot(b[i], d[i - begin] * b[i]);
        return s;
    });
}

double ConjugateGradients::multiply(const BlockMatrix& a, const ThinTerms& terms, std::span<const Vec3> p,
                                    std::span<Vec3> q, const Parallel& parallel) {
    const std::size_t n = a.rows();
    double pq = sum_over_chunks(n, parallel, [&](std::size_t begin, std::size_t end) {
        double part = a.multiply_rows(p, q, begin, end);
        for (const EdgeMatrix* edges : terms.edges) part += edges->multiply_rows(p, q, begin, end);
        return part;
    });
    for (const RankOneTerm& t : terms.dense) {
        const std::size_t m = t.g.size();
        const double along = sum_over_chunks(m, parallel, [&](std::size_t begin, std::size_t end) {
            double s = 0;
            for (std::size_t i = begin; i < end; ++i) s += dot(t.g[i], p[t.first + i]);
            return s;
        });
        parallel.each(m, chunk, [&](std::size_t i) { q[t.first + i] += (t.factor * along) * t.g[i]; });
        pq += t.factor * along * along;
    }
    return pq;
}

/// Scales the first guess, of which q = A x and x·q are known, and works out r and p = P⁻¹r; returns r·p.
double ConjugateGradients::start(double along, std::span<const Vec3> b, std::span<Vec3> x,
                                 const Parallel& parallel) {
    const std::size_t n = x.size();
    double fit = 0;
    for (std::size_t i = 0; i < n; ++i) fit += dot(x[i], b[i]);
    const double factor = along > 0 ? fit / along : 0.0;
    return sum_over_chunks(n, parallel, [&](std::size_t begin, std::size_t end) {
        double s = 0;
        for (std::size_t i = begin; i < end; ++i) {
            x[i] = factor * x[i];
            r_[i] = b[i] - factor * q_[i];
            p_[i] = inverse_diagonal_[i] * r_[i];
            s += dot(r_[i], p_[i]);
        }
        return s;
    });
}

/// r = b − A x, p = P⁻¹r; returns r·p.
double ConjugateGradients::true_residual(HalfMatrix& a, std::span<const Vec3> b, std::span<const Vec3> x,
                                         const Parallel& parallel) {
    a.multiply(x, q_, parallel);
    return sum_over_chunks(x.size(), parallel, [&](std::size_t begin, std::size_t end) {
        double s = 0;
        for (std::size_t i = begin; i < end; ++i) {
            r_[i] = b[i] - q_[i];
            p_[i] = inverse_diagonal_[i] * r_[i];
            s += dot(r_[i], p_[i]);
        }
        return s;
    });
}

double ConjugateGradients::true_residual(const BlockMatrix& a, std::span<const Vec3> b,
                                         std::span<const Vec3> x, const Parallel& parallel) {
    return sum_over_chunks(x.size(), parallel, [&](std::size_t begin, std::size_t end) {
        a.multiply_rows(x, q_, begin, end);
        double s = 0;
        for (std::size_t i = begin; i < end; ++i) {
            r_[i] = b[i] - q_[i];
            p_[i] = inverse_diagonal_[i] * r_[i];
            s += dot(r_[i], p_[i]);
        }
        return s;
    });
}

/// From r and p = P⁻¹r with r·p = rz, until it is at most `goal` or does not fall fast any more.
template <class Matrix>
double ConjugateGradients::correct_in_single(Matrix& a, std::span<const Vec3> b, double rz, double goal,
                                             std::span<Vec3> x, const Settings& settings, SolveReport& report,
                                             const Parallel& parallel) {
    while (rz > goal && report.iterations < settings.iterations) {
        const double part = std::max(least_part, below_goal * goal / rz);
        report.iterations +=
            single_.solve(r_, rz, part, settings.iterations - report.iterations, p_, parallel);
        const double before = rz;
        const double found = sum_over_chunks(x.size(), parallel, [&](std::size_t begin, std::size_t end) {
            double s = 0;
            for (std::size_t i = begin; i < end; ++i) s += norm2(p_[i]);
            return s;
        });
        if (std::isfinite(found)) parallel.each(x.size(), chunk, [&](std::size_t i) { x[i] += p_[i]; });
        rz = true_residual(a, b, x, parallel);
        if (!(rz < worth_it * before)) break;
    }
    return rz;
}

SolveReport ConjugateGradients::solve(const BlockMatrix& a, const ThinTerms& terms, std::span<const Vec3> b,
                                      std::span<const std::uint8_t> pinned, std::span<Vec3> x,
                                      const Settings& settings, const Parallel& team) {
    const std::size_t n = a.rows();
    const Parallel& parallel = n < least_parallel_rows ? alone() : team;
    for ([[maybe_unused]] const EdgeMatrix* edges : terms.edges) PLUSH_ASSERT(edges->rows() == n);
    PLUSH_ASSERT(b.size() == n && x.size() == n && (pinned.empty() || pinned.size() == n));
    SolveReport report;
    if (n == 0) return report;
    const double scale = prepare(a, terms, b, pinned, parallel);
    if (!pinned.empty())
        for (std::size_t i = 0; i < n; ++i)
            if (pinned[i]) x[i] = {};
    if (!(scale >
          0)) {  // nothing pushes: the answer is zero, whatever the guess was; or no block is definite
        std::fill(x.begin(), x.end(), Vec3{});
        for (std::size_t i = 0; i < n; ++i)
            if ((pinned.empty() || !pinned[i]) && !(b[i] == Vec3{})) report.converged = false;
        return report;
    }
    const bool single = settings.single && terms.dense.empty() && terms.edges.empty() &&
                        a.blocks() >= ConjugateGradients::least_single_blocks;
    const double along =
        single ? single_.take(a, inverse_diagonal_, x, q_, parallel) : multiply(a, terms, x, q_, parallel);
    double rz = start(along, b, x, parallel);
    const double goal = settings.tolerance * settings.tolerance * scale;
    if (single) rz = correct_in_single(a, b, rz, goal, x, settings, report, parallel);
    while (rz > goal && report.iterations < settings.iterations) {
        const double pq = multiply(a, terms, p_, q_, parallel);
        if (!(pq > 0)) break;
        const double step = rz / pq;
        // One pass: x and r advance, and r·P⁻¹r is summed; P⁻¹r takes the place of q.
        const double next = sum_over_chunks(n, parallel, [&](std::size_t begin, std::size_t end) {
            double s = 0;
            for (std::size_t i = begin; i < end; ++i) {
                x[i] += step * p_[i];
                r_[i] -= step * q_[i];
                q_[i] = inverse_diagonal_[i] * r_[i];
                s += dot(r_[i], q_[i]);
            }
            return s;
        });
        const double beta = next / rz;
        rz = next;
        ++report.iterations;
        if (rz > goal) parallel.each(n, chunk, [&](std::size_t i) { p_[i] = q_[i] + beta * p_[i]; });
    }
    report.residual = std::sqrt(rz / scale);
    report.converged = rz <= goal;
    return report;
}

SolveReport ConjugateGradients::solve(HalfMatrix& a, std::span<const Vec3> b,
                                      std::span<const std::uint8_t> pinned, std::span<Vec3> x,
                                      const Settings& settings, const Parallel& team) {
    const std::size_t n = a.rows();
    const Parallel& parallel = n < least_parallel_rows ? alone() : team;
    PLUSH_ASSERT(b.size() == n && x.size() == n && (pinned.empty() || pinned.size() == n));
    SolveReport report;
    const double scale = prepare(a, {}, b, pinned, parallel);
    if (!(scale > 0)) {
        report.converged = false;
        return report;
    }
    if (!pinned.empty())
        for (std::size_t i = 0; i < n; ++i)
            if (pinned[i]) x[i] = {};
    double rz = start(single_.take(a, inverse_diagonal_, x, q_, parallel), b, x, parallel);
    const double goal = settings.tolerance * settings.tolerance * scale;
    rz = correct_in_single(a, b, rz, goal, x, settings, report, parallel);
    report.residual = std::sqrt(rz / scale);
    report.converged = rz <= goal;
    return report;
}

}  // namespace plush
