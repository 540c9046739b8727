#pragma once

#include <cstdint>

#include "plush/world/world.hpp"

namespace plush::lab {

/// One of the random starts of `plush study penetration`: whether two cubes part that meet at so many edge
/// lengths a step of h.
bool cubes_part(TetContactMethod method, double h, double edges_a_step, std::uint64_t seed);

}  // namespace plush::lab
