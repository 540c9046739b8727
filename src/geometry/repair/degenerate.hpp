#pragma once

#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

struct Degenerates {
    int dropped = 0;    ///< triangles taken away
    int flipped = 0;    ///< edges turned, so that a triangle without area became two with it
    int collapsed = 0;  ///< edges of zero length that became one vertex
    int left = 0;       ///< triangles without area that stay
};

/// Removes triangles without area and leaves no gap behind.
Degenerates remove_degenerates(std::span<const Vec3> positions, std::vector<Triangle>& triangles);

/// Removes triangles with the three vertices of another and returns their number. Of each group one stays,
/// unless its edges are better off without: two triangles back to back on one edge are a flap that encloses
/// nothing, and both go.
int remove_duplicates(std::size_t vertex_count, std::vector<Triangle>& triangles);

}  // namespace plush
