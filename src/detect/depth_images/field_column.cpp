#include "detect/depth_images/field_column.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {

DepthRange inside_half_space(const HalfSpace& half_space, const ImageFrame& frame, std::size_t axis, double u,
                             double v, DepthRange range) {
    PLUSH_ASSERT(range.low <= range.high && frame.pixel > 0);
    const Vec3 n = frame.axes * half_space.normal;
    Vec3 foot;
    foot[first_across(axis)] = u, foot[second_across(axis)] = v;
    const double left = half_space.offset / frame.pixel - dot(n, foot + frame.corner_vector());
    if (n[axis] > 0)
        range.high = std::min(range.high, left / n[axis]);
    else if (n[axis] < 0)
        range.low = std::max(range.low, left / n[axis]);
    else if (left < 0)
        range.high = range.low;
    return range;
}

namespace {

/// Where the distance changes its sign between two depths: bisection, and false position where that halves
/// faster (Illinois; Dowell & Jarratt 1971). To less than a quantum of depth.
template <class Value>
double crossing(const Value& value, double a, double fa, double b, double fb) {
    PLUSH_ASSERT(a <= b && (fa < 0) != (fb < 0));
    constexpr double quantum = 1e-7;
    for (int turn = 0; turn < 60 && b - a > quantum; ++turn) {
        double c = turn % 3 == 2 ? 0.5 * (a + b) : a - fa * (b - a) / (fb - fa);
        c = std::clamp(c, a, b);
        const double fc = value(c);
        if (fc == 0) return c;
        if ((fc < 0) == (fa < 0))
            a = c, fa = fc, fb *= 0.5;
        else
            b = c, fb = fc, fa *= 0.5;
    }
    return std::abs(fa) < std::abs(fb) ? a : b;
}

}  // namespace

void inside_field(const SignedDistance& field, const ImageFrame& frame, std::size_t axis, double u, double v,
                  DepthRange range, std::vector<DepthRange>& parts) {
    PLUSH_ASSERT(range.low <= range.high && frame.pixel > 0);
    constexpr double least_step = 0.25;  // pixels
    const auto value = [&](double z) {
        Vec3 c;
        c[first_across(axis)] = u, c[second_across(axis)] = v, c[axis] = z;
        return field.value(frame.to_world(c));
    };
    const double pace = 1 / (frame.pixel * std::max(field.steepness(), 1e-12));
    double z = range.low, f = value(z), begin = z;
    while (z < range.high) {
        const double next = std::min(range.high, z + std::max(least_step, std::abs(f) * pace));
        const double g = value(next);
        if ((f < 0) != (g < 0)) {
            const double root = crossing(value, z, f, next, g);
            if (f < 0)
                parts.push_back({begin, root});
            else
                begin = root;
        }
        z = next, f = g;
    }
    if (f < 0) parts.push_back({begin, range.high});
}

}  // namespace plush
