#include <gtest/gtest.h>

#include <cstring>

#include "plush/core/random.hpp"
#include "support/errors.hpp"
#include "support/hostile_worlds.hpp"
#include "support/worlds.hpp"

// Snapshots of other worlds, and snapshots that were changed with a checksum that fits: each ends in an Error or in a state that
// can be stepped, and the world can be put back.

namespace plush {
namespace {

using test::error_of;
using test::everything;
using test::says;
using test::soft_pair;
using test::steps;

/// One to three places of the state are other numbers.
std::vector<std::byte> changed(std::vector<std::byte> bytes, Random& random) {
    const std::size_t state = bytes.size() - 2 * sizeof(std::uint64_t);
    const int places = 1 + static_cast<int>(random.uniform(0, 3));
    for (int k = 0; k < places; ++k) {
        const auto at = static_cast<std::size_t>(random.uniform(0, 1) * static_cast<double>(state - 8));
        const std::uint32_t numbers[] = {0, 1, 2, 7, 100, 0x7fffffff, 0xffffffff, 0x7ff00000};
        const std::uint32_t number = numbers[static_cast<std::size_t>(random.uniform(0, 8))];
        const std::size_t aligned = random.uniform(0, 1) < 0.5 ? at / 4 * 4 : at;
        if (random.uniform(0, 1) < 0.5)
            std::memcpy(bytes.data() + aligned, &number, sizeof(number));
        else
            bytes[at] ^= static_cast<std::byte>(1 + static_cast<int>(random.uniform(0, 255)));
    }
    test::sign_snapshot(bytes);
    return bytes;
}

void expect_survives(World world, int settled, int tries, std::uint64_t seed) {
    steps(world, settled);
    const std::vector<std::byte> good = world.snapshot();
    world.step();
    const std::uint64_t expected = world.state_hash();
    Random random(seed);
    int refused = 0, stepped = 0;
    for (int k = 0; k < tries; ++k) {
        const std::vector<std::byte> bad = changed(good, random);
        try {
            world.restore(bad);
            world.step();
            ++stepped;
        } catch (const Error&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, tries / 100);
    EXPECT_GT(stepped, 0);
    world.restore(good);
    world.step();
    EXPECT_EQ(world.state_hash(), expected);
}

TEST(HostileSnapshots, OfAllKindsOfState) {
    expect_survives(everything(), 20, 150, 1);
}
TEST(HostileSnapshotsFull, OfAllKindsOfState) {
    for (std::uint64_t seed = 1; seed < 11; ++seed) expect_survives(everything(), 20, 1500, seed);
}
TEST(HostileSnapshots, OfSoftBodiesAndACutOne) {
    expect_survives(soft_pair(), 5, 120, 2);
}
TEST(HostileSnapshotsFull, ManyMore) {
    for (std::uint64_t seed = 3; seed < 13; ++seed) {
        expect_survives(soft_pair(), 5, 1000, seed);
    }
}

TEST(HostileSnapshots, AnotherWorldsAreRefused) {
    const World world = everything();
    const std::vector<std::byte> snapshot = world.snapshot();
    everything().restore(snapshot);
    const auto refused = [&](World other) {
        const std::string problem = error_of([&] { other.restore(snapshot); }).what();
        EXPECT_TRUE(says(problem, "another world")) << problem;
    };
    refused(everything(0.11));                 // another shape
    refused(everything(0.1, 1001));            // another mass
    refused(everything(0.1, 1000, 101));       // another stiffness
    refused(everything(0.1, 1000, 100, 101));  // another setting
}

// How much a world may take is for those to say who made it.
TEST(HostileSnapshots, LeaveTheMemoryThatTheWorldMayTake) {
    World world = everything();
    ContactSettings contact = world.settings().contact;
    const double own = contact.volume.memory_limit;
    contact.volume.memory_limit = 2 * own;
    world.set_contact(contact);
    const std::vector<std::byte> snapshot = world.snapshot();
    const std::uint64_t hash = world.state_hash();
    contact.volume.memory_limit = own;
    world.set_contact(contact);
    EXPECT_TRUE(says(error_of([&] { world.restore(snapshot); }), "memory_limit"));
    EXPECT_EQ(world.settings().contact.volume.memory_limit, own);
    contact.volume.memory_limit = 2 * own;
    world.set_contact(contact);
    world.restore(snapshot);
    EXPECT_EQ(world.state_hash(), hash);
}

// A spring of the smallest number above 0 is in its range: 1 / (h² k) is not.
TEST(HostileSnapshots, SpringsThatAreNextToNothingDoNothing) {
    const auto turned = [](double stiffness) {
        World world(WorldSettings{.threads = 1});
        const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1})}, {.position = {0.2, 0, 0}});
        world.add(HingeJoint{.axis = {0, 0, 1}, .spring = {.stiffness = stiffness}}, box);
        steps(world, 30);
        return world.pose(box).position;
    };
    for (const double stiffness : {5e-324, 1e-308, 1e-200}) EXPECT_EQ(turned(stiffness), turned(0));
}

// Cells that are allowed, and so small that the compliance of a body's contacts is more than the machine has.
TEST(HostileSnapshots, CellsWithoutNeedAreAnErrorThatNamesTheBody) {
    World world = soft_pair();
    steps(world, 2);
    ContactSettings contact = world.settings().contact;
    contact.volume.cell = 1e-6, contact.volume.memory_limit = 64;
    world.set_contact(contact);
    const std::uint64_t before = world.state_hash();
    const Error error = error_of([&] { world.step(); });
    EXPECT_TRUE(says(error, "memory_limit"));
    EXPECT_TRUE(says(error.place(), "body"));
    EXPECT_EQ(world.state_hash(), before);
    contact.volume.cell = 0;
    world.set_contact(contact);
    world.step();
}

}  // namespace
}  // namespace plush
