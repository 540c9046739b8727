#include "lab/bench/distance_field_baseline.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/bench/depth_layers.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/world/world.hpp"

namespace plush::lab {
namespace {

TEST(DistanceFieldBaseline, TheFieldHasThePapersCellsAndTheDistanceOfABall) {
    const Mesh ball = shapes::icosphere(0.5, 20480);
    const DistanceField field(ball, {128, 107, 98});
    std::array<int, 3> cells = field.cells();
    std::sort(cells.begin(), cells.end());
    EXPECT_EQ(cells, (std::array<int, 3>{98, 107, 128}));
    for (const Vec3& p : {Vec3{0.51, 0, 0}, Vec3{0.2, -0.3, 0.3}, Vec3{0, 0.49, 0.01}}) {
        double value = 0;
        Vec3 gradient;
        ASSERT_TRUE(field.sample(p, value, gradient));
        EXPECT_NEAR(value, norm(p) - 0.5, 5e-4);
        EXPECT_GT(dot(gradient, normalised(p)), 0.999);
    }
    double value = 0;
    Vec3 gradient;
    EXPECT_FALSE(field.sample({2, 0, 0}, value, gradient));
}

TEST(DistanceFieldBaseline, EveryVertexThatTouchesIsAContactAndABodyComesToRest) {
    const Shape plate = Shape::mesh(shapes::box({0.4, 0.1, 0.4})),
                block =
                    Shape::mesh(generate({.shape = "rounded_box", .triangles = 3000, .size = 0.3}).value());
    const MassProperties mass = mass_properties(block.drawn(), 500).value();
    DistanceFieldBaseline baseline(block, mass, {.position = {0, 0.36, 0}}, plate, {{0, 0.1, 0}, {}},
                                   {64, 64, 32}, {.step = 0.01, .gravity = {0, -9.81, 0}, .friction = 0.5});
    std::size_t contacts = 0;
    BaselineTimes times;
    for (int k = 0; k < 200; ++k) contacts = baseline.step(times);
    EXPECT_GT(contacts, 20u);                    // the face, vertex by vertex
    EXPECT_LT(baseline.kinetic_energy(), 1e-4);  // J, of 13 kg
    EXPECT_LT(baseline.deepest(), 5e-4);
    EXPECT_GT(times.detect, 0);
    EXPECT_GT(times.solve, 0);
}

TEST(DepthLayers, AreTheMostCrossingsOfAnyColumn) {
    World world;
    world.add_ground();
    EXPECT_EQ(depth_layers(world, 0.01), 0);
    const Shape box = Shape::mesh(shapes::box({0.1, 0.1, 0.1}));
    world.add(Rigid{.shape = box}, {.position = {0, 0.1, 0}});
    EXPECT_EQ(depth_layers(world, 0.01), 2);
    world.add(Rigid{.shape = box}, {.position = {0.05, 0.5, 0.05}});
    EXPECT_EQ(depth_layers(world, 0.01), 4);
    world.add(Rigid{.shape = Shape::mesh(shapes::torus(0.2, 0.05))}, {.position = {1, 0.5, 0}});
    EXPECT_EQ(depth_layers(world, 0.01), 6);  // along x: two of the upper box, four of the ring
}

}  // namespace
}  // namespace plush::lab
