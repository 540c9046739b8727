#include "detect/features/exact_contacts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bodies/rigid/kinematic_body.hpp"
#include "detect/features/contact_polygon.hpp"
#include "detect/features/rigid_bodies.hpp"
#include "geometry/sdf/posed_distance.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

// Contact manifolds of exact shapes against closed forms, and against the definition of the distance of two convex solids.

namespace plush {
namespace {

using test::random_vector;
using test::rigid;

struct Named {
    const char* name;
    Shape shape;
};

std::vector<Named> convex_shapes(Random& random) {
    const auto length = [&] { return random.uniform(0.05, 0.3); };
    return {{"box", Shape::box({length(), length(), length()})},
            {"cylinder", Shape::cylinder(length(), length())},
            {"capsule", Shape::capsule(length(), length())}};
}

Quat any_rotation(Random& random) {
    return exp_rotation(random_vector(random, 2));
}

Vec3 any_direction(Random& random) {
    return normalised(random_vector(random, 1));
}

/// The support function about the centre, from the definition of each solid.
double extent(const ExactShape& s, const Quat& q, const Vec3& n) {
    const Vec3 d = rotate(conjugate(q), n);
    if (s.kind == ExactShape::Kind::box) return dot(s.size, abs(d));
    if (s.kind == ExactShape::Kind::capsule) return s.size.x + s.size.y * std::abs(d.y);
    return s.size.x * std::sqrt(d.x * d.x + d.z * d.z) + s.size.y * std::abs(d.y);
}

/// max over n of the gap between supporting planes, by a search over the whole sphere and ever finer about the best.
double separation(const RigidBody& a, const RigidBody& b, const Vec3& n) {
    return dot(n, a.pose().position - b.pose().position) - extent(*a.exact_shape(), a.pose().rotation, n) -
           extent(*b.exact_shape(), b.pose().rotation, n);
}

struct Reference {
    double distance = -HUGE_VAL;
    Vec3 normal;
};
Reference signed_distance(const RigidBody& a, const RigidBody& b, Random& random) {
    Reference best;
    const auto consider = [&](const Vec3& n) {
        if (const double s = separation(a, b, n); s > best.distance) best = {s, n};
    };
    for (int i = 0; i < 2000; ++i) consider(any_direction(random));
    for (double spread = 0.05; spread > 1e-9; spread *= 0.5)
        for (int i = 0; i < 60; ++i) consider(normalised(best.normal + spread * any_direction(random)));
    return best;
}

// The deepest contact is as deep as the solids overlap, along the axis that separates them best, and no contact is off
// the surfaces.
TEST(ExactContacts, RandomPairsTouchWhereTheyAreClosest) {
    Random random(7);
    for (int round = 0; round < 40; ++round) {
        const auto shapes = convex_shapes(random);
        for (const Named& first : shapes)
            for (const Named& second : shapes) {
                SCOPED_TRACE(std::string(first.name) + " " + second.name + " " + std::to_string(round));
                RigidBody a = rigid(first.shape, {.rotation = any_rotation(random)});
                const RigidBody b = rigid(second.shape, {.rotation = any_rotation(random)});
                // Moved along a line until they overlap or stand apart by a little.
                const Vec3 way = any_direction(random);
                const double wanted = random.uniform(-4e-3, 2e-3);
                double low = 0, high = 2;
                for (int i = 0; i < 30; ++i) {
                    const double middle = 0.5 * (low + high);
                    a.set_pose({way * middle, a.pose().rotation});
                    Random search(static_cast<std::uint64_t>(round));
                    (signed_distance(a, b, search).distance < wanted ? low : high) = middle;
                }
                const Reference known = signed_distance(a, b, random);
                std::vector<PointHit> hits;
                find_exact_hits(a, b, {5e-3, 0, 4e-4}, hits);
                ASSERT_FALSE(hits.empty()) << known.distance;
                const auto deepest = std::max_element(hits.begin(), hits.end(),
                                                      [](auto& x, auto& y) { return x.depth < y.depth; });
                // No direction is better, and this one is as good as it says.
                EXPECT_LE(deepest->depth, -known.distance + 1e-7);
                EXPECT_NEAR(deepest->depth, -separation(a, b, deepest->normal), 1e-7);
                const PosedDistance in_a(*a.distance(), a.pose()), in_b(*b.distance(), b.pose());
                for (const PointHit& hit : hits) {
                    EXPECT_NEAR(norm(hit.normal), 1, 1e-12);
                    // Half-way between the surfaces: no farther from either than half the gap, and the deepest no
                    // deeper than half of that.
                    const double half = 0.5 * std::abs(hit.depth) + 1e-6;
                    for (const PosedDistance* d : {&in_a, &in_b}) {
                        EXPECT_LE(d->value(hit.position), half);
                        if (&hit == &*deepest) {
                            EXPECT_GE(d->value(hit.position), -half);
                        }
                    }
                }
            }
    }
}

// Two manifolds are one: a and b change places, the hits their normals.
TEST(ExactContacts, OrderOfThePairDoesNotMatter) {
    Random random(3);
    for (int round = 0; round < 60; ++round) {
        const auto shapes = convex_shapes(random);
        for (const Named& first : shapes)
            for (const Named& second : shapes) {
                SCOPED_TRACE(std::string(first.name) + " " + second.name + " " + std::to_string(round));
                const RigidBody a = rigid(first.shape, {.rotation = any_rotation(random)});
                const RigidBody b = rigid(second.shape, {.position = 0.4 * any_direction(random),
                                                         .rotation = any_rotation(random)});
                std::vector<PointHit> one, other;
                find_exact_hits(a, b, {5e-3, 0, 4e-4}, one);
                find_exact_hits(b, a, {5e-3, 0, 4e-4}, other);
                ASSERT_EQ(one.empty(), other.empty());
                if (one.empty()) continue;
                const auto deeper = [](auto& x, auto& y) { return x.depth < y.depth; };
                const PointHit& p = *std::max_element(one.begin(), one.end(), deeper);
                const PointHit& q = *std::max_element(other.begin(), other.end(), deeper);
                EXPECT_NEAR(p.depth, q.depth, 1e-8);
            }
    }
}

std::vector<PointHit> hits_on_plane(const RigidBody& body, double margin) {
    const KinematicBody plane(Shape::half_space({0, 1, 0}), {}, {}, false);
    std::vector<PointHit> hits, turned;
    find_exact_hits(body, plane, {margin, 0, 4e-4}, hits);
    find_exact_hits(plane, body, {margin, 0, 4e-4}, turned);
    EXPECT_EQ(hits.size(), turned.size());
    for (std::size_t i = 0; i < hits.size(); ++i) {
        EXPECT_EQ(hits[i].depth, turned[i].depth);
        EXPECT_EQ(hits[i].normal, -turned[i].normal);
    }
    return hits;
}

// Whatever its pose, the deepest point of a shape over a plane is that of its support function, and no rim or generator
// has a second point close by: what rolls meets no corners.
TEST(ExactContacts, DeepestPointOnAPlane) {
    Random random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<Named> shapes = convex_shapes(random);
        shapes.push_back({"torus", Shape::torus(0.2, 0.05)});
        for (const Named& named : shapes) {
            SCOPED_TRACE(std::string(named.name) + " " + std::to_string(round));
            const Quat q = any_rotation(random);
            const ExactShape& exact = *rigid(named.shape, {}).exact_shape();
            const Vec3 d = rotate(conjugate(q), {0, 1, 0});
            const double reaches = exact.kind == ExactShape::Kind::torus
                                       ? 0.2 * std::sqrt(d.x * d.x + d.z * d.z) + 0.05
                                       : extent(exact, q, {0, 1, 0});
            const double depth = random.uniform(-1e-3, 1e-3);
            const auto hits =
                hits_on_plane(rigid(named.shape, {.position = {1, reaches - depth, 2}, .rotation = q}), 2e-3);
            ASSERT_FALSE(hits.empty());
            double deepest = -1;
            for (const PointHit& hit : hits) deepest = std::max(deepest, hit.depth);
            EXPECT_NEAR(deepest, depth, 1e-12);
        }
    }
}

TEST(ExactContacts, CylinderOnItsSideTouchesWithItsLowestGenerator) {
    Random random(11);
    for (int round = 0; round < 20; ++round) {
        const Quat q = from_axis_angle({1, 0, 0}, 90) * from_axis_angle({0, 1, 0}, random.uniform(0, 360));
        const auto hits =
            hits_on_plane(rigid(Shape::cylinder(0.1, 0.2), {.position = {0, 0.1, 0}, .rotation = q}), 1e-3);
        ASSERT_EQ(hits.size(), 2u);
        for (const PointHit& hit : hits) {
            EXPECT_NEAR(hit.position.x, 0, 1e-12);
            EXPECT_NEAR(std::abs(hit.position.z), 0.2, 1e-12);
            EXPECT_NEAR(hit.depth, 0, 1e-12);
            EXPECT_NEAR(hit.patch_radius, 0.1, 1e-9);  // a quarter of 0.4 m
        }
    }
}

// A plank across a roller: the generator, clipped by the plank's sides.
TEST(ExactContacts, BoxOnARoller) {
    const RigidBody roller = rigid(Shape::cylinder(0.1, 0.3), {.rotation = from_axis_angle({1, 0, 0}, 90)});
    const RigidBody plank = rigid(Shape::box({0.5, 0.02, 0.15}), {.position = {0.2, 0.12, 0.05}});
    std::vector<PointHit> hits;
    find_exact_hits(plank, roller, {1e-3, 0, 4e-4}, hits);
    ASSERT_EQ(hits.size(), 2u);
    std::sort(hits.begin(), hits.end(), [](auto& x, auto& y) { return x.position.z < y.position.z; });
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(hits[i].position.x, 0, 1e-12);
        EXPECT_NEAR(hits[i].position.y, 0.1, 1e-12);
        EXPECT_NEAR(hits[i].position.z, i ? 0.2 : -0.1, 1e-6);
        EXPECT_NEAR(hits[i].normal.y, 1, 1e-12);
    }
}

// Parallel cylinders touch along a line, crossed ones at a point.
TEST(ExactContacts, CylinderOnCylinder) {
    for (const double angle : {0.0, 1e-9, 1e-5, 1e-3, 30.0, 90.0}) {
        SCOPED_TRACE(angle);
        const Quat lie = from_axis_angle({1, 0, 0}, 90);
        const RigidBody below = rigid(Shape::cylinder(0.1, 0.3), {.rotation = lie});
        const RigidBody above =
            rigid(Shape::cylinder(0.05, 0.2),
                  {.position = {0, 0.15, 0.05}, .rotation = from_axis_angle({0, 1, 0}, angle) * lie});
        std::vector<PointHit> hits;
        find_exact_hits(above, below, {1e-3, 0, 4e-4}, hits);
        ASSERT_FALSE(hits.empty());
        double low = 1, high = -1, deepest = -1;
        for (const PointHit& hit : hits) {
            low = std::min(low, hit.position.z), high = std::max(high, hit.position.z);
            deepest = std::max(deepest, hit.depth);
            EXPECT_NEAR(hit.normal.y, 1, 1e-4);
        }
        EXPECT_NEAR(deepest, 0, 1e-9);
        EXPECT_NEAR(high - low, angle < 0.1 ? 0.4 : 0, 1e-6);
    }
}

// A box on a larger one: its own four corners; turned by 45° on one of its size, eight crossings of edges.
TEST(ExactContacts, BoxOnBox) {
    const RigidBody below = rigid(Shape::box({0.2, 0.1, 0.2}), {});
    std::vector<PointHit> hits;
    find_exact_hits(rigid(Shape::box({0.1, 0.1, 0.1}), {.position = {0.02, 0.2, 0}}), below, {1e-3, 0, 4e-4},
                    hits);
    ASSERT_EQ(hits.size(), 4u);
    for (const PointHit& hit : hits) {
        EXPECT_NEAR(std::abs(hit.position.x - 0.02), 0.1, 1e-12);
        EXPECT_NEAR(hit.patch_radius, 0.2 * 0.3825978582, 1e-9);  // of a square of side 0.2 m
    }
    hits.clear();
    find_exact_hits(rigid(Shape::box({0.2, 0.1, 0.2}),
                          {.position = {0, 0.2, 0}, .rotation = from_axis_angle({0, 1, 0}, 45)}),
                    below, {1e-3, 0, 4e-4}, hits);
    ASSERT_EQ(hits.size(), 8u);
    for (const PointHit& hit : hits)
        EXPECT_NEAR(std::max(std::abs(hit.position.x), std::abs(hit.position.z)), 0.2, 1e-6);
}

TEST(ExactContacts, MeanRadiusOfPatches) {
    const auto regular = [](int n) {
        ContactPolygon p;
        for (int i = 0; i < n; ++i)
            p.push_back({.x = 3 + std::cos(2 * M_PI * i / n), .y = std::sin(2 * M_PI * i / n) - 1});
        return p;
    };
    EXPECT_NEAR(mean_radius(regular(4)), std::sqrt(2.0) * 0.3825978582, 1e-9);
    EXPECT_NEAR(mean_radius(regular(4096)), 2.0 / 3, 1e-6);
    EXPECT_NEAR(mean_radius({{.x = 1, .y = 1}, {.x = 1, .y = 5}}), 1, 1e-12);
    // A rectangle of 1 × 1e-4 is a line within 0.1 %.
    EXPECT_NEAR(mean_radius({{}, {.x = 1}, {.x = 1, .y = 1e-4}, {.y = 1e-4}}), 0.25, 2.5e-4);
}

}  // namespace
}  // namespace plush
