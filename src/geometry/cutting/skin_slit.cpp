#include "geometry/cutting/skin_slit.hpp"

#include <algorithm>
#include <cmath>

#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

DisjointSets joined_cells(const CutSolid& solid) {
    DisjointSets sets(solid.cells().size());
    for (const CutFace& face : solid.faces())
        if (face.cells[1] != CutFace::none)
            sets.merge(static_cast<int>(face.cells[0]), static_cast<int>(face.cells[1]));
    return sets;
}

}  // namespace

CutOutcome SkinSlit::open(std::span<const std::uint8_t> passed) {
    const std::size_t cells = solid_.cells().size();
    const std::size_t solids = solid_.pieces(), skins = skin_.pieces(solid_);
    way_.sides.resize(skin_.vertices_.size(), 0);
    std::vector<std::uint8_t> chosen(cells, 0);
    for (std::size_t i = 0; i < passed.size(); ++i) chosen[way_.cells[i]] = passed[i];
    CutSolid before = solid_;
    CutOutcome outcome = solid_.cut_laid(
        x_, chosen, way_.bent != 0,
        [&](std::span<const Index> parents) { return find_skin_cells(parents, cells); }, way_.laid);
    // Cells that cannot be divided hold the tets together, and not the skin.
    const bool begun =
        std::any_of(way_.divided.begin(), way_.divided.end(), [](std::uint8_t d) { return d != 0; });
    if (outcome.cuts == 0 && !begun) return outcome;
    outcome.cuts = std::max<std::size_t>(outcome.cuts, 1);
    way_.divided.assign(passed.begin(), passed.end());
    for (const Index v : outcome.vertex_parents) x_after_.push_back(x_[v]);
    find_sides(outcome, cells);
    find_usable();
    find_free_points(passed);
    open_walls();
    carry_vertices();
    carry_together();
    // A tip that lies between the points of the cage may find no tets of its own, and tets may part where the
    // skin does not.
    if (!all_attached_ || (solid_.pieces() > solids && skin_.pieces(solid_) == skins)) {
        solid_ = std::move(before);
        return {};
    }
    return outcome;
}

/// Which cells have a vertex of the skin.
std::vector<std::uint8_t> SkinSlit::find_skin_cells(std::span<const Index> parents, std::size_t cells) {
    lower_.assign(cells, CutFace::none);
    for (std::size_t c = cells; c < parents.size(); ++c) lower_[parents[c]] = static_cast<Index>(c);
    std::vector<std::uint8_t> carries(parents.size(), 0);
    for (std::size_t v = 0; v < skin_.vertices_.size(); ++v) {
        const Index cell = skin_.vertices_[v].cell;
        if (way_.sides[v] >= 0 || lower_[cell] == CutFace::none) carries[cell] = 1;
        if (way_.sides[v] <= 0 && lower_[cell] != CutFace::none) carries[lower_[cell]] = 1;
    }
    return carries;
}

void SkinSlit::find_sides(const CutOutcome& outcome, std::size_t cells) {
    lower_.assign(solid_.cells().size(), CutFace::none);
    for (std::size_t c = cells; c < outcome.cell_parents.size(); ++c)
        lower_[outcome.cell_parents[c]] = static_cast<Index>(c);
    for (Index c = 0; c < solid_.cells().size(); ++c) cell_side_.push_back(solid_.side_of(c, way_.laid));
}

/// Cells that are connected with a vertex of the skin on their side.
void SkinSlit::find_usable() {
    DisjointSets sets = joined_cells(solid_);
    std::array<std::vector<std::uint8_t>, 2> has;
    for (auto& list : has) list.assign(solid_.cells().size(), 0);
    const auto root = [&](Index c) { return at(sets.root(static_cast<int>(c))); };
    for (std::size_t v = 0; v < way_.sides.size(); ++v) {
        if (way_.sides[v] == 0) continue;
        const Index own = part(skin_.vertices_[v].cell, way_.sides[v]);
        if (own != CutFace::none) has[way_.sides[v] > 0][root(own)] = 1;
    }
    for (const std::size_t up : {0u, 1u})
        for (Index c = 0; c < solid_.cells().size(); ++c) usable_[up].push_back(has[up][root(c)]);
}

/// The part of a cell on a side, or nothing. What is not divided yet carries both.
SkinSlit::Index SkinSlit::part(Index cell, int side) const {
    if (lower_[cell] != CutFace::none) return side > 0 ? cell : lower_[cell];
    return cell_side_[cell] == 0 || cell_side_[cell] == side ? cell : CutFace::none;
}

/// A vertex at a place, in that cell of a side in which it is deepest. Copies of tets lie in one another:
/// those of other parts may hold the place as well.
SkinVertex SkinSlit::carried(const Vec3& p, int side) {
    SkinVertex best;
    double deepest = -HUGE_VAL;
    for (Index c = 0; c < cell_side_.size(); ++c)
        if ((cell_side_[c] == side || cell_side_[c] == 0) && usable_[side > 0][c])
            deepest = best.look(solid_, x_after_, c, p, deepest);
    all_attached_ = all_attached_ && deepest > -HUGE_VAL;
    return best;
}

void SkinSlit::find_edges() {
    std::vector<std::array<int, 3>> all;  // with the place in a wall
    for (std::size_t w = 0; w < way_.walls.size(); ++w)
        for (std::size_t i = 0; i < 3; ++i) {
            const int a = way_.walls[w][i], b = way_.walls[w][(i + 1) % 3];
            all.push_back({std::min(a, b), std::max(a, b), static_cast<int>(3 * w + i)});
        }
    std::sort(all.begin(), all.end());
    edge_of_.resize(all.size());
    on_outline_.assign(way_.points.size(), 0);
    for (const auto& [a, b, place] : all) {
        if (edges_.empty() || edges_.back().a != a || edges_.back().b != b) edges_.push_back({a, b, 0, 0});
        ++edges_.back().walls;
        edge_of_[at(place)] = static_cast<int>(edges_.size()) - 1;
    }
    for (const Edge& e : edges_)
        if (e.walls == 1) on_outline_[at(e.a)] = on_outline_[at(e.b)] = 1;
}

/// Points in cells that the blade has passed, and those without which an edge would have four triangles, or a
/// point two fans of them.
void SkinSlit::find_free_points(std::span<const std::uint8_t> passed) {
    const bool all = std::all_of(passed.begin(), passed.end(), [](std::uint8_t p) { return p != 0; });
    for (const SkinWay::Point& point : way_.points) {
        const auto place = std::lower_bound(way_.cells.begin(), way_.cells.end(), point.at.cell);
        const std::size_t c = static_cast<std::size_t>(place - way_.cells.begin());
        free_.push_back(all || (c < passed.size() && *place == point.at.cell && passed[c]));
    }
    find_edges();
    while (free_more()) {
    }
}

bool SkinSlit::free_more() {
    const std::size_t points = way_.points.size();
    open_ = way_.opened;
    full_.assign(points, 1);
    std::vector<int> fronts(points, 0), on_skin(points, 0);
    std::vector<std::uint8_t> begun(points, 0);
    for (Edge& e : edges_) e.open = 0;
    for (std::size_t w = 0; w < way_.walls.size(); ++w) {
        for (const int p : way_.walls[w]) open_[w] = open_[w] || free_[at(p)];
        for (const int p : way_.walls[w]) (open_[w] ? begun : full_)[at(p)] = open_[w];
        for (std::size_t i = 0; i < 3; ++i) edges_[at(edge_of_[3 * w + i])].open += open_[w];
    }
    bool more = false;
    for (const Edge& e : edges_) {
        if (e.open == 0) continue;
        if (e.open < e.walls)
            ++fronts[at(e.a)], ++fronts[at(e.b)];
        else if (!full_[at(e.a)] && !full_[at(e.b)])
            free_[at(e.a)] = 1, more = true;
        if (e.walls == 1) ++on_skin[at(e.a)], ++on_skin[at(e.b)];
    }
    for (std::size_t p = 0; p < points; ++p) {
        if (full_[p] || !begun[p] || free_[p]) continue;
        if (on_outline_[p] ? fronts[p] == 1 && on_skin[p] == 1 : fronts[p] == 2) continue;
        free_[p] = 1, more = true;
    }
    return more;
}

int SkinSlit::add(const SkinVertex& vertex, int side) {
    skin_.vertices_.push_back(vertex);
    way_.sides.push_back(static_cast<std::int8_t>(side));
    return static_cast<int>(skin_.vertices_.size()) - 1;
}

void SkinSlit::open_walls() {
    double_points(full_);
    for (std::size_t w = 0; w < way_.walls.size(); ++w) {
        if (!open_[w] || way_.opened[w]) continue;
        way_.opened[w] = 1;
        std::array<int, 3> above{}, below{};
        for (std::size_t i = 0; i < 3; ++i) {
            SkinWay::Point& p = way_.points[at(way_.walls[w][i])];
            if (p.above < 0) p.above = p.below = add(p.at, 0);
            above[i] = p.above, below[i] = p.below;
        }
        skin_.triangles_.push_back(below);
        skin_.triangles_.push_back({above[0], above[2], above[1]});
    }
}

/// What lies below at a point gets a vertex of its own. Every triangle there has a vertex with a side: a
/// corner of the skin, or a point that was doubled before.
void SkinSlit::double_points(std::span<const std::uint8_t> full) {
    std::vector<int> doubled(skin_.vertices_.size(), -1);
    std::vector<std::pair<int, int>> sided;
    for (std::size_t i = 0; i < full.size(); ++i) {
        SkinWay::Point& p = way_.points[i];
        if (!full[i] || (p.above >= 0 && p.above != p.below)) continue;
        if (p.above < 0) p.above = add(p.at, 0);
        const int copy = add(p.at, 0);
        if (at(p.above) < doubled.size()) doubled[at(p.above)] = copy;
        p.below = copy;
        sided.emplace_back(p.above, p.below);
    }
    for (Triangle& t : skin_.triangles_) {
        if (std::none_of(t.begin(), t.end(), [&](int v) { return way_.sides[at(v)] < 0; })) continue;
        for (int& v : t)
            if (at(v) < doubled.size() && doubled[at(v)] >= 0) v = doubled[at(v)];
    }
    skin_.twins_.resize(skin_.vertices_.size(), -1);
    for (const auto& [above, below] : sided) {
        way_.sides[at(above)] = 1, way_.sides[at(below)] = -1;
        skin_.twins_[at(above)] = below, skin_.twins_[at(below)] = above;
    }
}

void SkinSlit::carry_vertices() {
    for (std::size_t v = 0; v < skin_.vertices_.size(); ++v) {
        SkinVertex& vertex = skin_.vertices_[v];
        const int side = way_.sides[v];
        if (side == 0) continue;
        if (const Index own = part(vertex.cell, side); own != CutFace::none)
            vertex.cell = own;
        else
            vertex = carried(vertex.place(solid_, x_after_), side);
    }
}

/// Connected skin is attached to connected cells: those that hold most of it. Near an edge between
/// two cuts a vertex may have found a cell of a neighbour.
void SkinSlit::carry_together() {
    DisjointSets cells = joined_cells(solid_), skin(skin_.vertices_.size());
    for (const Triangle& t : skin_.triangles_) skin.merge(t[0], t[1]), skin.merge(t[0], t[2]);
    std::vector<std::array<int, 3>> uses;  // skin, cells, vertex
    for (int v = 0; v < static_cast<int>(skin_.vertices_.size()); ++v)
        uses.push_back({skin.root(v), cells.root(static_cast<int>(skin_.vertices_[at(v)].cell)), v});
    std::sort(uses.begin(), uses.end());
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
            SkinVertex& vertex = skin_.vertices_[at(uses[j][2])];
            const Vec3 p = vertex.place(solid_, x_after_);
            double deepest = -HUGE_VAL;
            for (Index c = 0; c < solid_.cells().size(); ++c)
                if (cells.root(static_cast<int>(c)) == home)
                    deepest = vertex.look(solid_, x_after_, c, p, deepest);
        }
    }
}

}  // namespace plush
