#pragma once

#include <optional>

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/elements/springs.hpp"
#include "plush/bodies/deformable.hpp"
#include "plush/bodies/elastic.hpp"
#include "plush/geometry/mesh.hpp"

// Which vertices are joined by which springs: ropes, cloth, jellies, tet meshes, and shells around a surface.
// Each returns what a DeformableBody is made of, or says what is wrong with its settings.

namespace plush {

/// `segments` springs in a row, segments + 1 vertices.
Result<DeformableModel> rope(const Vec3& from, const Vec3& to, int segments, const SpringMaterial& material);

/// nx × ny vertices from `corner` along `side_x` and `side_y`: vertex (i, j) has the number j nx + i.
/// Structural springs along the grid, shear springs on both diagonals, bending over two cells or at edges.
Result<DeformableModel> cloth(const Vec3& corner, const Vec3& side_x, const Vec3& side_y, int nx, int ny,
                              const SpringMaterial& material);

/// Any triangle mesh: a spring on each edge, and bending across each edge of two triangles. There are no
/// shear springs: triangles do not shear. With `volume` the mesh must be closed.
Result<DeformableModel> cloth(const Mesh& mesh, const SpringMaterial& material);

/// nx × ny × nz cells in a box: springs on edges, and on the diagonals of faces and cells.
Result<DeformableModel> jelly(const Box3& box, int nx, int ny, int nz, const SpringMaterial& material);

/// Springs on the edges of a tet mesh.
Result<DeformableModel> tet_springs(const TetMesh& mesh, const SpringMaterial& material);

/// Elastic tets. Where regions overlap the last one holds; a tet belongs to a region when its centre does.
/// Each vertex has a quarter of the mass of its tets. `shares` is empty, or says what part of each tet there
/// is: it has as much of the mass and of the stiffness, but not less than a tenth of either.
Result<DeformableModel> elastic_solid(const TetMesh& mesh, const ElasticMaterial& material,
                                      std::span<const ElasticRegion> regions = {},
                                      std::span<const double> shares = {});

/// A closed surface and `shells` copies of it, each moved by `offset` along the vertex normals (m; negative
/// is inwards) from the one before: springs on the edges of all, and from each to the next straight and along
/// both diagonals of every edge. The surface keeps the first vertices.
Result<DeformableModel> virtual_shells(const Mesh& mesh, int shells, double offset,
                                       const SpringMaterial& material);

/// The conditions that the settings put on the model's edges, at their present lengths.
PositionConstraints edge_constraints(const DeformableModel& model, const ConstraintSettings& settings);

}  // namespace plush
