#include "geometry/cutting/cut_solid.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "geometry/cutting/polygon_triangles.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/tets/tet_topology.hpp"

// The complex of cells as it is: made of tets, measured, and turned into what a body needs. How it is cut:
// cut_round.cpp; how points and corners are doubled: cut_doubling.cpp.

namespace plush {
namespace {

std::size_t at(int i) {
    return static_cast<std::size_t>(i);
}

}  // namespace

void visit_state(StateVisitor& v, CutFace& f) {
    v(f.points, f.cells);
}
void visit_state(StateVisitor& v, CutCell& c) {
    v(c.tet, c.corners, c.faces);
}
void visit_state(StateVisitor& v, CutStroke& s) {
    v(s.blade, s.sides, s.passed, s.beside, s.normal, s.bent);
}

CutSolid::CutSolid(TetMesh uncut) : uncut_(std::move(uncut)) {
    const auto tets = uncut_.tets();
    const std::size_t count = uncut_.positions().size();
    origin_.resize(count);
    std::iota(origin_.begin(), origin_.end(), 0u);
    for (const Index v : origin_) points_.push_back({{v, 0, 0, 0}, {1, 0, 0, 0}});
    auto neighbours = tet_neighbours(tets);
    for (std::size_t t = 0; t < tets.size(); ++t)  // a third tet at a face hangs on to nobody
        for (int& other : neighbours[t]) {
            if (other < 0) continue;
            const auto& back = neighbours[at(other)];
            if (std::find(back.begin(), back.end(), static_cast<int>(t)) == back.end()) other = -1;
        }
    cells_.resize(tets.size());
    for (Index t = 0; t < tets.size(); ++t) {
        cells_[t].tet = t;
        for (std::size_t k = 0; k < 4; ++k) cells_[t].corners[k] = static_cast<Index>(tets[t][k]);
        for (std::size_t k = 0; k < 4; ++k) {
            const int other = neighbours[t][k];
            if (other >= 0 && static_cast<Index>(other) < t) continue;  // that one has made it
            CutFace face;
            for (const std::size_t c : face_opposite[k]) face.points.push_back(cells_[t].corners[c]);
            face.cells[0] = t;
            if (other >= 0) face.cells[1] = static_cast<Index>(other);
            const Index index = static_cast<Index>(faces_.size());
            for (const Index c : face.cells)
                if (c != CutFace::none) cells_[c].faces.push_back(index);
            faces_.push_back(std::move(face));
        }
    }
}

std::vector<CutSolid::Index> CutSolid::points_of(const CutCell& cell) const {
    std::vector<Index> all;
    for (const Index f : cell.faces) all.insert(all.end(), faces_[f].points.begin(), faces_[f].points.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

double CutSolid::weight_of(Index point, Index uncut_vertex) const {
    const CutPoint& p = points_[point];
    for (std::size_t k = 0; k < 4; ++k)
        if (p.vertex[k] == uncut_vertex && p.weight[k] != 0) return p.weight[k];
    return 0;
}

bool CutSolid::has_vertex(const CutCell& cell, std::size_t corner) const {
    const Index v = static_cast<Index>(uncut_.tets()[cell.tet][corner]);
    for (const Index f : cell.faces)
        for (const Index p : faces_[f].points)
            if (weight_of(p, v) == 1) return true;
    return false;
}

/// Where points are; those of no cell are left where the origin is.
std::vector<Vec3> CutSolid::point_positions(std::span<const Vec3> x) const {
    std::vector<Vec3> y(points_.size());
    std::vector<std::uint8_t> known(points_.size(), 0);
    for (const CutFace& face : faces_) {
        const CutCell& cell = cells_[face.cells[0]];
        const Tet& tet = uncut_.tets()[cell.tet];
        for (const Index p : face.points) {
            if (std::exchange(known[p], std::uint8_t{1})) continue;
            for (std::size_t k = 0; k < 4; ++k)
                if (const double w = weight_of(p, static_cast<Index>(tet[k])); w != 0)
                    y[p] += w * x[cell.corners[k]];
        }
    }
    return y;
}

TetMesh CutSolid::tets() const {
    std::vector<Vec3> positions;
    for (const Index v : origin_) positions.push_back(uncut_.positions()[v]);
    std::vector<Tet> tets;
    for (const CutCell& cell : cells_) {
        Tet tet;
        for (std::size_t k = 0; k < 4; ++k) tet[k] = static_cast<int>(cell.corners[k]);
        tets.push_back(tet);
    }
    return TetMesh(std::move(positions), std::move(tets));
}

/// The integrals of the four barycentric weights over a cell, as parts of its tet's volume, by tets from the
/// mean of its points to its faces; their sum is the cell's share.
std::array<double, 4> CutSolid::integrals(const CutCell& cell, double& share) const {
    using Weights = std::array<double, 4>;
    const Tet& tet = uncut_.tets()[cell.tet];
    const auto weights = [&](Index p) {
        Weights w;
        for (std::size_t k = 0; k < 4; ++k) w[k] = weight_of(p, static_cast<Index>(tet[k]));
        return w;
    };
    const auto place = [](const Weights& w) { return Vec3{w[1], w[2], w[3]}; };
    const auto mean_of = [&](std::span<const Index> points) {
        Weights mean{};
        for (const Index p : points)
            for (std::size_t k = 0; k < 4; ++k) mean[k] += weights(p)[k] / static_cast<double>(points.size());
        return mean;
    };
    const Weights middle = mean_of(points_of(cell));
    const Vec3 o = place(middle);
    Weights sums{};
    share = 0;
    const Index self = static_cast<Index>(&cell - cells_.data());
    for (const Index f : cell.faces) {
        const CutFace& face = faces_[f];
        const double outward = face.cells[0] == self ? 1 : -1;
        // About the mean of its points: a face that is not quite flat is the same to both sides.
        const Weights a = mean_of(face.points);
        for (std::size_t i = 0; i < face.points.size(); ++i) {
            const Weights b = weights(face.points[i]), c = weights(face.points[(i + 1) % face.points.size()]);
            const double part = outward * dot(cross(place(a) - o, place(b) - o), place(c) - o);
            share += part;
            for (std::size_t k = 0; k < 4; ++k) sums[k] += part * (middle[k] + a[k] + b[k] + c[k]) / 4;
        }
    }
    return sums;
}

double CutSolid::depth_of(Index c, const std::array<double, 4>& weight) const {
    const CutCell& cell = cells_[c];
    const Tet& tet = uncut_.tets()[cell.tet];
    double depth = std::min({weight[0], weight[1], weight[2], weight[3]});
    const auto place = [&](Index p) {
        const auto w = [&](std::size_t k) { return weight_of(p, static_cast<Index>(tet[k])); };
        return Vec3{w(1), w(2), w(3)};
    };
    for (const Index f : cell.faces) {
        const CutFace& face = faces_[f];
        const bool of_tet = std::any_of(tet.begin(), tet.end(), [&](int v) {
            return std::all_of(face.points.begin(), face.points.end(),
                               [&](Index p) { return weight_of(p, static_cast<Index>(v)) == 0; });
        });
        if (of_tet) continue;
        Vec3 normal{};  // twice the area
        const Vec3 o = place(face.points[0]);
        for (std::size_t i = 1; i + 1 < face.points.size(); ++i)
            normal += cross(place(face.points[i]) - o, place(face.points[i + 1]) - o);
        if (!(norm(normal) > 0)) continue;
        const double inward = face.cells[0] == c ? -1 : 1;
        depth =
            std::min(depth, inward * dot(normal, Vec3{weight[1], weight[2], weight[3]} - o) / norm(normal));
    }
    return depth;
}

std::vector<double> CutSolid::shares() const {
    std::vector<double> shares(cells_.size());
    for (std::size_t c = 0; c < cells_.size(); ++c) integrals(cells_[c], shares[c]);
    return shares;
}

std::vector<double> CutSolid::vertex_volumes() const {
    std::vector<double> volumes(vertices(), 0.0);
    const auto x = uncut_.positions();
    for (const CutCell& cell : cells_) {
        const Tet& t = uncut_.tets()[cell.tet];
        const Vec3& o = x[at(t[0])];
        const double volume = dot(cross(x[at(t[1])] - o, x[at(t[2])] - o), x[at(t[3])] - o) / 6;
        double share = 0;
        const auto parts = integrals(cell, share);
        for (std::size_t k = 0; k < 4; ++k) volumes[cell.corners[k]] += volume * parts[k];
    }
    return volumes;
}

Mesh CutSolid::surface(Embedding& weights) const {
    std::vector<Vec3> rest(vertices());
    for (std::size_t v = 0; v < rest.size(); ++v) rest[v] = uncut_.positions()[origin_[v]];
    const std::vector<Vec3> y = point_positions(rest);
    std::vector<int> number(points_.size(), -1);
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;
    std::vector<Index> owners;  // cells
    for (const CutFace& face : faces_) {
        if (face.cells[1] != CutFace::none) continue;
        for (const Index p : face.points) {
            if (number[p] >= 0) continue;
            number[p] = static_cast<int>(positions.size());
            positions.push_back(y[p]);
            owners.push_back(face.cells[0]);
        }
        for (const Triangle& t : polygon_triangles(face.points, y))
            triangles.push_back({number[at(t[0])], number[at(t[1])], number[at(t[2])]});
    }
    std::vector<std::array<Embedding::Entry, 4>> rows(positions.size());
    for (Index p = 0; p < points_.size(); ++p) {
        if (number[p] < 0) continue;
        const CutCell& cell = cells_[owners[at(number[p])]];
        for (std::size_t k = 0; k < 4; ++k)
            rows[at(number[p])][k] = {cell.corners[k],
                                      weight_of(p, static_cast<Index>(uncut_.tets()[cell.tet][k]))};
    }
    weights = Embedding::of_rows(rows);
    return Mesh(std::move(positions), std::move(triangles));
}

std::vector<std::uint8_t> CutSolid::real_vertices() const {
    std::vector<std::uint8_t> real(vertices(), 0);
    for (const CutCell& cell : cells_)
        for (std::size_t k = 0; k < 4; ++k)
            if (!real[cell.corners[k]] && has_vertex(cell, k)) real[cell.corners[k]] = 1;
    return real;
}

std::size_t CutSolid::pieces() const {
    DisjointSets sets(cells_.size());
    for (const CutFace& face : faces_)
        if (face.cells[1] != CutFace::none)
            sets.merge(static_cast<int>(face.cells[0]), static_cast<int>(face.cells[1]));
    std::size_t count = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c)
        count += sets.root(static_cast<int>(c)) == static_cast<int>(c);
    return count;
}

bool CutSolid::sound() const {
    const auto all_below = [](const auto& values, std::size_t size) {
        return std::all_of(values.begin(), values.end(), [&](Index i) { return i < size; });
    };
    const std::size_t uncut = uncut_.positions().size();
    if (origin_.size() < uncut || !all_below(origin_, uncut) || cells_.size() < uncut_.tets().size())
        return false;
    for (const CutPoint& p : points_)
        if (!all_below(p.vertex, uncut) ||
            !std::all_of(p.weight.begin(), p.weight.end(), [](double w) { return w >= 0 && w <= 1; }))
            return false;
    for (const CutFace& f : faces_)
        if (f.points.size() < 3 || !all_below(f.points, points_.size()) || f.cells[0] >= cells_.size() ||
            (f.cells[1] != CutFace::none && f.cells[1] >= cells_.size()))
            return false;
    for (const CutCell& c : cells_)
        if (c.tet >= uncut_.tets().size() || c.faces.size() < 4 || !all_below(c.faces, faces_.size()) ||
            !all_below(c.corners, origin_.size()))
            return false;
    return true;
}

}  // namespace plush
