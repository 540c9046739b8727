#include "support/worlds.hpp"
#include "worlds.hpp"

// The baseline of closest features, seen from outside.

namespace plush {
namespace {

using namespace testing_world;
using test::expect_same_bits;

WorldSettings by_features(int threads = 1) {
    return without_sleep({.threads = threads, .contact = {.method = ContactMethod::closest_feature}});
}

TEST(ClosestFeatureWorld, AStackOfBoxesRests) {
    World world(by_features());
    const BodyId table = world.add(Fixed{.shape = Shape::box({0.5, 0.1, 0.5})}, {.position = {0, -0.1, 0}});
    BodyId top;
    for (int i = 0; i < 3; ++i)
        top = world.add(cube(), {.position = {0.01 * i, 0.1 + 0.2 * i, 0.013 * i},
                                 .rotation = from_axis_angle({0, 1, 0}, 10.0 * i)});
    steps(world, 120);
    EXPECT_LT(norm(world.velocity(top)), 1e-6);
    EXPECT_NEAR(world.centre(top).y, 0.5, 2e-4);
    double weight = 0, mass = 0;
    for (const Contact& c : world.contacts())
        if (c.a == table || c.b == table) weight += c.normal_force;
    for (const BodyId b : world.bodies())
        if (world.kind(b) == BodyKind::rigid) mass += world.mass(b);
    EXPECT_NEAR(weight, mass * g, 1e-3 * mass * g);
}

// What points cannot see: between their vertices two bars touch by their edges alone.
TEST(ClosestFeatureWorld, AnEdgeIsHeldByAnEdge) {
    World world(by_features());
    const Quat on_edge = from_axis_angle({1, 0, 0}, 45);
    const double height = 0.05 * std::sqrt(2.0);
    for (const double z : {-0.25, 0.25})
        world.add(Fixed{.shape = Shape::box({0.5, 0.05, 0.05})},
                  {.position = {0, 0, z}, .rotation = on_edge});
    const BodyId bar = world.add(
        Rigid{.shape = Shape::box({0.5, 0.05, 0.05})},
        {.position = {0, 2 * height + 0.01, 0}, .rotation = from_axis_angle({0, 1, 0}, 90) * on_edge});
    for (int i = 0; i < 30; ++i) {
        world.step();
        EXPECT_GT(world.centre(bar).y, 2 * height - 2e-4) << i;
    }
}

// The number of its points grows with the triangles; by volume it does not.
TEST(ClosestFeatureWorld, FinerMeshesMeanMoreContacts) {
    std::size_t counts[2][2];
    for (const bool by_volume : {false, true})
        for (const bool fine : {false, true}) {
            WorldSettings settings = by_features();
            if (by_volume) settings.contact.method = ContactMethod::volume;
            World world(settings);
            const Mesh box = shapes::box({0.1, 0.1, 0.1}, fine ? 768 : 192);
            world.add(Fixed{.shape = Shape::box({0.5, 0.1, 0.5})}, {.position = {0, -0.1, 0}});
            world.add(Rigid{.mesh = box, .distance_cells = 16}, {.position = {0, 0.1, 0}});
            steps(world, 20);
            counts[by_volume][fine] = world.contacts().size();
        }
    EXPECT_EQ(counts[0][0], 25u);  // the vertices of the face: 5 x 5
    EXPECT_EQ(counts[0][1], 81u);
    EXPECT_EQ(counts[1][0], counts[1][1]);
}

// What it cannot do: a body that is deeper inside than a step's reach is not found, and stays.
TEST(ClosestFeatureWorld, DeepOverlapsAreNotFound) {
    for (const bool by_volume : {false, true}) {
        WorldSettings settings = by_features();
        settings.gravity = {};
        if (by_volume) settings.contact.method = ContactMethod::volume;
        World world(settings);
        world.add(cube());
        const BodyId other = world.add(cube(), {.position = {0.1, 0.09, 0.08}});
        const Vec3 start = world.centre(other);
        steps(world, 30);
        EXPECT_EQ(norm(world.centre(other) - start) > 0.01, by_volume);
    }
}

void build_heap(World& world) {
    world.add_ground();
    const Mesh torus = generate({.shape = "torus", .triangles = 800, .size = 0.3}).value();
    for (int i = 0; i < 6; ++i) {
        const Placement at{.position = {0.05 * (i % 3), 0.2 + 0.2 * i, 0.04 * (i % 4)},
                           .rotation = from_axis_angle({1, 2, 3}, 17.0 * i)};
        if (i % 2 == 0)
            world.add(cube(), at);
        else
            world.add(Rigid{.mesh = torus, .distance_cells = 16}, at);
    }
}

TEST(ClosestFeatureWorld, TheSameBitsForAnyThreadsAndAfterARestore) {
    const auto build = [](int threads) {
        World world(by_features(threads));
        build_heap(world);
        return world;
    };
    expect_same_bits(build, {1, 2}, 60);
}

}  // namespace
}  // namespace plush
