#include "record/columns.hpp"

#include <gtest/gtest.h>

#include "plush/record/run.hpp"
#include "record/metrics.hpp"
#include "record/run_folder.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// Columns of metrics.csv that a scene asks for.

namespace plush {
namespace {

using test::says;
using test::TempFolder;

/// A box at rest on the ground, two balls in the air, a hinge.
Scene scene(const std::vector<std::string>& set = {}) {
    SceneLoad load =
        Scene::try_parse(R"({ "plush": 1, "duration": 0.2, "step": 0.01, "sleep": { "enabled": false },
        "bodies": [ { "ground": {}, "name": "floor" },
          { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] }, "mass": 2, "friction": 1 }, "name": "box, red", "at": [0, 0.1, 0] },
          { "rigid": { "sphere": { "radius": 0.1 } }, "name": "ball", "at": [1, 3, 0], "velocity": [0.5, 0, 0],
            "repeat": { "count": 2, "step": [1, 0, 0] } },
          { "rigid": { "box": { "half_size": [0.5, 0.05, 0.05] } }, "name": "arm", "at": [0.5, 5, 0] } ],
        "joints": [ { "hinge": { "a": "arm", "anchor": [0, 5, 0], "axis": [0, 0, 1] } } ] })",
                         "/tmp", "recorded", set);
    if (!load.scene) throw load.errors.front();
    return *load.scene;
}

TEST(Columns, HoldWhatTheWorldSays) {
    TempFolder folder;
    run_scene(
        scene(
            {R"(record=["position:ball", "normal_force.y:box, red/floor", "stick:box, red/floor", "speed:ball 2",
                        "joint_position:0", "joint_force.size:0", "momentum.x"])"}),
        {.out = folder / "run"})
        .value();
    const RunMetrics m = metrics_of_run(folder / "run").value();
    ASSERT_EQ(m.recorded, 12u);
    const std::vector<std::string> names(m.names.end() - 12, m.names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"position.x:ball 1", "position.y:ball 1", "position.z:ball 1",
                                               "position.x:ball 2", "position.y:ball 2", "position.z:ball 2",
                                               "normal_force.y:box, red/floor", "stick:box, red/floor",
                                               "speed:ball 2", "joint_position:0", "joint_force.size:0",
                                               "momentum.x"}));
    const std::size_t first = m.names.size() - 12;
    const auto last = [&](std::size_t k) { return m.columns[first + k].back(); };
    ASSERT_EQ(m.columns[first].size(), 20u);
    EXPECT_NEAR(last(0), 1.1, 1e-12);  // 0.5 m/s for 0.2 s
    EXPECT_NEAR(last(3), 2.1, 1e-12);
    EXPECT_NEAR(last(6), 2 * 9.81, 1e-6);  // weighs 2 kg
    EXPECT_EQ(last(7), 1);
    EXPECT_NEAR(last(8), std::hypot(0.5, 9.81 * 0.2), 1e-12);
    EXPECT_LT(last(9), -0.1);  // the arm falls
    EXPECT_GT(last(10), 1);
    EXPECT_EQ(m.units[first], "m");
    EXPECT_EQ(m.units[first + 6], "N");
}

TEST(Columns, AreThereEverySoOftenAndGoOnAfterAResume) {
    TempFolder folder;
    const std::vector<std::string> set{R"(record=["speed:ball 1"])", "record_every=0.05"};
    run_scene(scene(set), {.out = folder / "whole"}).value();
    run_scene(scene(set), {.out = folder / "cut", .steps = 7}).value();
    resume_run(folder / "cut", {.duration = 0.2}).value();
    const RunMetrics whole = metrics_of_run(folder / "whole").value(),
                     cut = metrics_of_run(folder / "cut").value();
    int values = 0;
    for (std::size_t i = 0; i < 20; ++i) {
        const double a = whole.columns.back()[i], b = cut.columns.back()[i];
        EXPECT_EQ(std::isnan(a), (i + 1) % 5 != 0) << i;
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)));
        values += !std::isnan(a);
    }
    EXPECT_EQ(values, 4);
    // What is recorded changes no motion, and a run with columns can be compared with one without.
    RunSummary again = run_scene(scene(), {.verify = folder / "whole"}).value();
    EXPECT_EQ(again.verified->steps, 20);
    EXPECT_FALSE(again.verified->first_different);
}

TEST(Columns, WrongWordsNameTheirFix) {
    const struct {
        const char *word, *says;
    } cases[] = {{"positon:ball", "did you mean \"position\"?"},
                 {"position:bal 1", "no body is called \"bal 1\""},
                 {"position", "write position:NAME"},
                 {"position.w:ball", "write .x, .y, .z or .size"},
                 {"speed.x:ball", "speed is one number"},
                 {"area:ball", "write area:A/B"},
                 {"force:ball/flor", "did you mean \"floor\"?"},
                 {"joint_force:3", "give its number, 0 to 0"},
                 {"speed:ball 1\",\"speed:ball", "asked for twice"}};
    for (const auto& c : cases) {
        const auto outcome = run_scene(scene({"record=[\"" + std::string(c.word) + "\"]"}));
        ASSERT_FALSE(outcome.ok()) << c.word;
        EXPECT_TRUE(says(outcome.error().what(), c.says)) << outcome.error().what();
    }
}

// A bar of one tet layer that is stretched by a tenth.
TEST(Columns, TheLargestStrainIsThatOfTheStretch) {
    World world({.gravity = {}});
    Soft bar;
    bar.solid = SoftSolid(TetMesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2, 3}}));
    const BodyId soft = world.add(bar);
    EXPECT_NEAR(world.largest_strain(soft), 0, 1e-14);
    world.set_vertex(soft, 1, {1.1, 0, 0}, {});
    EXPECT_NEAR(world.largest_strain(soft), 0.1, 1e-12);
    Rope rope;
    rope.segments = 1;
    const BodyId line = world.add(rope);
    world.set_vertex(line, 1, {0.7, 0, 0}, {});
    EXPECT_NEAR(world.largest_strain(line), 0.3, 1e-12);
}

TEST(Csv, FieldsWithCommasAndQuotesComeBack) {
    for (const std::string text : {"plain", "a, b", "say \"x\"", "", ",", "\""})
        EXPECT_EQ(csv_fields("1," + csv_field(text) + ",2"), (std::vector<std::string>{"1", text, "2"}))
            << text;
}

}  // namespace
}  // namespace plush
