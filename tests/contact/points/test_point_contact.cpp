#include <gtest/gtest.h>

#include "bodies/rigid/kinematic_body.hpp"
#include "bodies/rigid/rigid_body.hpp"
#include "contact/points/averaged_impulse.hpp"
#include "contact/solver/random_system.hpp"

namespace plush {
namespace {

constexpr double radius = 0.25, gravity = -9.81;

struct BallOnFloor {
    RigidBody ball;
    KinematicBody floor{Shape::half_space(), {}, {}, false};
    PairSides pair;

    BallOnFloor(double gap, const Vec3& velocity, const Vec3& spin = {})
        : ball(Shape::sphere(radius), Shape::sphere(radius).mass(1000).value(),
               {{0, radius + gap, 0}, {}, velocity, spin}, 0),
          pair{{&ball, 0}, {&floor, {}}} {}
    PointHit hit() const {
        std::vector<PointHit> hits;
        find_point_hits(ball, floor, {1, 0, 0}, hits);
        return hits.at(0);
    }
};

struct After {
    double height, velocity;
};

// One step as the world does it: predict, one contact block, solve, correct, and the shift of the bounce.
After step_with_contact(BallOnFloor& s, const PairLaw& law, double h) {
    s.ball.predict(h, {0, gravity, 0}, RotationMethod::momentum);
    const std::vector<Node> nodes{s.ball.node(0)};
    Rows rows;
    const PointHit hit = s.hit();
    Block& block = add_point_block(rows, s.pair, hit, nodes, 3);
    const double shift = set_contact_law(block, rows, s.pair, hit, law, nodes, h);
    std::vector<Twist> velocity{nodes[0].velocity};
    const std::vector<std::uint32_t> all{0};
    solve_blocks(rows, all, nodes, velocity, {.iterations = 1000, .tolerance = 1e-14});
    const Twist change{velocity[0].linear - nodes[0].velocity.linear,
                       velocity[0].angular - nodes[0].velocity.angular};
    s.ball.correct(h, {&change, 1});
    return {s.ball.centre().y - radius + shift, s.ball.velocity().y};
}

// Velocities belong to the middle of steps: a ball with the velocity v at the start of a step comes in with
// v − ½ a h. It reaches the floor at t_c and flies on from there with e times its speed; at the end of the
// step it must be on that parabola, and its velocity be that of the middle of the step on the same parabola.
TEST(PointContact, ABounceInsideTheStepIsFreeFlightWithTheImpactWhereItHappens) {
    const double h = 1.0 / 60, v = -3;
    for (double restitution : {0.3, 0.8, 1.0})
        for (double part : {0.01, 0.3, 0.7, 0.99}) {
            const double t_c = part * h, gap = -(v * t_c + 0.5 * gravity * t_c * t_c);
            BallOnFloor s(gap, {0, v - 0.5 * gravity * h, 0});
            const After after = step_with_contact(s, {.restitution = restitution}, h);
            const double out = -restitution * (v + gravity * t_c), t = h - t_c, middle = 0.5 * h - t_c;
            EXPECT_NEAR(after.height, out * t + 0.5 * gravity * t * t, 1e-14) << restitution << ' ' << part;
            EXPECT_NEAR(after.velocity, out + gravity * middle, 1e-13) << restitution << ' ' << part;
        }
}

// The same when the step starts with the ball already inside: the impact was a moment ago.
TEST(PointContact, ABounceThatIsLateByLessThanAStepIsMadeUpFor) {
    const double h = 1.0 / 60, v = -3, restitution = 0.8;
    const double t_c = -0.4 * h, depth = v * t_c + 0.5 * gravity * t_c * t_c;
    ASSERT_GT(depth, 0);
    BallOnFloor s(-depth, {0, v - 0.5 * gravity * h, 0});
    const After after = step_with_contact(s, {.restitution = restitution}, h);
    const double out = -restitution * (v + gravity * t_c), t = h - t_c;
    EXPECT_NEAR(after.height, out * t + 0.5 * gravity * t * t, 1e-14);
    EXPECT_NEAR(after.velocity, out + gravity * (0.5 * h - t_c), 1e-13);
}

TEST(PointContact, WithoutRestitutionTheStepEndsOnTheSurface) {
    const double h = 1.0 / 60;
    BallOnFloor s(0.01, {0, -3, 0});
    const After after = step_with_contact(s, {}, h);
    EXPECT_NEAR(after.height, 0, 1e-15);
    EXPECT_NEAR(after.velocity, -0.01 / h, 1e-13);
}

TEST(PointContact, AGapThatTheStepDoesNotCloseChangesNothing) {
    const double h = 1.0 / 60;
    BallOnFloor s(0.1, {0, -3, 0});
    EXPECT_NEAR(step_with_contact(s, {.restitution = 0.8}, h).velocity, -3 + gravity * h, 1e-15);
}

// Restitution is whole at twice the resting speed, none below it, and half at one and a half.
TEST(PointContact, RestitutionFadesTowardsTheRestingSpeed) {
    const double h = 1e-6;  // so short that gravity does nothing
    const auto rebound = [&](double speed) {
        BallOnFloor s(0, {0, -speed, 0});
        return step_with_contact(s, {.restitution = 0.8, .resting_speed = 1}, h).velocity / speed;
    };
    EXPECT_NEAR(rebound(0.9), 0, 1e-4);
    EXPECT_NEAR(rebound(1.5), 0.4, 1e-4);
    EXPECT_NEAR(rebound(2.5), 0.8, 1e-4);
}

TEST(PointContact, AMovingFloorCarriesTheBallAlong) {
    const double h = 1.0 / 60;
    BallOnFloor s(0, {});
    s.floor.set_keyframes({{0, {}, {}}, {1, {2, 0, 0}, {}}}, false);
    s.floor.predict(h, {}, RotationMethod::momentum);
    step_with_contact(s, {.friction = 0.1}, h);
    EXPECT_NEAR(s.ball.velocity().x, -0.1 * gravity * h, 1e-13);  // it slips: μ g h
    EXPECT_NEAR(s.ball.velocity().y, 0, 1e-15);
}

// K = 1/m in the normal direction and 7/2 1/m in the tangential: with the new velocity of the contact point,
//     J_n = m (1 + e) v_n,     J_t = −2/7 m min(μ (1 + e) v_n, v_t).
TEST(AveragedImpulse, ABallOnAPlaneFollowsTheClosedForm) {
    const double fall = 2, restitution = 0.5;
    for (double friction : {0.0, 0.2, 5.0}) {
        const double slide = 3;
        BallOnFloor s(0, {slide, -fall, 0});
        s.ball.predict(1e-3, {}, RotationMethod::momentum);
        const std::vector<Node> nodes{s.ball.node(0)};
        std::vector<Twist> velocity{nodes[0].velocity};
        PointHit hit = s.hit();
        hit.depth = 1e-4;                            // inside
        const std::vector<PointHit> hits{hit, hit};  // two at one place average to it
        const auto result = apply_averaged_impulse(s.pair, hits, {friction, restitution, 0}, nodes, velocity);
        ASSERT_TRUE(result);
        const double m = s.ball.mass(), push = std::min(friction * (1 + restitution) * fall, slide);
        EXPECT_NEAR(result->impulse.y, m * (1 + restitution) * fall, 1e-11);
        EXPECT_NEAR(result->impulse.x, -2.0 / 7 * m * push, 1e-11);
        EXPECT_EQ(result->sticking, push == slide);
        EXPECT_NEAR(velocity[0].linear.y, restitution * fall, 1e-14);
        EXPECT_NEAR(velocity[0].linear.x, slide - 2.0 / 7 * push, 1e-14);
        EXPECT_NEAR(velocity[0].angular.z, -2.0 / 7 * push / (0.4 * radius), 1e-13);
    }
}

TEST(AveragedImpulse, WhatLeavesOrDoesNotTouchIsLeftAlone) {
    for (const auto& [speed, depth] : {std::pair{1.0, 1e-3}, std::pair{-1.0, -1e-3}}) {
        BallOnFloor s(-depth, {0, speed, 0});
        s.ball.predict(1e-3, {}, RotationMethod::momentum);
        const std::vector<Node> nodes{s.ball.node(0)};
        std::vector<Twist> velocity{nodes[0].velocity};
        const std::vector<PointHit> hits{s.hit()};
        EXPECT_FALSE(apply_averaged_impulse(s.pair, hits, {0.5, 0.5, 0}, nodes, velocity));
        EXPECT_EQ(velocity[0].linear, nodes[0].velocity.linear);
    }
}

}  // namespace
}  // namespace plush
