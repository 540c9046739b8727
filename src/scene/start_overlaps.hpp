#pragma once

#include <string>
#include <vector>

#include "plush/world/world.hpp"

namespace plush {

/// Two bodies that overlap where they are.
struct BodyOverlap {
    std::string a, b;          ///< names
    double volume = 0;         ///< m³
    double mean_depth = 0;     ///< m
    double largest_depth = 0;  ///< m
    Vec3 centre{};             ///< of the largest part
    int parts = 0;             ///< connected parts of the overlap
};

struct StartOverlaps {
    std::vector<BodyOverlap> pairs{};  ///< the deepest first
    long long left_out = 0;            ///< pairs of boxes beyond the limit, not queried
};

/// All pairs of bodies whose drawn surfaces overlap, of closed surfaces, half-spaces and other distances
/// without bounds. Two fixed bodies may overlap as they like, and so may those that do not collide (by
/// filter, pair or joint); particles, ropes and cloth have no volume.
StartOverlaps start_overlaps(const World& world);

}  // namespace plush
