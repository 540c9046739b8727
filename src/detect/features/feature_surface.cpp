#include <algorithm>

#include "detect/depth_images/surface_clusters.hpp"
#include "detect/features/closest_features.hpp"

// The edges of a mesh that others can touch. An edge is convex where each of its faces goes down from the
// other one's plane; flat ones, such as the diagonals of a box, and valleys are left out.

namespace plush {
namespace {

/// The sine of the angle below which two faces count as one.
constexpr double flat = 1e-6;

struct HalfEdge {
    int low, high, triangle, corner;  ///< the edge goes from this corner to the next
};

Vec3 corner_of(const Mesh& mesh, int triangle, int corner) {
    const Triangle& t = mesh.triangles()[static_cast<std::size_t>(triangle)];
    return mesh.positions()[static_cast<std::size_t>(t[static_cast<std::size_t>(corner % 3)])];
}

/// Within the face, away from its edge.
Vec3 into_face(const Mesh& mesh, const HalfEdge& e) {
    const Vec3 from = corner_of(mesh, e.triangle, e.corner);
    const Vec3 along = normalised(corner_of(mesh, e.triangle, e.corner + 1) - from);
    const Vec3 across = corner_of(mesh, e.triangle, e.corner + 2) - from;
    return normalised(across - along * dot(across, along));
}

}  // namespace

FeatureSurface::FeatureSurface(Mesh m)
    : mesh(std::move(m)),
      bvh(mesh.positions(), mesh.triangles()),
      normals(mesh),
      fans(mesh.positions().size(), mesh.triangles()),
      closed(is_closed(mesh.positions().size(), mesh.triangles())),
      vertex_normals(mesh.positions().size()),
      edges_of(mesh.triangles().size(), {-1, -1, -1}) {
    std::vector<HalfEdge> halves;
    for (std::size_t t = 0; t < mesh.triangles().size(); ++t) {
        const Triangle& f = mesh.triangles()[t];
        const auto triangle = static_cast<int>(t);
        face_normals.push_back(normals.at(triangle, {1, 1, 1}));
        for (std::size_t c = 0; c < 3; ++c) {
            Vec3 corner;
            corner[c] = 1;
            vertex_normals[static_cast<std::size_t>(f[c])] = normalised(normals.at(triangle, corner), Vec3{});
            halves.push_back({std::min(f[c], f[(c + 1) % 3]), std::max(f[c], f[(c + 1) % 3]), triangle,
                              static_cast<int>(c)});
        }
    }
    std::sort(halves.begin(), halves.end(), [](const HalfEdge& x, const HalfEdge& y) {
        return std::tie(x.low, x.high, x.triangle) < std::tie(y.low, y.high, y.triangle);
    });
    for (std::size_t k = 0; k + 1 < halves.size(); ++k) {
        const HalfEdge &x = halves[k], &y = halves[k + 1];
        if (x.low != y.low || x.high != y.high) continue;
        const Vec3 n_x = face_normals[static_cast<std::size_t>(x.triangle)],
                   n_y = face_normals[static_cast<std::size_t>(y.triangle)];
        const Vec3 in_x = into_face(mesh, x), in_y = into_face(mesh, y);
        if (dot(n_x, in_y) > -flat || dot(n_y, in_x) > -flat) continue;
        for (const HalfEdge* e : {&x, &y})
            edges_of[static_cast<std::size_t>(e->triangle)][static_cast<std::size_t>(e->corner)] =
                static_cast<int>(edges.size());
        edges.push_back({x.low, x.high, normalised(n_x + n_y, n_x), {in_x, in_y}});
    }
}

}  // namespace plush
