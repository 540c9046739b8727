#pragma once

#include "geometry/tets/tet_lattice.hpp"

namespace plush {

/// Points inside the solid and in a band around it, their Delaunay triangulation, and of that the tets that
/// have a point in common with the solid, joined where it joins them. They enclose it.
TetParts delaunay_cage(const SolidQuery& solid, const LatticePlace& place);

}  // namespace plush
