#include "cut_worlds.hpp"
#include "worlds.hpp"

// Changes of a world that runs, and copies of it.

namespace plush {
namespace {

using namespace testing_world;

Soft block(double young = 1e5) {
    Soft soft;
    soft.solid = SoftSolid(tet_box({0.1, 0.1, 0.1}, {3, 3, 3}).value());
    soft.elastic.young = young;
    soft.motion.damping = 1;
    soft.name = "block";
    return soft;
}

/// A bit of everything, in contact.
World busy_world() {
    World world({.step = 0.01});
    world.add_ground();
    const BodyId soft = world.add(block(), {.position = {0, 0.11, 0}});
    const BodyId box = world.add(cube(0.1, "box"), {.position = {0.02, 0.33, 0}});
    const BodyId gone = world.add(cube(0.1), {.position = {5, 5, 5}});
    const BodyId hung = world.add(cube(0.05, "hung"), {.position = {0.5, 0.5, 0}});
    world.add(BallJoint{.anchor = {0.5, 0.6, 0}}, hung);
    Cloth cloth;
    cloth.vertices = {6, 6};
    const BodyId flag = world.add(cloth, {.position = {2, 1, 0}});
    world.pin(flag, 0), world.pin(flag, 5);
    world.set_wind(flag, {1, 0, 0});
    world.add(Particles{.positions = {{0, 1, 0}, {0.1, 1, 0}}, .radius = 0.02});
    world.remove(gone);
    world.add(Scripted{.shape = Shape::sphere(0.1), .keyframes = {{0, {0, 2, 0}, {}}, {1, {0, 1, 0}, {}}}});
    world.set_pair_material(soft, box, {.friction = 0.9});
    world.add_custom_force([box](World& w) {
        if (w.alive(box)) w.apply_force(box, {0.3, 0, 0});
    });
    return world;
}

TEST(Copies, ACopyStepsOnToTheSameHash) {
    World world = busy_world();
    steps(world, 10);
    world.add_drag(world.surface_point(world.find("block"), 3, {0.2, 0.3, 0.5}));
    world.smooth_forces(0.1);
    world.set_friction(world.find("box"), 0.2);
    world.set_young(world.find("block"), 3e4);
    world.set_gravity({0, -5, 0});
    world.set_step(0.008);
    steps(world, 5);
    World copy = world.copy();
    EXPECT_EQ(copy.state_hash(), world.state_hash());
    EXPECT_EQ(copy.bodies(), world.bodies());
    EXPECT_EQ(copy.contacts().size(), world.contacts().size());
    EXPECT_EQ(copy.drags(), world.drags());
    steps(world, 30), steps(copy, 30);
    EXPECT_EQ(copy.state_hash(), world.state_hash());
    // They are worlds of their own.
    copy.remove(copy.find("box"));
    steps(copy, 1), steps(world, 1);
    EXPECT_TRUE(world.alive(world.find("box")));
    EXPECT_NE(copy.state_hash(), world.state_hash());
    EXPECT_NE(world.add(cube()), BodyId{});
}

TEST(Copies, OfACutBody) {
    World world(cut_worlds::settings());
    world.add_ground();
    const BodyId body = world.add(block(), {.position = {0, 0.12, 0}});
    steps(world, 5);
    world.cut(body, {.from = {0.013, -1, -1}, .to = {0.013, -1, 1}, .back = {0, 2, 0}});
    steps(world, 3);
    World copy = world.copy();
    World twice = copy.copy();
    EXPECT_EQ(copy.pieces(body), 2u);
    for (World* w : {&world, &copy, &twice}) steps(*w, 10);
    EXPECT_EQ(copy.state_hash(), world.state_hash());
    EXPECT_EQ(twice.state_hash(), world.state_hash());
}

TEST(Changes, GravityAndStep) {
    World world({.step = 0.01});
    const BodyId box = world.add(cube());
    steps(world, 10);
    world.set_gravity({2, 0, 0});
    world.set_step(0.002);
    const Vec3 before = world.velocity(box);
    steps(world, 50);
    expect_near(world.velocity(box) - before, {0.2, 0, 0}, 1e-12);
    EXPECT_NEAR(world.time(), 0.2, 1e-15);
    EXPECT_EQ(world.settings().step, 0.002);
}

TEST(Changes, FrictionLetsABodySlide) {
    World world;
    const Quat tilt = from_axis_angle({0, 0, 1}, 20);
    world.add(Fixed{.shape = Shape::half_space()}, {.rotation = tilt});
    const BodyId box = world.add(cube(0.1), {.position = rotate(tilt, {0, 0.1, 0}), .rotation = tilt});
    steps(world, 90);
    EXPECT_TRUE(world.asleep(box));
    world.set_friction(box, 0.01);
    EXPECT_FALSE(world.asleep(box));
    steps(world, 30);
    EXPECT_GT(norm(world.velocity(box)), 0.5);
}

// A block that lies under its weight is as low as one that was made with the new modulus.
TEST(Changes, StiffnessAsIfMadeWithIt) {
    double heights[2];
    for (const bool changed : {false, true}) {
        World world(without_sleep({.step = 0.01}));
        world.add_ground();
        const BodyId body = world.add(block(changed ? 1e6 : 2e4), {.position = {0, 0.1, 0}});
        steps(world, 20);
        if (changed) world.set_young(body, 2e4);
        steps(world, 200);
        double top = 0;
        for (const Vec3& p : world.drawn_positions(body)) top = std::max(top, p.y);
        heights[changed] = top;
    }
    EXPECT_LT(heights[0], 0.195);
    EXPECT_NEAR(heights[0], heights[1], 1e-4);  // 3e-5: they still settle
}

TEST(Changes, DampingStopsMotion) {
    World world(without_gravity());
    const BodyId box = world.add(cube(), {.velocity = {1, 0, 0}}),
                 soft = world.add(block(), {.position = {3, 0, 0}, .velocity = {1, 0, 0}});
    world.set_damping(box, 5), world.set_damping(soft, 5);
    steps(world, 60);
    const double left = std::pow(1 / (1 + 5.0 / 60), 60);
    EXPECT_NEAR(world.velocity(box).x, left, 1e-9);
    EXPECT_NEAR(world.velocity(soft).x, left, 1e-3);
    EXPECT_TRUE(says(error_of([&] { world.set_damping(box, -1); }), "damping"));
}

TEST(Changes, MethodAndCells) {
    World world(without_sleep({.step = 0.01}));
    const BodyId ground = world.add_ground();
    const BodyId body = world.add(block(), {.position = {0, 0.1, 0}});
    steps(world, 100);
    EXPECT_EQ(world.pair_method(ground, body), ContactMethod::volume);
    const double weight = world.mass(body) * g;
    EXPECT_NEAR(world.pair_force(body, ground).normal.y, weight, 0.01 * weight);
    const std::size_t before = world.contacts().size();
    world.set_cells(8);
    ContactSettings contact = world.settings().contact;
    EXPECT_EQ(contact.volume.cells_across, 8);
    contact.volume.max_cells = 64;
    world.set_contact(contact);
    steps(world, 20);
    EXPECT_GT(world.contacts().size(), before);
    EXPECT_NEAR(world.pair_force(body, ground).normal.y, weight, 0.01 * weight);
    world.set_contact_method(ContactMethod::volume_penalty);
    steps(world, 5);
    EXPECT_EQ(world.pair_method(ground, body), ContactMethod::volume_penalty);
    EXPECT_TRUE(says(error_of([&] { world.set_cells(-1); }), "cells"));
    contact.surface.law = SurfaceLaw::barrier;
    EXPECT_TRUE(says(error_of([&] { world.set_contact(contact); }), "parts of the bodies"));
}

TEST(Changes, SnapshotsHoldThem) {
    World world = busy_world(), other = busy_world();
    steps(world, 5);
    const auto before = world.snapshot();
    world.set_material(world.find("box"), {.friction = 0.1, .restitution = 0.5});
    world.set_young(world.find("block"), 2e4);
    world.set_damping(world.find("hung"), 3);
    world.set_gravity({0, -3, 1});
    world.set_step(0.005);
    world.set_cells(8);
    steps(world, 3);
    test::expect_restored_alike(world, other, 5);
    EXPECT_EQ(other.settings().gravity, (Vec3{0, -3, 1}));
    world.restore(before);
    EXPECT_EQ(world.settings().step, 0.01);
    EXPECT_EQ(world.settings().contact.volume.cells_across, 16);
}

}  // namespace
}  // namespace plush
