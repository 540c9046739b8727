#include "lab/bench/depth_layers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace plush::lab {
namespace {

using ForTriangle = std::function<void(const Vec3&, const Vec3&, const Vec3&)>;

void each_triangle(const World& world, const ForTriangle& f) {
    for (const BodyId id : world.bodies()) {
        const bool soft = world.kind(id) == BodyKind::deformable;
        if (!soft &&
            (world.kind(id) == BodyKind::particles || world.shape(id).empty() || !world.shape(id).bounded()))
            continue;
        std::vector<Vec3> x;
        if (soft)
            x = world.drawn_positions(id);
        else
            for (const Vec3& p : world.drawn(id).positions()) x.push_back(world.pose(id) * p);
        const std::span<const Triangle> triangles =
            soft ? world.drawn_surface(id) : std::span<const Triangle>(world.drawn(id).triangles());
        const auto at = [&](int k) { return x[static_cast<std::size_t>(k)]; };
        for (const Triangle& t : triangles) f(at(t[0]), at(t[1]), at(t[2]));
    }
}

/// Crossings of columns along one axis.
class Columns {
public:
    // Columns off the corners of the lattice by odd parts of a pixel: none meets an edge along an axis.
    Columns(const Box3& box, std::size_t axis, double pixel)
        : u_((axis + 1) % 3), v_((axis + 2) % 3), pixel_(pixel) {
        low_[0] = box.low[u_] - 0.3819660113 * pixel, low_[1] = box.low[v_] - 0.6180339887 * pixel;
        columns_[0] = static_cast<long>(box.size()[u_] / pixel) + 2;
        columns_[1] = static_cast<long>(box.size()[v_] / pixel) + 2;
        counts_.resize(static_cast<std::size_t>(columns_[0]) * static_cast<std::size_t>(columns_[1]));
    }

    void add(const Vec3& a, const Vec3& b, const Vec3& c) {
        const double u[3]{place(a[u_], 0), place(b[u_], 0), place(c[u_], 0)};
        const double v[3]{place(a[v_], 1), place(b[v_], 1), place(c[v_], 1)};
        const auto span = [&](const double(&x)[3], std::size_t k) {
            const auto [least, most] = std::minmax({x[0], x[1], x[2]});
            return std::pair{std::max(0L, static_cast<long>(std::ceil(least))),
                             std::min(columns_[k] - 1, static_cast<long>(std::floor(most)))};
        };
        const auto [i0, i1] = span(u, 0);
        const auto [j0, j1] = span(v, 1);
        for (long j = j0; j <= j1; ++j)
            for (long i = i0; i <= i1; ++i) {
                const auto side = [&](int p, int q) {
                    return (u[q] - u[p]) * (static_cast<double>(j) - v[p]) -
                           (v[q] - v[p]) * (static_cast<double>(i) - u[p]);
                };
                const double x = side(0, 1), y = side(1, 2), z = side(2, 0);
                if ((x > 0 && y > 0 && z > 0) || (x < 0 && y < 0 && z < 0))
                    ++counts_[static_cast<std::size_t>(j * columns_[0] + i)];
            }
    }

    int most() const { return counts_.empty() ? 0 : *std::max_element(counts_.begin(), counts_.end()); }

private:
    double place(double x, std::size_t k) const { return (x - low_[k]) / pixel_; }

    std::size_t u_, v_;
    double pixel_;
    double low_[2]{};
    long columns_[2]{};
    std::vector<int> counts_;
};

}  // namespace

int depth_layers(const World& world, double pixel) {
    Box3 box;
    each_triangle(world,
                  [&](const Vec3& a, const Vec3& b, const Vec3& c) { box.add(a), box.add(b), box.add(c); });
    if (!(pixel > 0) || !(norm(box.size()) < 1e4 * pixel)) return 0;  // also where there is no body
    int most = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        Columns columns(box, axis, pixel);
        each_triangle(world, [&](const Vec3& a, const Vec3& b, const Vec3& c) { columns.add(a, b, c); });
        most = std::max(most, columns.most());
    }
    return most;
}

}  // namespace plush::lab
