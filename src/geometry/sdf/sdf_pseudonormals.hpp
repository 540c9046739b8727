#pragma once

#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// Of unit length; zero for a triangle so thin (a sine below 1e-8) that its normal is mostly rounding.
Vec3 pseudonormal_of_face(const Vec3& a, const Vec3& b, const Vec3& c);
/// The angle at a, accurate also where it is tiny or near π.
double angle_of_corner(const Vec3& a, const Vec3& b, const Vec3& c);

/// Normals of the faces, edges and vertices of a closed mesh whose sign tells inside from outside.
///
/// At the point c of the surface that is closest to p, p is outside exactly where (p − c)·n > 0. On a face n
/// is the face's normal; on an edge the sum of the normals of its faces; at a vertex their sum weighted by
/// the angle of each face there (Bærentzen & Aanæs, "Signed distance computation using the angle weighted
/// pseudonormal", IEEE TVCG 11(3), 2005). Other weights fail at sharp vertices. Where the mesh crosses itself
/// the sign is that of the nearest sheet, which may be wrong. Triangles without area are left out; beside one
/// on an edge sharper than 90° the sign may be wrong as well (mesh repair removes them).
class Pseudonormals {
public:
    explicit Pseudonormals(const Mesh& mesh);

    /// At the point with these barycentric weights (exact zeros on edges and corners). Not of unit length;
    /// zero only where the surface has no area.
    const Vec3& at(int triangle, const Vec3& weights) const;

private:
    std::vector<Triangle> triangles_;
    std::vector<Vec3> face_;
    std::vector<std::array<Vec3, 3>> edge_;  ///< [t][i]: of the edge opposite to corner i
    std::vector<Vec3> vertex_;
};

}  // namespace plush
