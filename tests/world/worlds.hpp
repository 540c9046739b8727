#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"

// What the tests of the world share.

namespace plush::testing_world {

constexpr double g = 9.81;

using test::error_of;
using test::says;

inline WorldSettings without_gravity() {
    WorldSettings settings;
    settings.gravity = {};
    return settings;
}

inline WorldSettings without_sleep() {
    WorldSettings settings;
    settings.sleep.enabled = false;
    return settings;
}

inline Rigid cube(double half = 0.1, const std::string& name = "") {
    return Rigid{.shape = Shape::box({half, half, half}), .name = name};
}

inline void steps(World& world, int n) {
    for (int i = 0; i < n; ++i) world.step();
}

inline void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

}  // namespace plush::testing_world
