#include <limits>

#include "worlds.hpp"

// Nonsense is refused before it can do harm: with the place, the fix, and a world that has not changed.

namespace plush {
namespace {

using namespace testing_world;

const double nan = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

class Refused : public ::testing::Test {
protected:
    Refused() {
        ground = world.add_ground();
        box = world.add(cube(0.1, "box"), {.position = {0, 0.1, 0}});
        belt = world.add(Scripted{.shape = Shape::box({1, 1, 1}),
                                  .keyframes = {{.time = 0, .position = {9, 0, 0}}},
                                  .name = "belt"});
        dust = world.add(Particles{.positions = {{5, 5, 5}}, .name = "dust"});
        world.step();
    }

    template <class Act>
    void refuses(std::string_view place, Act&& act) {
        const auto hash = world.state_hash();
        const auto count = world.bodies().size();
        const Error error = error_of(act);
        EXPECT_TRUE(says(error.place(), place)) << error.what() << "; wanted: " << place;
        EXPECT_FALSE(error.problem().empty()) << error.what();
        EXPECT_FALSE(error.cure().empty()) << error.what();
        EXPECT_EQ(world.state_hash(), hash) << error.what();
        EXPECT_EQ(world.bodies().size(), count) << error.what();
    }

    /// As rigid, with one thing wrong.
    template <class Change>
    void refuses_rigid(std::string_view place, Change&& change) {
        Rigid body = cube(0.1, "odd one");
        Placement placement;
        change(body, placement);
        refuses(place, [&] { world.add(body, placement); });
    }

    World world;
    BodyId ground, box, belt, dust;
};

TEST_F(Refused, Rigid) {
    for (double bad : {-1.0, 0.0, nan, infinity, 1e300}) {
        refuses_rigid("odd one\", density", [&](Rigid& b, Placement&) { b.density = bad; });
        refuses_rigid("odd one\", mass", [&](Rigid& b, Placement&) { b.mass = bad; });
    }
    for (double bad : {-1.0, nan, infinity}) {
        refuses_rigid("friction", [&](Rigid& b, Placement&) { b.material.friction = bad; });
        refuses_rigid("restitution", [&](Rigid& b, Placement&) { b.material.restitution = bad; });
        refuses_rigid("damping", [&](Rigid& b, Placement&) { b.damping = bad; });
    }
    refuses_rigid("restitution", [&](Rigid& b, Placement&) { b.material.restitution = 1.01; });
    for (int bad : {3, 257})
        refuses_rigid("distance_cells", [&](Rigid& b, Placement&) { b.distance_cells = bad; });
    for (double bad : {nan, -infinity, 1e300}) {
        refuses_rigid("position", [&](Rigid&, Placement& p) { p.position.y = bad; });
        refuses_rigid("velocity", [&](Rigid&, Placement& p) { p.velocity.z = bad; });
        refuses_rigid("angular_velocity", [&](Rigid&, Placement& p) { p.angular_velocity.x = bad; });
        refuses_rigid("rotation", [&](Rigid&, Placement& p) { p.rotation.w = bad; });
    }
    refuses_rigid("rotation", [&](Rigid&, Placement& p) { p.rotation = {0, 0, 0, 0}; });
    refuses_rigid("shape", [&](Rigid& b, Placement&) { b.shape = Shape::half_space(); });
    refuses_rigid("mesh", [&](Rigid& b, Placement&) { b.shape = Shape(); });
    refuses_rigid("mesh", [&](Rigid& b, Placement&) { b.mesh = shapes::box({1, 1, 1}); });
}

TEST_F(Refused, Meshes) {
    const Mesh good = shapes::box({0.1, 0.1, 0.1});
    const std::vector<Vec3> positions(good.positions().begin(), good.positions().end());
    std::vector<Triangle> flipped, open(good.triangles().begin() + 1, good.triangles().end());
    for (const Triangle& t : good.triangles()) flipped.push_back({t[0], t[2], t[1]});
    for (const auto& triangles : {flipped, open}) {
        const Mesh mesh(positions, triangles);
        refuses("mesh", [&] { world.add(Rigid{.mesh = mesh}); });
        refuses("mesh", [&] { world.add(Fixed{.mesh = mesh}); });
        refuses("mesh", [&] { world.add(Scripted{.mesh = mesh, .keyframes = {{}}}); });
    }
    EXPECT_NO_THROW(world.add(Rigid{.mesh = good}, {.position = {0, 50, 0}}));
}

TEST_F(Refused, Shapes) {
    for (double bad : {0.0, -1.0, nan, infinity}) {
        refuses("radius", [&] { world.add(Rigid{.shape = Shape::sphere(bad)}); });
        refuses("half_size", [&] { world.add(Rigid{.shape = Shape::box({1, bad, 1})}); });
        refuses("radius", [&] { world.add(Rigid{.shape = Shape::cylinder(bad, 1)}); });
        refuses("half_height", [&] { world.add(Rigid{.shape = Shape::capsule(1, bad)}); });
    }
}

TEST_F(Refused, FixedAndGround) {
    refuses("friction", [&] { world.add_ground(0, {.friction = -1}); });
    refuses("position", [&] { world.add_ground(nan); });
    refuses("mesh", [&] { world.add(Fixed{}); });
    refuses("restitution",
            [&] { world.add(Fixed{.shape = Shape::half_space(), .material = {.restitution = 2}}); });
}

TEST_F(Refused, Scripted) {
    const auto add = [&](std::vector<Keyframe> keyframes) {
        world.add(Scripted{.shape = Shape::sphere(1), .keyframes = std::move(keyframes)});
    };
    const std::vector<std::vector<Keyframe>> bad{
        {},
        {{.time = 1}, {.time = 1}},
        {{.time = 1}, {.time = 0.5}},
        {{.time = nan}},
        {{.time = 0}, {.time = infinity}},
        {{.position = {nan, 0, 0}}},
        {{.rotation = {0, 0, 0, 0}}},
        {{.rotation = {nan, 0, 0, 0}}},
    };
    for (const auto& keyframes : bad) {
        refuses("keyframes", [&] { add(keyframes); });
        refuses("belt\", keyframes", [&] { world.set_keyframes(belt, keyframes); });
    }
    refuses("keyframes", [&] { world.set_keyframes(box, {{}}); });
}

TEST_F(Refused, Particles) {
    const auto bad = [&](std::string_view place, auto change) {
        Particles body{.positions = {{0, 1, 0}, {1, 1, 0}}, .name = "sand"};
        change(body);
        refuses(place, [&] { world.add(body); });
    };
    for (double x : {-1.0, nan, infinity}) {
        bad("sand\", mass", [&](Particles& p) { p.mass = x; });
        bad("radius", [&](Particles& p) { p.radius = x; });
        bad("drag", [&](Particles& p) { p.drag = x; });
        bad("friction", [&](Particles& p) { p.material.friction = x; });
    }
    bad("mass", [](Particles& p) { p.mass = 0; });
    bad("positions", [](Particles& p) { p.positions.clear(); });
    bad("positions", [](Particles& p) { p.positions[1].x = nan; });
    bad("velocities", [](Particles& p) { p.velocities = {{0, 0, 0}}; });
    bad("velocities", [](Particles& p) { p.velocities = {{0, 0, 0}, {0, infinity, 0}}; });
}

TEST_F(Refused, Joints) {
    refuses("anchor", [&] { world.add(BallJoint{.anchor = {nan, 0, 0}}, box); });
    refuses("", [&] { world.add(BallJoint{}, box, box); });
    refuses("", [&] { world.add(BallJoint{}, dust, box); });
    refuses("", [&] { world.add(BallJoint{}, ground, belt); });
    refuses("", [&] { world.add(BallJoint{}, ground); });
}

TEST_F(Refused, Acting) {
    const Vec3 bad{0, nan, 0};
    refuses("box\", force", [&] { world.apply_force(box, bad); });
    refuses("box\", force", [&] { world.apply_force(box, {infinity, 0, 0}); });
    refuses("point", [&] { world.apply_force(box, {}, bad); });
    refuses("torque", [&] { world.apply_torque(box, bad); });
    refuses("impulse", [&] { world.apply_impulse(box, bad, {}); });
    refuses("impulse", [&] { world.apply_impulse(box, {1e300, 0, 0}, {}); });
    refuses("position", [&] { world.set_pose(box, {bad, {}}); });
    refuses("rotation", [&] { world.set_pose(box, {{}, {nan, 0, 0, 0}}); });
    refuses("rotation", [&] { world.set_pose(ground, {{}, {0, 0, 0, 0}}); });
    refuses("velocity", [&] { world.set_velocity(box, bad); });
    refuses("velocity", [&] { world.set_velocity(box, {1e300, 0, 0}); });
    refuses("angular_velocity", [&] { world.set_velocity(box, {}, bad); });
    refuses("ground", [&] { world.set_velocity(ground, {1, 0, 0}); });
    refuses("belt", [&] { world.apply_force(belt, {1, 0, 0}); });
    refuses("belt", [&] { world.apply_impulse(belt, {1, 0, 0}, {}); });
    refuses("dust", [&] { world.apply_torque(dust, {1, 0, 0}); });
    refuses("ground", [&] { world.sleep(ground); });
    refuses("box", [&] { (void)world.particle_positions(box); });
    refuses("friction", [&] { world.set_pair_material(box, ground, {.friction = -1}); });
    refuses("restitution", [&] { world.set_pair_material(box, ground, {.restitution = nan}); });
    refuses("", [&] { world.set_collide(box, box, false); });
    refuses("ray", [&] { (void)world.ray({0, 0, 0}, {0, 0, 0}); });
    refuses("ray", [&] { (void)world.ray(bad, {0, 1, 0}); });
    refuses("point", [&] { (void)world.closest(bad); });
}

TEST(RefusedSettings, OfTheWorld) {
    const auto bad = [](std::string_view place, auto change) {
        WorldSettings settings;
        change(settings);
        const Error error = error_of([&] { World world(settings); });
        EXPECT_TRUE(says(error.place(), place)) << error.what() << "; wanted: " << place;
        EXPECT_FALSE(error.cure().empty());
    };
    for (double x : {0.0, -1.0, nan, infinity}) bad("step", [&](auto& s) { s.step = x; });
    bad("gravity", [](auto& s) { s.gravity.y = nan; });
    bad("threads", [](auto& s) { s.threads = -1; });
    for (int x : {0, -1}) {
        bad("contact.points", [&](auto& s) { s.contact.points = x; });
        bad("solver.iterations", [&](auto& s) { s.solver.iterations = x; });
    }
    for (double x : {-1.0, nan, infinity}) {
        bad("contact.allowed_depth", [&](auto& s) { s.contact.allowed_depth = x; });
        bad("contact.margin", [&](auto& s) { s.contact.margin = x; });
        bad("contact.resting_speed", [&](auto& s) { s.contact.resting_speed = x; });
        bad("solver.tolerance", [&](auto& s) { s.solver.tolerance = x; });
        bad("sleep.speed", [&](auto& s) { s.sleep.speed = x; });
        bad("sleep.after", [&](auto& s) { s.sleep.after = x; });
    }
    bad("contact.stabilise_passes", [](auto& s) { s.contact.stabilise_passes = -1; });
}

}  // namespace
}  // namespace plush
