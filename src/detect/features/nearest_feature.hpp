#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "geometry/mesh/bvh.hpp"
#include "geometry/sdf/sdf_pseudonormals.hpp"

// The feature of a closed surface, a face, an edge or a corner, that is nearest to a point p. With c the
// nearest point, the sign of (p − c)·n, n the pseudonormal at c, tells whether p is inside. Of a surface that
// keeps its form pseudonormals are known beforehand; of one that deforms they are worked out where they are
// asked for, which is at few of its features.

namespace plush {

/// The triangles around each vertex of a surface, in rising order.
class FeatureFans {
public:
    FeatureFans() = default;
    FeatureFans(std::size_t vertices, std::span<const Triangle> triangles);
    std::size_t size() const { return first_.size() - 1; }
    std::span<const int> around(std::size_t vertex) const {
        PLUSH_ASSERT(vertex < size());
        return std::span(triangles_).subspan(first_[vertex], first_[vertex + 1] - first_[vertex]);
    }

private:
    std::vector<std::size_t> first_{0};
    std::vector<int> triangles_;
};

/// A closed surface where it is, by reference.
struct FeatureView {
    std::span<const Vec3> positions{};
    std::span<const Triangle> triangles{};
    const Bvh* bvh = nullptr;
    const FeatureFans* fans = nullptr;
    const Pseudonormals* normals = nullptr;  ///< where they are known

    /// As Pseudonormals::at().
    Vec3 normal(int triangle, const Vec3& weights) const;
    /// Of unit length; zero where there is no area.
    Vec3 face_normal(int triangle) const { return normal(triangle, {1, 1, 1}); }
    Vec3 vertex_normal(std::size_t vertex) const;
    /// A third of the triangles around it, m².
    double vertex_area(std::size_t vertex) const;
    Vec3 corner(int triangle, std::size_t k) const {
        PLUSH_ASSERT(triangle >= 0 && static_cast<std::size_t>(triangle) < triangles.size() && k < 3);
        return positions[static_cast<std::size_t>(triangles[static_cast<std::size_t>(triangle)][k])];
    }
};

struct NearFeature {
    Vec3 point{};  ///< of the surface
    int triangle = 0;
    Vec3 weights{};  ///< barycentric; exact zeros on edges and corners
    Vec3 normal{};   ///< out of the surface, unit: of the face, or along the way from an edge or a corner
    double gap = 0;  ///< m, negative inside
};

/// The nearest to p, where one is no farther than this.
std::optional<NearFeature> nearest_feature(const FeatureView& view, const Vec3& p, double farthest);

/// Of the faces that a normal m faces, the nearest that p lies above or below. Above the rim of a face the
/// wall beside it may be nearest, which a vertex with that normal cannot touch.
std::optional<NearFeature> nearest_faced(const FeatureView& view, const Vec3& p, const Vec3& m,
                                         double farthest);

}  // namespace plush
