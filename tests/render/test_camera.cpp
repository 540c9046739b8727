#include <gtest/gtest.h>

#include "plush/core/random.hpp"
#include "render/camera.hpp"
#include "support/errors.hpp"

namespace plush::render {
namespace {

using test::says;

constexpr int width = 960, height = 600;

Extent unit_box(const Vec3& at, double half = 0.5, bool moves = true) {
    return {{{-half, -half, -half}, {half, half, half}}, {.position = at}, moves};
}

TEST(Camera, HoldsEverythingAndNoMore) {
    Random random(7);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<Extent> extents;
        for (int i = 0; i < 9; ++i)
            extents.push_back(
                unit_box({random.uniform(-3, 3), random.uniform(-1, 5), random.uniform(-3, 3)}));
        const Subject subject = find_subject(extents);
        CameraSettings settings;
        settings.azimuth = random.uniform(-180, 180), settings.elevation = random.uniform(-80, 89);
        settings.fov = random.uniform(10, 90);
        const Camera camera = place_camera(settings, subject, {0, 1, 0}, 1.6);
        const Lens lens(camera, width, height);
        double left = width, right = 0, top = height, bottom = 0;
        for (const Vec3& corner : subject.corners) {
            const Lens::Seen seen = lens.project(corner);
            EXPECT_GT(seen.depth, 0);
            left = std::min(left, seen.x), right = std::max(right, seen.x);
            top = std::min(top, seen.y), bottom = std::max(bottom, seen.y);
        }
        EXPECT_TRUE(left > 0 && right < width && top > 0 && bottom < height);
        // One of the two directions is full but for the margin of 12 in 100 (in angle).
        EXPECT_GT(std::max((right - left) / width, (bottom - top) / height), 0.75);  // least measured 0.78
    }
}

TEST(Camera, RaysAndProjectionAgree) {
    const Camera camera{.position = {3, 2, 5}, .target = {0, 1, 0}, .fov = 35};
    const Lens lens(camera, width, height);
    for (const auto& [x, y] : {std::pair{0.0, 0.0}, {480.0, 300.0}, {959.0, 1.0}, {100.5, 599.5}}) {
        const Lens::Seen seen = lens.project(camera.position + lens.direction(x, y) * 7);
        EXPECT_NEAR(seen.x, x, 1e-9);
        EXPECT_NEAR(seen.y, y, 1e-9);
    }
    EXPECT_NEAR(lens.project(camera.target).x, 480, 1e-9);
    // Up is up.
    EXPECT_LT(lens.project({0, 1.5, 0}).y, 300);
}

TEST(Camera, LeavesOutWhatFlewAwayAndWhatIsHuge) {
    std::vector<Extent> extents;
    for (int i = 0; i < 8; ++i) extents.push_back(unit_box({static_cast<double>(i), 0, 0}));
    const double usual = find_subject(extents).radius;
    extents.push_back(unit_box({0, -1e5, 0}));
    extents.push_back(unit_box({0, std::nan(""), 0}));
    extents.push_back(unit_box({0, -1000, 0}, 999, false));
    EXPECT_NEAR(find_subject(extents).radius, usual, 1e-9);
    extents.push_back(unit_box({4, 0, 0}, 5, false));  // a bowl around them
    EXPECT_NEAR(find_subject(extents).radius, 5 * std::sqrt(3), 1e-9);
}

TEST(Camera, WorksWithoutAnything) {
    const Subject nothing = find_subject({});
    EXPECT_GT(nothing.radius, 0);
    const Camera camera = place_camera({}, nothing, {0, 1, 0}, 1.6);
    EXPECT_TRUE(is_finite(camera.position));
    // Straight from above there is no level to the view.
    CameraSettings top;
    top.elevation = 90;
    const Lens lens(place_camera(top, nothing, {0, 1, 0}, 1.6), width, height);
    EXPECT_TRUE(is_finite(lens.direction(1, 1)));
}

TEST(Camera, GravityDecidesWhatIsUp) {
    const std::vector<Extent> extents{unit_box({})};
    const Camera camera = place_camera({}, find_subject(extents), {0, 0, 1}, 1.6);
    EXPECT_GT(camera.position.z, 1);
    EXPECT_LT(Lens(camera, width, height).project({0, 0, 1}).y, Lens(camera, width, height).project({}).y);
}

TEST(Camera, GoesRoundAtOneDistance) {
    const std::vector<Extent> extents{unit_box({1, 2, 3}), unit_box({2, 2, 3})};
    const Subject subject = find_subject(extents);
    const Camera camera = place_camera({}, subject, {0, 1, 0}, 1.6);
    const double distance = norm(orbit(camera, subject, 0, 1.6).position - subject.centre);
    for (double degrees = 0; degrees < 360; degrees += 30) {
        const Camera c = orbit(camera, subject, degrees, 1.6);
        EXPECT_NEAR(norm(c.position - subject.centre), distance, 1e-9);
        const Lens lens(c, width, height);
        for (const Vec3& corner : subject.corners) {
            const Lens::Seen seen = lens.project(corner);
            EXPECT_TRUE(seen.x > 0 && seen.x < width && seen.y > 0 && seen.y < height);
        }
    }
}

TEST(Camera, IsReadFromWords) {
    const CameraSettings all = parse_camera(" 1,2.5, -3e0 ; 0,+1,0 ;35").value();
    EXPECT_EQ(all.position, (Vec3{1, 2.5, -3}));
    EXPECT_EQ(all.target, (Vec3{0, 1, 0}));
    EXPECT_EQ(all.fov, 35);
    const CameraSettings wide = parse_camera(";;70").value();
    EXPECT_FALSE(wide.position || wide.target);
    EXPECT_EQ(wide.fov, 70);
    EXPECT_EQ(parse_camera("top").value().elevation, 90);
    EXPECT_EQ(parse_camera("0,0,1").value().position, (Vec3{0, 0, 1}));
    for (const char* bad : {"1,2", "1,2,3,4", "1,2,x", "1,2,inf", "1,2,nan", "0,0,0;0,0,0", ";;0", ";;-5",
                            ";;200", ";;;", "sideways", "1 2 3", ";;35deg"}) {
        const auto refused = parse_camera(bad);
        ASSERT_FALSE(refused) << bad;
        EXPECT_TRUE(says(refused.error(), bad));
        EXPECT_FALSE(refused.error().cure().empty());
    }
}

}  // namespace
}  // namespace plush::render
