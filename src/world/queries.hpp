#pragma once

#include "world/pair_rules.hpp"
#include "world/query_surfaces.hpp"

// Queries of a world, answered by the bodies' triangles, distances and tets.

namespace plush {

std::optional<RayResult> cast_ray(const BodyStore& bodies, const QuerySurfaces& surfaces, const Vec3& origin,
                                  const Vec3& direction, double max_distance);
std::optional<ClosestResult> closest_body(const BodyStore& bodies, const QuerySurfaces& surfaces,
                                          const Vec3& point, double max_distance);
/// On one body, nearer than the distance; that may be HUGE_VAL.
std::optional<ClosestResult> closest_on_body(const BodyStore& bodies, const QuerySurfaces& surfaces,
                                             std::uint32_t body, const Vec3& point, double max_distance);
std::vector<BodyId> bodies_overlapping(const BodyStore& bodies, const Box3& box);
std::vector<TetOverlapResult> overlapping_tets(const BodyStore& bodies, const PairRules& rules);

}  // namespace plush
