#pragma once

#include "geometry/mesh/bvh.hpp"
#include "world/body_store.hpp"
#include "world/by_body.hpp"

// The surfaces that queries see: the drawn triangles of every body, deformable ones where their vertices are now, with a
// bounding hierarchy over them where one was asked for. All of it is a cache. A surface without a hierarchy that is up to
// date is searched triangle by triangle, to the same answer.

namespace plush {

/// Balls (one vertex) or capsules (two): what ropes, particles and point clouds are to a query.
struct BeadSurface {
    std::span<const Vec3> positions{};
    std::span<const std::array<int, 2>> edges{};  ///< empty: each position is a ball
    double radius = 0;
    std::size_t size() const { return edges.empty() ? positions.size() : edges.size(); }
    std::array<std::size_t, 2> ends(std::size_t i) const {
        if (edges.empty()) return {i, i};
        return {static_cast<std::size_t>(edges[i][0]), static_cast<std::size_t>(edges[i][1])};
    }
};

/// Triangles to search, in the world's frame for deformable bodies and in the body's for others.
struct SurfaceTriangles {
    std::span<const Vec3> positions{};
    std::span<const Triangle> triangles{};
    const Bvh* hierarchy = nullptr;  ///< null: test all of them
    std::vector<Vec3> deformed{};    ///< the positions, where nobody else keeps them

    std::optional<TriangleHit> ray(const Vec3& origin, const Vec3& direction, double far) const {
        return hierarchy ? hierarchy->ray(positions, triangles, origin, direction, far)
                         : first_hit(positions, triangles, origin, direction, far);
    }
    std::optional<ClosestPoint> closest(const Vec3& p, double max_distance2) const {
        return hierarchy ? hierarchy->closest(positions, triangles, p, max_distance2)
                         : closest_of(positions, triangles, p, max_distance2);
    }
};

/// Whether its triangles are what it is to a query; else that is its distance (half-spaces and analytic shapes).
bool is_queried_by_triangles(const BodyRecord& record);
bool is_beads(const BodyRecord& record);
BeadSurface beads_of(const BodyRecord& record);
/// Of SurfacePoint::triangle.
std::span<const Triangle> queried_triangles(const BodyRecord& record);
/// Where the corners of those triangles were at rest, or are in the frame of a body with a pose.
std::span<const Vec3> local_corners(const BodyRecord& record);

class QuerySurfaces {
public:
    explicit QuerySurfaces(const BodyStore& bodies) : bodies_(bodies) {}

    void enable(bool enabled) { enabled_ = enabled; }
    bool enabled() const { return enabled_; }
    void update(const Parallel& parallel);
    SurfaceTriangles triangles(std::uint32_t body) const;

    void forget_body(std::uint32_t body) { of_body_.reset(body); }
    /// Another state was restored.
    void forget() { of_body_ = {}; }

private:
    struct Hierarchy {
        std::shared_ptr<const Bvh> shared{};  ///< of a body with a pose
        Bvh own{};                            ///< of a deformable one
        std::vector<Vec3> positions{};        ///< that `own` was fitted to
        std::uint64_t version = 0;            ///< of the body then
        const void* surface = nullptr;        ///< the identity of its triangles then
    };
    void fit(std::uint32_t body, Hierarchy& to) const;
    bool is_fitted(std::uint32_t body) const;

    const BodyStore& bodies_;
    ByBody<Hierarchy> of_body_;
    bool enabled_ = false;
};

}  // namespace plush
