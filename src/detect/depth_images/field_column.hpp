#pragma once

#include <vector>

#include "detect/depth_images/depth_plan.hpp"

// Partners without a mesh: the stretches of a column that lie in a half-space or in a signed distance.

namespace plush {

struct DepthRange {
    double low, high;  ///< pixels along the column
};

/// The part of [low, high] of the column (axis, u, v) in a half-space; empty where low ≥ high.
DepthRange inside_half_space(const HalfSpace& half_space, const ImageFrame& frame, std::size_t axis, double u,
                             double v, DepthRange range);

/// The parts of [low, high] in which a distance is negative, appended in rising order. It is followed by its
/// own value as far as that may be trusted, at least a quarter of a pixel at a time: what is thinner may be
/// missed.
void inside_field(const SignedDistance& field, const ImageFrame& frame, std::size_t axis, double u, double v,
                  DepthRange range, std::vector<DepthRange>& parts);

}  // namespace plush
