#include "geometry/cutting/polygon_triangles.hpp"

#include <algorithm>
#include <cmath>

// The best triangulation of the corners i … j follows from those of fewer corners (Klincsek, "Minimal
// triangulations of polygonal domains", 1980): with the third corner k of the triangle at the side i j,
//
//     q(i, j) = max over k of min(q(i, k), q(k, j), quality(i, k, j)).
//
// Polygons here have three to a dozen corners.

namespace plush {
namespace {

/// Four times the area by the sum of the squared sides: 0 where it is flat.
double quality(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double squares = norm2(b - a) + norm2(c - b) + norm2(a - c);
    return squares > 0 ? norm(cross(b - a, c - a)) / squares : 0;
}

}  // namespace

std::vector<Triangle> polygon_triangles(std::span<const std::uint32_t> polygon, std::span<const Vec3> x) {
    const std::size_t n = polygon.size();
    std::vector<Triangle> triangles;
    const auto add = [&](std::size_t i, std::size_t j, std::size_t k) {
        triangles.push_back(
            {static_cast<int>(polygon[i]), static_cast<int>(polygon[j]), static_cast<int>(polygon[k])});
    };
    if (n == 3) {
        add(0, 1, 2);
        return triangles;
    }
    std::vector<double> best(n * n, 0.0);
    std::vector<std::size_t> third(n * n, 0);
    for (std::size_t i = 0; i + 1 < n; ++i) best[i * n + i + 1] = HUGE_VAL;
    for (std::size_t span = 2; span < n; ++span)
        for (std::size_t i = 0; i + span < n; ++i) {
            const std::size_t j = i + span;
            best[i * n + j] = -1;
            for (std::size_t k = i + 1; k < j; ++k) {
                const double q = std::min(
                    {best[i * n + k], best[k * n + j], quality(x[polygon[i]], x[polygon[k]], x[polygon[j]])});
                if (q > best[i * n + j]) best[i * n + j] = q, third[i * n + j] = k;
            }
        }
    std::vector<std::pair<std::size_t, std::size_t>> open{{0, n - 1}};
    while (!open.empty()) {
        const auto [i, j] = open.back();
        open.pop_back();
        if (j < i + 2) continue;
        const std::size_t k = third[i * n + j];
        add(i, k, j);
        open.emplace_back(i, k);
        open.emplace_back(k, j);
    }
    return triangles;
}

}  // namespace plush
