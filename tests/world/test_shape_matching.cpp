#include <gtest/gtest.h>

#include <cmath>

#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/errors.hpp"
#include "support/points.hpp"

namespace plush {
namespace {

using test::error_of;
using test::lowest;
using test::says;

/// A cube of n³ vertices.
ShapeMatching cube(double side, int n, const MatchSettings& match = {}) {
    ShapeMatching b;
    b.tets = tet_box({side / 2, side / 2, side / 2}, {n - 1, n - 1, n - 1}).value();
    b.shape = Shape::box({side / 2, side / 2, side / 2});
    b.match = match;
    b.motion.integration.method = IntegrationMethod::semi_implicit_euler;
    b.density = 500;
    return b;
}

WorldSettings settings(SurfaceLaw law = SurfaceLaw::impulse, int threads = 1) {
    WorldSettings s;
    s.step = 1.0 / 120;
    s.threads = threads;
    s.contact.method = ContactMethod::points;  // buffered would be by volume
    s.contact.surface.law = law;
    return s;
}

TEST(ShapeMatchingWorld, points_triangles_and_tets_fall_and_rest_on_the_ground) {
    ShapeMatching bodies[3];
    const TetMesh tets = tet_box({0.1, 0.1, 0.1}, {3, 3, 3}).value();
    bodies[0].points.assign(tets.positions().begin(), tets.positions().end());
    bodies[0].mass = 2;
    bodies[1].mesh = shapes::box({0.1, 0.1, 0.1}, 108);
    bodies[2].tets = tets;
    for (const SurfaceLaw law : {SurfaceLaw::buffered, SurfaceLaw::quadratic, SurfaceLaw::impulse,
                                 SurfaceLaw::barrier, SurfaceLaw::log_barrier})
        for (const MatchMode mode : {MatchMode::rigid, MatchMode::linear, MatchMode::quadratic})
            for (ShapeMatching b : bodies) {
                World world(settings(law));
                world.add_ground();
                b.match.mode = mode;
                const BodyId id = world.add(b, {.position = {0, 0.3, 0}});
                for (int k = 0; k < 240; ++k) world.step();
                EXPECT_LT(norm(world.velocity(id)), 0.02) << static_cast<int>(law) << static_cast<int>(mode);
                EXPECT_NEAR(world.centre(id).y, 0.1, 0.01) << static_cast<int>(law);
                // Barriers and the impulse law act last and let nothing through.
                const bool strict = law != SurfaceLaw::quadratic && law != SurfaceLaw::buffered;
                // Forces act before the shape is made whole again: 1 to 4 mm.
                EXPECT_GE(lowest(world.vertex_positions(id)), strict ? 0 : -0.005) << static_cast<int>(law);
            }
}

TEST(ShapeMatchingWorld, bodies_of_one_cluster_lie_on_one_another) {
    World world(settings());
    world.add_ground();
    const BodyId low = world.add(cube(0.2, 5), {.position = {0, 0.1, 0}});
    const BodyId high = world.add(cube(0.2, 5), {.position = {0.03, 0.35, 0.02}});
    for (int k = 0; k < 360; ++k) world.step();
    EXPECT_NEAR(world.centre(low).y, 0.1, 0.01);
    EXPECT_NEAR(world.centre(high).y, 0.3, 0.02);  // without contact: 0.1
}

// The scene `shape_matching`, with fewer of them.
TEST(ShapeMatchingWorld, cubes_in_a_bowl_are_not_in_its_wall) {
    WorldSettings s = settings();
    s.step = 1.0 / 240;
    World world(s), probe(s);  // the second has the bowl and the ground alone
    Fixed bowl;
    bowl.mesh = shapes::bowl(0.5, 0.05, 2048);
    bowl.distance_cells = 64;
    for (World* w : {&world, &probe}) w->add_ground(), w->add(bowl, {.position = {0, 0.5, 0}});
    std::vector<BodyId> cubes;
    for (int k = 0; k < 24; ++k) {
        const Vec3 at{0.2 * (k % 2) - 0.1, 0.4 + 0.2 * (k / 4), 0.2 * (k / 2 % 2) - 0.1};
        cubes.push_back(world.add(
            cube(0.1, 4, {.mode = static_cast<MatchMode>(k % 3)}),
            {.position = at, .rotation = from_axis_angle(normalised(Vec3{1, 0.3 * k, 2}), 20.0 * k)}));
    }
    for (int k = 0; k < 480; ++k) world.step();
    double deepest = 0;
    for (const BodyId id : cubes) {
        EXPECT_LT(std::hypot(world.centre(id).x, world.centre(id).z), 0.5);  // it is in the bowl
        EXPECT_GT(world.centre(id).y, 0.08);
        for (const Vec3& p : world.vertex_positions(id))
            deepest = std::max(deepest, -probe.closest(p).value().distance / 0.1);
    }
    std::printf("deepest in the bowl: %.3g of a side\n", deepest);
    EXPECT_LT(deepest, 0.001);  // 4e-5; 2e-3 without the last push of each vertex, 0.01 is wanted
}

TEST(ShapeMatchingWorld, a_collision_keeps_the_momentum_of_both) {
    WorldSettings free = settings();
    free.gravity = {};
    World world(free);
    world.add(cube(0.2, 4), {.position = {-0.3, 0, 0}, .velocity = {1, 0, 0}});
    const BodyId b = world.add(cube(0.2, 4), {.position = {0, 0.05, 0.03}});
    const Vec3 before = world.momentum();
    for (int k = 0; k < 120; ++k) world.step();
    EXPECT_GT(world.velocity(b).x, 0.2);
    EXPECT_LT(norm(world.momentum() - before), 1e-12 * norm(before));
}

TEST(ShapeMatchingWorld, contacts_and_events_tell_of_bodies_of_one_cluster) {
    World world(settings());
    const BodyId ground = world.add_ground();
    const BodyId low = world.add(cube(0.2, 5), {.position = {0, 0.1, 0}});
    const BodyId high = world.add(cube(0.2, 5), {.position = {0, 0.35, 0}});
    const double weight = 9.81 * 500 * 0.2 * 0.2 * 0.2;  // N, of one
    int began = 0, ended = 0;
    for (int k = 0; k < 240; ++k) {
        world.step();
        for (const ContactEvent& e : world.events()) {
            if (std::min(e.a, e.b) != low || std::max(e.a, e.b) != high) continue;
            began += e.kind == ContactEvent::Kind::began;
            ended += e.kind == ContactEvent::Kind::ended;
        }
    }
    EXPECT_GE(began, 1);
    EXPECT_EQ(began, ended + 1);  // it lies there
    // The upward force between two, a mean over half a second: what rests still hums.
    double between = 0, below = 0;
    bool reported = false;
    for (int k = 0; k < 60; ++k) {
        world.step();
        for (const Contact& c : world.contacts()) {
            const double up = (c.normal_force * c.normal + c.friction_force).y / 60;
            if (c.a != ground && c.b != ground) {
                between += c.a == high ? up : -up, reported = true;
                EXPECT_GT(c.depth, 0);
                EXPECT_LE(norm(c.friction_force), 1.0000001 * 0.5 * c.normal_force);
            } else {
                below += c.a == ground ? -up : up;
            }
        }
    }
    std::printf("between two of %g N each: %g N, below both: %g N\n", weight, between, below);
    EXPECT_TRUE(reported);
    EXPECT_NEAR(between, weight, 0.05 * weight);
    EXPECT_NEAR(below, 2 * weight, 0.05 * 2 * weight);
}

TEST(ShapeMatchingWorld, vertices_of_either_are_felt_by_the_other) {
    for (const bool small_first : {false, true}) {
        World world(settings());
        world.add_ground();
        const Placement above{.position = {0.02, 0.46, 0.03}};
        BodyId small{};
        if (small_first) small = world.add(cube(0.1, 4), above);
        world.add(cube(0.4, 2), {.position = {0, 0.2, 0}});  // none of its vertices is near the small one
        if (!small_first) small = world.add(cube(0.1, 4), above);
        for (int k = 0; k < 120; ++k) world.step();
        EXPECT_NEAR(world.centre(small).y, 0.45, 0.01) << small_first;
    }
}

TEST(ShapeMatchingWorld, a_pinned_one_is_a_wall_to_another) {
    WorldSettings free = settings();
    free.gravity = {};
    World world(free);
    ShapeMatching bouncy = cube(0.2, 4);
    bouncy.material.restitution = 1;
    const BodyId wall = world.add(bouncy);
    world.pin(wall, Box3{{-1, -1, -1}, {1, 1, 1}});
    const BodyId ball = world.add(bouncy, {.position = {-0.3, 0, 0}, .velocity = {1, 0, 0}});
    for (int k = 0; k < 60; ++k) world.step();
    EXPECT_NEAR(world.velocity(ball).x, -1, 0.05);  // taken for free it would be hit out of the way: 0
    EXPECT_LT(norm(world.centre(wall)), 1e-12);
}

TEST(ShapeMatchingWorld, those_that_may_not_collide_pass_through_one_another) {
    WorldSettings free = settings();
    free.gravity = {};
    World world(free);
    const BodyId a = world.add(cube(0.2, 4), {.position = {-0.3, 0, 0}, .velocity = {1, 0, 0}});
    const BodyId b = world.add(cube(0.2, 4));
    world.set_collide(a, b, false);
    for (int k = 0; k < 120; ++k) world.step();
    EXPECT_NEAR(world.centre(a).x, 0.7, 1e-9);
    EXPECT_LT(norm(world.centre(b)), 1e-12);
}

TEST(ShapeMatchingWorld, nothing_is_pushed_through_a_barrier_by_what_lands_on_it) {
    World world(settings(SurfaceLaw::barrier));
    world.add_ground();
    ShapeMatching soft = cube(0.2, 4);
    soft.motion.integration.method = IntegrationMethod::implicit_euler;  // the barrier is stiff
    const BodyId low = world.add(soft, {.position = {0, 0.11, 0}});
    world.add(soft, {.position = {0.05, 0.4, 0}, .velocity = {0, -5, 0}});
    for (int k = 0; k < 60; ++k) {
        world.step();
        ASSERT_GT(lowest(world.vertex_positions(low)), 0) << k;
    }
}

TEST(ShapeMatchingWorld, rests_on_a_rigid_body_and_pushes_it) {
    WorldSettings s = settings(SurfaceLaw::buffered);
    World world(s);
    world.add_ground();
    Rigid plate;
    plate.shape = Shape::box({0.3, 0.05, 0.3});
    const BodyId below = world.add(plate, {.position = {0, 0.05, 0}});
    ShapeMatching soft = cube(0.2, 4);
    soft.motion.integration.method = IntegrationMethod::implicit_euler;  // forces are stiff
    const BodyId id = world.add(soft, {.position = {0, 0.25, 0}});
    for (int k = 0; k < 240; ++k) world.step();
    EXPECT_NEAR(world.centre(id).y, 0.2, 0.01);
    EXPECT_NEAR(world.centre(below).y, 0.05, 0.001);
}

TEST(ShapeMatchingWorld, overlapping_clusters_hold_a_bar_together) {
    for (const double size : {0.15, 0.3, 0.6}) {
        World world(settings());
        ShapeMatching bar;
        bar.tets = tet_box({0.5, 0.05, 0.05}, {20, 2, 2}).value();
        bar.clusters.size = size;
        bar.motion.damping = 1;
        const BodyId id = world.add(bar);
        EXPECT_GT(world.cluster_count(id), 1u);
        world.pin(id, Box3{{-0.51, -1, -1}, {-0.49, 1, 1}});
        for (int k = 0; k < 600; ++k) world.step();
        double low = 0, reach = 0;
        for (const Vec3& p : world.vertex_positions(id)) {
            low = std::min(low, p.y);
            reach = std::max(reach, norm(p - Vec3{-0.5, 0, 0}));
        }
        std::printf("a bar of 1 m in %zu clusters of %g m sinks by %.3f m at its end\n",
                    world.cluster_count(id), size, -low);
        EXPECT_LT(reach, 1.2) << size;   // it has not come apart: 1.13 for the softest
        EXPECT_LT(low, -0.052) << size;  // and bends
    }
}

TEST(ShapeMatchingWorld, a_button_stays_flat_and_the_cloth_keeps_hanging) {
    World world(settings(SurfaceLaw::buffered));
    Cloth cloth;
    cloth.corner = {-0.3, 1, 0}, cloth.side_x = {0.6, 0, 0}, cloth.side_y = {0, -0.6, 0};
    cloth.vertices = {31, 31};
    cloth.springs.density = 0.2;
    const BodyId id = world.add(cloth);
    world.pin(id, Box3{{-1, 0.99, -1}, {1, 1.01, 1}});
    std::vector<std::uint32_t> button;
    std::vector<Vec3> before;
    for (std::uint32_t i = 0; i < world.vertex_positions(id).size(); ++i)
        if (norm(world.vertex_positions(id)[i] - Vec3{0, 0.7, 0}) < 0.05) button.push_back(i);
    for (const std::uint32_t i : button) before.push_back(world.vertex_positions(id)[i]);
    world.add_cluster(id, button, {});
    world.set_wind(id, {0, 0, 5});
    for (int k = 0; k < 240; ++k) world.step();
    double worst = 0;
    for (std::size_t a = 0; a < button.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            worst = std::max(worst, std::abs(norm(world.vertex_positions(id)[button[a]] -
                                                  world.vertex_positions(id)[button[b]]) -
                                             norm(before[a] - before[b])));
    EXPECT_LT(worst, 1e-12);  // rigid: the projection is the last to act
    EXPECT_GT(lowest(world.vertex_positions(id)), 0.3);
}

TEST(ShapeMatchingWorld, the_skin_is_drawn_and_follows) {
    ShapeMatching b = cube(0.2, 4);
    b.skin = shapes::icosphere(0.1, 320);
    World world(settings());
    const BodyId id = world.add(b, {.position = {1, 2, 3}});
    ASSERT_EQ(world.drawn_positions(id).size(), b.skin.positions().size());
    EXPECT_EQ(world.drawn_surface(id).size(), b.skin.triangles().size());
    for (std::size_t i = 0; i < b.skin.positions().size(); ++i)
        EXPECT_LT(norm(world.drawn_positions(id)[i] - b.skin.positions()[i] - Vec3{1, 2, 3}), 1e-12);
}

TEST(ShapeMatchingWorld, is_the_same_for_one_and_two_threads_and_after_a_restore) {
    const auto make = [](int threads) {
        World world(settings(SurfaceLaw::impulse, threads));
        world.add_ground();
        for (int k = 0; k < 6; ++k) {
            ShapeMatching b =
                cube(0.2, 4, {.mode = static_cast<MatchMode>(k % 3), .stiffness = 0.6, .creep = 3});
            if (k == 5) b.clusters.size = 0.15;
            world.add(b, {.position = {0.02 * k, 0.2 + 0.25 * k, 0.01 * k}});
        }
        return world;
    };
    World one = make(1), two = make(2);
    for (int k = 0; k < 100; ++k) one.step(), two.step();
    EXPECT_EQ(one.state_hash(), two.state_hash());
    const auto snapshot = one.snapshot();
    World copy = make(1);
    copy.restore(snapshot);
    EXPECT_EQ(copy.state_hash(), one.state_hash());
    for (int k = 0; k < 60; ++k) one.step(), copy.step();
    EXPECT_EQ(copy.state_hash(), one.state_hash());
}

template <class F>
std::string refusal(F&& f) {
    const Error error = error_of(f);
    return error.place() + ": " + error.problem();
}

TEST(ShapeMatchingWorld, refuses_nonsense) {
    World world(settings());
    const auto add = [&](auto&& change) {
        ShapeMatching b = cube(0.2, 3);
        change(b);
        return refusal([&] { world.add(b); });
    };
    using B = ShapeMatching;
    EXPECT_NO_THROW(world.add(cube(0.2, 3)));
    EXPECT_TRUE(says(add([](B& b) { b.match.stiffness = 1.5; }), "stiffness"));
    EXPECT_TRUE(says(add([](B& b) { b.match.stiffness = std::nan(""); }), "stiffness"));
    EXPECT_TRUE(says(add([](B& b) { b.clusters.size = -1; }), "cluster_size"));
    EXPECT_TRUE(says(add([](B& b) { b.points = {{0, 0, 0}}; }), "more than one"));
    EXPECT_TRUE(says(add([](B& b) { b.tets = {}; }), "nothing"));
    EXPECT_TRUE(says(add([](B& b) { b.tets = {}, b.points = {{0, 0, 0}}; }), "mass"));
    EXPECT_TRUE(says(add([](B& b) {
                         b.tets = {}, b.mass = 1, b.points = {{std::nan(""), 0, 0}};
                     }),
                     "finite"));
    EXPECT_TRUE(says(add([](B& b) { b.shape = Shape::half_space(); }), "no end"));
    const BodyId id = world.add(cube(0.2, 3));
    EXPECT_TRUE(says(refusal([&] { world.add_cluster(id, {0}, {}); }), "one cluster"));
    const BodyId jelly = world.add(Jelly{});
    EXPECT_TRUE(says(refusal([&] { world.add_cluster(jelly, {}, {}); }), "no vertices"));
    EXPECT_TRUE(says(refusal([&] { world.add_cluster(jelly, {1000000}, {}); }), "vertex"));
    EXPECT_TRUE(says(refusal([&] { world.add_cluster(jelly, {0}, {.softness = 2}); }), "softness"));
    Rigid ball;
    ball.shape = Shape::sphere(0.1);
    const BodyId rigid = world.add(ball, {.position = {0, 5, 0}});
    EXPECT_TRUE(says(refusal([&] { world.attach(id, {{-1, -1, -1}, {1, 1, 1}}, rigid); }), "free body"));
}

}  // namespace
}  // namespace plush
