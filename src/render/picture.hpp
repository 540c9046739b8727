#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "plush/math/vec.hpp"

// A picture in memory, and its colours. Light is added and averaged in linear RGB, as Vec3 with 1 for full;
// the bytes of a picture are sRGB.

namespace plush::render {

struct Picture {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb{};  ///< 3 bytes a pixel, rows from the top

    Picture() = default;
    Picture(int w, int h)
        : width(w), height(h), rgb(3 * static_cast<std::size_t>(w) * static_cast<std::size_t>(h)) {}
    std::size_t at(int x, int y) const {
        return 3 *
               (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
    }
};

/// The sRGB curve (IEC 61966-2-1), one channel, 0 … 1.
inline double to_linear(double s) {
    return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
}
inline double to_srgb(double linear) {
    return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}
inline std::uint8_t to_byte(double linear) {
    const double s = to_srgb(linear < 0 ? 0 : linear > 1 ? 1 : linear);
    return static_cast<std::uint8_t>(s * 255 + 0.5);
}

/// 0xRRGGBB as designers write it, in linear light.
inline Vec3 colour_of(unsigned rgb) {
    const auto channel = [&](unsigned shift) { return to_linear(((rgb >> shift) & 255u) / 255.0); };
    return {channel(16), channel(8), channel(0)};
}
inline double luminance(const Vec3& c) {
    return 0.2126 * c.x + 0.7152 * c.y + 0.0722 * c.z;  // Rec. 709
}
inline Vec3 mix(const Vec3& a, const Vec3& b, double t) {
    return a + (b - a) * t;
}

/// Copies `part` into `whole` with its upper left corner at (x, y).
void paste(Picture& whole, const Picture& part, int x, int y);

}  // namespace plush::render
