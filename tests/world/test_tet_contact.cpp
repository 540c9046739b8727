#include <gtest/gtest.h>

#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"

// Bodies with tets against one another, in worlds.

namespace plush {
namespace {

WorldSettings floating(bool implicit, double stiffness = 2000,
                       TetContactMethod method = TetContactMethod::consistent) {
    WorldSettings s;
    s.gravity = {};
    s.threads = 1;
    s.step = 1.0 / 120;
    s.contact.tets = {.method = method, .stiffness = stiffness, .implicit = implicit};
    return s;
}

const TetMesh block = tet_box({0.1, 0.1, 0.1}, {3, 3, 3}).value();

enum class Kind { springs, matching, soft, skinned, rigid };

BodyId add(World& world, Kind kind, const Vec3& at, const Vec3& velocity,
           const Vec3& turn = {0.2, 0.3, 0.1}) {
    const Placement placement{at, exp_rotation(turn), velocity, {}};
    if (kind == Kind::springs) {
        TetSprings b;
        b.mesh = block;
        b.springs.stretch = 200, b.springs.damping = 1, b.springs.density = 1000;
        b.motion.integration.method = IntegrationMethod::implicit_euler;
        return world.add(b, placement);
    }
    if (kind == Kind::matching) {
        ShapeMatching b;
        b.tets = block;
        return world.add(b, placement);
    }
    if (kind == Kind::soft) {
        Soft b;
        b.solid = SoftSolid(block);
        b.elastic.young = 1e5, b.elastic.density = 1000;
        return world.add(b, placement);
    }
    if (kind == Kind::skinned) {
        Soft b;
        b.solid = SoftSolid::fill(shapes::box({0.1, 0.1, 0.1}, 200), {.cells_across = 3});
        b.elastic.young = 1e5, b.elastic.density = 1000;
        return world.add(b, placement);
    }
    Rigid b;
    b.shape = Shape::box({0.1, 0.1, 0.1});
    b.tets = block;
    return world.add(b, placement);
}

constexpr std::array all_kinds{Kind::springs, Kind::matching, Kind::soft, Kind::skinned, Kind::rigid};

// Every kind against every other: they meet, part again, and neither gains nor loses momentum.
TEST(TetContact, BodiesOfEveryKindBounceOffOneAnotherAndKeepTheirMomentum) {
    for (const bool implicit : {true, false})
        for (const Kind first : all_kinds)
            for (const Kind second : all_kinds) {
                if (second < first) continue;
                World world(floating(implicit, implicit ? 2000 : 300));
                const BodyId a = add(world, first, {-0.125, 0, 0}, {1, 0, 0});
                const BodyId b = add(world, second, {0.125, 0.02, 0.01}, {-1, 0, 0}, {-0.1, 0.2, 0.3});
                const Vec3 before = world.momentum();
                const double scale = 2 * 8;  // kg m/s each way
                bool touched = false;
                for (int i = 0; i < 60; ++i) {
                    world.step();
                    touched = touched || !world.contacts().empty();
                }
                const std::string what = "kinds " + std::to_string(static_cast<int>(first)) + " and " +
                                         std::to_string(static_cast<int>(second)) +
                                         (implicit ? ", implicit" : ", explicit");
                EXPECT_TRUE(touched) << what;
                EXPECT_LT(norm(world.momentum() - before) / scale, 1e-12) << what;
                EXPECT_LT(world.velocity(a).x, -0.02) << what;
                EXPECT_GT(world.velocity(b).x, 0.02) << what;
                EXPECT_TRUE(world.contacts().empty()) << what;
            }
}

// 8 kg of 64 vertices at 60 steps a second: explicitly, 1e9 N/m would want 20,000 times as many.
TEST(TetContact, StiffContactDoesNotDictateTheStep) {
    for (const Kind kind : {Kind::springs, Kind::soft, Kind::rigid}) {
        WorldSettings s = floating(true, 1e9);
        s.step = 1.0 / 60;
        World world(s);
        const BodyId a = add(world, kind, {-0.125, 0, 0}, {1, 0, 0});
        const BodyId b = add(world, kind, {0.125, 0.02, 0.01}, {-1, 0, 0}, {});
        const double before = world.energy().kinetic;
        double most = 0;
        for (int i = 0; i < 60; ++i) {
            world.step();
            most = std::max(most, world.energy().kinetic);
        }
        EXPECT_LT(most, 1.5 * before) << static_cast<int>(kind);
        EXPECT_LT(world.velocity(a).x, 0.1);
        EXPECT_GT(world.velocity(b).x, -0.1);
    }
}

TEST(TetContact, FrictionDragsAlongAndWithoutItNothingDoes) {
    const auto sideways = [](double friction) {
        World world(floating(true));
        const BodyId a = add(world, Kind::soft, {-0.105, 0, 0}, {1, 0, 0}, {});
        const BodyId b = add(world, Kind::soft, {0.105, 0.02, 0.01}, {-1, 0.5, 0}, {});
        world.set_pair_material(a, b, {.friction = friction});
        for (int i = 0; i < 40; ++i) world.step();
        return world.velocity(a).y;
    };
    // They turn as they bounce, which alone moves their middles a little: measured 0.021 and −0.028.
    EXPECT_GT(sideways(0.8) - sideways(0), 0.03);
}

TEST(TetContact, WhatMayNotTouchPassesThrough) {
    const auto speed_after = [](auto&& change) {
        World world(floating(true));
        const BodyId a = add(world, Kind::soft, {-0.125, 0, 0}, {1, 0, 0});
        const BodyId b = add(world, Kind::soft, {0.125, 0.02, 0.01}, {-1, 0, 0});
        change(world, a, b);
        for (int i = 0; i < 60; ++i) world.step();
        return world.velocity(a).x;
    };
    EXPECT_NEAR(speed_after([](World& w, BodyId a, BodyId b) { w.set_collide(a, b, false); }), 1, 1e-9);
    EXPECT_NEAR(
        speed_after([](World& w, BodyId a, BodyId b) { w.set_pair_method(a, b, ContactMethod::none); }), 1,
        1e-9);
    EXPECT_LT(speed_after([](World&, BodyId, BodyId) {}), 0);
}

TEST(TetContact, ContactsAndEventsTellOfIt) {
    World world(floating(true));
    const BodyId a = add(world, Kind::soft, {-0.09, 0, 0}, {});
    const BodyId b = add(world, Kind::rigid, {0.09, 0.02, 0.01}, {});
    world.step();
    ASSERT_FALSE(world.contacts().empty());
    Vec3 force{};
    for (const Contact& c : world.contacts()) {
        EXPECT_GT(c.normal_force, 0);
        EXPECT_GE(c.depth, 0);
        force += (c.a == a ? 1.0 : -1.0) * (c.normal_force * c.normal + c.friction_force);
    }
    EXPECT_LT(force.x, 0);
    EXPECT_NEAR(norm(force * world.settings().step - world.mass(a) * world.velocity(a)), 0, 1e-12);
    ASSERT_EQ(world.events().size(), 1u);
    EXPECT_EQ(world.events()[0].kind, ContactEvent::Kind::began);
    EXPECT_GT(world.report().largest_depth, 0.01);
    EXPECT_EQ(world.overlapping_tets().size(), 1u);
    for (int i = 0; i < 200; ++i) world.step();
    EXPECT_TRUE(world.overlapping_tets().empty());
    static_cast<void>(b);
}

/// A small one in the middle of a large one, all round.
World inside(int threads, const Vec3& velocity = {}) {
    WorldSettings s = floating(true, 3000);
    s.threads = threads;
    World world(s);
    Soft large;
    large.solid = SoftSolid(tet_box({0.3, 0.3, 0.3}, {3, 3, 3}).value());
    large.elastic.young = 1e5, large.elastic.density = 500;
    world.add(large);
    Soft small;
    small.solid = SoftSolid(tet_box({0.05, 0.05, 0.05}, {2, 2, 2}).value());
    small.elastic.young = 1e5, small.elastic.density = 500;
    world.add(small, {.position = {0.02, 0.1, 0.03}, .velocity = velocity});
    return world;
}

TEST(TetContact, WhatIsWhollyInsideIsDrivenOut) {
    for (const Vec3& velocity : {Vec3{}, Vec3{0, 0, -2}}) {
        World world = inside(1, velocity);
        const Vec3 before = world.momentum();
        EXPECT_EQ(world.overlapping_tets().size(), 1u);
        for (int i = 0; i < 240; ++i) world.step();
        EXPECT_TRUE(world.overlapping_tets().empty());
        EXPECT_LT(norm(world.momentum() - before), 1e-12);
        const Vec3 way = world.centre(world.bodies()[1]) - world.centre(world.bodies()[0]);
        // The nearest side is the top; what moved in goes back where it came from.
        EXPECT_GT(velocity == Vec3{} ? way.y : way.z, 0.3);
    }
}

/// Two bars, one right through the other, and how deep they are in one another half a second later.
double depth_of_crossing_bars(ContactMethod surfaces, TetContactMethod tets) {
    WorldSettings s = floating(true, 2000, tets);
    s.step = 1.0 / 60;
    s.contact.method = surfaces;
    World world(s);
    for (const auto& [size, cells] : {std::pair{Vec3{0.4, 0.1, 0.1}, std::array{8, 2, 2}},
                                      std::pair{Vec3{0.1, 0.1, 0.4}, std::array{2, 2, 8}}}) {
        Soft bar;
        bar.solid = SoftSolid(tet_box(size, cells).value());
        bar.elastic.young = 2e5;
        world.add(bar, {.position = {0.011, 0.013, 0.007}});
    }
    for (int i = 0; i < 30; ++i) world.step();
    return world.report().largest_depth;
}

// Neither method of depths parts what crosses, as the paper says. Volume contact does.
TEST(TetContact, BarsThatCrossArePartedByVolume) {
    EXPECT_GT(depth_of_crossing_bars(ContactMethod::points, TetContactMethod::consistent),
              0.05);  // measured: 0.097
    EXPECT_GT(depth_of_crossing_bars(ContactMethod::points, TetContactMethod::closest_feature),
              0.03);  // measured: 0.050
    // The bars rest against one another, with the overlap that is left alone.
    EXPECT_LT(depth_of_crossing_bars(ContactMethod::volume, TetContactMethod::none),
              0.004);  // measured: 0.0019
}

TEST(TetContact, TheSameBitsForAnyThreadsAndAcrossASnapshot) {
    const auto pile = [](int threads) {
        WorldSettings s = floating(true, 5000);
        s.gravity = {0, -9.81, 0};
        s.threads = threads;
        s.contact.tets.self = true;
        World world(s);
        world.add_ground();
        for (int i = 0; i < 8; ++i)
            add(world, all_kinds[static_cast<std::size_t>(i) % all_kinds.size()],
                {0.03 * (i % 3), 0.12 + 0.19 * i, 0.02 * (i % 2)}, {0, -2, 0});
        return world;
    };
    World one = pile(1), two = pile(2), three = pile(3);
    std::vector<std::byte> snapshot;
    std::vector<std::uint64_t> hashes;
    for (int i = 0; i < 60; ++i) {
        if (i == 30) snapshot = one.snapshot();
        one.step(), two.step(), three.step();
        hashes.push_back(one.state_hash());
        ASSERT_EQ(one.state_hash(), two.state_hash()) << "step " << i;
        ASSERT_EQ(one.state_hash(), three.state_hash()) << "step " << i;
    }
    EXPECT_GT(one.contacts().size(), 10u);
    World again = pile(2);
    again.restore(snapshot);
    for (std::size_t i = 30; i < 60; ++i) {
        again.step();
        ASSERT_EQ(again.state_hash(), hashes[i]) << "step " << i;
    }
}

// The direction in which something that is wholly inside leaves is remembered: it is part of a snapshot.
TEST(TetContact, ASnapshotRemembersTheWayOut) {
    World world = inside(1, {0, 0, -2});
    for (int i = 0; i < 5; ++i) world.step();
    ASSERT_EQ(world.overlapping_tets().size(), 1u);
    const auto snapshot = world.snapshot();
    World again = inside(2);
    again.restore(snapshot);
    for (int i = 0; i < 60; ++i) {
        world.step(), again.step();
        ASSERT_EQ(world.state_hash(), again.state_hash()) << "step " << i;
    }
}

TEST(TetContact, ABodyThatIsBentThroughItselfIsPushedApart) {
    const auto overlap = [](bool self) {
        WorldSettings s = floating(true, 3000);
        s.contact.tets.self = self;
        World world(s);
        Soft bar;
        bar.solid = SoftSolid(tet_box({0.4, 0.025, 0.025}, {32, 2, 2}).value());
        bar.elastic.young = 1e4, bar.elastic.density = 500;
        const BodyId id = world.add(bar);
        const std::vector<Vec3> rest(world.vertex_positions(id).begin(), world.vertex_positions(id).end());
        for (std::uint32_t v = 0; v < rest.size(); ++v) {
            const double angle = 8.13 * rest[v].x,
                         radius = 0.1 + rest[v].y + (rest[v].x > 0 ? 0.012 : -0.012);
            world.set_vertex(
                id, v, {radius * std::sin(angle), -radius * std::cos(angle), rest[v].z + 0.02 * rest[v].x},
                {});
        }
        world.step();
        return world.contacts().size();
    };
    EXPECT_EQ(overlap(false), 0u);
    EXPECT_GT(overlap(true), 5u);
}

TEST(TetContact, BadSettingsAreRefused) {
    WorldSettings s;
    s.contact.tets.stiffness = 0;
    EXPECT_THROW(World{s}, Error);
    s.contact.tets = {.damping = -1};
    EXPECT_THROW(World{s}, Error);
    s.contact.tets = {.iterations = 0};
    EXPECT_THROW(World{s}, Error);
}

}  // namespace
}  // namespace plush
