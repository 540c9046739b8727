#include "geometry/cutting/sheet_triangles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/transcendental.hpp"

// A bent sheet is laid flat and triangulated there. A ring of length L cannot be laid flat; but
//
//     (s, h)  →  exp(2π h/L) (cos 2π s/L, −sin 2π s/L)
//
// takes it to the plane without its origin, with all angles as they were: circles stay circles but for the
// size of them, and a Delaunay triangulation stays one as far as its triangles are small.

namespace plush {
namespace {

using Edge = std::array<int, 2>;

const Vec3& at(std::span<const Vec3> x, int i) {
    return x[static_cast<std::size_t>(i)];
}

/// A sheet laid flat: the way round of a ring comes off differences.
class Flat {
public:
    Flat(const CutSheet& sheet, std::span<const Vec3> points, std::span<const Edge> edges)
        : around_(sheet.blade().ring() ? sheet.length() : 0), edges_(edges) {
        for (const Vec3& p : points) {
            x_.push_back(sheet.unrolled(p));
            box_.add(x_.back());
        }
    }
    const Box3& box() const { return box_; }
    std::span<const Vec3> points() const { return x_; }

    bool inside(const Vec3& p, double clearance) const {
        bool odd = false;
        for (const auto& [a, b] : edges_) {
            const Vec3 u = p + short_way(at(x_, a) - p), v = u + short_way(at(x_, b) - at(x_, a));
            if (distance2(p, u, v) < clearance * clearance) return false;
            if ((u.x > p.x) != (v.x > p.x) && p.y < u.y + (p.x - u.x) / (v.x - u.x) * (v.y - u.y)) odd = !odd;
        }
        return odd;
    }
    /// Along the edge, to the nearest of these.
    double distance(double s, std::span<const double> places) const {
        double least = HUGE_VAL;
        for (const double place : places) least = std::min(least, std::abs(short_way({s - place, 0, 0}).x));
        return least;
    }
    /// Whether the plane has room for it: not for what is fifty times as long as a ring is around.
    bool fits() const {
        constexpr double most = 300;  // e-folds; predicates are exact up to 2^±280
        return around_ == 0 || 2 * std::numbers::pi * box_.size().y < most * around_;
    }
    /// Into the plane.
    Vec3 plane(const Vec3& flat) const {
        if (around_ == 0) return flat;
        const double angle = 2 * std::numbers::pi * flat.x / around_;
        const double r =
            pinned::exp(2 * std::numbers::pi * (flat.y - 0.5 * (box_.low.y + box_.high.y)) / around_);
        return {r * pinned::cos(angle), -r * pinned::sin(angle), 0};
    }

private:
    Vec3 short_way(Vec3 d) const {
        if (around_ > 0) d.x -= around_ * std::round(d.x / around_);
        return d;
    }
    static double distance2(const Vec3& p, const Vec3& a, const Vec3& b) {
        const Vec3 d = b - a;
        const double length2 = norm2(d);
        return norm2(p - (a + (length2 > 0 ? std::clamp(dot(p - a, d) / length2, 0.0, 1.0) : 0) * d));
    }

    double around_;
    std::span<const Edge> edges_;
    std::vector<Vec3> x_;
    Box3 box_;
};

/// On the bends, and between them on a lattice of triangles; inside and not too near to a line. Points on a
/// bend are nearer to one another than to all others: so they get edges.
std::vector<Vec3> inner_points(const Flat& flat, const CutSheet& sheet, double spacing) {
    constexpr double max_points = 20'000, clearance = 0.6;
    constexpr double coarsest = 1.0 / 12;  // of the section: beside its lines triangles may span a bend
    const Vec3 size = flat.box().size();
    spacing = std::min(spacing, coarsest * std::max(size.x, size.y));
    spacing = std::max(spacing, std::sqrt(size.x * size.y / max_points));
    std::vector<Vec3> points;
    if (!(spacing > 0) || !std::isfinite(spacing)) return points;
    const auto add = [&](const Vec3& p) {
        if (flat.inside(p, clearance * spacing)) points.push_back(p);
    };
    std::vector<double> lines;
    for (const double bend : sheet.bends()) {
        if (flat.distance(bend, lines) < spacing) continue;  // nearer to one another than their points
        lines.push_back(bend);
        for (double h = flat.box().low.y + spacing; h < flat.box().high.y; h += spacing) add({bend, h, 0});
    }
    const double row = spacing * std::sqrt(0.75);
    for (int j = 1; j * row < size.y; ++j)
        for (int i = 1; i * spacing < size.x; ++i) {
            const Vec3 p{flat.box().low.x + spacing * (i + 0.5 * (j % 2)), flat.box().low.y + row * j, 0};
            if (flat.distance(p.x, lines) >= clearance * spacing) add(p);
        }
    return points;
}

}  // namespace

std::optional<PlaneTriangles> sheet_triangles(const CutSheet& sheet, std::span<const Vec3> points,
                                              std::span<const Edge> edges, double spacing) {
    std::vector<Vec3> plane;
    if (!sheet.curved()) {
        for (const Vec3& p : points) plane.push_back(sheet.unrolled(p));
        auto made = plane_triangles(plane, edges, spacing);
        for (std::size_t i = 0; made && i < made->inner.size(); ++i)
            made->inner[i] = sheet.rolled(made->inner[i]);
        return made;
    }
    const Flat flat(sheet, points, edges);
    if (!flat.fits()) return std::nullopt;
    const std::vector<Vec3> inner = inner_points(flat, sheet, spacing);
    for (const Vec3& p : flat.points()) plane.push_back(flat.plane(p));
    for (const Vec3& p : inner) plane.push_back(flat.plane(p));
    auto made = plane_triangles(plane, edges, HUGE_VAL);
    if (!made) return std::nullopt;
    for (const Vec3& p : inner) made->inner.push_back(sheet.rolled(p));
    return made;
}

std::vector<std::uint8_t> enclosed(const CutSheet& sheet, std::span<const Vec3> points,
                                   std::span<const Edge> edges, std::span<const Vec3> places) {
    const Flat flat(sheet, points, edges);
    std::vector<std::uint8_t> inside;
    for (const Vec3& p : places) inside.push_back(flat.inside(sheet.unrolled(p), 0));
    return inside;
}

}  // namespace plush
