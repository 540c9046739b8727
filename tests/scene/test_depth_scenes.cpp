#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "plush/scene/scene.hpp"
#include "support/worlds.hpp"

// What Figures 8, 9 and 10 of Heidelberger et al. 2004 show, asked of the scenes after them: with depths to
// the closest feature things stick in one another, with consistent ones they do not.

namespace plush {
namespace {

using test::deformable_bodies;
using test::inverted_tets;
using test::rms_speed;
using test::run_until;

World end_of(const std::string& name, const std::string& variant = {}, double longer = 0) {
    const Scene scene = Scene::load(name, {}, variant);
    World world = scene.build();
    run_until(world, scene.duration() + longer);
    return world;
}

std::size_t stuck_pairs(const World& world) {
    const std::vector<BodyId> balls = deformable_bodies(world);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < balls.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            pairs += norm(world.centre(balls[i]) - world.centre(balls[j])) < 0.1;
    return pairs;
}

/// From the left cube's middle to the right one's: 0.27 m at the start.
double apart(const World& world) {
    const auto cubes = deformable_bodies(world);
    return world.centre(cubes[1]).x - world.centre(cubes[0]).x;
}

TEST(DepthScenes, TwoCubesPartConsistentlyAndStickByTheClosestFeature) {
    for (const std::string step : {"240", "120", "60"}) {
        const World consistent = end_of("two_cubes", "consistent_" + step);
        EXPECT_GT(apart(consistent), 0.5) << step;  // measured: 1.07, 0.77, 0.70
        EXPECT_TRUE(consistent.overlapping_tets().empty()) << step;
        EXPECT_EQ(inverted_tets(consistent), 0u) << step;
        const World closest = end_of("two_cubes", "closest_" + step);
        EXPECT_LT(apart(closest), apart(consistent) - 0.1) << step;  // measured: 0.85, 0.54, -0.06
        EXPECT_EQ(closest.overlapping_tets().empty(), step != "60") << step;
    }
}

TEST(DepthScenesFull, SpheresStackAndNoneIsStuck) {
    const World consistent = end_of("sphere_stack", "consistent");
    EXPECT_EQ(stuck_pairs(consistent), 0u);
    EXPECT_EQ(inverted_tets(consistent), 0u);
    EXPECT_LT(rms_speed(consistent), 2e-3);                                  // m/s; measured: 0.95e-3
    EXPECT_GT(stuck_pairs(end_of("sphere_stack", "closest_feature")), 10u);  // measured: 26
}

TEST(DepthScenesFull, MixedBodiesComeToRestOnOneAnother) {
    const World world = end_of("mixed", {}, 3);
    EXPECT_EQ(inverted_tets(world), 0u);
    EXPECT_LT(rms_speed(world), 2e-3);               // m/s; measured: 0.6e-3
    EXPECT_LT(world.report().largest_depth, 0.005);  // m; measured: 0.0023
    const auto between = [&](const Contact& c) {
        return world.kind(c.a) != BodyKind::fixed && world.kind(c.b) != BodyKind::fixed;
    };
    const auto contacts = world.contacts();
    EXPECT_GT(std::count_if(contacts.begin(), contacts.end(), between), 15);  // measured: 33
}

}  // namespace
}  // namespace plush
