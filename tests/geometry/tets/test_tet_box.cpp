#include <gtest/gtest.h>

#include "plush/geometry/check.hpp"
#include "plush/geometry/generate.hpp"

namespace plush {
namespace {

double volume_of(const TetMesh& mesh, const Tet& t) {
    const auto p = [&](std::size_t i) { return mesh.positions()[static_cast<std::size_t>(t[i])]; };
    return dot(cross(p(1) - p(0), p(2) - p(0)), p(3) - p(0)) / 6;
}

TEST(TetBox, FillsTheBoxWithFiveTetsACell) {
    const TetMesh mesh = tet_box({1, 2, 0.5}, {3, 4, 5}).value();
    EXPECT_EQ(mesh.positions().size(), 4u * 5 * 6);
    EXPECT_EQ(mesh.tets().size(), 5u * 3 * 4 * 5);
    EXPECT_EQ(mesh.positions().front(), (Vec3{-1, -2, -0.5}));
    EXPECT_EQ(mesh.positions()[1].y, -2);  // x first
    EXPECT_EQ(mesh.positions().back(), (Vec3{1, 2, 0.5}));
    double sum = 0;
    for (const Tet& t : mesh.tets()) {
        EXPECT_GT(volume_of(mesh, t), 0);
        sum += volume_of(mesh, t);
    }
    EXPECT_NEAR(sum, 8, 1e-13);
}

// Where two cells disagreed about the diagonal of the face between them, both halves would be on the surface.
TEST(TetBox, NeighboursShareTheirFaces) {
    for (const std::array<int, 3>& cells :
         {std::array{1, 1, 1}, std::array{2, 1, 1}, std::array{3, 2, 4}, std::array{4, 5, 2}}) {
        const Mesh surface = tet_box({0.5, 0.5, 0.5}, cells).value().surface();
        const auto [x, y, z] = cells;
        EXPECT_EQ(surface.triangles().size(), static_cast<std::size_t>(4 * (x * y + y * z + z * x)));
        const MeshReport report = check(surface);
        EXPECT_TRUE(report.closed && report.outward);
        EXPECT_EQ(report.self_intersections, 0);
        EXPECT_NEAR(report.volume, 1, 1e-14);
    }
}

TEST(TetBox, WhatCannotBeBuiltIsSaid) {
    EXPECT_EQ(tet_box({0, 1, 1}, {1, 1, 1}).error().place(), "half_size");
    EXPECT_EQ(tet_box({1, -1, 1}, {1, 1, 1}).error().place(), "half_size");
    EXPECT_FALSE(tet_box({1, HUGE_VAL, 1}, {1, 1, 1}).ok());
    EXPECT_EQ(tet_box({1, 1, 1}, {1, 0, 1}).error().place(), "cells");
    EXPECT_EQ(tet_box({1, 1, 1}, {2'000'000'000, 2'000'000'000, 2}).error().place(), "cells");
}

}  // namespace
}  // namespace plush
