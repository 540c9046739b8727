#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "detect/depth_images/cluster_cells.hpp"
#include "detect/depth_images/oriented_box.hpp"
#include "geometry/mesh/embedding.hpp"
#include "plush/geometry/mesh.hpp"

// A surface cut into small patches, so that whatever cannot matter is thrown away in patches and never
// touched. Triangles are put in Morton order of their centres (Morton 1966) and cut where the code changes
// most until no piece has more than 64; a piece keeps its own list of vertices, each once, so that a patch
// that matters is posed and snapped vertex by vertex and not corner by corner.
//
// The cut is made once a mesh. What changes as a body moves are the boxes around the patches: refitted to
// moved vertices, kept in the body's own frame where it is rigid, and taken from the coarse vertices where
// the surface is embedded, in which case only patches that matter are ever deformed. Rigid surfaces have
// boxes along axes of their own too, which fit better, and cells within their clusters.

namespace plush {

/// Whether every edge is used as often in one direction as in the other: then the crossings of any line add
/// up to zero.
bool is_closed(std::size_t vertices, std::span<const Triangle> triangles);

class LazyPatches;

class SurfaceClusters {
public:
    static constexpr std::size_t max_triangles = 64;

    struct Cluster {
        std::uint32_t first_triangle = 0, triangles = 0;
        std::uint32_t first_vertex = 0, vertices = 0;  ///< at most 192
    };
    /// The corners of a triangle in its cluster's list of vertices.
    using Corners = std::array<std::uint8_t, 3>;

    SurfaceClusters() = default;
    SurfaceClusters(std::span<const Vec3> positions, std::span<const Triangle> triangles);

    std::span<const Cluster> clusters() const { return clusters_; }
    /// Of all clusters, one after the other.
    std::span<const Corners> corners() const { return corners_; }
    std::span<const std::uint32_t> vertices() const { return vertices_; }
    /// The number that a triangle has in the mesh.
    std::uint32_t triangle_id(std::size_t t) const { return triangle_ids_[t]; }
    /// The cluster of a triangle.
    std::uint32_t cluster_of(std::size_t t) const { return cluster_of_[t]; }
    /// Where its corners stand among vertices().
    std::array<std::uint32_t, 3> triangle_places(std::size_t t) const {
        PLUSH_ASSERT(t < corners_.size());
        const std::uint32_t first = clusters_[cluster_of_[t]].first_vertex;
        const Corners k = corners_[t];
        return {first + k[0], first + k[1], first + k[2]};
    }
    std::array<std::uint32_t, 3> triangle_vertices(std::size_t t) const {
        const auto at = triangle_places(t);
        return {vertices_[at[0]], vertices_[at[1]], vertices_[at[2]]};
    }

    /// As is_closed(): what lies beyond may be culled.
    bool closed() const { return closed_; }
    double mean_edge() const { return mean_edge_; }  ///< m, when it was cut

private:
    std::vector<Cluster> clusters_;
    std::vector<Corners> corners_;
    std::vector<std::uint32_t> vertices_, triangle_ids_, cluster_of_;
    bool closed_ = true;
    double mean_edge_ = 0;
};

/// Boxes around the clusters of a surface, and around groups of neighbours among them.
struct ClusterBounds {
    /// Neighbours in Morton order that are rejected together.
    static constexpr std::size_t group = 16;
    /// With more groups than this there are blocks of them too, and blocks of blocks, until there are fewer.
    static constexpr std::size_t max_groups = 512;

    std::vector<Box3> boxes, groups;
    /// Around so many groups each, then around so many of those, before any box was fitted; none where there
    /// are few groups.
    std::vector<std::vector<Box3>> blocks;
    /// Of a surface that stays as it is: around the clusters, the groups, the blocks, and so on.
    std::vector<std::vector<OrientedBox>> oriented_boxes;
    std::vector<ClusterCells> cells;  ///< of its clusters
    Box3 all;
    Box3 steady_all;  ///< the same before any box was fitted
    /// Of an embedded surface, and of one that stays as it is: where the vertices of its clusters are, in the
    /// order of their lists, where a byte here is 1.
    std::vector<Vec3> points;
    std::vector<std::uint8_t> ordered;
    /// The groups before any box was fitted; empty where none was. Where an image begins is told by these, so
    /// that nothing but what is thrown away depends on which boxes fit.
    std::vector<Box3> first_groups;
    const std::vector<Box3>& steady_groups() const { return first_groups.empty() ? groups : first_groups; }
    /// The largest boxes of all, which say roughly where the surface is.
    const std::vector<Box3>& outline() const { return blocks.empty() ? groups : blocks.back(); }
    const std::vector<Box3>& steady_outline() const {
        return blocks.empty() ? steady_groups() : blocks.back();
    }
    /// Clusters are level 0, groups 1, and so on up to the outline.
    static constexpr std::size_t max_levels = 8;  ///< 32 bits of triangles
    std::size_t outline_level() const { return 1 + blocks.size(); }
    const std::vector<Box3>& level(std::size_t l) const {
        PLUSH_ASSERT(l <= outline_level());
        return l == 0 ? boxes : l == 1 ? groups : blocks[l - 2];
    }

    /// Around vertices at these positions.
    void refit(const SurfaceClusters& surface, std::span<const Vec3> positions);
    /// Around the vertices of a surface that never changes: they are put in the order of the clusters.
    void settle(const SurfaceClusters& surface, std::span<const Vec3> positions);
    /// Groups, blocks and all from the boxes.
    void gather();
};

/// Which coarse vertices carry which cluster of an embedded surface. A point Σ w_j x_j with Σ w_j = 1 lies in
/// the box of its x_j, made wider about its centre by Σ |w_j|.
class ClusterCages {
public:
    ClusterCages() = default;
    ClusterCages(const SurfaceClusters& surface, const Embedding& embedding);
    void refit(std::span<const Vec3> coarse, ClusterBounds& bounds) const;
    /// Deforms those clusters whose boxes meet one of these, and fits their boxes to them: the coarse
    /// vertices around a patch leave it much room. What is thrown away by boxes changes, and no result.
    void tighten(const SurfaceClusters& surface, std::span<const Vec3> coarse, std::span<const Box3> near,
                 ClusterBounds& bounds) const;

private:
    std::vector<std::uint32_t> first_{0}, cage_vertices_;
    std::vector<double> widths_;
    // The weights of the clusters' vertices in the order of their lists: they are walked through, and the
    // embedding's own lie anywhere.
    std::vector<std::uint32_t> first_weight_{0};
    std::vector<Embedding::Entry> weights_;
};

/// Where a surface is now, by reference: rigid (positions at rest, and a pose), deformed (positions as they
/// are) or embedded (positions of the coarse vertices). The boxes are in the frame of the positions.
struct SurfaceView {
    const SurfaceClusters* surface = nullptr;
    std::span<const Vec3> positions{};
    const ClusterBounds* bounds = nullptr;
    Transform pose{};
    const Embedding* embedding = nullptr;
    const LazyPatches* patches = nullptr;  ///< where there are any, less of it is drawn

    /// In the frame of the pose.
    Vec3 vertex(std::uint32_t v) const { return embedding ? embedding->at(v, positions) : positions[v]; }
    /// Whether the vertices of a cluster stand in order.
    bool in_order(std::size_t cluster) const {
        return cluster < bounds->ordered.size() && bounds->ordered[cluster];
    }
    std::array<Vec3, 3> triangle(std::size_t t) const {
        const auto at = surface->triangle_places(t);
        if (in_order(surface->cluster_of(t)))
            return {bounds->points[at[0]], bounds->points[at[1]], bounds->points[at[2]]};
        const auto v = surface->vertices();
        return {vertex(v[at[0]]), vertex(v[at[1]]), vertex(v[at[2]])};
    }
    /// f(i, x) for all vertices of a cluster, in the order of its list.
    template <class F>
    void each_vertex(std::size_t cluster, F&& f) const {
        PLUSH_ASSERT(cluster < surface->clusters().size());
        const SurfaceClusters::Cluster& c = surface->clusters()[cluster];
        const auto ids = surface->vertices().subspan(c.first_vertex, c.vertices);
        if (in_order(cluster))
            for (std::size_t i = 0; i < ids.size(); ++i) f(i, bounds->points[c.first_vertex + i]);
        else if (!embedding)
            for (std::size_t i = 0; i < ids.size(); ++i) f(i, positions[ids[i]]);
        else
            for (std::size_t i = 0; i < ids.size(); ++i) f(i, embedding->at(ids[i], positions));
    }
};

}  // namespace plush
