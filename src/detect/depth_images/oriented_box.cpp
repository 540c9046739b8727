#include "detect/depth_images/oriented_box.hpp"

#include <algorithm>
#include <numbers>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "math/symmetric_eigen.hpp"

namespace plush {
namespace {

using Axes = std::array<Vec3, 3>;

/// The eigenvectors of the points' scatter, the thinnest direction last.
Axes main_axes(std::span<const Vec3> points) {
    PLUSH_ASSERT(!points.empty());
    Vec3 mean;
    for (const Vec3& p : points) mean += p;
    mean = mean / static_cast<double>(points.size());
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    for (const Vec3& p : points) {
        const Vec3 d = p - mean;
        xx += d.x * d.x, xy += d.x * d.y, xz += d.x * d.z, yy += d.y * d.y, yz += d.y * d.z, zz += d.z * d.z;
    }
    const auto e = symmetric_eigen<3>({xx, xy, xz, xy, yy, yz, xz, yz, zz});
    Axes axes;
    const auto least =
        static_cast<std::size_t>(std::min_element(e.values.begin(), e.values.end()) - e.values.begin());
    for (std::size_t k = 0; k < 3; ++k) {
        const auto& v = e.vectors[(least + 1 + k) % 3];
        axes[k] = normalised(Vec3{v[0], v[1], v[2]});
    }
    return axes;
}

struct Span {
    double low = HUGE_VAL, high = -HUGE_VAL;
    double size() const { return high - low; }
};
Span along(std::span<const Vec3> points, const Vec3& axis) {
    Span s;
    for (const Vec3& p : points) {
        const double x = dot(axis, p);
        s.low = x < s.low ? x : s.low, s.high = x > s.high ? x : s.high;
    }
    return s;
}

/// The longest arm first. None is so short that it has no direction, unless there is but one point.
OrientedBox along_axes(std::span<const Vec3> points, const Axes& axes) {
    OrientedBox box;
    std::array<Span, 3> spans;
    for (std::size_t k = 0; k < 3; ++k) {
        spans[k] = along(points, axes[k]);
        box.centre += axes[k] * (0.5 * (spans[k].low + spans[k].high));
    }
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
        return spans[i].size() != spans[j].size() ? spans[i].size() > spans[j].size() : i < j;
    });
    constexpr double least = 1e-9;
    const double longest = spans[order[0]].size();
    for (std::size_t k = 0; k < 3; ++k)
        box.arms[k] = axes[order[k]] * (0.5 * std::max(spans[order[k]].size(), least * longest));
    return box;
}

/// What a box hides, seen from all sides.
double surface(const OrientedBox& b) {
    const double x = norm(b.arms[0]), y = norm(b.arms[1]), z = norm(b.arms[2]);
    return x * y + y * z + z * x;
}

}  // namespace

OrientedBox OrientedBox::around(std::span<const Vec3> points) {
    if (points.empty()) return {};
    const Axes flat = main_axes(points);
    // The narrowest rectangle around it among eight.
    constexpr int turns = 8;
    double least = HUGE_VAL;
    Axes best = flat;
    for (int k = 0; k < turns; ++k) {
        const double angle = 0.5 * std::numbers::pi * k / turns, c = pinned::cos(angle),
                     s = pinned::sin(angle);
        const Axes turned{flat[0] * c + flat[1] * s, flat[1] * c - flat[0] * s, flat[2]};
        const double area = along(points, turned[0]).size() * along(points, turned[1]).size();
        if (area < least) least = area, best = turned;
    }
    const OrientedBox own = along_axes(points, best);
    const OrientedBox fixed = along_axes(points, {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}});
    return surface(own) < surface(fixed) ? own : fixed;
}

}  // namespace plush
