#include "world/body_store.hpp"

#include <gtest/gtest.h>

#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

BodyRecord wall(const std::string& name = "") {
    BodyRecord record;
    record.shape = Shape::box({1, 1, 1});
    record.body = std::make_unique<KinematicBody>(record.shape, Transform{}, std::vector<Keyframe>{}, false);
    record.name = name;
    return record;
}

TEST(BodyStore, GivesPlacesAgainUnderAnotherGeneration) {
    BodyStore bodies;
    const BodyId first = bodies.add(wall("a")), second = bodies.add(wall("b"));
    bodies.remove(bodies.index_of(first));
    EXPECT_FALSE(bodies.contains(first));
    EXPECT_TRUE(says(error_of([&] { bodies.at(first); }).problem(), "was removed"));
    const BodyId third = bodies.add(wall("c"));
    EXPECT_EQ(third.index, first.index);
    EXPECT_NE(third.generation, first.generation);
    EXPECT_FALSE(bodies.contains(first));
    EXPECT_EQ(bodies.at(third).name, "c");
    // In the order of adding, whatever their places.
    EXPECT_EQ(bodies.ids(), (std::vector{second, third}));
    EXPECT_EQ(bodies.find("b"), second);
    EXPECT_FALSE(bodies.find("a"));
    EXPECT_TRUE(says(error_of([&] { bodies.index_of({}); }).problem(), "no such body"));
}

TEST(BodyStore, LabelsBodiesForMessages) {
    BodyStore bodies;
    bodies.add(wall("gate")), bodies.add(wall());
    EXPECT_EQ(bodies.label(0), "body \"gate\"");
    EXPECT_EQ(bodies.label(1), "body 2");
}

TEST(BodyStore, TheRevisionTellsOfChangesFromOutside) {
    BodyStore bodies;
    const std::uint64_t empty = bodies.revision();
    const BodyId id = bodies.add(wall());
    const std::uint64_t added = bodies.revision();
    EXPECT_NE(added, empty);
    bodies.at(id).asleep = true, bodies.at(id).quiet_time = 1;
    EXPECT_EQ(bodies.revision(), added);  // a step does that
    bodies.mark_changed(bodies.at(id));
    EXPECT_NE(bodies.revision(), added);
    EXPECT_FALSE(bodies.at(id).asleep);
    EXPECT_EQ(bodies.at(id).quiet_time, 0);
}

TEST(BodyStore, RefusesWhatABodyOfThatKindHasNot) {
    BodyStore bodies;
    const BodyId id = bodies.add(wall("wall"));
    EXPECT_TRUE(says(error_of([&] { bodies.deformable(id); }).problem(), "only deformable bodies"));
    EXPECT_TRUE(says(error_of([&] { bodies.particles(id); }).problem(), "it is fixed, not particles"));
}

#ifndef NDEBUG
TEST(BodyStoreDeathTest, ABodyIsNotTakenForOneOfAnotherKind) {
    BodyStore bodies;
    bodies.add(wall());
    EXPECT_DEATH(bodies[0].rigid(), "kind == wanted");
    EXPECT_DEATH(bodies[1].dynamic(), "index < records_.size");
}
#endif

}  // namespace
}  // namespace plush
