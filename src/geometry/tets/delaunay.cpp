#include "geometry/tets/delaunay.hpp"

#include <algorithm>
#include <cstdint>

#include "core/assert.hpp"
#include "geometry/mesh/predicates.hpp"
#include "geometry/tets/tet_topology.hpp"

// Incremental insertion: A. Bowyer (1981) and D. F. Watson (1981). A new point takes away all tets whose
// spheres hold it, and is joined to the faces of the cavity. All signs are exact, so the cavity is always
// star-shaped around the point and nothing can go wrong for any input.
//
// Outside, each face of the hull carries a ghost tet with a vertex at infinity. Its sphere is the half-space
// beyond the face; a point in the plane of the face is in it where it is in the sphere of the tet behind.
//
// More than four points on one sphere: the height w of point i on the paraboloid is raised by ε_i, with ε_i ≫
// ε_j where i is lexicographically larger (O. Devillers & M. Teillaud, "Perturbations for Delaunay and
// weighted Delaunay 3D triangulations", 2011). With e = Σ λ_i v_i, e is inside where w_e < Σ λ_i w_i. So of
// the five points in descending order the first with an influence decides: e itself puts e outside; v_i puts
// it inside or outside by the sign of λ_i, which is that of the tet with e in the place of v_i.

namespace plush {
namespace {

constexpr int infinity = -1;

bool comes_before(const Vec3& a, const Vec3& b) {
    if (a.x != b.x) return a.x < b.x;
    return a.y != b.y ? a.y < b.y : a.z < b.z;
}

/// insphere(), never zero for different points.
bool in_sphere(const std::array<Vec3, 4>& tet, const Vec3& e) {
    if (const int sign = insphere(tet[0], tet[1], tet[2], tet[3], e); sign != 0) return sign > 0;
    std::array<std::size_t, 4> order{0, 1, 2, 3};
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return comes_before(tet[j], tet[i]); });
    for (const std::size_t i : order) {
        if (comes_before(tet[i], e)) return false;
        std::array<Vec3, 4> with_e = tet;
        with_e[i] = e;
        if (const int side = orient3d(with_e[0], with_e[1], with_e[2], with_e[3]); side != 0) return side > 0;
    }
    return false;
}

class Builder {
public:
    explicit Builder(std::span<const Vec3> points) : points_(points), same_as_(points.size(), -1) {}

    Delaunay build() && {
        const std::vector<int> order = insertion_order(points_);
        const std::array<int, 4> first = start(order);
        if (first[3] < 0) return all_flat(order);
        for (const int p : order)
            if (std::find(first.begin(), first.end(), p) == first.end()) insert(p);
        Delaunay result{{}, std::move(same_as_)};
        for (const Cell& cell : cells_)
            if (cell.alive && std::find(cell.v.begin(), cell.v.end(), infinity) == cell.v.end())
                result.tets.push_back(cell.v);
        return result;
    }

private:
    struct Cell {
        Tet v;                 ///< of positive orientation, infinity standing far outside
        std::array<int, 4> n;  ///< the cell opposite each vertex
        bool alive = true;
        bool doomed = false;  ///< in the cavity of the point that is being inserted
    };
    struct Side {
        int cell;    ///< outside the cavity
        int doomed;  ///< inside
        int corner;  ///< of the doomed one, opposite the face
    };

    const Vec3& at(int p) const { return points_[static_cast<std::size_t>(p)]; }
    Cell& cell(int c) { return cells_[static_cast<std::size_t>(c)]; }
    const Cell& cell(int c) const { return cells_[static_cast<std::size_t>(c)]; }

    /// The first four points, in the order, that span a tet, and it with its ghosts; −1 where there are none.
    std::array<int, 4> start(const std::vector<int>& order) {
        Tet t{-1, -1, -1, -1};
        const auto helps = [&](std::size_t k, const Vec3& p) {
            if (k == 0) return true;
            if (k == 1) return at(t[0]) != p;
            if (k == 2) return !collinear(at(t[0]), at(t[1]), p);
            return orient3d(at(t[0]), at(t[1]), at(t[2]), p) != 0;
        };
        std::size_t count = 0;
        for (std::size_t i = 0; i < order.size() && count < 4; ++i)
            if (helps(count, at(order[i]))) t[count++] = order[i];
        if (t[3] < 0) return t;
        if (orient3d(at(t[0]), at(t[1]), at(t[2]), at(t[3])) < 0) std::swap(t[2], t[3]);
        cells_.push_back({t, {1, 2, 3, 4}});
        for (std::size_t i = 0; i < 4; ++i) {
            // The same vertices with infinity for i lie on the other side of the face: turned.
            Tet ghost = t;
            ghost[i] = infinity;
            std::swap(ghost[(i + 1) % 4], ghost[(i + 2) % 4]);
            cells_.push_back({ghost, {}});
        }
        for (int a = 1; a <= 4; ++a)
            for (std::size_t k = 0; k < 4; ++k) {
                const int opposite = cell(a).v[k];
                // Behind the face opposite a real vertex lies that vertex's own ghost.
                const auto it = std::find(t.begin(), t.end(), opposite);
                cell(a).n[k] = opposite == infinity ? 0 : 1 + static_cast<int>(it - t.begin());
            }
        return t;
    }

    Delaunay all_flat(const std::vector<int>& order) {
        std::vector<int> sorted = order;
        std::sort(sorted.begin(), sorted.end(),
                  [&](int a, int b) { return at(a) != at(b) ? comes_before(at(a), at(b)) : a < b; });
        for (std::size_t i = 1; i < sorted.size(); ++i) {
            const int last = sorted[i - 1], kept = same_as_[static_cast<std::size_t>(last)];
            if (at(sorted[i]) == at(last))
                same_as_[static_cast<std::size_t>(sorted[i])] = kept >= 0 ? kept : last;
        }
        return {{}, std::move(same_as_)};
    }

    /// On which side of the face opposite a corner p lies: +1 is outside the cell.
    int side_of(const Cell& c, std::size_t corner, const Vec3& p) const {
        const auto& [i, j, k] = face_opposite[corner];
        return orient3d(at(c.v[i]), at(c.v[j]), at(c.v[k]), p);
    }

    bool in_conflict(int c, const Vec3& p) const {
        const Cell& tet = cell(c);
        for (std::size_t i = 0; i < 4; ++i) {
            if (tet.v[i] != infinity) continue;
            const int side = side_of(tet, i, p);  // −1: where infinity is
            return side != 0 ? side < 0 : in_conflict(tet.n[i], p);
        }
        return in_sphere({at(tet.v[0]), at(tet.v[1]), at(tet.v[2]), at(tet.v[3])}, p);
    }

    static bool is_ghost(const Cell& c) {
        return c.v[0] == infinity || c.v[1] == infinity || c.v[2] == infinity || c.v[3] == infinity;
    }

    /// A walk through the faces that p is beyond. In a Delaunay triangulation it cannot go in circles.
    int locate(const Vec3& p) const {
        int c = hint_;
        if (is_ghost(cell(c)))
            for (std::size_t i = 0; i < 4; ++i)
                if (cell(c).v[i] == infinity) {
                    c = cell(c).n[i];
                    break;
                }
        for (int from = -1;;) {
            const Cell& tet = cell(c);
            int next = -1;
            for (std::size_t i = 0; i < 4 && next < 0; ++i)
                if (tet.n[i] != from && side_of(tet, i, p) > 0) next = tet.n[i];
            if (next < 0) return c;
            if (is_ghost(cell(next))) return next;
            from = c, c = next;
        }
    }

    void insert(int point) {
        const Vec3 p = at(point);
        const int start = locate(p);
        for (const int v : cell(start).v)
            if (v != infinity && at(v) == p) {
                same_as_[static_cast<std::size_t>(point)] = v;
                return;
            }
        find_cavity(start, p);
        fill_cavity(point);
    }

    void find_cavity(int start, const Vec3& p) {
        cavity_.assign(1, start);
        sides_.clear();
        cell(start).doomed = true;
        for (std::size_t k = 0; k < cavity_.size(); ++k) {
            const int c = cavity_[k];
            for (std::size_t i = 0; i < 4; ++i) {
                const int n = cell(c).n[i];
                if (cell(n).doomed) continue;
                if (in_conflict(n, p)) {
                    cell(n).doomed = true;
                    cavity_.push_back(n);
                } else {
                    sides_.push_back({n, c, static_cast<int>(i)});
                }
            }
        }
    }

    void fill_cavity(int point) {
        edges_.clear();
        for (const Side& side : sides_) {
            const int made = new_cell();
            const Cell& old = cell(side.doomed);
            Cell& c = cell(made);
            c.v = old.v;
            const auto corner = static_cast<std::size_t>(side.corner);
            c.v[corner] = point;
            c.n = {-1, -1, -1, -1};
            c.n[corner] = side.cell;
            for (int& back : cell(side.cell).n)
                if (back == side.doomed && shares_face(cell(side.cell), back, c, corner)) back = made;
            for (std::size_t k = 0; k < 4; ++k) {
                if (k == corner) continue;
                // The face opposite k has the point and an edge of the cavity's face.
                std::array<int, 2> ends{};
                std::size_t e = 0;
                for (std::size_t m = 0; m < 4; ++m)
                    if (m != k && m != corner) ends[e++] = c.v[m] + 1;
                const auto [low, high] = std::minmax(ends[0], ends[1]);
                edges_.push_back({(static_cast<std::uint64_t>(low) << 32) | static_cast<std::uint64_t>(high),
                                  made, static_cast<int>(k)});
            }
        }
        std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
            return a.key != b.key ? a.key < b.key : a.cell < b.cell;
        });
        PLUSH_ASSERT(edges_.size() % 2 == 0);
        for (std::size_t i = 0; i < edges_.size(); i += 2) {
            const Edge &a = edges_[i], &b = edges_[i + 1];
            PLUSH_ASSERT(a.key == b.key);
            cell(a.cell).n[static_cast<std::size_t>(a.corner)] = b.cell;
            cell(b.cell).n[static_cast<std::size_t>(b.corner)] = a.cell;
        }
        for (const int c : cavity_) cell(c).alive = cell(c).doomed = false, free_.push_back(c);
        hint_ = edges_.front().cell;
    }

    /// Whether the outer cell's neighbour `back` is the one behind this face: two cells may share more than
    /// one.
    static bool shares_face(const Cell& outer, const int& back, const Cell& made, std::size_t corner) {
        const auto i = static_cast<std::size_t>(&back - outer.n.data());
        for (std::size_t m = 0; m < 4; ++m)
            if (m != corner && made.v[m] == outer.v[i]) return false;
        return true;
    }

    int new_cell() {
        if (!free_.empty()) {
            const int c = free_.back();
            free_.pop_back();
            cell(c) = {};
            return c;
        }
        cells_.emplace_back();
        return static_cast<int>(cells_.size()) - 1;
    }

    struct Edge {
        std::uint64_t key;
        int cell, corner;
    };
    std::span<const Vec3> points_;
    std::vector<int> same_as_;
    std::vector<Cell> cells_;
    std::vector<int> free_, cavity_;
    std::vector<Side> sides_;
    std::vector<Edge> edges_;
    int hint_ = 0;
};

}  // namespace

Delaunay delaunay(std::span<const Vec3> points) {
    return Builder(points).build();
}

}  // namespace plush
