#include "scene/mesh_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "plush/scene/scene.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

namespace plush {
namespace {

using test::says;
using test::TempFolder;

class MeshFolderTest : public testing::Test {
protected:
    /// A box of 2 × 1 × 1, whose middle is at (7, 0, 0).
    void save(const std::string& name) const {
        shapes::box({1, 0.5, 0.5}).transformed({.position = {7, 0, 0}}).save(folder_ / name);
    }
    SceneLoad load(const std::string& shape) const {
        return Scene::try_parse(R"({ "plush": 1, "meshes": ")" + folder_.path().string() +
                                    R"(", "bodies": [ { "rigid": { "shape": ")" + shape +
                                    R"(", "triangles": 800, "size": 0.5 }, "name": "it" } ] })",
                                "/tmp", "test");
    }
    TempFolder folder_;
};

TEST_F(MeshFolderTest, AMeshStandsInForTheShapeOfItsName) {
    save("bear.obj");
    const SceneLoad load = this->load("bear");
    ASSERT_TRUE(load.scene);
    EXPECT_TRUE(load.warnings.empty());
    const World world = load.scene->build(1);
    const Mesh drawn = world.drawn(world.bodies()[0]);
    // 12 triangles, cut in four three times: of 192, 768 and 3,072 the nearest to 800.
    EXPECT_EQ(drawn.triangles().size(), 768u);
    Box3 bounds;
    for (const Vec3& p : drawn.positions()) bounds.add(world.pose(world.bodies()[0]) * p);
    EXPECT_LT(norm(bounds.centre()), 1e-12);                        // measured: 0
    EXPECT_LT(norm(bounds.size() - Vec3{0.5, 0.25, 0.25}), 1e-12);  // measured: 0
}

TEST_F(MeshFolderTest, NamesMayGoOnAfterADash) {
    save("bear-low.ply"), save("bearskin.obj"), save("notes.txt.obj");
    const Result<MeshFolder> folder = MeshFolder::open(folder_.path());
    ASSERT_TRUE(folder.ok());
    EXPECT_EQ(folder.value().find("bear"), (folder_ / "bear-low.ply").string());
    EXPECT_EQ(folder.value().find("bearskin"), (folder_ / "bearskin.obj").string());
    EXPECT_EQ(folder.value().find("bunny"), "");
    EXPECT_EQ(folder.value().find("bears"), "");
    save("bear.off.obj"), save("bear.obj");
    EXPECT_EQ(MeshFolder::open(folder_.path()).value().find("bear"), (folder_ / "bear.obj").string());
}

TEST_F(MeshFolderTest, OtherShapesAreGeneratedAsBefore) {
    save("bear.obj");
    const SceneLoad load = this->load("bunny");
    ASSERT_TRUE(load.scene);
    ASSERT_EQ(load.warnings.size(), 1u);  // that the folder is of no use
    EXPECT_TRUE(says(load.warnings[0].place(), "$.meshes"));
    const World world = load.scene->build(1);
    EXPECT_GT(world.drawn(world.bodies()[0]).triangles().size(), 780u);
}

TEST_F(MeshFolderTest, WhatIsWrongIsSaid) {
    // Not closed: the file and what to do about it.
    folder_.write("bear.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    SceneLoad load = this->load("bear");
    ASSERT_FALSE(load.scene);
    EXPECT_TRUE(says(load.errors[0].problem(), "bear.obj"));
    // Empty: no box to fit.
    folder_.write("bear.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n");
    load = this->load("bear");
    ASSERT_FALSE(load.scene);
    // No folder.
    std::filesystem::remove_all(folder_.path());
    load = this->load("bear");
    ASSERT_FALSE(load.scene);
    EXPECT_TRUE(says(load.errors[0].place(), "$.meshes"));
    EXPECT_TRUE(says(load.errors[0].problem(), "cannot be read as a folder"));
}

/// Real meshes in a scene of the paper, where there are some.
TEST(MeshFolderFull, RealToysFall) {
    const std::filesystem::path folder = PLUSH_MESHES_DIR;
    if (!std::filesystem::exists(folder / "bunny.off")) GTEST_SKIP() << "no real meshes";
    const Scene scene = Scene::load("soft_toys_10", std::vector<std::string>{"meshes=" + folder.string()});
    World world = scene.build(0);
    int real = 0;
    for (const BodyId id : world.bodies())
        // The bunny and the elephant of the folder, cut in four once; octopus-low, twice.
        if (world.kind(id) == BodyKind::deformable)
            for (const std::size_t triangles : {4u * 6966, 4u * 12064, 16u * 898})
                real += world.drawn_surface(id).size() == triangles;
    EXPECT_EQ(real, 4);  // the bears and stars are generated
    for (int s = 0; s < 3; ++s) world.step();
    EXPECT_TRUE(std::isfinite(world.energy().total()));
}

}  // namespace
}  // namespace plush
