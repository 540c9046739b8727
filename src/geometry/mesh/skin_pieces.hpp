#pragma once

#include <vector>

#include "plush/geometry/mesh.hpp"

// Which piece of a tet mesh carries which part of a skin. A mesh of several closed components (the bones of a foot, the eyes
// of a bear) is filled body by body (separate_bodies): components that cross or enclose each other are one body, the
// others share no tet. But their cages may lie in one place, and a vertex of one bone in a tet of the next would be torn off
// when the two part. So every body of the skin belongs to one piece of the tets: that which holds the most of its vertices,
// and of several that hold as many the one with the smallest box.

namespace plush {

struct SkinPieces {
    int count = 1;  ///< pieces of the tets
    std::vector<int>
        of_vertex{};  ///< the piece of each vertex of the skin; −1: of no triangle. Empty: one piece
    std::vector<std::vector<Triangle>> triangles{};  ///< of each piece; empty: one piece
};

[[nodiscard]] SkinPieces skin_pieces(const Mesh& skin, const TetMesh& tets);

}  // namespace plush
