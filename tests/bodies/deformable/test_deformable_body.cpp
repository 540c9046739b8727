#include <gtest/gtest.h>

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/deformable/topologies.hpp"
#include "bodies/integrators/motion_systems.hpp"
#include "bodies/round_trip.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using namespace test;
using Method = IntegrationMethod;

const Vec3 gravity{0, -9.81, 0};

DeformableSettings by(Method method, double tolerance = 1e-8) {
    DeformableSettings s;
    s.integration = {.method = method, .policy = StepPolicy::accept, .tolerance = tolerance};
    return s;
}

/// A sheet with all kinds of elements but volumes, thrown and spinning.
DeformableBody flying_sheet(const DeformableSettings& settings, double damping = 0.01, int n = 8) {
    const SpringMaterial material{.stretch = 20,
                                  .shear = 10,
                                  .bend = 0.01,
                                  .bending = Bending::angles,
                                  .damping = damping,
                                  .density = 0.3};
    DeformableBody body(cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, n, n, material).value(), settings);
    Random random(5);
    for (std::uint32_t i = 0; i < body.node_count(); ++i) {
        const Vec3 x = body.positions()[i];
        const Vec3 jolt = random_vector(random, 0.05);
        body.set_vertex(i, x + 0.3 * jolt, Vec3{1, 2, 0.5} + cross({0.4, 1, 0}, x) + 5.0 * jolt);
    }
    return body;
}

TEST(DeformableBody, MomentumIsKeptByEveryMethodAtALooseTolerance) {
    for (Method m : all_methods) {
        DeformableBody body = flying_sheet(by(m, 0.1));
        const Vec3 before = body.momentum();
        double total = 0;
        for (std::size_t i = 0; i < body.node_count(); ++i)
            total += body.masses()[i] * norm(body.velocities()[i]);
        // Explicit Euler and midpoint grow at any step: few and small ones, so that they do not go far.
        for (int i = 0; i < 50; ++i) step(body, is_implicit(m) ? 0.01 : 2e-4);
        if (is_implicit(m)) {
            EXPECT_GT(body.last_step().solve.residual, 1e-4) << "loose, or the test proves nothing";
        }
        EXPECT_LT(norm(body.momentum() - before), 5e-13 * total) << word(m);  // measured 4e-16; Verlet 7e-14
    }
}

TEST(DeformableBody, GravityIsTheOnlyForceThatMovesTheCentreOfMass) {
    DeformableBody body = flying_sheet(by(Method::implicit_euler, 0.1));
    const Vec3 before = body.momentum();
    for (int i = 0; i < 20; ++i) step(body, 0.02, gravity);
    EXPECT_LT(norm(body.momentum() - before - 0.4 * body.mass() * gravity), 1e-12);
}

TEST(DeformableBody, AngularMomentumIsKeptBySymplecticMethods) {
    // Semi-implicit Euler and Verlet keep it exactly where forces are central: x' × v' = x × v + h x × a.
    for (Method m : {Method::semi_implicit_euler}) {
        DeformableBody body = flying_sheet(by(m));
        const Vec3 before = body.angular_momentum();
        for (int i = 0; i < 200; ++i) step(body, 0.002);
        EXPECT_LT(norm(body.angular_momentum() - before), 1e-13 * norm(before)) << word(m);  // measured 6e-16
    }
    // The others to their order; implicit Euler loses some.
    const auto drift = [](Method m, double h) {
        DeformableBody body = flying_sheet(by(m, 1e-12));
        const Vec3 before = body.angular_momentum();
        for (int i = 0; i * h < 0.4; ++i) step(body, h);
        return norm(body.angular_momentum() - before) / norm(before);
    };
    EXPECT_LT(drift(Method::runge_kutta_4, 2e-4), 1e-9);   // measured 6e-11
    EXPECT_LT(drift(Method::midpoint, 2e-4), 3e-6);        // measured 2.3e-7
    EXPECT_LT(drift(Method::verlet, 2e-4), 3e-6);          // measured 1.7e-7: of the reported velocity
    EXPECT_LT(drift(Method::implicit_euler, 2e-4), 3e-3);  // measured 2.6e-4
}

TEST(DeformableBody, ClothIsStableAtATenthOfASecond) {
    const SpringMaterial stiff{.stretch = 1e4, .shear = 1e4, .bend = 100, .density = 0.2};
    DeformableBody body(cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 20, 20, stiff).value(),
                        by(Method::implicit_euler, 1e-6));
    body.pin(0), body.pin(19);
    DeformableSettings explicit_settings = by(Method::semi_implicit_euler);
    DeformableBody twin(cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 20, 20, stiff).value(), explicit_settings);
    EXPECT_GT(0.1 / twin.largest_stable_step(), 1000) << "substeps that an explicit method would need";
    double fastest = 0;
    for (int i = 0; i < 200; ++i) {
        step(body, 0.1, gravity);
        fastest = std::max(fastest, body.speed_spread());
    }
    ASSERT_TRUE(body.is_finite());
    EXPECT_LT(fastest, 10);
    EXPECT_LT(body.kinetic_energy(), 1e-9) << "it hangs still in the end";  // measured 3e-13
    EXPECT_NEAR(body.bounds().low.y, -1, 1e-3);                             // measured -1.00001
    EXPECT_EQ(body.positions()[0], Vec3{});
    EXPECT_EQ(body.positions()[19], (Vec3{1, 0, 0}));
}

TEST(DeformableBody, AHangingRopeStretchesByItsWeight) {
    // Segment s carries the weight below: Σ over segments of (m g below)·l/k.
    const int n = 10;
    const SpringMaterial material{.stretch = 200, .bend = 0, .bending = Bending::none, .density = 0.5};
    for (Method m : {Method::implicit_euler, Method::semi_implicit_euler}) {
        DeformableSettings settings = by(m, 1e-12);
        settings.damping = 2;
        settings.integration.policy = StepPolicy::substep;
        DeformableBody body(rope({0, 0, 0}, {0, -1, 0}, n, material).value(), settings);
        body.pin(0);
        for (int i = 0; i < 2000; ++i) step(body, 0.02, gravity);
        double expected = 1;
        for (int s = 0; s < n; ++s) {
            double below = 0;
            for (std::size_t v = static_cast<std::size_t>(s) + 1; v <= static_cast<std::size_t>(n); ++v)
                below += body.masses()[v];
            expected += below * 9.81 * 0.1 / 200;
        }
        EXPECT_NEAR(-body.positions()[n].y, expected, 1e-9) << word(m);
        EXPECT_NEAR(body.mass(), 0.5, 1e-15);
    }
}

TEST(DeformableBody, PredictLeavesPositionsAndVelocitiesReadable) {
    for (Method m : all_methods) {
        DeformableBody body = flying_sheet(by(m));
        const std::vector<Vec3> x(body.positions().begin(), body.positions().end());
        const std::vector<Vec3> v(body.velocities().begin(), body.velocities().end());
        body.predict(0.002, gravity, RotationMethod::momentum);
        EXPECT_TRUE(std::equal(x.begin(), x.end(), body.positions().begin()));
        EXPECT_TRUE(std::equal(v.begin(), v.end(), body.velocities().begin()));
        EXPECT_EQ(body.node(3).before.linear, v[3]);
        const Vec3 free = body.node(3).velocity.linear;
        EXPECT_FALSE(free == v[3]);
        std::vector<Twist> change(body.node_count());
        change[3].linear = {0.1, 0.2, 0.3};
        body.correct(0.002, change);
        EXPECT_LT(norm(body.velocities()[3] - free - Vec3{0.1, 0.2, 0.3}), 1e-15);
        EXPECT_EQ(body.points().positions[3], body.positions()[3]);
    }
}

// An impulse given through correct() must go on in Verlet's memory, and a displacement must not.
TEST(DeformableBody, VerletRemembersImpulsesAndForgetsDisplacements) {
    for (Method m : {Method::verlet, Method::time_corrected_verlet}) {
        DeformableModel model;
        model.positions = {{0, 0, 0}}, model.masses = {2};
        DeformableBody body(std::move(model), by(m));
        body.set_velocity({1, 0, 0});
        step(body, 0.1);
        body.predict(0.1, {}, RotationMethod::momentum);
        body.correct(0.1, std::vector<Twist>{{{0, 3, 0}, {}}});
        body.displace(std::vector<Twist>{{{0, 0, 5}, {}}});
        EXPECT_LT(norm(body.velocities()[0] - Vec3{1, 3, 0}), 1e-14);
        for (int i = 0; i < 10; ++i) step(body, 0.1);
        EXPECT_LT(norm(body.velocities()[0] - Vec3{1, 3, 0}), 1e-13);
        EXPECT_LT(norm(body.positions()[0] - Vec3{1.2, 3.3, 5}), 1e-13);
        body.apply_impulse({0, -6, 0});
        step(body, 0.1);
        EXPECT_LT(norm(body.velocities()[0] - Vec3{1, 0, 0}), 1e-13);
    }
}

TEST(DeformableBody, PinsFollowTheirScriptInEveryMethod) {
    for (Method m : all_methods) {
        DeformableBody body = flying_sheet(by(m));
        body.pin(0, {{0, {0, 0, 0}}, {0.05, {0, 0.1, 0}}, {0.1, {0.1, 0.1, 0}}});
        body.pin(7);
        const Vec3 corner = body.positions()[7];
        for (int i = 0; i < 20; ++i) step(body, 0.0025, gravity);
        EXPECT_LT(norm(body.positions()[0] - Vec3{0, 0.1, 0}), 1e-14) << word(m);
        for (int i = 0; i < 20; ++i) step(body, 0.0025, gravity);
        EXPECT_LT(norm(body.positions()[0] - Vec3{0.1, 0.1, 0}), 1e-14) << word(m);
        EXPECT_LT(norm(body.velocities()[0] - Vec3{2, 0, 0}), 1e-11) << word(m);
        EXPECT_EQ(body.positions()[7], corner) << word(m);
        EXPECT_EQ(body.node(7).inverse_mass, 0);
        body.unpin(0), body.unpin(7);
        for (int i = 0; i < 2; ++i) step(body, 0.0025, gravity);
        EXPECT_GT(body.node(7).inverse_mass, 0);
        EXPECT_FALSE(body.positions()[7] == corner) << word(m);
    }
}

// A square across the wind takes up its speed: m v̇ = drag A (w − v), and along it nothing.
TEST(DeformableBody, WindDragsAlongTheNormal) {
    for (Method m : {Method::runge_kutta_4, Method::implicit_euler}) {
        DeformableSettings settings = by(m, 1e-12);
        settings.wind = {0, 3, 4};
        settings.drag = 0.5;
        DeformableBody body(
            cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 2}, 5, 5, SpringMaterial{.density = 0.25}).value(), settings);
        for (int i = 0; i < 1000; ++i) step(body, 0.001);
        // Corner vertices have other shares of area than of mass only by the pattern of the diagonals: none.
        const double expected = 3 * (1 - std::exp(-0.5 / 0.25));
        for (const Vec3& v : body.velocities()) {
            EXPECT_NEAR(v.y, expected, m == Method::implicit_euler ? 1e-3 : 1e-9);
            EXPECT_NEAR(v.z, 0, 1e-12);
        }
    }
}

TEST(DeformableBody, SameBitsForOneThreadAndTwo) {
    const Parallel two(2);
    for (Method m : {Method::implicit_euler, Method::runge_kutta_4}) {
        DeformableBody a = flying_sheet(by(m), 0.01, 60), b = flying_sheet(by(m), 0.01, 60);
        b.set_parallel(&two);
        for (int i = 0; i < 5; ++i) step(a, 1e-4, gravity), step(b, 1e-4, gravity);
        EXPECT_EQ(state_of(a), state_of(b)) << word(m);
    }
}

TEST(DeformableBody, AStateRestoredInAnotherBodyGoesOnWithTheSameBits) {
    for (Method m : all_methods) {
        DeformableBody a = flying_sheet(by(m)), b = flying_sheet(by(m));
        a.pin(3, {{0, {0, 0, 0}}, {1, {0, 1, 0}}});
        for (int i = 0; i < 10; ++i) step(a, 0.002, gravity);
        a.add_force({1, 2, 3});
        restore(b, state_of(a));
        for (int i = 0; i < 10; ++i) step(a, 0.002, gravity), step(b, 0.002, gravity);
        EXPECT_EQ(state_of(a), state_of(b)) << word(m);
    }
}

TEST(DeformableBody, ADamagedStateDoesNotCrash) {
    DeformableBody a = flying_sheet(by(Method::verlet));
    a.pin(3);
    step(a, 0.002);
    const std::vector<std::byte> state = state_of(a);
    for (std::size_t i = 0; i < state.size(); i += 97) {
        std::vector<std::byte> bad = state;
        bad[i] ^= std::byte{0xff};
        DeformableBody b = flying_sheet(by(Method::verlet));
        StateReader reader(bad);
        b.visit_state(reader);
        step(b, 0.002);
    }
}

TEST(DeformableBody, AStepThatCannotBeTakenIsAProblemAndNothingMoves) {
    DeformableSettings settings = by(Method::semi_implicit_euler);
    settings.integration.policy = StepPolicy::refuse;
    DeformableBody body = flying_sheet(settings, 0);
    const double limit = body.largest_stable_step();
    EXPECT_GT(limit, 1e-4);
    const std::vector<std::byte> before = state_of(body);
    step(body, 2 * limit, gravity);
    ASSERT_TRUE(body.problem().has_value());
    EXPECT_EQ(state_of(body), before);
    step(body, limit, gravity);
    EXPECT_FALSE(body.problem().has_value());
    EXPECT_NE(state_of(body), before);
}

// Gershgorin's bound for cloth is safe, and too careful by less than two.
TEST(DeformableBody, TheStableStepOfClothIsFoundNearThePrediction) {
    const auto survives = [](double factor) {
        DeformableSettings settings = by(Method::semi_implicit_euler);
        const SpringMaterial material{.bend = 10, .density = 0.3};
        DeformableBody body(cloth({0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 12, 12, material).value(), settings);
        for (std::uint32_t i = 0; i < body.node_count(); ++i)
            body.set_vertex(i, 1.05 * body.positions()[i], {});
        const double h = factor * body.largest_stable_step(), energy = body.elastic_energy();
        for (int i = 0; i < 2000; ++i) {
            step(body, h);
            if (!(body.kinetic_energy() < 20 * energy)) return false;
        }
        return true;
    };
    EXPECT_TRUE(survives(1));
    EXPECT_FALSE(survives(2));
}

TEST(DeformableBody, RespondIsTheInverseOfTheStepsMatrix) {
    DeformableBody body = flying_sheet(by(Method::implicit_euler, 1e-12));
    const std::size_t n = body.node_count();
    step(body, 0.01);
    std::vector<Vec3> impulses(n), change(n);
    impulses[5] = {0, 0.01, 0};
    body.respond(impulses, change);
    Vec3 total{};
    for (std::size_t i = 0; i < n; ++i) total += body.masses()[i] * change[i];
    EXPECT_LT(norm(total - impulses[5]), 1e-15);
    EXPECT_GT(norm(change[6]), 1e-3 * norm(change[5])) << "neighbours feel it at once";
    EXPECT_LT(norm(change[5]), 0.01 / body.masses()[5]) << "and the vertex moves less than a free one";
}

TEST(DeformableBody, MeasuresAreTheSumsOverItsVertices) {
    DeformableModel model;
    model.positions = {{1, 0, 0}, {0, 2, 0}}, model.masses = {2, 3};
    auto springs = std::make_unique<Springs>();
    springs->add({0, 1, 1, 10, 0});
    model.elements.push_back(std::move(springs));
    DeformableBody body(std::move(model), {});
    body.set_vertex(0, {1, 0, 0}, {0, 1, 0});
    body.set_vertex(1, {0, 2, 0}, {1, 0, 0});
    EXPECT_NEAR(body.kinetic_energy(), 0.5 * (2 + 3), 1e-15);
    EXPECT_NEAR(body.elastic_energy(), 5 * std::pow(std::sqrt(5.0) - 1, 2), 1e-14);
    EXPECT_NEAR(body.gravity_energy({0, -10, 0}), 60, 1e-13);
    EXPECT_EQ(body.momentum(), (Vec3{3, 2, 0}));
    EXPECT_EQ(body.angular_momentum(), (Vec3{0, 0, 2 - 6}));
    EXPECT_EQ(body.mass(), 5);
}

}  // namespace
}  // namespace plush
