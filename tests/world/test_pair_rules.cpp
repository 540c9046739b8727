#include "world/pair_rules.hpp"

#include <gtest/gtest.h>

#include "world/world_parts.hpp"
#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

/// Two boxes, indices 0 and 1, and the ground, 2.
struct Pairs {
    explicit Pairs(const WorldSettings& settings = {}) : world(settings) {
        for (const double friction : {0.4, 0.9}) {
            Rigid box = cube();
            box.material.friction = friction, box.material.restitution = friction / 2;
            ids.push_back(world.add(world.factory.make(box, {})));
        }
        ids.push_back(world.add(world.factory.make(Fixed{.shape = Shape::half_space()}, {})));
    }
    WorldParts world;
    std::vector<BodyId> ids;
};

TEST(PairRules, MixMaterialsAndAnswerTheSameBothWaysRound) {
    const Pairs pairs;
    const PairBehaviour there = pairs.world.rules.behaviour(0, 1), back = pairs.world.rules.behaviour(1, 0);
    EXPECT_DOUBLE_EQ(there.law.friction, std::sqrt(0.4 * 0.9));
    EXPECT_DOUBLE_EQ(there.law.restitution, 0.45);
    EXPECT_EQ(there.method, ContactMethod::points);  // never automatic
    EXPECT_EQ(there.law.friction, back.law.friction);
    EXPECT_EQ(there.method, back.method);
}

TEST(PairRules, WhatIsSaidOfAPairWinsForThatPairAlone) {
    Pairs pairs;
    PairRules& rules = pairs.world.rules;
    rules.set_material(pairs.ids[1], pairs.ids[0], {.friction = 2, .restitution = 0.1});
    rules.set_method(pairs.ids[0], pairs.ids[1], ContactMethod::volume);
    EXPECT_EQ(rules.behaviour(0, 1).law.friction, 2);
    EXPECT_EQ(rules.behaviour(0, 1).law.restitution, 0.1);
    EXPECT_EQ(rules.behaviour(0, 1).method, ContactMethod::volume);
    EXPECT_EQ(rules.behaviour(0, 2).method, ContactMethod::points);
    EXPECT_TRUE(rules.names_method(ContactMethod::volume));
    EXPECT_FALSE(rules.names_method(ContactMethod::impulse));
    rules.forget_body(1);
    EXPECT_EQ(rules.behaviour(0, 1).method, ContactMethod::points);
}

TEST(PairRules, JointsAndFiltersKeepBodiesApartAndRulesWin) {
    Pairs pairs;
    PairRules& rules = pairs.world.rules;
    EXPECT_TRUE(rules.collision_allowed(0, 1));
    rules.set_jointed(1, 0, true);
    rules.set_jointed(0, 1, true);
    EXPECT_FALSE(rules.collision_allowed(0, 1));
    rules.set_jointed(0, 1, false);
    EXPECT_FALSE(rules.collision_allowed(1, 0));  // one of the two joints is left
    rules.set_jointed(0, 1, false);
    EXPECT_TRUE(rules.collision_allowed(1, 0));
    rules.set_filter(pairs.ids[0], {.groups = 2, .collides_with = 4});
    EXPECT_FALSE(rules.collision_allowed(0, 1));
    rules.set_collide(pairs.ids[0], pairs.ids[1], true);
    EXPECT_TRUE(rules.collision_allowed(0, 1));
    EXPECT_FALSE(rules.collision_allowed(0, 2));
}

TEST(PairRules, CompliantMaterialsMakeCompliantVolumeContacts) {
    WorldSettings settings;
    settings.contact.method = ContactMethod::volume;
    Pairs pairs(settings);
    EXPECT_FALSE(pairs.world.rules.is_compliant(0, 1));
    Rigid rubber = cube();
    rubber.material.young = 1e5;
    pairs.world.add(pairs.world.factory.make(rubber, {}));
    EXPECT_TRUE(pairs.world.rules.is_compliant(0, 3));
    const double thickness = pairs.world.bodies[3].shape.thickness();
    EXPECT_DOUBLE_EQ(pairs.world.rules.volume_law(0, 3, 0.01).flexibility, thickness / 1e5);
}

TEST(PairRules, AreStateOfTheWorld) {
    Pairs pairs;
    const auto before = pairs.world.snapshot();
    pairs.world.rules.set_material(pairs.ids[0], pairs.ids[1], {.friction = 3});
    ASSERT_TRUE(pairs.world.restore(before).ok());
    EXPECT_DOUBLE_EQ(pairs.world.rules.behaviour(0, 1).law.friction, std::sqrt(0.4 * 0.9));
}

}  // namespace
}  // namespace plush
