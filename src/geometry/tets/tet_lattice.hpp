#pragma once

#include "geometry/tets/solid_query.hpp"
#include "geometry/tets/tet_parts.hpp"

namespace plush {

/// A body-centred cubic lattice in space: the corner (0, 0, 0) and the side of its cubes (m).
struct LatticePlace {
    Vec3 origin;
    double spacing;
};

/// All tets of the lattice that have a point in common with the solid, joined where the solid joins them
/// (tet_parts.hpp). They enclose it; their dihedral angles are 60° and 90°.
TetParts lattice_cage(const SolidQuery& solid, const LatticePlace& place);

/// The lattice cut and warped to the solid's surface (tet_stuffing.cpp): dihedral angles above 10.7°.
TetParts stuffed_lattice(const SolidQuery& solid, const LatticePlace& place);

}  // namespace plush
