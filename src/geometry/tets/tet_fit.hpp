#pragma once

#include "geometry/tets/solid_query.hpp"
#include "geometry/tets/tet_parts.hpp"

namespace plush {

/// Moves the nodes of a cage that encloses a solid: where a tet is flat, so that its smallest angle grows;
/// and the outer ones towards the surface, as far as no angle becomes small. The cage still encloses the
/// solid: no outer face ever meets the surface, by exact signs, and no tet is turned over.
void fit_cage(TetParts& cage, const SolidQuery& solid);

}  // namespace plush
