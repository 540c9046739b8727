#include "detect/depth_images/cluster_cells.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "detect/depth_images/surface_clusters.hpp"

namespace plush {

std::vector<ClusterCells> ClusterCells::of(const SurfaceClusters& surface, std::span<const Vec3> points,
                                           std::span<const OrientedBox> oriented_boxes) {
    static_assert(SurfaceClusters::max_triangles <= 64);
    std::vector<ClusterCells> all(surface.clusters().size());
    PLUSH_ASSERT(oriented_boxes.size() == all.size() && points.size() == surface.vertices().size());
    for (std::size_t c = 0; c < all.size(); ++c) {
        const SurfaceClusters::Cluster& cluster = surface.clusters()[c];
        const auto corners = surface.corners().subspan(cluster.first_triangle, cluster.triangles);
        const auto place = points.subspan(cluster.first_vertex, cluster.vertices);
        PLUSH_ASSERT(corners.size() <= SurfaceClusters::max_triangles);
        for (std::size_t arm = 0; arm < 2; ++arm) {
            const Vec3& a = oriented_boxes[c].arms[arm];
            const double length2 = norm2(a);
            const double share = length2 > 0 ? 1 / length2 : 0;
            for (std::size_t t = 0; t < corners.size(); ++t) {
                double low = HUGE_VAL, high = -HUGE_VAL;
                for (const std::uint8_t v : corners[t]) {
                    PLUSH_ASSERT(v < place.size());
                    const double x = dot(place[v] - oriented_boxes[c].centre, a) * share;
                    low = std::min(low, x), high = std::max(high, x);
                }
                for (std::int32_t i = slice(low); i <= slice(high); ++i)
                    all[c].triangles[arm][static_cast<std::size_t>(i)] |= std::uint64_t{1} << t;
            }
        }
    }
    return all;
}

}  // namespace plush
