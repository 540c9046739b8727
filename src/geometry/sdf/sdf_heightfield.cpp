#include <fmt/format.h>

#include <algorithm>

#include "geometry/sdf/sdf_base.hpp"

// Ground given by heights on a grid, h(x, z) bilinear between them; heights[iz · nx + ix] stands over
// origin + cell (ix, ·, iz) and origin.y is added to it. Beyond the grid the border's heights go on for ever,
// so that nothing falls off the world unawares.
//
// The vertical distance y − h overestimates the distance on a slope. With L the steepest slope anywhere,
//
//     φ = (y − h(x, z)) / √(1 + L²)
//
// has a gradient of length ≤ 1, vanishes on the ground, and so never exceeds the distance: a lower bound,
// exact for flat ground. One cliff makes it cautious everywhere; a local L would be sharper but jump. In a
// cell the slope² is (linear in z)² + (linear in x)², convex in each, so its maximum stands at corners.
//
// The gradient that is returned is the unit normal of the ground below (above) the point.

namespace plush {
namespace {

class Heightfield final : public KnownDistance {
public:
    Heightfield(const Vec3& origin, double cell, int nx, int nz, std::vector<double> heights)
        : origin_(origin), cell_(cell), nx_(nx), nz_(nz), heights_(std::move(heights)) {
        highest_ = *std::max_element(heights_.begin(), heights_.end());
        slope_factor_ = std::sqrt(1 + steepest_slope2());
    }

    DistanceSample sample(const Vec3& p) const override {
        const auto [i, s, inside_x] = locate((p.x - origin_.x) / cell_, nx_);
        const auto [j, t, inside_z] = locate((p.z - origin_.z) / cell_, nz_);
        const double a = at(i, j), b = at(i + 1, j), c = at(i, j + 1), d = at(i + 1, j + 1);
        const double low = a + (b - a) * s, high = c + (d - c) * s;
        const double h = low + (high - low) * t;
        const double hx = inside_x ? ((b - a) + ((d - c) - (b - a)) * t) / cell_ : 0;
        const double hz = inside_z ? (high - low) / cell_ : 0;
        return {(p.y - origin_.y - h) / slope_factor_, unit({-hx, 1, -hz}, {0, 1, 0})};
    }

    Exactness exactness() const override {
        return slope_factor_ == 1 ? Exactness::exact : Exactness::lower_bound;
    }
    bool is_convex() const override { return slope_factor_ == 1; }
    Box3 level_bounds(double level) const override {
        Box3 box = whole_space();
        box.high.y = origin_.y + highest_ + level * slope_factor_;
        return box;
    }

private:
    struct Place {
        int cell;
        double fraction;
        bool inside;
    };
    /// The cell of the grid coordinate u, clamped to the grid. A NaN goes to the first cell.
    static Place locate(double u, int n) {
        if (!(u >= 0)) return {0, 0, false};
        if (u > n - 1) return {n - 2, 1, false};
        const int i = std::min(static_cast<int>(u), n - 2);
        return {i, u - i, true};
    }
    double at(int i, int j) const {
        return heights_[static_cast<std::size_t>(j) * static_cast<std::size_t>(nx_) +
                        static_cast<std::size_t>(i)];
    }
    double steepest_slope2() const {
        double steepest = 0;
        for (int j = 0; j + 1 < nz_; ++j)
            for (int i = 0; i + 1 < nx_; ++i) {
                const double a = at(i, j), b = at(i + 1, j), c = at(i, j + 1), d = at(i + 1, j + 1);
                const double hx = std::max(std::abs(b - a), std::abs(d - c)) / cell_;
                const double hz = std::max(std::abs(c - a), std::abs(d - b)) / cell_;
                steepest = std::max(steepest, hx * hx + hz * hz);
            }
        return steepest;
    }

    Vec3 origin_;
    double cell_;
    int nx_, nz_;
    std::vector<double> heights_;
    double highest_ = 0, slope_factor_ = 1;
};

Error heightfield_error(std::string problem, std::string cure) {
    return Error(
        {.place = "signed distance \"heightfield\"", .problem = std::move(problem), .cure = std::move(cure)});
}

}  // namespace

Sdf sdf::heightfield(const Vec3& origin, double cell, int nx, int nz, std::vector<double> heights) {
    if (nx < 2 || nz < 2)
        throw heightfield_error(fmt::format("{} × {} heights make no ground", nx, nz), "give at least 2 × 2");
    if (heights.size() != static_cast<std::size_t>(nx) * static_cast<std::size_t>(nz))
        throw heightfield_error(
            fmt::format("there are {} heights for a grid of {} × {}", heights.size(), nx, nz),
            "give nx · nz heights, x running fastest");
    if (!(cell > 0 && cell < HUGE_VAL) || !is_finite(origin))
        throw heightfield_error(fmt::format("a cell of {} m makes no grid", cell),
                                "give a finite origin and a cell above 0 m");
    for (std::size_t i = 0; i < heights.size(); ++i)
        if (!std::isfinite(heights[i]))
            throw heightfield_error(fmt::format("height {} of {} is not finite", i, heights.size()),
                                    "give a number for every grid point");
    SdfForm form{SdfForm::Kind::heightfield,
                 {origin.x, origin.y, origin.z, cell, static_cast<double>(nx), static_cast<double>(nz)}};
    form.numbers.insert(form.numbers.end(), heights.begin(), heights.end());
    return with_form<Heightfield>(std::move(form), origin, cell, nx, nz, std::move(heights));
}

}  // namespace plush
