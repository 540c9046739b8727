#pragma once

#include "world/pair_rules.hpp"

// Questions to a world, answered by the bodies' distances and tets.

namespace plush {

std::optional<RayResult> cast_ray(const BodyStore& bodies, const Vec3& origin, const Vec3& direction,
                                  double max_distance);
std::optional<ClosestResult> closest_body(const BodyStore& bodies, const Vec3& point, double max_distance);
std::vector<BodyId> bodies_overlapping(const BodyStore& bodies, const Box3& box);
std::vector<TetOverlapResult> overlapping_tets(const BodyStore& bodies, const PairRules& rules);

}  // namespace plush
