#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "plush/scene/scene.hpp"
#include "support/errors.hpp"

// Scenes with meshes from files: cut finer, and the paper's figure where the folder of real meshes is there.

namespace plush {
namespace {

using test::says;

TEST(SceneMeshes, SubdivideMakesTheSameBodyOfMoreTriangles) {
    const auto body = [](int times) {
        const std::string text =
            R"({ "plush": 1, "bodies": [ { "rigid": { "mesh": "stone.obj", "subdivide": )" +
            std::to_string(times) + R"( }, "name": "stone" } ] })";
        const SceneLoad load =
            Scene::try_parse(text, std::filesystem::path(PLUSH_SOURCE_DIR) / "scenes", "test", {});
        EXPECT_TRUE(load.scene) << load.errors.front().what();
        return load.scene->build(1);
    };
    const World coarse = body(0), fine = body(2);
    const auto count = [](const World& world) { return world.drawn(world.bodies()[0]).triangles().size(); };
    EXPECT_EQ(count(fine), 16 * count(coarse));
    EXPECT_NEAR(fine.mass(fine.bodies()[0]), coarse.mass(coarse.bodies()[0]), 1e-9);  // measured: rounding
}

TEST(SceneMeshes, OnlyMeshFilesAreSubdivided) {
    const SceneLoad load = Scene::try_parse(
        R"({ "plush": 1, "bodies": [ { "rigid": { "shape": "bear", "subdivide": 1 } } ] })", ".", "test", {});
    EXPECT_FALSE(load.scene);
    ASSERT_FALSE(load.errors.empty());
    EXPECT_TRUE(says(load.errors.front(), "subdivide"));
}

// Allard et al. 2010, Figure 8: two figures of 345,928 triangles each, one comes to rest on the other.
TEST(SceneMeshesFull, ArmadillosOfARealMesh) {
    const std::filesystem::path file = std::filesystem::path(PLUSH_MESHES_DIR) / "armadillo.obj";
    if (!std::filesystem::exists(file))
        GTEST_SKIP() << "no " << file << "; set PLUSH_TEST_MESHES to test with real meshes";
    const std::string mesh = R"("mesh": ")" + file.string() + R"(", "subdivide": 1, "material": "hide")";
    const std::vector<std::string> set{"sleep.enabled=false", "bodies[lower].fixed={" + mesh + "}",
                                       "bodies[upper].rigid={" + mesh + R"(, "density": 800})"};
    const Scene scene = Scene::load("armadillos", set);
    World world = scene.build(2);
    const BodyId upper = world.bodies().back();
    EXPECT_EQ(world.drawn(upper).triangles().size(), 345928u);
    while (world.time() < 0.9) world.step();
    EXPECT_LT(norm(world.velocity(upper)), 1e-6);  // measured: 1e-12
    EXPECT_GE(world.report().contacts, 3);         // measured: 6
    EXPECT_LE(world.report().contacts, 16);
    EXPECT_LT(world.report().largest_depth, 0.5 / 64);  // half a pixel; measured: 4.0 mm
}

}  // namespace
}  // namespace plush
