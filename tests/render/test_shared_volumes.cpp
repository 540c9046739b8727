#include "render/shared_volumes.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plush/geometry/generate.hpp"
#include "render/small_runs.hpp"

// What `plush render --mode volumes` draws, against closed forms.

namespace plush::render {
namespace {

using test::frame_mesh;

/// Two bodies that touch.
struct TwoBodies {
    FramesHeader header{};
    Frame frame{};
    void add(const Mesh& mesh, const Transform& pose) {
        header.bodies.push_back({.kind = "rigid", .mesh = static_cast<std::int32_t>(header.meshes.size())});
        header.meshes.push_back(frame_mesh(mesh));
        frame.poses.push_back(pose);
    }
    void add_plane(const Transform& pose) {
        header.bodies.push_back({.kind = "fixed", .normal = {0, 1, 0}});
        frame.poses.push_back(pose);
    }
    std::vector<SharedVolume> find() {
        if (frame.contacts.empty()) frame.contacts.push_back({.a = 0, .b = 1});
        SharedVolumes volumes;
        return volumes.find(header, frame, Parallel(1));
    }
};

constexpr double pi = 3.141592653589793;

TEST(SharedVolumes, OfTwoBoxesTheProductOfTheOverlaps) {
    const Transform turn{{0.2, -0.1, 0.4}, from_axis_angle({1, 2, 3}, 35)};
    TwoBodies two;
    two.add(shapes::box({0.5, 0.4, 0.3}), turn);
    two.add(shapes::box({0.5, 0.4, 0.3}), turn * Transform{{0.7, 0.5, 0.2}, {}});
    const auto found = two.find();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].volume, 0.3 * 0.3 * 0.4, 1e-4 * 0.036);  // measured: 1.8e-6 of it
    // And nothing of it outside of either.
    for (const Vec3f& p : found[0].positions) {
        const Vec3 q = inverse(turn) *
                       Vec3{static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
        EXPECT_TRUE((Box3{{0.2, 0.1, -0.1}, {0.5, 0.4, 0.3}}).grown(1e-6).contains(q));
    }
}

TEST(SharedVolumes, OfABallAndAPlaneTheCap) {
    TwoBodies two;
    two.add(shapes::icosphere(0.5, 5120), {{1, 2.4, 3}, {}});
    const double tilt = 20;
    const Quat turn = from_axis_angle({0, 0, 1}, tilt);
    const double depth = 0.1;
    const Vec3 n = rotate(turn, {0, 1, 0});
    two.add_plane({Vec3{1, 2.4, 3} - n * (0.5 - depth), turn});
    const auto found = two.find();
    ASSERT_EQ(found.size(), 1u);
    const double cap = pi * depth * depth * (3 * 0.5 - depth) / 3;
    EXPECT_NEAR(found[0].volume, cap, 0.01 * cap);  // measured: 0.8 %, the mesh of the ball
}

TEST(SharedVolumes, OfTwoBallsTheLens) {
    TwoBodies two;
    const double r = 0.5, d = 0.95;
    two.add(shapes::icosphere(r, 5120), {});
    two.add(shapes::icosphere(r, 5120), {{0, d, 0}, from_axis_angle({1, 0, 0}, 40)});
    const auto found = two.find();
    ASSERT_EQ(found.size(), 1u);
    const double lens = pi * std::pow(2 * r - d, 2) * (d * d + 4 * d * r) / (12 * d);
    EXPECT_NEAR(found[0].volume, lens, 0.03 * lens);  // measured: 2.9 %, the same
}

// A body wholly inside another is all that they share.
TEST(SharedVolumes, WhatIsInsideIsShared) {
    TwoBodies two;
    two.add(shapes::box({0.5, 0.5, 0.5}), {});
    two.add(shapes::box({0.1, 0.1, 0.1}), {{0.2, 0.1, 0}, {}});
    const auto found = two.find();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].volume, 0.008, 1e-8);  // measured: 7e-10, single precision
}

TEST(SharedVolumes, OfADeformableBodyWhereItsVerticesAre) {
    TwoBodies two;
    two.add(shapes::box({0.5, 0.5, 0.5}), {});
    const Mesh box = shapes::box({0.1, 0.1, 0.1});
    two.header.bodies.push_back({.kind = "deformable", .mesh = 1, .points = box.positions().size()});
    two.header.meshes.push_back(frame_mesh(box));
    for (const Vec3& p : box.positions())  // half as high, and half in
        two.frame.points.push_back(
            {static_cast<float>(p.x), static_cast<float>(0.5 + 0.5 * p.y), static_cast<float>(p.z)});
    const auto found = two.find();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_NEAR(found[0].volume, 0.2 * 0.2 * 0.05, 1e-4 * 0.002);  // measured: 3e-7 of it
}

TEST(SharedVolumes, NothingWherePairsAreApartOrOpen) {
    TwoBodies apart;
    apart.add(shapes::box({0.5, 0.5, 0.5}), {});
    apart.add(shapes::box({0.5, 0.5, 0.5}), {{0, 1.001, 0}, {}});
    EXPECT_TRUE(apart.find().empty());

    TwoBodies open;
    open.add(shapes::box({0.5, 0.5, 0.5}), {});
    open.add(shapes::box({0.5, 0.5, 0.5}), {{0, 0.5, 0}, {}});
    open.header.meshes[1].triangles.resize(3 * 11);
    EXPECT_TRUE(open.find().empty());

    TwoBodies untouched;  // they overlap, but the run says of no contact
    untouched.add(shapes::box({0.5, 0.5, 0.5}), {});
    untouched.add(shapes::box({0.5, 0.5, 0.5}), {{0, 0.5, 0}, {}});
    untouched.frame.contacts.push_back({.a = 0, .b = 0});
    EXPECT_TRUE(untouched.find().empty());
}

}  // namespace
}  // namespace plush::render
