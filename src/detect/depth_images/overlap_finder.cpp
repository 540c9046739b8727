#include "detect/depth_images/overlap_finder.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {

bool OverlapFinder::find(const OverlapPair& pair, const ImageSettings& images, const ModelSettings& model,
                         const Parallel* parallel) {
    plan_.make(pair, images.pixel, images.axes, images.cull, images.direction, parallel);
    bool fits = images_.find(pair, plan_, images.max_bytes, parallel);
    if (fits && model.split == OverlapSplit::cells &&
        OverlapSplitter::bytes_of_cells(plan_.frame, images_, model.cell) > images.max_bytes) {
        for (auto& list : images_.intervals) list.clear();
        fits = false;
    }
    model_.build(pair, plan_, images_, model, parallel);
    return fits;
}

double least_pixel(const OverlapPair& pair, const Mat3& axes) {
    return std::max(DepthPlan::reach(pair, axes) / farthest_pixel,
                    max_component(DepthPlan::region(pair, axes).size()) / (max_pixels_across - 2));
}

double choose_pixel(const OverlapPair& pair, const Mat3& axes, const Vec3& extent, const PixelWish& wish,
                    std::size_t max_bytes) {
    constexpr double finer_for_triangles = 4, max_across = 2048;
    const double longest = max_component(extent);
    if (!(longest > 0)) return 0;
    PLUSH_ASSERT(wish.across > 0);
    double pixel = longest / wish.across;
    double edge = pair.a.surface->mean_edge();
    if (pair.b) edge = std::min(edge, pair.b->surface->mean_edge());
    if (edge < pixel) pixel = std::max(edge, pixel / finer_for_triangles);
    if (wish.depth > 0) pixel = std::min(pixel, wish.depth);
    pixel = std::max({pixel, longest / max_across, least_pixel(pair, axes)});
    double size = power_of_two_below(pixel);
    if (size < least_pixel(pair, axes)) size *= 2;
    // The columns of the whole region at 12 bytes, and some crossings in each.
    constexpr double bytes_a_column = 64;
    const Vec3 region = DepthPlan::region(pair, axes).size();
    const double faces = region.x * region.y + region.y * region.z + region.z * region.x;
    while (faces / (size * size) * bytes_a_column > static_cast<double>(max_bytes)) size *= 2;
    return size;
}

}  // namespace plush
