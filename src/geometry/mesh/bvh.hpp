#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "geometry/mesh/function_ref.hpp"
#include "plush/geometry/mesh.hpp"

// A binary tree of axis-aligned boxes over the triangles of a mesh: built once, refitted when vertices move.
// Queries are pure: they allocate nothing and may run from several threads. Positions must be finite when the
// tree is built.

namespace plush {

/// Where a ray meets a triangle of a mesh.
struct TriangleHit {
    double t;      ///< the hit is at origin + t·direction
    int triangle;  ///< index; the lowest one where several triangles are hit at the same t
    Vec3 weights;  ///< barycentric weights of the hit on the triangle's corners
};

struct ClosestPoint {
    Vec3 point;
    double distance2;
    int triangle;  ///< index; the lowest one where several triangles are equally close
    Vec3 weights;  ///< barycentric; exact zeros where the point lies on an edge or a corner
};

/// The point of triangle abc that is closest to p, as barycentric weights; exact zeros where the point lies
/// on an edge or a corner. Any triangle will do, one of zero area too.
Vec3 closest_weights(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

// The same answers as a tree gives, bit for bit, without one: every triangle is tested.
std::optional<TriangleHit> first_hit(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                     const Vec3& origin, const Vec3& direction, double t_max);
std::optional<ClosestPoint> closest_of(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                       const Vec3& p, double max_distance2 = HUGE_VAL);

class Bvh {
public:
    Bvh() = default;
    Bvh(std::span<const Vec3> positions, std::span<const Triangle> triangles);

    /// New boxes for moved vertices; same topology.
    void refit(std::span<const Vec3> positions, std::span<const Triangle> triangles);

    Box3 bounds() const { return nodes_.empty() ? Box3{} : nodes_[0].box; }

    /// The first hit with 0 ≤ t ≤ t_max, of either side of the surface. Watertight: a ray that crosses a
    /// closed surface at an edge or a vertex hits at least one of the triangles there.
    std::optional<TriangleHit> ray(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                   const Vec3& origin, const Vec3& direction, double t_max) const;

    /// The closest point nearer than sqrt(max_distance2).
    std::optional<ClosestPoint> closest(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                        const Vec3& p, double max_distance2 = HUGE_VAL) const;

    /// Calls visit(triangle) for each triangle whose box overlaps `box`.
    void overlaps(const Box3& box, FunctionRef<void(int)> visit) const;

    /// Calls visit(i, j), i < j, once for each pair of different triangles whose boxes overlap.
    void self_overlaps(FunctionRef<void(int, int)> visit) const;

    /// The same, as long as visit(i, j) returns true. Whether it got to the end.
    bool self_overlaps_while(FunctionRef<bool(int, int)> visit) const;

    /// Calls visit(i, j) for each triangle i of this tree and j of `other` whose boxes overlap.
    void overlaps(const Bvh& other, FunctionRef<void(int, int)> visit) const;

    /// A node holds a box and either two children (`first` and `first + 1`) or the items
    /// [first, first + count) of the order. Children stand behind their parent.
    struct Node {
        Box3 box;
        std::int32_t first = 0;
        std::int32_t count = 0;  ///< 0 for an inner node
    };

    // The tree itself, for traversals of a kind that is not offered above.
    std::span<const Node> nodes() const { return nodes_; }
    std::span<const std::int32_t> order() const { return order_; }
    std::span<const Box3> boxes() const { return boxes_; }

private:
    std::vector<Node> nodes_;
    std::vector<std::int32_t> order_;
    std::vector<Box3> boxes_;  ///< of each triangle, in the order of the leaves
};

}  // namespace plush
