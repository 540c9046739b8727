#pragma once

#include "geometry/mesh/crossing_guard.hpp"
#include "geometry/mesh/edit_mesh.hpp"
#include "plush/geometry/sdf.hpp"

namespace plush {

/// Collapses edges until `triangles` (an even number) are left, or until no edge can be collapsed any more:
/// the cheapest first, by what it does to the form and by its length. With a guard nothing comes to cross
/// anything.
void decimate(EditMesh& mesh, int triangles, CrossingGuard* guard);

/// Rounds of edge flips and of small moves that make the triangles more equal, the vertices held on the
/// surface {distance = 0}.
void relax(EditMesh& mesh, const SignedDistance& distance, int rounds, CrossingGuard* guard);

/// 1 for an equilateral triangle, 0 for a degenerate one: 4√3 area / Σ edge².
double triangle_quality(const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace plush
