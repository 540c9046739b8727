#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "detect/penetration/cell_index.hpp"
#include "detect/penetration/crossing.hpp"
#include "detect/penetration/tet_shape.hpp"
#include "geometry/mesh/function_ref.hpp"

// Consistent penetration depth: Heidelberger, Teschner, Keiser, Müller, Gross, Consistent penetration depth
// estimation for deformable collision response, 2004. Of each vertex p of a tet mesh that is inside another
// object, or inside another part of its own: the depth d and the way out r.
//
//     1  colliding points      p in a tet of the object                       ● colliding      ○ not
//     2  border points         ● next to ○, and where the edge ●–○ leaves:        n
//                              of several faces the one nearest to ○          ○───┼─x──● border
//     3  border depths         ω = 1/|x_i − p|²                                   |    │
//                              d = Σ ω (x_i − p)·n_i / Σ ω,  r ∥ Σ ω n_i      ○───┼────●────● level 1
//     4  the others            μ = 1/|p_j − p|², level by level from the border
//                              d = Σ μ ((p_j − p)·r_j + d_j) / Σ μ,  r ∥ Σ μ r_j
//
// (The slides print the first power of the distance for ω; the square is the paper's.) All is by pairs of a
// point and a penetrated object: edges cross that object's surface only, and levels run among the points in
// it. An edge without a crossing makes no border point. Interpolated normals can make d negative: it is then
// 0. Within one object, tets that own the point and faces at an end of the edge are left out. Points without
// a way to a border, as those of an object wholly inside another, have no depth: level −1.
//
// Each level is made from the one before alone, sums run in the order of the vertices, and lists are joined
// in the order of objects and tets, so the bits depend neither on the order of work nor on the threads.

namespace plush {

class TetWalk;
struct DepthSums;

struct TetObject {
    const TetShape* shape = nullptr;
    std::span<const Vec3> x{};  ///< world, m
    bool self = false;          ///< whether its points may collide with its own tets
};

/// A point in an object.
struct Penetration {
    std::uint32_t owner = 0, point = 0;  ///< the object of the point, and its vertex
    std::uint32_t object = 0, tet = 0;   ///< the one that it is in; of several tets the first
    std::array<double, 4> weights{};     ///< of the tet's corners at the point
    Vec3 direction{};                    ///< unit, out of the object; zero where nothing is known
    double depth = 0;                    ///< m, never negative
    int level = -1;                      ///< 0 for border points, then counted inward; −1: no depth known
};

/// Where an edge from a border point to a point outside leaves the object.
struct Crossing {
    std::uint32_t record = 0;   ///< the border point's place in the list of penetrations
    std::uint32_t outside = 0;  ///< the vertex at the other end
    std::uint32_t face = 0;     ///< of the object's shape
    Vec3 point{}, normal{};     ///< world
};

struct DepthOptions {
    DepthMethod method = DepthMethod::consistent;
    DepthNormals normals = DepthNormals::interpolated;
    DepthCells cells = DepthCells::dense;
    double cell_edges = 1;  ///< the side of a cell in mean edges of the tets; 1 to 1.5 is fastest
    /// Stages 1 and 2 as the paper has them, cell by cell, instead of the fast path with the same answer.
    bool reference = false;
};

/// Seconds of the last search.
struct DepthTimes {
    double cells = 0, points = 0, edges = 0, border = 0, propagation = 0;
    double total() const { return cells + points + edges + border + propagation; }
};

class PenetrationSearch {
public:
    /// Whether the points of one object may collide with another, by their places in the list. Asked from
    /// several threads at once.
    using MayTouch = FunctionRef<bool(std::uint32_t owner, std::uint32_t object)>;

    /// All penetrations, by owner, point and object. Shapes must live as long as they are in the list of two
    /// successive searches. Positions must be finite.
    std::span<const Penetration> find(std::span<const TetObject> objects, const DepthOptions& options,
                                      const Parallel& parallel, MayTouch may_touch);
    std::span<const Penetration> find(std::span<const TetObject> objects, const DepthOptions& options,
                                      const Parallel& parallel) {
        return find(objects, options, parallel, [](std::uint32_t, std::uint32_t) { return true; });
    }

    std::span<const Penetration> penetrations() const { return records_; }
    /// Of the last search with the consistent method, in the order of penetrations() and of vertices. The
    /// objects must still be where they were.
    std::vector<Crossing> crossings() const;
    const DepthTimes& times() const { return times_; }
    /// The first record of a vertex; those of the vertex end where the next one's begin.
    std::span<const Penetration> at(std::uint32_t owner, std::uint32_t point) const {
        PLUSH_ASSERT(owner + 1 < base_.size() && point < base_[owner + 1] - base_[owner]);
        const std::size_t v = base_[owner] + point;
        return std::span(records_).subspan(first_[v], first_[v + 1] - first_[v]);
    }

private:
    /// Work for one turn of a loop: some tets, or faces, of one object.
    struct Piece {
        std::uint32_t object, begin, end;
    };
    struct Found {
        std::uint32_t point;  ///< counted over all objects
        std::uint32_t object, tet;
    };
    /// An edge from a point inside to one outside, and the best crossing so far.
    struct Edge {
        std::uint32_t record, outside;
        double t = -1;
        std::uint32_t face = 0;
        Vec3 weights{};
    };
    /// Of some pieces of tets.
    struct FoundList {
        std::vector<Found> found;
        std::uint32_t first = 0, last = 0;  ///< of the points
    };
    /// Points next to each other in the count over all objects, and what was found of them.
    struct PointRange {
        std::uint32_t begin, end;
        std::size_t kept = 0, first = 0;  ///< of all that is kept: how much is here, and from where on
        std::vector<Found> found;
    };
    /// A crossing of the fast path: its place follows from its face.
    struct Exit {
        std::uint32_t record, outside, face;
    };
    struct FaceHit {
        std::uint32_t edge, face;
        FaceCrossing crossing;
    };

    void begin(std::span<const TetObject> objects, const DepthOptions& options, const Parallel& parallel);
    void sort_found(const Parallel& parallel, MayTouch may_touch);
    void sort_range(PointRange& range, MayTouch may_touch);
    void make_record(std::size_t i);
    void prepare_penetrated(const DepthOptions& options, const Parallel& parallel);
    /// Calls find(begin, end, list) for some pieces of tets at a time.
    template <class Find>
    void find_points(const Parallel& parallel, Find&& find) {
        constexpr std::size_t pieces_per_task = 8;
        found_.resize((tet_pieces_.size() + pieces_per_task - 1) / pieces_per_task);
        parallel.chunks(tet_pieces_.size(), pieces_per_task, [&](std::size_t begin, std::size_t end) {
            FoundList& list = found_[begin / pieces_per_task];
            list.found.clear();
            find(begin, end, list.found);
            list.first = ~std::uint32_t{0}, list.last = 0;
            for (const Found& f : list.found)
                list.first = std::min(list.first, f.point), list.last = std::max(list.last, f.point);
        });
    }
    // the reference path
    void find_points_by_cells(const Parallel& parallel);
    void find_crossings_by_cells(const DepthOptions& options, const Parallel& parallel);
    void collect_edges();
    void bin_edges();
    void test_faces(const Piece& piece, std::vector<FaceHit>& hits) const;
    void test_edge(std::uint32_t object, std::uint32_t face, std::uint32_t edge,
                   std::vector<FaceHit>& hits) const;
    // the fast path
    void find_points_in_packs(const Parallel& parallel);
    /// Points that some tets test together, and which of them may be in which.
    struct NearPoints {
        struct Doubtful {
            std::uint32_t tet, owner, vertex;
        };
        std::vector<std::uint32_t> place;  ///< in the order of the cells
        std::size_t count = 0;
        std::vector<Doubtful> doubtful;
    };
    struct TetPack;
    struct FloatBox;
    template <class Visit>
    void stretches(const FloatBox& box, Visit&& visit) const;
    template <class Visit>
    void others(std::uint32_t object, std::uint32_t from, std::uint32_t to, Visit&& visit) const;
    bool gather_near(std::uint32_t object, const FloatBox& box, NearPoints& near) const;
    void ask_tets(std::uint32_t object, std::uint32_t begin, std::uint32_t end, NearPoints& near,
                  std::vector<Found>& found) const;
    void ask_tet(std::uint32_t object, std::uint32_t tet, const TetPack& pack, std::uint32_t lane,
                 NearPoints& near) const;
    void ask_later(std::uint32_t tet, std::uint32_t place, NearPoints& near) const;
    void ask_exactly(std::uint32_t object, NearPoints& near, std::vector<Found>& found) const;
    double depths_by_walks(DepthNormals kind, const Parallel& parallel);
    void find_exits(std::size_t begin, std::size_t end, std::vector<Exit>& list);
    bool best_exit(const Penetration& record, const TetWalk& walk, Exit& exit) const;
    bool look_for_exit(const Penetration& record, const FaceCrossing* first, Exit& exit) const;
    bool crosses(const Penetration& record, const Exit& exit, FaceCrossing& crossing) const;
    struct BorderTerms;
    void border_terms(std::span<const Exit> exits, BorderTerms& terms) const;
    bool border_term(Exit& exit, DepthNormals kind, DepthSums& sums) const;
    void border_depths_in_packs(DepthNormals kind, std::vector<Exit>& list);
    // stages 3 and 4
    void border_depths();
    void propagate(const Parallel& parallel);
    void propagate_among(std::span<const std::uint32_t> inner);
    // the baselines
    void closest_features(const Parallel& parallel);
    void vertex_normals(const Parallel& parallel);

    const Vec3& x(std::uint32_t object, std::uint32_t vertex) const { return objects_[object].x[vertex]; }
    const Vec3& x(std::uint32_t object, int vertex) const {
        return objects_[object].x[static_cast<std::size_t>(vertex)];
    }
    Vec3 normal_at(std::uint32_t object, std::uint32_t face, const Vec3& weights, DepthNormals kind) const;
    const Penetration* record_of(std::uint32_t owner, std::uint32_t point, std::uint32_t object) const {
        const std::uint32_t v = base_[owner] + point;

        PLUSH_ASSERT(v < base_[owner + 1]);
        for (std::uint32_t i = first_[v]; i < first_[v + 1]; ++i)
            if (inside_[i].object == object) return &records_[i];
        return nullptr;
    }
    static void finish(Penetration& record, const DepthSums& sums, int level);
    static bool touches(const Triangle& face, std::uint32_t v) {
        const int i = static_cast<int>(v);
        return face[0] == i || face[1] == i || face[2] == i;
    }

    std::vector<TetObject> objects_;
    std::vector<std::uint32_t> base_;   ///< the first point of each object, and the end
    std::vector<std::uint32_t> owner_;  ///< of each point
    std::vector<Piece> tet_pieces_, face_pieces_;
    CellIndex cells_, edge_cells_;
    std::vector<std::array<float, 4>> places_;  ///< of points from the cells' corner, times scale_
    std::vector<float> px_, py_, pz_;           ///< the same in the order of the cells
    double scale_ = 1;                          ///< a power of two that makes all of them at most 1
    std::vector<std::uint32_t> sorted_owner_, place_;
    std::vector<FoundList> found_;
    std::vector<PointRange> ranges_;
    std::vector<std::uint32_t> first_, next_;
    std::vector<Found> inside_;  ///< what the records are made of, one for one: an eighth of their size
    std::vector<Penetration> records_;
    std::vector<std::uint8_t> penetrated_, convex_;  ///< of each object
    std::vector<Vec3> normals_;                      ///< of the points of penetrated objects
    std::vector<Bvh> trees_;
    std::vector<const TetShape*> tree_shapes_;
    std::vector<Edge> edges_;
    std::vector<std::vector<FaceHit>> face_hits_;
    std::vector<Crossing> crossings_;       ///< of the reference path
    std::vector<std::vector<Exit>> exits_;  ///< of the fast path
    std::vector<std::vector<std::uint32_t>> inner_of_task_;
    std::vector<std::uint32_t> inner_;  ///< records without a border edge, rising
    DepthNormals exit_normals_ = DepthNormals::interpolated;
    DepthTimes times_;
};

}  // namespace plush
