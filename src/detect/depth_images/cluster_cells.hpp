#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "detect/depth_images/oriented_box.hpp"

// Where triangles are smaller than pixels a cluster of them has few lines of the images in it, and a line
// meets one or two of its triangles. So that the others are never touched, the clusters of a surface that
// stays as it is are cut into slices across the two long sides of their oriented boxes, and every slice knows its
// triangles, a bit each: those in a slice of either kind are what a line there can meet.

namespace plush {

class SurfaceClusters;

struct ClusterCells {
    static constexpr std::size_t slices = 8;

    /// Along the first and the second arm of the oriented box, from its low end to its high one.
    std::array<std::array<std::uint64_t, slices>, 2> triangles{};

    /// Of a surface whose vertices stand at these points, in the order of the clusters' lists.
    static std::vector<ClusterCells> of(const SurfaceClusters& surface, std::span<const Vec3> points,
                                        std::span<const OrientedBox> oriented_boxes);
    /// Those that reach into these slices, with both ends.
    std::uint64_t within(std::size_t arm, std::int32_t first, std::int32_t last) const {
        PLUSH_ASSERT(arm < triangles.size() && first >= 0 && last < std::int32_t{slices});
        std::uint64_t all = 0;
        for (std::int32_t i = first; i <= last; ++i) all |= triangles[arm][static_cast<std::size_t>(i)];
        return all;
    }
    /// The slice of a place along an arm, −1 to 1 and a little beyond.
    static std::int32_t slice(double place) {
        const auto i = static_cast<std::int32_t>((place + 1) * (0.5 * slices));
        return i < 0 ? 0 : i >= std::int32_t{slices} ? std::int32_t{slices} - 1 : i;
    }
};

}  // namespace plush
