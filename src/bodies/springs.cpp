#include "bodies/springs.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"

namespace plush {
namespace {

/// Below this length, m, the direction of a spring is rounding (its square is near the smallest number).
constexpr double no_length = 1e-150;

using Lanes = EdgeMatrix::Lanes;
constexpr Lanes zero{};
constexpr std::size_t slices_per_task = vertices_per_task / EdgeMatrix::width;

}  // namespace

void Springs::add(const Spring& spring) {
    PLUSH_ASSERT(spring.i != spring.j);
    PLUSH_ASSERT(law_ == SpringLaw::absolute || spring.rest_length > 0);
    ends_.push_back(spring.i), ends_.push_back(spring.j);
    rest_.push_back(spring.rest_length);
    stiffness_.push_back(law_ == SpringLaw::relative ? spring.stiffness / spring.rest_length
                                                     : spring.stiffness);
    damping_.push_back(spring.damping);
    incidence_ = {};
    edges_ = {};
}

void Springs::group(std::size_t vertices) {
    if (edges_.rows() == vertices) return;
    edges_.build(vertices, ends_);
    fours_.assign(edges_.group_count(), Four{});
    for (std::size_t c = 0; c < edges_.edges().size(); ++c) {
        const std::uint32_t s = edges_.edges()[c];
        if (s == EdgeMatrix::none) continue;
        Four& four = fours_[c / EdgeMatrix::width];
        const std::size_t lane = c % EdgeMatrix::width;
        four.rest[lane] = rest_[s], four.stiffness[lane] = stiffness_[s], four.damping[lane] = damping_[s];
    }
}

// Each spring is met from both its ends, which costs less than two threads that write to the same vertices,
// and is exactly opposite for them.
void Springs::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                         const Parallel& parallel) {
    group(x.size());
    parallel.each(edges_.slices(), slices_per_task, [&](std::size_t slice) {
        Lanes xi, yi, zi, vxi, vyi, vzi, fx{}, fy{}, fz{};
        edges_.own(slice, x, xi, yi, zi);
        edges_.own(slice, v, vxi, vyi, vzi);
        for (std::size_t g = edges_.first_group(slice); g < edges_.first_group(slice + 1); ++g) {
            const Four& four = fours_[g];
            Lanes dx, dy, dz, ux, uy, uz, length;
            edges_.other(g, x, dx, dy, dz);
            edges_.other(g, v, ux, uy, uz);
            dx -= xi, dy -= yi, dz -= zi, ux -= vxi, uy -= vyi, uz -= vzi;
            EdgeMatrix::square_roots(dx * dx + dy * dy + dz * dz, length);
            const Lanes inverse = length > no_length ? 1.0 / length : zero;
            const Lanes speed = (dx * ux + dy * uy + dz * uz) * inverse;
            const Lanes pull = (four.stiffness * (length - four.rest) + four.damping * speed) * inverse;
            fx += pull * dx, fy += pull * dy, fz += pull * dz;
        }
        for (std::size_t l = 0; l < EdgeMatrix::width && EdgeMatrix::width * slice + l < f.size(); ++l)
            f[EdgeMatrix::width * slice + l] += Vec3{fx[l], fy[l], fz[l]};
    });
}

double Springs::energy(std::span<const Vec3> x) const {
    double sum = 0;
    for (std::size_t s = 0; s < size(); ++s) {
        const double stretch = norm(x[ends_[2 * s + 1]] - x[ends_[2 * s]]) - rest_[s];
        sum += stiffness_[s] * stretch * stretch;
    }
    return 0.5 * sum;
}

void Springs::add_pattern(BlockPattern& pattern) const {
    for (std::size_t s = 0; s < size(); ++s) pattern.add(ends_[2 * s], ends_[2 * s + 1]);
}

void Springs::bind(const BlockMatrix& matrix) {
    incidence_.build(matrix.rows(), ends_);
    at_vertex_.clear();
    at_vertex_.reserve(ends_.size());
    for (std::uint32_t i = 0; i < matrix.rows(); ++i) {
        const std::size_t begin = at_vertex_.size();
        for (std::uint32_t c : incidence_.corners(i)) {
            const std::uint32_t other = ends_[c ^ 1u];
            at_vertex_.push_back(
                {other, matrix.slot(i, other), rest_[c / 2], stiffness_[c / 2], damping_[c / 2]});
        }
        // Along the row of the matrix, so that memory is walked forwards.
        std::stable_sort(at_vertex_.begin() + static_cast<std::ptrdiff_t>(begin), at_vertex_.end(),
                         [](const End& a, const End& b) { return a.slot < b.slot; });
    }
}

// Row by row: each spring is met from both its ends and its block made twice, which costs less than two
// threads that write to the same rows, and walks the matrix in the order of memory.
void Springs::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                              const Parallel& parallel) {
    if (out.edges) {
        add_edges(x, v, {}, out, parallel);
        return;
    }
    PLUSH_ASSERT(at_vertex_.size() == ends_.size());
    parallel.each(out.matrix.rows(), vertices_per_task, [&](std::size_t i) {
        const std::size_t begin = incidence_.first(i), count = incidence_.corners(i).size();
        double sides = 0, xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;  // −K_ii, summed
        Vec3 product{};
        for (std::size_t e = begin; e < begin + count; ++e) {
            const End& end = at_vertex_[e];
            const Vec3 d = x[end.other] - x[i];
            const double length = norm(d);
            const bool directed = length > no_length;
            const double inverse = directed ? 1 / length : 0.0;  // one division: they are what costs here
            const Vec3 u = inverse * d;
            // τ, clamped. Without a direction only a spring of rest length 0 resists.
            const double across = directed || end.rest == 0 ? std::max(0.0, 1 - end.rest * inverse) : 0.0;
            const double along = end.stiffness * (1 - across);
            const double side = end.stiffness * across;
            // K_ij = side 1 + along u uᵀ, and B_ij = damping u uᵀ
            const Vec3 w = (out.k * along + out.b * end.damping) * u;
            const double s = out.k * side;
            out.matrix.add_parallel_outer(end.slot, s, w, u);
            sides += s;
            xx += w.x * u.x, yy += w.y * u.y, zz += w.z * u.z;
            xy += w.x * u.y, xz += w.x * u.z, yz += w.y * u.z;
            const Vec3 dv = v[end.other] - v[i];
            product += side * dv + (along * dot(u, dv)) * u;
        }
        out.matrix.add_symmetric(
            out.matrix.diagonal_slot(i),
            {{Vec3{-(xx + sides), -xy, -xz}, Vec3{-xy, -(yy + sides), -yz}, Vec3{-xz, -yz, -(zz + sides)}}});
        out.product[i] += product;
    });
}

// The same as edges: −k K − b B is the sum of s 1 + w wᵀ with s = −k side and w = √(−k along − b damping) u.
// The forces are those of add_forces(), bit for bit.
void Springs::add_edges(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                        Linearisation& out, const Parallel& parallel) {
    PLUSH_ASSERT(out.k <= 0 && out.b <= 0);
    group(x.size());
    parallel.each(edges_.slices(), slices_per_task, [&](std::size_t slice) {
        Lanes xi, yi, zi, vxi, vyi, vzi, px{}, py{}, pz{}, fx{}, fy{}, fz{};
        edges_.own(slice, x, xi, yi, zi);
        edges_.own(slice, v, vxi, vyi, vzi);
        for (std::size_t g = edges_.first_group(slice); g < edges_.first_group(slice + 1); ++g) {
            const Four& four = fours_[g];
            Lanes dx, dy, dz, ux, uy, uz;
            edges_.other(g, x, dx, dy, dz);
            edges_.other(g, v, ux, uy, uz);
            dx -= xi, dy -= yi, dz -= zi, ux -= vxi, uy -= vyi, uz -= vzi;
            const Lanes length2 = dx * dx + dy * dy + dz * dz;
            Lanes length, root;
            EdgeMatrix::square_roots(length2, length);
            const Lanes inverse = length > no_length ? 1.0 / length : zero;
            // τ, clamped. Without a direction only a spring of rest length 0 resists.
            Lanes across = 1.0 - four.rest * inverse;
            across = ((length > no_length) | (four.rest == 0.0)) ? across : zero;
            across = across > 0.0 ? across : zero;
            const Lanes side = four.stiffness * across, along = four.stiffness - side;
            const Lanes c = -out.k * along - out.b * four.damping;
            EdgeMatrix::square_roots(c, root);
            root *= inverse;
            edges_.group(g) = {root * dx, root * dy, root * dz, -out.k * side};
            const Lanes speed = (dx * ux + dy * uy + dz * uz) * inverse;
            const Lanes t = along * inverse * speed;
            px += side * ux + t * dx, py += side * uy + t * dy, pz += side * uz + t * dz;
            const Lanes pull = (four.stiffness * (length - four.rest) + four.damping * speed) * inverse;
            fx += pull * dx, fy += pull * dy, fz += pull * dz;
        }
        for (std::size_t l = 0; l < EdgeMatrix::width && EdgeMatrix::width * slice + l < x.size(); ++l)
            out.product[EdgeMatrix::width * slice + l] += Vec3{px[l], py[l], pz[l]};
        for (std::size_t l = 0; l < EdgeMatrix::width && EdgeMatrix::width * slice + l < f.size(); ++l)
            f[EdgeMatrix::width * slice + l] += Vec3{fx[l], fy[l], fz[l]};
    });
    out.edges->push_back(&edges_);
}

void Springs::add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                         Linearisation& out, const Parallel& parallel) {
    if (out.edges)
        add_edges(x, v, f, out, parallel);
    else
        ForceField::add_forces_and_derivatives(x, v, f, out, parallel);
}

// |K_ii| + |K_ij| ≤ 2 k, whatever the positions: across the spring it is softer than along it, or gives way.
void Springs::add_stiffness(std::span<const Vec3>, StiffnessBounds bounds) const {
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        bounds.k[ends_[c]] += 2 * stiffness_[c / 2];
        bounds.d[ends_[c]] += 2 * damping_[c / 2];
    }
}

}  // namespace plush
