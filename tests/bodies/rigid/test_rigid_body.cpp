#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

#include "bodies/rigid/rigid_body.hpp"
#include "bodies/round_trip.hpp"

namespace plush {
namespace {

using test::step;

// A box with three different moments of inertia, spun near its middle axis: it tumbles (Dzhanibekov).
constexpr Vec3 half_size{0.1, 0.2, 0.3};
constexpr double h = 1.0 / 240;

RigidBody tumbling_box(const Vec3& velocity = {}, const Vec3& spin = {0.01, 5, 0.02}) {
    const Shape shape = Shape::box(half_size);
    return {shape, shape.mass(1000).value(), {{1, 2, 3}, {}, velocity, spin}, 0};
}

struct Extremes {
    double least = 1, most = 1, last = 1;  // kinetic energy over that of the start
    double momentum_error = 0;             // of the angular momentum, relative
    double middle_axis_least = 1;  // least cosine between the middle axis and its start: −1 is a flip
};

Extremes tumble(RotationMethod method, double seconds, const Vec3& spin = {0.01, 5, 0.02}) {
    RigidBody box = tumbling_box({}, spin);
    const double energy = box.kinetic_energy();
    const Vec3 momentum = box.angular_momentum();
    Extremes e;
    for (int i = 0; i < seconds / h; ++i) {
        step(box, h, {}, method);
        e.last = box.kinetic_energy() / energy;
        e.least = std::min(e.least, e.last), e.most = std::max(e.most, e.last);
        e.momentum_error =
            std::max(e.momentum_error, norm(box.angular_momentum() - momentum) / norm(momentum));
        e.middle_axis_least = std::min(e.middle_axis_least, rotate(box.pose().rotation, {0, 1, 0}).y);
    }
    return e;
}

TEST(RigidBody, FreeFlightKeepsBothMomentaExactly) {
    RigidBody box = tumbling_box({3, -1, 0.5});
    const Vec3 linear = box.momentum(), angular = box.angular_momentum();
    for (int i = 0; i < 10'000; ++i) step(box, h);
    EXPECT_EQ(box.momentum(), linear);  // to the bit: nothing is added to them
    EXPECT_EQ(box.angular_momentum(), angular);
    EXPECT_LT(norm(box.centre() - (Vec3{1, 2, 3} + 10'000 * h * Vec3{3, -1, 0.5})), 1e-10);
}

// Measured: the energy swings by 1e-6 at each flip, over 20 s as over 200 s: a bound, not a drift.
TEST(RigidBody, TheDefaultRotationFlipsAndKeepsItsEnergyWithinABound) {
    const Extremes brief = tumble(RotationMethod::momentum, 20),
                   lasting = tumble(RotationMethod::momentum, 200);
    EXPECT_EQ(lasting.momentum_error, 0);
    EXPECT_LT(lasting.middle_axis_least, -0.99);  // it tumbles
    EXPECT_LT(lasting.most - 1, 2e-6);
    EXPECT_GT(lasting.least - 1, -2e-6);
    EXPECT_LT(lasting.most - lasting.least, 1.2 * (brief.most - brief.least));
}

// Measured after 60 s: 0.826 of the energy and 0.909 of the angular momentum are left.
TEST(RigidBody, TheImplicitRotationLosesEnergyAndMomentum) {
    const Extremes e = tumble(RotationMethod::implicit, 60);
    EXPECT_LT(e.middle_axis_least, -0.99);  // it does tumble
    EXPECT_LE(e.most, 1 + 1e-12);
    EXPECT_NEAR(e.last, 0.826, 0.01);
    EXPECT_NEAR(e.momentum_error, 0.091, 0.01);
}

// Without the gyroscopic term ω stands still: the box that must flip never does, and spun about no principal
// axis its angular momentum wanders off by 0.74 of its length although nothing touches it.
TEST(RigidBody, TheFirstOrderRotationNeverTumblesAndDoesNotKeepMomentum) {
    EXPECT_GT(tumble(RotationMethod::first_order, 60).middle_axis_least, 0.99);
    EXPECT_GT(tumble(RotationMethod::first_order, 60, {1, 2, 3}).momentum_error, 0.7);
}

TEST(RigidBody, FreeFallIsTheSumOfItsSteps) {
    RigidBody box = tumbling_box({1, 2, 0});
    const Vec3 g{0, -9.81, 0};
    const int n = 240;
    for (int i = 0; i < n; ++i) step(box, h, g);
    // Semi-implicit Euler: x_n = x + n h v + ½ n (n+1) h² g.
    const Vec3 expected = Vec3{1, 2, 3} + n * h * Vec3{1, 2, 0} + 0.5 * n * (n + 1) * h * h * g;
    EXPECT_LT(norm(box.centre() - expected), 1e-13);
    EXPECT_LT(norm(box.velocity() - (Vec3{1, 2, 0} + n * h * g)), 1e-13);
}

TEST(RigidBody, DampingTakesTheSameShareOfVelocityAndSpinEachStep) {
    const Shape shape = Shape::sphere(0.5);
    const double damping = 3;
    RigidBody ball(shape, shape.mass(100).value(), {{}, {}, {1, 2, 3}, {4, 5, 6}}, damping);
    const int n = 100;
    for (int i = 0; i < n; ++i) step(ball, h);
    const double keep = std::pow(1 + h * damping, -n);
    EXPECT_LT(norm(ball.velocity() - keep * Vec3{1, 2, 3}), 1e-14);
    EXPECT_LT(norm(ball.angular_velocity() - keep * Vec3{4, 5, 6}), 1e-14);
}

TEST(RigidBody, AnImpulseChangesMomentumByItselfAndSpinByItsLever) {
    RigidBody box = tumbling_box();
    const Vec3 spin = box.angular_momentum(), impulse{1, -2, 0.5}, lever{0.1, 0.2, -0.3};
    box.apply_impulse(impulse, box.centre() + lever);
    EXPECT_LT(norm(box.momentum() - impulse), 1e-15);
    EXPECT_LT(norm(box.angular_momentum() - spin - cross(lever, impulse)), 1e-15);
}

TEST(RigidBody, AForceAndATorqueActForOneStepAndAreThenForgotten) {
    RigidBody box = tumbling_box();
    const Vec3 spin = box.angular_momentum(), force{10, 20, -5}, lever{0.1, 0, 0.2}, torque{1, 2, 3};
    box.add_force(force, box.centre() + lever);
    box.add_torque(torque);
    step(box, h);
    const Vec3 gained = h * (cross(lever, force) + torque);
    EXPECT_LT(norm(box.momentum() - h * force), 1e-15);
    EXPECT_LT(norm(box.angular_momentum() - spin - gained), 1e-15);
    step(box, h);
    EXPECT_LT(norm(box.momentum() - h * force), 1e-15);
    EXPECT_LT(norm(box.angular_momentum() - spin - gained), 1e-15);
}

// I ω̇ = τ about a principal axis: ω after n steps is n h τ / I, with I = m/12 (b² + c²) of the box.
TEST(RigidBody, ATorqueAboutAPrincipalAxisSpinsByItsMomentOfInertia) {
    const Shape shape = Shape::box(half_size);
    const MassProperties mass = shape.mass(1000).value();
    RigidBody box(shape, mass, {}, 0);
    for (int i = 0; i < 10; ++i) {
        box.add_torque({0, 2, 0});
        step(box, h);
    }
    const double inertia = mass.mass / 12 * (0.2 * 0.2 + 0.6 * 0.6);
    EXPECT_NEAR(box.angular_velocity().y, 10 * h * 2 / inertia, 1e-15);
    EXPECT_NEAR(box.kinetic_energy(), 0.5 * inertia * std::pow(box.angular_velocity().y, 2), 1e-16);
}

// The position phase does no work. With ω kept and L made to follow, a needle that is turned across its spin gained 200
// times its energy.
TEST(RigidBody, DisplacingMovesTheBodyAndLeavesItsSpeedsAndItsEnergy) {
    for (const Vec3& size : {half_size, Vec3{0.001, 0.5, 0.001}}) {
        const Shape shape = Shape::box(size);
        RigidBody box(shape, shape.mass(1000).value(), {{1, 2, 3}, {}, {1, 2, 3}, {0.01, 5, 0.02}}, 0);
        const Vec3 omega = box.angular_velocity(), centre = box.centre();
        const double energy = box.kinetic_energy(), spin = norm(box.angular_momentum());
        const Twist change{{0.1, 0, -0.2}, {0.3, 0.2, 0.1}};
        box.displace({&change, 1});
        EXPECT_EQ(box.velocity(), (Vec3{1, 2, 3}));
        EXPECT_LT(norm(box.angular_velocity() - rotate(exp_rotation(change.angular), omega)), 1e-12);
        EXPECT_NEAR(box.kinetic_energy(), energy, 1e-12 * energy);
        EXPECT_NEAR(norm(box.angular_momentum()), spin, 1e-14 * spin);
        EXPECT_EQ(box.centre(), centre + change.linear);
        EXPECT_LT(norm(log_rotation(box.pose().rotation) - change.angular), 1e-15);
    }
}

// What the solver adds to the velocity, the body gains in momentum; and it moves by it within the step.
TEST(RigidBody, CorrectAddsTheSolversChange) {
    RigidBody box = tumbling_box();
    const Vec3 spin = box.angular_momentum(), start = box.centre();
    box.predict(h, {}, RotationMethod::momentum);
    const Node node = box.node(0);
    const Vec3 impulse{1, 0, 2}, angular_impulse{0.3, -0.1, 0.2};
    const Twist change{impulse * node.inverse_mass, node.inverse_inertia * angular_impulse};
    box.correct(h, {&change, 1});
    EXPECT_LT(norm(box.momentum() - impulse), 1e-15);
    EXPECT_LT(norm(box.angular_momentum() - spin - angular_impulse), 1e-15);
    EXPECT_LT(norm(box.centre() - start - h * box.velocity()), 1e-15);
}

// A mesh whose frame is not its centre of mass: pose() is that of the frame.
TEST(RigidBody, ThePoseIsThatOfTheShapesFrame) {
    const Shape shape = Shape::sphere(1);
    MassProperties mass = shape.mass(1).value();
    mass.centre = {0.2, 0, 0};
    const Placement placement{{1, 2, 3}, from_axis_angle({0, 0, 1}, 90), {}, {0, 0, 2}};
    const RigidBody body(shape, mass, placement, 0);
    EXPECT_LT(norm(body.pose().position - placement.position), 1e-15);
    EXPECT_LT(norm(body.centre() - Vec3{1, 2.2, 3}), 1e-15);
    EXPECT_LT(norm(body.velocity_at({1, 2, 3}) - Vec3{0.4, 0, 0}), 1e-15);
}

TEST(RigidBody, BoundsHoldEveryPointInEveryPose) {
    RigidBody box = tumbling_box();
    for (int i = 0; i < 200; ++i) {
        step(box, 0.05);
        const Box3 bounds = box.bounds().grown(1e-12);
        for (const Vec3& p : box.points().positions) ASSERT_TRUE(bounds.contains(box.pose() * p));
    }
}

TEST(RigidBody, AStateRestoredInAnotherBodyGoesOnWithTheSameBits) {
    RigidBody a = tumbling_box({1, 2, 3}), b = tumbling_box();
    for (int i = 0; i < 100; ++i) step(a, h, {0, -9.81, 0});
    a.add_force({1, 2, 3}, {0, 0, 0});  // waiting for the next step: part of the state
    a.add_torque({3, 2, 1});
    const auto state = test::state_of(a);
    EXPECT_NE(test::state_of(b), state);
    test::restore(b, state);
    for (int i = 0; i < 100; ++i) step(a, h, {0, -9.81, 0}), step(b, h, {0, -9.81, 0});
    EXPECT_EQ(test::state_of(a), test::state_of(b));
}

}  // namespace
}  // namespace plush
