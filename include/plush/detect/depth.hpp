#pragma once

#include <span>

#include "plush/core/describe.hpp"

namespace plush {

/// How deep a vertex of one tet mesh is in another, and which way is out.
enum class DepthMethod {
    consistent,       ///< from the edges that cross the surface, propagated inward (the default)
    closest_feature,  ///< the exact closest point of the surface: the usual baseline
    vertex_normal,    ///< back along the vertex' own normal: the plainest one
};
PLUSH_API std::span<const Choice> depth_method_choices();

/// The normal where an edge crosses the surface.
enum class DepthNormals {
    interpolated,  ///< from the vertices of the face: smooth (the default)
    face,          ///< that of the face: d/exact → 1 at the surface
};
PLUSH_API std::span<const Choice> depth_normals_choices();

/// How space is cut into cells.
enum class DepthCells {
    dense,  ///< sorted into a box of cells; a hash where that would be mostly empty (the default)
    hash,   ///< a hash table of cells
};
PLUSH_API std::span<const Choice> depth_cells_choices();

}  // namespace plush
