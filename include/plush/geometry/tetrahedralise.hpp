#pragma once

#include "plush/geometry/mesh.hpp"

namespace plush {

enum class TetMethod {
    lattice,   ///< equal tets of a body-centred cubic lattice
    delaunay,  ///< points inside and in a band outside, joined by a Delaunay triangulation
};

/// How a closed surface is filled with tets. At most one of `nodes`, `edge` and `cells_across` is given.
struct TetSettings {
    TetMethod method = TetMethod::lattice;
    /// False: a cage that encloses the surface, which is embedded in it; nothing is too thin for it. True (of
    /// the lattice method): the tets end at the surface; features thinner than a cell may be lost.
    bool conforming = false;
    /// About so many nodes, 0: not given. Met within 5 % from 500 nodes up, and else as well as a search on
    /// the edge length can.
    int nodes = 0;
    double edge = 0;  ///< the longest edge of a tet of the lattice, the side of its cubes (m); 0: not given
    int cells_across = 0;  ///< cubes along the longest side of the surface's box; 0: not given
    /// Where none of the three is given: so many cells across. The conforming lattice starts from its own
    /// number and takes more until the volume is within 2 % of the surface's.
    static constexpr int default_cells_across = 12, default_conforming_cells = 20;
};
PLUSH_API void describe(FieldVisitor& v, TetSettings& s);

/// Fills a closed surface: inside is where its winding number is above zero, so that it may cross itself.
/// An Error where it is open or inside out, where the settings make no sense, or where they ask for more than
/// five million tets.
PLUSH_API TetMesh tetrahedralise(const Mesh& surface, const TetSettings& settings = {});
PLUSH_API Result<TetMesh> try_tetrahedralise(const Mesh& surface, const TetSettings& settings = {});

}  // namespace plush
