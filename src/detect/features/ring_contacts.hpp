#pragma once

#include "detect/features/point_overlap.hpp"

namespace plush {

/// Contacts of a torus with any exact shape. One of the two is a torus.
void find_ring_hits(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits);

}  // namespace plush
