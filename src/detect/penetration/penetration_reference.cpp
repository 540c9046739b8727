#include <algorithm>

#include "core/assert.hpp"
#include "detect/penetration/penetration.hpp"

// Stages 1 and 2 as the paper has them. Points lie in cells; each tet asks the points of the cells that its
// box overlaps. Edges from points inside to points outside lie in the cells that they pass; each outer face
// of a penetrated object asks the edges of the cells that it cuts (its box, and its plane against each cell).
// Of several crossings of an edge that nearest to the point outside counts; of equal ones the lowest face.
//
// Edges and faces of a body that has burst may be millions of cells long. Cells are then made larger until an
// edge passes a few of them on average, and a face that would look into more cells than there are entries
// asks all edges: the answers are the same.

namespace plush {
namespace {

// Cells are taken as this much larger when a face is tested against them, in units of a cell: an edge and a
// face that meet on the border of two cells must meet in one of them whatever is rounded.
constexpr double cell_slack = 1e-9;

constexpr std::size_t pieces_per_task = 8;

/// How many cells an edge may pass on average. Edges of sound meshes pass about three.
constexpr double max_cells_per_edge = 64;

bool plane_cuts(const Vec3& n, const Vec3& on_plane, const Box3& box) {
    const Vec3 half = box.size() * 0.5;
    const double reach = std::abs(n.x) * half.x + std::abs(n.y) * half.y + std::abs(n.z) * half.z;
    return std::abs(dot(n, box.centre() - on_plane)) <= reach;
}

}  // namespace

void PenetrationSearch::find_points_by_cells(const Parallel& parallel) {
    find_points(parallel, [&](std::size_t begin, std::size_t end, std::vector<Found>& found) {
        for (std::size_t i = begin; i < end; ++i) {
            const Piece& piece = tet_pieces_[i];
            const std::uint32_t o = piece.object;
            for (std::uint32_t t = piece.begin; t < piece.end; ++t) {
                const Tet& tet = objects_[o].shape->tets()[t];
                const Vec3 &a = x(o, tet[0]), &b = x(o, tet[1]), &c = x(o, tet[2]), &d = x(o, tet[3]);
                const Vec3 low = min(min(a, b), min(c, d)), high = max(max(a, b), max(c, d));
                const double slack = inside_tolerance * max_component(high - low);
                const Box3 box = Box3{low, high}.grown(slack);
                std::array<double, 4> weights{};
                cells_.stretches(cells_.cell_of(box.low), cells_.cell_of(box.high),
                                 [&](std::uint32_t from, std::uint32_t to) {
                                     for (const std::uint32_t p : cells_.items().subspan(from, to - from)) {
                                         const std::uint32_t owner = owner_[p], v = p - base_[owner];
                                         if (owner == o && (!objects_[o].self ||
                                                            std::find(tet.begin(), tet.end(),
                                                                      static_cast<int>(v)) != tet.end()))
                                             continue;
                                         if (point_in_tet(x(owner, v), a, b, c, d, weights))
                                             found.push_back({p, o, t});
                                     }
                                 });
            }
        }
    });
}

void PenetrationSearch::find_crossings_by_cells(const DepthOptions& options, const Parallel& parallel) {
    collect_edges();
    bin_edges();
    face_hits_.resize((face_pieces_.size() + pieces_per_task - 1) / pieces_per_task);
    parallel.chunks(face_pieces_.size(), pieces_per_task, [&](std::size_t begin, std::size_t end) {
        std::vector<FaceHit>& hits = face_hits_[begin / pieces_per_task];
        hits.clear();
        for (std::size_t i = begin; i < end; ++i)
            if (penetrated_[face_pieces_[i].object]) test_faces(face_pieces_[i], hits);
    });
    for (const auto& list : face_hits_)
        for (const FaceHit& hit : list) {
            Edge& edge = edges_[hit.edge];
            const bool better = hit.crossing.t > edge.t || (hit.crossing.t == edge.t && hit.face < edge.face);
            if (better) edge.t = hit.crossing.t, edge.face = hit.face, edge.weights = hit.crossing.weights;
        }
    crossings_.clear();
    for (const Edge& edge : edges_) {
        if (edge.t < 0) continue;
        const Penetration& r = records_[edge.record];
        const Vec3 &p = x(r.owner, r.point), &q = x(r.owner, edge.outside);
        crossings_.push_back({edge.record, edge.outside, edge.face, p + edge.t * (q - p),
                              normal_at(r.object, edge.face, edge.weights, options.normals)});
    }
}

void PenetrationSearch::collect_edges() {
    edges_.clear();
    for (std::uint32_t i = 0; i < records_.size(); ++i) {
        const Penetration& r = records_[i];
        for (const std::uint32_t v : objects_[r.owner].shape->around(r.point))
            if (!record_of(r.owner, v, r.object)) edges_.push_back({i, v});
    }
}

void PenetrationSearch::bin_edges() {
    Box3 box;
    double length = 0;  // along the three axes
    for (const Edge& edge : edges_) {
        const Penetration& r = records_[edge.record];
        const Vec3 &p = x(r.owner, r.point), &q = x(r.owner, edge.outside), way = abs(q - p);
        box.add(p);
        box.add(q);
        length += way.x + way.y + way.z;
    }
    const double max_length = max_cells_per_edge * cells_.cell_size() * static_cast<double>(edges_.size());
    const double cell = cells_.cell_size() * std::max(1.0, length / std::max(max_length, 1e-300));
    edge_cells_.begin(cells_.kind(), box, cell, edges_.size());
    const auto each = [&](auto&& act) {
        for (std::uint32_t e = 0; e < edges_.size(); ++e) {
            const Penetration& r = records_[edges_[e].record];
            edge_cells_.along(x(r.owner, r.point), x(r.owner, edges_[e].outside),
                              [&](const Cell& c) { act(edge_cells_.place_of(c), e); });
        }
    };
    each([&](std::uint32_t place, std::uint32_t) { edge_cells_.count(place); });
    edge_cells_.finish_count();
    each([&](std::uint32_t place, std::uint32_t e) { edge_cells_.put(place, e); });
}

void PenetrationSearch::test_faces(const Piece& piece, std::vector<FaceHit>& hits) const {
    const double slack = cell_slack * edge_cells_.cell_size();
    for (std::uint32_t f = piece.begin; f < piece.end; ++f) {
        const Triangle& face = objects_[piece.object].shape->faces()[f];
        const Vec3 &a = x(piece.object, face[0]), &b = x(piece.object, face[1]),
                   &c = x(piece.object, face[2]), n = cross(b - a, c - a);
        const Box3 box = Box3{min(min(a, b), c), max(max(a, b), c)}.grown(slack);
        const Cell low = edge_cells_.cell_of(box.low), high = edge_cells_.cell_of(box.high);
        if (CellIndex::cells_between(low, high) > static_cast<double>(edge_cells_.items().size()) + 64) {
            for (std::uint32_t e = 0; e < edges_.size(); ++e) test_edge(piece.object, f, e, hits);
            continue;
        }
        for (Cell cell = low; cell.z <= high.z; ++cell.z)
            for (cell.y = low.y; cell.y <= high.y; ++cell.y)
                for (cell.x = low.x; cell.x <= high.x; ++cell.x) {
                    const auto here = edge_cells_.items(edge_cells_.place_of(cell));
                    if (here.empty() || !plane_cuts(n, a, edge_cells_.box_of(cell).grown(slack))) continue;
                    for (const std::uint32_t e : here) test_edge(piece.object, f, e, hits);
                }
    }
}

void PenetrationSearch::test_edge(std::uint32_t o, std::uint32_t f, std::uint32_t e,
                                  std::vector<FaceHit>& hits) const {
    PLUSH_ASSERT(e < edges_.size());
    const Penetration& r = records_[edges_[e].record];
    if (r.object != o) return;
    const Triangle& face = objects_[o].shape->faces()[f];
    if (r.owner == o && (touches(face, r.point) || touches(face, edges_[e].outside))) return;
    FaceHit hit{e, f, {}};
    if (cross_face(x(r.owner, r.point), x(r.owner, edges_[e].outside), x(o, face[0]), x(o, face[1]),
                   x(o, face[2]), hit.crossing))
        hits.push_back(hit);
}

}  // namespace plush
