#include <gtest/gtest.h>

#include <cstring>

#include "plush/core/random.hpp"
#include "support/errors.hpp"
#include "support/worlds.hpp"

// Snapshots of other worlds, and snapshots that were changed with a checksum that fits: each ends in an Error or in a state that
// can be stepped, and the world can be put back.

namespace plush {
namespace {

using test::error_of;
using test::says;
using test::steps;

/// A bit of everything that has state.
World everything(double radius = 0.1, double density = 1000, double stretch = 100, int iterations = 100) {
    WorldSettings settings{.threads = 1};
    settings.solver.iterations = iterations;
    World world(settings);
    const BodyId ground = world.add_ground();
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(radius), .density = density, .name = "ball"},
                                  {.position = {0, 0.099, 0}});
    const BodyId box =
        world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .name = "box"}, {.position = {0.02, 0.295, 0}});
    Jelly jelly{{{.name = "jelly"}}};
    jelly.low = {0.5, 0, -0.1}, jelly.high = {0.7, 0.2, 0.1}, jelly.cells = {2, 2, 2};
    const BodyId soft = world.add(jelly);
    Rope rope{{{.name = "rope"}}};
    rope.springs.stretch = stretch;
    rope.from = {-1, 0.5, 0}, rope.to = {-0.5, 0.5, 0}, rope.segments = 5;
    const BodyId hanging = world.add(rope);
    world.pin(hanging, Box3{{-1.1, 0, -1}, {-0.95, 1, 1}}, 0.5);
    const BodyId arm = world.add(Rigid{.shape = Shape::box({0.1, 0.02, 0.02})}, {.position = {1.5, 0.5, 0}});
    world.add(HingeJoint{.anchor = {1.4, 0.5, 0}, .motor = {.speed = 1, .max_force = 1}}, arm);
    Particles dust{.positions = {{0, 1, 0}, {0.1, 1, 0}}, .radius = 0.01};
    world.add(dust);
    world.set_collide(ball, soft, false);
    world.set_pair_material(box, ground, {.friction = 0.2});
    world.add_drag(world.surface_point(box, 0, {0.3, 0.3, 0.4}), {.stiffness = 10}, {0, 1, 0});
    world.smooth_forces(0.1);
    return world;
}

/// The soft bodies by volume, one of them cut.
World soft_pair() {
    WorldSettings settings{.threads = 1};
    settings.contact.method = ContactMethod::volume;
    World world(settings);
    world.add_ground();
    const SoftSolid solid = SoftSolid::fill(Shape::box({0.1, 0.1, 0.1}).drawn(), {.cells_across = 3});
    Soft soft;
    soft.solid = solid;
    const BodyId cut = world.add(soft, {.position = {0, 0.1, 0}});
    world.add(soft, {.position = {0.01, 0.295, 0}});
    world.cut(cut, Blade{.from = {-0.3, 0.1, -0.3}, .to = {0.3, 0.1, -0.3}, .back = {0, 0, 0.6}});
    return world;
}

void sign(std::vector<std::byte>& bytes) {
    const std::uint64_t sum = checksum(std::span(bytes).first(bytes.size() - sizeof(std::uint64_t)));
    std::memcpy(bytes.data() + bytes.size() - sizeof(sum), &sum, sizeof(sum));
}

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
    sign(bytes);
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

// Not run: settings of contact that are in their ranges, and no more than that, ask for more cells of an overlap than there is
// memory (docs/reliability.md, Limits).
TEST(HostileSnapshotsFull, DISABLED_AreRefusedOrCanBeStepped) {
    expect_survives(everything(), 20, 1500, 1);
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

}  // namespace
}  // namespace plush
