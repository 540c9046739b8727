#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

TEST(Queries, ARayMeetsASphere) {
    World world;
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.5)}, {.position = {0, 3, 0}});
    const auto hit = world.ray({-2, 3.3, 0}, {2, 0, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, ball);
    EXPECT_NEAR(hit->distance, 2 - 0.4, 1e-6);  // √(0.5² − 0.3²) = 0.4
    expect_near(hit->point, {-0.4, 3.3, 0}, 1e-6);
    expect_near(hit->normal, {-0.8, 0.6, 0}, 1e-6);
    EXPECT_FALSE(world.ray({-2, 3.51, 0}, {1, 0, 0}));
    EXPECT_FALSE(world.ray({-2, 3.3, 0}, {1, 0, 0}, 1.59));
    EXPECT_TRUE(world.ray({-2, 3.3, 0}, {1, 0, 0}, 1.61));
    EXPECT_FALSE(world.ray({-2, 3.3, 0}, {-1, 0, 0}));
}

TEST(Queries, ARayMeetsATurnedBoxAndTheGroundBehindIt) {
    World world;
    const BodyId ground = world.add_ground(-1);
    const BodyId box = world.add(Rigid{.shape = Shape::box({0.5, 0.5, 0.5})},
                                 {.position = {0, 2, 0}, .rotation = from_axis_angle({0, 0, 1}, 45)});
    const auto hit = world.ray({0.1, 5, 0}, {0, -1, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, box);
    EXPECT_NEAR(hit->distance, 3 - (std::sqrt(0.5) - 0.1), 1e-6);
    expect_near(hit->normal, {std::sqrt(0.5), std::sqrt(0.5), 0}, 1e-6);
    const auto beside = world.ray({4, 5, 0}, {0, -3, 4});
    ASSERT_TRUE(beside);
    EXPECT_EQ(beside->body, ground);
    EXPECT_NEAR(beside->distance, 6 / 0.6, 1e-6);
    expect_near(beside->normal, {0, 1, 0}, 1e-12);
}

TEST(Queries, TheClosestPoint) {
    World world;
    const BodyId ground = world.add_ground();
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.5)}, {.position = {0, 3, 0}});
    const BodyId box = world.add(Fixed{.shape = Shape::box({1, 0.5, 1})}, {.position = {9, 3, 0}});
    auto near = world.closest({0, 1, 0});
    ASSERT_TRUE(near);
    EXPECT_EQ(near->body, ground);
    EXPECT_NEAR(near->distance, 1, 1e-12);
    expect_near(near->point, {0, 0, 0}, 1e-12);
    near = world.closest({0, 3.1, 0});
    EXPECT_EQ(near->body, ball);
    EXPECT_NEAR(near->distance, -0.4, 1e-12);
    expect_near(near->point, {0, 3.5, 0}, 1e-12);
    near = world.closest({11, 4, 0});  // off an edge, by (1, 0.5)
    EXPECT_EQ(near->body, box);
    EXPECT_NEAR(near->distance, std::hypot(1, 0.5), 1e-12);
    expect_near(near->point, {10, 3.5, 0}, 1e-12);
    EXPECT_FALSE(world.closest({0, 1.2, 0}, 1.1));
}

TEST(Queries, AMesh) {
    World world;
    const Mesh mesh = generate({.shape = "icosphere", .triangles = 5120, .size = 1}).value();
    const BodyId ball = world.add(Rigid{.mesh = mesh, .distance_cells = 48}, {.position = {0, 2, 0}});
    // A grid of 48 cells samples a ball of radius 0.5 m to h²/(8 R) ≈ 0.1 mm; the facets lie up to 0.7 mm
    // inside it. Measured 0.6 mm.
    const auto hit = world.ray({-3, 2, 0}, {1, 0, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, ball);
    EXPECT_NEAR(hit->distance, 2.5, 2e-3);
    expect_near(hit->normal, {-1, 0, 0}, 0.05);
    const auto near = world.closest({0, 2.7, 0});
    ASSERT_TRUE(near);
    EXPECT_NEAR(near->distance, 0.2, 5e-3);
    const auto inside = world.closest({0.3, 2, 0});
    EXPECT_NEAR(inside->distance, -0.2, 2e-3);
}

TEST(Queries, OverlappingBoxes) {
    World world;
    const BodyId ground = world.add_ground();
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.5)}, {.position = {0, 3, 0}});
    const BodyId box = world.add(Fixed{.shape = Shape::box({1, 1, 1})}, {.position = {4, 3, 0}});
    using Ids = std::vector<BodyId>;
    // A half-space has no bounds: it is in every answer.
    EXPECT_EQ(world.overlapping({{-0.1, 3.4, -0.1}, {0.1, 9, 0.1}}), (Ids{ground, ball}));
    EXPECT_EQ(world.overlapping({{-0.1, 3.6, -0.1}, {0.1, 9, 0.1}}), Ids{ground});
    EXPECT_EQ(world.overlapping({{0.4, 2, 0}, {3.1, 4, 0.1}}), (Ids{ground, ball, box}));
    world.remove(ground);
    EXPECT_EQ(world.overlapping({{-0.1, 3.6, -0.1}, {0.1, 9, 0.1}}), Ids{});
}

TEST(Queries, AnEmptyWorldAnswersNothing) {
    const World world;
    EXPECT_FALSE(world.ray({}, {1, 0, 0}));
    EXPECT_FALSE(world.closest({}));
    EXPECT_TRUE(world.overlapping({{-1, -1, -1}, {1, 1, 1}}).empty());
}

}  // namespace
}  // namespace plush
