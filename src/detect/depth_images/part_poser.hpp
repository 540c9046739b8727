#pragma once

#include "core/assert.hpp"
#include "detect/depth_images/lane_map.hpp"
#include "detect/depth_images/surface_clusters.hpp"

namespace plush {

/// Asks memory for what will be needed soon.
template <class T>
inline void fetch(const T* begin, std::size_t count) {
    constexpr std::size_t line = 64;
    const char* const first = reinterpret_cast<const char*>(begin);
    for (std::size_t i = 0; i < count * sizeof(T); i += line) __builtin_prefetch(first + i);
}

/// Image coordinates of a part of a surface, and its places along a direction in the fourth lane.
struct PosedPart {
    Double4 low, high;
};

/// The parts of one level of a surface; by their oriented boxes where there are any.
class PartPoser {
public:
    PartPoser(const ImageMap& map, const Vec3& direction, const ClusterBounds& bounds, std::size_t level)
        : map_(map, direction),
          boxes_(bounds.level(level)),
          oriented_(bounds.oriented_boxes.empty() ? nullptr : bounds.oriented_boxes[level].data()) {
        PLUSH_ASSERT(!oriented_ || bounds.oriented_boxes[level].size() == boxes_.size());
    }

    std::size_t size() const { return boxes_.size(); }
    void fetch(std::size_t first, std::size_t count) const {
        if (oriented_)
            plush::fetch(oriented_ + first, count);
        else
            plush::fetch(boxes_.data() + first, count);
    }
    PosedPart operator()(std::size_t k) const {
        PLUSH_ASSERT(k < boxes_.size());
        const Double4 centre = map_(oriented_ ? oriented_[k].centre : boxes_[k].centre());
        const Double4 reach = oriented_ ? map_.reach(oriented_[k]) : map_.reach(boxes_[k].size() * 0.5);
        return {centre - reach, centre + reach};
    }

private:
    LaneMap map_;
    std::span<const Box3> boxes_;
    const OrientedBox* oriented_;
};

}  // namespace plush
