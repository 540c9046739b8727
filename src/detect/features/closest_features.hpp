#pragma once

#include "detect/features/nearest_feature.hpp"
#include "detect/features/point_overlap.hpp"

// Contact points from the closest features of two triangle meshes, as proximity engines have them: each
// vertex with what is nearest to it of the other surface, and pairs of edges that pass each other. It is a
// baseline: what is farther inside than the reach of a step is not found, and the number of points grows with
// the number of triangles.

namespace plush {

/// A mesh with what proximity asks of it, in the frame of the mesh.
struct FeatureSurface {
    explicit FeatureSurface(Mesh m);

    /// An edge between two faces that meet at less than 180° inside: no other can be touched by an edge.
    struct Edge {
        int a, b;                ///< vertices, a < b
        Vec3 normal;             ///< of unit length, the mean of the two faces'
        std::array<Vec3, 2> in;  ///< from the edge into each face, of unit length
    };

    Mesh mesh;
    Bvh bvh;
    Pseudonormals normals;
    FeatureFans fans;
    bool closed;                       ///< false: it has no inside
    std::vector<Vec3> face_normals;    ///< of unit length
    std::vector<Vec3> vertex_normals;  ///< the same, weighted by angles
    std::vector<Edge> edges;
    std::vector<std::array<int, 3>> edges_of;  ///< of each triangle, −1 for those that are not convex

    FeatureView view() const { return {mesh.positions(), mesh.triangles(), &bvh, &fans, &normals}; }
};

/// A body with its features.
struct FeatureSide {
    const Body& body;
    const FeatureSurface& surface;
};

/// The vertices of a against b and those of b against a, each with the nearest, and the edges of a with all
/// of b that they pass. Appends to `hits`; an edge has the number of vertices more than its own as its point,
/// the same for all that it passes.
void find_feature_hits(const FeatureSide& a, const FeatureSide& b, const Reach& reach,
                       std::vector<PointHit>& hits);

/// The same for these vertices and edges alone, in their order.
void measure_features(const FeatureSide& a, const FeatureSide& b, const Reach& reach,
                      std::span<const PointName> names, std::vector<PointHit>& hits);

}  // namespace plush
