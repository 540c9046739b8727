#include "worlds.hpp"

// Forces, torques and impulses against closed forms. Semi-implicit Euler under a constant acceleration a:
// v = n h a, x = a h² n (n + 1)/2.

namespace plush {
namespace {

using namespace testing_world;

TEST(Acting, AForceAtTheCentreAccelerates) {
    World world(without_gravity());
    const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.2, 0.3}), .mass = 2});
    const int n = 60;
    const double h = world.settings().step, a = 6.0 / 2;
    for (int i = 0; i < n; ++i) {
        world.apply_force(box, {6, 0, 0});
        world.step();
    }
    EXPECT_NEAR(world.velocity(box).x, n * h * a, 1e-12);
    EXPECT_NEAR(world.centre(box).x, a * h * h * n * (n + 1) / 2, 1e-12);
    EXPECT_LT(norm(world.angular_velocity(box)), 1e-15);
    world.step();  // a force lasts one step
    EXPECT_NEAR(world.velocity(box).x, n * h * a, 1e-12);
}

TEST(Acting, AForceBesideTheCentreTurnsToo) {
    World world(without_gravity());
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.5), .mass = 2});
    const double h = world.settings().step, inertia = 0.4 * 2 * 0.25;
    world.apply_force(ball, {0, 0, 3}, {0.5, 0, 0});  // τ = r × F = (0, −1.5, 0)
    world.step();
    expect_near(world.velocity(ball), {0, 0, 3 * h / 2}, 1e-15);
    expect_near(world.angular_velocity(ball), {0, -1.5 * h / inertia, 0}, 1e-14);
}

TEST(Acting, ATorqueSpins) {
    World world(without_gravity());
    const double m = 3, x = 0.1, y = 0.2, z = 0.3;
    const BodyId box = world.add(Rigid{.shape = Shape::box({x, y, z}), .mass = m});
    const double inertia = m * (x * x + y * y) / 3;  // half-sizes; about z
    for (int i = 0; i < 10; ++i) {
        world.apply_torque(box, {0, 0, 0.2});
        world.step();
    }
    expect_near(world.angular_velocity(box), {0, 0, 10 * world.settings().step * 0.2 / inertia}, 1e-12);
    expect_near(world.angular_momentum(box), {0, 0, 10 * world.settings().step * 0.2}, 1e-14);
    expect_near(world.velocity(box), {}, 0);
}

TEST(Acting, AnImpulseActsAtOnce) {
    World world(without_gravity());
    const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.5), .mass = 2});
    const double inertia = 0.4 * 2 * 0.25;
    world.apply_impulse(ball, {0, 4, 0}, {0.5, 0, 0});
    expect_near(world.velocity(ball), {0, 2, 0}, 1e-15);
    expect_near(world.angular_velocity(ball), {0, 0, 2 / inertia}, 1e-13);
    expect_near(world.momentum(), {0, 4, 0}, 1e-15);
    EXPECT_NEAR(world.energy().kinetic, 0.5 * 2 * 4 + 0.5 * 4 / inertia, 1e-12);
}

TEST(Acting, ParticlesShareAForceAndFallAgainstDrag) {
    World world;
    const double m = 0.001, c = 0.004, h = world.settings().step;
    const BodyId dust = world.add(Particles{.positions = {{0, 9, 0}, {1, 9, 0}}, .mass = m, .drag = c});
    for (int i = 0; i < 600; ++i) world.step();
    EXPECT_NEAR(world.velocity(dust).y, -m * g / c, 1e-9);  // the terminal speed of linear drag
    world.set_velocity(dust, {});
    world.apply_force(dust, {2 * m * 5, 2 * m * g, 0});  // on all of them together: 5 m/s² each
    world.step();
    expect_near(world.velocity(dust), {h * 5 / (1 + h * c / m), 0, 0}, 1e-14);
}

TEST(Acting, DampingIsImplicit) {
    WorldSettings settings = without_gravity();
    World world(settings);
    Rigid body = cube();
    body.damping = 2;
    const BodyId box = world.add(body, {.velocity = {1, 0, 0}, .angular_velocity = {0, 1, 0}});
    steps(world, 60);
    const double keep = std::pow(1 / (1 + 2 * settings.step), 60);
    EXPECT_NEAR(world.velocity(box).x, keep, 1e-12);
    EXPECT_NEAR(world.angular_velocity(box).y, keep, 1e-12);
}

TEST(Acting, ACustomForceIsCalledOnceAStep) {
    World world(without_gravity());
    const BodyId box = world.add(Rigid{.shape = Shape::sphere(0.1), .mass = 1});
    int calls = 0;
    world.add_custom_force([&](World& w) {
        ++calls;
        w.apply_force(box, {0, 0, 1});
    });
    steps(world, 30);
    EXPECT_EQ(calls, 30);
    EXPECT_NEAR(world.velocity(box).z, 30 * world.settings().step, 1e-13);
}

TEST(Acting, PoseAndVelocityAreSet) {
    World world(without_gravity());
    const BodyId box = world.add(cube());
    const Transform pose{{1, 2, 3}, from_axis_angle({1, 1, 0}, 30)};
    world.set_velocity(box, {1, 0, 0}, {0, 2, 0});
    world.set_pose(box, pose);
    expect_near(world.pose(box).position, pose.position, 1e-15);
    EXPECT_NEAR(world.pose(box).rotation.w, pose.rotation.w, 1e-15);
    expect_near(world.velocity(box), {1, 0, 0}, 1e-15);
    expect_near(world.angular_velocity(box), {0, 2, 0}, 1e-14);
    world.step();
    expect_near(world.centre(box), {1 + world.settings().step, 2, 3}, 1e-14);
    // Particles move as a cloud.
    const BodyId dust = world.add(Particles{.positions = {{0, 0, 0}, {2, 0, 0}}});
    world.set_pose(dust, {{5, 5, 5}, {}});
    expect_near(world.particle_positions(dust)[0], {4, 5, 5}, 1e-15);
    expect_near(world.particle_positions(dust)[1], {6, 5, 5}, 1e-15);
}

// v + ω × (x − centre) of every vertex: its angular momentum about the centre is I ω, and it turns.
TEST(Acting, ASoftBodyIsSetTurning) {
    World world(without_gravity());
    Soft box;
    box.solid = SoftSolid(tet_box({0.2, 0.1, 0.3}, {2, 1, 3}).value());
    const BodyId body = world.add(box, {.position = {1, 2, 3}, .rotation = from_axis_angle({1, 1, 0}, 30)});
    const Vec3 v{1, -2, 0.5}, spin{0.3, 0.2, -0.1}, centre = world.centre(body);
    world.set_velocity(body, v, spin);
    Vec3 momentum;
    for (std::size_t i = 0; i < world.vertex_positions(body).size(); ++i) {
        const Vec3 r = world.vertex_positions(body)[i] - centre;
        expect_near(world.vertex_velocities(body)[i], v + cross(spin, r), 1e-14);
        momentum += world.vertex_masses(body)[i] * cross(r, cross(spin, r));
    }
    expect_near(world.velocity(body), v, 1e-13);
    expect_near(world.angular_momentum(body), momentum, 1e-12);
    const Vec3 corner = world.vertex_positions(body)[0] - centre;
    world.step();
    const double h = world.settings().step;
    expect_near(world.vertex_positions(body)[0] - world.centre(body), corner + h * cross(spin, corner), 1e-6);
    // What is pinned stays where it is.
    const Vec3 pinned = world.vertex_positions(body)[0];
    world.pin(body, 0);
    world.set_velocity(body, {}, spin);
    world.step();
    expect_near(world.vertex_positions(body)[0], pinned, 0);
}

TEST(Acting, AScriptedBodyFollowsItsKeyframes) {
    World world;
    const BodyId arm = world.add(Scripted{
        .shape = Shape::box({0.1, 0.1, 0.1}),
        .keyframes = {{.time = 0, .position = {0, 0, 0}},
                      {.time = 1, .position = {2, 0, 0}, .rotation = from_axis_angle({0, 1, 0}, 90)}}});
    steps(world, 30);
    expect_near(world.pose(arm).position, {1, 0, 0}, 1e-12);
    expect_near(world.velocity(arm), {2, 0, 0}, 1e-12);
    EXPECT_NEAR(world.angular_velocity(arm).y, std::acos(-1.0) / 2, 1e-9);
    steps(world, 60);
    expect_near(world.pose(arm).position, {2, 0, 0}, 1e-12);
    expect_near(world.velocity(arm), {}, 1e-12);
    EXPECT_EQ(world.mass(arm), HUGE_VAL);
}

// A belt that runs under a box carries it by friction: the box is accelerated by μ g until it has the belt's
// speed, and from then on lies still on it. The belt carries the weight.
TEST(Acting, AConveyorCarriesABoxAndFeelsItsWeight) {
    World world;
    const double mu = 0.4, speed = 1;
    const Material rubber{.friction = mu};
    const BodyId belt = world.add(Scripted{
        .shape = Shape::box({20, 0.5, 1}),
        .keyframes = {{.time = 0, .position = {0, -0.5, 0}}, {.time = 10, .position = {10 * speed, -0.5, 0}}},
        .material = rubber});
    Rigid crate = cube(0.1);
    crate.material = rubber;
    const BodyId box = world.add(crate, {.position = {0, 0.1, 0}});
    const double weight = world.mass(box) * g;
    const int sliding = 12;  // of v/(μ g h) = 15.3 steps
    steps(world, sliding);
    EXPECT_NEAR(world.velocity(box).x, mu * g * world.time(), 0.02 * speed);  // measured: see below
    EXPECT_NEAR(world.contact_wrench(belt).force.x, -mu * weight, 1e-3 * weight);
    steps(world, 120);
    EXPECT_NEAR(world.velocity(box).x, speed, 1e-6);
    EXPECT_NEAR(world.contact_wrench(belt).force.y, -weight, 1e-3 * weight);
    EXPECT_NEAR(world.contact_wrench(belt).force.x, 0, 1e-3 * weight);
    EXPECT_NEAR(world.contact_wrench(box).force.y, weight, 1e-3 * weight);
    EXPECT_FALSE(world.asleep(box));
}

}  // namespace
}  // namespace plush
