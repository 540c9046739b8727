#include "geometry/tets/tet_fit.hpp"

#include <algorithm>

#include "geometry/tets/tet_quality.hpp"
#include "geometry/tets/tet_topology.hpp"

// One node at a time: a move counts where the smallest dihedral angle of the tets around the node stays above
// a bound or grows, and where none of the outer faces at the node meets the surface. (After Freitag &
// Ollivier-Gooch, "Tetrahedral mesh improvement using swapping and smoothing", 1997, with a plain pattern
// search for the non-smooth optimum.)
//
// Why the cage goes on enclosing the solid: all tets stay positive, so the mesh stays a mesh, and its outer
// faces never meet the surface before or after a move; the nodes on them stay outside.

namespace plush {
namespace {

constexpr double target = 20;      // degrees: what mending aims at; 10 are promised
constexpr double keep_above = 25;  // degrees: drawing in goes no farther
constexpr int mending_sweeps = 20;
constexpr int drawing_sweeps = 3;

std::size_t index(int i) {
    return static_cast<std::size_t>(i);
}

class Fitting {
public:
    Fitting(TetParts& cage, const SolidQuery& solid) : cage_(cage), solid_(solid) {
        const auto& tets = cage.tets;
        first_.assign(cage.positions.size() + 1, 0);
        for (const Tet& tet : tets)
            for (const int v : tet) ++first_[index(v)];
        for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
        around_.resize(4 * tets.size());
        for (std::size_t t = tets.size(); t-- > 0;)
            for (const int v : tets[t]) around_[index(--first_[index(v)])] = static_cast<int>(t);
        neighbours_ = tet_neighbours(tets);
        for (std::size_t t = 0; t < tets.size(); ++t)
            longest_ = std::max(longest_, norm(at(tets[t][0]) - at(tets[t][1])));
    }

    void mend() {
        for (int sweep = 0; sweep < mending_sweeps; ++sweep) {
            bool moved = false;
            for (int v = 0; v < static_cast<int>(cage_.positions.size()); ++v)
                if (const double now = smallest_around(v); now < target) moved = improve(v, now) || moved;
            if (!moved) return;
        }
    }

    void draw_in() {
        for (int sweep = 0; sweep < drawing_sweeps; ++sweep)
            for (int v = 0; v < static_cast<int>(cage_.positions.size()); ++v)
                if (is_outer(v)) draw_in(v);
    }

private:
    Vec3& at(int v) { return cage_.positions[index(v)]; }
    std::span<const int> around(int v) const {
        return std::span(around_).subspan(index(first_[index(v)]),
                                          index(first_[index(v) + 1] - first_[index(v)]));
    }

    double smallest_around(int v) const {
        double smallest = 180;
        for (const int t : around(v))
            smallest = std::min(smallest, smallest_dihedral(corners(cage_.positions, cage_.tets[index(t)])));
        return smallest;
    }

    /// Calls visit(tet, corner) for the outer faces at v.
    template <class Visit>
    void outer_faces(int v, Visit&& visit) const {
        for (const int t : around(v))
            for (std::size_t i = 0; i < 4; ++i)
                if (neighbours_[index(t)][i] < 0 && cage_.tets[index(t)][i] != v)
                    visit(cage_.tets[index(t)], i);
    }
    bool is_outer(int v) const {
        bool found = false;
        outer_faces(v, [&](const Tet&, std::size_t) { found = true; });
        return found;
    }
    bool touches_surface(int v) const {
        bool found = false;
        outer_faces(v, [&](const Tet& tet, std::size_t i) {
            const auto& [a, b, c] = face_opposite[i];
            const auto p = corners(cage_.positions, tet);
            found = found || solid_.meets_triangle(p[a], p[b], p[c]);
        });
        return found;
    }

    /// Moves v there if all of the tets around it then have larger angles than `bound`.
    bool move(int v, const Vec3& to, double bound) {
        const Vec3 from = at(v);
        at(v) = to;
        if (smallest_around(v) > bound && !touches_surface(v)) return true;
        at(v) = from;
        return false;
    }

    /// A pattern search: the axes and the diagonals, with steps that halve.
    bool improve(int v, double now) {
        bool moved = false;
        for (double step = 0.2 * longest_; step > 0.005 * longest_; step /= 2)
            for (int x = -1; x <= 1; ++x)
                for (int y = -1; y <= 1; ++y)
                    for (int z = -1; z <= 1; ++z)
                        if ((x != 0 || y != 0 || z != 0) &&
                            move(v, at(v) + Vec3{x * step, y * step, z * step}, now)) {
                            now = smallest_around(v);
                            moved = true;
                        }
        return moved;
    }

    /// To a tenth of an edge from the surface, or as near as it gets.
    void draw_in(int v) {
        const Vec3 p = at(v), surface = solid_.closest(p);
        const double distance = norm(surface - p);
        const double way = distance - 0.1 * longest_;
        if (way <= 0) return;
        const double bound = std::min(keep_above, smallest_around(v) * (1 - 1e-9));
        for (const double share : {1.0, 0.7, 0.4, 0.2})
            if (move(v, p + (surface - p) * (share * way / distance), bound)) return;
    }

    TetParts& cage_;
    const SolidQuery& solid_;
    std::vector<int> first_, around_;  // the tets around each node
    std::vector<std::array<int, 4>> neighbours_;
    double longest_ = 0;
};

}  // namespace

void fit_cage(TetParts& cage, const SolidQuery& solid) {
    Fitting fitting(cage, solid);
    fitting.mend();
    fitting.draw_in();
}

}  // namespace plush
