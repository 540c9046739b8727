#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "plush/math/vec.hpp"

// Measures of many points.

namespace plush::test {

/// The least y; infinite of no points.
inline double lowest(std::span<const Vec3> points) {
    double y = HUGE_VAL;
    for (const Vec3& p : points) y = std::min(y, p.y);
    return y;
}

/// max |a_i − b_i|.
inline double largest_difference(std::span<const Vec3> a, std::span<const Vec3> b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, norm(a[i] - b[i]));
    return most;
}

}  // namespace plush::test
