#include <filesystem>

#include "core/chunk.hpp"
#include "cut_worlds.hpp"
#include "plush/core/random.hpp"
#include "support/files.hpp"
#include "worlds.hpp"

// Worlds in files: what comes back is what was saved, and goes on with the same bits; nothing else is taken for one.

namespace plush {
namespace {

using namespace testing_world;
using test::TempFolder;

Soft block(const char* name = "block") {
    Soft soft;
    soft.solid = SoftSolid(tet_box({0.1, 0.1, 0.1}, {3, 3, 3}).value());
    soft.motion.damping = 1;
    soft.name = name;
    return soft;
}

/// One of every kind of body, and of every shape.
World world_of_all_kinds() {
    World world({.step = 0.01});
    world.add_ground();
    const Mesh torus = shapes::torus(0.1, 0.04, 400), ball = shapes::icosphere(0.1, 320);
    world.add(Rigid{.mesh = torus, .name = "ring", .distance_cells = 16}, {.position = {0, 0.05, 2}});
    const Shape shared = Shape::mesh(ball, 12);
    for (int i = 0; i < 2; ++i)
        world.add(Rigid{.shape = shared, .mass = 2, .look = {.colour = "orange"}},
                  {.position = {2.0 + i, 0.11, 0}});
    world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, 0.1, 4}});
    world.add(Rigid{.shape = Shape::capsule(0.05, 0.1)}, {.position = {0, 0.2, 5}});
    world.add(Rigid{.shape = Shape::cylinder(0.05, 0.1)}, {.position = {0, 0.2, 6}});
    world.add(Rigid{.shape = Shape::torus(0.1, 0.03)}, {.position = {0, 0.03, 7}});
    const Sdf lens = sdf::intersection({sdf::sphere({0, 0.05, 0}, 0.1), sdf::sphere({0, -0.05, 0}, 0.1)});
    const Sdf solid =
        sdf::union_of({sdf::transformed(sdf::difference(lens, sdf::capsule({}, {0, 1, 0}, 0.01)),
                                        {{0.01, 0, 0}, from_axis_angle({1, 2, 3}, 10)}),
                       sdf::rounded(sdf::box({0.01, 0.02, 0.03}), 0.005), sdf::capped_cylinder(0.02, 0.03),
                       sdf::torus(0.02, 0.01)});
    world.add(Fixed{.shape = Shape::distance(solid, ball)}, {.position = {8, 0, 0}});
    world.add(Fixed{.shape = Shape::distance(sdf::exact(ball), ball)}, {.position = {9, 0, 0}});
    world.add(Fixed{.shape = Shape::distance(
                        sdf::heightfield({0, -1, 0}, 0.5, 2, 3, {0, 0.1, 0.2, 0, 0.1, 0}), Mesh{})},
              {.position = {20, -5, 0}});
    world.add(Scripted{.shape = Shape::box({0.1, 0.1, 0.1}),
                       .keyframes = {{0, {0, 2, 0}, {}}, {1, {0, 1, 0}, {}, Easing::smooth}},
                       .loop = true});
    const Soft soft = block();
    world.add(soft, {.position = {0, 0.11, 0}});
    Soft second = soft;
    second.name = "second", second.regions = {{Box3{{-1, 0, -1}, {1, 1, 1}}, {.young = 3e5}}};
    world.add(second, {.position = {0.02, 0.33, 0}});
    Soft skinned;
    skinned.mesh = shapes::icosphere(0.1, 320), skinned.pressure = 10;
    world.add(skinned, {.position = {-2, 0.1, 0}});
    Cloth cloth;
    cloth.vertices = {6, 6}, cloth.name = "flag";
    const BodyId flag = world.add(cloth, {.position = {2, 1, 3}});
    world.pin(flag, 0);
    world.add_cluster(flag, {7, 8, 13}, {});
    Rope rope;
    const BodyId line = world.add(rope, {.position = {0, 2, 5}});
    world.add(BallJoint{.anchor = {0, 2, 5}}, {line, 0});
    world.add(Jelly{}, {.position = {12, 0, 0}});
    Shells shells;
    shells.mesh = ball;
    world.add(shells, {.position = {14, 1, 0}});
    TetSprings springs;
    springs.mesh = tet_box({0.1, 0.1, 0.1}, {2, 2, 2}).value();
    world.add(springs, {.position = {15, 1, 0}});
    ShapeMatching matching;
    matching.mesh = ball;
    world.add(matching, {.position = {16, 0.1, 0}});
    world.add(Particles{.positions = {{0, 1, 8}, {0.1, 1, 8}}, .radius = 0.02, .name = "dust"});
    const BodyId hung = world.add(cube(0.05, "hung"), {.position = {0.5, 0.5, 9}});
    world.add(HingeJoint{.anchor = {0.5, 0.6, 9}, .axis = {0, 0, 1}, .limits = {-1, 1}}, hung);
    world.remove(world.add(cube(), {.position = {50, 0, 0}}));
    return world;
}

TEST(WorldFiles, GoOnWithTheSameBits) {
    TempFolder folder;
    World world = world_of_all_kinds();
    steps(world, 8);
    world.add_drag(world.surface_point(world.find("block"), 3, {0.2, 0.3, 0.5}));
    world.smooth_forces(0.1);
    world.set_young(world.find("block"), 3e4);
    world.set_gravity({0, -5, 0});
    world.set_look(world.find("ring"), {.colour = "#102030", .finish = Finish::shiny});
    world.set_pair_material(world.find("block"), world.find("second"), {.friction = 0.9});
    steps(world, 4);
    const auto file = folder / "state.plush";
    world.save(file);
    World again = World::load(file);
    EXPECT_EQ(again.state_hash(), world.state_hash());
    EXPECT_EQ(again.motion_hash(), world.motion_hash());
    EXPECT_EQ(again.bodies(), world.bodies());
    EXPECT_EQ(again.contacts().size(), world.contacts().size());
    EXPECT_EQ(again.drags(), world.drags());
    EXPECT_EQ(again.look(again.find("ring")), world.look(world.find("ring")));
    EXPECT_EQ(again.time(), world.time());
    expect_near(again.contact_force(again.find("block")).force(),
                world.contact_force(world.find("block")).force(), 0);
    steps(world, 8), steps(again, 8);
    EXPECT_EQ(again.state_hash(), world.state_hash());
    // Names of what comes next are the same, too.
    EXPECT_EQ(again.add(cube()), world.add(cube()));
    // What was loaded can be saved and copied.
    EXPECT_EQ(again.to_bytes(), world.to_bytes());
    EXPECT_EQ(again.copy().state_hash(), world.state_hash());
}

TEST(WorldFiles, OfACutBodyThatIsJointedAtAVertexOfItsOwn) {
    World world(cut_worlds::settings());
    world.add_ground();
    const BodyId body = world.add(block(), {.position = {0, 0.12, 0}});
    const std::size_t whole = world.vertex_positions(body).size();
    world.cut(body, {.from = {0.013, -1, -1}, .to = {0.013, -1, 1}, .back = {0, 2, 0}});
    ASSERT_GT(world.vertex_positions(body).size(), whole);
    const auto last = static_cast<std::uint32_t>(world.vertex_positions(body).size() - 1);
    world.add(BallJoint{.anchor = world.vertex_positions(body)[last]}, {body, last});
    steps(world, 3);
    World again = World::try_from_bytes(world.to_bytes()).value();
    EXPECT_EQ(again.pieces(body), 2u);
    steps(world, 10), steps(again, 10);
    EXPECT_EQ(again.state_hash(), world.state_hash());
}

/// A ball that only this program knows.
struct OwnBall final : SignedDistance {
    DistanceSample sample(const Vec3& p) const override { return {norm(p) - 0.1, normalised(p, {0, 1, 0})}; }
    Exactness exactness() const override { return Exactness::exact; }
    Box3 bounds() const override { return {{-0.1, -0.1, -0.1}, {0.1, 0.1, 0.1}}; }
};

TEST(WorldFiles, WhatNoFileCanHoldIsRefusedWithItsBody) {
    World world;
    const Sdf own = std::make_shared<OwnBall>();
    world.add(
        Fixed{.shape = Shape::distance(sdf::rounded(own, 0.01), shapes::icosphere(0.11)), .name = "mine"});
    const Error error = error_of([&] { static_cast<void>(world.to_bytes()); });
    EXPECT_NE(error.place().find("mine"), std::string::npos);
    EXPECT_NE(error.problem().find("class of your program"), std::string::npos);
    EXPECT_FALSE(error.cure().empty());
}

TEST(WorldFiles, CutOrDamagedAnywhereIsRefused) {
    TempFolder folder;
    World world;
    world.add_ground();
    world.add(block(), {.position = {0, 0.1, 0}});
    const auto file = folder / "state.plush";
    world.save(file);
    const std::string all = test::read_text(file);
    plush::Random random(7);
    for (int k = 0; k < 400; ++k) {
        const std::size_t at = random.below(all.size());
        std::string bad = all;
        bad[at] = static_cast<char>(bad[at] ^ (1 << (k % 8)));
        test::write_text(file, k % 4 == 0 ? all.substr(0, at) : bad);
        const auto loaded = World::try_load(file);
        ASSERT_FALSE(loaded) << at;
        ASSERT_EQ(loaded.error().file(), file.string());
        ASSERT_FALSE(loaded.error().cure().empty());
    }
    test::write_text(file, all + "x");
    EXPECT_FALSE(World::try_load(file));
    test::write_text(file, "{\"plush\": 1}");
    EXPECT_TRUE(says(error_of([&] { World::load(file); }), "not a world"));
    EXPECT_FALSE(World::try_load(folder / "absent"));
    EXPECT_FALSE(World::try_load(folder.path()));
}

// Bytes that pass the checksum and say anything: an Error or a world, and never a crash.
TEST(WorldFiles, NonsenseWithARightChecksumIsRefusedOrUsed) {
    World world({.step = 0.01});
    world.add_ground();
    world.add(block(), {.position = {0, 0.1, 0}});
    world.add(Rigid{.mesh = shapes::icosphere(0.1, 80), .name = "ball", .distance_cells = 4},
              {.position = {1, 0.1, 0}});
    const BodyId hung = world.add(cube(0.05, "hung"), {.position = {0.5, 0.5, 9}});
    world.add(HingeJoint{.anchor = {0.5, 0.6, 9}}, hung);
    steps(world, 2);
    const std::vector<std::byte> whole = world.to_bytes();
    const std::size_t head = 8 + chunk_head_bytes;
    std::vector<std::byte> payload(whole.begin() + static_cast<std::ptrdiff_t>(head),
                                   whole.end() - chunk_sum_bytes);
    const std::vector<std::byte> good = payload;
    plush::Random random(11);
    int used = 0, refused = 0;
    for (int k = 0; k < 300; ++k) {
        payload = good;
        for (int n = 0; n <= k % 3; ++n) {
            const auto at = random.below(good.size());
            payload[at] = static_cast<std::byte>(random.below(256));
        }
        std::vector<std::byte> bytes(whole.begin(), whole.begin() + 8);
        append_chunk(bytes, {'W', 'R', 'L', 'D'}, payload);
        const auto loaded = World::try_from_bytes(bytes, 1);
        loaded ? ++used : ++refused;
    }
    EXPECT_GT(used, 0);
    EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace plush
