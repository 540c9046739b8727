#include "cut_worlds.hpp"
#include "energy_scenes.hpp"
#include "worlds.hpp"

// Queries that see every body at its deformed surface, and the material points that they give.

namespace plush {
namespace {

using namespace testing_world;
using test::log_uniform;
using test::random_turn;

Vec3 random_vector(Random& random, double size) {
    return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

Mesh figure(const char* shape, int triangles) {
    return generate({.shape = shape, .triangles = triangles, .size = 0.5}).value();
}

/// One body of each kind that has triangles, at random places; the soft ones deform.
World random_world(std::uint64_t seed) {
    Random random(seed);
    World world(without_gravity(without_sleep({.step = 0.01})));
    const auto at = [&] {
        return Placement{.position = random_vector(random, 1),
                         .rotation = random_turn(random),
                         .velocity = random_vector(random, 0.3)};
    };
    Soft soft;
    soft.solid = SoftSolid::fill(figure("icosphere", 320), {.cells_across = 4});
    soft.elastic.young = log_uniform(random, 1e3, 1e6);
    soft.name = "skinned";
    world.add(soft, at());
    Soft bare;
    bare.solid = SoftSolid(tet_box({0.15, 0.1, 0.1}, {3, 2, 2}).value());
    bare.name = "bare";
    world.add(bare, at());
    world.add(Cloth{}, at());
    world.add(Rigid{.mesh = figure("torus", 400), .name = "rigid"}, at());
    const Placement placed = at();
    world.add(Fixed{.mesh = figure("torus", 300), .name = "fixed"}, placed);
    world.add(Scripted{.mesh = figure("icosphere", 320),
                       .keyframes = {{0, random_vector(random, 1), random_turn(random)},
                                     {1, random_vector(random, 1), random_turn(random)}},
                       .name = "scripted"});
    for (const BodyId body : world.bodies())
        for (const BodyId other : world.bodies())
            if (body != other) world.set_collide(body, other, false);
    for (const BodyId body : test::deformable_bodies(world)) {  // a stir
        const auto x = world.vertex_positions(body);
        for (int k = 0; k < 3; ++k) {
            const auto v = static_cast<std::uint32_t>(random.below(x.size()));
            world.set_vertex(body, v, x[v], random_vector(random, 5));
        }
    }
    steps(world, 4);
    return world;
}

std::vector<Vec3> corners_now(const World& world, BodyId body) {
    if (world.kind(body) == BodyKind::deformable) return world.drawn_positions(body);
    std::vector<Vec3> x;
    for (const Vec3& p : world.shape(body).drawn().positions()) x.push_back(world.pose(body) * p);
    return x;
}

std::span<const Triangle> triangles_of(const World& world, BodyId body) {
    return world.kind(body) == BodyKind::deformable ? world.drawn_surface(body)
                                                    : world.shape(body).drawn().triangles();
}

/// The first crossing by Cramer's rule, over all triangles of all bodies.
std::optional<std::pair<BodyId, double>> brute_force(const World& world, const Vec3& o, const Vec3& d) {
    std::optional<std::pair<BodyId, double>> first;
    for (const BodyId body : world.bodies()) {
        const auto x = corners_now(world, body);
        for (const Triangle& t : triangles_of(world, body)) {
            const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
            const Mat3 m = Mat3::columns(at(1) - at(0), at(2) - at(0), -d);
            if (std::abs(determinant(m)) < 1e-14) continue;
            const Vec3 s = inverse(m) * (o - at(0));
            if (s.x < 0 || s.y < 0 || s.x + s.y > 1 || s.z < 0) continue;
            if (!first || s.z < first->second) first = {body, s.z};
        }
    }
    return first;
}

TEST(SurfacePoints, RaysMeetWhatBruteForceMeets) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        World world = random_world(seed);
        Random random(seed);
        int hits = 0;
        for (int k = 0; k < 60; ++k) {
            const Vec3 o = random_vector(random, 3), d = normalised(random_vector(random, 1) - o);
            const auto expected = brute_force(world, o, d);
            if (k == 30) world.update_queries();  // without a hierarchy, and with one
            const auto hit = world.ray(o, d);
            ASSERT_EQ(hit.has_value(), expected.has_value()) << seed << " " << k;
            if (!hit) continue;
            ++hits;
            EXPECT_EQ(hit->body, expected->first);
            EXPECT_NEAR(hit->distance, expected->second, 1e-9);
            EXPECT_LT(norm(hit->point - o - expected->second * d), 1e-9);
            EXPECT_LT(norm(world.position_of(hit->surface) - hit->point), 1e-9);
            EXPECT_EQ(hit->surface.body, hit->body);
            EXPECT_LT(hit->surface.triangle, triangles_of(world, hit->body).size());
        }
        EXPECT_GT(hits, 8);
    }
}

TEST(SurfacePoints, TheClosestPlaceIsThatOfBruteForce) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        World world = random_world(seed);
        Random random(seed);
        int inside = 0;
        for (int k = 0; k < 40; ++k) {
            if (k == 20) world.update_queries();
            const Vec3 p = k % 2 ? random_vector(random, 2)
                                 : world.centre(world.bodies()[k % 4 ? 0 : 1]) + random_vector(random, 0.03);
            const auto near = world.closest(p);
            ASSERT_TRUE(near);
            EXPECT_NEAR(norm(p - near->point), std::abs(near->distance), 1e-12);
            EXPECT_LT(norm(world.position_of(near->surface) - near->point), 1e-12);
            inside += near->distance < 0;
            // No place of any surface is nearer: corners and centres of triangles among them.
            for (const BodyId body : world.bodies()) {
                const auto x = corners_now(world, body);
                for (const Triangle& t : triangles_of(world, body)) {
                    Vec3 middle{};
                    for (int v : t) middle += x[static_cast<std::size_t>(v)] / 3;
                    EXPECT_GE(norm(p - middle), near->distance - 1e-12);
                }
            }
        }
        EXPECT_GT(inside, 5);
    }
}

// A hierarchy is refit by the step where that is on, is stale where it is off, and no answer depends on it.
TEST(SurfacePoints, HierarchiesChangeNoAnswer) {
    World with = random_world(7), without = random_world(7);
    with.enable_queries();
    Random random(3);
    for (int k = 0; k < 40; ++k) {
        if (k % 10 == 5) steps(with, 1), steps(without, 1);
        if (k == 25) with.enable_queries(false);
        const Vec3 o = random_vector(random, 3), d = random_vector(random, 1) - o;
        const auto a = with.ray(o, d), b = without.ray(o, d);
        ASSERT_EQ(a.has_value(), b.has_value());
        if (!a) continue;
        EXPECT_EQ(a->surface, b->surface);
        EXPECT_EQ(a->distance, b->distance);
    }
    EXPECT_EQ(with.state_hash(), without.state_hash());
}

TEST(SurfacePoints, APointFollowsItsMaterial) {
    for (std::uint64_t seed = 11; seed <= 12; ++seed) {
        World world = random_world(seed);
        Random random(seed);
        struct Marked {
            SurfacePoint at;
            Vec3 before;
        };
        std::vector<Marked> marked;
        for (const BodyId body : world.bodies())
            for (int k = 0; k < 5; ++k) {
                const double u = random.uniform(0, 0.5), v = random.uniform(0, 0.5);
                const auto t = static_cast<std::uint32_t>(random.below(triangles_of(world, body).size()));
                const SurfacePoint at = world.surface_point(body, t, {1 - u - v, u, v});
                marked.push_back({at, world.position_of(at)});
            }
        for (int step = 0; step < 5; ++step) {
            world.step();
            for (Marked& m : marked) {
                const auto x = corners_now(world, m.at.body);
                const Triangle& t = triangles_of(world, m.at.body)[m.at.triangle];
                Vec3 expected{};
                for (std::size_t k = 0; k < 3; ++k)
                    expected += m.at.weights[k] * x[static_cast<std::size_t>(t[k])];
                const Vec3 now = world.position_of(m.at);
                EXPECT_LT(norm(now - expected), 1e-12);
                if (world.kind(m.at.body) == BodyKind::deformable) {
                    // x' = x + h v', of every vertex and so of every point.
                    EXPECT_LT(norm(now - m.before - 0.01 * world.velocity_of(m.at)), 1e-12);
                    double sum = 0;
                    for (const VertexWeight& w : world.weights_of(m.at)) sum += w.weight;
                    EXPECT_NEAR(sum, 1, 1e-12);
                }
                m.before = now;
            }
        }
    }
}

TEST(SurfacePoints, SkinWeightsGiveTheDrawnSurface) {
    World world = random_world(5);
    for (const BodyId body : test::deformable_bodies(world)) {
        const SkinWeights skin = world.skin_weights(body);
        const auto drawn = world.drawn_positions(body);
        const auto x = world.vertex_positions(body);
        ASSERT_EQ(skin.first.size(), drawn.size() + 1);
        for (std::size_t i = 0; i < drawn.size(); ++i) {
            Vec3 p{};
            for (std::size_t k = skin.first[i]; k < skin.first[i + 1]; ++k)
                p += skin.entries[k].weight * x[skin.entries[k].vertex];
            EXPECT_LT(norm(p - drawn[i]), 1e-14);
        }
    }
}

// Without gravity a force at a point changes momentum by h F, and angular momentum by h p × F; the old
// code spread the force over all vertices.
TEST(SurfacePoints, AForceActsAtItsPoint) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        World world = random_world(seed);
        Random random(seed);
        for (const BodyId body : test::deformable_bodies(world)) {
            const SurfacePoint at = world.surface_point(body, 3, {0.2, 0.3, 0.5});
            const Vec3 p = world.position_of(at), force = random_vector(random, 5);
            const Vec3 momentum = world.momentum(), spin = world.angular_momentum();
            world.apply_impulse(at, force);
            EXPECT_LT(norm(world.momentum() - momentum - force), 1e-10);
            EXPECT_LT(norm(world.angular_momentum() - spin - cross(p, force)), 1e-10);
            world.apply_impulse(at, -force);
        }
        // By forces, in a step: linear momentum to the tolerance of the solve.
        const BodyId body = test::deformable_bodies(world).front();
        const SurfacePoint at = world.surface_point(body, 7, {0.2, 0.3, 0.5});
        const Vec3 before = world.momentum(), p = world.position_of(at);
        World twin = world.copy(), left_alone = world.copy();  // implicit Euler keeps no angular momentum
        world.apply_force(at, {0, 2, 0});
        twin.apply_force(body, {0, 2, 0}, p);  // by the place: the same surface, or the tet behind it
        steps(world, 1), steps(twin, 1), steps(left_alone, 1);
        EXPECT_LT(norm(world.momentum() - before - Vec3{0, 0.02, 0}), 1e-8);
        const Vec3 turned = world.angular_momentum() - left_alone.angular_momentum();
        EXPECT_LT(norm(turned - 0.01 * cross(p, {0, 2, 0})), 0.02 * norm(turned));
        EXPECT_LT(norm(twin.angular_momentum() - world.angular_momentum()), 1e-6);
    }
}

TEST(SurfacePoints, BallsAndRopesAreSeen) {
    World world(without_gravity());
    Rope rope;
    rope.from = {-1, 0, 0}, rope.to = {1, 0, 0};
    rope.motion.radius = 0.05;
    const BodyId line = world.add(rope);
    const BodyId dust = world.add(Particles{.positions = {{0, 2, 0}, {1, 2, 0}}, .radius = 0.1});
    auto hit = world.ray({0.33, 1, 0}, {0, -1, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, line);
    EXPECT_NEAR(hit->distance, 0.95, 1e-12);
    expect_near(world.position_of(hit->surface), {0.33, 0, 0}, 1e-12);
    hit = world.ray({1, 1, 0}, {0, 1, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, dust);
    EXPECT_EQ(hit->surface.triangle, 1u);
    EXPECT_NEAR(hit->distance, 0.9, 1e-12);
    EXPECT_NEAR(world.closest({0.33, 0.3, 0})->distance, 0.25, 1e-12);
    EXPECT_FALSE(world.ray({0, 1, 0.2}, {0, -1, 0}));
}

// After a cut the points of the old surface are where their material is, on either piece; a point of a cut's face is gone
// in a state in which there was no cut.
TEST(SurfacePoints, APointFollowsACut) {
    for (const bool skinned : {false, true}) {
        World world(cut_worlds::weightless());
        Soft soft;
        if (skinned)
            soft.solid = SoftSolid::fill(figure("icosphere", 320), {.cells_across = 4});
        else
            soft.solid = SoftSolid(tet_box({0.2, 0.1, 0.1}, {6, 3, 3}).value());
        const BodyId body = world.add(soft);
        const auto whole = world.snapshot();
        Random random(2);
        std::vector<SurfacePoint> points;
        std::vector<Vec3> before;
        for (int k = 0; k < 60; ++k) {
            const double u = random.uniform(0, 0.5), v = random.uniform(0, 0.5);
            const auto t = static_cast<std::uint32_t>(random.below(world.drawn_surface(body).size()));
            points.push_back(world.surface_point(body, t, {1 - u - v, u, v}));
            before.push_back(world.position_of(points.back()));
        }
        const double x = world.centre(body).x + 0.013;
        EXPECT_EQ(world.cut(body, {.from = {x, -9, -9}, .to = {x, -9, 9}, .back = {0, 18, 0}}), 2u);
        for (std::size_t k = 0; k < points.size(); ++k)
            EXPECT_LT(norm(world.position_of(points[k]) - before[k]), 1e-9) << skinned << " " << k;
        // The face of the cut, from its middle along x.
        const auto inner = world.ray(world.centre(body) + Vec3{0.012, 0.001, 0.002}, {1, 0, 0});
        ASSERT_TRUE(inner);
        EXPECT_NEAR(inner->point.x, x, 1e-6);
        EXPECT_LT(norm(world.position_of(inner->surface) - inner->point), 1e-9);
        world.restore(whole);
        EXPECT_TRUE(says(error_of([&] { world.position_of(inner->surface); }), "removed"));
        world.remove(body);
        EXPECT_TRUE(says(error_of([&] { world.position_of(points[0]); }), "removed from this world"));
    }
}

TEST(SurfacePoints, NonsenseIsRefused) {
    World world(without_gravity());
    const BodyId box = world.add(Rigid{.shape = Shape::box({1, 1, 1}), .name = "box"});
    EXPECT_TRUE(says(error_of([&] { world.surface_point(box, 12, {1, 0, 0}); }), "no triangle 12"));
    EXPECT_TRUE(says(error_of([&] { world.surface_point(box, 0, {1, 1, 0}); }), "sum to 1"));
    EXPECT_TRUE(says(error_of([&] {
                         world.weights_of(world.surface_point(box, 0, {1, 0, 0}));
                     }),
                     "vertices"));
    EXPECT_TRUE(says(error_of([&] { world.position_of({}); }), "no such body"));
    const BodyId ground = world.add_ground(-5);
    const auto hit = world.ray({3, 0, 0}, {0, -1, 0});
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->body, ground);
    EXPECT_EQ(hit->surface.triangle, SurfacePoint::none);
    expect_near(world.position_of(hit->surface), {3, -5, 0}, 1e-6);  // sphere tracing ends at 1e-7 m
    EXPECT_TRUE(says(error_of([&] { world.add_drag(hit->surface); }), "moves freely"));
}

}  // namespace
}  // namespace plush
