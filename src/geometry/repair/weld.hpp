#pragma once

#include <span>
#include <vector>

#include "plush/math/vec.hpp"

namespace plush {

/// For each vertex the one that it becomes when vertices within `distance` (m) are made one: itself, or a
/// lower one that stays where it is. Only vertices with candidates[v] ≠ 0 take part. With distance 0 equal
/// positions are welded. Nothing is welded through a chain: whatever moves, moves by at most `distance`.
std::vector<int> weld_map(std::span<const Vec3> positions, std::span<const char> candidates, double distance);

}  // namespace plush
