#include "geometry/sdf/sdf_sampled.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "geometry/repair/solid.hpp"
#include "geometry/sdf/sdf_grid.hpp"

// Beyond the grid. Let c be the point of the grid's box B nearest to p. The mesh lies in B and B is convex,
// so for every point q of it the angle at c is not acute: |p − q|² ≥ |p − c|² + |c − q|². Hence
//
//     d(p) ≥ √(|p − c|² + d(c)²),
//
// which is also continuous at the border. Straight out from a face it is too low by up to a factor √2; there
// the distance to the mesh's own bounding box is the better bound, and the larger of two lower bounds is one.
// Of d(c) the interpolant v(c) is known. It may exceed d(c): distances satisfy d'' ≤ 1/d (d² − |x|² is
// concave), d ≥ 2 cells on the border, and bilinear interpolation on a face then overshoots by at most 2 ·
// cell²/8 · 1/(2 cell) = cell/8. So much is taken off the nodes of the border once and for all.

namespace plush {
namespace {

constexpr double border_margin = 0.125 + 1e-5;  // cells: as derived, and a little for rounding to float

}  // namespace

Result<std::shared_ptr<const SampledSdf>> SampledSdf::make(const Mesh& mesh, int cells_across) {
    if (cells_across < fewest_cells || cells_across > max_cells)
        return Error({.place = "cells_across",
                      .problem = fmt::format("{} cells cannot be sampled", cells_across),
                      .cure = fmt::format("take {} to {}", fewest_cells, max_cells)});
    if (Result<void> solid = require_solid(mesh); !solid) return solid.error();
    const Grid grid = grid_around(mesh.bounds(), cells_across);
    const std::vector<double> distances = signed_distances(mesh, grid);

    std::shared_ptr<SampledSdf> sampled(new SampledSdf);
    sampled->origin_ = grid.origin;
    sampled->per_cell_ = 1 / grid.cell;
    sampled->row_y_ = grid.nodes[0];
    sampled->row_z_ = sampled->row_y_ * grid.nodes[1];
    sampled->mesh_bounds_ = mesh.bounds();
    for (std::size_t a = 0; a < 3; ++a) sampled->cells_[a] = grid.nodes[a] - 1;
    sampled->values_.resize(distances.size());
    for (int k = 0; k < grid.nodes[2]; ++k)
        for (int j = 0; j < grid.nodes[1]; ++j)
            for (int i = 0; i < grid.nodes[0]; ++i) {
                const std::size_t at = grid.index(i, j, k);
                const double margin = grid.on_border(i, j, k) ? border_margin * grid.cell : 0;
                sampled->values_[at] = static_cast<float>(distances[at] - margin);
            }
    sampled->steepness_ = sampled->steepest_cell();
    sampled->set_form({SdfForm::Kind::sampled, {static_cast<double>(cells_across)}, {}, mesh});
    return std::shared_ptr<const SampledSdf>(std::move(sampled));
}

// The gradient of a trilinear interpolant is affine in each of the cell's three coordinates, hence a mean of
// its values at the eight corners with weights that are not negative: it is longest at a corner. Cells
// without a positive corner have no point outside. Beyond the grid the value is the larger of two: the
// distance to a box less a constant, of slope 1, and √(|p − c|² + v²), whose slope is at most the larger of 1
// and that of v.
double SampledSdf::steepest_cell() const {
    const auto at = [&](std::ptrdiff_t i) { return value_of(values_[static_cast<std::size_t>(i)]); };
    const auto count = [&](std::size_t a) { return static_cast<std::ptrdiff_t>(cells_[a]); };
    double steepest2 = cell() * cell();
    for (std::ptrdiff_t k = 0; k < count(2); ++k)
        for (std::ptrdiff_t j = 0; j < count(1); ++j)
            for (std::ptrdiff_t i = 0; i < count(0); ++i) {
                const std::ptrdiff_t first = k * row_z_ + j * row_y_ + i;
                std::array<double, 8> corner;
                for (std::size_t c = 0; c < 8; ++c)
                    corner[c] = at(first + (c & 1 ? 1 : 0) + (c & 2 ? row_y_ : 0) + (c & 4 ? row_z_ : 0));
                if (*std::max_element(corner.begin(), corner.end()) <= 0) continue;
                for (std::size_t c = 0; c < 8; ++c) {
                    const Vec3 slope{corner[c] - corner[c ^ 1], corner[c] - corner[c ^ 2],
                                     corner[c] - corner[c ^ 4]};
                    steepest2 = std::max(steepest2, norm2(slope));
                }
            }
    return std::sqrt(steepest2) * per_cell_;
}

SampledSdf::Beyond SampledSdf::look_beyond(const Vec3& p) const {
    const Box3 grid = grid_bounds();
    const Vec3 c = max(min(p, grid.high), grid.low);
    // Just within the grid: interpolate() needs u < cells. Cells are at most a few hundred, so that 1 − 2⁻⁴⁰
    // of one is below it after rounding, and no distance notices.
    constexpr double within = 1.0 - 0x1p-40;
    const Vec3 u = min(max((c - origin_) * per_cell_, Vec3{}), cells_ * within);
    Beyond b;
    b.away = p - c;
    b.nearest = interpolate(u);
    const double v = std::max(b.nearest.value, 0.0);
    b.by_grid = std::sqrt(norm2(b.away) + v * v);
    b.from_box = p - max(min(p, mesh_bounds_.high), mesh_bounds_.low);
    b.by_box = norm(b.from_box) - border_margin * cell();
    return b;
}

double SampledSdf::value_beyond(const Vec3& p) const {
    const Beyond b = look_beyond(p);
    return b.by_box > b.by_grid ? b.by_box : b.by_grid;
}

DistanceSample SampledSdf::sample_beyond(const Vec3& p) const {
    const Beyond b = look_beyond(p);
    const Vec3 outward = unit(p - grid_bounds().centre(), {0, 1, 0});
    if (b.by_box > b.by_grid) return {b.by_box, unit(b.from_box, outward)};
    // ∇ √(|p − c|² + v²) = ((p − c) + v ∇v)/√…, where ∇v acts only along the axes that are not clamped.
    Vec3 slope = b.nearest.slope * per_cell_;
    for (std::size_t a = 0; a < 3; ++a)
        if (b.away[a] != 0) slope[a] = 0;
    return {b.by_grid, unit(b.away + std::max(b.nearest.value, 0.0) * slope, outward)};
}

// Within the grid a cell with a value ≤ 0 has a corner inside the mesh's box. Beyond it the value is at least
// the distance to the grid.
Box3 SampledSdf::level_bounds(double level) const {
    return level == 0 ? mesh_bounds_.grown(cell()) : grid_bounds().grown(level);
}

int cells_for(const Mesh& mesh, double feature) {
    const double across = max_component(mesh.bounds().size());
    const double cells = feature > 0 ? std::ceil(3 * across / feature) : SampledSdf::max_cells;
    return static_cast<int>(std::clamp<double>(cells, SampledSdf::fewest_cells, SampledSdf::max_cells));
}

Sdf sdf::sampled(const Mesh& mesh, int cells_across) {
    return SampledSdf::make(mesh, cells_across).value();
}

}  // namespace plush
