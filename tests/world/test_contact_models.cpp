#include "world/contact_models.hpp"

#include <gtest/gtest.h>

#include <set>

#include "soft_heaps.hpp"
#include "world/world_parts.hpp"
#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;
using Pairs = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Pairs linked(const ContactModel& model) {
    Pairs pairs;
    model.each_linked_pair([&](std::uint32_t i, std::uint32_t j) { pairs.insert(std::minmax(i, j)); });
    return pairs;
}

Pairs touching(const ContactModel& model) {
    Pairs pairs;
    model.each_touching_pair([&](std::uint32_t i, std::uint32_t j) { pairs.insert(std::minmax(i, j)); });
    return pairs;
}

/// The ground (0), a box on it (1), a soft box on it (2), a cloth over the box (3), and a box on the ground by volume (4),
/// all touching.
struct Table {
    Table() : world({}) {
        world.add(world.factory.make(Fixed{.shape = Shape::half_space()}, {}));
        world.add(world.factory.make(cube(), {.position = {0, 0.0999, 0}}));
        world.add(world.factory.make(soft_box(), {.position = {0.5, 0.099, 0}}));
        Cloth cloth;
        cloth.corner = {-0.2, 0.2001, -0.2}, cloth.side_x = {0.4, 0, 0}, cloth.side_y = {0, 0, 0.4};
        cloth.vertices = {9, 9};
        world.add(world.factory.make(cloth, {}));
        world.add(world.factory.make(cube(), {.position = {-0.7, 0.0999, 0}}));
        world.rules.set_method(world.bodies.id(0), world.bodies.id(4), ContactMethod::volume);
        for (int k = 0; k < 5; ++k) world.step();
    }
    WorldParts world;
};

TEST(ContactModels, EveryPairIsTakenByOneOfThem) {
    Table table;
    ContactModels& contact = table.world.contact;
    EXPECT_EQ(linked(contact.points), (Pairs{{0, 1}}));
    EXPECT_EQ(linked(contact.volumes), (Pairs{{0, 2}, {0, 4}}));
    EXPECT_TRUE(touching(contact.cloth).contains({1, 3}));
    EXPECT_FALSE(touching(contact.vertices).contains({1, 3}));
    EXPECT_FALSE(touching(contact.vertices).contains({0, 2}));
    for (const ContactModel* model : contact.all())
        for (const auto& pair : linked(*model)) EXPECT_TRUE(touching(*model).contains(pair));
}

TEST(ContactModels, TellEventsWhoTouches) {
    Table table;
    Pairs all;
    for (const auto& [i, j] : table.world.events.touching()) all.insert({i, j});
    EXPECT_EQ(all, (Pairs{{0, 1}, {0, 2}, {0, 4}, {1, 3}}));
    EXPECT_EQ(table.world.report.pairs, 4);
}

TEST(ContactModels, ForgetABodyAndAllContactsOfAnotherState) {
    Table table;
    ContactModels& contact = table.world.contact;
    table.world.remove(table.world.bodies.id(1));
    EXPECT_TRUE(linked(contact.points).empty());
    EXPECT_EQ(table.world.events.touching().size(), 2u);
    const auto before = table.world.snapshot();
    ASSERT_TRUE(table.world.restore(before).ok());
    EXPECT_TRUE(linked(contact.volumes).empty());
    table.world.step();
    EXPECT_EQ(linked(contact.volumes), (Pairs{{0, 2}, {0, 4}}));
}

}  // namespace
}  // namespace plush
