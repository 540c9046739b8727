#include <algorithm>

#include "core/assert.hpp"
#include "geometry/mesh/key_map.hpp"
#include "geometry/tets/lattice_grid.hpp"
#include "geometry/tets/tet_lattice.hpp"
#include "geometry/tets/tet_quality.hpp"

// Isosurface stuffing: F. Labelle & J. R. Shewchuk, "Isosurface stuffing: fast tetrahedral meshes with good
// dihedral angles", SIGGRAPH 2007, on a uniform lattice.
//
// 1. Lattice points are inside (+) or outside (−). An edge with both has a cut where the surface crosses it.
// 2. A cut nearer to a lattice point than α of the edge's length would make a thin tet: the point is moved
//    onto it and becomes a point of the surface (0); the other cuts on its edges are gone.
// 3. Each tet with a + corner keeps its part inside, cut into one to three tets:
//
//     + with 0, −     the − corners slide to their cuts: one tet
//     + + 0 −         a pyramid over the face + + −: two
//     + + − −         a wedge: three
//     + + + −         a tet without one corner: three
//
// A face + + − holds a quadrilateral, which two tets must cut along the same diagonal. With one cut on a long
// edge, the diagonal starts there; with both on short ones, at the + corner of even parity. The authors prove
// for these α that every angle lies between 10.78° and 164.75°, whatever the surface is.
//
// What the lattice does not see, between two points of the same sign, is lost: features thinner than a cell,
// what hangs on them, and gaps as thin; the largest piece that is connected by faces is kept.
// Where two sheets pass one lattice point they are pinched together in it, as in the paper.

namespace plush {
namespace {

// Their table 2, for a uniform lattice.
constexpr double alpha_long = 0.24999, alpha_short = 0.41189;

// Cuts are found to this share of the edge: far below what the angles or the volume could tell.
constexpr double cut_tolerance = 1e-4;

std::size_t index(int i) {
    return static_cast<std::size_t>(i);
}

class Stuffing {
public:
    Stuffing(const SolidQuery& solid, const LatticePlace& place) : solid_(solid), grid_(solid, place) {}

    TetParts build() && {
        grid_.each_face([&](LatticePoint centre) { collect(centre); });
        find_cuts();
        warp();
        for (const Tet& tet : tets_) cut_tet(tet);
        return largest_piece(out_);
    }

private:
    struct Point {
        LatticePoint at;
        Vec3 position;
        int sign;         ///< +1 inside, 0 on the surface, −1 outside
        int number = -1;  ///< in the output
    };
    struct Cut {
        int a, b;
        Vec3 position;
        double t;  ///< from a to b
        int number = -1;
    };

    void collect(LatticePoint centre) {
        const LatticeFace face(centre);
        for (std::size_t m = 0; m < 4; ++m) {
            const std::array<LatticePoint, 4> tet{face.centres[0], face.corners[m], face.corners[(m + 1) % 4],
                                                  face.centres[1]};
            if (std::none_of(tet.begin(), tet.end(), [&](LatticePoint p) { return grid_.inside(p); }))
                continue;
            Tet numbers{};
            for (std::size_t i = 0; i < 4; ++i) numbers[i] = point(tet[i]);
            tets_.push_back(numbers);
        }
    }

    int point(LatticePoint p) {
        const auto [number, is_new] = numbers_.insert(grid_.key(p), static_cast<int>(points_.size()));
        if (is_new) points_.push_back({p, grid_.position(p), grid_.inside(p) ? 1 : -1});
        return number;
    }

    static std::uint64_t edge_key(int a, int b) {
        const auto [low, high] = std::minmax(a, b);
        return (static_cast<std::uint64_t>(low) << 32) | static_cast<std::uint64_t>(high);
    }

    void find_cuts() {
        for (const Tet& tet : tets_)
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < i; ++j) {
                    const auto [a, b] = std::minmax(tet[i], tet[j]);
                    if (points_[index(a)].sign == points_[index(b)].sign) continue;
                    if (!cut_numbers_.insert(edge_key(a, b), static_cast<int>(cuts_.size())).second) continue;
                    cuts_.push_back(cut_between(a, b));
                }
    }

    /// Where the distance changes its sign, by regula falsi with the Illinois rule: an end that stays twice
    /// counts half.
    Cut cut_between(int a, int b) const {
        const Vec3 from = points_[index(a)].position, to = points_[index(b)].position;
        double t0 = 0, t1 = 1, f0 = solid_.signed_distance(from), f1 = solid_.signed_distance(to);
        const double near = cut_tolerance * norm(to - from);
        double t = 0.5;
        int stayed = 0;
        for (int i = 0; i < 30; ++i) {  // far more than the dozen that a kinked surface needs
            t = f0 != f1 ? std::clamp((f0 * t1 - f1 * t0) / (f0 - f1), t0, t1) : 0.5 * (t0 + t1);
            const double f = solid_.signed_distance(from + (to - from) * t);
            if (std::abs(f) < near) break;
            if ((f < 0) == (f0 < 0)) {
                t0 = t, f0 = f;
                if (stayed == 1) f1 *= 0.5;
                stayed = 1;
            } else {
                t1 = t, f1 = f;
                if (stayed == -1) f0 *= 0.5;
                stayed = -1;
            }
        }
        return {a, b, from + (to - from) * t, t};
    }

    bool is_long(int a, int b) const { return ((points_[index(a)].at.x ^ points_[index(b)].at.x) & 1) == 0; }

    // Points in their order. A point that is warped takes the cuts of its edges with it.
    void warp() {
        std::vector<int> first(points_.size() + 1), of_point(2 * cuts_.size());
        for (const Cut& c : cuts_) ++first[index(c.a)], ++first[index(c.b)];
        for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
        for (std::size_t i = cuts_.size(); i-- > 0;)
            for (const int p : {cuts_[i].a, cuts_[i].b})
                of_point[index(--first[index(p)])] = static_cast<int>(i);
        for (std::size_t p = 0; p < points_.size(); ++p) {
            double nearest = HUGE_VAL;
            const Cut* chosen = nullptr;
            for (int k = first[p]; k < first[p + 1]; ++k) {
                const Cut& c = cuts_[index(of_point[index(k)])];
                if (points_[index(c.a)].sign * points_[index(c.b)].sign == 0) continue;
                const double share = c.a == static_cast<int>(p) ? c.t : 1 - c.t;
                if (share >= (is_long(c.a, c.b) ? alpha_long : alpha_short)) continue;
                const double distance = norm(c.position - points_[p].position);
                if (distance < nearest) nearest = distance, chosen = &c;
            }
            if (chosen != nullptr) points_[p].position = chosen->position, points_[p].sign = 0;
        }
    }

    // The numbers of nodes in the output, given on first use.
    int node(int p) {
        Point& point = points_[index(p)];
        return point.number >= 0 ? point.number : point.number = new_node(point.position);
    }
    int cut(int a, int b) {
        Cut& c = cuts_[index(cut_numbers_.find(edge_key(a, b)))];
        return c.number >= 0 ? c.number : c.number = new_node(c.position);
    }
    int new_node(const Vec3& position) {
        out_.positions.push_back(position);
        return static_cast<int>(out_.positions.size()) - 1;
    }

    void cut_tet(const Tet& tet) {
        std::array<int, 4> plus{}, zero{}, minus{};
        std::size_t p = 0, z = 0, m = 0;
        for (const int v : tet) {
            const int sign = points_[index(v)].sign;
            (sign > 0 ? plus[p++] : sign == 0 ? zero[z++] : minus[m++]) = v;
        }
        if (p == 0) return;
        if (m == 0) return add({node(tet[0]), node(tet[1]), node(tet[2]), node(tet[3])});
        if (p == 1) return add_corner(tet, plus[0]);
        if (p == 3) return add_truncated({plus[0], plus[1], plus[2]}, minus[0]);
        if (z == 1) return add_pyramid(plus[0], plus[1], minus[0], zero[0]);
        add_wedge(plus[0], plus[1], minus[0], minus[1]);
    }

    void add_corner(const Tet& tet, int plus) {
        Tet out{};
        for (std::size_t i = 0; i < 4; ++i)
            out[i] = points_[index(tet[i])].sign < 0 ? cut(plus, tet[i]) : node(tet[i]);
        add(out);
    }

    void add_pyramid(int p, int q, int m, int apex) {
        if (!diagonal_at(p, q, m)) std::swap(p, q);
        add({node(p), node(q), cut(q, m), node(apex)});
        add({node(p), cut(p, m), cut(q, m), node(apex)});
    }

    void add_truncated(std::array<int, 3> plus, int m) {
        // The corner with two diagonals first, the one with none last: a corner's place is the number of
        // corners that win against it.
        std::array<int, 3> sorted{};
        for (const int v : plus) {
            std::size_t place = 0;
            for (const int w : plus)
                if (w != v && !diagonal_at(v, w, m)) ++place;
            sorted[place] = v;
        }
        const auto [a, b, c] = sorted;
        PLUSH_ASSERT(a != b && b != c && a != c);
        add({node(a), node(b), node(c), cut(c, m)});
        add({node(a), node(b), cut(b, m), cut(c, m)});
        add({node(a), cut(a, m), cut(b, m), cut(c, m)});
    }

    void add_wedge(int p, int q, int r, int s) {
        const bool p_at_r = diagonal_at(p, q, r), p_at_s = diagonal_at(p, q, s);
        if (p_at_r != p_at_s) {
            if (!p_at_r) std::swap(r, s);  // now from p to the cut qr, and from q to ps
            add({node(p), node(q), cut(q, r), cut(p, s)});
            add({node(q), cut(q, r), cut(q, s), cut(p, s)});
            return add({node(p), cut(p, r), cut(p, s), cut(q, r)});
        }
        if (!p_at_r) std::swap(p, q);  // now both from p
        add({node(p), node(q), cut(q, r), cut(q, s)});
        // The diagonal on the surface is free: no other tet has it. The better one.
        const Tet one{node(p), cut(p, r), cut(p, s), cut(q, s)},
            two{node(p), cut(p, r), cut(q, s), cut(q, r)};
        const Tet three{node(p), cut(p, r), cut(p, s), cut(q, r)},
            four{node(p), cut(p, s), cut(q, s), cut(q, r)};
        const bool first = std::min(quality(one), quality(two)) >= std::min(quality(three), quality(four));
        add(first ? one : three);
        add(first ? two : four);
    }

    /// Whether the quadrilateral p, q, cut qm, cut pm has its diagonal at p.
    bool diagonal_at(int p, int q, int m) const {
        if (is_long(p, m)) return false;
        if (is_long(q, m)) return true;
        return is_even(p);
    }
    bool is_even(int p) const {
        const LatticePoint& at = points_[index(p)].at;
        return (((at.x >> 1) + (at.y >> 1) + (at.z >> 1)) & 1) == 0;
    }

    Tet turned(Tet tet) const {
        if (tet_volume(corners(out_.positions, tet)) < 0) std::swap(tet[2], tet[3]);
        return tet;
    }
    double quality(const Tet& tet) const { return smallest_dihedral(corners(out_.positions, turned(tet))); }
    void add(const Tet& tet) { out_.tets.push_back(turned(tet)); }

    const SolidQuery& solid_;
    LatticeGrid grid_;
    std::vector<Point> points_;
    std::vector<Cut> cuts_;
    std::vector<Tet> tets_;  // of the lattice, with a corner inside
    KeyMap numbers_, cut_numbers_;
    TetParts out_;
};

}  // namespace

TetParts stuffed_lattice(const SolidQuery& solid, const LatticePlace& place) {
    return Stuffing(solid, place).build();
}

}  // namespace plush
