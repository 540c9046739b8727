#include <algorithm>

#include "geometry/cutting/cut_round.hpp"

// A sheet that is laid through cells before they are divided. Sides and crossings are found once, so that a
// cut that is made cell by cell, while the body moves, is one surface in the material.

namespace plush {

void CutSolid::lay(const BladeSheet& blade, std::span<const Vec3> x, std::span<const std::uint8_t> cells,
                   CutStroke& stroke) {
    CutRound round(*this, blade, x, stroke);
    round.only(cells);
    round.lay();
}

/// A cut that has ended in the points of an edge or a face goes on from there, and the ends of edges that it
/// has divided stay on their sides.
void CutSolid::forget_ahead(std::span<const Vec3> x, std::span<const std::uint8_t> cells,
                            std::span<const Index> divided, const std::function<bool(const Vec3&)>& ahead,
                            CutStroke& laid) const {
    laid.sides.resize(points_.size(), CutStroke::unknown);
    std::vector<std::uint8_t> opened(uncut_.tets().size(), 0), on_cut(points_.size(), 0);
    for (const Index c : divided) opened[cells_[c].tet] = 1;
    for (const CutCell& cell : cells_)
        for (std::size_t f = 0; opened[cell.tet] && f < cell.faces.size(); ++f)
            for (const Index p : faces_[cell.faces[f]].points) on_cut[p] = laid.sides[p] == 0;
    std::vector<std::uint8_t> stays = on_cut, concerned(points_.size(), 0);
    for (const CutFace& face : faces_)
        for (std::size_t i = 0; i < face.points.size(); ++i) {
            const Index p = face.points[i], q = face.points[(i + 1) % face.points.size()];
            if (on_cut[p]) stays[q] = 1;
            if (on_cut[q]) stays[p] = 1;
            if (cells[face.cells[0]]) concerned[p] = 1;
        }
    const std::vector<Vec3> y = point_positions(x);
    for (std::size_t p = 0; p < y.size(); ++p)
        if (concerned[p] && !stays[p] && ahead(y[p])) laid.sides[p] = CutStroke::unknown;
    std::erase_if(laid.passed, [&](const CutStroke::Passed& e) {
        return laid.sides[e.a] == CutStroke::unknown || laid.sides[e.b] == CutStroke::unknown;
    });
}

CutOutcome CutSolid::cut_laid(std::span<const Vec3> x, std::span<const std::uint8_t> cells, bool bent,
                              const SkinCells& skin_cells, CutStroke& stroke) {
    CutRound round(*this, BladeSheet{}, x, stroke);
    round.only(cells);
    round.along_laid(bent);
    return finish(round, skin_cells, stroke);
}

int CutSolid::side_of(Index c, const CutStroke& laid) const {
    bool above = false, below = false;
    for (const Index f : cells_[c].faces)
        for (const Index p : faces_[f].points) {
            if (p >= laid.sides.size() || laid.sides[p] == CutStroke::unknown) return CutStroke::unknown;
            above = above || laid.sides[p] > 0, below = below || laid.sides[p] < 0;
        }
    return above == below ? 0 : above ? 1 : -1;
}

bool CutSolid::is_crossed(const CutFace& face, const CutStroke& laid) const {
    bool above = false, below = false;
    for (const Index p : face.points) {
        if (p >= laid.sides.size() || laid.sides[p] == CutStroke::unknown) return false;
        above = above || laid.sides[p] > 0, below = below || laid.sides[p] < 0;
    }
    return above == below;
}

std::vector<std::uint32_t> CutSolid::crossed_cells(const CutStroke& laid) const {
    std::vector<Index> crossed;
    for (Index c = 0; c < cells_.size(); ++c)
        if (side_of(c, laid) == 0) crossed.push_back(c);
    for (const CutFace& face : faces_) {
        if (face.cells[1] == CutFace::none || !is_crossed(face, laid)) continue;
        if (side_of(face.cells[0], laid) * side_of(face.cells[1], laid) >= 0) continue;
        crossed.insert(crossed.end(), face.cells.begin(), face.cells.end());
    }
    std::sort(crossed.begin(), crossed.end());
    crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
    return crossed;
}

std::vector<std::array<double, 4>> CutSolid::crossings_of(Index c, const CutStroke& laid) const {
    const Tet& tet = uncut_.tets()[cells_[c].tet];
    std::vector<std::array<double, 4>> all;
    const auto add = [&](Index a, Index b, double t) {
        auto& w = all.emplace_back();
        for (std::size_t k = 0; k < 4; ++k) {
            const Index v = static_cast<Index>(tet[k]);
            w[k] = (1 - t) * weight_of(a, v) + t * weight_of(b, v);
        }
    };
    const std::vector<Index> points = points_of(cells_[c]);
    for (const Index p : points)
        if (laid.sides[p] == 0) add(p, p, 0);
    for (const Index p : points) {  // edges are sorted by their first points
        auto e = std::lower_bound(laid.passed.begin(), laid.passed.end(), p,
                                  [](const CutStroke::Passed& edge, Index a) { return edge.a < a; });
        for (; e != laid.passed.end() && e->a == p; ++e)
            if (std::binary_search(points.begin(), points.end(), e->b)) add(e->a, e->b, e->at);
    }
    return all;
}

}  // namespace plush
