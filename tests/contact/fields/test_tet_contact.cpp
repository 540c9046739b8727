#include <gtest/gtest.h>

#include <algorithm>

#include "contact/fields/inside_memory.hpp"
#include "contact/fields/tet_contact.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

constexpr double h = 0.01;

/// Points with masses: what they do with impulses.
struct Points {
    std::vector<TetContactNode> nodes;
    void respond(std::span<const Twist> impulses, std::span<Twist> change, bool) const {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            change[i] = {nodes[i].inverse_mass * impulses[i].linear, {}};
    }
};

TetContact point_in_corners(std::uint32_t point, std::array<std::uint32_t, 4> corners,
                            std::array<double, 4> weights, double depth, double friction) {
    TetContact c;
    c.normal = {0, 1, 0}, c.depth = depth, c.friction = friction;
    c.ends[c.count++] = {point, 1, {}};
    for (std::size_t k = 0; k < 4; ++k) c.ends[c.count++] = {corners[k], -weights[k], {}};
    return c;
}

std::vector<Twist> solve(std::vector<TetContact>& contacts, const Points& points, TetContactSettings s) {
    std::vector<Twist> change(points.nodes.size());
    push_implicitly(
        contacts, points.nodes, h, s,
        [&](auto impulses, auto out, bool last) { points.respond(impulses, out, last); }, change);
    return change;
}

Points five(double mass, const Vec3& velocity) {
    Points p;
    for (int i = 0; i < 5; ++i) p.nodes.push_back({{}, 1 / mass, 0});
    p.nodes[0].velocity.linear = velocity;
    return p;
}

TEST(TetContact, OneContactHasTheImplicitImpulse) {
    const double m = 0.2, d = 0.01, w = -1.5;
    const Points points = five(m, {0, w, 0});
    const std::array<double, 4> weights{0.1, 0.2, 0.3, 0.4};
    for (const double k : {10.0, 1e4, 1e12}) {
        const TetContactSettings s{.stiffness = k, .damping = 3};
        std::vector<TetContact> contacts{point_in_corners(0, {1, 2, 3, 4}, weights, d, 0)};
        const auto change = solve(contacts, points, s);
        const double ease = (1 + 0.01 + 0.04 + 0.09 + 0.16) / m, kappa = h * h * k + h * 3;
        const double expected = (h * k * d - kappa * w) / (1 + kappa * ease);
        EXPECT_NEAR(contacts[0].impulse, expected, 1e-9 * expected);  // measured 1e-16
        // The law holds at the end of the step: λ = h k (d − h w') − h c w'.
        const double after = w + change[0].linear.y - 0.1 * change[1].linear.y - 0.2 * change[2].linear.y -
                             0.3 * change[3].linear.y - 0.4 * change[4].linear.y;
        EXPECT_NEAR(contacts[0].impulse, h * k * (d - h * after) - h * 3 * after, 1e-3 * expected);
        Vec3 momentum{};
        for (const Twist& t : change) momentum += m * t.linear;
        EXPECT_NEAR(norm(momentum), 0, 1e-15 * expected);
    }
}

TEST(TetContact, NothingIsPulled) {
    std::vector<TetContact> contacts{point_in_corners(0, {1, 2, 3, 4}, {1, 0, 0, 0}, 0.001, 0.5)};
    const auto change = solve(contacts, five(1, {0, 5, 0}), {.stiffness = 1e4});
    EXPECT_EQ(contacts[0].impulse, 0);
    EXPECT_EQ(contacts[0].rub, Vec3{});
    for (const Twist& t : change) EXPECT_EQ(t.linear, Vec3{});
}

TEST(TetContact, FrictionSticksInsideTheConeAndSlipsOnIt) {
    // Slow: it stops. Fast: μ λ against the sliding.
    std::vector<TetContact> slow{point_in_corners(0, {1, 2, 3, 4}, {1, 0, 0, 0}, 0.01, 0.5)}, fast = slow;
    const TetContactSettings s{.stiffness = 1e4, .iterations = 1000, .tolerance = 1e-10};
    const auto held = solve(slow, five(1, {0.05, -1, 0}), s);
    EXPECT_NEAR(0.05 + held[0].linear.x - held[1].linear.x, 0, 1e-9);
    solve(fast, five(1, {5, -1, 3}), s);
    EXPECT_NEAR(norm(fast[0].rub), 0.5 * fast[0].impulse, 1e-9);
    EXPECT_NEAR(dot(normalised(fast[0].rub), normalised(Vec3{5, 0, 3})), -1, 1e-9);

    push_explicitly(slow, five(1, {0.05, -1, 0}).nodes, h, s);
    EXPECT_NEAR(slow[0].impulse, h * 1e4 * 0.01, 1e-15);
    EXPECT_NEAR(slow[0].rub.x, -0.05 / 2, 1e-15);  // what stops two free masses of 1 kg
    push_explicitly(fast, five(1, {500, -1, 300}).nodes, h, s);
    EXPECT_NEAR(norm(fast[0].rub), 0.5 * fast[0].impulse, 1e-15);
}

// Many contacts that share vertices: the conditions hold at each of them.
TEST(TetContact, ManyContactsMeetTheirLawsTogether) {
    Random random(7);
    Points points;
    for (int i = 0; i < 60; ++i)
        points.nodes.push_back({{random_vector(random), {}}, 1 / random.uniform(0.01, 1), 0});
    std::vector<TetContact> contacts;
    for (int i = 0; i < 100; ++i) {
        std::array<std::uint32_t, 5> v{};
        for (std::size_t k = 0; k < 5; ++k) do
                v[k] = static_cast<std::uint32_t>(random.below(60));
            while (std::find(v.begin(), v.begin() + k, v[k]) != v.begin() + k);
        const double a = random.uniform(), b = random.uniform(0, 1 - a), c = random.uniform(0, 1 - a - b);
        contacts.push_back(point_in_corners(v[0], {v[1], v[2], v[3], v[4]}, {a, b, c, 1 - a - b - c},
                                            random.uniform(0, 0.02), 0.4));
        contacts.back().normal = normalised(random_vector(random));
    }
    for (const double k : {100.0, 1e5}) {
        const TetContactSettings s{.stiffness = k, .iterations = 5000, .tolerance = 1e-9};
        const auto change = solve(contacts, points, s);
        double worst = 0;
        int pushed = 0, stuck = 0;
        for (const TetContact& c : contacts) {
            Vec3 w{};
            for (std::uint32_t e = 0; e < c.count; ++e)
                w += c.ends[e].weight *
                     (points.nodes[c.ends[e].node].velocity.linear + change[c.ends[e].node].linear);
            const double along = dot(w, c.normal);
            const Vec3 slide = w - along * c.normal;
            const double law = h * k * (c.depth - h * along);
            worst = std::max(worst, std::abs(c.impulse - std::max(0.0, law)) / (1 + h * h * k));
            EXPECT_LE(norm(c.rub), (1 + 1e-12) * 0.4 * c.impulse);
            if (c.impulse > 0) {
                ++pushed;
                const bool sticks = norm(c.rub) < 0.4 * c.impulse * (1 - 1e-6);
                stuck += sticks;
                if (sticks) worst = std::max(worst, norm(slide));
            }
        }
        EXPECT_GT(pushed, 20);
        EXPECT_GT(stuck, k > 1e4 ? 1 : -1);  // a soft push holds nothing
        EXPECT_LT(worst, 1e-5) << k;
    }
}

// -- wholly inside --------------------------------------------------------------------------------------

struct Pair {
    TetMesh outer = tet_box({1, 1, 1}, {2, 2, 2}).value(),
            inner = tet_box({0.2, 0.2, 0.2}, {1, 1, 1}).value();
    TetShape outer_shape{outer}, inner_shape{inner};
    std::vector<Vec3> x{outer.positions().begin(), outer.positions().end()};
    std::vector<Vec3> y{inner.positions().begin(), inner.positions().end()};
    PenetrationSearch search;
    std::vector<Penetration> found;
    Vec3 way{};

    void move_inner(const Vec3& by) {
        for (Vec3& p : y) p += by;
    }
    void look(InsideMemory& memory) {
        const std::array<TetObject, 2> objects{{{&outer_shape, x}, {&inner_shape, y}}};
        const std::array<std::uint32_t, 2> names{7, 3};
        const std::array<Vec3, 2> ways{Vec3{}, way};
        const Parallel parallel(1);
        const auto list = search.find(objects, {}, parallel);
        found.assign(list.begin(), list.end());
        memory.complete(objects, names, ways, found);
    }
};

TEST(InsideMemory, KeepsTheWayItCameIn) {
    Pair pair;
    InsideMemory memory;
    pair.move_inner({0, 1, 0.3});
    pair.look(memory);
    ASSERT_EQ(memory.entries().size(), 1u);
    EXPECT_GT(memory.entries()[0].direction.y, 0.8);
    const Vec3 before = memory.entries()[0].direction;
    pair.move_inner({0, -1.5, 0});  // now the bottom is nearer
    pair.look(memory);
    ASSERT_EQ(pair.found.size(), 8u);
    for (const Penetration& p : pair.found) {
        EXPECT_EQ(p.level, -1);
        EXPECT_EQ(p.direction, before);
        EXPECT_NEAR(p.depth, 0.1 * 0.4 * std::sqrt(3), 1e-9);  // a tenth of its diagonal
    }
    // It is state: a copy that was written and read knows the same.
    StateWriter writer;
    writer(memory);
    const auto bytes = writer.take();
    InsideMemory other;
    StateReader reader(bytes);
    reader(other);
    ASSERT_TRUE(reader.finish().ok());
    ASSERT_EQ(other.entries().size(), 1u);
    EXPECT_EQ(other.entries()[0].direction, before);
    pair.move_inner({0, 10, 0});
    pair.look(memory);
    EXPECT_TRUE(memory.entries().empty());
    other.forget(3);
    EXPECT_TRUE(other.entries().empty());
}

TEST(InsideMemory, WhatWasNeverSeenToEnterGoesBackOrOutAtTheNearestPlace) {
    Pair pair;
    InsideMemory memory;
    pair.move_inner({0.5, 0, 0});
    pair.way = {0, -0.5, 0};  // a jump down in the last step
    pair.look(memory);
    for (const Penetration& p : pair.found) EXPECT_NEAR(p.direction.y, 1, 1e-15);
    InsideMemory fresh;
    pair.way = {};
    pair.look(fresh);
    for (const Penetration& p : pair.found) EXPECT_NEAR(p.direction.x, 1, 1e-15);
    ASSERT_EQ(fresh.entries().size(), 1u);
    EXPECT_NEAR(fresh.entries()[0].depth, 0.5, 1e-15);  // from its middle
}

}  // namespace
}  // namespace plush
