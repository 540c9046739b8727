#include <gtest/gtest.h>

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/round_trip.hpp"

namespace plush {
namespace {

TEST(PositionConstraints, TheLighterPointMovesMore) {
    PositionConstraints c;
    c.keep_distance(0, 1, 1);
    std::vector<Vec3> x{{0, 0, 0}, {3, 0, 0}};
    c.project(x, std::vector<double>{1, 0.25});  // 1 kg and 4 kg
    EXPECT_LT(norm(x[0] - Vec3{1.6, 0, 0}), 1e-15);
    EXPECT_LT(norm(x[1] - Vec3{2.6, 0, 0}), 1e-15);
    std::vector<Vec3> pinned{{0, 0, 0}, {3, 0, 0}};
    c.project(pinned, std::vector<double>{0, 0.25});
    EXPECT_EQ(pinned[0], Vec3{});
    EXPECT_LT(norm(pinned[1] - Vec3{1, 0, 0}), 1e-15);
    std::vector<Vec3> same(2);
    c.project(same, std::vector<double>{1, 1});
    EXPECT_NEAR(norm(same[1] - same[0]), 1, 1e-15);
    c.project(pinned, std::vector<double>{0, 0});  // nothing can move, nothing is divided by zero
    EXPECT_LT(norm(pinned[1] - Vec3{1, 0, 0}), 1e-15);
}

TEST(PositionConstraints, AMaximalDistanceLeavesShorterOnesAlone) {
    PositionConstraints c;
    c.limit_distance(0, 1, 1);
    std::vector<Vec3> x{{0, 0, 0}, {0.5, 0, 0}};
    c.project(x, std::vector<double>{1, 1});
    EXPECT_EQ(x[1], (Vec3{0.5, 0, 0}));
    x[1] = {2, 0, 0};
    c.project(x, std::vector<double>{1, 1});
    EXPECT_NEAR(norm(x[1] - x[0]), 1, 1e-15);
}

DeformableBody beads(int n, IntegrationMethod method) {
    DeformableModel model;
    for (int i = 0; i < n; ++i) model.positions.push_back({0.1 * i, 0, 0});
    model.masses.assign(static_cast<std::size_t>(n), 0.1);
    DeformableSettings settings;
    settings.integration.method = method;
    return DeformableBody(std::move(model), settings);
}

// A pendulum of one rigid rod: its period by a quarter of it, and its length.
TEST(PositionConstraints, AChainOnVerletSwingsWithRigidLinks) {
    for (IntegrationMethod m : {IntegrationMethod::verlet, IntegrationMethod::time_corrected_verlet}) {
        DeformableBody body = beads(10, m);
        body.pin(0);
        PositionConstraints c;
        for (std::uint32_t i = 0; i + 1 < 10; ++i) c.keep_distance(i, i + 1, 0.1);
        c.keep_outside(sdf::plane({0, -0.6, 0}, {0, 1, 0}), 0.01);
        c.set_iterations(100);
        body.set_constraints(c);
        double lowest = 0;
        for (int i = 0; i < 400; ++i) {
            test::step(body, 0.005, {0, -9.81, 0});
            for (const Vec3& p : body.positions()) lowest = std::min(lowest, p.y);
            ASSERT_TRUE(body.is_finite());
        }
        EXPECT_GE(lowest, -0.59 - 1e-12) << "the floor is hard";
        EXPECT_LT(lowest, -0.58) << "and it was reached";
        EXPECT_LT(body.constraints().error(body.positions()), 1e-5);  // measured 1.6e-7
    }
}

// φ̈ = −(g/l) sin φ from 90° reaches the bottom after 1.8541 √(l/g) with the speed √(2 g l).
TEST(PositionConstraints, APendulumReachesTheBottomInTime) {
    DeformableBody body = beads(2, IntegrationMethod::verlet);
    body.pin(0);
    PositionConstraints c;
    c.keep_distance(0, 1, 0.1);
    body.set_constraints(c);
    const double h = 1e-4;
    int steps = 0;
    while (body.positions()[1].x > 0 && steps < 100'000) test::step(body, h, {0, -9.81, 0}), ++steps;
    EXPECT_NEAR(steps * h, 1.8541 * std::sqrt(0.1 / 9.81), 2e-4);
    // Projecting along the new direction of the rod, not the old, costs speed in first order:
    // measured 2.6e-3.
    EXPECT_NEAR(norm(body.velocities()[1]), std::sqrt(2 * 9.81 * 0.1), 4e-3);
}

}  // namespace
}  // namespace plush
