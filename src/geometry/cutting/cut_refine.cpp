#include <algorithm>
#include <cmath>

#include "geometry/cutting/cut_skin.hpp"
#include "geometry/cutting/plane_triangles.hpp"

// A skin knows of a sheet what the sides of its vertices tell: an edge with ends on both sides is crossed
// once, and a triangle along a straight line. That is not so where a triangle is as large as a plate:
//
//        o                    o        new points (·): on either side of the bend, and on an edge between
//       / \                  /|\       two crossings
//      / ∧ \        →       / · \      after that the line through the triangles is the sheet's own: it
//     / / \ \              / /·\ \     crosses the edge between the two points at the bend
//    o_/___\_o            o_/_·_\_o

namespace plush {
namespace {

using Index = std::uint32_t;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Places in a triangle are kept as multiples of this: then 1 − t is exact, and points on an edge are on a
/// line for exact predicates.
double rounded(double t) {
    constexpr double grid = 0x1p30;
    return std::round(t * grid) / grid;
}

bool overlap(const Box3& a, const Box3& b) {
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
}

}  // namespace

class SkinRefiner {
public:
    SkinRefiner(const CutSkin& skin, const CutSolid& solid, const CutSheet& sheet, std::span<const Vec3> x)
        : skin_(skin),
          solid_(solid),
          sheet_(sheet),
          box_(sheet.bounds()),
          x_(x),
          y_(skin.positions(solid, x)),
          beside_(sheet.beside_bends()) {}

    std::optional<CutSkin> run() {
        // New edges may be crossed more than once again, by other plates. What is left after some turns is
        // cut less exactly, and as soundly.
        constexpr int max_turns = 4;
        bool changed = false;
        for (int turn = 0; turn < max_turns && refine(); ++turn) changed = true, beside_.clear();
        return changed ? std::optional(std::move(skin_)) : std::nullopt;
    }

private:
    struct OnEdge {
        int a, b;    ///< rising
        double at;   ///< 0 at a
        int vertex;  ///< new
    };
    struct Local {
        Vec3 place;  ///< corners at (0, 0), (1, 0), (0, 1)
        int vertex;
    };

    bool refine() {
        find_edge_points();
        std::vector<Triangle> triangles;
        bool changed = false;
        const std::size_t old_vertices = skin_.vertices_.size();
        for (const Triangle& t : skin_.triangles_) {
            std::vector<Local> points;
            std::vector<std::array<int, 2>> ring;
            outline(t, points, ring);
            const std::size_t corners = points.size(), vertices = skin_.vertices_.size();
            if (near(t)) add_beside_bends(t, points);
            if (points.size() == 3) {
                triangles.push_back(t);
                continue;
            }
            if (!divide(points, ring, triangles)) {
                points.resize(corners);
                forget(vertices);
                if (corners == 3)
                    triangles.push_back(t);
                else if (!divide(points, ring, triangles)) {  // a neighbour would have points that it has not
                    forget(old_vertices);
                    return false;
                }
            }
            changed = true;
        }
        if (changed) skin_.triangles_ = std::move(triangles);
        return changed;
    }

    /// Vertices from here on.
    void forget(std::size_t count) {
        skin_.vertices_.resize(count);
        y_.resize(count);
    }

    bool near(const Triangle& t) const {
        Box3 box;
        for (const int v : t) box.add(y_[at(v)]);
        return overlap(box, box_);
    }

    /// Between any two places where the sheet crosses an edge.
    void find_edge_points() {
        constexpr double least_part = 1e-3;
        on_edges_.clear();
        std::vector<std::array<int, 3>> edges;  // with a triangle's first vertex
        for (const Triangle& t : skin_.triangles_)
            for (std::size_t i = 0; i < 3 && near(t); ++i)
                edges.push_back({std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3]), t[0]});
        std::sort(edges.begin(), edges.end());
        for (std::size_t e = 0; e < edges.size(); ++e) {
            const auto [a, b, of] = edges[e];
            if (e > 0 && edges[e - 1][0] == a && edges[e - 1][1] == b) continue;
            const std::vector<double> crossings = sheet_.crossings(y_[at(a)], y_[at(b)]);
            for (std::size_t i = 0; i + 1 < crossings.size(); ++i) {
                if (crossings[i + 1] - crossings[i] < least_part) continue;
                const double t = rounded(0.5 * (crossings[i] + crossings[i + 1]));
                if (t < least_part || t > 1 - least_part) continue;
                on_edges_.push_back({a, b, t, add(y_[at(a)] + t * (y_[at(b)] - y_[at(a)]), {a, b, of})});
            }
        }
    }

    /// The corners and the points on the edges of a triangle, all around.
    void outline(const Triangle& t, std::vector<Local>& points, std::vector<std::array<int, 2>>& ring) const {
        const std::array<Vec3, 3> corner{Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}};
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t j = (i + 1) % 3;
            const int a = std::min(t[i], t[j]), b = std::max(t[i], t[j]);
            points.push_back({corner[i], t[i]});
            auto first = std::lower_bound(on_edges_.begin(), on_edges_.end(), std::pair{a, b},
                                          [](const OnEdge& e, const std::pair<int, int>& key) {
                                              return std::pair{e.a, e.b} < key;
                                          });
            auto last = first;
            while (last != on_edges_.end() && last->a == a && last->b == b) ++last;
            std::vector<OnEdge> own(first, last);  // rising from a to b
            if (t[i] == b) std::reverse(own.begin(), own.end());
            for (const OnEdge& e : own) {
                const double s = t[i] == a ? e.at : 1 - e.at;
                points.push_back({(1 - s) * corner[i] + s * corner[j], e.vertex});
            }
        }
        const int count = static_cast<int>(points.size());
        for (int k = 0; k < count; ++k) ring.push_back({k, (k + 1) % count});
    }

    /// Points beside the bends that the view along the back shows in the triangle.
    void add_beside_bends(const Triangle& t, std::vector<Local>& points) {
        if (beside_.empty()) return;
        const Vec3 o = sheet_.view(y_[at(t[0])]), a = sheet_.view(y_[at(t[1])]) - o,
                   b = sheet_.view(y_[at(t[2])]) - o;
        const double area = a.x * b.y - a.y * b.x;
        constexpr double flat = 1e-6;  // a triangle along the back: it has no place for a bend
        if (!(std::abs(area) > flat * (norm2(a) + norm2(b)))) return;
        for (const Vec3& p : beside_) {
            const Vec3 d = p - o;
            const double u = rounded((d.x * b.y - d.y * b.x) / area),
                         v = rounded((a.x * d.y - a.y * d.x) / area);
            constexpr double least_part = 1e-3;
            if (!(u > least_part && v > least_part && 1 - u - v > least_part)) continue;
            const Vec3& origin = y_[at(t[0])];
            const Vec3 place = origin + u * (y_[at(t[1])] - origin) + v * (y_[at(t[2])] - origin);
            points.push_back({{u, v, 0}, add(place, t)});
        }
    }

    static bool divide(const std::vector<Local>& points, const std::vector<std::array<int, 2>>& ring,
                       std::vector<Triangle>& triangles) {
        std::vector<Vec3> places;
        for (const Local& p : points) places.push_back(p.place);
        const auto made = plane_triangles(places, ring, HUGE_VAL);
        if (!made) return false;
        for (const Triangle& t : made->triangles)
            triangles.push_back({points[at(t[0])].vertex, points[at(t[1])].vertex, points[at(t[2])].vertex});
        return true;
    }

    /// A vertex at a place of a triangle, attached to a cell of the connected part of its corners.
    int add(const Vec3& place, const Triangle& of) {
        SkinVertex vertex;
        double deepest = -HUGE_VAL;
        for (const int v : of) deepest = vertex.look(solid_, x_, skin_.vertices_[at(v)].cell, place, deepest);
        if (deepest < 0) {
            if (group_.empty()) group_ = skin_.groups(solid_);
            const int own = group_[skin_.vertices_[at(of[0])].cell];
            for (Index c = 0; c < group_.size(); ++c)
                if (group_[c] == own) deepest = vertex.look(solid_, x_, c, place, deepest);
        }
        skin_.vertices_.push_back(vertex);
        y_.push_back(place);
        return static_cast<int>(y_.size()) - 1;
    }

    CutSkin skin_;
    const CutSolid& solid_;
    const CutSheet& sheet_;
    Box3 box_;
    std::span<const Vec3> x_;
    std::vector<Vec3> y_;
    std::vector<Vec3> beside_;  ///< bends
    std::vector<OnEdge> on_edges_;
    std::vector<int> group_;  ///< of cells
};

std::optional<CutSkin> CutSkin::refined(const CutSolid& solid, const CutSheet& sheet,
                                        std::span<const Vec3> x) const {
    if (!sheet.curved()) return std::nullopt;
    return SkinRefiner(*this, solid, sheet, x).run();
}

}  // namespace plush
