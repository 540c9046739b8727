#include "geometry/mesh/triangle_intersection.hpp"

#include <array>
#include <cstddef>

#include "geometry/mesh/predicates.hpp"

// Everything by the signs of orientation determinants, in the manner of Guigue & Devillers, "Fast and robust
// triangle-triangle overlap test using orientation predicates", J. Graphics Tools 8(1), 2003. Most pairs end
// where their paper ends them: all of one triangle strictly on one side of the other's plane. What is left is
// rare in a good mesh, so here it is simple rather than fast: two triangles meet exactly when an edge of one
// meets the other (or, when coplanar, one holds the other, which the edges' end points tell).
//
// A line pq that crosses the plane of abc passes inside abc when the tetrahedra (p,q,a,b), (p,q,b,c),
// (p,q,c,a) have no two opposite signs; a zero means through an edge. Coplanar figures are seen along an axis
// that does not flatten them; the signs of their projections are those in the plane.

namespace plush {
namespace {

using Corners = std::array<const Vec3*, 3>;

// An axis along which the triangle has an area.
std::size_t view_axis(const Vec3& a, const Vec3& b, const Vec3& c) {
    for (std::size_t axis = 0; axis < 2; ++axis)
        if (orient2d(a, b, c, axis) != 0) return axis;
    return 2;
}

bool inside_2d(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, std::size_t axis) {
    const int ab = orient2d(a, b, p, axis), bc = orient2d(b, c, p, axis), ca = orient2d(c, a, p, axis);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

// p is on the line ab; is it on the segment?
bool between(const Vec3& p, const Vec3& a, const Vec3& b, std::size_t axis) {
    const std::size_t x = (axis + 1) % 3, y = (axis + 2) % 3;
    const auto within = [&](std::size_t k) {
        return (a[k] <= p[k] && p[k] <= b[k]) || (b[k] <= p[k] && p[k] <= a[k]);
    };
    return within(x) && within(y);
}

bool segments_meet_2d(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, std::size_t axis) {
    const int pqa = orient2d(p, q, a, axis), pqb = orient2d(p, q, b, axis);
    const int abp = orient2d(a, b, p, axis), abq = orient2d(a, b, q, axis);
    if (pqa * pqb < 0 && abp * abq < 0) return true;
    return (pqa == 0 && between(a, p, q, axis)) || (pqb == 0 && between(b, p, q, axis)) ||
           (abp == 0 && between(p, a, b, axis)) || (abq == 0 && between(q, a, b, axis));
}

bool segment_meets_triangle_2d(const Vec3& p, const Vec3& q, const Corners& t, std::size_t axis) {
    const auto& [a, b, c] = t;
    return inside_2d(p, *a, *b, *c, axis) || segments_meet_2d(p, q, *a, *b, axis) ||
           segments_meet_2d(p, q, *b, *c, axis) || segments_meet_2d(p, q, *c, *a, axis);
}

// With the sides of p and q of the triangle's plane already known.
bool segment_meets_triangle(const Vec3& p, const Vec3& q, int side_p, int side_q, const Corners& t) {
    if (side_p * side_q > 0) return false;
    const auto& [a, b, c] = t;
    if (side_p == 0 && side_q == 0) return segment_meets_triangle_2d(p, q, t, view_axis(*a, *b, *c));
    const int ab = orient3d(p, q, *a, *b), bc = orient3d(p, q, *b, *c);
    if (ab * bc < 0) return false;
    const int ca = orient3d(p, q, *c, *a);
    return ab * ca >= 0 && bc * ca >= 0;
}

std::array<int, 3> sides(const Corners& of, const Corners& plane) {
    std::array<int, 3> side{};
    for (std::size_t k = 0; k < 3; ++k) side[k] = orient3d(*plane[0], *plane[1], *plane[2], *of[k]);
    return side;
}

bool all_one_side(const std::array<int, 3>& side) {
    return side[0] != 0 && side[0] == side[1] && side[0] == side[2];
}

bool any_edge_meets(const Corners& s, const std::array<int, 3>& side, const Corners& t) {
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3;
        if (segment_meets_triangle(*s[k], *s[l], side[k], side[l], t)) return true;
    }
    return false;
}

bool meet(const Corners& s, const Corners& t) {
    const std::array<int, 3> side_s = sides(s, t);
    if (all_one_side(side_s)) return false;
    const std::array<int, 3> side_t = sides(t, s);
    if (all_one_side(side_t)) return false;
    return any_edge_meets(s, side_s, t) || any_edge_meets(t, side_t, s);
}

// s[0] and t[0] are the common vertex v. Both triangles are convex and hold v: where they have more in
// common, follow it from v to its end, which lies on the edge opposite v of one of them.
bool meet_beyond_vertex(const Corners& s, const Corners& t) {
    const int s1 = orient3d(*t[0], *t[1], *t[2], *s[1]), s2 = orient3d(*t[0], *t[1], *t[2], *s[2]);
    if (s1 * s2 > 0) return false;
    const int t1 = orient3d(*s[0], *s[1], *s[2], *t[1]), t2 = orient3d(*s[0], *s[1], *s[2], *t[2]);
    if (t1 * t2 > 0) return false;
    return segment_meets_triangle(*s[1], *s[2], s1, s2, t) || segment_meets_triangle(*t[1], *t[2], t1, t2, s);
}

// Edge uv, third corners p and q.
bool folded(const Vec3& u, const Vec3& v, const Vec3& p, const Vec3& q) {
    if (orient3d(u, v, p, q) != 0) return false;
    const std::size_t axis = view_axis(u, v, p);
    return orient2d(u, v, p, axis) == orient2d(u, v, q, axis);
}

}  // namespace

bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c) {
    return segment_meets_triangle(p, q, orient3d(a, b, c, p), orient3d(a, b, c, q), {&a, &b, &c});
}

bool triangles_meet(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e,
                    const Vec3& f) {
    return meet({&a, &b, &c}, {&d, &e, &f});
}

bool triangles_intersect(std::span<const Vec3> positions, const Triangle& s, const Triangle& t) {
    // Common vertices first, in both.
    Triangle a = s, b = t;
    std::size_t common = 0;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = common; j < 3; ++j)
            if (s[i] == b[j]) {
                std::size_t k = common;
                while (a[k] != s[i]) ++k;
                std::swap(a[common], a[k]), std::swap(b[common], b[j]);
                ++common;
                break;
            }
    if (common == 3) return true;
    const auto at = [&](int v) { return &positions[static_cast<std::size_t>(v)]; };
    const Corners p{at(a[0]), at(a[1]), at(a[2])}, q{at(b[0]), at(b[1]), at(b[2])};
    if (common == 2) return folded(*p[0], *p[1], *p[2], *q[2]);
    return common == 1 ? meet_beyond_vertex(p, q) : meet(p, q);
}

}  // namespace plush
