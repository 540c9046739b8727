#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "plush/geometry/generate.hpp"
#include "plush/scene/scene.hpp"
#include "support/files.hpp"

// The key `components` of a mesh of several closed components.

namespace plush {
namespace {

/// Three boxes of 0.2 m: two overlap, the third stands apart.
void write_boxes(const std::filesystem::path& file) {
    const Mesh box = shapes::box({0.1, 0.1, 0.1}, 300);
    std::ofstream out(file);
    int offset = 1;
    for (const double x : {0.0, 0.15, 0.6}) {
        for (const Vec3& p : box.positions()) out << fmt::format("v {} {} {}\n", p.x + x, p.y, p.z);
        for (const Triangle& t : box.triangles())
            out << fmt::format("f {} {} {}\n", t[0] + offset, t[1] + offset, t[2] + offset);
        offset += static_cast<int>(box.positions().size());
    }
}

struct Components : testing::Test {
    test::TempFolder folder{};
    void SetUp() override { write_boxes(folder.path() / "boxes.obj"); }
    SceneLoad load(const std::string& kind, const std::string& more) {
        return Scene::try_parse(fmt::format(R"({{"plush": 1, "bodies": [{{"ground": {{}}}},
                {{"{}": {{"mesh": "boxes.obj"{}}}, "name": "box", "at": [0, 0.11, 0]}}]}})",
                                            kind, more),
                                folder.path(), "boxes");
    }
};

TEST_F(Components, AreOneBodyOrSeveralAsTheSceneSays) {
    for (const std::string kind : {"soft", "rigid", "fixed"}) {
        EXPECT_EQ(load(kind, "").scene->build(1).bodies().size(), 2u) << kind;
        const World two = load(kind, R"(, "components": "overlapping")").scene->build(1);
        ASSERT_EQ(two.bodies().size(), 3u) << kind;
        EXPECT_EQ(two.name(two.bodies()[1]), "box.1");
        EXPECT_EQ(two.name(two.bodies()[2]), "box.2");
        EXPECT_EQ(load(kind, R"(, "components": "each")").scene->build(1).bodies().size(), 4u) << kind;
    }
}

TEST_F(Components, OfOneSoftBodyThatLieApartAreToldOfBeforeTheRun) {
    const SceneLoad apart = load("soft", "");
    ASSERT_EQ(apart.warnings.size(), 2u);  // the other: two of them cross
    EXPECT_NE(apart.warnings[1].problem().find("2 components that do not overlap"), std::string::npos)
        << apart.warnings[1].what();
    EXPECT_EQ(load("soft", R"(, "self_contact": true)").warnings.size(), 1u);
    EXPECT_EQ(load("soft", R"(, "components": "overlapping")").warnings.size(), 1u);
}

TEST_F(Components, ThatOverlapAreParted) {
    World world = load("rigid", R"(, "components": "each")").scene->build(1);
    const auto apart = [&] { return world.centre(world.bodies()[2]).x - world.centre(world.bodies()[1]).x; };
    EXPECT_NEAR(apart(), 0.15, 1e-9);
    while (world.time() < 2) world.step();
    EXPECT_GT(apart(), 0.19);
    EXPECT_LT(world.energy().kinetic, 1e-3);
}

TEST_F(Components, OfABodyTakenInTurnAreRefused) {
    const SceneLoad bad = Scene::try_parse(
        R"({"plush": 1, "bodies": [{"one_of": [{"soft": {"mesh": "boxes.obj", "components": "each"}}]}]})",
        folder.path(), "boxes");
    ASSERT_FALSE(bad.scene);
    EXPECT_NE(bad.errors.front().problem().find("one_of"), std::string::npos);
}

}  // namespace
}  // namespace plush
