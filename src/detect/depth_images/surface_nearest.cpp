#include "detect/depth_images/surface_nearest.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "geometry/mesh/bvh.hpp"

namespace plush {

Vec3 nearest_point(const SurfaceView& view, const Vec3& p) {
    const Vec3 local = inverse(view.pose) * p;
    const auto clusters = view.surface->clusters();
    PLUSH_ASSERT(view.bounds->boxes.size() == clusters.size());
    Vec3 best = local;
    double least = HUGE_VAL;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const Box3& box = view.bounds->boxes[c];
        Vec3 outside;
        for (std::size_t d = 0; d < 3; ++d)
            outside[d] = std::max({box.low[d] - local[d], local[d] - box.high[d], 0.0});
        if (norm2(outside) >= least) continue;
        for (std::uint32_t t = clusters[c].first_triangle;
             t < clusters[c].first_triangle + clusters[c].triangles; ++t) {
            const auto [x, y, z] = view.triangle(t);
            const Vec3 w = closest_weights(local, x, y, z);
            const Vec3 at = w.x * x + w.y * y + w.z * z;
            if (norm2(at - local) < least) least = norm2(at - local), best = at;
        }
    }
    return view.pose * best;
}

}  // namespace plush
