#pragma once

#include <array>

#include "detect/depth_images/depth_lanes.hpp"

// Eight triangles at once, in floats, for questions whose answers need not be exact: whether they may cross
// others. Every lane is a triangle of its own.

namespace plush {

using Float8 [[gnu::vector_size(32)]] = float;

inline Float8 lesser(Float8 a, Float8 b) {
    return a < b ? a : b;
}
inline Float8 greater(Float8 a, Float8 b) {
    return a > b ? a : b;
}

struct Vector8 {
    Float8 x, y, z;
};
inline Vector8 operator-(const Vector8& a, const Vector8& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vector8 cross(const Vector8& a, const Vector8& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Float8 dot(const Vector8& a, const Vector8& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vector8 chosen(Int8 mask, const Vector8& a, const Vector8& b) {
    return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}

using Triangle8 = std::array<Vector8, 3>;

/// One of them in all lanes.
inline Triangle8 spread(const Triangle8& t, std::size_t lane) {
    Triangle8 all;
    for (std::size_t k = 0; k < 3; ++k)
        all[k] = {Float8{} + t[k].x[lane], Float8{} + t[k].y[lane], Float8{} + t[k].z[lane]};
    return all;
}

/// Lanes whose boxes are farther apart than the margin.
inline Int8 boxes_apart(const Triangle8& a, const Triangle8& b, float margin) {
    const auto along = [&](Float8 a0, Float8 a1, Float8 a2, Float8 b0, Float8 b1, Float8 b2) {
        return (lesser(lesser(b0, b1), b2) - greater(greater(a0, a1), a2) > margin) |
               (lesser(lesser(a0, a1), a2) - greater(greater(b0, b1), b2) > margin);
    };
    return along(a[0].x, a[1].x, a[2].x, b[0].x, b[1].x, b[2].x) |
           along(a[0].y, a[1].y, a[2].y, b[0].y, b[1].y, b[2].y) |
           along(a[0].z, a[1].z, a[2].z, b[0].z, b[1].z, b[2].z);
}

/// Lanes in which a plane lies between two triangles, with more than the margin between them along its
/// normal: along one of them, or along an edge of either (Gottschalk, Lin and Manocha 1996). A segment is a
/// triangle with two corners at one place. Nothing is found between triangles of one plane, side by side.
inline Int8 apart(const Triangle8& first, const Triangle8& second, float margin) {
    // From a corner of the first: small numbers lose little.
    Triangle8 a, b;
    for (std::size_t k = 0; k < 3; ++k) a[k] = first[k] - first[0], b[k] = second[k] - first[0];
    const Triangle8 ea{a[1] - a[0], a[2] - a[1], a[0] - a[2]}, eb{b[1] - b[0], b[2] - b[1], b[0] - b[2]};
    Int8 found{};
    const auto along = [&](const Vector8& n) {
        const Float8 a1 = dot(n, a[1]), a2 = dot(n, a[2]), none{};
        const Float8 b0 = dot(n, b[0]), b1 = dot(n, b[1]), b2 = dot(n, b[2]);
        const Float8 gap = greater(lesser(lesser(b0, b1), b2) - greater(greater(a1, a2), none),
                                   lesser(lesser(a1, a2), none) - greater(greater(b0, b1), b2));
        found |= (gap > 0) & (gap * gap > margin * margin * dot(n, n));
    };
    along(cross(ea[0], ea[1]));
    along(cross(eb[0], eb[1]));
    for (std::size_t i = 0; i < 3 && bits_of(found) != 0xff; ++i)
        for (std::size_t j = 0; j < 3; ++j) along(cross(ea[i], eb[j]));
    return found;
}

}  // namespace plush
