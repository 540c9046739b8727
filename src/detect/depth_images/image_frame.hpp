#pragma once

#include <cmath>
#include <cstdint>

#include "plush/math/rotation.hpp"

// The grid of three images, one along each axis of a common frame. Pixels are cubes of one size on a lattice
// that is fixed in the world, so that a body that moves is sampled by columns that stay; the image of a pair
// is a window of it. Image coordinates are in pixels from the window's corner; the image along axis d has its
// columns at (i + ½, j + ½) in the coordinates (d+1, d+2) mod 3, a right-handed order, so that a triangle
// whose projection turns counter-clockwise faces up the axis.
//
// Places across a column are snapped to 1/1024 of a pixel and depths along it to 2⁻²⁰ (fewer where the
// window is deep): all decisions are made on whole numbers.

namespace plush {

inline constexpr int snap_bits = 10;
inline constexpr std::int32_t snap_one = 1 << snap_bits, snap_half = snap_one / 2;
/// The farthest place from the window that a vertex may have, in pixels: differences of snapped coordinates
/// have 30 bits then, and an edge function 61.
inline constexpr double farthest_pixel = 500'000;
/// Columns of an image are numbered with 32 bits, their coordinates with 16.
inline constexpr std::int64_t max_pixels_across = 60'000;
/// What snapping moves, and more: nothing nearer than this to a border is culled, in pixels.
inline constexpr double cull_margin = 1.0 / 256;

/// From the frame of a surface's positions to image coordinates.
struct ImageMap {
    Mat3 linear{};
    Vec3 shift{};
    Vec3 operator()(const Vec3& p) const { return linear * p + shift; }
    /// A box that holds the image of a box.
    Box3 operator()(const Box3& b) const {
        const Vec3 centre = (*this)(b.centre()), h = b.size() * 0.5;
        const Vec3 half{dot(abs(linear.row[0]), h), dot(abs(linear.row[1]), h), dot(abs(linear.row[2]), h)};
        return {centre - half, centre + half};
    }
};

struct ImageFrame {
    double pixel = 1;                      ///< m
    Mat3 axes = Mat3::identity();          ///< its rows are the axes of the images, world
    std::array<std::int64_t, 3> corner{};  ///< of the window, in pixels from the world's origin
    std::array<std::int32_t, 3> size{};    ///< of the window, pixels
    double quanta = 1 << 20;               ///< of depth in a pixel

    Vec3 corner_vector() const {
        return {static_cast<double>(corner[0]), static_cast<double>(corner[1]),
                static_cast<double>(corner[2])};
    }
    ImageMap map(const Transform& pose) const {
        const Mat3 linear = axes * to_matrix(pose.rotation) * (1 / pixel);
        return {linear, axes * pose.position * (1 / pixel) - corner_vector()};
    }
    Vec3 to_world(const Vec3& image) const {
        return transpose_times(axes, (image + corner_vector()) * pixel);
    }
    /// A direction or a force.
    Vec3 turned_to_world(const Vec3& v) const { return transpose_times(axes, v); }
    double column_area() const { return pixel * pixel; }
};

/// The two coordinates across axis d.
inline std::size_t first_across(std::size_t d) {
    return d == 2 ? 0 : d + 1;
}
inline std::size_t second_across(std::size_t d) {
    return d == 0 ? 2 : d - 1;
}

/// The images that have a line within a box: that along an axis needs lines of both other coordinates. What
/// is smaller than a pixel often lies between them.
inline std::uint32_t images_with_lines(const Box3& box) {
    std::array<bool, 3> has{};
    for (std::size_t d = 0; d < 3; ++d)
        has[d] = std::floor(box.high[d] - 0.5 + cull_margin) >= box.low[d] - 0.5 - cull_margin;
    return (has[1] && has[2] ? 1u : 0u) | (has[2] && has[0] ? 2u : 0u) | (has[0] && has[1] ? 4u : 0u);
}

/// The pixel size that is a power of two times a metre and not larger.
inline double power_of_two_below(double metres) {
    return std::ldexp(1, std::ilogb(metres));
}

}  // namespace plush
