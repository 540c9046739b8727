#pragma once

#include "plush/geometry/sdf.hpp"

namespace plush {

/// A solid that knows enough of itself to be meshed.
struct Implicit {
    Sdf distance;    ///< negative inside
    Vec3 inside;     ///< a point well inside, under the surface that is wanted
    double spacing;  ///< m: the side of a lattice cube that still resolves its finest part
};

/// Its surface with exactly `triangles` triangles (rounded up to an even number, as a closed surface has one;
/// and see least_implicit_triangles): closed, outward, one piece, without self-intersections. The same bits
/// each time.
Mesh mesh_implicit(const Implicit& solid, int triangles);

/// Fewer no longer show what the thing is, and are rounded up to this.
inline constexpr int least_implicit_triangles = 200;
/// More are refused: the lattice would not fit into the memory of a usual machine.
inline constexpr int max_implicit_triangles = 5'000'000;

}  // namespace plush
