#pragma once

#include "detect/depth_images/depth_lanes.hpp"
#include "detect/depth_images/image_frame.hpp"
#include "detect/depth_images/oriented_box.hpp"

namespace plush {

inline Double4 magnitude(Double4 x) {
    return x < 0 ? -x : x;
}

/// From the frame of a surface's positions to image coordinates and, in the fourth lane, to the place along a
/// direction n of these.
struct LaneMap {
    Double4 x, y, z, shift;

    LaneMap(const ImageMap& map, const Vec3& n) {
        const Vec3 s = transpose_times(map.linear, n);
        for (std::size_t d = 0; d < 3; ++d) {
            x[d] = map.linear(d, 0), y[d] = map.linear(d, 1), z[d] = map.linear(d, 2),
            shift[d] = map.shift[d];
        }
        x[3] = s.x, y[3] = s.y, z[3] = s.z, shift[3] = dot(n, map.shift);
    }
    Double4 turned(const Vec3& p) const { return x * p.x + y * p.y + z * p.z; }
    Double4 operator()(const Vec3& p) const { return turned(p) + shift; }
    /// How far a box of this half size, or an oriented box, reaches to both sides of its centre.
    Double4 reach(const Vec3& half) const {
        return magnitude(x) * half.x + magnitude(y) * half.y + magnitude(z) * half.z;
    }
    Double4 reach(const OrientedBox& b) const {
        return magnitude(turned(b.arms[0])) + magnitude(turned(b.arms[1])) + magnitude(turned(b.arms[2]));
    }
};

}  // namespace plush
