#include "detect/features/time_of_impact.hpp"

#include <gtest/gtest.h>

#include "bodies/rigid/kinematic_body.hpp"
#include "bodies/rigid/rigid_body.hpp"
#include "geometry/shapes/shape_data.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

constexpr double step = 1.0 / 60;
constexpr ImpactSearch search{step, 1e-4, 1e-7, 4e-4};

RigidBody ball(double radius, const Vec3& position, const Vec3& velocity) {
    const Shape shape = Shape::sphere(radius);
    RigidBody body(shape, shape.data().unit_mass, {.position = position, .velocity = velocity}, 0);
    body.predict(step, {}, RotationMethod::momentum);
    return body;
}

// |x + t v| = r + r' is a quadratic.
TEST(TimeOfImpact, OfBallsIsTheRootOfAQuadratic) {
    Random random(4);
    int met = 0;
    for (int k = 0; k < 400; ++k) {
        const double r = random.uniform(0.01, 0.2), s = random.uniform(0.01, 0.2);
        const Vec3 at = test::random_vector(random, 0.5);
        const Vec3 way =
            (k % 2 == 0 ? test::random_vector(random, 2) : random.uniform(0, 4) * -at);  // half of them aim
        if (norm(at) < r + s + 1e-3) continue;
        const RigidBody a = ball(r, {}, {}), b = ball(s, at, way / step);
        const ImpactTime found = time_of_impact(a, true, b, true, search);
        const double closing = dot(at, way), square = norm2(way);
        const double root = closing * closing - square * (norm2(at) - (r + s) * (r + s));
        const double part = root > 0 && closing < 0 ? (-closing - std::sqrt(root)) / square : 2;
        const bool grazes = root < 1e-4 * closing * closing;  // within the tolerance of the gap
        if (grazes) continue;
        EXPECT_EQ(found.outcome == ImpactTime::Outcome::impact, part < 1) << k;
        if (part >= 1) continue;
        ++met;
        const Vec3 there = at + part * way;
        EXPECT_NEAR(found.time, part * step, 1e-4 * step) << k;
        EXPECT_LT(norm(found.normal + there / norm(there)), 1e-3) << k;
        EXPECT_FALSE(found.at_limit);
    }
    EXPECT_GT(met, 60);
}

TEST(TimeOfImpact, SaysWhatTouchesAlreadyAndWhatNeverDoes) {
    const RigidBody a = ball(0.1, {}, {10, 0, 0});
    const RigidBody touching = ball(0.1, {0.2, 0, 0}, {}), apart = ball(0.1, {0.2, 0.21, 0}, {});
    EXPECT_EQ(time_of_impact(a, true, touching, true, search).outcome, ImpactTime::Outcome::touching);
    EXPECT_EQ(time_of_impact(a, true, apart, true, search).outcome, ImpactTime::Outcome::apart);
    const RigidBody still = ball(0.1, {0.3, 0, 0}, {});
    EXPECT_EQ(time_of_impact(still, false, apart, false, search).outcome, ImpactTime::Outcome::apart);
}

// A mesh of a ball flies through a thin mesh of a plate, many times its size in a step.
TEST(TimeOfImpact, JumpsOverNothing) {
    const Shape plate_shape = Shape::mesh(shapes::box({0.1, 0.01, 0.1}), 96);
    const KinematicBody plate(plate_shape, {}, {}, false);
    const Shape shape = Shape::mesh(shapes::icosphere(0.01, 320));
    Random random(7);
    for (int k = 0; k < 60; ++k) {
        const Vec3 target{random.uniform(-0.02, 0.02), 0, random.uniform(-0.02, 0.02)};
        const Vec3 direction =
            normalised(Vec3{random.uniform(-1, 1), random.uniform(-1, -0.5), random.uniform(-1, 1)});
        const double before = random.uniform(0.1, 2), way = before + random.uniform(0.2, 5);
        RigidBody body(shape, shape.data().unit_mass,
                       {.position = target - before * direction, .velocity = way / step * direction}, 0);
        body.predict(step, {}, RotationMethod::momentum);
        const ImpactTime found = time_of_impact(body, true, plate, false, search);
        ASSERT_EQ(found.outcome, ImpactTime::Outcome::impact) << k;
        EXPECT_TRUE(found.far);
        // It meets the face 20 mm above the middle of the plate, measured along its way.
        EXPECT_NEAR(found.time * way / step, before - 0.02 / -direction.y, 1e-3 / -direction.y) << k;
        EXPECT_GT(found.normal.y, 0.99) << k;
    }
}

}  // namespace
}  // namespace plush
