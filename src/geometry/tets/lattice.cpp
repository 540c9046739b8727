#include "geometry/tets/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/assert.hpp"
#include "geometry/mesh/key_map.hpp"

// The surface is cut out of each tet by the signs of its corners: one triangle where one corner differs from
// the others, two where it is two against two. A cut lies on an edge of the lattice and belongs to all tets
// around that edge. Each triangle stays inside its tet, tets do not overlap, and no cut comes to lie in a
// lattice point: so the surface is closed, a manifold, and cannot cross itself, however rough the field is.
//
// Cuts that come near to a lattice point make thin triangles. Labelle & Shewchuk, "Isosurface stuffing",
// SIGGRAPH 2007, move the lattice point onto the surface there, so that all cuts on its edges become one; how
// near (α below) they derive from the worst tet of the warped lattice. Here those cuts are told as a group,
// and whoever edits the surface merges them as far as its topology allows: where two sheets pass one point,
// warping would pinch them together.
//
// Only tets that the surface passes are visited: from one of them on, through each triangular face whose
// corners differ, to the tet behind (after Bloomenthal, "Polygonization of implicit surfaces", 1988). The
// visit needs no bound on the field's growth and ends with one closed piece.
//
//          C+
//         /|\          The four tets around the face P0 P1 P2 P3 of a cube, between the centres C− and C+ of the
//        / | \         cubes on both sides. Behind the outer triangle (C+, P0, P1) lies a tet of that other face of
//      P0-----P1       C+'s cube which has the edge P0 P1 too: with M the middle of the edge and F the centre of
//        \ | /         the face, the centre of the other one is M − F + C+.
//         \|/
//          C−

namespace plush {
namespace {

constexpr std::array<std::array<int, 3>, 4> one_corner{{{1, 2, 3}, {0, 3, 2}, {3, 0, 1}, {2, 1, 0}}};
// Even permutations (i, j, k, l): i, j against k, l.
constexpr std::array<std::array<int, 4>, 6> two_corners{
    {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 2, 0, 3}, {3, 1, 0, 2}, {2, 3, 0, 1}}};

std::size_t normal_axis(LatticePoint face) {
    return face.x % 2 == 0 ? 0 : face.y % 2 == 0 ? 1 : 2;
}

LatticePoint axis_step(std::size_t axis) {
    LatticePoint p;
    p[axis] = 1;
    return p;
}

std::uint64_t key_of(LatticePoint p) {
    constexpr std::int64_t middle = 1 << 20;  // 21 bits a coordinate: far more cubes than fit into memory
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < 3; ++i) {
        PLUSH_ASSERT(std::abs(p[i]) < middle);
        key = (key << 21) | static_cast<std::uint64_t>(p[i] + middle);
    }
    return key;
}

class Surface {
public:
    Surface(const SignedDistance& distance, const Vec3& origin, double spacing)
        : distance_(distance), origin_(origin), half_(spacing / 2) {}

    LatticeSurface follow(const Vec3& inside) && {
        if (!(distance_.value(inside) < 0))
            throw Error({.problem = "the surface search starts outside", .cure = "give a point inside"});
        LatticePoint p;  // the origin is the starting point
        while (value(point(p + LatticePoint{0, 2, 0})) < 0) p = p + LatticePoint{0, 2, 0};
        const LatticePoint face = p + LatticePoint{0, 1, 1};
        push(face, edge_of(LatticeFace(face), p + p + LatticePoint{0, 2, 0}));
        for (std::size_t i = 0; i < queue_.size(); ++i) {
            const Visit tet = queue_[i];  // a copy: the queue grows
            visit(tet);
        }
        group_cuts();
        return std::move(result_);
    }

private:
    struct Visit {
        LatticePoint face;
        std::size_t m;
    };

    int point(LatticePoint p) {
        const auto [number, is_new] = numbers_.insert(key_of(p), static_cast<int>(points_.size()));
        if (is_new) {
            const Vec3 at = position(p);
            points_.push_back({p, distance_.value(at)});
        }
        return number;
    }
    Vec3 position(LatticePoint p) const { return origin_ + Vec3{p.x * half_, p.y * half_, p.z * half_}; }
    double value(int number) const { return points_[static_cast<std::size_t>(number)].value; }
    bool is_inside(int number) const { return value(number) < 0; }

    /// The tet between centres and the edge from corner m of a face.
    void push(LatticePoint face, std::size_t m) {
        const int number = faces_.insert(key_of(face), static_cast<int>(seen_.size())).first;
        if (index(number) == seen_.size()) seen_.push_back(0);
        const unsigned bit = 1u << m;
        if ((seen_[index(number)] & bit) != 0) return;
        seen_[index(number)] |= bit;
        queue_.push_back({face, m});
    }

    bool differ(int a, int b, int c) const {
        return is_inside(a) != is_inside(b) || is_inside(b) != is_inside(c);
    }

    void visit(const Visit& tet) {
        const auto& [face_centre, m] = tet;
        const LatticeFace face(face_centre);
        const std::size_t next = (m + 1) % 4;
        const std::array<int, 2> c{point(face.centres[0]), point(face.centres[1])};
        const int p = point(face.corners[m]), q = point(face.corners[next]);
        cut_tet({c[0], p, q, c[1]});
        if (differ(c[0], c[1], p)) push(face_centre, (m + 3) % 4);
        if (differ(c[0], c[1], q)) push(face_centre, next);
        const LatticePoint sum = face.corners[m] + face.corners[next];
        const LatticePoint middle{sum.x / 2, sum.y / 2, sum.z / 2};
        for (std::size_t side = 0; side < 2; ++side)
            if (differ(c[side], p, q)) {
                const LatticePoint other = middle - face_centre + face.centres[side];
                push(other, edge_of(LatticeFace(other), sum));
            }
    }

    /// Which edge of the face has these ends, by their sum.
    static std::size_t edge_of(const LatticeFace& face, LatticePoint sum) {
        std::size_t m = 0;
        while (m < 3 && face.corners[m] + face.corners[m + 1] != sum) ++m;
        return m;
    }

    void cut_tet(const std::array<int, 4>& t) {
        unsigned inside = 0;
        for (std::size_t i = 0; i < 4; ++i)
            if (is_inside(t[i])) inside |= 1u << i;
        const auto corner = [&](int i) { return t[static_cast<std::size_t>(i)]; };
        for (int i = 0; i < 4; ++i) {
            const bool alone_inside = inside == 1u << i, alone_outside = inside == (15u ^ (1u << i));
            if (!alone_inside && !alone_outside) continue;
            const auto& [j, k, l] = one_corner[static_cast<std::size_t>(i)];
            const int a = cut(corner(i), corner(j)), b = cut(corner(i), corner(k)),
                      c = cut(corner(i), corner(l));
            result_.triangles.push_back(alone_inside ? Triangle{a, b, c} : Triangle{a, c, b});
            return;
        }
        for (const auto& [i, j, k, l] : two_corners)
            if (inside == ((1u << i) | (1u << j)))
                return add_quad({cut(corner(i), corner(k)), cut(corner(i), corner(l)),
                                 cut(corner(j), corner(l)), cut(corner(j), corner(k))});
    }

    // Along its shorter diagonal.
    void add_quad(const std::array<int, 4>& q) {
        const auto at = [&](std::size_t i) { return result_.positions[static_cast<std::size_t>(q[i])]; };
        if (norm2(at(0) - at(2)) <= norm2(at(1) - at(3))) {
            result_.triangles.push_back({q[0], q[1], q[2]});
            result_.triangles.push_back({q[0], q[2], q[3]});
        } else {
            result_.triangles.push_back({q[0], q[1], q[3]});
            result_.triangles.push_back({q[1], q[2], q[3]});
        }
    }

    int cut(int a, int b) {
        if (a > b) std::swap(a, b);
        const std::uint64_t key = (static_cast<std::uint64_t>(a) << 32) | static_cast<std::uint64_t>(b);
        const auto [number, is_new] = cuts_.insert(key, static_cast<int>(result_.positions.size()));
        if (is_new) {
            // Away from the ends, where cuts of different edges would fall together.
            constexpr double least = 0.04;
            const double t = std::clamp(value(a) / (value(a) - value(b)), least, 1 - least);
            const Vec3 from = position(points_[static_cast<std::size_t>(a)].at);
            const Vec3 to = position(points_[static_cast<std::size_t>(b)].at);
            result_.positions.push_back(from + (to - from) * t);
            ends_.push_back({a, b, t});
        }
        return number;
    }

    // Lattice points in their order: one that a cut comes near takes all cuts on its edges that are still
    // free.
    void group_cuts() {
        std::vector<int> first(points_.size() + 1), cuts(2 * ends_.size());
        for (const Ends& e : ends_) ++first[index(e.a)], ++first[index(e.b)];
        for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
        for (std::size_t i = ends_.size(); i-- > 0;)
            for (const int p : {ends_[i].a, ends_[i].b}) cuts[index(--first[index(p)])] = static_cast<int>(i);
        result_.group.assign(ends_.size(), -1);
        result_.weight.assign(ends_.size(), 1);
        int groups = 0;
        for (std::size_t p = 0; p < points_.size(); ++p) {
            const std::span<const int> mine(cuts.data() + first[p], cuts.data() + first[p + 1]);
            const auto is_free = [&](int c) { return result_.group[index(c)] < 0; };
            const auto near = [&](int c) { return is_near(ends_[index(c)], static_cast<int>(p)); };
            if (!std::any_of(mine.begin(), mine.end(), [&](int c) { return is_free(c) && near(c); }))
                continue;
            for (const int c : mine) {
                if (!is_free(c)) continue;
                // The near ones say where the vertex comes to lie; the far ones follow.
                result_.weight[index(c)] = near(c) ? 1 : 1e-3;
                result_.group[index(c)] = groups;
            }
            ++groups;
        }
    }

    struct Ends {
        int a, b;
        double t;  ///< from a to b
    };
    bool is_near(const Ends& e, int p) const {
        constexpr double alpha_long = 0.249,
                         alpha_short = 0.411;  // their Table 2, for a surface in a uniform lattice
        const bool is_long = (points_[index(e.a)].at.x - points_[index(e.b)].at.x) % 2 == 0;
        return (e.a == p ? e.t : 1 - e.t) < (is_long ? alpha_long : alpha_short);
    }
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }

    struct Point {
        LatticePoint at;
        double value;
    };
    const SignedDistance& distance_;
    Vec3 origin_;
    double half_;
    std::vector<Point> points_;
    KeyMap numbers_, faces_, cuts_;
    std::vector<Ends> ends_;      // of each cut
    std::vector<unsigned> seen_;  // of each face a bit for each tet
    std::vector<Visit> queue_;    // tets, in the order in which they are met
    LatticeSurface result_;
};

}  // namespace

LatticeFace::LatticeFace(LatticePoint f) {
    const std::size_t axis = normal_axis(f);
    const LatticePoint a = axis_step(axis), b = axis_step((axis + 1) % 3), c = axis_step((axis + 2) % 3);
    centres = {f - a, f + a};
    corners = {f - b - c, f + b - c, f + b + c, f - b + c};
}

LatticeSurface lattice_surface(const SignedDistance& distance, const Vec3& inside, double spacing) {
    return Surface(distance, inside, spacing).follow(inside);
}

}  // namespace plush
