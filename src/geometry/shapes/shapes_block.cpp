#include <algorithm>
#include <numbers>

#include "core/transcendental.hpp"
#include "geometry/shapes/generate_build.hpp"

// Shapes that are a bent block of quadrilaterals: the box, the box with round edges, the stone of an arch.

namespace plush::shapes {
namespace {

constexpr double pi = std::numbers::pi;

double block_count(double nx, double ny, double nz) {
    return 4 * (nx * ny + ny * nz + nz * nx);
}

/// The coordinates of the grid lines along one axis of a rounded box, before rounding. Within `radius` of
/// either end they lie at r tan(φ), φ in equal steps up to 45°: seen from the centre of the rounding they are
/// equally far apart, so the quadrilaterals of a corner have nearly one size.
std::vector<double> rounded_lines(double half, double radius, double h) {
    const int m = pieces(pi / 4 * radius, h, 1), n = pieces(2 * (half - radius), h, 1);
    std::vector<double> lines;
    for (int i = m; i > 0; --i) lines.push_back(-(half - radius) - radius * pinned::tan(pi / 4 * i / m));
    if (half > radius) {
        for (int i = 0; i <= n; ++i) lines.push_back((half - radius) * (2.0 * i / n - 1));
    } else {
        lines.push_back(0);
    }
    for (int i = 1; i <= m; ++i) lines.push_back(half - radius + radius * pinned::tan(pi / 4 * i / m));
    return lines;
}

}  // namespace

Mesh box(const Vec3& half_size, int triangles) {
    require(positive(half_size.x) && positive(half_size.y) && positive(half_size.z), "box",
            "a side is not above zero", "give three half sizes above 0 m");
    require_count("box", triangles);
    const Vec3 size = 2 * half_size;
    const double h = fit_edge_length(max_component(size), triangles, [&](double e) {
        return block_count(pieces(size.x, e, 1), pieces(size.y, e, 1), pieces(size.z, e, 1));
    });
    const int nx = pieces(size.x, h, 1), ny = pieces(size.y, h, 1), nz = pieces(size.z, h, 1);
    return block(nx, ny, nz, [&](int i, int j, int k) {
        return times(half_size, {2.0 * i / nx - 1, 2.0 * j / ny - 1, 2.0 * k / nz - 1});
    });
}

// A point p of the box's surface moves to the sphere about the nearest point c of the inner box:
// c + r (p − c)/|p − c|, c = clamp(p, ±(half − r)).
Mesh rounded_box(const Vec3& half_size, double radius, int triangles) {
    require(positive(half_size.x) && positive(half_size.y) && positive(half_size.z), "rounded_box",
            "a side is not above zero", "give three half sizes above 0 m");
    require(positive(radius) && radius <= std::min({half_size.x, half_size.y, half_size.z}), "rounded_box",
            "the radius of the edges does not fit", "take a radius above 0 m, up to half the shortest side");
    require_count("rounded_box", triangles);
    const auto lines = [&](double h) {
        return std::array{rounded_lines(half_size.x, radius, h), rounded_lines(half_size.y, radius, h),
                          rounded_lines(half_size.z, radius, h)};
    };
    const double h = fit_edge_length(2 * max_component(half_size), triangles, [&](double e) {
        const auto [x, y, z] = lines(e);
        return block_count(static_cast<double>(x.size() - 1), static_cast<double>(y.size() - 1),
                           static_cast<double>(z.size() - 1));
    });
    const auto [x, y, z] = lines(h);
    const Vec3 inner = half_size - Vec3{radius, radius, radius};
    const auto at = [](const std::vector<double>& v, int i) { return v[static_cast<std::size_t>(i)]; };
    const auto last = [](const std::vector<double>& v) { return static_cast<int>(v.size()) - 1; };
    const std::array axes{&x, &y, &z};
    return block(last(x), last(y), last(z), [&](int i, int j, int k) {
        const Vec3 p{at(*axes[0], i), at(*axes[1], j), at(*axes[2], k)};
        const Vec3 c = max(min(p, inner), -inner);
        return c + radius * normalised(p - c);
    });
}

Mesh arch_stone(double inner_radius, double outer_radius, double from, double to, double depth,
                int triangles) {
    require(positive(inner_radius) && positive(outer_radius) && inner_radius < outer_radius, "arch_stone",
            "the radii do not make a ring", "take 0 < inner radius < outer radius, in m");
    require(from < to && to - from < 2 * pi && std::isfinite(from) && std::isfinite(to), "arch_stone",
            "the angles do not make a piece of a ring", "take from < to < from + 2π, in radians");
    require(positive(depth), "arch_stone", "the depth is not above zero", "give a depth above 0 m");
    require_count("arch_stone", triangles);
    const double thickness = outer_radius - inner_radius, sweep = to - from;
    const double middle = (inner_radius + outer_radius) / 2 * sweep;
    const int least = static_cast<int>(std::ceil(sweep / (pi / 6)));  // 30° a piece still looks like an arc
    const double longest = std::max({thickness, depth, outer_radius * sweep});
    const double h = fit_edge_length(longest, triangles, [&](double e) {
        return block_count(pieces(thickness, e, 1), pieces(middle, e, least), pieces(depth, e, 1));
    });
    const int nr = pieces(thickness, h, 1), na = pieces(middle, h, least), nz = pieces(depth, h, 1);
    return block(nr, na, nz, [&](int i, int j, int k) {
        const double r = inner_radius + thickness * i / nr, a = from + sweep * j / na;
        return Vec3{r * pinned::cos(a), r * pinned::sin(a), depth * (static_cast<double>(k) / nz - 0.5)};
    });
}

}  // namespace plush::shapes
