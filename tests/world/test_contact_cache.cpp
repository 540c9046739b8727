#include <gtest/gtest.h>

#include "soft_heaps.hpp"
#include "support/worlds.hpp"

// Which pairs with soft bodies are queried, and which are reused from the contact cache
// (src/world/contact_cache.cpp). What is extrapolated must hold what it held.

namespace plush {
namespace {

using namespace testing_world;
using test::without_sleep;

WorldSettings settings() {
    return without_sleep({.step = 0.01, .threads = 1, .contact = {.method = ContactMethod::volume}});
}

int queries_in(World& world, int steps) {
    int queries = 0;
    for (int k = 0; k < steps; ++k) {
        world.step();
        queries += world.report().queries;
    }
    return queries;
}

// It flies and turns, and its parts do not move against each other.
TEST(ContactCache, ABodyThatFliesAsAWholeIsNotLookedAtWithItself) {
    World world(settings());
    Soft toy = soft_toy("octopus");
    toy.self_contact = true;
    const BodyId body = world.add(toy, {.position = {0, 10, 0}});
    world.set_velocity(body, {1, 2, 0}, {0, 0.5, 0});
    EXPECT_GT(queries_in(world, 1), 0);
    EXPECT_EQ(queries_in(world, 30), 0);
}

// The same that is squeezed together is.
TEST(ContactCache, ABodyThatBendsIsLookedAtWithItself) {
    World world(settings());
    Soft toy = soft_toy("octopus", 2e3);
    toy.self_contact = true;
    world.add_ground();
    world.add(toy, {.position = {0, 0.2, 0}});
    EXPECT_GT(queries_in(world, 60), 60);  // measured 147
}

TEST(ContactCache, WhatRestsIsNotLookedAtAgain) {
    World world(settings());
    world.add_ground();
    const BodyId low = world.add(soft_toy("bear"), {.position = {0, 0.16, 0}});
    world.add(soft_box(), {.position = {0, 0.42, 0}});
    queries_in(world, 400);
    const double height = world.centre(low).y;
    EXPECT_LE(queries_in(world, 100), 20);  // measured 0
    EXPECT_GT(world.report().contacts, 0);
    EXPECT_NEAR(world.centre(low).y, height, 1e-4);
}

// A blow is seen where it happens, whatever was known before.
TEST(ContactCache, WhatIsHitIsLookedAt) {
    World world(settings());
    world.add_ground();
    const BodyId box = world.add(soft_box(), {.position = {0, 0.1, 0}});
    queries_in(world, 200);
    const int at_rest = queries_in(world, 20);
    world.set_velocity(box, {0.5, 0, 0});
    EXPECT_GT(queries_in(world, 20), at_rest + 5);  // measured 18 against 0
}

}  // namespace
}  // namespace plush
