#include "bodies/elements/springs.hpp"

#include <algorithm>
#include <cmath>

#include "bodies/elements/incidence.hpp"
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
    PLUSH_ASSERT(spring.stiffness >= 0 && spring.damping >= 0);
    ends_.push_back(spring.i), ends_.push_back(spring.j);
    rest_.push_back(spring.rest_length);
    stiffness_.push_back(law_ == SpringLaw::relative ? spring.stiffness / spring.rest_length
                                                     : spring.stiffness);
    damping_.push_back(spring.damping);
    edges_ = {};
}

void Springs::group(std::size_t vertices) {
    if (edges_.rows() == vertices) return;
    PLUSH_ASSERT(ends_.empty() || *std::max_element(ends_.begin(), ends_.end()) < vertices);
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
    PLUSH_ASSERT(v.size() == x.size() && f.size() == x.size());
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

// As edges: k K + b B is the sum of s 1 + w wᵀ with s = −k side and w = √(−k along − b damping) u.
// The forces are those of add_forces(), bit for bit.
void Springs::add_edges(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                        Linearisation& out, const Parallel& parallel) {
    PLUSH_ASSERT(out.k <= 0 && out.b <= 0);
    PLUSH_ASSERT(v.size() == x.size() && out.product.size() == x.size() &&
                 (f.empty() || f.size() == x.size()));
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
    out.edges.push_back(&edges_);
}

void Springs::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                              const Parallel& parallel) {
    add_edges(x, v, {}, out, parallel);
}

void Springs::add_forces_and_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                         Linearisation& out, const Parallel& parallel) {
    add_edges(x, v, f, out, parallel);
}

// |K_ii| + |K_ij| ≤ 2 k, whatever the positions: across the spring it is softer than along it, or gives way.
void Springs::add_stiffness(std::span<const Vec3>, StiffnessBounds bounds) const {
    for (std::size_t c = 0; c < ends_.size(); ++c) {
        PLUSH_ASSERT(ends_[c] < bounds.k.size() && ends_[c] < bounds.d.size());
        bounds.k[ends_[c]] += 2 * stiffness_[c / 2];
        bounds.d[ends_[c]] += 2 * damping_[c / 2];
    }
}

}  // namespace plush
