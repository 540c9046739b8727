#include "bodies/elements/measure_springs.hpp"

#include "core/assert.hpp"

namespace plush {

template <std::size_t N>
void MeasureSprings<N>::append(const std::array<std::uint32_t, N>& vertices, double stiffness,
                               double damping) {
    PLUSH_ASSERT(stiffness >= 0 && damping >= 0);
    vertices_.insert(vertices_.end(), vertices.begin(), vertices.end());
    stiffness_.push_back(stiffness);
    damping_.push_back(damping);
    incidence_ = {};
}

template <std::size_t N>
std::array<Vec3, N> MeasureSprings<N>::points(std::size_t element, std::span<const Vec3> x) const {
    std::array<Vec3, N> p;
    for (std::size_t a = 0; a < N; ++a) p[a] = x[vertices_[N * element + a]];
    return p;
}

template <std::size_t N>
void MeasureSprings<N>::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                   const Parallel& parallel) {
    PLUSH_ASSERT(v.size() == x.size() && f.size() == x.size());
    if (incidence_.empty() || incidence_.vertex_count() != x.size()) incidence_.build(x.size(), vertices_);
    scratch_.resize(vertices_.size());
    parallel.each(size(), elements_per_task, [&](std::size_t e) {
        const Measure<N> m = measure(e, points(e, x));
        double rate = 0;
        for (std::size_t a = 0; a < N; ++a) rate += dot(m.gradient[a], v[vertices_[N * e + a]]);
        const double strength = stiffness_[e] * m.value + damping_[e] * rate;
        for (std::size_t a = 0; a < N; ++a) scratch_[N * e + a] = -strength * m.gradient[a];
    });
    gather(incidence_, scratch_, f, parallel);
}

template <std::size_t N>
double MeasureSprings<N>::energy(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t e = 0; e < size(); ++e) {
        const double c = measure(e, points(e, x)).value;
        sum += stiffness_[e] * c * c;
    }
    return 0.5 * sum;
}

template <std::size_t N>
void MeasureSprings<N>::add_pattern(BlockPattern& pattern) const {
    for (std::size_t e = 0; e < size(); ++e) pattern.add_all_pairs(vertices(e));
}

template <std::size_t N>
void MeasureSprings<N>::bind(const BlockMatrix& matrix) {
    slots_.clear();
    slots_.reserve(N * vertices_.size());
    for (std::size_t e = 0; e < size(); ++e)
        for (std::uint32_t a : vertices(e))
            for (std::uint32_t b : vertices(e)) slots_.push_back(matrix.slot(a, b));
}

// The measures in parallel, the sums one after the other: elements share rows.
template <std::size_t N>
void MeasureSprings<N>::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                        const Parallel& parallel) {
    PLUSH_ASSERT(slots_.size() == N * vertices_.size());
    PLUSH_ASSERT(v.size() == x.size() && out.product.size() == x.size());
    measures_.resize(size());
    parallel.each(size(), elements_per_task, [&](std::size_t e) { measures_[e] = measure(e, points(e, x)); });
    for (std::size_t e = 0; e < size(); ++e) {
        const auto& g = measures_[e].gradient;
        const double factor = -(out.k * stiffness_[e] + out.b * damping_[e]);
        double along = 0;
        for (std::size_t a = 0; a < N; ++a) along += dot(g[a], v[vertices_[N * e + a]]);
        for (std::size_t a = 0; a < N; ++a) {
            for (std::size_t b = 0; b < N; ++b)
                out.matrix.add(slots_[N * N * e + N * a + b], outer(factor * g[a], g[b]));
            out.product[vertices_[N * e + a]] -= (stiffness_[e] * along) * g[a];
        }
    }
}

template <std::size_t N>
void MeasureSprings<N>::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    for (std::size_t e = 0; e < size(); ++e) {
        const Measure<N> m = measure(e, points(e, x));
        double all = 0;
        for (const Vec3& g : m.gradient) all += norm(g);
        for (std::size_t a = 0; a < N; ++a) {
            const double row = norm(m.gradient[a]) * all;
            bounds.k[vertices_[N * e + a]] += stiffness_[e] * row;
            bounds.d[vertices_[N * e + a]] += damping_[e] * row;
        }
    }
}

template class MeasureSprings<4>;

}  // namespace plush
