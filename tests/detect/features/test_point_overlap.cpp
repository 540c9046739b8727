#include <gtest/gtest.h>

#include <algorithm>

#include "bodies/deformable/particle_body.hpp"
#include "bodies/rigid/kinematic_body.hpp"
#include "core/tuning.hpp"
#include "detect/features/point_overlap.hpp"
#include "detect/features/rigid_bodies.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;
using test::rigid;

Placement random_placement(Random& random, double reach) {
    return {random_vector(random, reach), exp_rotation(random_vector(random, 2)), random_vector(random, 1),
            random_vector(random, 3)};
}

// What the header promises for one point, written down without tree, boxes or matrices: every point of the
// owner asks the other's distance.
void brute_force(const Body& owner, const Body& other, const Reach& reach, bool of_b,
                 std::vector<PointHit>& hits) {
    const PointSet& points = owner.points();
    const Transform to_other = inverse(other.pose()) * owner.pose();
    for (std::uint32_t i = 0; i < points.positions.size(); ++i) {
        const Vec3 p = to_other * points.positions[i], m = rotate(to_other.rotation, points.normals[i]);
        DistanceSample s = other.distance()->sample(p);
        double gap = s.value;
        if (dot(m, s.gradient) > tuning::facing_limit) {
            if (std::abs(gap) > reach.inset) continue;
            s = other.distance()->sample(p - reach.inset * m);
            gap = s.value + reach.inset * dot(m, s.gradient);
            if (dot(m, s.gradient) > tuning::facing_limit || std::abs(gap) > reach.inset) continue;
        }
        const Vec3 outward = rotate(other.pose().rotation, s.gradient);
        const Vec3 position = other.pose() * (p - 0.5 * gap * s.gradient);
        const double approach = dot(other.velocity_at(position) - owner.velocity_at(position), outward);
        if (gap > reach.margin + reach.step * std::max(approach, 0.0)) continue;
        hits.push_back({i, of_b, position, of_b ? -outward : outward, -gap, false});
    }
}

void expect_same(const std::vector<PointHit>& a, const std::vector<PointHit>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].point, b[i].point);
        EXPECT_EQ(a[i].of_b, b[i].of_b);
        EXPECT_LT(norm(a[i].position - b[i].position), 1e-14);
        EXPECT_LT(norm(a[i].normal - b[i].normal), 1e-10);  // measured 3e-13: rounding over a small distance
        EXPECT_NEAR(a[i].depth, b[i].depth, 1e-14);
    }
}

// By number, since points come in the order of the tree and not in that of a plain loop.
void sort_by_name(std::vector<PointHit>& hits) {
    std::sort(hits.begin(), hits.end(), [](const PointHit& a, const PointHit& b) {
        return a.of_b != b.of_b ? a.of_b < b.of_b : a.point < b.point;
    });
}

TEST(PointOverlap, TheTreeLosesNoPointOfTwoMeshesInAnyPose) {
    const Mesh torus = shapes::torus(0.5, 0.2), pebble = shapes::icosphere(0.4, 1280);
    // Exact distances: only they let a ball be skipped without doubt.
    const std::vector<std::pair<Shape, Shape>> pairs{
        {Shape::distance(sdf::torus(0.5, 0.2), torus), Shape::distance(sdf::exact(pebble), pebble)},
        {Shape::mesh(torus), Shape::mesh(pebble)}};
    Random random(1);
    std::size_t found = 0, tested = 0;
    for (const auto& [first, second] : pairs)
        for (int i = 0; i < 60; ++i) {
            const RigidBody a = rigid(first, random_placement(random, 0.1));
            const RigidBody b = rigid(second, random_placement(random, 0.6));
            const Reach reach{i % 2 ? 1e-3 : 0.02, i % 3 ? 0.0 : 0.02, 4e-4};
            std::vector<PointHit> hits, expected;
            find_point_hits(a, b, reach, hits);
            brute_force(a, b, reach, false, expected);
            brute_force(b, a, reach, true, expected);
            sort_by_name(hits);
            // Where no point faces the other surface from inside, points leave by the face behind them:
            // another rule.
            const bool touch =
                std::any_of(expected.begin(), expected.end(), [](const PointHit& h) { return h.depth > 0; });
            if (!touch && hits.size() > expected.size()) continue;
            expect_same(hits, expected);
            found += hits.size();
            tested += a.points().positions.size() + b.points().positions.size();
        }
    EXPECT_GT(found, tested / 50);  // something was there to be lost
    EXPECT_LT(found, tested / 2);   // and something to be skipped
}

// A pair that drifts, spins up and flies apart: at every step the remembered search must find what a fresh
// one finds, bit for bit, and it must not be fresh at every step.
TEST(PointOverlap, WhatIsRememberedChangesNothing) {
    const Shape torus = Shape::mesh(shapes::torus(0.5, 0.2)),
                pebble = Shape::mesh(shapes::icosphere(0.4, 1280));
    Random random(5);
    int steps = 0, looks = 0;
    std::size_t found = 0;
    for (int run = 0; run < 12; ++run) {
        const Placement start{random_vector(random, 0.6), exp_rotation(random_vector(random, 2))};
        const double speed = 0.02 * std::pow(2.0, run);  // the last are too fast to be remembered
        const Vec3 velocity = speed * random_vector(random, 0.5), spin = speed * random_vector(random, 1);
        const RigidBody fixed = rigid(torus, {});
        PairMemory memory;
        Vec3 looked_from{HUGE_VAL, 0, 0};
        for (int i = 0; i < 60; ++i, ++steps) {
            const double t = i / 60.0;
            const RigidBody moving = rigid(pebble, {start.position + t * velocity,
                                                    exp_rotation(t * spin) * start.rotation, velocity, spin});
            const Reach reach{2e-3, 1 / 60.0, 4e-4};
            std::vector<PointHit> remembered, fresh;
            find_point_hits(moving, fixed, reach, memory, remembered);
            find_point_hits(moving, fixed, reach, fresh);
            ASSERT_EQ(remembered.size(), fresh.size()) << "run " << run << ", step " << i;
            for (std::size_t k = 0; k < fresh.size(); ++k) {
                EXPECT_EQ(remembered[k].point, fresh[k].point);
                EXPECT_EQ(remembered[k].position, fresh[k].position);
                EXPECT_EQ(remembered[k].depth, fresh[k].depth);
            }
            found += fresh.size();
            looks += memory.a_in_b.position != looked_from;
            looked_from = memory.a_in_b.position;
        }
    }
    EXPECT_GT(found, 1000u);
    EXPECT_LT(looks, steps / 2);  // measured 291 of 720
    EXPECT_GT(looks, steps / 10);
}

TEST(PointOverlap, MeasuringNamedPointsEqualsFindingThem) {
    const Shape shape = Shape::mesh(shapes::torus(0.5, 0.2));
    Random random(2);
    for (int i = 0; i < 20; ++i) {
        const RigidBody a = rigid(shape, random_placement(random, 0.1));
        const RigidBody b = rigid(shape, random_placement(random, 0.5));
        const Reach reach{0.01, 0, 4e-4};
        std::vector<PointHit> found, expected, measured;
        find_point_hits(a, b, reach, found);
        std::vector<PointName> names;
        for (const PointHit& hit : found)
            if (random.below(2)) names.push_back({hit.point, hit.of_b}), expected.push_back(hit);
        names.push_back({0, false});  // most likely far away: then nothing comes of it
        const bool first_touches = std::any_of(
            found.begin(), found.end(), [](const PointHit& hit) { return hit.point == 0 && !hit.of_b; });
        if (first_touches) names.pop_back();
        measure_points(a, b, reach, names, measured);
        expect_same(measured, expected);
    }
}

TEST(PointOverlap, ASphereOnAPlaneHasItsExactDepthNormalAndPlace) {
    const Vec3 n = normalised(Vec3{1, 2, -0.5});
    const KinematicBody plane(Shape::half_space(n), {{0.3, 0, 0}, {}}, {}, false);
    const double radius = 0.25;
    for (double depth : {-0.05, 0.0, 0.01, 0.2}) {
        const Vec3 foot = Vec3{0.3, 0, 0} + 2.0 * perpendicular(n);
        const RigidBody ball = rigid(Shape::sphere(radius), {foot + (radius - depth) * n});
        std::vector<PointHit> hits;
        find_point_hits(ball, plane, {0.1, 0, 0}, hits);
        ASSERT_EQ(hits.size(), 1u);
        EXPECT_NEAR(hits[0].depth, depth, 1e-15);
        EXPECT_LT(norm(hits[0].normal - n), 1e-15);
        EXPECT_LT(norm(hits[0].position - (foot - 0.5 * depth * n)), 1e-15)
            << "half-way between the surfaces";
        // With the roles exchanged the normal pushes the plane out of the ball.
        hits.clear();
        find_point_hits(plane, ball, {0.1, 0, 0}, hits);
        ASSERT_EQ(hits.size(), 1u);
        EXPECT_TRUE(hits[0].of_b);
        EXPECT_LT(norm(hits[0].normal + n), 1e-15);
        EXPECT_NEAR(hits[0].depth, depth, 1e-15);
    }
}

TEST(PointOverlap, TwoSpheresMeetOnceOnTheLineOfTheirCentres) {
    const RigidBody a = rigid(Shape::sphere(0.3), {{0, 0, 0}}), b = rigid(Shape::sphere(0.5), {{0, 0.7, 0}});
    std::vector<PointHit> hits;
    find_point_hits(a, b, {}, hits);
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_NEAR(hits[0].depth, 0.1, 1e-15);
    EXPECT_LT(norm(hits[0].normal - Vec3{0, -1, 0}), 1e-15);
    EXPECT_LT(norm(hits[0].position - Vec3{0, 0.25, 0}), 1e-15);
}

TEST(PointOverlap, WhatApproachesIsSeenBeforeItTouchesAndWhatLeavesIsNot) {
    const KinematicBody floor(Shape::half_space(), {}, {}, false);
    const auto count = [&](double speed, double step) {
        const RigidBody ball = rigid(Shape::sphere(0.5), {{0, 0.6, 0}, {}, {0, speed, 0}});  // a gap of 0.1
        std::vector<PointHit> hits;
        find_point_hits(ball, floor, {1e-3, step, 0}, hits);
        return hits.size();
    };
    EXPECT_EQ(count(-10, 0.01), 1u);   // 0.1 m in this step
    EXPECT_EQ(count(-9.8, 0.01), 0u);  // 0.098 + 0.001 m
    EXPECT_EQ(count(10, 0.01), 0u);
}

TEST(PointOverlap, EveryParticleIsFoundOnItsOwn) {
    const KinematicBody floor(Shape::half_space(), {}, {}, false);
    const ParticleBody dust({.positions = {{0, 0.05, 0}, {1, 1, 0}, {2, 0.2, 0}}, .radius = 0.1});
    std::vector<PointHit> hits;
    find_point_hits(dust, floor, {}, hits);
    ASSERT_EQ(hits.size(), 1u);
    EXPECT_EQ(hits[0].point, 0u);
    EXPECT_NEAR(hits[0].depth, 0.05, 1e-15);
}

// A bug that was: a box that rests exactly on a box of its size has its corners above the other's edges and
// corners. Rounding decides which face is the nearest there, and for half of the small shifts it was a side:
// the corner was lost or pushed out sideways, and the stack lost its support on one side and fell over.
TEST(PointOverlap, ABoxExactlyOnAnEqualBoxIsSupportedAtAllFourCorners) {
    const Shape shape = Shape::box({0.5, 0.5, 0.5});
    const double allowed_depth = 1e-4;
    const Reach reach{1e-3, 0, tuning::inset_depths * allowed_depth};
    for (double depth : {0.0, 1e-6, 5e-5, -1e-6})
        for (double dx : {-1e-6, 0.0, 1e-6})
            for (double dz : {-1e-6, 0.0, 1e-6}) {
                const RigidBody below = rigid(shape, {{0, 0.5, 0}});
                const RigidBody above = rigid(shape, {{dx, 1.5 - depth, dz}});
                std::vector<PointHit> hits;
                find_point_hits(above, below, reach, hits);
                for (const PointHit& hit : hits) {
                    EXPECT_GT(hit.normal.y, 0.999) << "pushed sideways";
                    EXPECT_NEAR(hit.depth, depth, 1e-9);
                }
                for (double x : {-0.5, 0.5})
                    for (double z : {-0.5, 0.5})
                        EXPECT_TRUE(std::any_of(
                            hits.begin(), hits.end(),
                            [&](const PointHit& hit) {
                                return norm(hit.position - Vec3{x, 1, z}) < 1e-5 + std::abs(depth);
                            }))
                            << "no support at " << x << ", " << z << " with shift " << dx << ", " << dz
                            << " and depth " << depth;
                // And the choice of a handful keeps them.
                keep_well_spread(hits, 6);
                Box3 support;
                for (const PointHit& hit : hits) support.add(hit.position);
                EXPECT_GT(std::min(support.size().x, support.size().z), 0.99);
            }
}

PointHit hit_at(std::uint32_t point, const Vec3& position, double depth, bool known = false) {
    return {point, false, position, {0, 1, 0}, depth, known};
}

TEST(KeepWellSpread, KeepsTheDeepestAndTheExtremes) {
    std::vector<PointHit> hits;
    for (std::uint32_t i = 0; i < 21; ++i)
        for (std::uint32_t k = 0; k < 21; ++k)
            hits.push_back(hit_at(21 * i + k, {i / 20.0, 0, k / 20.0}, 1e-4));
    hits[21 * 10 + 11].depth = 2e-4;  // near the middle
    keep_well_spread(hits, 5);
    ASSERT_EQ(hits.size(), 5u);
    std::vector<std::uint32_t> points;
    for (const PointHit& hit : hits) points.push_back(hit.point);
    EXPECT_EQ(points, (std::vector<std::uint32_t>{0, 20, 221, 420, 440}));  // in their old order
}

TEST(KeepWellSpread, KnownPointsArePreferredToOthersThatAreALittleBetter) {
    // A line of points; the deepest is at 0. The end at 1 is farther, but 0.6 is known: 4 · 0.36 > 1.
    const auto second = [](bool known, double at) {
        std::vector<PointHit> hits{hit_at(0, {0, 0, 0}, 1e-3), hit_at(1, {at, 0, 0}, 0, known),
                                   hit_at(2, {1, 0, 0}, 0)};
        keep_well_spread(hits, 2);
        EXPECT_EQ(hits.size(), 2u);
        EXPECT_EQ(hits[0].point, 0u) << "the deepest stays";
        return hits[1].point;
    };
    EXPECT_EQ(second(true, 0.6), 1u);
    EXPECT_EQ(second(false, 0.6), 2u);
    EXPECT_EQ(second(true, 0.4), 2u) << "4 · 0.16 < 1: too near";
}

TEST(KeepWellSpread, HitsThatCoincideCountOnceAndFewAreAllKept) {
    std::vector<PointHit> hits{hit_at(0, {0, 0, 0}, 0), hit_at(1, {1e-5, 0, 0}, 1e-3),
                               hit_at(2, {1, 0, 0}, 0), hit_at(3, {1, 1e-5, 0}, 0)};
    keep_well_spread(hits, 6);
    ASSERT_EQ(hits.size(), 2u);
    EXPECT_EQ(hits[0].point, 1u);  // the deeper of the two
    std::vector<PointHit> none, one{hit_at(7, {}, 0)};
    keep_well_spread(none, 6);
    EXPECT_TRUE(none.empty());
    keep_well_spread(one, 6);
    EXPECT_EQ(one.size(), 1u);
}

}  // namespace
}  // namespace plush
