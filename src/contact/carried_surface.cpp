#include "contact/carried_surface.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {

CarriedSurface::CarriedSurface(std::unique_ptr<SurfaceField> field, std::shared_ptr<const Embedding> weights,
                               std::span<const double> masses)
    : field_(std::move(field)), weights_(std::move(weights)), masses_(weights_->size(), 0.0) {
    std::vector<double> carried(masses.size(), 0.0);
    for (std::size_t p = 0; p < weights_->size(); ++p)
        for (const auto& [vertex, weight] : weights_->row(p)) carried[vertex] += std::abs(weight);
    for (std::size_t p = 0; p < weights_->size(); ++p)
        for (const auto& [vertex, weight] : weights_->row(p))
            masses_[p] += masses[vertex] * std::abs(weight) / carried[vertex];
}

std::vector<std::uint8_t> CarriedSurface::carried_by(std::span<const std::uint8_t> vertices) const {
    std::vector<std::uint8_t> points(weights_->size());
    for (std::size_t p = 0; p < points.size(); ++p) {
        const auto row = weights_->row(p);
        points[p] =
            std::all_of(row.begin(), row.end(), [&](const auto& e) { return vertices[e.vertex] != 0; });
    }
    return points;
}

void CarriedSurface::carry(std::span<const Vec3> x, std::span<const Vec3> v) {
    points_.resize(weights_->size()), speeds_.resize(weights_->size());
    weights_->apply(x, points_);
    weights_->apply(v, speeds_);
    forces_.assign(weights_->size(), {});
}

void CarriedSurface::finish_step(std::span<const Vec3> v_before, std::span<const Vec3> v_after) {
    std::vector<Vec3> before(weights_->size()), after(weights_->size());
    weights_->apply(v_before, before);
    weights_->apply(v_after, after);
    field_->finish_step(before, after);
}

void CarriedSurface::add_forces(std::span<const Vec3> x, std::span<const Vec3> v, std::span<Vec3> f,
                                const Parallel& parallel) {
    carry(x, v);
    field_->add_forces(points_, speeds_, forces_, parallel);
    weights_->add_transposed(forces_, f);
}

double CarriedSurface::energy(std::span<const Vec3> x) const {
    std::vector<Vec3> points(weights_->size());
    weights_->apply(x, points);
    return field_->energy(points);
}

void CarriedSurface::add_pattern(BlockPattern& pattern) const {
    std::vector<std::uint32_t> vertices;
    for (std::size_t p = 0; p < weights_->size(); ++p) {
        vertices.clear();
        for (const auto& entry : weights_->row(p)) vertices.push_back(entry.vertex);
        pattern.add_all_pairs(vertices);
    }
}

void CarriedSurface::bind(const BlockMatrix& matrix) {
    first_slot_.clear();
    slots_.clear();
    for (std::size_t p = 0; p < weights_->size(); ++p) {
        first_slot_.push_back(slots_.size());
        for (const auto& a : weights_->row(p))
            for (const auto& b : weights_->row(p)) slots_.push_back(matrix.slot(a.vertex, b.vertex));
    }
}

void CarriedSurface::add_derivatives(std::span<const Vec3> x, std::span<const Vec3> v, Linearisation& out,
                                     const Parallel& parallel) {
    carry(x, v);
    external_.assign(weights_->size(), {});
    products_.assign(weights_->size(), {});
    Linearisation of_points{out.k, out.b, no_matrix_, external_, no_terms_, no_edges_, products_, out.full};
    field_->add_derivatives(points_, speeds_, of_points, parallel);
    weights_->add_transposed(products_, out.product);
    for (std::size_t p = 0; p < weights_->size(); ++p) {
        const Mat3& e = external_[p];
        if (e == Mat3{}) continue;  // most points touch nothing
        const auto row = weights_->row(p);
        const std::uint32_t* slot = &slots_[first_slot_[p]];
        for (std::size_t a = 0; a < row.size(); ++a) {
            out.external[row[a].vertex] += row[a].weight * e;
            for (std::size_t b = 0; b < row.size(); ++b, ++slot)
                out.matrix.add(*slot, (row[a].weight * (row[b].weight - (a == b ? 1 : 0))) * e);
        }
    }
}

// A vertex feels Σ_p |w_pj| Σ_k |w_pk| of what the points feel.
void CarriedSurface::add_stiffness(std::span<const Vec3> x, StiffnessBounds bounds) const {
    std::vector<Vec3> points(weights_->size());
    weights_->apply(x, points);
    std::vector<double> k(points.size(), 0.0), d(points.size(), 0.0);
    field_->add_stiffness(points, {k, d});
    for (std::size_t p = 0; p < points.size(); ++p) {
        double sum = 0;
        for (const auto& entry : weights_->row(p)) sum += std::abs(entry.weight);
        for (const auto& [vertex, weight] : weights_->row(p)) {
            bounds.k[vertex] += std::abs(weight) * sum * k[p];
            bounds.d[vertex] += std::abs(weight) * sum * d[p];
        }
    }
}

}  // namespace plush
