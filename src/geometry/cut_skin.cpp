#include "geometry/cut_skin.hpp"

#include <algorithm>
#include <numeric>

#include "geometry/cut_round.hpp"
#include "geometry/sheet_triangles.hpp"
#include "geometry/topology.hpp"

namespace plush {
namespace {

using Index = std::uint32_t;

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

/// Nearer to the end of an edge than this the surface is cut beside the end.
constexpr double least_part = 1e-3;

}  // namespace

double SkinVertex::look(const CutSolid& solid, std::span<const Vec3> x, Index in, const Vec3& p,
                        double best) {
    const auto& corner = solid.cells()[in].corners;
    const Vec3 &o = x[corner[0]], a = x[corner[1]] - o, b = x[corner[2]] - o, c = x[corner[3]] - o, d = p - o;
    const double volume = dot(cross(a, b), c);
    const double wa = dot(cross(d, b), c) / volume, wb = dot(cross(a, d), c) / volume,
                 wc = dot(cross(a, b), d) / volume;
    const std::array<double, 4> w{1 - wa - wb - wc, wa, wb, wc};
    const double least = std::min({w[0], w[1], w[2], w[3]});
    if (!std::isfinite(least) || !(least > best)) return best;
    cell = in, weight = w;
    return least;
}

CutSkin::CutSkin(const Mesh& skin, const Embedding& weights, const TetMesh& tets)
    : triangles_(skin.triangles().begin(), skin.triangles().end()) {
    std::vector<std::pair<Tet, Index>> known;
    for (Index t = 0; t < tets.tets().size(); ++t) known.emplace_back(tets.tets()[t], t);
    std::sort(known.begin(), known.end());
    for (std::size_t p = 0; p < weights.size(); ++p) {
        Tet tet{};
        SkinVertex vertex;
        const auto row = weights.row(p);
        for (std::size_t k = 0; k < 4 && k < row.size(); ++k)
            tet[k] = static_cast<int>(row[k].vertex), vertex.weight[k] = row[k].weight;
        const auto place = std::lower_bound(known.begin(), known.end(), std::pair{tet, Index{0}});
        if (place != known.end() && place->first == tet) vertex.cell = place->second;
        vertices_.push_back(vertex);
    }
}

std::vector<Vec3> CutSkin::positions(const CutSolid& solid, std::span<const Vec3> x) const {
    std::vector<Vec3> y;
    y.reserve(vertices_.size());
    for (const SkinVertex& v : vertices_) {
        const CutCell& cell = solid.cells()[v.cell];
        Vec3 p{};
        for (std::size_t k = 0; k < 4; ++k) p += v.weight[k] * x[cell.corners[k]];
        y.push_back(p);
    }
    return y;
}

Mesh CutSkin::surface(const CutSolid& solid, Embedding& weights) const {
    std::vector<std::array<Embedding::Entry, 4>> rows;
    for (const SkinVertex& v : vertices_) {
        auto& row = rows.emplace_back();
        for (std::size_t k = 0; k < 4; ++k) row[k] = {solid.cells()[v.cell].corners[k], v.weight[k]};
    }
    weights = Embedding::of_rows(rows);
    const TetMesh tets = solid.tets();
    return Mesh(positions(solid, tets.positions()), triangles_);
}

std::vector<int> CutSkin::groups(const CutSolid& solid) const {
    DisjointSets sets(solid.cells().size());
    for (const CutFace& face : solid.faces())
        if (face.cells[1] != CutFace::none)
            sets.merge(static_cast<int>(face.cells[0]), static_cast<int>(face.cells[1]));
    for (const Triangle& t : triangles_)
        for (std::size_t c = 1; c < 3; ++c)
            sets.merge(static_cast<int>(vertices_[at(t[0])].cell),
                       static_cast<int>(vertices_[at(t[c])].cell));
    std::vector<int> roots(solid.cells().size());
    for (std::size_t c = 0; c < roots.size(); ++c) roots[c] = sets.root(static_cast<int>(c));
    return roots;
}

std::size_t CutSkin::pieces(const CutSolid& solid) const {
    const std::vector<int> group = groups(solid);
    std::vector<int> used;
    for (const SkinVertex& v : vertices_) used.push_back(group[v.cell]);
    std::sort(used.begin(), used.end());
    return static_cast<std::size_t>(std::unique(used.begin(), used.end()) - used.begin());
}

bool CutSkin::sound(const CutSolid& solid) const {
    const int count = static_cast<int>(vertices_.size());
    return std::all_of(vertices_.begin(), vertices_.end(),
                       [&](const SkinVertex& v) {
                           return v.cell < solid.cells().size() &&
                                  std::all_of(v.weight.begin(), v.weight.end(),
                                              [](double w) { return std::isfinite(w); });
                       }) &&
           std::all_of(triangles_.begin(), triangles_.end(), [&](const Triangle& t) {
               return std::all_of(t.begin(), t.end(), [&](int v) { return v >= 0 && v < count; });
           });
}

/// One cut of a skin.
class SkinRound {
public:
    SkinRound(CutSkin& skin, CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x,
              CutStroke& stroke)
        : skin_(skin), solid_(solid), sheet_(blade), x_(x), stroke_(stroke), y_(skin.positions(solid, x)) {
        for (const Vec3& p : y_) side_.push_back(sheet_.height(p) >= 0 ? 1 : -1);
        stroke_.sides.resize(solid_.cells().size(), CutStroke::unknown);
    }

    CutOutcome run() {
        CutOutcome outcome;
        choose_groups();
        find_points();
        if (points_.empty() || !close()) return outcome;
        const std::size_t cells = solid_.cells().size();
        const std::size_t solids = solid_.pieces(), skins = skin_.pieces(solid_);
        CutSolid before = solid_;
        CutStroke through;
        measure_sides();
        outcome = solid_.cut_cells(
            sheet_.blade(), x_, chosen_,
            [&](std::span<const Index> parents) { return find_carriers(parents, cells); }, through);
        if (outcome.cuts == 0) return outcome;
        x_after_ = after(outcome);
        find_usable();
        carry_vertices();
        add_points();
        cut_triangles();
        close_triangles();
        carry_together();
        // A tip that lies between the points of the cage may find no tets of its own, and tets may part where
        // the skin does not: such a cut is left.
        if (!all_carried_ || (solid_.pieces() > solids && skin_.pieces(solid_) == skins)) {
            solid_ = std::move(before);
            return {};
        }
        mark_parted(outcome);
        return outcome;
    }

private:
    struct OnEdge {
        int a, b;  ///< rising
        double at;
        Vec3 place;
        int group;
        int above = -1, below = -1;  ///< its vertices
    };
    /// What closes one part, with the edges whose points it is made of.
    struct Cap {
        int group = 0;
        std::vector<std::pair<int, int>> edges{};
        PlaneTriangles made{};
    };
    bool crosses(const Triangle& t) const {
        return side_[at(t[0])] != side_[at(t[1])] || side_[at(t[0])] != side_[at(t[2])];
    }
    /// Of an edge with ends on both sides. Where sides change without a sheet it is nowhere.
    std::optional<double> crossing(int a, int b) const {
        std::optional<double> t;
        if (sheet_.curved()) {
            t = sheet_.crossing(y_[at(a)], y_[at(b)]);
        } else {
            const double u = sheet_.height(y_[at(a)]), v = sheet_.height(y_[at(b)]);
            t = u == v ? 0.5 : u / (u - v);
        }
        if (t) t = std::clamp(*t, least_part, 1 - least_part);
        return t;
    }

    /// Parts that the sheet, its ends going on, goes through, and the blade everywhere where it does.
    void choose_groups() {
        group_ = skin_.groups(solid_);
        const std::vector<int>& group = group_;
        std::vector<std::uint8_t> crossed(group.size(), 0), refused(group.size(), 0);
        for (std::size_t c = 0; c < group.size(); ++c)
            if (stroke_.sides[c] != CutStroke::unknown) refused[at(group[c])] = 1;
        for (const Triangle& t : skin_.triangles_) {
            if (!crosses(t)) continue;
            const std::size_t g = at(group[skin_.vertices_[at(t[0])].cell]);
            crossed[g] = 1;
            for (std::size_t i = 0; i < 3; ++i) {
                const int a = t[i], b = t[(i + 1) % 3];
                if (side_[at(a)] == side_[at(b)]) continue;
                const std::optional<double> s = crossing(a, b);
                if (!s || !sheet_.holds(y_[at(a)] + *s * (y_[at(b)] - y_[at(a)]))) refused[g] = 1;
            }
        }
        chosen_.resize(group.size());
        for (std::size_t c = 0; c < group.size(); ++c)
            chosen_[c] = crossed[at(group[c])] && !refused[at(group[c])];
    }

    bool chosen(const Triangle& t) const { return crosses(t) && chosen_[skin_.vertices_[at(t[0])].cell]; }

    void find_points() {
        for (const Triangle& t : skin_.triangles_) {
            if (!chosen(t)) continue;
            for (std::size_t i = 0; i < 3; ++i) {
                const int a = std::min(t[i], t[(i + 1) % 3]), b = std::max(t[i], t[(i + 1) % 3]);
                if (side_[at(a)] == side_[at(b)]) continue;
                const double s = crossing(a, b).value_or(0.5);  // chosen: it is somewhere
                points_.push_back(
                    {a, b, s, y_[at(a)] + s * (y_[at(b)] - y_[at(a)]), group_[skin_.vertices_[at(a)].cell]});
            }
        }
        const auto key = [](const OnEdge& e) { return std::pair{e.a, e.b}; };
        std::sort(points_.begin(), points_.end(),
                  [&](const auto& p, const auto& q) { return key(p) < key(q); });
        points_.erase(std::unique(points_.begin(), points_.end(),
                                  [&](const auto& p, const auto& q) { return key(p) == key(q); }),
                      points_.end());
    }

    int point(int a, int b) const {
        const std::pair key{std::min(a, b), std::max(a, b)};
        const auto place = std::lower_bound(points_.begin(), points_.end(), key,
                                            [](const OnEdge& e, const std::pair<int, int>& k) {
                                                return std::pair{e.a, e.b} < k;
                                            });
        return static_cast<int>(place - points_.begin());
    }

    /// The triangle that is alone on its side comes first.
    Triangle turned(const Triangle& t) const {
        for (std::size_t i = 0; i < 3; ++i)
            if (side_[at(t[(i + 1) % 3])] == side_[at(t[(i + 2) % 3])])
                return {t[i], t[(i + 1) % 3], t[(i + 2) % 3]};
        return t;
    }

    /// Triangles between the lines in which the sheet meets the skin, of each part by itself: parts may lie
    /// against one another. A part whose lines cross, since it crosses itself, stays as it is.
    bool close() {
        std::vector<int> parts;
        for (const OnEdge& e : points_) parts.push_back(e.group);
        std::sort(parts.begin(), parts.end());
        parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
        for (const int part : parts)
            if (!close(part))
                for (std::size_t c = 0; c < group_.size(); ++c)
                    if (group_[c] == part) chosen_[c] = 0;
        std::erase_if(points_, [&](const OnEdge& e) { return !chosen_[skin_.vertices_[at(e.a)].cell]; });
        return !caps_.empty();
    }

    bool close(int part) {
        Cap cap{.group = part};
        std::vector<int> number(points_.size(), -1);
        std::vector<Vec3> places;
        for (std::size_t p = 0; p < points_.size(); ++p) {
            if (points_[p].group != part) continue;
            number[p] = static_cast<int>(places.size());
            places.push_back(points_[p].place);
            cap.edges.emplace_back(points_[p].a, points_[p].b);
        }
        std::vector<std::array<int, 2>> edges;
        double length = 0;
        for (const Triangle& whole : skin_.triangles_) {
            if (!chosen(whole) || group_[skin_.vertices_[at(whole[0])].cell] != part) continue;
            const Triangle t = turned(whole);
            edges.push_back({number[at(point(t[0], t[1]))], number[at(point(t[0], t[2]))]});
            length += norm(places[at(edges.back()[0])] - places[at(edges.back()[1])]);
        }
        constexpr double coarser = 1.5;  // than the outline: what is inside has no detail
        auto made =
            sheet_triangles(sheet_, places, edges, coarser * length / static_cast<double>(edges.size()));
        if (!made) return false;
        cap.made = std::move(*made);
        caps_.push_back(std::move(cap));
        return true;
    }

    /// Of cells that may not be divided: the side that they are on.
    void measure_sides() {
        for (const CutCell& cell : solid_.cells()) {
            Vec3 middle{};
            for (const Index v : cell.corners) middle += 0.25 * x_[v];
            cell_side_.push_back(sheet_.height(middle) >= 0 ? 1 : -1);
        }
    }

    /// Which cells have a vertex of the skin.
    std::vector<std::uint8_t> find_carriers(std::span<const Index> parents, std::size_t cells) {
        lower_.assign(cells, CutFace::none);
        for (std::size_t c = cells; c < parents.size(); ++c) lower_[parents[c]] = static_cast<Index>(c);
        std::vector<std::uint8_t> carries(parents.size(), 0);
        for (std::size_t v = 0; v < y_.size(); ++v) {
            const Index cell = skin_.vertices_[v].cell;
            const Index own = chosen_[cell] ? part(cell, side_[v]) : cell;
            if (own != CutFace::none) carries[own] = 1;
        }
        for (std::size_t c = 0; c < cells; ++c)  // others are none of this cut's business
            if (!chosen_[c]) carries[c] = 1;
        return carries;
    }

    /// After the cut: cells that hang together with a vertex of the skin on their side.
    void find_usable() {
        DisjointSets sets(solid_.cells().size());
        for (const CutFace& face : solid_.faces())
            if (face.cells[1] != CutFace::none)
                sets.merge(static_cast<int>(face.cells[0]), static_cast<int>(face.cells[1]));
        std::array<std::vector<std::uint8_t>, 2> has;
        for (auto& list : has) list.assign(solid_.cells().size(), 0);
        const auto root = [&](Index c) { return at(sets.root(static_cast<int>(c))); };
        for (std::size_t v = 0; v < y_.size(); ++v) {
            const Index cell = skin_.vertices_[v].cell;
            if (!chosen_[cell]) continue;
            if (const Index own = part(cell, side_[v]); own != CutFace::none)
                has[side_[v] > 0][root(own)] = 1;
        }
        for (auto& list : usable_) list.assign(solid_.cells().size(), 0);
        for (Index c = 0; c < solid_.cells().size(); ++c)
            for (const std::size_t up : {0u, 1u}) usable_[up][c] = has[up][root(c)];
    }

    std::vector<Vec3> after(const CutOutcome& outcome) const {
        std::vector<Vec3> x;
        for (const Index v : outcome.vertex_parents) x.push_back(x_[v]);
        return x;
    }

    /// The part of a cell on a side, or nothing.
    Index part(Index cell, int side) const {
        if (lower_[cell] != CutFace::none) return side > 0 ? cell : lower_[cell];
        return cell_side_[cell] == side ? cell : CutFace::none;
    }

    void look(Index cell, const Vec3& p, double& deepest, SkinVertex& best) const {
        deepest = best.look(solid_, x_after_, cell, p, deepest);
    }

    /// A vertex at a place, in that cell of a part's side in which it is deepest. Copies of tets lie in one
    /// another: those of other parts may hold the place as well.
    SkinVertex carried(const Vec3& p, int side, int group, Index hint = CutFace::none) {
        SkinVertex best;
        double deepest = -HUGE_VAL;
        // A little outside of the cell that has the end of the edge is near enough.
        constexpr double outside = -0.5;
        if (hint != CutFace::none) look(hint, p, deepest, best);
        if (deepest > outside) return best;
        for (Index c = 0; c < lower_.size(); ++c)
            if (group_[c] == group)
                if (const Index own = part(c, side); own != CutFace::none && usable_[side > 0][own])
                    look(own, p, deepest, best);
        all_carried_ = all_carried_ && deepest > -HUGE_VAL;
        return best;
    }

    void carry_vertices() {
        for (std::size_t v = 0; v < y_.size(); ++v) {
            SkinVertex& vertex = skin_.vertices_[v];
            if (!chosen_[vertex.cell]) continue;
            const int group = group_[vertex.cell];
            const Index own = part(vertex.cell, side_[v]);
            if (own != CutFace::none)
                vertex.cell = own;
            else
                vertex = carried(y_[v], side_[v], group);
        }
    }

    int add(const SkinVertex& vertex) {
        skin_.vertices_.push_back(vertex);
        return static_cast<int>(skin_.vertices_.size()) - 1;
    }

    void add_points() {
        for (OnEdge& e : points_) {
            const int up = side_[at(e.a)] > 0 ? e.a : e.b, down = up == e.a ? e.b : e.a;
            e.above = add(carried(e.place, 1, e.group, skin_.vertices_[at(up)].cell));
            e.below = add(carried(e.place, -1, e.group, skin_.vertices_[at(down)].cell));
        }
    }

    void cut_triangles() {
        std::vector<Triangle> triangles;
        for (const Triangle& whole : skin_.triangles_) {
            if (!crosses(whole) || points_.empty() || !was_chosen(whole)) {
                triangles.push_back(whole);
                continue;
            }
            const Triangle t = turned(whole);
            const OnEdge &p = points_[at(point(t[0], t[1]))], &q = points_[at(point(t[0], t[2]))];
            const bool up = side_[at(t[0])] > 0;
            triangles.push_back({t[0], up ? p.above : p.below, up ? q.above : q.below});
            const int p_far = up ? p.below : p.above, q_far = up ? q.below : q.above;
            // The shorter diagonal of the rest.
            if (norm2(p.place - y_[at(t[2])]) < norm2(q.place - y_[at(t[1])])) {
                triangles.push_back({p_far, t[1], t[2]});
                triangles.push_back({p_far, t[2], q_far});
            } else {
                triangles.push_back({p_far, t[1], q_far});
                triangles.push_back({q_far, t[1], t[2]});
            }
        }
        skin_.triangles_ = std::move(triangles);
    }

    /// A triangle is cut where its edges have points: cells may have other numbers by now.
    bool was_chosen(const Triangle& t) const {
        const Triangle u = turned(t);
        const int p = point(u[0], u[1]);
        return p < static_cast<int>(points_.size()) && points_[at(p)].a == std::min(u[0], u[1]) &&
               points_[at(p)].b == std::max(u[0], u[1]);
    }

    void close_triangles() {
        for (const Cap& cap : caps_) {
            std::vector<int> above, below;
            for (const auto& [a, b] : cap.edges) {
                const OnEdge& e = points_[at(point(a, b))];
                above.push_back(e.above), below.push_back(e.below);
            }
            for (const Vec3& place : cap.made.inner) {
                above.push_back(add(carried(place, 1, cap.group)));
                below.push_back(add(carried(place, -1, cap.group)));
            }
            for (const Triangle& t : cap.made.triangles) {
                skin_.triangles_.push_back({below[at(t[0])], below[at(t[1])], below[at(t[2])]});
                skin_.triangles_.push_back({above[at(t[0])], above[at(t[2])], above[at(t[1])]});
            }
        }
    }

    /// Skin that hangs together is carried by cells that do: those that carry most of it. Near an edge
    /// between two cuts a vertex may have found a cell of a neighbour.
    void carry_together() {
        DisjointSets cells(solid_.cells().size()), skin(skin_.vertices_.size());
        for (const CutFace& face : solid_.faces())
            if (face.cells[1] != CutFace::none)
                cells.merge(static_cast<int>(face.cells[0]), static_cast<int>(face.cells[1]));
        for (const Triangle& t : skin_.triangles_) skin.merge(t[0], t[1]), skin.merge(t[0], t[2]);
        std::vector<std::array<int, 3>> uses;  // skin, cells, vertex
        for (int v = 0; v < static_cast<int>(skin_.vertices_.size()); ++v)
            uses.push_back({skin.root(v), cells.root(static_cast<int>(skin_.vertices_[at(v)].cell)), v});
        std::sort(uses.begin(), uses.end());
        const std::vector<Vec3> y = skin_.positions(solid_, x_after_);
        for (std::size_t i = 0, end = 0; i < uses.size(); i = end) {
            std::size_t most = 0;
            int home = 0;
            for (std::size_t j = i; j < uses.size() && uses[j][0] == uses[i][0]; j = end) {
                for (end = j; end < uses.size() && uses[end][0] == uses[j][0] && uses[end][1] == uses[j][1];)
                    ++end;
                if (end - j > most) most = end - j, home = uses[j][1];
            }
            for (std::size_t j = i; j < end; ++j) {
                if (uses[j][1] == home) continue;
                const std::size_t v = at(uses[j][2]);
                double deepest = -HUGE_VAL;
                for (Index c = 0; c < solid_.cells().size(); ++c)
                    if (cells.root(static_cast<int>(c)) == home) look(c, y[v], deepest, skin_.vertices_[v]);
            }
        }
    }

    void mark_parted(const CutOutcome& outcome) {
        stroke_.sides.resize(solid_.cells().size(), CutStroke::unknown);
        for (std::size_t c = 0; c < outcome.cell_parents.size(); ++c)
            if (chosen_[outcome.cell_parents[c]]) stroke_.sides[c] = 0;
    }

    CutSkin& skin_;
    CutSolid& solid_;
    CutSheet sheet_;
    std::span<const Vec3> x_;
    CutStroke& stroke_;
    std::vector<Vec3> y_, x_after_;
    std::vector<int> side_;
    std::vector<std::uint8_t> chosen_;  ///< cells
    std::vector<OnEdge> points_;
    std::vector<int> group_;  ///< of cells
    std::vector<Cap> caps_;
    std::vector<int> cell_side_;
    std::vector<Index> lower_;
    bool all_carried_ = true;
    std::array<std::vector<std::uint8_t>, 2> usable_;  ///< cells below, above
};

CutOutcome CutSkin::cut(CutSolid& solid, const BladeSheet& blade, std::span<const Vec3> x,
                        CutStroke& stroke) {
    auto finer = refined(solid, CutSheet(blade), x);
    CutSkin next = finer ? std::move(*finer) : *this;
    CutOutcome outcome = SkinRound(next, solid, blade, x, stroke).run();
    if (outcome.cuts > 0) *this = std::move(next);
    return outcome;
}

}  // namespace plush
