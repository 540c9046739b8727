#pragma once

#include "geometry/sdf/sdf_base.hpp"

namespace plush {

/// The distance to a closed mesh, sampled on a grid of cubic cells and interpolated trilinearly. Contact
/// detection asks it millions of times a second: sample() of this final class is inline and allocates
/// nothing.
///
/// The mesh is surrounded by two cells of padding. The error near the surface is about κ cell²/4 on smooth
/// parts (κ the curvature), up to half a cell at sharp edges. A wall thinner than two cells may lose its
/// inside: take cells_for().
class SampledSdf final : public KnownDistance {
public:
    static constexpr int fewest_cells = 4, max_cells = 256;

    /// An Error where the mesh bounds no solid or the number of cells along its longest side is out of range.
    static Result<std::shared_ptr<const SampledSdf>> make(const Mesh& mesh, int cells_across);

    /// The interpolated distance and the unit vector along its gradient. Beyond the grid, a lower bound.
    DistanceSample sample(const Vec3& p) const override {
        const Vec3 u = (p - origin_) * per_cell_;
        // Written so that a NaN goes the slow way.
        if (!(u.x >= 0 && u.y >= 0 && u.z >= 0 && u.x < cells_.x && u.y < cells_.y && u.z < cells_.z))
            return sample_beyond(p);
        const Interpolated s = interpolate(u);
        return {s.value, unit(s.slope, {0, 1, 0})};
    }

    /// The same bits as sample(p).value for half the work: culling asks for nothing else.
    double value(const Vec3& p) const override {
        const Vec3 u = (p - origin_) * per_cell_;
        if (!(u.x >= 0 && u.y >= 0 && u.z >= 0 && u.x < cells_.x && u.y < cells_.y && u.z < cells_.z))
            return value_beyond(p);
        return interpolate(u).value;  // the compiler drops the slope
    }

    Exactness exactness() const override { return Exactness::approximate; }
    double steepness() const override { return steepness_; }
    bool is_convex() const override { return false; }
    Box3 level_bounds(double level) const override;

    double cell() const { return 1 / per_cell_; }              ///< edge of a cell, m
    std::size_t memory() const { return 4 * values_.size(); }  ///< bytes
    Box3 grid_bounds() const { return {origin_, origin_ + cells_ * cell()}; }

private:
    SampledSdf() = default;

    struct Interpolated {
        double value;
        Vec3 slope;  ///< metres per cell: the derivative of the same interpolant
    };

    /// At the grid coordinates u, 0 ≤ u < cells.
    Interpolated interpolate(const Vec3& u) const {
        const int i = static_cast<int>(u.x), j = static_cast<int>(u.y), k = static_cast<int>(u.z);
        const double fx = u.x - i, fy = u.y - j, fz = u.z - k;
        const float* a = values_.data() + (k * row_z_ + j * row_y_ + i);
        const float *b = a + row_y_, *c = a + row_z_, *d = c + row_y_;
        const double va = value_of(a[0]), vb = value_of(b[0]), vc = value_of(c[0]), vd = value_of(d[0]);
        const double xa = value_of(a[1]) - va, xb = value_of(b[1]) - vb;
        const double xc = value_of(c[1]) - vc, xd = value_of(d[1]) - vd;
        const double wa = va + fx * xa, wb = vb + fx * xb, wc = vc + fx * xc, wd = vd + fx * xd;
        const double low = wa + fy * (wb - wa), high = wc + fy * (wd - wc);
        const double x_low = xa + fy * (xb - xa), x_high = xc + fy * (xd - xc);
        const double y_low = wb - wa, y_high = wd - wc;
        return {low + fz * (high - low),
                {x_low + fz * (x_high - x_low), y_low + fz * (y_high - y_low), high - low}};
    }
    static double value_of(float v) { return static_cast<double>(v); }

    double steepest_cell() const;
    DistanceSample sample_beyond(const Vec3& p) const;
    double value_beyond(const Vec3& p) const;

    /// What is known of a point beyond the grid: its nearest point there, and two lower bounds.
    struct Beyond {
        Vec3 away;  ///< from the nearest point of the grid
        Interpolated nearest;
        double by_grid;
        Vec3 from_box;  ///< from the nearest point of the mesh's box
        double by_box;
    };
    Beyond look_beyond(const Vec3& p) const;

    Vec3 origin_{}, cells_{};  ///< the grid's low corner, m; the number of cells along each axis
    double per_cell_ = 0;      ///< 1 / cell
    std::ptrdiff_t row_y_ = 0, row_z_ = 0;
    std::vector<float> values_{};  ///< at the corners of the cells, x running fastest, m
    Box3 mesh_bounds_{};
    double steepness_ = 1;
};

/// The number of cells across that resolves a wall or a gap of this thickness (m) with three cells, within
/// what SampledSdf takes.
int cells_for(const Mesh& mesh, double feature);

}  // namespace plush
