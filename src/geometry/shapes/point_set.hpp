#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// The points of a surface that are tested against other bodies' distances: balls of one radius (0 for the
/// vertices of a mesh), in space order, in a tree of balls that can be rejected as one.
struct PointSet {
    /// A run of points and a ball around it. The balls form a binary tree, stored so that a ball's first
    /// child follows it; `skip` is where a walk goes on that leaves this ball out.
    struct Ball {
        Vec3 centre;
        double radius;
        std::uint32_t first, count;
        std::uint32_t skip;
        bool leaf;
    };

    std::vector<Vec3> positions;
    std::vector<Vec3> normals;  ///< outward; empty where the points are balls
    double radius = 0;
    std::vector<Ball> tree;  ///< empty where points move apart: then each is tested
    /// True where these points alone find every contact with a distance (a ball by its centre).
    bool complete = false;

    bool empty() const { return positions.empty(); }

    /// Points with a radius and no normals.
    static PointSet balls(std::vector<Vec3> centres, double radius);
    /// The vertices of a mesh with their angle-weighted normals.
    static PointSet vertices(const Mesh& mesh);
    static PointSet with_normals(std::vector<Vec3> positions, std::vector<Vec3> normals);
};

/// Angle-weighted vertex normals (Thürmer & Wüthrich 1998), unit length.
std::vector<Vec3> vertex_normals(const Mesh& mesh);

}  // namespace plush
