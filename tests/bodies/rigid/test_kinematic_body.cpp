#include <gtest/gtest.h>

#include "bodies/rigid/kinematic_body.hpp"
#include "bodies/round_trip.hpp"

namespace plush {
namespace {

using test::step;

std::vector<Keyframe> keyframes() {
    return {{0.5, {1, 0, 0}, {}},
            {1.5, {3, 0, 2}, from_axis_angle({0, 1, 0}, 90)},
            {2.0, {3, 1, 2}, from_axis_angle({0, 1, 0}, 120)}};
}

KinematicBody scripted(bool loop) {
    return {Shape::box({1, 1, 1}), {{9, 9, 9}, {}}, keyframes(), loop};
}

// The pose after a time, in one step: it depends on the time alone.
Transform pose_after(double time, bool loop) {
    KinematicBody body = scripted(loop);
    step(body, time);
    return body.pose();
}

double turned(const Transform& pose, double degrees) {
    return norm(log_rotation(pose.rotation * conjugate(from_axis_angle({0, 1, 0}, degrees))));
}

TEST(KinematicBody, PosesAreInterpolatedBetweenKeyframes) {
    EXPECT_EQ(scripted(false).pose().position, (Vec3{1, 0, 0})) << "starts at its first keyframe";
    EXPECT_EQ(pose_after(0.3, false).position, (Vec3{1, 0, 0})) << "waits there until that time";
    EXPECT_LT(norm(pose_after(1.0, false).position - Vec3{2, 0, 1}), 1e-15);
    EXPECT_LT(turned(pose_after(1.0, false), 45), 1e-15);
    EXPECT_LT(norm(pose_after(1.5, false).position - Vec3{3, 0, 2}), 1e-15);
    EXPECT_LT(norm(pose_after(1.75, false).position - Vec3{3, 0.5, 2}), 1e-15);
    EXPECT_LT(turned(pose_after(1.75, false), 105), 1e-15);
    EXPECT_EQ(pose_after(7.0, false).position, (Vec3{3, 1, 2})) << "stays at its last";
}

TEST(KinematicBody, EasingSaysHowFastItGoesFromKeyframeToKeyframe) {
    const auto place = [](Easing easing, double time) {
        KinematicBody body(Shape::box({1, 1, 1}), {}, {{0, {}, {}}, {2, {8, 0, 0}, {}, easing}}, false);
        step(body, time);
        return body.pose().position.x;
    };
    // 8 m in 2 s; after a quarter of the time.
    EXPECT_NEAR(place(Easing::linear, 0.5), 2, 1e-15);
    EXPECT_NEAR(place(Easing::ease_in, 0.5), 0.5, 1e-15);
    EXPECT_NEAR(place(Easing::ease_out, 0.5), 3.5, 1e-15);
    EXPECT_NEAR(place(Easing::smooth, 0.5), 1.25, 1e-15);
    for (const Easing easing : {Easing::linear, Easing::ease_in, Easing::ease_out, Easing::smooth})
        EXPECT_EQ(place(easing, 2), 8);
    // A smooth way ends at rest: the last millisecond is 3 (dt/T)² of it.
    EXPECT_NEAR(8 - place(Easing::smooth, 1.999), 8 * 3 * 0.0005 * 0.0005, 1e-8);  // 2e-9
}

TEST(KinematicBody, ALoopStartsAgainAfterTheLastKeyframe) {
    // The loop lasts from 0.5 s to 2 s: 1.5 s.
    for (double time : {0.6, 1.0, 1.7})
        for (int round : {1, 2, 10}) {
            const Transform once = pose_after(time, true), later = pose_after(time + 1.5 * round, true);
            EXPECT_LT(norm(once.position - later.position), 2e-14) << time << " round " << round;
            EXPECT_LT(norm(log_rotation(once.rotation * conjugate(later.rotation))), 2e-14);
        }
}

TEST(KinematicBody, TheVelocityCarriesThePoseExactlyToTheNext) {
    for (bool loop : {false, true}) {
        KinematicBody body = scripted(loop);
        const double h = 0.037;  // steps that straddle keyframes
        for (int i = 0; i < 200; ++i) {
            body.predict(h, {0, -9.81, 0}, RotationMethod::momentum);
            const Transform now = body.pose();
            const Twist v = body.velocity();
            body.correct(h, {});
            EXPECT_LT(norm(now.position + h * v.linear - body.pose().position), 1e-14);
            const Quat carried = exp_rotation(h * v.angular) * now.rotation;
            EXPECT_LT(norm(log_rotation(carried * conjugate(body.pose().rotation))), 1e-14);
        }
    }
}

TEST(KinematicBody, VelocityAtAPointIsThatOfTheScrew) {
    KinematicBody body(Shape::box({1, 1, 1}), {},
                       {{0, {}, {}}, {1, {1, 0, 0}, from_axis_angle({0, 0, 1}, 90)}}, false);
    body.predict(0.5, {}, RotationMethod::momentum);
    const double quarter_turn = std::acos(0.0);  // 90° in one second
    EXPECT_LT(norm(body.velocity_at({0, 2, 0}) - Vec3{1 - 2 * quarter_turn, 0, 0}), 1e-14);
    EXPECT_NEAR(body.speed_spread(), quarter_turn * std::sqrt(3.0), 1e-14);  // of the corners
}

TEST(KinematicBody, RestsWhenItsMotionHasEnded) {
    KinematicBody body = scripted(false);
    EXPECT_FALSE(body.at_rest());
    for (int i = 0; i < 5; ++i) step(body, 0.5);
    EXPECT_TRUE(body.at_rest());
    EXPECT_EQ(body.velocity().linear, Vec3{});
    KinematicBody looping = scripted(true);
    for (int i = 0; i < 9; ++i) step(looping, 0.5);
    EXPECT_FALSE(looping.at_rest());
}

TEST(KinematicBody, WithoutKeyframesItStaysAndHasNoNodes) {
    KinematicBody body(Shape::half_space(), {{1, 2, 3}, {}}, {}, false);
    for (int i = 0; i < 10; ++i) step(body, 0.1, {0, -9.81, 0});
    EXPECT_EQ(body.pose().position, (Vec3{1, 2, 3}));
    EXPECT_EQ(body.node_count(), 0u);
    EXPECT_EQ(body.velocity_at({5, 5, 5}), Vec3{});
    EXPECT_TRUE(body.at_rest());
}

TEST(KinematicBody, AStateRestoredInAnotherBodyGoesOnWithTheSameBits) {
    KinematicBody a = scripted(true), b(Shape::box({1, 1, 1}), {}, {}, false);
    for (int i = 0; i < 30; ++i) step(a, 0.037);
    test::restore(b, test::state_of(a));
    EXPECT_EQ(a.pose(), b.pose());
    for (int i = 0; i < 100; ++i) step(a, 0.037), step(b, 0.037);
    EXPECT_EQ(test::state_of(a), test::state_of(b));
}

}  // namespace
}  // namespace plush
