#include <gtest/gtest.h>

#include <cmath>

#include "bodies/elements/springs.hpp"
#include "contact/fields/barrier_guard.hpp"
#include "contact/fields/barrier_particles.hpp"
#include "contact/fields/points_on_surfaces.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "support/random.hpp"

namespace plush {
namespace {

using test::random_vector;

SurfaceSettings barrier(double stiffness = 1e4, double buffer = 0.01, SurfaceLaw law = SurfaceLaw::barrier) {
    SurfaceSettings s;
    s.law = law, s.stiffness = stiffness, s.buffer = buffer;
    return s;
}

/// The walls of a corner, and the particles that are thrown into it at up to 100 m/s. Gravity points into it,
/// so that they stay.
struct Corner {
    std::vector<Sdf> walls{sdf::plane({}, {1, 0, 0}), sdf::plane({}, {0, 1, 0}), sdf::plane({}, {0, 0, 1})};
    std::vector<Obstacle> obstacles;
    std::vector<Vec3> x, v;
    std::vector<Twist> impulses{3};

    Corner(std::size_t count, double friction) {
        for (const Sdf& wall : walls) obstacles.push_back(floor_obstacle(wall, friction));
        Random random(1);
        for (std::size_t i = 0; i < count; ++i) {
            x.push_back({random.uniform(0.01, 2), random.uniform(0.01, 2), random.uniform(0.01, 2)});
            v.push_back(-random.uniform(0, 100) * normalised(x[i] + random_vector(random, 0.5)));
        }
    }
    std::size_t crossed() const {
        std::size_t count = 0;
        for (const Vec3& p : x) count += !(p.x > 0 && p.y > 0 && p.z > 0);
        return count;
    }
    double energy() const {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += mass * (0.5 * norm2(v[i]) - dot(gravity, x[i]));
        return sum;
    }
    /// Returns the number of crossings after any step.
    std::size_t run(double h, double seconds, const SurfaceSettings& settings, const Parallel& parallel,
                    ParticleReport& all) {
        const FreeParticles particles{x, v, mass, 0, 0, gravity};
        std::size_t crossings = 0;
        const int steps = static_cast<int>(std::lround(seconds / h));
        for (int i = 0; i < steps; ++i) {
            const auto report = step_before_barriers(particles, obstacles, h, settings, impulses, parallel);
            all.substeps += report.value().substeps, all.held += report.value().held;
            all.stopped += report.value().stopped, all.squeezed += report.value().squeezed;
            crossings += crossed();
        }
        return crossings;
    }
    static constexpr Vec3 gravity{-5, -7, -5};
    static constexpr double mass = 0.01;
};

TEST(Barrier, NoneOfTenThousandParticlesCrossesTheCorner) {
    const Parallel parallel(2);
    // The last is far too weak for most of them.
    const std::pair<std::size_t, SurfaceSettings> runs[] = {
        {10000, barrier(3e3)},
        {2000, barrier(3e3, 0.01, SurfaceLaw::log_barrier)},
        {500, barrier(1e2, 1e-3)}};
    for (const auto& [count, settings] : runs) {
        Corner corner(count, 0.2);
        const double before = corner.energy();
        ParticleReport all;
        EXPECT_EQ(corner.run(1. / 60, 1, settings, parallel, all), 0u);
        EXPECT_EQ(all.squeezed, 0u);
        // It holds 13.8 k ε² = 4.1 J; the fastest has 50 J. Those are stopped at the least gap.
        EXPECT_GT(all.stopped, 0u);
        EXPECT_LE(corner.energy(), before);
        std::printf("%zu particles: %zu substeps, %zu stopped, %zu held\n", count, all.substeps, all.stopped,
                    all.held);
    }
}

TEST(BarrierFull, NoneOfAHundredThousandParticlesCrossesTheCornerInTenSeconds) {
    const Parallel parallel(0);
    for (double h : {1. / 30, 1. / 60, 1. / 240}) {
        Corner corner(100000, 0.2);
        ParticleReport all;
        EXPECT_EQ(corner.run(h, 10, barrier(3e3), parallel, all), 0u) << h;
        EXPECT_EQ(all.squeezed, 0u);
        std::printf("h = 1/%.0f s: %zu substeps, %zu stopped, %zu held\n", 1 / h, all.substeps, all.stopped,
                    all.held);
    }
}

TEST(Barrier, AParticleBouncesWithItsEnergy) {
    const Sdf plane = sdf::plane({}, {0, 1, 0}), ball = sdf::sphere({0, -0.5, 0}, 0.5);
    const Parallel parallel(1);
    for (const Sdf& surface : {plane, ball})
        for (double speed : {0.1, 1.0, 10.0, 100.0}) {
            const std::vector<Obstacle> obstacles{floor_obstacle(surface)};
            std::vector<Vec3> x{{0, 0.05, 0}}, v{{0, -speed, 0}};
            std::vector<Twist> impulses(1);
            Vec3 total{};
            // 13.8 k ε² = 13.8 J, and the fastest has 5 J.
            const double h = 1. / 60;
            for (int i = 0; i < 200; ++i) {
                ASSERT_TRUE(
                    step_before_barriers({x, v, 1e-3, 0, 0, {}}, obstacles, h, barrier(), impulses, parallel)
                        .ok());
                total += impulses[0].linear;
                if (v[0].y > 0 && x[0].y > 0.02) break;
            }
            // Measured: 0.9 % at 100 m/s.
            EXPECT_NEAR(v[0].y, speed, 0.02 * speed) << speed;
            EXPECT_LE(norm(total + 1e-3 * (v[0] - Vec3{0, -speed, 0})), 1e-15 * (1 + speed));
        }
}

TEST(Barrier, AParticleSticksOnASlopeBelowTheLimit) {
    const Parallel parallel(1);
    for (double slope : {0.3, 0.45, 0.6}) {
        const Vec3 n = normalised(Vec3{slope, 1, 0}), down = normalised(Vec3{1, -slope, 0});
        const Sdf plane = sdf::plane({}, n);
        const std::vector<Obstacle> obstacles{floor_obstacle(plane, 0.5)};
        SurfaceSettings settings = barrier(1e3);
        settings.dissipation = 1;
        std::vector<Vec3> x{0.009 * n}, v(1);
        std::vector<Twist> impulses(1);
        for (int i = 0; i < 120; ++i)
            ASSERT_TRUE(step_before_barriers({x, v, 1e-3, 0, 0, {0, -9.81, 0}}, obstacles, 1. / 60, settings,
                                             impulses, parallel)
                            .ok());
        const Vec3 then = x[0];
        for (int i = 0; i < 60; ++i)
            ASSERT_TRUE(step_before_barriers({x, v, 1e-3, 0, 0, {0, -9.81, 0}}, obstacles, 1. / 60, settings,
                                             impulses, parallel)
                            .ok());
        const double crept = dot(x[0] - then, down);
        if (slope < 0.5)
            EXPECT_NEAR(crept, 0, 1e-9) << slope;  // measured: 5e-17 m in a second
        else
            EXPECT_GT(crept, 1) << slope;
    }
}

TEST(Barrier, RollersTurnAndNothingIsRunOver) {
    // A box that turns and comes at 5 m/s at a cloud of resting particles, and a sampled torus that spins.
    const Sdf box = sdf::box({0.3, 0.2, 0.1}), torus = sdf::sampled(shapes::torus(0.3, 0.12, 2000));
    const Parallel parallel(2);
    for (const Sdf& surface : {box, torus}) {
        Random random(8);
        std::vector<Vec3> x, v(500);
        while (x.size() < 500) {
            const Vec3 p = random_vector(random, 0.5) + Vec3{0.8, 0, 0};
            if (surface->value(p) > 0.02) x.push_back(p);
        }
        Obstacle o = floor_obstacle(surface, 0.5);
        o.motion.twist = {{5, 0, 0}, {3, 10, -4}};
        std::vector<Twist> impulses(1);
        Vec3 total{};
        for (int i = 0; i < 30; ++i) {
            o.motion.origin = o.pose.position;
            const std::vector<Obstacle> obstacles{o};
            const auto report = step_before_barriers({x, v, 1e-3, 0.005, 0, {}}, obstacles, 1. / 60,
                                                     barrier(1e3), impulses, parallel);
            ASSERT_TRUE(report.ok());
            EXPECT_EQ(report.value().squeezed, 0u);
            total += impulses[0].linear;
            o.pose.position += (1. / 60) * o.motion.twist.linear;
            o.pose.rotation = exp_rotation((1. / 60) * o.motion.twist.angular) * o.pose.rotation;
            for (const Vec3& p : x) EXPECT_GT(surface->value(inverse(o.pose) * p), 0.005);
        }
        Vec3 got{};
        for (const Vec3& u : v) got += 1e-3 * u;
        EXPECT_GT(norm(got), 0.1);
        EXPECT_LE(norm(total + got), 1e-12);  // measured: 7e-16
    }
}

TEST(Barrier, NonsenseHasADefinedAnswer) {
    const Sdf plane = sdf::plane({}, {0, 1, 0});
    const std::vector<Obstacle> obstacles{floor_obstacle(plane)};
    const Parallel parallel(1);
    std::vector<Twist> impulses(1);
    // Starts inside: put outside along the normal, then pushed on by the barrier.
    std::vector<Vec3> x{{0, -0.3, 0}, {0, 0, 0}}, v(2);
    const auto pushed =
        step_before_barriers({x, v, 1e-3, 0, 0, {}}, obstacles, 1. / 60, barrier(), impulses, parallel);
    EXPECT_EQ(pushed.value().pushed_out, 2u);
    EXPECT_GT(x[0].y, 0);
    EXPECT_GT(x[1].y, 0);
    // Not a number: refused, and nothing is changed.
    x = {{0, 1, 0}, {0, std::nan(""), 0}}, v = {{0, -1, 0}, {}};
    const auto refused =
        step_before_barriers({x, v, 1e-3, 0, 0, {}}, obstacles, 1. / 60, barrier(), impulses, parallel);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().place(), "particle 1");
    EXPECT_EQ(x[0].y, 1);
    // Between two plates that close: counted, and no endless loop.
    const Sdf lid = sdf::plane({0, 0.1, 0}, {0, -1, 0});
    Obstacle closing = floor_obstacle(lid);
    closing.motion.twist.linear = {0, -10, 0};
    x = {{0, 0.05, 0}}, v = {{}};
    std::vector<Twist> both(2);
    const auto squeezed = step_before_barriers({x, v, 1e-3, 0, 0, {}}, std::vector{obstacles[0], closing},
                                               1. / 60, barrier(), both, parallel);
    EXPECT_EQ(squeezed.value().squeezed, 1u);
    EXPECT_TRUE(is_finite(x[0]));
    // A speed beyond all reason.
    x = {{0, 0.05, 0}}, v = {{0, -1e300, 0}};
    const auto fast =
        step_before_barriers({x, v, 1e-3, 0, 0, {}}, obstacles, 1. / 60, barrier(), impulses, parallel);
    EXPECT_TRUE(fast.ok());
    EXPECT_GT(x[0].y, 0);
    EXPECT_TRUE(is_finite(x[0]));
}

TEST(Barrier, ParticlesHaveTheSameBitsForOneAndTwoThreads) {
    const auto run = [](int threads) {
        Corner corner(500, 0.3);
        const Parallel parallel(threads);
        ParticleReport all;
        corner.run(1. / 60, 0.5, barrier(3e3), parallel, all);
        for (const Twist& t : corner.impulses) corner.x.push_back(t.linear), corner.x.push_back(t.angular);
        return corner.x;
    };
    EXPECT_EQ(run(1), run(2));
}

/// A rope of springs.
struct Rope {
    static constexpr std::size_t count = 60;
    Springs springs;
    MotionState state;
    Rope(const Vec3& from, const Vec3& along) {
        for (std::uint32_t i = 0; i < count; ++i) {
            state.x.push_back(from + (static_cast<double>(i) / (count - 1)) * along);
            if (i > 0) springs.add({i - 1, i, norm(along) / (count - 1), 200, 0.01});
        }
        state.v.resize(count);
    }
};

TEST(Barrier, ARopeThrownOverASpinningTorusNeverCrossesIt) {
    const Sdf torus = sdf::torus(0.3, 0.1), sampled = sdf::sampled(shapes::torus(0.3, 0.1, 2000));
    for (const Sdf& surface : {torus, sampled})
        for (IntegrationMethod method :
             {IntegrationMethod::implicit_euler, IntegrationMethod::semi_implicit_euler}) {
            Rope rope({-0.6, 0.25, 0.05}, {1.2, 0, 0});
            for (Vec3& v : rope.state.v) v = {0, -20, 0};
            PointsOnSurfaces points(Rope::count, 0.005, barrier(500, 5e-3));
            points.surface.set_radii(std::vector<double>(Rope::count, 0.01));
            points.other = &rope.springs;
            Integrator integrator;
            IntegrationSettings settings;
            settings.method = method, settings.max_substeps = 100000;
            Obstacle o = floor_obstacle(surface, 0.3);
            o.motion.twist = {{0, 0, 0}, {0, 3, 0.5}};
            std::size_t held = 0;
            int parts = 0;
            const double h = 1. / 120;
            for (int i = 0; i < 60; ++i) {
                points.surface.set_obstacles({o}, rope.state.t);
                const auto step =
                    advance_without_crossing(integrator, points, rope.state, h, settings, points.surface);
                ASSERT_TRUE(step.ok()) << step.error().what();
                parts += step.value().parts, held += step.value().held;
                o.pose.rotation = exp_rotation(h * o.motion.twist.angular) * o.pose.rotation;
                for (const Vec3& p : rope.state.x)
                    ASSERT_GT(surface->value(inverse(o.pose) * p), 0.01) << "step " << i;
            }
            RecordProperty("parts", parts);
            RecordProperty("held", static_cast<int>(held));
        }
}

TEST(Barrier, AGuardedStepKeepsTheAccountOfImpulses) {
    const Sdf plane = sdf::plane({}, {0, 1, 0});
    for (IntegrationMethod method : {IntegrationMethod::implicit_euler, IntegrationMethod::runge_kutta_4}) {
        Rope rope({-0.6, 0.02, 0}, {1.2, 0.1, 0});
        for (Vec3& v : rope.state.v) v = {1, -30, 0};
        PointsOnSurfaces points(Rope::count, 0.005, barrier(10, 5e-3));
        points.other = &rope.springs;
        points.gravity = {};
        Integrator integrator;
        IntegrationSettings settings;
        settings.method = method, settings.max_substeps = 100000, settings.tolerance = 1e-12;
        points.surface.set_obstacles({floor_obstacle(plane, 0.3)}, 0);
        const auto step =
            advance_without_crossing(integrator, points, rope.state, 1. / 60, settings, points.surface);
        ASSERT_TRUE(step.ok()) << step.error().what();
        EXPECT_GT(step.value().parts, 1);
        Vec3 got{};
        for (const Vec3& v : rope.state.v) got += 0.005 * (v - Vec3{1, -30, 0});
        EXPECT_GT(got.y, 1);
        EXPECT_LE(norm(got + points.surface.impulses()[0].linear), 1e-10 * norm(got))
            << static_cast<int>(method);
    }
}

TEST(Barrier, AGuardedStepRefusesWhatItCannotDoAndKeepsTheState) {
    const Sdf plane = sdf::plane({}, {0, 1, 0}), lid = sdf::plane({0, 1e-4, 0}, {0, -1, 0});
    PointsOnSurfaces points(1, 0.1, barrier());
    Integrator integrator;
    MotionState s{{{0, -0.2, 0}}, {{}}};
    points.surface.set_obstacles({floor_obstacle(plane)}, 0);
    auto step = advance_without_crossing(integrator, points, s, 1. / 60, {}, points.surface);
    EXPECT_EQ(step.value().pushed_out, 1u);
    EXPECT_GT(s.x[0].y, 0);
    points.surface.set_obstacles({floor_obstacle(plane), floor_obstacle(lid)}, s.t);
    points.surface.set_radii({0.01});
    const Vec3 kept = s.x[0];
    step = advance_without_crossing(integrator, points, s, 1. / 60, {}, points.surface);
    ASSERT_FALSE(step.ok());
    EXPECT_EQ(s.x[0], kept);
    s.x[0].y = std::nan("");
    EXPECT_FALSE(advance_without_crossing(integrator, points, s, 1. / 60, {}, points.surface).ok());
}

TEST(Barrier, SafeFractionsAreSafeAndNotWasteful) {
    // Random ways near every kind of surface: nothing on the free part is below the floor, and where there is
    // no hindrance at all the whole way is free.
    const std::vector<Sdf> all{sdf::plane({}, {0, 1, 0}), sdf::sphere({}, 0.3), sdf::box({0.2, 0.3, 0.1}),
                               sdf::torus(0.3, 0.1), sdf::sampled(shapes::torus(0.3, 0.1, 2000))};
    Random random(12);
    int free_ways = 0, found_free = 0;
    for (const Sdf& surface : all) {
        Obstacle o;
        o.distance = surface.get();
        const PosedObstacle posed(o, 1);
        for (int k = 0; k < 2000;) {
            const Vec3 from = random_vector(random, 0.5), to = from + random_vector(random, 1);
            const double gap = surface->value(from);
            if (gap < 1e-3) continue;
            ++k;
            const double floor = 0.5 * std::min(gap, 0.01), part = posed.safe_fraction(from, to, floor);
            double least = HUGE_VAL;
            for (int i = 0; i <= 200; ++i)
                least = std::min(least, surface->value(from + (part * i / 200.) * (to - from)));
            EXPECT_GE(least, floor * (1 - 1e-9));
            double whole = HUGE_VAL;
            for (int i = 0; i <= 200; ++i)
                whole = std::min(whole, surface->value(from + (i / 200.) * (to - from)));
            if (whole > 2 * floor) ++free_ways, found_free += part == 1;
        }
    }
    EXPECT_GT(free_ways, 1000);
    EXPECT_EQ(found_free, free_ways);
}

}  // namespace
}  // namespace plush
