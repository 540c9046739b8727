#pragma once

#include "detect/features/point_overlap.hpp"

namespace plush {

/// Whether contacts of two bodies are found from their faces, edges and rims and not from samples of their surfaces.
inline bool is_exact_pair(const Body& a, const Body& b) {
    return a.exact_shape() && b.exact_shape();
}

/// The contact manifold of two exact shapes. Appends to `hits`; `point` of a hit names the features that meet there.
void find_exact_hits(const Body& a, const Body& b, const Reach& reach, std::vector<PointHit>& hits);

}  // namespace plush
