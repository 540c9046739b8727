#include "geometry/cutting/plane_triangles.hpp"

#include <algorithm>
#include <cmath>

#include "core/transcendental.hpp"
#include "geometry/mesh/predicates.hpp"

// A constrained Delaunay triangulation in three steps: points are inserted one by one, each into the triangle
// that holds it, and edges are flipped until no circle holds a point (Lawson, "Software for C1 surface
// interpolation", 1977); edges that are missing are made by flipping those that cross them (Sloan, "A fast
// algorithm for generating constrained Delaunay triangulations", 1993); and what lies outside is left out.
// Orientations are exact, so that every triangle is; whether a flip makes a triangulation better may be
// rounded.

namespace plush {
namespace {

int turn(const Vec3& a, const Vec3& b, const Vec3& c) {
    return orient2d(a, b, c, 2);
}

/// Above 0 where d is inside of the circle through a, b, c, by more than rounding.
bool in_circle(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 p = a - d, q = b - d, r = c - d;
    const double pp = p.x * p.x + p.y * p.y, qq = q.x * q.x + q.y * q.y, rr = r.x * r.x + r.y * r.y;
    const double value =
        pp * (q.x * r.y - q.y * r.x) - qq * (p.x * r.y - p.y * r.x) + rr * (p.x * q.y - p.y * q.x);
    const double scale = pp * (std::abs(q.x * r.y) + std::abs(q.y * r.x)) +
                         qq * (std::abs(p.x * r.y) + std::abs(p.y * r.x)) +
                         rr * (std::abs(p.x * q.y) + std::abs(p.y * q.x));
    return value > 1e-12 * scale;
}

class Triangulation {
public:
    explicit Triangulation(std::vector<Vec3> points) : x_(std::move(points)), corners_(x_.size()) {
        Box3 box;
        for (const Vec3& p : x_) box.add(p);
        const Vec3 middle = 0.5 * (box.low + box.high);
        const double reach = 20 * norm(box.size());
        // A triangle around everything, in the last three points.
        for (const double angle : {0.3, 0.3 + 2.0943951023931953, 0.3 + 4.1887902047863905})
            x_.push_back(middle + Vec3{reach * pinned::cos(angle), reach * pinned::sin(angle), 0});
        const int n = static_cast<int>(corners_);
        faces_.push_back({{n, n + 1, n + 2}, {-1, -1, -1}});
    }

    bool insert(int point) {
        const int f = find(point);
        if (f < 0) return false;
        for (int i = 0; i < 3; ++i) {
            const int t = turn(at(face(f).v[(i + 1) % 3]), at(face(f).v[(i + 2) % 3]), at(point));
            if (t == 0) return insert_on_edge(point, f, i);
        }
        const Face old = face(f);
        const int g = add_face(), h = add_face();
        set(f, {old.v[0], old.v[1], point}, {g, h, old.n[2]});
        set(g, {old.v[1], old.v[2], point}, {h, f, old.n[0]});
        set(h, {old.v[2], old.v[0], point}, {f, g, old.n[1]});
        relink(old.n[0], f, g);
        relink(old.n[1], f, h);
        legalise({{f, 2}, {g, 2}, {h, 2}});
        return true;
    }

    /// Makes an edge from a to b by flips.
    bool force_edge(int a, int b) {
        // Each turn flips one edge that the line crosses; those that cannot be flipped yet come again.
        for (std::size_t turns = 0; turns < 50 * faces_.size(); ++turns) {
            if (has_edge(a, b)) return true;
            bool flipped = false;
            for (int f = 0; f < static_cast<int>(faces_.size()) && !flipped; ++f)
                for (int i = 0; i < 3 && !flipped; ++i) flipped = flip_across(f, i, a, b);
            if (!flipped) return false;
        }
        return false;
    }

    bool has_edge(int a, int b) const {
        return std::any_of(faces_.begin(), faces_.end(), [&](const Face& f) {
            for (std::size_t i = 0; i < 3; ++i)
                if (f.v[i] == a && (f.v[(i + 1) % 3] == b || f.v[(i + 2) % 3] == b)) return true;
            return false;
        });
    }

    /// Triangles with an odd number of these edges (sorted, rising) between them and the outside.
    std::vector<Triangle> inside(std::span<const std::array<int, 2>> edges) const {
        std::vector<int> depth(faces_.size(), -1);
        std::vector<int> open;
        for (std::size_t f = 0; f < faces_.size(); ++f)
            if (depth[f] < 0 && std::any_of(faces_[f].v.begin(), faces_[f].v.end(),
                                            [&](int v) { return v >= static_cast<int>(corners_); }))
                depth[f] = 0, open.push_back(static_cast<int>(f));
        while (!open.empty()) {
            const int f = open.back();
            open.pop_back();
            for (std::size_t i = 0; i < 3; ++i) {
                const int g = face(f).n[i];
                if (g < 0 || depth[static_cast<std::size_t>(g)] >= 0) continue;
                const int a = face(f).v[(i + 1) % 3], b = face(f).v[(i + 2) % 3];
                const bool wall = std::binary_search(edges.begin(), edges.end(),
                                                     std::array<int, 2>{std::min(a, b), std::max(a, b)});
                depth[static_cast<std::size_t>(g)] = depth[static_cast<std::size_t>(f)] ^ (wall ? 1 : 0);
                open.push_back(g);
            }
        }
        std::vector<Triangle> result;
        for (std::size_t f = 0; f < faces_.size(); ++f)
            if (depth[f] == 1) result.push_back(faces_[f].v);
        return result;
    }

private:
    struct Face {
        std::array<int, 3> v;  ///< counter-clockwise
        std::array<int, 3> n;  ///< the neighbour opposite each
    };
    struct Side {
        int face, corner;
    };
    const Vec3& at(int p) const { return x_[static_cast<std::size_t>(p)]; }
    Face& face(int f) { return faces_[static_cast<std::size_t>(f)]; }
    const Face& face(int f) const { return faces_[static_cast<std::size_t>(f)]; }
    int add_face() {
        faces_.emplace_back();
        return static_cast<int>(faces_.size()) - 1;
    }
    void set(int f, const std::array<int, 3>& v, const std::array<int, 3>& n) { face(f) = {v, n}; }
    void relink(int f, int from, int to) {
        if (f >= 0) std::replace(face(f).n.begin(), face(f).n.end(), from, to);
    }
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    int find(int point) const {
        int f = static_cast<int>(faces_.size()) - 1;
        for (std::size_t steps = 0; steps < 4 * faces_.size() + 100; ++steps) {
            int next = f;
            for (int i = 0; i < 3 && next == f; ++i)
                if (turn(at(face(f).v[index((i + 1) % 3)]), at(face(f).v[index((i + 2) % 3)]), at(point)) < 0)
                    next = face(f).n[index(i)];
            if (next == f || next < 0) return next;
            f = next;
        }
        return -1;
    }

    /// The point lies on the edge opposite corner i of f.
    bool insert_on_edge(int point, int f, int i) {
        const Face a = face(f);
        const int g = a.n[index(i)];
        const int top = a.v[index(i)], left = a.v[index((i + 1) % 3)], right = a.v[index((i + 2) % 3)];
        if (g < 0 || at(left) == at(point) || at(right) == at(point) || at(top) == at(point)) return false;
        const Face b = face(g);
        const int j = static_cast<int>(std::find(b.n.begin(), b.n.end(), f) - b.n.begin());
        const int bottom = b.v[index(j)];
        const int h = add_face(), k = add_face();
        // f: top left point, h: top point right, g: bottom point left, k: bottom right point.
        const int f_left = a.n[index((i + 2) % 3)], f_right = a.n[index((i + 1) % 3)];
        const int g_right = b.n[index((j + 2) % 3)], g_left = b.n[index((j + 1) % 3)];
        set(f, {top, left, point}, {g, h, f_left});
        set(h, {top, point, right}, {k, f_right, f});
        set(g, {bottom, point, left}, {f, g_left, k});
        set(k, {bottom, right, point}, {h, g, g_right});
        relink(f_right, f, h);
        relink(g_right, g, k);
        legalise({{f, 2}, {h, 1}, {g, 1}, {k, 2}});
        return true;
    }

    /// Whether the edge opposite corner i of f can be flipped: its two triangles make a convex quadrangle.
    bool convex(int f, int i, int& g, int& j) const {
        g = face(f).n[index(i)];
        if (g < 0) return false;
        j = static_cast<int>(std::find(face(g).n.begin(), face(g).n.end(), f) - face(g).n.begin());
        const int top = face(f).v[index(i)], bottom = face(g).v[index(j)];
        const int left = face(f).v[index((i + 1) % 3)], right = face(f).v[index((i + 2) % 3)];
        return turn(at(top), at(left), at(bottom)) > 0 && turn(at(top), at(bottom), at(right)) > 0;
    }

    void flip(int f, int i, int g, int j) {
        const Face a = face(f), b = face(g);
        const int top = a.v[index(i)], left = a.v[index((i + 1) % 3)], right = a.v[index((i + 2) % 3)];
        const int bottom = b.v[index(j)];
        const int f_left = a.n[index((i + 2) % 3)], f_right = a.n[index((i + 1) % 3)];
        const int g_right = b.n[index((j + 2) % 3)], g_left = b.n[index((j + 1) % 3)];
        set(f, {top, left, bottom}, {g_left, g, f_left});
        set(g, {top, bottom, right}, {g_right, f_right, f});
        relink(g_left, g, f);
        relink(f_right, f, g);
    }

    void legalise(std::vector<Side> open) {
        for (std::size_t turns = 0; !open.empty() && turns < 100'000; ++turns) {
            const auto [f, i] = open.back();
            open.pop_back();
            int g = -1, j = -1;
            if (!convex(f, i, g, j)) continue;
            const Face& a = face(f);
            if (!in_circle(at(a.v[0]), at(a.v[1]), at(a.v[2]), at(face(g).v[index(j)]))) continue;
            flip(f, i, g, j);
            // The new point is corner 0 of both.
            open.push_back({f, 0});
            open.push_back({g, 0});
        }
    }

    /// Flips the edge opposite corner i of f where the line from a to b crosses it, and then no longer, or
    /// where a third of the four corners is beyond it.
    bool flip_across(int f, int i, int a, int b) {
        int g = -1, j = -1;
        const int left = face(f).v[index((i + 1) % 3)], right = face(f).v[index((i + 2) % 3)];
        if (left == a || left == b || right == a || right == b) return false;
        if (!crosses(left, right, a, b) || !convex(f, i, g, j)) return false;
        const int top = face(f).v[index(i)], bottom = face(g).v[index(j)];
        const bool better = top == a || top == b || bottom == a || bottom == b ||
                            !crosses(top, bottom, a, b) || (left + right + top + bottom + flips_) % 2 == 0;
        ++flips_;
        if (!better) return false;
        flip(f, i, g, j);
        return true;
    }

    bool crosses(int p, int q, int a, int b) const {
        return turn(at(a), at(b), at(p)) * turn(at(a), at(b), at(q)) < 0 &&
               turn(at(p), at(q), at(a)) * turn(at(p), at(q), at(b)) < 0;
    }

    std::vector<Vec3> x_;
    std::size_t corners_;
    std::vector<Face> faces_;
    int flips_ = 0;
};

double distance2(const Vec3& p, const Vec3& a, const Vec3& b) {
    const Vec3 d = b - a;
    const double length2 = norm2(d);
    const double t = length2 > 0 ? std::clamp(dot(p - a, d) / length2, 0.0, 1.0) : 0;
    return norm2(p - (a + t * d));
}

/// On a lattice of triangles, inside and not too near to a line.
std::vector<Vec3> inner_points(std::span<const Vec3> x, std::span<const std::array<int, 2>> edges,
                               double spacing) {
    constexpr double max_points = 20'000, clearance = 0.6;
    Box3 box;
    for (const Vec3& p : x) box.add(p);
    const Vec3 size = box.size();
    spacing = std::max(spacing, std::sqrt(size.x * size.y / max_points));
    std::vector<Vec3> points;
    if (!(spacing > 0) || !std::isfinite(spacing)) return points;
    const double row = spacing * std::sqrt(0.75);
    for (int j = 1; j * row < size.y; ++j)
        for (int i = 1; i * spacing < size.x; ++i) {
            const Vec3 p{box.low.x + spacing * (i + 0.5 * (j % 2)), box.low.y + row * j, 0};
            bool inside = false, near = false;
            for (const auto& [a, b] : edges) {
                const Vec3 &u = x[static_cast<std::size_t>(a)], &v = x[static_cast<std::size_t>(b)];
                near = near || distance2(p, u, v) < clearance * clearance * spacing * spacing;
                if ((u.y > p.y) != (v.y > p.y) && p.x < u.x + (p.y - u.y) / (v.y - u.y) * (v.x - u.x))
                    inside = !inside;
            }
            if (inside && !near) points.push_back(p);
        }
    return points;
}

}  // namespace

std::optional<PlaneTriangles> plane_triangles(std::span<const Vec3> points,
                                              std::span<const std::array<int, 2>> edges, double spacing) {
    PlaneTriangles result;
    result.inner = inner_points(points, edges, spacing);
    std::vector<Vec3> all(points.begin(), points.end());
    all.insert(all.end(), result.inner.begin(), result.inner.end());
    Triangulation triangulation(all);
    for (std::size_t p = 0; p < all.size(); ++p)
        if (!triangulation.insert(static_cast<int>(p))) return std::nullopt;
    std::vector<std::array<int, 2>> rising;
    for (const auto& [a, b] : edges) {
        if (!triangulation.force_edge(a, b)) return std::nullopt;
        rising.push_back({std::min(a, b), std::max(a, b)});
    }
    std::sort(rising.begin(), rising.end());
    for (const auto& [a, b] : rising)  // what was forced first may have been flipped away again
        if (!triangulation.has_edge(a, b)) return std::nullopt;
    result.triangles = triangulation.inside(rising);
    if (result.triangles.empty()) return std::nullopt;
    return result;
}

}  // namespace plush
