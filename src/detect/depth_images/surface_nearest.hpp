#pragma once

#include "detect/depth_images/surface_clusters.hpp"

namespace plush {

/// The point of a surface that is nearest to p (world), wherever the surface is now. Clusters that are
/// farther than the best so far are left out; there is no tree: it is asked for once in a while.
Vec3 nearest_point(const SurfaceView& view, const Vec3& p);

}  // namespace plush
