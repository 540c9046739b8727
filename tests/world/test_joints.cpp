#include <gtest/gtest.h>

#include <numbers>

#include "plush/world/world.hpp"
#include "support/worlds.hpp"

// Joints in a world: what they hold, what drives them, and what they say of it.

namespace plush {
namespace {

constexpr double g = 9.81;

WorldSettings quiet(double step = 1.0 / 240, bool gravity = true) {
    WorldSettings settings;
    settings.step = step;
    settings.threads = 1;
    settings.sleep.enabled = false;
    if (!gravity) settings.gravity = {};
    return settings;
}

BodyId add_box(World& world, const Vec3& at, double mass = 1, const Vec3& half = {0.1, 0.1, 0.1}) {
    return world.add(Rigid{.shape = Shape::box(half), .mass = mass}, {.position = at});
}

void run(World& world, double seconds) {
    test::run_until(world, world.time() + seconds);
}

TEST(Joints, BallHoldsItsPointAndItsWeight) {
    World world(quiet());
    const BodyId box = add_box(world, {0, -0.5, 0}, 2);
    const JointId pin = world.add(BallJoint{.anchor = {0, 0, 0}}, box);
    run(world, 1);
    EXPECT_LT(world.joint_gap(pin), 1e-12);  // measured: 0
    EXPECT_NEAR(world.joint_force(pin).y, 2 * g, 1e-9);
    EXPECT_LT(norm(world.joint_torque(pin)), 1e-12);
}

TEST(Joints, BallConeStops) {
    World world(quiet());
    // A rod that would fall over is caught by the cone of half a radian.
    const BodyId rod = world.add(Rigid{.shape = Shape::box({0.02, 0.5, 0.02}), .mass = 1},
                                 {.position = {0, 0.5, 0}, .angular_velocity = {0, 0, -0.5}});
    const JointId pin = world.add(BallJoint{.anchor = {0, 0, 0}, .axis = {0, 1, 0}, .cone = 0.5}, rod);
    run(world, 4);
    EXPECT_NEAR(world.joint_position(pin), 0.5, 1e-6);  // measured: 5e-9
    EXPECT_LT(norm(world.angular_velocity(rod)), 1e-6);
    // The stop carries the moment of the weight.
    EXPECT_NEAR(norm(world.joint_torque(pin)), g * 0.5 * std::sin(0.5), 1e-6);
}

TEST(Joints, HingeTurnsAboutItsAxisOnly) {
    World world(quiet());
    const BodyId box = add_box(world, {0.5, 0, 0});
    const JointId hinge = world.add(HingeJoint{.anchor = {0, 0, 0}, .axis = {0, 0, 1}}, box);
    world.set_velocity(box, {}, {3, 2, 0});  // against the hinge
    double worst = 0;
    for (int i = 0; i < 480; ++i) {
        world.step();
        worst = std::max({worst, world.joint_gap(hinge), std::abs(world.centre(box).z)});
        const Vec3 axis = rotate(world.pose(box).rotation, {0, 0, 1});
        worst = std::max(worst, norm(axis - Vec3{0, 0, 1}));
    }
    EXPECT_LT(worst, 1e-8);
    EXPECT_GT(std::abs(world.joint_position(hinge)), 0.01);
}

TEST(Joints, MotorTurnsAtItsSpeedThroughManyTurns) {
    World world(quiet());
    const BodyId box = add_box(world, {0.3, 0, 0});
    const JointId hinge =
        world.add(HingeJoint{.anchor = {0, 0, 0}, .axis = {0, 0, 1}, .motor = {.speed = 5}}, box);
    run(world, 4);
    EXPECT_NEAR(world.joint_position(hinge), 20, 1e-8);
    EXPECT_NEAR(world.joint_speed(hinge), 5, 1e-3);
}

TEST(Joints, MotorGivesNoMoreThanItsForce) {
    World world(quiet(1.0 / 240, false));
    const BodyId box = add_box(world, {0, 0, 0}, 2);
    const JointId slider =
        world.add(SliderJoint{.axis = {1, 0, 0}, .motor = {.speed = 100, .max_force = 3}}, box);
    run(world, 1);
    EXPECT_NEAR(world.velocity(box).x, 1.5, 1e-12);  // F t / m
    EXPECT_NEAR(world.joint_force(slider).x, 3, 1e-9);
    world.set_motor(slider, {.position = 2, .max_force = 1e4});
    run(world, 1);
    EXPECT_NEAR(world.joint_position(slider), 2, 1e-9);
    world.set_motor(slider, {.speed = 0.5, .position = 0.0});
    run(world, 1);
    EXPECT_NEAR(world.joint_position(slider), 1.5, 1e-9);  // at most 0.5 m/s
}

TEST(Joints, LimitsStopAndCarry) {
    World world(quiet());
    const BodyId box = add_box(world, {0, 0, 0}, 3);
    const JointId slider =
        world.add(SliderJoint{.axis = {0, 1, 0}, .limits = {.low = -0.4, .high = 0.1}}, box);
    run(world, 1);
    EXPECT_NEAR(world.joint_position(slider), -0.4, 1e-9);
    EXPECT_NEAR(world.joint_force(slider).y, 3 * g, 1e-9);
    world.set_velocity(box, {0, 5, 0});
    double highest = -1;
    for (int i = 0; i < 60; ++i) world.step(), highest = std::max(highest, world.joint_position(slider));
    EXPECT_NEAR(highest, 0.1, 1e-9);
    // A motor does not push past them, however strong.
    world.set_motor(slider, {.speed = 2});
    run(world, 1);
    EXPECT_NEAR(world.joint_position(slider), 0.1, 1e-9);
}

// Its force has no bound: pressing, it would win against the stop, or share the way with it.
TEST(Joints, AMotorDoesNotPressAgainstAStop) {
    for (const double way : {1.0, -1.0}) {
        World world(quiet(1.0 / 240, false));
        const BodyId box = add_box(world, {0, 0, 0}, 2);
        const JointId slider = world.add(
            SliderJoint{.axis = {1, 0, 0}, .limits = {.low = -0.3, .high = 0.3}, .motor = {.speed = 2 * way}},
            box);
        run(world, 1);
        EXPECT_NEAR(world.joint_position(slider), 0.3 * way, 1e-9);
        EXPECT_LT(norm(world.velocity(box)), 1e-9);
        EXPECT_LT(norm(world.joint_force(slider)), 1e-6) << way;
    }
}

// h² T/l = 5.5 N/m s², where a light bead is stable up to 4/D of 0.04: without damping across them such ropes
// whirl, and throw the load.
TEST(Joints, ShortRopesThatCarryMuchDoNotWhirl) {
    World world(quiet(1.0 / 60));
    const BodyId bead =
        world.add(Rigid{.shape = Shape::sphere(0.005), .mass = 0.01}, {.position = {0, -0.05, 0}});
    const BodyId load =
        world.add(Rigid{.shape = Shape::sphere(0.05), .mass = 100}, {.position = {0, -0.1, 0}});
    world.add(RopeJoint{.anchor_a = {0, -0.05, 0}, .anchor_b = {0, 0, 0}}, bead);
    world.add(RopeJoint{.anchor_a = {0, -0.1, 0}, .anchor_b = {0, -0.05, 0}}, load, bead);
    world.set_velocity(bead, {0.01, 0, 0.005});
    double fastest = 0;
    for (int k = 0; k < 300; ++k) {
        world.step();
        if (k > 60) fastest = std::max(fastest, norm(world.velocity(bead)));
    }
    std::printf("fastest bead after a second: %g m/s\n", fastest);
    EXPECT_LT(fastest, 0.05);
}

TEST(Joints, SpringsRestWhereTheForceIs) {
    World world(quiet());
    const BodyId box = add_box(world, {0, 0, 0}, 2);
    const JointId slider =
        world.add(SliderJoint{.axis = {0, 1, 0}, .spring = {.stiffness = 200, .damping = 20}}, box);
    run(world, 10);
    EXPECT_NEAR(world.joint_position(slider), -2 * g / 200, 1e-9);
    EXPECT_NEAR(world.joint_force(slider).y, 2 * g, 1e-6);
}

// Implicit: damps by its own, but its period is that of √(k/m).
TEST(Joints, SpringsSwingAtTheirFrequency) {
    World world(quiet(1.0 / 2000, false));
    const BodyId box = add_box(world, {1.1, 0, 0}, 2);
    world.add(
        DistanceJoint{
            .anchor_a = {1.1, 0, 0}, .anchor_b = {0, 0, 0}, .spring = {.stiffness = 50, .rest = 1.0}},
        box);
    double last = 1, first_crossing = -1, crossing = -1;
    int crossings = 0;
    while (crossings < 5) {
        world.step();
        const double now = world.centre(box).x - 1;
        if (last < 0 && now >= 0) {
            crossing = world.time();
            if (crossings++ == 0) first_crossing = crossing;
        }
        last = now;
    }
    const double period = 2 * std::numbers::pi * std::sqrt(2.0 / 50);
    EXPECT_NEAR((crossing - first_crossing) / 4, period, 2e-3 * period);
}

TEST(Joints, FixedCarriesAMoment) {
    World world(quiet());
    const BodyId post = add_box(world, {0, 0, 0}), arm = add_box(world, {0.5, 0, 0}, 2);
    const JointId root = world.add(FixedJoint{.anchor = {0, 0, 0}}, post);
    const JointId joint = world.add(FixedJoint{.anchor = {0, 0, 0}}, arm, post);
    run(world, 1);
    EXPECT_NEAR(world.centre(arm).y, 0, 1e-9);
    EXPECT_NEAR(world.joint_force(joint).y, 2 * g, 1e-9);
    EXPECT_NEAR(world.joint_torque(joint).z, 0.5 * 2 * g, 1e-9);
    EXPECT_NEAR(world.joint_force(root).y, 3 * g, 1e-9);
}

TEST(Joints, DistanceAndRope) {
    World world(quiet());
    const BodyId bob = add_box(world, {0, -1, 0}), loose = add_box(world, {3, -0.5, 0});
    const JointId rod = world.add(DistanceJoint{.anchor_a = {0, -1, 0}, .anchor_b = {0, 0, 0}}, bob);
    const JointId rope =
        world.add(RopeJoint{.anchor_a = {3, -0.5, 0}, .anchor_b = {3, 0, 0}, .length = 1}, loose);
    world.step();
    EXPECT_EQ(norm(world.joint_force(rope)), 0);  // slack
    EXPECT_NEAR(world.velocity(loose).y, -g / 240, 1e-12);
    run(world, 2);
    EXPECT_NEAR(world.joint_position(rope), 1, 1e-9);
    EXPECT_NEAR(world.joint_force(rope).y, g, 1e-6);
    EXPECT_LT(world.joint_gap(rod), 1e-9);
    EXPECT_NEAR(world.joint_force(rod).y, g, 1e-9);
    // A rope pulls and never pushes; a rod does both.
    world.set_velocity(loose, {0, 3, 0});
    world.set_velocity(bob, {0, 3, 0});
    world.step();
    EXPECT_LT(world.joint_position(rope), 1 - 0.01);
    EXPECT_LT(std::abs(world.joint_gap(rod)), 1e-9);
}

// Least-norm impulses: of all ways to share a load, the symmetric one.
TEST(Joints, TwoHingesShareADoor) {
    World world(quiet());
    const BodyId door = add_box(world, {0.5, 1, 0}, 20, {0.45, 1, 0.02});
    const JointId low = world.add(HingeJoint{.anchor = {0, 0.5, 0}}, door);
    const JointId high = world.add(HingeJoint{.anchor = {0, 1.5, 0}}, door);
    run(world, 0.5);
    EXPECT_NEAR(world.joint_force(low).y, 10 * g, 1e-4);
    EXPECT_NEAR(world.joint_force(high).y, 10 * g, 1e-4);
    world.set_velocity(door, {0, 0, -0.5}, {0, 1, 0});  // it still turns
    run(world, 0.5);
    EXPECT_NEAR(world.joint_position(low), 0.5, 0.02);
    EXPECT_LT(world.joint_gap(low) + world.joint_gap(high), 1e-8);
    EXPECT_NEAR(world.joint_force(low).y, 10 * g, 1e-3);
}

TEST(Joints, FourBallJointsShareATable) {
    World world(quiet());
    const BodyId top = add_box(world, {0, 1, 0}, 8, {0.5, 0.05, 0.5});
    std::vector<JointId> pins;
    for (const double x : {-0.4, 0.4})
        for (const double z : {-0.4, 0.4}) pins.push_back(world.add(BallJoint{.anchor = {x, 1, z}}, top));
    run(world, 0.5);
    for (const JointId pin : pins) {
        EXPECT_NEAR(world.joint_force(pin).y, 2 * g, 1e-6);
        EXPECT_NEAR(world.joint_force(pin).x, 0, 1e-6);
    }
}

// A ring of bodies: the loop closes, and its momentum is nobody's but its own.
TEST(Joints, ALoopStaysClosedAndFree) {
    World world(quiet(1.0 / 240, false));
    std::vector<BodyId> ring;
    const int n = 8;
    for (int i = 0; i < n; ++i) {
        const double a = 2 * std::numbers::pi * i / n;
        ring.push_back(add_box(world, {std::cos(a), std::sin(a), 0}, 1 + i % 3));
    }
    std::vector<JointId> pins;
    for (int i = 0; i < n; ++i) {
        const double a = 2 * std::numbers::pi * (i + 0.5) / n;
        const std::size_t k = static_cast<std::size_t>(i);
        pins.push_back(world.add(BallJoint{.anchor = {std::cos(a), std::sin(a), 0}}, ring[k],
                                 ring[(k + 1) % static_cast<std::size_t>(n)]));
    }
    world.set_velocity(ring[0], {1, 2, 3}, {0, 1, 5});
    const Vec3 before = world.momentum();
    double worst = 0;
    for (int i = 0; i < 480; ++i) {
        world.step();
        for (const JointId pin : pins) worst = std::max(worst, world.joint_gap(pin));
    }
    EXPECT_LT(worst, 1e-6);
    EXPECT_LT(norm(world.momentum() - before), 1e-9);
}

// Joints and contacts in one solve: a heavy box on a table of jointed parts.
TEST(Joints, CarryWhatRestsOnThem) {
    World world(quiet());
    const BodyId plank = add_box(world, {0, 1, 0}, 1, {0.5, 0.05, 0.2});
    const JointId left = world.add(HingeJoint{.anchor = {-0.5, 1, 0}, .axis = {0, 0, 1}}, plank);
    const JointId right = world.add(RopeJoint{.anchor_a = {0.5, 1, 0}, .anchor_b = {0.5, 3, 0}}, plank);
    const BodyId load =
        world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .mass = 50}, {.position = {0.25, 1.15, 0}});
    run(world, 2);
    const double on_load = world.contact_wrench(load).force.y;
    EXPECT_NEAR(on_load, 50 * g, 1e-3 * 50 * g);
    EXPECT_NEAR(world.joint_force(left).y + world.joint_force(right).y, 51 * g, 1e-3 * 51 * g);
    // Moments about the hinge: the rope carries (0.5·1 + 0.75·50) g / 1.
    EXPECT_NEAR(world.joint_force(right).y, (0.5 + 0.75 * 50) * g, 1e-3 * 51 * g);
}

TEST(Joints, SameBitsForAnyNumberOfThreads) {
    const auto hash = [](int threads) {
        WorldSettings settings = quiet(1.0 / 60);
        settings.threads = threads;
        World world(settings);
        world.add_ground();
        for (int row = 0; row < 6; ++row) {
            BodyId last{};
            for (int i = 0; i < 12; ++i) {
                const Vec3 at{row * 1.0, 3, 0.25 * i};
                const BodyId body = add_box(world, at, 1, {0.1, 0.1, 0.1});
                const Vec3 anchor = at - Vec3{0, 0, 0.125};
                if (i == 0)
                    world.add(BallJoint{.anchor = anchor}, body);
                else if (row % 2)
                    world.add(
                        HingeJoint{.anchor = anchor, .axis = {1, 0, 0}, .limits = {.low = -0.3, .high = 0.3}},
                        body, last);
                else
                    world.add(BallJoint{.anchor = anchor}, body, last);
                last = body;
            }
        }
        run(world, 1.5);
        return world.state_hash();
    };
    const auto one = hash(1);
    EXPECT_EQ(one, hash(2));
    EXPECT_EQ(one, hash(3));
}

TEST(Joints, SnapshotsCarryThem) {
    const auto build = [](World& world) {
        const BodyId box = add_box(world, {0.3, 0, 0});
        return world.add(HingeJoint{.axis = {0, 0, 1}, .limits = {.high = 8}, .motor = {.speed = 3}}, box);
    };
    World world(quiet()), other(quiet());
    const JointId hinge = build(world);
    build(other);
    run(world, 2);
    world.set_motor(hinge, {.speed = -1, .max_force = 50});
    run(world, 0.5);
    other.restore(world.snapshot());
    EXPECT_EQ(other.state_hash(), world.state_hash());
    run(world, 0.5), run(other, 0.5);
    EXPECT_EQ(other.state_hash(), world.state_hash());
    EXPECT_EQ(other.joint_position(hinge), world.joint_position(hinge));
}

TEST(Joints, TouchAgainWhenTheJointIsGone) {
    World world(quiet(1.0 / 240, false));
    const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {0.15, 0, 0});
    const JointId joint = world.add(BallJoint{.anchor = {0.07, 0, 0}}, a, b);
    world.step();
    EXPECT_TRUE(world.contacts().empty());
    world.remove(joint);
    world.step();
    EXPECT_FALSE(world.contacts().empty());
}

TEST(Joints, RefuseNonsense) {
    World world(quiet());
    const BodyId a = add_box(world, {0, 0, 0}), b = add_box(world, {1, 0, 0});
    EXPECT_THROW(world.add(HingeJoint{.axis = {0, 0, 0}}, a, b), Error);
    EXPECT_THROW(world.add(HingeJoint{.limits = {.low = 1.0, .high = -1.0}}, a, b), Error);
    EXPECT_THROW(world.add(SliderJoint{.spring = {.stiffness = -1}}, a, b), Error);
    EXPECT_THROW(world.add(BallJoint{.spring = {.stiffness = 1, .rest = 1.0}}, a, b), Error);
    EXPECT_THROW(world.add(BallJoint{}, JointEnd{a, 3u}, b), Error);
    EXPECT_THROW(world.add(RopeJoint{.length = -1.0}, a, b), Error);
    const JointId ball = world.add(BallJoint{}, a, b);
    EXPECT_THROW(world.set_motor(ball, {.speed = 1}), Error);
    EXPECT_THROW(world.set_limits(ball, {.low = 1.0}), Error);
    EXPECT_EQ(world.joints().size(), 1u);
}

// -- vertices of deformable bodies --

Rope soft_rope(IntegrationMethod method) {
    Rope rope;
    rope.from = {0, 0, 0}, rope.to = {0, -1, 0};
    rope.segments = 8;
    rope.springs.stretch = 500;
    rope.motion.integration.method = method;
    rope.motion.damping = 2;
    return rope;
}

// A rope that hangs by a joint at its first vertex and carries a box by one at its last.
class SoftJoints : public testing::TestWithParam<IntegrationMethod> {};

TEST_P(SoftJoints, HoldAndCarry) {
    World world(quiet(1.0 / 480));
    const BodyId rope = world.add(soft_rope(GetParam()));
    const BodyId box = add_box(world, {0, -1.1, 0}, 0.5);
    const JointId top = world.add(BallJoint{}, {rope, 0u});
    const JointId bottom = world.add(BallJoint{}, box, {rope, 8u});
    // It swings up and down on the springs; forces on average over the last four seconds carry the weight.
    double worst = 0, below = 0, above = 0;
    for (int i = 0; i < 480 * 8; ++i) {
        world.step();
        worst = std::max({worst, world.joint_gap(top), world.joint_gap(bottom)});
        if (i < 480 * 4) continue;
        below += world.joint_force(bottom).y / (480 * 4);
        above += world.joint_force(top).y / (480 * 4);
    }
    EXPECT_LT(worst, 1e-6);
    EXPECT_NEAR(below, 0.5 * g, 0.02 * g);
    EXPECT_NEAR(above, (0.5 + world.mass(rope)) * g, 0.02 * g);
    EXPECT_NEAR(norm(world.vertex_positions(rope)[0]), 0, 1e-6);
}
INSTANTIATE_TEST_SUITE_P(Methods, SoftJoints,
                         testing::Values(IntegrationMethod::implicit_euler,
                                         IntegrationMethod::semi_implicit_euler));

TEST(SoftJointsOfWorlds, RopeJointsAndDistancesBetweenVertices) {
    World world(quiet(1.0 / 480));
    const BodyId a = world.add(soft_rope(IntegrationMethod::implicit_euler));
    const BodyId b = world.add(soft_rope(IntegrationMethod::implicit_euler), {.position = {0.5, 0, 0}});
    world.add(BallJoint{}, {a, 0u});
    world.add(BallJoint{}, {b, 0u});
    const JointId rod = world.add(DistanceJoint{}, {a, 8u}, {b, 8u});
    const JointId tie = world.add(RopeJoint{.length = 0.3}, {a, 4u}, {b, 4u});
    run(world, 3);
    EXPECT_NEAR(world.joint_position(rod), 0.5, 1e-6);
    EXPECT_LT(world.joint_position(tie), 0.3 + 1e-6);
    EXPECT_GT(norm(world.joint_force(tie)), 0.01);
    EXPECT_LT(norm(world.momentum()), 0.05);
}

TEST(SoftJointsOfWorlds, RefuseWhatAVertexCannotDo) {
    World world(quiet());
    const BodyId rope = world.add(soft_rope(IntegrationMethod::implicit_euler));
    const BodyId box = add_box(world, {0, -1.1, 0});
    EXPECT_THROW(world.add(HingeJoint{}, {rope, 0u}, box), Error);
    EXPECT_THROW(world.add(FixedJoint{}, {rope, 0u}), Error);
    EXPECT_THROW(world.add(BallJoint{}, rope), Error);
    EXPECT_THROW(world.add(BallJoint{}, {rope, 99u}), Error);
    EXPECT_THROW(world.add(BallJoint{.cone = 1.0}, {rope, 0u}, box), Error);
    world.pin(rope, 3);
    EXPECT_THROW(world.add(BallJoint{}, {rope, 3u}, box), Error);
    world.add(BallJoint{}, {rope, 0u});
    EXPECT_THROW(world.attach(rope, Box3{{-1, -1.01, -1}, {1, -0.99, 1}}, box), Error);
}

}  // namespace
}  // namespace plush
