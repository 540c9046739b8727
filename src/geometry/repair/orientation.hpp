#pragma once

#include <span>
#include <vector>

#include "plush/geometry/mesh.hpp"

namespace plush {

struct OrientedAlike {
    int flipped = 0;         ///< triangles
    int contradictions = 0;  ///< edges that no choice can satisfy (a Möbius strip has some)
};

/// Flips triangles until neighbours across edges of two triangles face the same way. In each connected patch
/// the smaller party gives in.
OrientedAlike orient_alike(std::size_t vertex_count, std::vector<Triangle>& triangles);

struct Turned {
    int outward = 0, inward = 0;  ///< components
};

/// Turns whole components: outer walls outward, walls of cavities inward. What lies inside a closed component
/// (without cutting it) bounds a cavity, what lies inside the cavity is a body again, and so on. Open
/// components count as outer walls.
Turned turn_components(std::span<const Vec3> positions, std::vector<Triangle>& triangles);

}  // namespace plush
