#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "bodies/deformable/deformable_body.hpp"
#include "bodies/elements/clusters.hpp"
#include "bodies/elements/shape_matcher.hpp"
#include "bodies/round_trip.hpp"
#include "core/parallel.hpp"
#include "plush/core/random.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

/// n³ vertices of 1/n³ kg in the unit cube about the origin.
std::vector<Vec3> grid(int n) {
    std::vector<Vec3> x;
    for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                x.push_back(Vec3{i / (n - 1.0), j / (n - 1.0), k / (n - 1.0)} - Vec3{0.5, 0.5, 0.5});
    return x;
}

std::vector<std::uint32_t> all(std::size_t n) {
    std::vector<std::uint32_t> v(n);
    std::iota(v.begin(), v.end(), 0u);
    return v;
}

struct Body {
    Body(std::vector<Vec3> x, const MatchSettings& settings, bool halves = false,
         IntegrationMethod method = IntegrationMethod::semi_implicit_euler)
        : rest(x) {
        DeformableModel model;
        model.positions = x;
        model.masses.assign(x.size(), 1.0 / static_cast<double>(x.size()));
        DeformableSettings motion;
        motion.integration.method = method;
        ClusterList clusters;
        if (halves) {  // two clusters that share the middle
            std::vector<std::uint32_t> low, high;
            for (std::uint32_t i = 0; i < x.size(); ++i) {
                if (x[i].x < 0.26) low.push_back(i);
                if (x[i].x > -0.26) high.push_back(i);
            }
            clusters = {low, high};
        } else {
            clusters = {all(x.size())};
        }
        body = std::make_unique<DeformableBody>(std::move(model), motion);
        body->add_clusters(clusters, x, settings);
    }
    void set(const std::function<Vec3(const Vec3&)>& place,
             const std::function<Vec3(const Vec3&)>& velocity) {
        for (std::uint32_t i = 0; i < rest.size(); ++i)
            body->set_vertex(i, place(rest[i]), velocity(rest[i]));
    }
    void step(double h, const Vec3& gravity = {}) {
        body->predict(h, gravity, RotationMethod::momentum);
        body->match(h);
        body->correct(h, {});
    }
    /// The largest difference of any two vertices' distance from that of the rest shape.
    double distortion() const {
        double worst = 0;
        const auto x = body->positions();
        for (std::size_t i = 0; i < x.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                worst = std::max(worst, std::abs(norm(x[i] - x[j]) - norm(rest[i] - rest[j])));
        return worst;
    }
    /// Positive where it is not inside out: the volume of the tet of four corners.
    double volume() const {
        const auto x = body->positions();
        const std::size_t n = static_cast<std::size_t>(std::lround(std::cbrt(static_cast<double>(x.size()))));
        return dot(cross(x[n - 1] - x[0], x[n * (n - 1)] - x[0]), x[n * n * (n - 1)] - x[0]);
    }
    std::vector<Vec3> rest;
    std::unique_ptr<DeformableBody> body;
};

Vec3 still(const Vec3&) {
    return {};
}
constexpr MatchMode modes[] = {MatchMode::rigid, MatchMode::linear, MatchMode::quadratic};

TEST(ShapeMatching, leaves_a_rigid_motion_alone) {
    for (const MatchMode mode : modes) {
        Body b(grid(4), {.mode = mode});
        const Quat turn = from_axis_angle({1, 2, 3}, 50);
        const auto place = [&](const Vec3& p) { return rotate(turn, p) + Vec3{1, 2, 3}; };
        b.set(place, [](const Vec3&) { return Vec3{1, 0, 0}; });
        b.step(0.01);
        for (std::size_t i = 0; i < b.rest.size(); ++i)
            EXPECT_LT(norm(b.body->positions()[i] - place(b.rest[i]) - Vec3{0.01, 0, 0}), 2e-15);  // 9e-16
    }
}

TEST(ShapeMatching, linear_and_quadratic_goals_are_what_they_can_be) {
    // With softness 1 and no care for volume, goals reproduce what their modes span.
    Body linear(grid(4), {.mode = MatchMode::linear, .softness = 1, .keep_volume = false});
    const Mat3 a{{Vec3{1.2, 0.3, 0}, Vec3{0, 0.9, 0.1}, Vec3{0.2, 0, 1.1}}};
    linear.set([&](const Vec3& p) { return a * p; }, still);
    linear.step(0.01);
    for (std::size_t i = 0; i < linear.rest.size(); ++i)
        EXPECT_LT(norm(linear.body->positions()[i] - a * linear.rest[i]), 2e-15);  // 5e-16

    Body bent(grid(4), {.mode = MatchMode::quadratic, .softness = 1, .keep_volume = false});
    const auto bend = [&](const Vec3& p) {
        return a * p + Vec3{0.3 * p.y * p.y, 0.2 * p.x * p.z, 0.1 * p.x * p.y};
    };
    bent.set(bend, still);
    bent.step(0.01);
    for (std::size_t i = 0; i < bent.rest.size(); ++i)
        EXPECT_LT(norm(bent.body->positions()[i] - bend(bent.rest[i])), 1e-13);  // 3e-15
}

TEST(ShapeMatching, keeps_volume) {
    Body b(grid(3), {.mode = MatchMode::linear, .softness = 1});
    b.set([](const Vec3& p) { return Vec3{2 * p.x, 1.5 * p.y, p.z}; }, still);
    b.step(0.01);
    EXPECT_NEAR(b.volume(), 1, 1e-14);  // without it: 3
}

TEST(ShapeMatching, linear_momentum_is_kept_to_rounding_in_free_flight) {
    for (const MatchMode mode : modes)
        for (const bool halves : {false, true}) {
            Body b(grid(5), {.mode = mode, .stiffness = 0.7}, halves);
            Random random(7);
            for (std::uint32_t i = 0; i < b.rest.size(); ++i)
                b.body->set_vertex(i, b.rest[i] + 0.1 * random_vector(random),
                                   Vec3{1, 2, 3} + 3.0 * random_vector(random));
            const Vec3 before = b.body->momentum();
            for (int k = 0; k < 1000; ++k) b.step(1.0 / 60);
            // 1e-11 after 1000 steps, of 3.7 kg m/s: 3e-15 of it a step.
            EXPECT_LT(norm(b.body->momentum() - before), 3e-11);
        }
}

/// The part of the angular momentum that a spinning body loses in a second.
double spin_loss(double h, const MatchSettings& settings) {
    Body b(grid(4), settings);
    const Vec3 spin{0.3, 2, 0.5};
    b.set([](const Vec3& p) { return p; }, [&](const Vec3& p) { return cross(spin, p); });
    const Vec3 before = b.body->angular_momentum();
    for (int k = 0; k < static_cast<int>(std::lround(1 / h)); ++k) b.step(h);
    return norm(b.body->angular_momentum() - before) / norm(before);
}

TEST(ShapeMatching, the_drift_of_angular_momentum_is_of_first_order) {
    for (const MatchMode mode : modes) {
        const double coarse = spin_loss(1.0 / 100, {.mode = mode});
        const double fine = spin_loss(1.0 / 200, {.mode = mode});
        std::printf("spin of 2.1 rad/s, %s: loses %.3g of L in 1 s at h = 1/100 s, %.3g at 1/200 s\n",
                    std::string(match_mode_choices()[static_cast<std::size_t>(mode)].word).c_str(), coarse,
                    fine);
        EXPECT_GT(coarse, 1e-4);  // so that the order means something
        EXPECT_NEAR(coarse / fine, 2, 0.1);
    }
}

TEST(ShapeMatching, the_least_squares_rotation_leaves_no_torque_and_the_other_does) {
    const auto turned = [](MatchFit fit) {
        Body b(grid(4), {.fit = fit});
        // Long in y: then the two rotations differ.
        for (Vec3& p : b.rest) p.y *= 3;
        Body longer(b.rest, {.fit = fit});
        longer.set([](const Vec3& p) { return Vec3{p.x + 0.4 * p.y, p.y, p.z}; }, still);
        longer.step(0.01);
        return norm(longer.body->angular_momentum());
    };
    EXPECT_LT(turned(MatchFit::torque_free), 1e-12);
    EXPECT_GT(turned(MatchFit::deformation), 0.1);
}

struct Crush {
    const char* name;
    Vec3 scale;
};

TEST(ShapeMatching, comes_back_from_being_inverted_and_flattened) {
    const Crush crushes[] = {{"inverted", {-1, 1, 1}},
                             {"through the middle", {-1, -1, -1}},
                             {"plane", {1, 0, 1}},
                             {"line", {0, 1, 0}},
                             {"point", {0, 0, 0}}};
    for (const Crush& crush : crushes)
        for (const MatchMode mode : modes)
            for (const double stiffness : {0.1, 0.5, 1.0})
                for (const double h : {1.0 / 240, 1.0 / 60, 1.0 / 10})
                    for (const bool halves : {false, true}) {
                        Body b(grid(4), {.mode = mode, .stiffness = stiffness}, halves);
                        const Quat turn = from_axis_angle({1, 2, 3}, 70);
                        b.set([&](const Vec3& p) { return rotate(turn, times(crush.scale, p)); }, still);
                        double largest = 0;
                        for (int k = 0; k < 1500; ++k) {
                            b.step(h);
                            largest =
                                std::max(largest, norm(b.body->positions()[0] - b.body->positions()[63]));
                        }
                        EXPECT_LT(b.distortion(), 1e-6)
                            << crush.name << " mode " << static_cast<int>(mode) << " stiffness " << stiffness
                            << " h " << h << " halves " << halves;
                        EXPECT_GT(b.volume(), 0.99) << crush.name;
                        EXPECT_LT(largest, 10) << crush.name;  // the diagonal is 1.7
                    }
}

TEST(ShapeMatching, is_stable_for_any_stiffness_and_step_under_random_blows) {
    Random random(3);
    for (const MatchMode mode : modes)
        for (const double stiffness : {0.0, 0.01, 0.3, 0.9, 1.0})
            for (const double h : {1e-4, 1.0 / 60, 1.0 / 10}) {
                if (stiffness == 0) continue;  // nothing holds it: it flies apart, as it should
                Body b(grid(3), {.mode = mode, .stiffness = stiffness});
                for (int k = 0; k < 300; ++k) {
                    for (std::uint32_t i = 0; i < b.rest.size(); ++i)
                        if (k < 100)
                            b.body->set_vertex(i, b.body->positions()[i] + 0.2 * random_vector(random),
                                               b.body->velocities()[i]);
                    b.step(h);
                }
                ASSERT_TRUE(b.body->is_finite());
                EXPECT_LT(b.distortion(), 100) << static_cast<int>(mode) << ' ' << stiffness << ' ' << h;
            }
}

TEST(ShapeMatching, a_kick_swings_for_ever_and_a_projection_comes_to_rest) {
    const auto stretch_after = [](MatchRule rule) {
        Body b(grid(3), {.stiffness = 0.3, .rule = rule});
        b.set([](const Vec3& p) { return 1.2 * p; }, still);
        double latest = 0;
        for (int k = 0; k < 200; ++k) {
            b.step(0.01);
            if (k > 150) latest = std::max(latest, b.distortion());
        }
        return latest;
    };
    EXPECT_GT(stretch_after(MatchRule::kick), 0.3);  // 0.36: at the start it is 0.35
    EXPECT_LT(stretch_after(MatchRule::project), 1e-10);
}

TEST(ShapeMatching, flat_straight_and_single_rest_shapes_have_no_holes) {
    for (const MatchMode mode : modes)
        for (const Vec3& scale : {Vec3{1, 0, 1}, Vec3{0, 1, 0}, Vec3{0, 0, 0}}) {
            std::vector<Vec3> x = grid(3);
            for (Vec3& p : x) p = times(p, scale) + Vec3{5, 5, 5};
            Body b(x, {.mode = mode});
            const Quat turn = from_axis_angle({1, 2, 3}, 40);
            b.set([&](const Vec3& p) { return 1.3 * rotate(turn, p); }, still);
            for (int k = 0; k < 200; ++k) b.step(1.0 / 60);
            EXPECT_LT(b.distortion(), 1e-8) << static_cast<int>(mode) << ' ' << scale.x << scale.y << scale.z;
        }
    // Four points do not tell a bend from a shear: linear.
    Body few({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {.mode = MatchMode::quadratic});
    few.set([](const Vec3& p) { return Vec3{1.2 * p.x, p.y, p.z + 0.2 * p.x}; }, still);
    for (int k = 0; k < 200; ++k) few.step(1.0 / 60);
    EXPECT_LT(few.distortion(), 1e-8);
}

TEST(ShapeMatching, flows_beyond_yield_and_stops_at_the_most) {
    const auto press = [](double amount, const MatchSettings& settings) {
        auto b = std::make_unique<Body>(grid(3), settings);
        const auto hold = [&](const Vec3& p) { return Vec3{p.x, (1 - amount) * p.y, p.z}; };
        for (int k = 0; k < 200; ++k) {
            b->set(hold, still);
            b->step(0.01);
        }
        for (int k = 0; k < 200; ++k) b->step(0.01);
        return b;
    };
    const MatchSettings clay{.yield = 0.15, .creep = 5, .max_flow = 0.25};
    EXPECT_LT(press(0.1, clay)->distortion(), 1e-9);  // below yield: |S − 1| = 0.1
    const auto squeezed = press(0.5, clay);
    const Mat3& p = squeezed->body->matcher()->plastic(0);
    double far = 0;
    for (std::size_t i = 0; i < 3; ++i) far += norm2(p.row[i] - Mat3::identity().row[i]);
    EXPECT_LE(std::sqrt(far), 0.25);  // the most
    EXPECT_GT(std::sqrt(far), 0.22);  // 0.239: it flows back a little when it is let go
    EXPECT_GT(squeezed->distortion(), 0.1);
    EXPECT_LT(p(1, 1), 0.9);
    // And the state is all there: a copy goes on alike.
    Body copy(grid(3), clay);
    test::restore(*copy.body, test::state_of(*squeezed->body));
    for (int k = 0; k < 20; ++k) copy.step(0.01), squeezed->step(0.01);
    for (std::size_t i = 0; i < copy.rest.size(); ++i)
        EXPECT_EQ(copy.body->positions()[i], squeezed->body->positions()[i]);
}

TEST(ShapeMatching, pinned_vertices_stay_and_the_others_follow) {
    for (const bool halves : {false, true}) {
        Body b(grid(3), {}, halves);
        for (std::uint32_t i : {18u, 20u, 24u, 26u}) b.body->pin(i);
        for (int k = 0; k < 600; ++k) b.step(1.0 / 60, {0, -9.8, 0});
        for (std::uint32_t i : {18u, 20u, 24u, 26u}) EXPECT_EQ(b.body->positions()[i], b.rest[i]);
        EXPECT_LT(b.distortion(), 0.1) << halves;  // 0.003; it would have fallen 490 m
    }
}

/// A single cluster, drawn to its goals `times` times.
std::vector<Vec3> drawn(const std::vector<Vec3>& rest, std::vector<Vec3> x, const MatchSettings& settings,
                        int times = 1, std::span<const std::uint8_t> pinned = {}) {
    ShapeMatcher matcher(std::vector<double>(rest.size(), 1.0));
    matcher.add(all(rest.size()), rest, settings);
    matcher.prepare();
    matcher.set_pinned(pinned);
    std::vector<Vec3> v(x.size());
    for (int k = 0; k < times; ++k) matcher.apply(x, x, v, 0.01, Parallel(1));
    return x;
}

TEST(ShapeMatching, pinned_vertices_take_the_cluster_with_them) {
    const std::vector<Vec3> rest = grid(3);
    std::vector<std::uint8_t> pinned(rest.size(), 0);
    std::vector<Vec3> x = rest;
    for (const std::size_t i : {0u, 2u, 6u, 18u}) pinned[i] = 1, x[i].x += 0.2;
    x = drawn(rest, x, {}, 1, pinned);
    // They weigh a thousand times the others: in one go, to 2e-4. By their masses it would be 0.03.
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i].x - rest[i].x, 0.2, 0.002) << i;
}

TEST(ShapeMatching, a_flat_cluster_may_be_stretched_in_its_plane) {
    std::vector<Vec3> rest;
    for (const Vec3& p : grid(4))
        if (p.z < -0.4) rest.push_back(p);
    std::vector<Vec3> x = rest;
    for (Vec3& p : x) p = {1.3 * p.x, p.y, p.z};
    // All of softness, no volume to keep: where they are is where they should be.
    const auto after = drawn(rest, x, {.mode = MatchMode::linear, .softness = 1, .keep_volume = false});
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(norm(after[i] - x[i]), 1e-12) << i;  // 2e-16
}

TEST(ShapeMatching, flow_keeps_the_volume_of_the_rest_shape) {
    const std::vector<Vec3> rest = grid(3);
    std::vector<Vec3> x = rest;
    for (Vec3& p : x) p *= 1.2;  // a change of size alone: nothing that could flow
    x = drawn(rest, x, {.creep = 1000}, 2);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT(norm(x[i] - rest[i]), 1e-12) << i;
}

TEST(ShapeMatching, works_with_every_integrator) {
    for (const Choice& method : integration_method_choices()) {
        if (method.value == static_cast<int>(IntegrationMethod::quasi_static)) continue;  // does not fly
        Body b(grid(3), {.stiffness = 0.5}, false, static_cast<IntegrationMethod>(method.value));
        b.set(
            [](const Vec3& p) {
                return Vec3{1.4 * p.x, p.y, 0.7 * p.z};
            },
            [](const Vec3&) {
                return Vec3{1, 0, 0};
            });
        for (int k = 0; k < 300; ++k) b.step(0.01);
        EXPECT_LT(b.distortion(), 1e-8) << method.word;
        EXPECT_NEAR(b.body->centre().x, 3, 1e-9) << method.word;
    }
}

TEST(ShapeMatching, many_threads_give_the_same_bits) {
    const auto run = [](int threads) {
        const Parallel parallel(threads);
        Body b(grid(7), {.mode = MatchMode::linear, .stiffness = 0.8}, true);
        b.body->set_parallel(&parallel);
        b.set([](const Vec3& p) { return Vec3{1.4 * p.x + p.y * p.z, p.y, 0.7 * p.z}; }, still);
        for (int k = 0; k < 20; ++k) b.step(0.01);
        return std::vector<Vec3>(b.body->positions().begin(), b.body->positions().end());
    };
    EXPECT_EQ(run(1), run(2));
}

}  // namespace
}  // namespace plush
