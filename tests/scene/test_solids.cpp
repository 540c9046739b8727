#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "plush/geometry/generate.hpp"
#include "plush/scene/scene.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// Solids that are joined of parts, sequences of meshes, and saved worlds, as keys of scene files.

namespace plush {
namespace {

using test::says;

SceneLoad parse(const std::string& body, const std::filesystem::path& folder = ".") {
    return Scene::try_parse("{\"plush\": 1, \"gravity\": [0, 0, 0], \"bodies\": [" + body + "]}", folder,
                            "test");
}

double mass_of(const std::string& solid) {
    const SceneLoad load = parse("{\"rigid\": {\"density\": 1, \"solid\": " + solid + "}}");
    EXPECT_TRUE(load.scene) << (load.errors.empty() ? "" : load.errors.front().what());
    if (!load.scene) return 0;
    const World world = load.scene->build(1);
    return world.mass(world.bodies()[0]);
}

TEST(Solids, HaveTheVolumesOfTheirParts) {
    constexpr double pi = std::numbers::pi;
    const std::string box = R"({"box": {"half_size": [0.2, 0.1, 0.2]}})";
    // A plate with a hole; two balls that overlap in nothing; a lens; a box with round edges.
    EXPECT_NEAR(mass_of(R"({"combine": "difference", "parts": [)" + box +
                        R"(, {"cylinder": {"radius": 0.1, "half_height": 0.2}}]})"),
                0.4 * 0.2 * 0.4 - pi * 0.01 * 0.2, 0.03 * 0.032);
    EXPECT_NEAR(
        mass_of(
            R"({"parts": [{"sphere": {"radius": 0.1}, "at": [-0.2, 0, 0]}, {"sphere": {"radius": 0.1}, "at": [0.2, 0, 0]}]})"),
        2 * 4.0 / 3 * pi * 0.001, 0.03 * 0.0084);
    const double d = 0.1, r = 0.1, lens = pi * (4 * r + d) * (2 * r - d) * (2 * r - d) / 12;
    EXPECT_NEAR(
        mass_of(
            R"({"combine": "intersection", "parts": [{"sphere": {"radius": 0.1}, "at": [-0.05, 0, 0]}, {"sphere": {"radius": 0.1}, "at": [0.05, 0, 0]}]})"),
        lens, 0.04 * lens);
    const double a = 0.1, g = 0.02;
    EXPECT_NEAR(mass_of(R"({"round": 0.02, "parts": [{"box": {"half_size": [0.1, 0.1, 0.1]}}]})"),
                8 * a * a * a + 24 * a * a * g + 6 * a * pi * g * g + 4.0 / 3 * pi * g * g * g,
                0.03 * 0.0128);
    // Parts of parts, turned.
    EXPECT_NEAR(mass_of(R"({"combine": "difference", "parts": [{"sphere": {"radius": 0.2}}, {"parts": [
        {"half_space": {}, "rotate": {"axis": [1, 2, 3], "degrees": 40}}]}]})"),
                2.0 / 3 * pi * 0.008, 0.03 * 0.0168);
}

TEST(Solids, OthersFeelTheirHolesAndFaces) {
    const SceneLoad load = parse(R"({"fixed": {"solid": {"combine": "difference", "parts": [
        {"box": {"half_size": [0.2, 0.1, 0.2]}}, {"cylinder": {"radius": 0.1, "half_height": 0.2}}]}}},
        {"rigid": {"sphere": {"radius": 0.05}}, "at": [0, 0.5, 0], "velocity": [0, -2, 0]},
        {"rigid": {"sphere": {"radius": 0.05}}, "at": [0.15, 0.5, 0], "velocity": [0, -2, 0]})");
    ASSERT_TRUE(load.scene) << load.errors.front().what();
    World world = load.scene->build(1);
    for (int k = 0; k < 60; ++k) world.step();
    EXPECT_LT(world.centre(world.bodies()[1]).y, -1);            // through the hole
    EXPECT_NEAR(world.centre(world.bodies()[2]).y, 0.15, 5e-3);  // on the plate
}

TEST(Solids, WhatIsNoSolidIsRefused) {
    const auto complaint = [](const std::string& solid) {
        const SceneLoad load = parse("{\"fixed\": {\"solid\": " + solid + "}}");
        return load.errors.empty() ? std::string("none") : std::string(load.errors.front().what());
    };
    EXPECT_TRUE(says(complaint(R"({"parts": []})"), "the list is empty"));
    EXPECT_TRUE(says(complaint(R"({"parts": [{"half_space": {}}]})"), "no end"));
    EXPECT_TRUE(says(
        complaint(
            R"({"combine": "intersection", "parts": [{"sphere": {"radius": 0.1}}, {"sphere": {"radius": 0.1}, "at": [1, 0, 0]}]})"),
        "nothing"));
    EXPECT_TRUE(says(
        complaint(
            R"({"combine": "difference", "parts": [{"sphere": {"radius": 0.2}}, {"sphere": {"radius": 0.1}}]})"),
        "cavity"));
    EXPECT_TRUE(
        says(complaint(R"({"parts": [{"sphere": {"radius": 0.2}, "box": {"half_size": [1, 1, 1]}}]})"),
             "together"));
    EXPECT_TRUE(says(complaint(R"({"combine": "xor", "parts": [{"sphere": {"radius": 0.2}}]})"), "combine"));
}

TEST(Frames, AreReadInTheOrderOfTheirNumbers) {
    test::TempFolder folder;
    for (const int k : {2, 10, 1})
        shapes::icosphere(0.1 * k, 80).save(folder / ("pose_" + std::to_string(k) + ".obj"));
    const SceneLoad load = parse(
        R"({"scripted": {"frames": {"files": "pose_*.obj", "rate": 10}}, "at": [1, 0, 0]})", folder.path());
    ASSERT_TRUE(load.scene) << load.errors.front().what();
    World world = load.scene->build(1);
    const BodyId body = world.bodies()[0];
    const Vec3 centre{1, 0, 0};
    EXPECT_NEAR(norm(world.vertex_positions(body)[0] - centre), 0.1, 1e-6);
    for (int k = 0; k < 6; ++k) world.step();  // 0.1 s
    EXPECT_NEAR(norm(world.vertex_positions(body)[0] - centre), 0.2, 1e-6);
    for (int k = 0; k < 60; ++k) world.step();
    EXPECT_NEAR(norm(world.vertex_positions(body)[0] - centre), 1.0, 1e-6);
    // The resolved scene is the same scene.
    const SceneLoad again = Scene::try_parse(load.scene->resolved(), "/", "again");
    ASSERT_TRUE(again.scene) << again.errors.front().what();
    EXPECT_EQ(again.scene->build(1).state_hash(), load.scene->build(1).state_hash());
}

TEST(Frames, WrongOnesAreRefused) {
    test::TempFolder folder;
    const auto complaint = [&](const std::string& scripted) {
        const SceneLoad load = parse("{\"scripted\": " + scripted + "}", folder.path());
        return load.errors.empty() ? std::string("none") : std::string(load.errors.front().what());
    };
    EXPECT_TRUE(says(complaint(R"({"frames": {"files": "none_*.obj"}})"), "no such file"));
    EXPECT_TRUE(says(complaint(R"({"frames": {"files": "none.obj"}})"), "not one *"));
    shapes::icosphere(1, 80).save(folder / "a_1.obj"), shapes::icosphere(1, 320).save(folder / "a_2.obj");
    EXPECT_TRUE(says(complaint(R"({"frames": {"files": "a_*.obj"}})"), "a_2.obj"));
    EXPECT_TRUE(says(complaint(R"({"sphere": {"radius": 1}})"), "keyframes"));
    EXPECT_TRUE(says(complaint(R"({"sphere": {"radius": 1}, "frames": {"files": "a_*.obj"}})"), "together"));
}

TEST(SavedWorlds, GoOnAsScenesAndTakeMoreBodies) {
    test::TempFolder folder;
    World world({.step = 0.01});
    world.add_ground();
    world.add(Rigid{.shape = Shape::sphere(0.1), .name = "ball"}, {.position = {0, 0.5, 0}});
    for (int k = 0; k < 10; ++k) world.step();
    const auto file = folder / "now.world";
    world.save(file);
    const SceneLoad alone = Scene::try_load(file.string());
    ASSERT_TRUE(alone.scene) << alone.errors.front().what();
    EXPECT_EQ(alone.scene->settings().step, 0.01);
    World loaded = alone.scene->build(1);
    EXPECT_EQ(loaded.state_hash(), world.state_hash());
    const SceneLoad more = Scene::try_parse(
        R"({"plush": 1, "state": "now.world", "bodies": [{"rigid": {"sphere": {"radius": 0.1}}, "at": [1, 1, 0]}]})",
        folder.path(), "more");
    ASSERT_TRUE(more.scene) << more.errors.front().what();
    EXPECT_EQ(more.scene->build(1).bodies().size(), 3u);
    const SceneLoad both =
        Scene::try_parse(R"({"plush": 1, "state": "now.world", "step": 0.1})", folder.path(), "both");
    ASSERT_FALSE(both.errors.empty());
    EXPECT_TRUE(says(both.errors.front(), "exclude each other"));
    const SceneLoad gone = Scene::try_parse(R"({"plush": 1, "state": "gone.world"})", folder.path(), "gone");
    ASSERT_FALSE(gone.errors.empty());
    EXPECT_TRUE(says(gone.errors.front(), "gone.world"));
}

}  // namespace
}  // namespace plush
