#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

/// Boxes, balls, meshes, particles, a scripted paddle and a joint, dropped into a heap.
void build(World& world) {
    world.add_ground();
    const Mesh torus = generate({.shape = "torus", .triangles = 400, .size = 0.3}).value();
    const Mesh pebble = generate({.shape = "pebble", .triangles = 320, .size = 0.2}).value();
    BodyId last{};
    for (int i = 0; i < 12; ++i) {
        const Placement at{.position = {0.05 * (i % 3), 0.2 + 0.22 * i, 0.04 * (i % 4)},
                           .rotation = from_axis_angle({1, 2, 3}, 17.0 * i)};
        BodyId body;
        switch (i % 4) {
            case 0:
                body = world.add(cube(), at);
                break;
            case 1:
                body = world.add(Rigid{.shape = Shape::sphere(0.1)}, at);
                break;
            case 2:
                body = world.add(Rigid{.mesh = torus, .distance_cells = 16}, at);
                break;
            default:
                body = world.add(Rigid{.mesh = pebble, .distance_cells = 16}, at);
        }
        if (i == 5) world.add(BallJoint{.anchor = at.position}, last, body);
        last = body;
    }
    std::vector<Vec3> grains;
    for (int i = 0; i < 40; ++i) grains.push_back({0.03 * (i % 7) - 0.1, 1 + 0.05 * i, 0.03 * (i % 5)});
    world.add(Particles{.positions = grains, .radius = 0.01});
    world.add(Scripted{.shape = Shape::box({0.05, 0.2, 0.3}),
                       .keyframes = {{.time = 0, .position = {-0.8, 0.2, 0}},
                                     {.time = 0.5, .position = {-0.2, 0.2, 0}},
                                     {.time = 0.9, .position = {-0.8, 0.2, 0}}}});
}

WorldSettings with_threads(int threads) {
    WorldSettings settings;
    settings.threads = threads;
    settings.sleep.speed = 0.05;  // a heap of tori rocks for long: let it sleep within a short test
    return settings;
}

constexpr int run_length = 150;

std::vector<std::uint64_t> hashes(World& world, int n) {
    std::vector<std::uint64_t> all;
    for (int i = 0; i < n; ++i) {
        world.step();
        all.push_back(world.state_hash());
    }
    return all;
}

TEST(Determinism, TheNumberOfThreadsDoesNotMatter) {
    std::vector<std::uint64_t> one;
    for (int threads : {1, 2, 4}) {
        World world(with_threads(threads));
        build(world);
        const auto these = hashes(world, run_length);
        if (one.empty()) one = these;
        for (std::size_t i = 0; i < one.size(); ++i)
            ASSERT_EQ(these[i], one[i]) << threads << " threads, step " << i + 1;
    }
}

TEST(Determinism, TheHashSeesEveryChange) {
    World world(without_gravity());
    const BodyId box = world.add(cube());
    const BodyId dust = world.add(Particles{.positions = {{1, 0, 0}}});
    auto before = world.state_hash();
    const auto changes = [&](auto act) {
        act();
        EXPECT_NE(world.state_hash(), before);
        before = world.state_hash();
    };
    changes([&] { world.set_pose(box, {{1e-15, 0, 0}, {}}); });
    changes([&] { world.set_velocity(box, {0, 1e-300, 0}); });
    changes([&] { world.set_velocity(dust, {0, 1, 0}); });
    changes([&] { world.apply_torque(box, {0, 1, 0}); });
    changes([&] { world.set_filter(box, {.groups = 2}); });
    changes([&] { world.set_collide(box, dust, false); });
    changes([&] { world.set_pair_method(box, dust, ContactMethod::none); });
    changes([&] { world.step(); });
}

// Snapshots at several moments, put into a world that was built the same way and has gone elsewhere since.
TEST(Determinism, TheMotionHashSeesPosesAndVelocitiesAlone) {
    World world;
    world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, 1, 0}});
    const BodyId grains = world.add(Particles{.positions = {{3, 2, 0}}});
    const BodyId rope = world.add(Rope{}, {.position = {5, 1, 0}});
    const std::uint64_t motion = world.motion_hash(), state = world.state_hash();
    world.set_filter(box, {.groups = 2});
    EXPECT_NE(world.state_hash(), state);
    EXPECT_EQ(world.motion_hash(), motion);
    const std::vector<std::byte> before = world.snapshot();
    const auto seen = [&](auto&& change) {
        change();
        EXPECT_NE(world.motion_hash(), motion);
        world.restore(before);
        EXPECT_EQ(world.motion_hash(), motion);
    };
    seen([&] { world.set_pose(box, {.position = {0, 1, 1e-12}}); });
    seen([&] { world.set_velocity(box, {}, {0, 1e-12, 0}); });
    seen([&] { world.set_velocity(grains, {1e-12, 0, 0}); });
    seen([&] { world.set_vertex(rope, 1, world.vertex_positions(rope)[1] + Vec3{0, 0, 1e-12}, {}); });
    seen([&] { world.step(); });
}

TEST(Determinism, ARestoredWorldGoesOnTheSame) {
    World world(with_threads(2));
    build(world);
    const auto straight = hashes(world, run_length);
    World again(with_threads(1));
    build(again);
    for (int at : {1, 40, 75, 110}) {
        World source(with_threads(1));
        build(source);
        hashes(source, at);
        again.restore(source.snapshot());
        EXPECT_EQ(again.state_hash(), straight[static_cast<std::size_t>(at - 1)]);
        EXPECT_EQ(again.steps(), at);
        const auto rest = hashes(again, run_length - at);
        for (std::size_t i = 0; i < rest.size(); ++i)
            ASSERT_EQ(rest[i], straight[i + static_cast<std::size_t>(at)])
                << "restored at " << at << ", step " << i + 1 + static_cast<std::size_t>(at);
    }
}

// A stack that falls asleep, and is woken again: restored at every tenth step of it.
TEST(Determinism, SleepSurvivesARestore) {
    const auto stack = [](World& world) {
        world.add_ground();
        for (int i = 0; i < 4; ++i)
            world.add(cube(0.1, i == 3 ? "top" : ""), {.position = {0.01 * i, 0.105 + 0.21 * i, 0}});
    };
    const auto go = [](World& world, int until, std::vector<std::uint64_t>* out) {
        while (world.steps() < until) {
            if (world.steps() == 90) world.apply_impulse(world.find("top"), {4, 0, 0}, {0, 0.8, 0});
            world.step();
            if (out) out->push_back(world.state_hash());
        }
    };
    World world;
    stack(world);
    std::vector<std::uint64_t> straight;
    go(world, 90, &straight);
    ASSERT_TRUE(world.asleep(world.find("top")));
    go(world, 160, &straight);
    World source, target;
    stack(source);
    stack(target);
    for (int at = 10; at < 160; at += 10) {
        go(source, at, nullptr);
        target.restore(source.snapshot());
        std::vector<std::uint64_t> rest;
        go(target, 160, &rest);
        for (std::size_t i = 0; i < rest.size(); ++i)
            ASSERT_EQ(rest[i], straight[i + static_cast<std::size_t>(at)])
                << "restored at " << at << ", step " << i + 1 + static_cast<std::size_t>(at);
    }
}

TEST(Determinism, ADamagedSnapshotIsRefused) {
    World world(with_threads(1));
    build(world);
    steps(world, 40);
    const auto good = world.snapshot();
    steps(world, 5);
    const auto hash = world.state_hash();
    const auto refused = [&](std::span<const std::byte> bytes) {
        const Error error = error_of([&] { world.restore(bytes); });
        EXPECT_FALSE(error.cure().empty()) << error.what();
        ASSERT_EQ(world.state_hash(), hash);
    };
    refused({});
    for (std::size_t n : {std::size_t{1}, std::size_t{7}, std::size_t{8}, good.size() / 2, good.size() - 1})
        refused(std::span(good).first(n));
    auto longer = good;
    longer.push_back(std::byte{0});
    refused(longer);
    for (std::size_t i = 0; i < good.size(); i += 97) {
        auto bad = good;
        bad[i] ^= std::byte{0x10};
        refused(bad);
    }
    world.restore(good);
    EXPECT_EQ(world.steps(), 40);
}

TEST(Determinism, AForeignSnapshotIsRefused) {
    World world;
    world.add_ground();
    world.add(cube(), {.position = {0, 1, 0}});
    world.add(Particles{.positions = {{0, 2, 0}}});
    world.step();
    const auto hash = world.state_hash();
    const auto refused = [&](auto fill) {
        World other;
        fill(other);
        const Error error = error_of([&] { world.restore(other.snapshot()); });
        EXPECT_TRUE(says(error.problem(), "other bodies")) << error.what();
        EXPECT_EQ(world.state_hash(), hash);
    };
    refused([](World&) {});
    refused([](World& w) {  // in another order
        w.add(cube());
        w.add_ground();
        w.add(Particles{.positions = {{0, 2, 0}}});
    });
    refused([](World& w) {  // with more particles
        w.add_ground();
        w.add(cube());
        w.add(Particles{.positions = {{0, 2, 0}, {1, 2, 0}}});
    });
    refused([](World& w) {  // with a joint
        w.add_ground();
        const BodyId box = w.add(cube());
        w.add(Particles{.positions = {{0, 2, 0}}});
        w.add(BallJoint{}, box);
    });
    refused([](World& w) {  // with a body that took another's place
        w.add_ground();
        w.remove(w.add(cube()));
        w.add(cube());
        w.add(Particles{.positions = {{0, 2, 0}}});
    });
}

}  // namespace
}  // namespace plush
