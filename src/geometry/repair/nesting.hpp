#pragma once

#include <span>
#include <utility>
#include <vector>

#include "geometry/mesh/bvh.hpp"
#include "geometry/mesh/topology.hpp"

namespace plush {

/// How often each component lies inside another closed component that it does not cut: 0 for an outer
/// surface, 1 for the wall of a cavity, 2 for a body in a cavity. `closed` says it of each component, `cuts`
/// holds the pairs of components whose triangles intersect, sorted. Positions are in the range of the
/// predicates.
std::vector<int> nesting_depths(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                const Components& components, std::span<const char> closed,
                                std::span<const std::pair<int, int>> cuts, const Bvh& bvh);

/// The signed volume of each component about the centre of its own bounds.
std::vector<double> component_volumes(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                                      const Components& components);

}  // namespace plush
