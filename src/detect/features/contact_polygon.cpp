#include "detect/features/contact_polygon.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/transcendental.hpp"

// Sutherland and Hodgman 1974: a polygon is clipped by the lines of a convex one, one after the other. A point of the
// result is named by the two edges that meet there, which stay the same while the bodies move a little.

namespace plush {
namespace {

constexpr std::uint8_t of_b = 0x80;

/// Heights of a flat over the contact plane: z = z₀ + zₓ x + z_y y.
struct Height {
    Height(const SupportFace& face, const Mat3& frame) {
        const Vec3 m = frame * face.normal, p = frame * face.corners[0].position;
        PLUSH_ASSERT(m.x != 0);
        slope_x = -m.y / m.x, slope_y = -m.z / m.x;
        z0 = p.x - slope_x * p.y - slope_y * p.z;
    }
    double at(double x, double y) const { return z0 + slope_x * x + slope_y * y; }
    double z0, slope_x, slope_y;
};

/// n_x x + n_y y ≥ offset.
struct HalfPlane {
    double nx, ny, offset;
    std::uint8_t label;
    double inside(const PolygonPoint& p) const { return nx * p.x + ny * p.y - offset; }
};

PolygonPoint mix(const PolygonPoint& p, const PolygonPoint& q, double t) {
    const auto part = [t](double a, double b) { return a + t * (b - a); };
    return {part(p.x, q.x), part(p.y, q.y), part(p.top, q.top), part(p.bottom, q.bottom)};
}

/// Clips a polygon by inside(p) ≥ 0; `label` is the edge that this makes.
template <class Inside>
ContactPolygon clip(const ContactPolygon& polygon, std::uint8_t label, Inside&& inside) {
    ContactPolygon kept;
    kept.reserve(polygon.size() + 1);
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const PolygonPoint &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const double dp = inside(p), dq = inside(q);
        if (dp >= 0) kept.push_back(p);
        if ((dp >= 0) == (dq >= 0)) continue;
        if (polygon.size() == 2 && i == 1) continue;  // a segment has one edge
        PolygonPoint cut = mix(p, q, dp / (dp - dq));
        cut.before = dp >= 0 ? p.after : label;
        cut.after = dp >= 0 ? label : p.after;
        kept.push_back(cut);
    }
    return kept;
}

std::vector<HalfPlane> borders(const SupportFace& face, const Mat3& frame, double slack, double sense) {
    std::vector<HalfPlane> planes;
    planes.reserve(face.count);
    for (std::size_t i = 0; i < face.count; ++i) {
        const Vec3 p = frame * face.corners[i].position;
        const Vec3 q = frame * face.corners[(i + 1) % face.count].position;
        const double ex = q.y - p.y, ey = q.z - p.z, length = std::sqrt(ex * ex + ey * ey);
        if (!(length > 0)) continue;
        const double nx = -sense * ey / length, ny = sense * ex / length;
        planes.push_back({nx, ny, nx * p.y + ny * p.z - slack, face.corners[i].label});
    }
    return planes;
}

ContactPolygon outline_of(const SupportFace& face, const Mat3& frame) {
    ContactPolygon polygon;
    polygon.reserve(face.count + 8);
    for (std::size_t i = 0; i < face.count; ++i) {
        const Vec3 p = frame * face.corners[i].position;
        const std::uint8_t before = face.corners[(i + face.count - 1) % face.count].label;
        polygon.push_back({.x = p.y,
                           .y = p.z,
                           .top = p.x,
                           .bottom = p.x,
                           .before = before,
                           .after = face.corners[i].label,
                           .redundant = face.corners[i].redundant});
    }
    return polygon;
}

double cross2(double ax, double ay, double bx, double by) {
    return ax * by - ay * bx;
}

/// ∫ r dA over the triangle between the origin, its foot on a line at this distance, and the place t along the line.
double moment_of_triangle(double height, double t) {
    const double rho = std::sqrt(height * height + t * t);
    const double arsinh = std::copysign(pinned::log((std::abs(t) + rho) / height), t);
    return height * (t * rho + height * height * arsinh) / 6;
}

}  // namespace

ContactPolygon overlap_of_faces(const SupportFace& a, const SupportFace& b, const Mat3& frame, double slack) {
    // The one with fewer points is clipped: a segment has no inside.
    const bool b_is_cut = b.count < 3 && a.count >= 3;
    const SupportFace &cut = b_is_cut ? b : a, &by = b_is_cut ? a : b;
    PLUSH_ASSERT(by.count >= 3);
    ContactPolygon polygon = outline_of(cut, frame);
    // a looks down and b up: seen from above the outline of a goes round clockwise.
    for (const HalfPlane& border : borders(by, frame, slack, b_is_cut ? -1 : 1)) {
        polygon = clip(polygon, border.label | of_b, [&](const PolygonPoint& p) { return border.inside(p); });
        if (polygon.empty()) return polygon;
    }
    const Height other(by, frame);
    for (PolygonPoint& p : polygon) (b_is_cut ? p.top : p.bottom) = other.at(p.x, p.y);
    return polygon;
}

ContactPolygon closer_than(const ContactPolygon& polygon, double gap) {
    return clip(polygon, of_b | SupportFace::deepest_label,
                [&](const PolygonPoint& p) { return gap - p.gap(); });
}

double mean_radius(const ContactPolygon& polygon) {
    if (polygon.size() < 2) return 0;
    double area = 0, cx = 0, cy = 0;
    double low_x = HUGE_VAL, low_y = HUGE_VAL, high_x = -HUGE_VAL, high_y = -HUGE_VAL;
    const PolygonPoint& o = polygon[0];
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const PolygonPoint &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const double part = 0.5 * cross2(p.x - o.x, p.y - o.y, q.x - o.x, q.y - o.y);
        area += part;
        cx += part * (p.x + q.x - 2 * o.x) / 3, cy += part * (p.y + q.y - 2 * o.y) / 3;
        low_x = std::min(low_x, p.x), high_x = std::max(high_x, p.x);
        low_y = std::min(low_y, p.y), high_y = std::max(high_y, p.y);
    }
    const double wide = high_x - low_x, deep = high_y - low_y, length2 = wide * wide + deep * deep;
    // A strip so narrow that its width does not count.
    if (std::abs(area) < 1e-6 * length2) return 0.25 * std::sqrt(length2);
    cx = o.x + cx / area, cy = o.y + cy / area;
    double moment = 0;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
        const PolygonPoint &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
        const double px = p.x - cx, py = p.y - cy, ex = q.x - p.x, ey = q.y - p.y;
        const double length = std::sqrt(ex * ex + ey * ey);
        if (!(length > 0)) continue;
        const double height = cross2(px, py, ex, ey) / length, t = (px * ex + py * ey) / length;
        if (height == 0) continue;
        const double h = std::abs(height);
        moment += (height > 0 ? 1 : -1) * (moment_of_triangle(h, t + length) - moment_of_triangle(h, t));
    }
    return std::abs(moment / area);
}

}  // namespace plush
