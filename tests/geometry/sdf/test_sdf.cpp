#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/sdf.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::error_of;
using test::random_vector;

struct Case {
    std::string name;
    Sdf sdf;
    Exactness exactness;
    std::vector<Vec3> surface{};  ///< a dense sample of the true surface, where there is one
};

std::vector<Vec3> points_of(const Mesh& mesh) {
    return {mesh.positions().begin(), mesh.positions().end()};
}
std::vector<Vec3> moved(std::vector<Vec3> points, const Transform& t) {
    for (Vec3& p : points) p = t * p;
    return points;
}
/// The points of several surfaces that lie on the surface of `sdf`.
std::vector<Vec3> on_surface(const Sdf& sdf, std::initializer_list<std::vector<Vec3>> sets) {
    std::vector<Vec3> kept;
    for (const auto& set : sets)
        for (const Vec3& p : set)
            if (std::abs(sdf->sample(p).value) < 1e-9) kept.push_back(p);
    return kept;
}

constexpr int dense = 60000;
const Transform turned{{0.2, -0.1, 0.3}, exp_rotation({0.5, 1, -0.3})};
const Transform shifted{{0.6, 0.1, 0}};

Sdf hills() {
    std::vector<double> heights;
    for (int k = 0; k < 7; ++k)
        for (int i = 0; i < 9; ++i) heights.push_back(0.3 * std::sin(1.3 * i + 1.1 * k));
    return sdf::heightfield({-1.6, 0.1, -1.2}, 0.4, 9, 7, heights);
}
/// On the surface of hills(), and beyond its border.
std::vector<Vec3> hill_points(const Sdf& sdf) {
    std::vector<Vec3> points;
    for (double x = -3; x < 3; x += 0.02)
        for (double z = -3; z < 3; z += 0.02) {
            // The value is linear in y: two samples find its zero.
            const double a = sdf->sample({x, 0, z}).value, b = sdf->sample({x, 1, z}).value;
            points.push_back({x, -a / (b - a), z});
        }
    return points;
}

std::vector<Case> cases() {
    using enum Exactness;
    const auto ball = points_of(shapes::icosphere(1, dense));
    const auto box_points = points_of(shapes::box({0.5, 0.8, 0.3}, dense));
    const auto other = moved(ball, shifted);
    const Sdf sphere = sdf::sphere({}, 1), box = sdf::box({0.5, 0.8, 0.3}),
              moved_sphere = sdf::sphere({0.6, 0.1, 0}, 1);
    const Sdf both = sdf::intersection({sphere, moved_sphere}),
              either = sdf::union_of({sphere, moved_sphere});
    const Sdf bite = sdf::difference(sphere, moved_sphere);
    const Sdf apart = sdf::union_of({sdf::sphere({2.5, 0, 0}, 1), sphere});
    const Sdf ground = hills();
    const auto away = moved(ball, {{2.5, 0, 0}});
    return {
        {"plane", sdf::plane({0.1, 0.2, 0}, {1, 2, 3}), exact},
        {"sphere", sphere, exact, ball},
        {"cylinder", sdf::cylinder({0.1, 0, 0}, {1, 1, 0}, 0.5), exact},
        {"capped_cylinder", sdf::capped_cylinder(0.6, 0.9), exact,
         points_of(shapes::cylinder(0.6, 0.9, dense))},
        {"box", box, exact, box_points},
        {"capsule", sdf::capsule({0, -0.7, 0}, {0, 0.7, 0}, 0.4), exact,
         points_of(shapes::capsule(0.4, 0.7, dense))},
        {"torus", sdf::torus(0.8, 0.3), exact, points_of(shapes::torus(0.8, 0.3, dense))},
        {"heightfield", ground, lower_bound, hill_points(ground)},
        {"intersection", both, lower_bound, on_surface(both, {ball, other})},
        {"union", either, lower_bound, on_surface(either, {ball, other})},
        {"union apart", apart, exact, on_surface(apart, {ball, away})},
        {"difference", bite, lower_bound, on_surface(bite, {ball, other})},
        {"rounded box", sdf::rounded(box, 0.2), exact,
         points_of(shapes::rounded_box({0.7, 1.0, 0.5}, 0.2, dense))},
        {"rounded torus", sdf::rounded(sdf::torus(0.8, 0.2), 0.1), lower_bound,
         points_of(shapes::torus(0.8, 0.3, dense))},
        {"transformed box", sdf::transformed(box, turned), exact, moved(box_points, turned)},
    };
}

TEST(Sdf, SaysHowExactItIs) {
    for (const Case& c : cases()) EXPECT_EQ(c.sdf->exactness(), c.exactness) << c.name;
    using enum Exactness;
    const Sdf grid = sdf::sampled(shapes::icosphere(1, 320), 8);
    EXPECT_EQ(grid->exactness(), approximate);
    EXPECT_EQ(sdf::union_of({grid, sdf::sphere({9, 0, 0}, 1)})->exactness(), approximate);
    EXPECT_EQ(sdf::rounded(grid, 0.1)->exactness(), approximate);
    EXPECT_EQ(sdf::rounded(hills(), 0.1)->exactness(), lower_bound);
    EXPECT_EQ(sdf::intersection({sdf::sphere({}, 1)})->exactness(), exact);
    EXPECT_EQ(
        sdf::rounded(sdf::rounded(sdf::transformed(sdf::box({1, 1, 1}), turned), 0.1), 0.1)->exactness(),
        exact);
}

// The reported distance against the nearest of a dense set of surface points. No point of the set is nearer
// than the true distance, so |value| must not exceed it; where exact, it must also come within the set's
// spacing s: nearest² ≤ (|value| + curvature effects)² + s². Measured: largest excess of an exact value 0.4
// s.
TEST(Sdf, AgreesWithBruteForce) {
    Random random(7);
    for (const Case& c : cases()) {
        if (c.surface.empty()) continue;
        double worst_over = 0, worst_under = 0;
        for (int i = 0; i < 200; ++i) {
            const Vec3 p = random_vector(random, 2);
            double nearest2 = HUGE_VAL;
            for (const Vec3& q : c.surface) nearest2 = std::min(nearest2, norm2(p - q));
            const double value = std::abs(c.sdf->sample(p).value), nearest = std::sqrt(nearest2);
            worst_over = std::max(worst_over, value - nearest);
            if (c.exactness == Exactness::exact) worst_under = std::max(worst_under, nearest - value);
        }
        EXPECT_LT(worst_over, 1e-9) << c.name;
        EXPECT_LT(worst_under, 0.02) << c.name;  // points about 0.02 apart; measured up to 0.011
    }
}

TEST(Sdf, TheSignTellsInsideFromOutside) {
    EXPECT_LT(sdf::box({1, 1, 1})->sample({0.9, 0.9, 0.9}).value, 0);
    EXPECT_GT(sdf::torus(1, 0.3)->sample({}).value, 0);
    EXPECT_LT(sdf::torus(1, 0.3)->sample({0, 0.2, 1}).value, 0);
    EXPECT_LT(sdf::plane({0, 1, 0}, {0, 2, 0})->sample({5, 0.5, 5}).value, 0);
    EXPECT_NEAR(sdf::plane({0, 1, 0}, {0, 2, 0})->sample({5, 3, 5}).value, 2, 1e-15);
    EXPECT_GT(hills()->sample({0, 1, 0}).value, 0);
    EXPECT_LT(hills()->sample({0, -1, 0}).value, 0);
    const Sdf bite = sdf::difference(sdf::sphere({}, 1), sdf::sphere({1, 0, 0}, 1));
    EXPECT_GT(bite->sample({0.5, 0, 0}).value, 0);
    EXPECT_LT(bite->sample({-0.5, 0, 0}).value, 0);
}

// Where the second difference shows no kink, the gradient is the derivative. Measured 2e-9; a bound's
// gradient is compared by direction, since it is returned at unit length.
TEST(Sdf, TheGradientIsTheDerivative) {
    Random random(3);
    constexpr double e = 1e-5;
    for (const Case& c : cases()) {
        int compared = 0;
        for (int i = 0; i < 2000; ++i) {
            const Vec3 p = random_vector(random, 2);
            const DistanceSample s = c.sdf->sample(p);
            Vec3 derivative;
            double kink = 0;
            for (std::size_t a = 0; a < 3; ++a) {
                Vec3 step{};
                step[a] = e;
                const double up = c.sdf->sample(p + step).value, down = c.sdf->sample(p - step).value;
                derivative[a] = (up - down) / (2 * e);
                kink = std::max(kink, std::abs(up + down - 2 * s.value));
            }
            if (kink > 1e-8) continue;                 // smooth: e² κ, up to κ = 100
            const double tolerance = 1e-6 + kink / e;  // a kink just within reach
            ++compared;
            ASSERT_LT(norm(normalised(derivative) - s.gradient), tolerance) << c.name;
            const double length = c.exactness == Exactness::exact ? norm(derivative) : 1;
            ASSERT_NEAR(length, 1, tolerance) << c.name;
        }
        EXPECT_GT(compared, 1900) << c.name;
    }
}

TEST(Sdf, NeverGrowsFasterThanTheDistance) {
    Random random(5);
    for (const Case& c : cases())
        for (int i = 0; i < 5000; ++i) {
            const Vec3 p = random_vector(random, 2),
                       q = p + random_vector(random, 2) * random.uniform() * random.uniform();
            const double difference = std::abs(c.sdf->sample(p).value - c.sdf->sample(q).value);
            ASSERT_LE(difference, norm(p - q) * (1 + 1e-12) + 1e-15) << c.name;
        }
}

// Centres, axes, edges, corners, the surface itself, the far end of the world: a unit vector everywhere.
TEST(Sdf, TheGradientIsAUnitVectorEverywhere) {
    std::vector<Vec3> points{{},
                             {0, 0.5, 0},
                             {0, -9, 0},
                             {0.5, 0.8, 0.3},
                             {0.5, 0, 0},
                             {0.5, 0.8, 0},
                             {0.8, 0, 0},
                             {0, 0.9, 0},
                             {0.6, 0.9, 0},
                             {0, 0.7, 0},
                             {0.1, 0.1, 0.1},
                             {0.1, 0, 0},
                             {0.6, 0.1, 0},
                             {1e-200, 0, 0},
                             {1e-160, 1e-160, 0},
                             {0.5 + 1e-170, 0, 0},
                             {1e100, 1e100, 1e100},
                             {1e300, 0, 1e300}};
    Random random(11);
    for (int i = 0; i < 1000; ++i) {
        Vec3 p = random_vector(random, 2);
        for (std::size_t a = 0; a < 3; ++a)
            p[a] = std::round(p[a] * 10) / 10;  // a lattice that holds the edges
        points.push_back(p);
    }
    for (const Case& c : cases())
        for (const Vec3& p : points) {
            const DistanceSample s = c.sdf->sample(p);
            ASSERT_NEAR(norm(s.gradient), 1, 1e-12) << c.name << " " << p.x << " " << p.y << " " << p.z;
            ASSERT_FALSE(std::isnan(s.value)) << c.name;
        }
}

TEST(Sdf, TheBoundsHoldTheInside) {
    Random random(2);
    for (const Case& c : cases()) {
        // Grown twice as well: a level of a bound may reach farther than its distance.
        for (const Sdf& s : {c.sdf, sdf::rounded(c.sdf, 0.3), sdf::transformed(c.sdf, turned)}) {
            const Box3 box = s->bounds();
            for (int i = 0; i < 3000; ++i) {
                const Vec3 p = random_vector(random, 4);
                ASSERT_TRUE(s->sample(p).value > 0 || box.contains(p)) << c.name;
            }
        }
    }
    EXPECT_EQ(sdf::plane({0, 1, 0}, {0, 1, 0})->bounds().high.y, 1);
    EXPECT_EQ(sdf::plane({0, 1, 0}, {0, 1, 0})->bounds().low.x, -HUGE_VAL);
    EXPECT_EQ(sdf::box({1, 2, 3})->bounds().low, (Vec3{-1, -2, -3}));
    EXPECT_TRUE(sdf::intersection({sdf::sphere({}, 1), sdf::sphere({5, 0, 0}, 1)})->bounds().empty());
}

TEST(Sdf, AHeightfieldFollowsItsHeights) {
    const Sdf flat = sdf::heightfield({0, 2, 0}, 1, 2, 2, {1, 1, 1, 1});
    EXPECT_EQ(flat->exactness(), Exactness::exact);
    EXPECT_DOUBLE_EQ(flat->sample({0.3, 5, 0.3}).value, 2);
    // x runs fastest: rises by 1 a metre along x, flat beyond the border.
    const Sdf ramp = sdf::heightfield({}, 1, 3, 2, {0, 1, 2, 0, 1, 2});
    EXPECT_NEAR(ramp->sample({0.5, 1.5, 0.5}).value, std::sqrt(0.5), 1e-15);
    EXPECT_LT(norm(ramp->sample({0.5, 1.5, 0.5}).gradient - normalised(Vec3{-1, 1, 0})), 1e-15);
    EXPECT_NEAR(ramp->sample({9, 2, 0}).value, 0, 1e-15);
    EXPECT_EQ(ramp->sample({9, 2, 0}).gradient, (Vec3{0, 1, 0}));
}

TEST(Sdf, BadInputIsAnError) {
    const double nan = std::nan("");
    EXPECT_THROW(sdf::plane({}, {0, 0, 0}), Error);
    EXPECT_THROW(sdf::plane({}, {nan, 0, 0}), Error);
    EXPECT_THROW(sdf::sphere({}, 0), Error);
    EXPECT_THROW(sdf::sphere({nan, 0, 0}, 1), Error);
    EXPECT_THROW(sdf::cylinder({}, {}, 1), Error);
    EXPECT_THROW(sdf::cylinder({}, {1, 0, 0}, -1), Error);
    EXPECT_THROW(sdf::capped_cylinder(1, 0), Error);
    EXPECT_THROW(sdf::box({1, 1, nan}), Error);
    EXPECT_THROW(sdf::capsule({}, {}, 0), Error);
    EXPECT_THROW(sdf::torus(1, 1), Error);
    EXPECT_THROW(sdf::intersection({}), Error);
    EXPECT_THROW(sdf::union_of({nullptr}), Error);
    EXPECT_THROW(sdf::difference(sdf::sphere({}, 1), nullptr), Error);
    EXPECT_THROW(sdf::rounded(sdf::sphere({}, 1), -1), Error);
    EXPECT_THROW(sdf::transformed(sdf::sphere({}, 1), {{nan, 0, 0}}), Error);
    EXPECT_THROW(sdf::heightfield({}, 1, 1, 2, {1, 2}), Error);
    EXPECT_THROW(sdf::heightfield({}, 1, 2, 2, {1, 2, 3}), Error);
    EXPECT_THROW(sdf::heightfield({}, 1, 65536, 65536, {}), Error);
    EXPECT_THROW(sdf::heightfield({}, 0, 2, 2, {1, 2, 3, 4}), Error);
    const Error error = error_of([&] { (void)sdf::heightfield({}, 1, 2, 2, {1, 2, nan, 4}); });
    EXPECT_EQ(error.problem(), "height 2 of 4 is not finite");
}

}  // namespace
}  // namespace plush
