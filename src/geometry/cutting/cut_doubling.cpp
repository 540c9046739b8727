#include <algorithm>
#include <numeric>

#include "geometry/cutting/cut_round.hpp"
#include "geometry/mesh/topology.hpp"

// After cells were divided: what they share no longer. Two cells share a point, or a corner of their tets,
// where one leads to the other over faces that both have. Who does not reach the first gets a double.

namespace plush {
namespace {

int as_int(std::size_t i) {
    return static_cast<int>(i);
}

/// 0, 1, 2, …
std::vector<std::uint32_t> counted(std::size_t count) {
    std::vector<std::uint32_t> all(count);
    std::iota(all.begin(), all.end(), 0u);
    return all;
}

}  // namespace

CutOutcome CutSolid::cut(const BladeSheet& blade, std::span<const Vec3> x, CutStroke& stroke) {
    CutRound round(*this, blade, x, stroke);
    return finish(round, {}, stroke);
}

CutOutcome CutSolid::finish(CutRound& round, const SkinCells& skin_cells, CutStroke& stroke) {
    CutOutcome outcome;
    outcome.cell_parents = counted(cells_.size());
    outcome.vertex_parents = counted(vertices());
    outcome.cuts = round.run(outcome.cell_parents);
    if (outcome.cuts == 0) return outcome;
    if (skin_cells) glue(round.opened(), skin_cells(outcome.cell_parents));
    double_points(stroke);
    double_corners(outcome.vertex_parents);
    return outcome;
}

/// Faces that a cut has just opened are closed again around connected parts without material.
void CutSolid::glue(std::span<const std::pair<Index, Index>> opened, std::span<const std::uint8_t> carries) {
    DisjointSets sets(cells_.size());
    for (const CutFace& face : faces_)
        if (face.cells[1] != CutFace::none) sets.merge(as_int(face.cells[0]), as_int(face.cells[1]));
    std::vector<std::uint8_t> useful(cells_.size(), 0);
    for (std::size_t c = 0; c < cells_.size(); ++c)
        if (carries[c]) useful[static_cast<std::size_t>(sets.root(as_int(c)))] = 1;
    const auto bare = [&](Index cell) { return !useful[static_cast<std::size_t>(sets.root(as_int(cell)))]; };
    std::vector<std::uint8_t> gone(faces_.size(), 0);
    for (const auto& [a, b] : opened) {
        const Index upper = faces_[a].cells[0], lower = faces_[b].cells[0];
        if (!bare(upper) && !bare(lower)) continue;
        faces_[a].cells[1] = lower;
        std::replace(cells_[lower].faces.begin(), cells_[lower].faces.end(), b, a);
        gone[b] = 1;
    }
    std::vector<Index> name(faces_.size());
    Index count = 0;
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        name[f] = count;
        if (gone[f]) continue;
        if (count != f) faces_[count] = std::move(faces_[f]);
        ++count;
    }
    faces_.resize(count);
    for (CutCell& cell : cells_)
        for (Index& f : cell.faces) f = name[f];
}

void CutSolid::double_points(CutStroke& stroke) {
    // The points of each cell, one cell after the other.
    std::vector<std::size_t> first{0};
    std::vector<Index> points;
    for (const CutCell& cell : cells_) {
        const std::vector<Index> own = points_of(cell);
        points.insert(points.end(), own.begin(), own.end());
        first.push_back(points.size());
    }
    const auto place = [&](Index cell, Index point) {
        const auto begin = points.begin() + static_cast<std::ptrdiff_t>(first[cell]),
                   end = points.begin() + static_cast<std::ptrdiff_t>(first[cell + 1]);
        return as_int(static_cast<std::size_t>(std::lower_bound(begin, end, point) - points.begin()));
    };
    DisjointSets sets(points.size());
    for (const CutFace& face : faces_)
        if (face.cells[1] != CutFace::none)
            for (const Index p : face.points) sets.merge(place(face.cells[0], p), place(face.cells[1], p));
    constexpr Index none = CutFace::none;
    std::vector<Index> name(points.size(), none);  // of roots
    std::vector<std::uint8_t> taken(points_.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (sets.root(as_int(i)) != as_int(i)) continue;  // the lowest of a set is its root
        const Index p = points[i];
        name[i] = p;
        if (!std::exchange(taken[p], std::uint8_t{1})) continue;
        name[i] = static_cast<Index>(points_.size());
        const CutPoint copy = points_[p];
        points_.push_back(copy);
        stroke.sides.push_back(stroke.sides[p]);
        if (!stroke.beside.empty()) stroke.beside.push_back(stroke.beside[p]);
    }
    for (CutFace& face : faces_)
        for (Index& p : face.points) p = name[static_cast<std::size_t>(sets.root(place(face.cells[0], p)))];
}

void CutSolid::double_corners(std::vector<Index>& vertex_parents) {
    DisjointSets sets(4 * cells_.size());
    for (const CutFace& face : faces_) {
        if (face.cells[1] == CutFace::none) continue;
        const Tet &a = uncut_.tets()[cells_[face.cells[0]].tet],
                  &b = uncut_.tets()[cells_[face.cells[1]].tet];
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j)
                if (a[i] == b[j]) sets.merge(as_int(4 * face.cells[0] + i), as_int(4 * face.cells[1] + j));
    }
    // A vertex stays with the material it is in, where there is some.
    constexpr Index none = CutFace::none;
    std::vector<Index> name(4 * cells_.size(), none);  // of roots
    std::vector<std::uint8_t> taken(vertices(), 0);
    for (const bool real : {true, false})
        for (std::size_t i = 0; i < name.size(); ++i) {
            const CutCell& cell = cells_[i / 4];
            const Index v = cell.corners[i % 4];
            Index& of_root = name[static_cast<std::size_t>(sets.root(as_int(i)))];
            if (of_root != none || taken[v] || (real && !has_vertex(cell, i % 4))) continue;
            taken[v] = 1;
            of_root = v;
        }
    for (std::size_t i = 0; i < name.size(); ++i) {
        Index& of_root = name[static_cast<std::size_t>(sets.root(as_int(i)))];
        if (of_root != none) continue;
        const Index v = cells_[i / 4].corners[i % 4];
        of_root = static_cast<Index>(origin_.size());
        origin_.push_back(origin_[v]);
        vertex_parents.push_back(v);
    }
    for (std::size_t i = 0; i < name.size(); ++i)
        cells_[i / 4].corners[i % 4] = name[static_cast<std::size_t>(sets.root(as_int(i)))];
}

}  // namespace plush
