#include <map>
#include <set>

#include "plush/core/random.hpp"
#include "support/random.hpp"
#include "support/worlds.hpp"
#include "worlds.hpp"

// Volume contact, seen from outside.

namespace plush {
namespace {

using test::random_vector;
using namespace testing_world;
using test::expect_same_bits;

WorldSettings by_volume(int threads = 1) {
    return without_sleep({.threads = threads, .contact = {.method = ContactMethod::volume}});
}

Mesh pebble(int triangles = 1280, double size = 0.3) {
    return generate({.shape = "pebble", .triangles = triangles, .size = size}).value();
}

/// Every triangle cut into four: the same surface with four times the triangles.
Mesh cut_in_four(const Mesh& mesh) {
    std::vector<Vec3> positions(mesh.positions().begin(), mesh.positions().end());
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
        const auto [at, fresh] =
            middles.insert({{std::min(a, b), std::max(a, b)}, static_cast<int>(positions.size())});
        if (fresh)
            positions.push_back(0.5 * (mesh.positions()[static_cast<std::size_t>(a)] +
                                       mesh.positions()[static_cast<std::size_t>(b)]));
        return at->second;
    };
    std::vector<Triangle> triangles;
    for (const Triangle& t : mesh.triangles()) {
        const auto x = middle(t[0], t[1]), y = middle(t[1], t[2]), z = middle(t[2], t[0]);
        for (const Triangle& part :
             {Triangle{t[0], x, z}, Triangle{x, t[1], y}, Triangle{z, y, t[2]}, Triangle{x, y, z}})
            triangles.push_back(part);
    }
    return Mesh(std::move(positions), std::move(triangles));
}

TEST(VolumeWorld, AStackRestsOnFewContactsThatKeepTheirNames) {
    World world(by_volume());
    const BodyId ground = world.add_ground();
    for (int i = 0; i < 3; ++i) world.add(cube(), {.position = {0.01 * i, 0.1 + 0.2 * i, 0}});
    steps(world, 120);
    EXPECT_LT(rigid_rms_speed(world), 1e-6);  // measured 4e-9
    std::set<std::uint64_t> names;
    double weight = 0;
    for (const Contact& c : world.contacts()) {
        names.insert(c.id);
        EXPECT_GT(c.area, 0);
        EXPECT_GT(c.volume, 0);
        EXPECT_NEAR(c.depth, c.volume / c.area, 1e-12);
        EXPECT_GE(c.largest_depth, c.depth * (1 - 1e-9));
        EXPECT_TRUE(c.sticking);
        EXPECT_NEAR(c.pressure(), c.normal_force / c.area, 1e-9);
        if (c.a == ground || c.b == ground) weight += c.normal_force;
    }
    EXPECT_EQ(names.size(), world.contacts().size());
    EXPECT_LE(names.size(), 12u);
    double mass = 0;
    for (const BodyId b : world.bodies())
        if (world.kind(b) == BodyKind::rigid) mass += world.mass(b);
    EXPECT_NEAR(weight, mass * g, 1e-3 * mass * g);
    steps(world, 10);
    for (const Contact& c : world.contacts()) EXPECT_TRUE(names.count(c.id)) << "a new name at rest";
    for (const ContactEvent& e : world.events()) EXPECT_EQ(e.kind, ContactEvent::Kind::ongoing);
}

/// Bodies that fly into each other without gravity.
void add_cloud(World& world, int n, std::uint64_t seed) {
    Random random(seed);
    const auto any = [&](double size) { return random_vector(random) * size; };
    const Mesh mesh = pebble();
    for (int i = 0; i < n; ++i) {
        const Vec3 at = any(0.3);
        world.add(Rigid{.mesh = mesh, .distance_cells = 16},
                  {.position = at,
                   .rotation = from_axis_angle(any(1) + Vec3{0, 0, 1e-3}, 90),
                   .velocity = -2.0 * at,
                   .angular_velocity = any(3)});
    }
}

Vec3 angular_momentum(const World& world) {
    Vec3 sum;
    for (const BodyId b : world.bodies())
        sum += cross(world.centre(b), world.mass(b) * world.velocity(b)) + world.angular_momentum(b);
    return sum;
}

TEST(VolumeWorld, MomentumIsKept) {
    for (const bool at_surfaces : {true, false}) {
        WorldSettings settings = by_volume();
        settings.gravity = {};
        settings.contact.volume.friction_at_surfaces = at_surfaces;
        settings.contact.stabilise_passes = 0;  // which moves bodies, and their moments with them
        World world(settings);
        add_cloud(world, 6, 5);
        const Vec3 before = world.momentum();
        double turned = 0;
        int touched = 0;
        for (int i = 0; i < 30; ++i) {
            const Vec3 spin = angular_momentum(world);
            world.step();
            touched += static_cast<int>(world.contacts().size());
            EXPECT_LT(norm(world.momentum() - before), 1e-11) << i;
            turned = std::max(turned, norm(angular_momentum(world) - spin));
            for (const Contact& c : world.contacts()) {
                EXPECT_GE(c.normal_force, 0);
                EXPECT_LE(norm(c.friction_force), 0.5 * c.normal_force * (1 + 1e-9));
                EXPECT_NEAR(dot(c.friction_force, c.normal), 0, 1e-9 * (1 + c.normal_force));
            }
        }
        EXPECT_GT(touched, 30);
        // At the centre friction makes no torque; at two surfaces that are apart by the depth it does.
        if (at_surfaces)
            EXPECT_GT(turned, 1e-4);
        else
            EXPECT_LT(turned, 1e-10);
    }
}

// The same over random worlds of several shapes and masses that start in one another, and what each step
// promises: the solve arrives, contacts push, friction stays in its cone, nothing is gained or lost.
TEST(VolumeWorld, RandomWorldsKeepWhatASolvePromises) {
    const Mesh meshes[] = {pebble(), generate({.shape = "torus", .triangles = 800, .size = 0.3}).value(),
                           generate({.shape = "bear", .triangles = 2000, .size = 0.3}).value()};
    int contacts = 0, sliding = 0;
    double lost = 0, residual = 0, gained = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const auto any = [&](double size) { return random_vector(random) * size; };
        WorldSettings settings = by_volume();
        settings.gravity = {};
        settings.solver = {.iterations = 20000, .tolerance = 1e-6};
        World world(settings);
        const double friction = random.uniform(0, 1);
        for (int i = 0; i < 5; ++i) {
            const Vec3 at = any(0.25);
            world.add(Rigid{.mesh = meshes[(i + static_cast<int>(seed)) % 3],
                            .mass = std::pow(10, random.uniform(-1, 1)),
                            .material = {.friction = friction},
                            .distance_cells = 16},
                      {.position = at,
                       .rotation = from_axis_angle(any(1) + Vec3{0, 0, 1e-3}, 150 * random.uniform(-1, 1)),
                       .velocity = -2.0 * at,
                       .angular_velocity = any(3)});
        }
        const Vec3 before = world.momentum();
        for (int i = 0; i < 15; ++i) {
            const double energy = world.energy().kinetic;
            world.step();
            residual = std::max(residual, world.report().residual);
            lost = std::max(lost, norm(world.momentum() - before));
            gained = std::max(gained, world.energy().kinetic / energy - 1);
            for (const Contact& c : world.contacts()) {
                ++contacts, sliding += !c.sticking;
                EXPECT_GE(c.normal_force, 0);
                EXPECT_LE(norm(c.friction_force), friction * c.normal_force * (1 + 1e-9));
                EXPECT_NEAR(dot(c.friction_force, c.normal), 0, 1e-9 * (1 + c.normal_force));
            }
        }
    }
    EXPECT_LE(residual, 1e-6);  // the solver's tolerance, as asked
    EXPECT_LT(lost, 1e-11);     // measured: 2e-14
    EXPECT_LT(gained, 1e-3);    // of it in a step; measured: 5e-5, free spin
    EXPECT_GT(contacts, 300);   // measured: 458, of which 421 slide
    EXPECT_GT(sliding, 50);
}

// Positions alone are corrected: what starts overlapped parts and stands still.
TEST(VolumeWorld, OverlapAtTheStartGivesNoSpeed) {
    WorldSettings settings = by_volume();
    settings.gravity = {};
    World world(settings);
    const Mesh bear = generate({.shape = "bear", .triangles = 4000, .size = 0.4}).value();
    world.add(Rigid{.mesh = bear});
    world.add(Rigid{.mesh = bear},
              {.position = {0.12, 0.05, 0.08}, .rotation = from_axis_angle({1, 1, 0}, 70)});
    world.step();
    for (int i = 0; i < 60; ++i) {
        world.step();
        EXPECT_EQ(world.energy().kinetic, 0) << i;
    }
    for (const Contact& c : world.contacts()) EXPECT_LE(c.depth, 0.5 * 0.4 / 64);
    EXPECT_EQ(world.report().stabilise_passes, 0);
}

TEST(VolumeWorld, WhatIsInsideComesOut) {
    WorldSettings settings = by_volume();
    settings.gravity = {};
    World world(settings);
    const BodyId outer = world.add(cube(0.3)),
                 inner = world.add(Rigid{.shape = Shape::sphere(0.05)}, {.position = {0.1, 0.02, -0.03}});
    steps(world, 60);
    EXPECT_EQ(world.energy().kinetic, 0);
    // By the nearest side, x.
    EXPECT_GT(world.centre(inner).x - world.centre(outer).x, 0.3 + 0.045);
    EXPECT_LT(std::abs(world.centre(inner).y - world.centre(outer).y), 0.05);
}

// Depths taken triangle by triangle make this differ by the number of triangles.
TEST(VolumeWorld, RecoveryDoesNotDependOnTheTriangles) {
    Mesh mesh = pebble(800, 0.3);
    double first = 0;
    for (const int level : {0, 1, 2, 3, 4}) {  // to 205 k
        WorldSettings settings = by_volume();
        settings.gravity = {};
        settings.contact.stabilise_passes = 1;
        World world(settings);
        world.add(Rigid{.mesh = mesh, .distance_cells = 16});
        const BodyId other =
            world.add(Rigid{.mesh = mesh, .distance_cells = 16}, {.position = {0.19, 0.03, 0.02}});
        world.step();
        const double way = norm(world.centre(other) - Vec3{0.19, 0.03, 0.02});
        EXPECT_GT(way, 1e-3);
        if (level == 0) first = way;
        EXPECT_NEAR(way, first, 0.02 * first) << mesh.triangles().size();  // measured 2e-6
        mesh = cut_in_four(mesh);
    }
}

void build_heap(World& world) {
    world.add_ground();
    const Mesh torus = generate({.shape = "torus", .triangles = 800, .size = 0.3}).value(), stone = pebble();
    for (int i = 0; i < 8; ++i) {
        const Placement at{.position = {0.05 * (i % 3), 0.2 + 0.2 * i, 0.04 * (i % 4)},
                           .rotation = from_axis_angle({1, 2, 3}, 17.0 * i)};
        if (i % 3 == 0)
            world.add(cube(), at);
        else
            world.add(Rigid{.mesh = i % 3 == 1 ? torus : stone, .distance_cells = 16}, at);
    }
    world.add(Particles{.positions = {{0.1, 1.5, 0}, {0, 1.6, 0.1}}, .radius = 0.01});
    world.add(Scripted{
        .shape = Shape::box({0.05, 0.2, 0.3}),
        .keyframes = {{.time = 0, .position = {-0.8, 0.2, 0}}, {.time = 0.5, .position = {-0.2, 0.2, 0}}}});
}

TEST(VolumeWorld, TheSameBitsForAnyThreadsAndAfterARestore) {
    const auto build = [](int threads) {
        World world(by_volume(threads));
        build_heap(world);
        return world;
    };
    expect_same_bits(build, {1, 2, 4}, 80);
}

TEST(VolumeWorld, SleepsAndIsWokenByABlow) {
    WorldSettings settings = by_volume();
    settings.sleep.enabled = true;
    World world(settings);
    world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, 0.1, 0}});
    steps(world, 120);
    ASSERT_TRUE(world.asleep(box));
    double weight = 0;
    for (const Contact& c : world.contacts()) weight += c.normal_force;
    EXPECT_NEAR(weight, world.mass(box) * g, 1e-3 * weight);
    world.add(cube(), {.position = {-0.4, 0.12, 0}, .velocity = {4, 0, 0}});
    for (int i = 0; i < 30 && world.asleep(box); ++i) world.step();
    EXPECT_FALSE(world.asleep(box));
    steps(world, 5);
    EXPECT_GT(world.velocity(box).x, 0.2);
}

// Speed does not carry a body in: the step before it would touch lets it close the gap.
TEST(VolumeWorld, ABlowIsCaughtAtTheSurface) {
    World world(by_volume());
    world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, 0.5, 0}, .velocity = {0, -3, 0}});
    double lowest = 1;
    int corrected = 0;
    for (int i = 0; i < 60; ++i) {
        world.step();
        lowest = std::min(lowest, world.centre(box).y);
        corrected += world.report().stabilise_passes;
    }
    EXPECT_EQ(corrected, 0);
    EXPECT_GT(lowest, 0.1 - 2e-4);  // half the allowed depth, 5e-5, and what a corner may tilt
}

TEST(VolumeWorld, ThePenaltySinksUntilItCarries) {
    WorldSettings settings = by_volume();
    settings.contact.method = ContactMethod::volume_penalty;
    settings.contact.volume.split = OverlapSplit::whole;
    settings.contact.volume.stiffness = 1e8;
    World world(settings);
    world.add_ground();
    const BodyId box = world.add(cube(), {.position = {0, 0.1, 0}});
    steps(world, 600);
    // k V A = m g with V = A d.
    const double area = 0.04, depth = world.mass(box) * g / (1e8 * area * area);
    EXPECT_NEAR(0.1 - world.centre(box).y, depth, 0.03 * depth);
}

TEST(VolumeWorld, ViscosityBrakesWhereThereIsNoFriction) {
    WorldSettings settings = by_volume();
    settings.contact.volume.viscosity = 500;
    World world(settings);
    world.add_ground(0, {.friction = 0});
    const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .mass = 10.0},
                                 {.position = {0, 0.0999, 0}, .velocity = {1, 0, 0}});
    steps(world, 60);
    // m v̇ = −ν A v: after 1 s, e⁻² by implicit steps of 1/60.
    EXPECT_NEAR(world.velocity(box).x, std::pow(1 / (1 + 500 * 0.04 / 10 / 60), 60), 0.02 * std::exp(-2.0));
}

}  // namespace
}  // namespace plush
