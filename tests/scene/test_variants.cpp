#include <gtest/gtest.h>

#include "plush/scene/scene.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// "variants" of a scene: what they change, and what is said where they are wrong.

namespace plush {
namespace {

using test::says;
using test::TempFolder;

const std::string text = R"({ "plush": 1, "name": "slope",
  "solver": { "iterations": 7, "tolerance": 1e-5 },
  "materials": { "floor": { "friction": 0.5, "restitution": 0.25 } },
  "bodies": [
    { "ground": { "material": "floor" } },
    { "rigid": { "sphere": { "radius": 0.1 } }, "name": "ball", "at": [0, 1, 0] } ],
  "variants": {
    "plain": {},
    "ice": { "label": "as on ice", "materials.floor.friction": 0.02, "bodies[ball].at": [1, 2, 3] },
    "few": { "solver": { "iterations": 2 }, "step": 0.01 } } })";

SceneLoad parse(const std::string& scene, const std::string& variant = {},
                std::vector<std::string> set = {}) {
    return Scene::try_parse(scene, "/tmp", "test", set, variant);
}

Scene good(const std::string& variant, std::vector<std::string> set = {}) {
    SceneLoad load = parse(text, variant, std::move(set));
    if (!load.scene) throw load.errors.front();
    return *load.scene;
}

TEST(Variants, TheSceneItselfIsUntouchedAndListsThem) {
    const Scene scene = good("");
    EXPECT_EQ(scene.name(), "slope");
    EXPECT_EQ(scene.variants(),
              (std::vector<SceneVariant>{{"plain", "plain"}, {"ice", "as on ice"}, {"few", "few"}}));
    EXPECT_EQ(scene.settings().solver.iterations, 7);
    EXPECT_FALSE(says(scene.resolved(), "variants")) << "a run keeps an ordinary scene";
    EXPECT_EQ(good("plain").build(1).state_hash(), scene.build(1).state_hash());
}

TEST(Variants, AKeyIsAPathAndItsValueReplacesWhatStandsThere) {
    const Scene ice = good("ice");
    EXPECT_EQ(ice.name(), "slope/ice");
    EXPECT_TRUE(ice.variants().empty());
    const World world = ice.build(1);
    EXPECT_EQ(world.pose(world.find("ball")).position, (Vec3{1, 2, 3}));
    EXPECT_TRUE(says(ice.resolved(), "\"friction\": 0.02"));
    EXPECT_TRUE(says(ice.resolved(), "\"restitution\": 0.25")) << "only the path is touched";
    const Scene few = good("few");
    EXPECT_EQ(few.settings().solver.iterations, 2);
    EXPECT_EQ(few.settings().step, 0.01);
    EXPECT_EQ(few.settings().solver.tolerance, SolverSettings{}.tolerance)
        << "objects are replaced, not merged";
}

TEST(Variants, TheCommandLineWins) {
    EXPECT_EQ(good("few", {"step=0.005"}).settings().step, 0.005);
    const SceneLoad load = parse(text, "", {"variants.ice.step=0.1"});
    ASSERT_EQ(load.errors.size(), 1u);
    EXPECT_TRUE(says(load.errors[0].problem(), "\"variants\" cannot be overridden"));
}

TEST(Variants, TheResolvedTextOfAVariantGivesTheSameWorld) {
    const Scene ice = good("ice");
    const SceneLoad again = parse(ice.resolved());
    ASSERT_TRUE(again.scene);
    EXPECT_EQ(again.scene->resolved(), ice.resolved());
    EXPECT_EQ(again.scene->name(), "slope/ice");
    EXPECT_EQ(again.scene->build(1).state_hash(), ice.build(1).state_hash());
}

TEST(Variants, AnUnknownOneNamesTheOthers) {
    SceneLoad load = parse(text, "icy");
    ASSERT_FALSE(load.scene);
    EXPECT_EQ(load.errors.at(0).place(), "line 7, $.variants");
    EXPECT_TRUE(says(load.errors[0].cure(), "\"ice\"")) << load.errors[0].what();
    load = parse(R"({ "plush": 1 })", "ice");
    ASSERT_FALSE(load.scene);
    EXPECT_TRUE(says(load.errors.at(0).problem(), "no variants"));
}

TEST(Variants, WrongOnesAreRefusedWithPlaceAndCure) {
    const struct {
        const char *inside, *place, *problem;
    } cases[] = {
        {R"("Ice": {})", "line 2, $.variants.Ice", "cannot be the name of a folder"},
        {R"("../up": {})", "line 2, $.variants.../up", "cannot be the name of a folder"},
        {R"("": {})", "line 2, $.variants.", "cannot be the name of a folder"},
        {R"("-rf": {})", "line 2, $.variants.-rf", "cannot be the name of a folder"},
        {R"("a": 3)", "line 2, $.variants.a", "must be an object, not a number"},
        {"\"a\": {\n \"label\": 3 }", "line 3, $.variants.a.label", "must be a text, not a number"},
        {"\"a\": {\n \"name\": \"x\" }", "line 3, $.variants.a.name", "cannot change \"name\""},
        {"\"a\": {\n \"include\": [] }", "line 3, $.include", "cannot be overridden"},
        {"\"a\": {\n \"[2]x\": 1 }", "line 3", "is not a path"},
        {"\"a\": {}, \"a\": {}", "line 2, $.variants.a", "stands twice"},
    };
    for (const auto& c : cases) {
        const SceneLoad load = parse(std::string("{ \"plush\": 1, \"variants\": {\n") + c.inside + "\n} }");
        EXPECT_FALSE(load.scene) << c.inside;
        ASSERT_FALSE(load.errors.empty()) << c.inside;
        EXPECT_EQ(load.errors[0].place(), c.place) << load.errors[0].what();
        EXPECT_TRUE(says(load.errors[0].problem(), c.problem)) << load.errors[0].what();
    }
    const SceneLoad list = parse("{ \"plush\": 1,\n \"variants\": [] }");
    ASSERT_FALSE(list.scene);
    EXPECT_EQ(list.errors.at(0).place(), "line 2, $.variants");
}

class VariantFiles : public testing::Test {
protected:
    std::string write(const std::string& name, const std::string& content) const {
        return folder_.write(name, content);
    }
    TempFolder folder_;
};

// Every variant is read; what is wrong names the line of the value, and once only where all have it.
TEST_F(VariantFiles, AllErrorsOfAllVariantsAreFound) {
    const std::string file = write("bad.jsonc", R"({ "plush": 1,
  "step": -1,
  "bodies": [ { "ground": {} } ],
  "variants": {
    "a": { "solver.iterations": 0 },
    "b": { "bodies[3].at": [0, 0, 0],
           "contact.mehtod": "points" } } })");
    const VariantsLoad load = try_load_variants(file);
    EXPECT_TRUE(load.scenes.empty());
    std::vector<std::string> found;
    for (const Error& error : load.errors) found.push_back(error.place());
    EXPECT_EQ(found, (std::vector<std::string>{"line 2, $.step", "line 5, $.solver.iterations",
                                               "line 6, $.bodies", "line 7, $.contact.mehtod"}));
    EXPECT_TRUE(says(load.errors.at(1).problem(), "in variant \"a\""));
    EXPECT_TRUE(says(load.errors.at(3).cure(), "method"));
}

TEST_F(VariantFiles, VariantsOfIncludedFilesDoNotCount) {
    write("part.jsonc",
          R"({ "plush": 1, "bodies": [ { "ground": {} } ], "variants": { "x": { "step": 1 } } })");
    const std::string file = write("main.jsonc", R"({ "plush": 1, "include": [ "part.jsonc" ] })");
    const VariantsLoad load = try_load_variants(file);
    ASSERT_EQ(load.scenes.size(), 1u) << load.errors.at(0).what();
    EXPECT_TRUE(load.variants.empty());
    EXPECT_EQ(load.scenes[0].name(), "main");
}

// What the built-in comparison is there to show: it stands, or it does not.
TEST(BuiltinVariants, MethodsDifferAsTheirLabelsSay) {
    const auto after = [](const char* variant) {
        World world = Scene::load("methods", {}, variant).build(1);
        while (world.time() < 3) world.step();
        return std::pair{world.pose(world.find("box 5")).position, world.pose(world.find("brick")).position};
    };
    const auto [top, brick] = after("points");
    EXPECT_NEAR(top.y, 0.9, 0.002);        // measured: within 1e-5 of 0.9
    EXPECT_NEAR(brick.x, 0.33762, 0.002);  // held by friction 0.5 > tan 20°
    EXPECT_LT(after("few_sweeps").first.y, 0.89);
    EXPECT_LT(after("impulse").first.y, 0.8);  // one point holds no torque: the boxes topple
    EXPECT_GT(norm(after("frictionless").second - brick), 0.2);
}

}  // namespace
}  // namespace plush
