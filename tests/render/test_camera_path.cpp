#include "render/camera_path.hpp"

#include <gtest/gtest.h>

namespace plush::render {
namespace {

TEST(CameraPath, GoesThroughItsKeyframesWithoutAJerk) {
    CameraSettings settings;
    settings.keyframes = {
        {1, {0, 0, 5}, {0, 0, 0}, 30}, {2, {2, 1, 5}, {0, 1, 0}, 40}, {4, {2, 3, 9}, {0, 1, 1}, 20}};
    const CameraPath path(settings, {}, 0);
    EXPECT_TRUE(path.moves());
    for (const CameraKeyframe& k : settings.keyframes) {
        const Camera c = path.at(k.time, {});
        EXPECT_LT(norm(c.position - k.position) + norm(c.target - k.target), 1e-12) << k.time;
        EXPECT_NEAR(c.fov, k.fov, 1e-12);
    }
    EXPECT_EQ(path.at(0, {}).position, settings.keyframes.front().position);
    EXPECT_EQ(path.at(9, {}).position, settings.keyframes.back().position);
    // The velocity is continuous at the middle one, and zero at the ends.
    const auto velocity = [&](double t) {
        return (path.at(t + 1e-5, {}).position - path.at(t - 1e-5, {}).position) / 2e-5;
    };
    EXPECT_LT(norm(velocity(2 - 1e-4) - velocity(2 + 1e-4)), 2e-3);  // 6e-4
    EXPECT_GT(norm(velocity(2)), 0.5);
    EXPECT_LT(norm(velocity(1 + 2e-5)), 1e-3);
}

TEST(CameraPath, FollowsAndGoesRound) {
    CameraSettings settings;
    settings.orbit = 90;
    const Camera start{.position = {0, 1, 4}, .target = {0, 1, 0}};
    const CameraPath path(settings, start, 2);
    EXPECT_LT(norm(path.at(2, {}).position - start.position), 1e-12);
    const Camera quarter = path.at(3, {10, 0, 0});  // a second later, the body 10 m away
    EXPECT_LT(norm(quarter.target - Vec3{10, 1, 0}), 1e-12);
    EXPECT_LT(norm(quarter.position - Vec3{14, 1, 0}), 1e-12);
    EXPECT_FALSE(CameraPath({}, start, 0).moves());
}

}  // namespace
}  // namespace plush::render
