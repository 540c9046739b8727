#include "lab/bench/bench_piles.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/bench/bench_peer.hpp"
#include "plush/geometry/generate.hpp"

namespace plush::lab {
namespace {

TetMesh cube() {
    return tet_box({0.45, 0.45, 0.45}, {3, 3, 3}).value();
}

/// Two cubes of 0.9 m, one on the other, `deep` into it.
std::vector<Vec3> two(const TetMesh& box, double deep) {
    std::vector<Vec3> nodes;
    for (const double y : {0.45, 1.35 - deep})
        for (const Vec3& p : box.positions()) nodes.push_back(p + Vec3{0, y, 0});
    return nodes;
}

TEST(BenchPiles, TheSharedVolumeAndItsDepthAreSeen) {
    const TetMesh box = cube();
    const HeapState state = look_at(box, two(box, 0.009));
    EXPECT_TRUE(state.finite);
    EXPECT_EQ(state.inverted, 0);
    EXPECT_NEAR(state.shared, 0.01, 1e-4);          // measured: 0.0100001
    EXPECT_NEAR(state.mean_depth, 0.009, 2e-4);     // measured: 0.0088994
    EXPECT_NEAR(state.largest_depth, 0.009, 1e-4);  // measured: 0.0090268
    EXPECT_LT(state.below, 1e-12);
    const HeapState apart = look_at(box, two(box, -0.01));
    EXPECT_EQ(apart.shared, 0);
    EXPECT_EQ(apart.largest_depth, 0);
}

TEST(BenchPiles, TetsInsideOutAndNodesUnderTheGroundAreCounted) {
    const TetMesh box = cube();
    std::vector<Vec3> nodes = two(box, -0.01);
    nodes[0].y = -0.2;  // a corner of the lower one: out, and nothing turns
    EXPECT_EQ(look_at(box, nodes).inverted, 0);
    EXPECT_NEAR(look_at(box, nodes).below, 0.2, 1e-12);
    nodes[0] = {0.4, 0.8, 0.4};  // to the other side of its body
    EXPECT_GT(look_at(box, nodes).inverted, 0);
}

TEST(BenchPiles, WhatIsNotANumberIsSaid) {
    const TetMesh box = cube();
    std::vector<Vec3> nodes = two(box, 0);
    nodes[5].x = std::nan("");
    EXPECT_FALSE(look_at(box, nodes).finite);
}

TEST(BenchPiles, HeapsStartApartAndInsideTheirPen) {
    for (const int bodies : {10, 20, 40}) {
        const PilesTask task{.bodies = bodies};
        const double half = 0.5 * task.width();
        const TetMesh box = tet_box({half, half, half}, {1, 1, 1}).value();
        std::vector<Vec3> nodes;
        for (int b = 0; b < bodies; ++b)
            for (const Vec3& p : box.positions()) {
                nodes.push_back(Transform{task.place(b), task.turn(b)} * p);
                EXPECT_GT(nodes.back().y, 0);
                EXPECT_LT(std::max(std::abs(nodes.back().x), std::abs(nodes.back().z)), task.pen());
            }
        EXPECT_EQ(look_at(box, nodes).shared, 0) << bodies;
    }
}

}  // namespace
}  // namespace plush::lab
