#include "cut_worlds.hpp"
#include "energy_scenes.hpp"
#include "worlds.hpp"

// Forces that are read: of bodies, pairs, joints and blades, now and smoothed.

namespace plush {
namespace {

using namespace testing_world;

TEST(Forces, ThePairOfARestingBodyHasItsWeight) {
    World world(without_sleep());
    const BodyId ground = world.add_ground();
    const BodyId box =
        world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .mass = 3}, {.position = {0, 0.1, 0}});
    Soft soft;
    soft.solid = SoftSolid(tet_box({0.1, 0.1, 0.1}, {3, 3, 3}).value());
    soft.elastic = {.young = 1e5, .stiffness_damping = 0.02};
    soft.mass = 5;
    const BodyId block = world.add(soft, {.position = {1, 0.1, 0}});
    steps(world, 120);
    for (const auto& [body, weight] : {std::pair(box, 3 * g), std::pair(block, 5 * g)}) {
        const ContactForce on = world.pair_force(body, ground), by = world.pair_force(ground, body);
        expect_near(on.force(), {0, weight, 0}, 1e-3 * weight);
        expect_near(on.normal, {0, weight, 0}, 1e-3 * weight);
        EXPECT_LT(norm(on.friction), 1e-3 * weight);
        expect_near(by.force(), -on.force(), 1e-12 * weight);
        expect_near(world.contact_force(body).force(), on.force(), 1e-12 * weight);
        expect_near(on.torque, {}, 1e-3 * weight * 0.1);
        expect_near(on.torque, world.contact_wrench(body).torque, 1e-9 * weight);
    }
    EXPECT_EQ(world.pair_forces().size(), 2u);
    expect_near(world.contact_force(ground).force(), {0, -8 * g, 0}, 1e-3 * 8 * g);
    EXPECT_TRUE(says(error_of([&] { world.pair_force(box, ground, Reading::smoothed); }), "smooth_forces"));
}

// Friction holds a body on a slope: normal and friction apart.
TEST(Forces, NormalAndFrictionOnASlope) {
    World world(without_sleep());
    const Quat tilt = from_axis_angle({0, 0, 1}, 15);
    const BodyId slope = world.add(Fixed{.shape = Shape::half_space()}, {.rotation = tilt});
    const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .mass = 2},
                                 {.position = rotate(tilt, {0, 0.1, 0}), .rotation = tilt});
    steps(world, 120);
    const ContactForce on = world.pair_force(box, slope);
    const double angle = 15 * 3.14159265358979 / 180;
    EXPECT_NEAR(norm(on.normal), 2 * g * std::cos(angle), 2e-3 * g);
    EXPECT_NEAR(norm(on.friction), 2 * g * std::sin(angle), 2e-3 * g);
    EXPECT_LT(std::abs(dot(on.normal, on.friction)), 1e-6);
}

TEST(Forces, AJointBearsAHangingWeight) {
    World world(without_sleep());
    const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .mass = 3});
    const JointId joint = world.add(BallJoint{.anchor = {0, 0.1, 0}}, box);
    world.smooth_forces(0.1);
    steps(world, 120);
    expect_near(world.joint_wrench(joint).force, {0, 3 * g, 0}, 3e-4 * g);
    expect_near(world.joint_wrench(joint, Reading::smoothed).force, {0, 3 * g, 0}, 3e-4 * g);
}

// A pushed plate that trembles by a third from step to step reads within a few per cent.
TEST(Forces, AMeanIsSteadyWhereStepsAreNot) {
    World world(without_sleep({.step = 0.01}));
    const BodyId ground = world.add_ground();
    const BodyId box =
        world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .mass = 1}, {.position = {0, 0.1, 0}});
    steps(world, 50);
    world.smooth_forces(0.5);
    const double at_once = world.pair_force(box, ground, Reading::smoothed).normal.y;
    EXPECT_NEAR(at_once, world.pair_force(box, ground).normal.y, 1e-9);
    double low = 1e9, high = 0, last = 0, jump = 0;
    for (int k = 0; k < 300; ++k) {
        world.apply_force(box, {0, k % 2 ? -3.0 : 3.0, 0});
        world.step();
        const double mean = world.pair_force(box, ground, Reading::smoothed).normal.y;
        const double now = world.pair_force(box, ground).normal.y;
        if (k > 0) jump = std::max(jump, std::abs(now - last) / g);
        last = now;
        if (k > 150) low = std::min(low, mean), high = std::max(high, mean);
    }
    EXPECT_GT(jump, 0.3);  // what it is for
    EXPECT_LT(high - low, 0.02 * g);
    EXPECT_NEAR(0.5 * (low + high), g, 0.02 * g);
    // df/dt = −f/τ once nothing presses.
    world.set_pose(box, {{0, 9, 0}, {}});
    world.step();
    const double before = world.pair_force(box, ground, Reading::smoothed).normal.y;
    steps(world, 50);
    EXPECT_NEAR(world.pair_force(box, ground, Reading::smoothed).normal.y, before * std::exp(-1.0), 1e-6 * g);
    const auto snapshot = world.snapshot();
    const std::uint64_t hash = world.state_hash();
    world.smooth_forces(0);
    EXPECT_NE(world.state_hash(), hash);
    world.restore(snapshot);
    EXPECT_EQ(world.state_hash(), hash);
}

// A plate presses soft bodies of random form, stiffness and squeeze, and stands. From then on nothing happens, and what is read
// of the press changes by less than a third from step to step, its mean over a tenth of a second by a few per cent.
TEST(Forces, APressIsSteadyWhereNothingMoves) {
    double worst = 0, worst_mean = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(seed);
        World world(without_sleep());
        world.add_ground();
        Soft soft;
        if (seed % 2)
            soft.solid = SoftSolid::fill(
                generate({.shape = "icosphere", .triangles = 320, .size = 0.3}).value(), {.cells_across = 3});
        else
            soft.solid = SoftSolid(tet_box({0.15, 0.15, 0.15}, {2, 2, 2}).value());
        soft.elastic = {.young = test::log_uniform(random, 1e4, 1e6),
                        .poisson = random.uniform(0.2, 0.45),
                        .density = random.uniform(300, 1200)};
        soft.material.friction = random.uniform(0.1, 1);
        const BodyId body = world.add(soft, {.position = {0, 0.15, 0}});
        Scripted plate;
        plate.shape = Shape::box({0.4, 0.02, 0.4});
        const double down = random.uniform(0.03, 0.1);
        plate.keyframes = {{0.2, {0, 0.33, 0}, {}}, {0.7, {0, 0.32 - down, 0}, {}}};
        const BodyId press = world.add(plate);
        world.smooth_forces(0.1);
        steps(world, 55);
        double last = 0, last_mean = 0;
        for (int k = 0; k < 30; ++k) {
            world.step();
            const double now = -world.pair_force(body, press).normal.y;
            const double mean = -world.pair_force(body, press, Reading::smoothed).normal.y;
            EXPECT_GT(now, 0) << seed;
            if (k > 0) {
                worst = std::max(worst, std::abs(now - last) / now);
                worst_mean = std::max(worst_mean, std::abs(mean - last_mean) / mean);
            }
            last = now, last_mean = mean;
        }
    }
    EXPECT_LT(worst, 0.3);        // measured: 0.103
    EXPECT_LT(worst_mean, 0.03);  // measured: 0.009
}

// A blade of width w against a bar takes F = G w on the mean, and its work is the fracture energy of the new surface.
TEST(Forces, ABladeFeelsWhatItParts) {
    const double depth = 0.3, width = 0.1, fracture = 40;
    World world(cut_worlds::weightless());
    Soft bar;
    bar.solid = SoftSolid(tet_box({0.15, depth / 2, width / 2}, {5, 12, 3}).value());
    bar.elastic = {.young = 1e6, .poisson = 0.3, .density = 1000, .stiffness_damping = 0.01};
    bar.elastic.fracture_energy = fracture;
    const BodyId body = world.add(bar);
    world.pin(body, {{-1, -1, -1}, {-0.12, 1, 1}});
    world.pin(body, {{0.12, -1, -1}, {1, 1, 1}});
    Scripted knife;
    knife.shape = Shape::box({0.001, 0.4, 0.2});
    knife.keyframes = {{0, {0.012, 0.56, 0}, {}}, {1, {0.012, 0.16, 0}, {}}};
    knife.blade = Blade{.from = {0, -0.4, -0.2}, .to = {0, -0.4, 0.2}, .back = {0, 0.8, 0}};
    const BodyId blade = world.add(knife);
    double work = 0, scripts = 0, lost = 0, unaccounted = 0, area = 0;
    Vec3 mean{};
    int inside = 0;
    for (int k = 0; k < 100; ++k) {
        world.step();
        const double edge = world.pose(blade).position.y - 0.4;
        const Vec3 force = world.blade_wrench(blade).force;
        work += force.y * 0.4 * 0.01;  // against the blade's way, 0.4 m/s
        if (edge < 0.03 && edge > -0.13) mean += force, ++inside;
        scripts += world.report().ledger.scripts, lost -= world.report().ledger.fracture;
        unaccounted += std::abs(world.report().ledger.unaccounted);
    }
    EXPECT_EQ(world.pieces(body), 2u);
    area = depth * width;
    EXPECT_GT(inside, 15);
    // Measured beside the tolerance: what is owed at the end, G w ℓ.
    EXPECT_NEAR(mean.y / inside, fracture * width, 0.15 * fracture * width);
    EXPECT_NEAR(lost, fracture * area, 0.2 * fracture * area);
    EXPECT_NEAR(work, lost, 0.05 * lost);
    EXPECT_NEAR(scripts, lost, 0.05 * lost);
    EXPECT_LT(unaccounted, 0.02 * lost);
    EXPECT_LT(std::abs(mean.x) + std::abs(mean.z), 0.01 * mean.y);
}

// The faces of the cut rub on the blade: with both of them, over the depth that it is in, against its way.
TEST(Forces, FacesOfACutRubOnTheBlade) {
    const double depth = 0.3, width = 0.1, shear = 500;
    World world(cut_worlds::weightless());
    Soft bar;
    bar.solid = SoftSolid(tet_box({0.15, depth / 2, width / 2}, {5, 12, 3}).value());
    bar.elastic = {.young = 1e6, .poisson = 0.3, .density = 1000, .stiffness_damping = 0.01};
    bar.elastic.blade_friction = shear;
    const BodyId body = world.add(bar);
    world.pin(body, {{-1, -1, -1}, {-0.12, 1, 1}});
    world.pin(body, {{0.12, -1, -1}, {1, 1, 1}});
    Scripted knife;
    knife.shape = Shape::box({0.001, 0.4, 0.2});
    knife.keyframes = {{0, {0.012, 0.56, 0}, {}}, {1, {0.012, 0.16, 0}, {}}};
    knife.blade = Blade{.from = {0, -0.4, -0.2}, .to = {0, -0.4, 0.2}, .back = {0, 0.8, 0}};
    const BodyId blade = world.add(knife);
    double work = 0, scripts = 0, friction = 0, unaccounted = 0, before = 0;
    for (int k = 0; k < 100; ++k) {
        world.step();
        const double in = std::clamp(0.15 - (world.pose(blade).position.y - 0.4), 0.0, depth);
        const Vec3 force = world.blade_wrench(blade).force;
        work += force.y * 0.4 * 0.01;
        scripts += world.report().ledger.scripts, friction += world.report().ledger.friction;
        unaccounted += std::abs(world.report().ledger.unaccounted);
        // Faces open cell by cell, of 0.03 m.
        EXPECT_LE(force.y, 2 * shear * width * (in + 0.03) + 1e-9) << k;
        if (k == 60) before = force.y / (2 * shear * width * in);
    }
    EXPECT_EQ(world.pieces(body), 2u);
    EXPECT_NEAR(before, 1, 0.25);
    EXPECT_NEAR(world.blade_wrench(blade).force.y, 2 * shear * width * depth,
                0.1 * 2 * shear * width * depth);
    EXPECT_GT(work, 0);
    EXPECT_NEAR(scripts, work, 0.02 * work);
    EXPECT_NEAR(-friction, work, 0.1 * work);
    EXPECT_LT(unaccounted, 0.02 * work);
    // A blade that stands feels nothing of what stands.
    steps(world, 60);
    EXPECT_LT(norm(world.blade_wrench(blade).force), 1);
}

}  // namespace
}  // namespace plush
