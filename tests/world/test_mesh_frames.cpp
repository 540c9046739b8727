#include "worlds.hpp"

// Scripted bodies that are deformed by meshes at given times: an animated character pushes what is rigid and what is soft.

namespace plush {
namespace {

using namespace testing_world;

Mesh ball(double radius, const Vec3& at = {}) {
    return shapes::icosphere(radius, 320).transformed({at, {}});
}

/// Grows from one radius to another in the first second.
Scripted growing(double from, double to, const Vec3& at = {}) {
    return {.frames = {{0, ball(from, at)}, {1, ball(to, at)}}, .name = "grows"};
}

Soft block(double half = 0.1) {
    Soft soft;
    soft.solid = SoftSolid(tet_box({half, half, half}, {3, 3, 3}).value());
    soft.name = "soft";
    return soft;
}

TEST(MeshFrames, VerticesFollowTheirMeshesAndKeyframesMoveTheWhole) {
    World world(without_gravity({.step = 0.1}));
    Scripted body = growing(1, 2);
    body.keyframes = {{0, {}, {}}, {1, {0, 0, 5}, {}}};
    const BodyId id = world.add(body);
    EXPECT_EQ(world.kind(id), BodyKind::deformable);
    EXPECT_EQ(world.mass(id), HUGE_VAL);
    steps(world, 5);
    const Mesh first = ball(1);
    for (std::size_t i = 0; i < first.positions().size(); ++i)
        expect_near(world.vertex_positions(id)[i], 1.5 * first.positions()[i] + Vec3{0, 0, 2.5}, 1e-12);
    for (std::size_t i = 0; i < first.positions().size(); ++i)
        expect_near(world.vertex_velocities(id)[i], first.positions()[i] + Vec3{0, 0, 5}, 1e-9);
    EXPECT_EQ(world.energy().total(), 0);
    steps(world, 20);
    expect_near(world.vertex_positions(id)[0], 2.0 * first.positions()[0] + Vec3{0, 0, 5}, 1e-12);
    expect_near(world.vertex_velocities(id)[0], {}, 1e-12);
}

TEST(MeshFrames, Loop) {
    World world(without_gravity({.step = 0.1}));
    Scripted body = growing(1, 2);
    body.loop = true;
    const BodyId id = world.add(body);
    steps(world, 13);
    expect_near(world.vertex_positions(id)[0], 1.3 * ball(1).positions()[0], 1e-12);
}

// Pushed by 0.1 m of growth: with speed of the surface, by volume, and as far as the surface goes.
TEST(MeshFrames, PushesARigidBodyByVolume) {
    World world(without_sleep({.gravity = {0, 0, 0}, .step = 0.01}));
    Scripted script = growing(0.2, 0.3);
    script.material.friction = 0;
    world.add(script);
    const BodyId box = world.add(cube(0.1), {.position = {0.32, 0, 0}});
    double highest = 0, unaccounted = 0;
    for (int k = 0; k < 100; ++k) {
        world.step();
        highest = std::max(highest, world.velocity(box).x);
        unaccounted = std::max(unaccounted, std::abs(world.report().ledger.unaccounted));
    }
    EXPECT_NEAR(world.velocity(box).x, 0.1, 0.01);  // the speed at which the surface grows
    EXPECT_LT(highest, 0.11);
    EXPECT_GT(world.centre(box).x, 0.39);
    EXPECT_LT(unaccounted, 1e-9);
}

TEST(MeshFrames, PushesASoftBodyAndCarriesBySurfaceVelocity) {
    World world(without_sleep({.step = 0.01}));
    // A plate whose meshes move sideways carries what lies on it.
    const Mesh plate = shapes::box({0.5, 0.05, 0.5});
    Scripted belt{.frames = {{0, plate}, {2, plate.transformed({{1, 0, 0}, {}})}}};
    belt.material.friction = 0.8;
    world.add(belt);
    Soft soft = block(0.05);
    soft.material.friction = 0.8;
    const BodyId toy = world.add(soft, {.position = {0, 0.1, 0}});
    const BodyId box = world.add(cube(0.05), {.position = {0.25, 0.1, 0}});
    steps(world, 150);
    EXPECT_NEAR(world.velocity(toy).x, 0.5, 0.02);
    EXPECT_NEAR(world.velocity(box).x, 0.5, 0.02);
    EXPECT_NEAR(world.centre(toy).y, 0.1, 0.005);
    EXPECT_NEAR(world.centre(box).y, 0.1, 0.005);
    const Vec3 weight = world.contact_force(box).force();
    EXPECT_NEAR(weight.y, world.mass(box) * g, 0.1 * world.mass(box) * g);
}

TEST(MeshFrames, PushesAtPoints) {
    WorldSettings settings = without_sleep({.gravity = {0, 0, 0}, .step = 0.01});
    settings.contact.method = ContactMethod::points;
    World world(settings);
    world.add(growing(0.2, 0.3));
    const BodyId box = world.add(cube(0.1), {.position = {0.32, 0, 0}});
    steps(world, 100);
    EXPECT_GT(world.centre(box).x, 0.38);
    EXPECT_LT(world.velocity(box).x, 0.2);
}

TEST(MeshFrames, NothingMovesIt) {
    World world;
    const BodyId id = world.add(growing(0.2, 0.3, {0, 0.1, 0}));
    world.add_ground();  // deep inside: both are given
    world.add(growing(0.2, 0.3, {0.1, 0.1, 0}));
    world.add(cube(0.3), {.position = {0, 1, 0}});
    steps(world, 60);
    expect_near(world.vertex_positions(id)[3], ball(0.3, {0, 0.1, 0}).positions()[3], 1e-12);
    for (const auto& act : std::vector<std::function<void()>>{
             [&] {
                 world.apply_force(id, {1, 0, 0});
             },
             [&] { world.set_velocity(id, {}); }, [&] { world.pin(id, 0); }, [&] { world.set_pose(id, {}); },
             [&] { world.set_vertex(id, 0, {}, {}); },
             [&] {
                 world.add_drag(world.surface_point(id, 0, {1, 0, 0}));
             }})
        EXPECT_FALSE(error_of(act).cure().empty());
}

TEST(MeshFrames, WrongFramesAreRefused) {
    World world;
    const auto complaint = [&](const Scripted& s) { return error_of([&] { world.add(s); }); };
    Scripted other = growing(1, 2);
    other.frames.push_back({2, shapes::icosphere(1, 80)});
    EXPECT_TRUE(says(complaint(other), "frames[2]"));
    Scripted back = growing(1, 2);
    back.frames[1].time = 0;
    EXPECT_TRUE(says(complaint(back), "rising times"));
    Scripted both = growing(1, 2);
    both.shape = Shape::sphere(1);
    EXPECT_TRUE(says(complaint(both), "beside its frames"));
}

TEST(MeshFrames, CopiesSnapshotsAndFilesGoOnAlike) {
    World world(without_sleep({.step = 0.01}));
    Scripted body = growing(0.2, 0.3, {0, 0.2, 0});
    body.keyframes = {{0, {}, {}}, {2, {0.2, 0, 0}, from_axis_angle({0, 1, 0}, 90)}};
    world.add(body);
    world.add(block(), {.position = {0.05, 0.6, 0}});
    world.add_ground();
    steps(world, 30);
    const auto before = world.snapshot();
    World copy = world.copy(), file = World::try_from_bytes(world.to_bytes()).value();
    steps(world, 20), steps(copy, 20), steps(file, 20);
    const auto hash = world.state_hash();
    EXPECT_EQ(copy.state_hash(), hash);
    EXPECT_EQ(file.state_hash(), hash);
    world.restore(before);
    steps(world, 20);
    EXPECT_EQ(world.state_hash(), hash);
}

}  // namespace
}  // namespace plush
