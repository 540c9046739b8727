#include <gtest/gtest.h>

#include <ctime>
#include <filesystem>

#include "plush/scene/scene.hpp"
#include "support/errors.hpp"

// Every file of tests/data/scenes_bad is refused with the place, the problem and the fix, within a second.

namespace plush {
namespace {

using test::says;

const std::filesystem::path folder = PLUSH_SOURCE_DIR "/tests/data/scenes_bad";

struct Bad {
    const char *file, *place, *problem, *cure;
};

void PrintTo(const Bad& bad, std::ostream* out) {
    *out << bad.file;
}

const Bad table[] = {
    {"wrong_key", "line 3, $.bodies[0].rigid.desnity", "unknown key \"desnity\"",
     "did you mean \"density\"?"},
    {"wrong_key_top", "line 2, $.gravitty", "unknown key", "did you mean \"gravity\"?"},
    {"wrong_type", "line 2, $.step", "must be a number, not a text", "without quotes"},
    {"wrong_vector", "line 3, $.bodies[0].at", "2 numbers where 3 are needed", "[x, y, z]"},
    {"vector_of_texts", "line 3, $.gravity[1]", "must be a number, not a text", "without quotes"},
    {"negative_density", "line 5, $.bodies[1].rigid.density", "-5 is out of range", "above 0"},
    {"zero_radius", "line 2, $.bodies[0].rigid.sphere.radius", "0 is out of range", "above 0"},
    {"infinite", "line 3, $.bodies[0].rigid.density", "overflow", "1e308"},
    {"nan", "line 2, column 11", "invalid literal", "no NaN"},
    {"fraction_of_a_point", "line 2, $.contact.points", "2.5 is not a whole number", "use 1 to 64"},
    {"missing_mesh", "line 2, $.bodies[0].rigid.mesh", "No such file", "check the name"},
    {"open_mesh", "line 2, $.bodies[0].rigid.mesh", "not closed", "plush mesh repair /"},
    {"inside_out_mesh", "line 2, $.bodies[0].rigid.mesh", "inside out", "plush mesh repair /"},
    {"not_a_mesh", "line 2, $.bodies[0].rigid.mesh", "format", "OBJ"},
    {"duplicate_key", "line 4, $.bodies[0].rigid.density", "stands twice here, first on line 3",
     "remove one"},
    {"unknown_material", "line 2, $.bodies[0].ground.material", "no material \"ruber\"",
     "did you mean \"rubber\"?"},
    {"unknown_body", "line 3, $.pairs[0].a", "no body is called \"bal\"", "did you mean \"ball\"?"},
    {"unknown_body_in_joint", "line 3, $.joints[0].ball.b", "no body is called \"wall\"", "ball"},
    {"joint_to_all_copies", "line 3, $.joints[0].ball.a", "3 copies", "\"ball 1\""},
    {"joint_repeat_too_long", "line 4, $.joints[0].ball.repeat", "joint 3 would need copy 4 of \"ball\"",
     "fewer joints"},
    {"joint_without_axis", "line 4, $.joints[0].hinge.axis", "no direction", "[0, 0, 1]"},
    {"joint_limits_crossed", "line 4, $.joints[0].slider.limits", "above its high one", "exchange"},
    {"joint_soft_without_vertex", "line 4, $.joints[0].ball.a", "by one of its vertices", "vertex_a"},
    {"joint_soft_hinge", "line 4, $.joints[0].hinge.a", "no direction", "ball, distance or rope"},
    {"joint_vertex_of_rigid", "line 4, $.joints[0].rope.vertex_a", "not a deformable body", "remove"},
    {"joint_unknown_kind", "line 4, $.joints[0]", "none of \"ball\"", "did you mean \"hinge\"?"},
    {"joint_negative_spring", "line 4, $.joints[0].slider.spring.stiffness", "-1 is out of range", "0 to"},
    {"same_name_twice", "line 4, $.bodies[1].name", "already called \"ball\"", "its own name"},
    {"unknown_kind", "line 3, $.bodies[0]", "none of \"ground\"", "did you mean \"rigid\"?"},
    {"two_kinds", "line 3, $.bodies[0]", "\"rigid\" and \"fixed\" are here together", "exactly one"},
    {"two_shapes", "line 3, $.bodies[0].rigid", "\"sphere\" and \"box\" are here together", "exactly one"},
    {"unknown_shape", "line 2, $.bodies[0].rigid.shape", "\"torrus\" is not one of",
     "did you mean \"torus\"?"},
    {"half_space_moves", "line 2, $.bodies[0].rigid", "none of \"mesh\"", "exactly one"},
    {"mass_and_density", "line 3, $.bodies[0].rigid.mass", "exclude each other", "keep one"},
    {"size_without_shape", "line 3, $.bodies[0].rigid.size", "goes with \"shape\"", "remove"},
    {"wrong_word", "line 2, $.contact.method", "\"point\" is not one of", "did you mean \"points\"?"},
    {"zero_axis", "line 3, $.bodies[0].rotate.axis", "no direction", "[0, 1, 0]"},
    {"keyframes_out_of_order", "line 4, $.bodies[0].scripted.keyframes[1].time", "not later", "sort"},
    {"fixed_with_velocity", "line 3, $.bodies[0].velocity", "a fixed body has no \"velocity\"", "remove"},
    {"too_many_bodies", "line 3, $.bodies[0].repeat", "more than a million bodies", "less"},
    {"count_overflow", "line 3, $.bodies[0].repeat.count", "out of range", "1 to 1000000"},
    {"repeat_nothing", "line 3, $.bodies[0].repeat", "neither \"count\" nor \"grid\"", "how many"},
    {"group_out_of_range", "line 2, $.bodies[0].ground.groups[1]", "32 is out of range", "0 to 31"},
    {"missing_version", "line 1, $", "\"plush\" is missing", "add \"plush\""},
    {"next_version", "line 1, $.plush", "2 is out of range", "use 1"},
    {"not_an_object", "line 1, $", "a scene is an object", ""},
    {"trailing_comma", "line 3, column 1", "unexpected '}'", "remove the comma"},
    {"truncated", "line 2, column 32", "missing closing quote", "cut"},
    {"open_comment", "line 2, column 1", "invalid comment", "*/"},
    {"empty", "line 1, column 1", "unexpected end of input", "ends too early"},
    {"include_missing", "line 2, $.include[0]", "cannot include \"nowhere.jsonc\"", "check the name"},
    {"constraints_without_verlet", "line 3, $.bodies[0].rope.constraints",
     "implicit_euler has no position constraints; verlet and time_corrected_verlet do",
     "\"integrator\": \"verlet\""},
    {"constraints_exclude", "line 3, $.bodies[0].rope.constraints.max_stretch",
     "\"inextensible\" and \"max_stretch\" exclude each other", "keep one"},
    {"max_stretch_shrinks", "line 2, $.bodies[0].cloth.constraints.max_stretch", "0.9 is out of range",
     "1 to 1000"},
    {"cloth_mesh_and_corner", "line 3, $.bodies[0].cloth.corner",
     "\"mesh\" and \"corner\" exclude each other", "keep one"},
    {"cloth_loose_vertex", "line 2, $.bodies[0].cloth.mesh",
     "loose_vertex.obj: 1 of its vertices are in no triangle", "remove them"},
    {"tets_of_triangles", "line 2, $.bodies[0].tet_springs.mesh", "it has triangles but no tets", "tets"},
    {"tets_two_kinds", "line 2, $.bodies[0].tet_springs", "\"mesh\" and \"box\" are here together",
     "exactly one"},
    {"tet_ball_and_box", "line 2, $.bodies[0].soft", "\"box\" and \"ball\" are here together", "exactly one"},
    {"tet_ball_radius", "line 2, $.bodies[0].tet_springs.ball.radius", "-1 is out of range", "above 0"},
    {"tet_contact_word", "line 2, $.contact.tets.method", "\"consistant\" is not one of",
     "did you mean \"consistent\"?"},
    {"tet_contact_stiffness", "line 2, $.contact.tets.stiffness", "0 is out of range", "above 0"},
    {"matching_two_kinds", "line 2, $.bodies[0].shape_matching", "\"points\" and \"box\" are here together",
     "exactly one"},
    {"matching_stiffness", "line 2, $.bodies[0].shape_matching.stiffness", "1.5 is out of range", "0 to 1"},
    {"matching_cloud", "line 2, $.bodies[0].shape_matching.points", "no volume to weigh", "mass"},
    {"matching_mode", "line 2, $.bodies[0].shape_matching.mode", "\"rigd\" is not one of",
     "did you mean \"rigid\"?"},
    {"matching_skin", "line 2, $.bodies[0].shape_matching.skin.mesh", "No such file", "check the name"},
    {"cluster_two", "line 2, $.bodies[0].cloth.clusters[0]", "\"box\" and \"ball\" are here together",
     "exactly one"},
    {"soft_nothing", "line 2, $.bodies[0].soft", "none of \"mesh\", \"shape\"", "exactly one"},
    {"soft_poisson", "line 2, $.bodies[0].soft.poisson", "0.5 is out of range", "0 to 0.49"},
    {"soft_two_sizes", "line 2, $.bodies[0].soft", "exclude each other", "keep one"},
    {"soft_flow", "line 2, $.bodies[0].soft.yield", "only corotational bodies flow", "corotational"},
    {"soft_skin_of_mesh", "line 2, $.bodies[0].soft.shape", "\"skin\" and \"shape\" exclude each other",
     "keep one"},
    {"pin_until", "line 2, $.bodies[0].rope.pins[0].until", "0 is out of range", "above 0"},
    {"tets_too_many", "line 2, $.bodies[0].tet_springs.box.cells[0]", "2000 is out of range", "1 to 200"},
    {"garbage", "line 1, column 1", "invalid literal", ""},
    {"not_utf8", "line 1, column 24", "ill-formed UTF-8", "UTF-8 text"},
};

class BadScene : public testing::TestWithParam<Bad> {};

TEST_P(BadScene, IsRefusedWithPlaceAndCure) {
    const Bad& bad = GetParam();
    const std::clock_t start = std::clock();
    const std::string file = folder / (std::string(bad.file) + ".jsonc");
    const SceneLoad load = Scene::try_load(file);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;

    EXPECT_FALSE(load.scene);
    ASSERT_FALSE(load.errors.empty());
    const Error& error = load.errors.front();
    EXPECT_EQ(error.file(), file);
    EXPECT_EQ(error.place(), bad.place) << error.what();
    EXPECT_TRUE(says(error.problem(), bad.problem)) << error.what();
    EXPECT_TRUE(says(error.cure(), bad.cure)) << error.what();
    EXPECT_LT(seconds, 1);  // measured: 1 ms
}

INSTANTIATE_TEST_SUITE_P(All, BadScene, testing::ValuesIn(table),
                         [](const testing::TestParamInfo<Bad>& bad) { return std::string(bad.param.file); });

TEST(BadScenes, EveryFileOfTheFolderIsInTheTable) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string stem = entry.path().stem().string();
        if (entry.path().extension() != ".jsonc" || stem.rfind("include_", 0) == 0) continue;
        const bool listed =
            std::any_of(std::begin(table), std::end(table), [&](const Bad& bad) { return stem == bad.file; });
        EXPECT_TRUE(listed) << stem;
    }
}

TEST(BadScenes, ErrorsOfIncludedFilesNameThatFile) {
    const SceneLoad load = Scene::try_load(folder / "include_bad.jsonc");
    ASSERT_EQ(load.errors.size(), 1u);
    EXPECT_EQ(load.errors[0].file(), folder / "included_bad.part");
    EXPECT_EQ(load.errors[0].place(), "line 3, $.bodies[0].rigid.sphere.radius");
}

TEST(BadScenes, AnIncludeCycleShowsTheChain) {
    const SceneLoad load = Scene::try_load(folder / "include_cycle.jsonc");
    ASSERT_EQ(load.errors.size(), 1u);
    EXPECT_EQ(load.errors[0].file(), folder / "include_cycle_2.part");
    EXPECT_EQ(load.errors[0].place(), "line 3, $.include[0]");
    EXPECT_TRUE(
        says(load.errors[0].problem(), "include_cycle.jsonc → include_cycle_2.part → include_cycle.jsonc"));
}

SceneLoad parse(std::string_view text, std::vector<std::string> set = {}) {
    return Scene::try_parse(text, folder, "test", set);
}

TEST(BadScenes, AllErrorsAreFoundAtOnceInTheOrderOfTheFile) {
    const SceneLoad load = parse(R"({ "plush": 1,
      "pairs": [ { "a": "x", "b": "y" } ],
      "step": -1,
      "bodies": [ { "ground": { "material": "m" } },
                  { "rigid": { "sphere": { "radius": 0 }, "colour": 3 } } ] })");
    std::vector<std::string> places;
    for (const Error& error : load.errors) places.push_back(error.place());
    EXPECT_EQ(places, (std::vector<std::string>{"line 2, $.pairs[0].a", "line 2, $.pairs[0].b",
                                                "line 3, $.step", "line 4, $.bodies[0].ground.material",
                                                "line 5, $.bodies[1].rigid.sphere.radius",
                                                "line 5, $.bodies[1].rigid.colour"}));
}

TEST(BadScenes, DeepNestingIsRefusedWithoutRecursion) {
    const std::string deep(5'000'000, '[');
    const SceneLoad load = parse("{ \"plush\": 1, \"bodies\": " + deep);
    ASSERT_EQ(load.errors.size(), 1u);
    EXPECT_TRUE(says(load.errors[0].problem(), "64 deep")) << load.errors[0].what();
}

TEST(BadScenes, ManyErrorsAreCut) {
    std::string text = "{ \"plush\": 1";
    for (int i = 0; i < 200'000; ++i) text += ", \"key" + std::to_string(i) + "\": 0";
    const std::clock_t start = std::clock();  // of the processor: other work on the machine does not count
    EXPECT_EQ(parse(text + "}").errors.size(), 100u);
    EXPECT_EQ(parse(text + ", \"key7\": 1 }").scene, std::nullopt);
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 2);  // measured: 0.2 s
}

TEST(BadScenes, AHugeFileIsRefused) {
    std::string text(65 << 20, ' ');
    ASSERT_EQ(parse(text).errors.size(), 1u);
    EXPECT_TRUE(says(parse(text).errors[0].problem(), "64 MiB"));
}

TEST(BadScenes, EndlessDevicesAndFoldersAreRefused) {
    EXPECT_TRUE(says(Scene::try_load("/dev/zero").errors.at(0), "device"));
    EXPECT_TRUE(says(Scene::try_load("/tmp").errors.at(0), "folder"));
}

TEST(BadScenes, AMissingSceneNamesTheBuiltInOnes) {
    const Error error = Scene::try_load("bowll").errors.at(0);
    EXPECT_TRUE(says(error.cure(), "did you mean \"bowl\"?")) << error.what();
    EXPECT_TRUE(says(error.cure(), "incline")) << error.what();
    EXPECT_TRUE(says(Scene::try_load("folder/none.jsonc").errors.at(0).problem(), "no such file"));
    EXPECT_THROW(static_cast<void>(Scene::load("bowll")), Error);
}

TEST(BadScenes, CutAnywhereAValidSceneNeverCrashes) {
    const std::string text = Scene::load("stack").resolved();
    for (std::size_t size = 0; size + 2 < text.size(); ++size)
        EXPECT_FALSE(parse(std::string_view(text).substr(0, size)).scene) << size;
}

TEST(BadScenes, OverridesAreJudgedLikeTheFile) {
    const auto first = [](const std::string& set) {
        const SceneLoad load =
            parse(R"({ "plush": 1, "step": 0.01, "bodies": [ { "ground": {}, "name": "floor" } ] })", {set});
        return load.errors.empty() ? std::string("accepted") : std::string(load.errors.front().what());
    };
    EXPECT_EQ(first("step=0.02"), "accepted");
    EXPECT_EQ(first("contact.method=impulse"), "accepted");
    EXPECT_EQ(first("bodies[floor].ground.height=2"), "accepted");
    EXPECT_EQ(first("stpe=0.02"), "--set stpe=0.02: $.stpe: unknown key \"stpe\" (did you mean \"step\"?)");
    EXPECT_EQ(first("step=fast"),
              "--set step=fast: $.step: this must be a number, not a text (numbers stand without quotes)");
    EXPECT_TRUE(says(first("bodies[1].ground.height=2"), "has 1 items and no [1] (use [0] to [0])"));
    EXPECT_TRUE(says(first("bodies[flor].ground.height=2"), "did you mean \"floor\"?"));
    EXPECT_TRUE(says(first("step.x=2"), "is a number and has no member"));
    EXPECT_TRUE(says(first("include=[\"x\"]"), "cannot be overridden"));
    for (const char* nonsense :
         {"", "=", "step", "[0]=1", "a..b=1", "bodies[=1", "bodies[]=1", "bodies[0]x=1", ".=1"})
        EXPECT_TRUE(says(first(nonsense), "this is not KEY=VALUE")) << nonsense << ": " << first(nonsense);
}

}  // namespace
}  // namespace plush
