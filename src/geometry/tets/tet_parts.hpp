#pragma once

#include <span>
#include <vector>

#include "geometry/tets/solid_query.hpp"
#include "plush/geometry/mesh.hpp"

// A tet mesh in the making, and what both methods do with it once the tets that touch a solid are chosen.

namespace plush {

struct TetParts {
    std::vector<Vec3> positions;
    std::vector<Tet> tets;
    void append(const TetParts& other);
};

/// Leaves neighbours joined only where the solid passes from one to the other: through a face that it
/// touches. Nodes between tets that are not joined are split, so that two parts that lie near each other move
/// apart unless one tet holds some of both, and no two tets are connected by a vertex or an edge alone.
/// `inside` says it of each node.
TetParts joined_by_solid(const TetParts& parts, std::span<const char> inside, const SolidQuery& solid);

/// The piece, connected by faces, with the largest volume; the nodes that it uses, in their order.
TetParts largest_piece(const TetParts& parts);

/// The bodies of a closed mesh: surfaces that have nothing to do with each other are kept apart. The wall of
/// a cavity goes with the surface around it. Surfaces that cross each other are one body, and so are those
/// inside another's solid, unless `join_overlapping` is false. An Error where a piece is inside out.
Result<std::vector<std::vector<Triangle>>> separate_bodies(std::span<const Vec3> positions,
                                                           std::span<const Triangle> triangles,
                                                           bool join_overlapping = true);

}  // namespace plush
