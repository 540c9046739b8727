#include "geometry/tets/solid_query.hpp"

#include <algorithm>

#include "geometry/mesh/predicates.hpp"
#include "geometry/mesh/triangle_intersection.hpp"
#include "geometry/tets/tet_topology.hpp"

// The winding number of a closed surface around p is the number of times that a ray from p leaves through it,
// minus the times that it enters. The ray goes along +x. Where it would meet an edge or a vertex, it is moved
// aside by (ε, ε²) in y and z with ε → 0 (Edelsbrunner & Mücke, "Simulation of simplicity", 1990): then two
// triangles at an edge never both claim or both deny the crossing, and the number is exact.
//
//     orient(a, b, p) = (b−a)_y (p−a)_z − (b−a)_z (p−a)_y
//
// changes by −(b−a)_z ε + (b−a)_y ε²: the sign where it is zero. A triangle that is seen from the edge has
// all three signs zero or opposite and is not crossed.

namespace plush {
namespace {

/// Of the moved p against the line ab, seen along x; zero only where a and b coincide in that view.
int moved_side(const Vec3& a, const Vec3& b, const Vec3& p) {
    if (const int side = orient2d(a, b, p, 0); side != 0) return side;
    if (a.z != b.z) return b.z > a.z ? -1 : 1;
    return (b.y > a.y) - (b.y < a.y);
}

}  // namespace

SolidQuery::SolidQuery(std::vector<Vec3> positions, std::vector<Triangle> triangles)
    : positions_(std::move(positions)),
      triangles_(std::move(triangles)),
      flat_(triangles_.size()),
      bvh_(positions_, triangles_) {
    for (std::size_t t = 0; t < triangles_.size(); ++t) {
        const auto [a, b, c] = corners_of(static_cast<int>(t));
        flat_[t] = collinear(a, b, c);
    }
}

std::array<Vec3, 3> SolidQuery::corners_of(int triangle) const {
    const auto& [a, b, c] = triangles_[static_cast<std::size_t>(triangle)];
    const auto at = [&](int v) { return positions_[static_cast<std::size_t>(v)]; };
    return {at(a), at(b), at(c)};
}

void SolidQuery::crossings(double y, double z, std::vector<Crossing>& found) const {
    found.clear();
    const auto nodes = bvh_.nodes();
    if (nodes.empty()) return;
    const Vec3 p{0, y, z};
    std::array<std::int32_t, 128> stack;  // far deeper than any tree of a mesh that fits into memory
    std::size_t size = 0;
    stack[size++] = 0;
    while (size > 0) {
        const Bvh::Node& node = nodes[static_cast<std::size_t>(stack[--size])];
        const Box3& box = node.box;
        if (y < box.low.y || y > box.high.y || z < box.low.z || z > box.high.z) continue;
        if (node.count == 0) {
            stack[size++] = node.first, stack[size++] = node.first + 1;
            continue;
        }
        for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
            const int t = bvh_.order()[static_cast<std::size_t>(i)];
            const auto [a, b, c] = corners_of(t);
            const int side = moved_side(a, b, p);
            if (side != 0 && moved_side(b, c, p) == side && moved_side(c, a, p) == side)
                found.push_back({t, side});
        }
    }
}

int SolidQuery::winding(std::span<const Crossing> line, const Vec3& p) const {
    int number = 0;
    for (const auto& [triangle, sign] : line) {
        const auto [a, b, c] = corners_of(triangle);
        const int side = orient3d(a, b, c, p);
        // Ahead of p where p is behind a triangle that faces along the ray, or before one that faces it.
        if (sign > 0 ? side <= 0 : side > 0) number += sign;
    }
    return number;
}

int SolidQuery::winding(const Vec3& p) const {
    std::vector<Crossing> line;
    crossings(p.y, p.z, line);
    return winding(line, p);
}

Vec3 SolidQuery::closest(const Vec3& p) const {
    const auto found = bvh_.closest(positions_, triangles_, p);
    return found ? found->point : p;  // none: the squared distance overflows
}

double SolidQuery::signed_distance(const Vec3& p) const {
    const auto closest = bvh_.closest(positions_, triangles_, p);
    const double distance = closest ? std::sqrt(closest->distance2) : std::sqrt(bounds().distance2(p));
    return inside(p) ? -distance : distance;
}

void SolidQuery::candidates(const Box3& box, std::vector<int>& found) const {
    found.clear();
    bvh_.overlaps(box, [&](int t) { found.push_back(t); });
}

bool SolidQuery::meets(int triangle, const Vec3& a, const Vec3& b, const Vec3& c) const {
    const auto [p, q, r] = corners_of(triangle);
    if (!flat_[static_cast<std::size_t>(triangle)]) return triangles_meet(p, q, r, a, b, c);
    return segment_meets_triangle(p, q, a, b, c) || segment_meets_triangle(q, r, a, b, c) ||
           segment_meets_triangle(r, p, a, b, c);
}

// A triangle meets a tet where a corner of it lies in the tet, or where it meets a face. Most pairs end
// before that: all of the triangle beyond the plane of one face.
bool SolidQuery::any_meets_tet(std::span<const int> candidates, const std::array<Vec3, 4>& tet) const {
    Box3 box;
    for (const Vec3& p : tet) box.add(p);
    for (const int t : candidates) {
        const auto triangle = corners_of(t);
        Box3 own;
        for (const Vec3& p : triangle) own.add(p);
        if (!own.overlaps(box)) continue;
        std::array<bool, 3> outside{};
        bool apart = false;
        for (std::size_t f = 0; f < 4 && !apart; ++f) {
            const auto& [i, j, k] = face_opposite[f];
            apart = true;
            for (std::size_t v = 0; v < 3; ++v) {
                const bool beyond = orient3d(tet[i], tet[j], tet[k], triangle[v]) > 0;
                outside[v] = outside[v] || beyond;
                apart = apart && beyond;
            }
        }
        if (apart) continue;
        if (!outside[0] || !outside[1] || !outside[2]) return true;
        for (const auto& [i, j, k] : face_opposite)
            if (meets(t, tet[i], tet[j], tet[k])) return true;
    }
    return false;
}

bool SolidQuery::meets_triangle(const Vec3& a, const Vec3& b, const Vec3& c) const {
    Box3 box;
    box.add(a), box.add(b), box.add(c);
    std::vector<int> near;
    candidates(box, near);
    return std::any_of(near.begin(), near.end(), [&](int t) { return meets(t, a, b, c); });
}

}  // namespace plush
