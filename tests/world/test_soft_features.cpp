#include <gtest/gtest.h>

#include <algorithm>

#include "soft_heaps.hpp"
#include "support/points.hpp"
#include "support/worlds.hpp"
#include "worlds.hpp"

// The baseline of closest features, for pairs with a deformable body.

namespace plush {
namespace {

using namespace testing_world;
using test::expect_restored_alike;
using test::lowest;
using test::without_sleep;

WorldSettings by_features(int threads = 1) {
    return without_sleep(
        {.step = 0.01, .threads = threads, .contact = {.method = ContactMethod::closest_feature}});
}

WorldSettings weightless() {
    return without_gravity(by_features());
}

/// By how much contacts push a body up, N.
double carried(const World& world, BodyId body) {
    double force = 0;
    for (const Contact& c : world.contacts())
        if (c.a == body || c.b == body)
            force += (c.a == body ? 1 : -1) * (c.normal * c.normal_force + c.friction_force).y;
    return force;
}

/// Something with its top at height 0.
void add_table(World& world, std::string_view kind) {
    const Shape box = Shape::box({0.3, 0.1, 0.3});
    const Vec3 below{0, -0.1, 0};
    if (kind == "ground") world.add_ground();
    if (kind == "fixed") world.add(Fixed{.shape = box}, {.position = below});
    if (kind == "scripted") world.add(Scripted{.shape = box, .keyframes = {{.position = below}}});
    if (kind == "distance")  // it has no mesh
        world.add(Fixed{.shape = Shape::distance(sdf::box({0.3, 0.1, 0.3}), Mesh{})}, {.position = below});
    if (kind == "fine")
        world.add(Fixed{.shape = Shape::mesh(shapes::box({0.3, 0.1, 0.3}, 2000))}, {.position = below});
    if (kind != "soft" && kind != "rigid") return;
    world.add_ground(-0.2);
    const Placement at{.position = {0.02, -0.1, 0.01}};
    kind == "soft" ? world.add(soft_box(0.1, 5e5), at) : world.add(cube(), at);
}

TEST(SoftFeatures, ABoxRestsWithItsWeightOnWhateverThereIs) {
    for (const char* under : {"ground", "fixed", "scripted", "distance", "fine", "soft", "rigid"}) {
        World world(by_features());
        add_table(world, under);
        const BodyId box = world.add(soft_box(), {.position = {0, 0.11, 0}});
        steps(world, 200);
        EXPECT_LT(rms_speed(world), 1e-5) << under;                         // measured: 3e-6 on a soft one
        EXPECT_NEAR(carried(world, box) / (world.mass(box) * g), 1, 1e-6);  // measured: 2e-8
        // Half of the allowed depth of 0.1 mm is aimed at.
        EXPECT_GT(world.report().largest_depth, 0) << under;
        EXPECT_LT(world.report().largest_depth, 1e-4) << under;  // measured: 0.052 mm
        // Of a box on another as wide, what hangs over its rim sags.
        const bool wide = std::string_view(under) != "soft" && std::string_view(under) != "rigid";
        EXPECT_NEAR(lowest(world.vertex_positions(box)), -5e-5, wide ? 5e-5 : 5e-3) << under;
    }
}

TEST(SoftFeatures, MomentumIsKept) {
    const Blow blow = soft_blow(weightless());
    EXPECT_GT(blow.touching, 10);
    EXPECT_LT(blow.change, 1e-13);  // measured: 9e-16 m/s
}

// Gravity is tilted instead of the table.
TEST(SoftFeatures, FrictionHoldsBelowTheConeAndSlipsAbove) {
    constexpr double friction = 0.5;
    for (const double slope : {0.45, 0.6}) {
        WorldSettings s = by_features();
        const double across = slope / std::hypot(1, slope), down = 1 / std::hypot(1, slope);
        s.gravity = {g * across, -g * down, 0};
        World world(s);
        world.add(Fixed{.shape = Shape::box({2, 0.1, 0.3}), .material = {.friction = friction}},
                  {.position = {0, -0.1, 0}});
        Soft soft = soft_box(0.1, 5e5);
        soft.material.friction = friction;
        const BodyId box = world.add(soft, {.position = {0, 0.1, 0}});
        const auto centre_speed = [&] { return world.momentum().x / world.mass(box); };
        steps(world, 60);
        const double before = centre_speed();
        steps(world, 20);
        if (slope < friction) {
            EXPECT_LT(std::abs(centre_speed()), 1e-4);
            for (const Contact& c : world.contacts()) EXPECT_TRUE(c.sticking || c.normal_force == 0);
        } else {
            const double expected = g * (across - friction * down);
            EXPECT_NEAR((centre_speed() - before) / 0.2, expected, 0.02 * expected);
        }
    }
}

// A surface that is nearest on the inside counts as far as the body is thick.
TEST(SoftFeatures, WhatIsInsideIsPushedOut) {
    World world(weightless());
    world.add(Fixed{.shape = Shape::box({0.3, 0.1, 0.3})}, {.position = {0, -0.1, 0}});
    const BodyId toy = world.add(soft_toy(), {.position = {0, 0.11, 0}});
    EXPECT_LT(lowest(world.drawn_positions(toy)), -0.02);  // that deep at the start
    steps(world, 30);
    EXPECT_GT(lowest(world.drawn_positions(toy)), -2e-4);
}

// Watched from the margin on, but only a touch where a vertex is at the surface.
TEST(SoftFeatures, BodiesWithinTheMarginDoNotTouch) {
    for (const double gap : {5e-4, 2e-3, -1e-5}) {
        World world(weightless());
        world.add(Fixed{.shape = Shape::box({0.3, 0.1, 0.3})}, {.position = {0, -0.1, 0}});
        world.add(soft_box(), {.position = {0, 0.1 + gap, 0}});
        world.step();
        EXPECT_EQ(world.contacts().empty(), gap > 1e-3);
        EXPECT_EQ(world.events().empty(), gap > 0);
        for (const Contact& c : world.contacts()) EXPECT_NEAR(c.depth, -gap, 1e-6);
    }
}

// What a finer skin costs: contacts by volume are as many as before. Both skins are fine beside the tets, or the coarse
// one would be refined for contact.
TEST(SoftFeatures, FinerSkinsMeanMoreContacts) {
    std::size_t counts[2][2];
    for (const bool by_volume : {false, true})
        for (const bool fine : {false, true}) {
            WorldSettings s = by_features();
            if (by_volume) s.contact.method = ContactMethod::volume;
            World world(s);
            world.add_ground();
            Soft soft;
            soft.solid =
                SoftSolid::fill(shapes::box({0.1, 0.1, 0.1}, fine ? 4200 : 600), {.cells_across = 2});
            soft.elastic = rubber();
            world.add(soft, {.position = {0, 0.1, 0}});
            steps(world, 30);
            counts[by_volume][fine] = world.contacts().size();
        }
    EXPECT_GT(counts[0][1], 5 * counts[0][0]);
    EXPECT_LE(counts[1][1], 2 * counts[1][0]);
}

TEST(SoftFeatures, AnyNumberOfThreadsGivesTheSameBits) {
    std::vector<std::uint64_t> hashes;
    for (const int threads : {1, 2, 4}) {
        World world = soft_heap(by_features(threads), 3, {.clusters = true});
        steps(world, 30);
        EXPECT_GT(world.contacts().size(), 10u);
        hashes.push_back(world.state_hash());
    }
    EXPECT_EQ(hashes[0], hashes[1]);
    EXPECT_EQ(hashes[0], hashes[2]);
}

TEST(SoftFeatures, ASnapshotInContactGoesOnAsTheWorldDid) {
    World world = soft_heap(by_features(), 7);
    steps(world, 25);
    EXPECT_GT(world.contacts().size(), 10u);
    World other = soft_heap(by_features(2), 7);
    expect_restored_alike(world, other, 10);
}

TEST(SoftFeatures, ABodyAtRestSleepsAndIsWokenByABlow) {
    WorldSettings s = by_features();
    s.sleep.enabled = true;
    World world(s);
    add_table(world, "fixed");
    const BodyId box = world.add(soft_box(), {.position = {0, 0.1, 0}});
    steps(world, 300);
    ASSERT_TRUE(world.asleep(box));
    const BodyId other = world.add(cube(0.05), {.position = {0, 0.4, 0}});
    steps(world, 15);
    EXPECT_TRUE(world.asleep(box));  // the other one falls for 0.17 s
    steps(world, 10);
    EXPECT_FALSE(world.asleep(box));
    EXPECT_GT(world.centre(other).y, 0.2);
}

// One pair by features in a world of volumes, and the other way round.
TEST(SoftFeatures, PairsChooseTheirMethod) {
    for (const bool by_volume : {false, true}) {
        WorldSettings s = by_features();
        s.contact.method = by_volume ? ContactMethod::volume : ContactMethod::points;
        World world(s);
        const BodyId ground = world.add_ground();
        const BodyId box = world.add(soft_box(), {.position = {0, 0.1, 0}});
        world.set_pair_method(ground, box, ContactMethod::closest_feature);
        steps(world, 100);
        EXPECT_EQ(world.contacts().size(), 16u);  // the vertices of the face: 4 x 4
        EXPECT_NEAR(carried(world, box) / (world.mass(box) * g), 1, 1e-4);
    }
}

// Their compliance would fill the memory.
TEST(SoftFeatures, TooManyContactsAreRefusedAndTheWorldStays) {
    WorldSettings s = by_features();
    s.contact.margin = 0.5;
    World world(s);
    world.add_ground();
    Soft soft;
    soft.name = "fine";
    soft.solid = SoftSolid::fill(shapes::box({0.1, 0.1, 0.1}, 6000), {.cells_across = 4});
    soft.elastic = rubber();
    world.add(soft, {.position = {0, 0.1, 0}});
    const std::uint64_t before = world.state_hash();
    const Error error = error_of([&] { world.step(); });
    EXPECT_TRUE(says(error.place(), "fine"));
    EXPECT_TRUE(says(error.problem(), "at most 2000"));
    EXPECT_TRUE(says(error.cure(), "margin"));
    EXPECT_EQ(world.state_hash(), before);
}

TEST(SoftFeatures, WhatHasNoInsideIsRefused) {
    const Cloth cloth = [] {
        Cloth c;
        c.name = "flag";
        return c;
    }();
    World world(by_features());
    const Error open = error_of([&] { world.add(cloth); });
    EXPECT_TRUE(says(open.place(), "flag"));
    EXPECT_TRUE(says(open.problem(), "open"));
    EXPECT_TRUE(says(open.cure(), "points"));
    Soft itself = soft_box();
    itself.self_contact = true;
    const Error self = error_of([&] { world.add(itself); });
    EXPECT_TRUE(says(self.place(), "self_contact"));
    EXPECT_TRUE(says(self.cure(), "volume"));
    EXPECT_TRUE(world.bodies().empty());

    World points;
    const BodyId ground = points.add_ground(), flag = points.add(cloth);
    const Error pair =
        error_of([&] { points.set_pair_method(ground, flag, ContactMethod::closest_feature); });
    EXPECT_TRUE(says(pair.place(), "flag"));
    EXPECT_TRUE(says(pair.problem(), "open"));
    points.step();
}

}  // namespace
}  // namespace plush
