#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"
#include "support/worlds.hpp"

// What the tests of the world share.

namespace plush::testing_world {

constexpr double g = 9.81;

using test::error_of;
using test::says;
using test::steps;
using test::without_gravity;
using test::without_sleep;

/// Of the centres of rigid bodies, m/s.
inline double rigid_rms_speed(const World& world) {
    double sum = 0;
    int n = 0;
    for (const BodyId b : world.bodies())
        if (world.kind(b) == BodyKind::rigid) sum += norm2(world.velocity(b)), ++n;
    return std::sqrt(sum / n);
}

inline Rigid cube(double half = 0.1, const std::string& name = "") {
    return Rigid{.shape = Shape::box({half, half, half}), .name = name};
}

inline void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

}  // namespace plush::testing_world
