#pragma once

#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

struct SplitBranches {
    int edges = 0;     ///< of more than two triangles, that are parted into sheets
    int vertices = 0;  ///< that became several at one place
    int left = 0;      ///< edges whose sides do not tell what belongs together
};

/// Parts solids that share an edge. Around such an edge material lies between a triangle that runs along it backward and the
/// next, by angle, that runs forward: those two go on being neighbours, with vertices of their own. Triangles must face as
/// their neighbours do. An edge with an odd number of triangles, or whose sides do not alternate, stays as it is.
SplitBranches split_branches(std::vector<Vec3>& positions, std::vector<Triangle>& triangles);

}  // namespace plush
