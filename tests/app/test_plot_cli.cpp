#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// plush run --record, plush plot, and cameras of plush render, from outside.

namespace plush::test {
namespace {

using nlohmann::json;

const char* scene =
    R"({ "plush": 1, "duration": 0.5, "gravity": [0, 0, 0], "bodies": [ { "ground": {}, "name": "floor" },
    { "rigid": { "sphere": { "radius": 0.1 } }, "name": "ball", "at": [0, 0.5, 0], "velocity": [1, 0, 0] } ],
    "variants": { "slow": {}, "fast": { "bodies[ball].velocity": [3, 0, 0] } } })";

TEST(CliPlot, DrawsWhatWasRecorded) {
    TempFolder folder;
    write_text(folder / "s.json", scene);
    const Outcome run = plush(folder.path(), {"run", "s.json", "--variant", "slow", "--out", "r", "--quiet",
                                              "--record", "position:ball", "force.y:ball/floor"});
    ASSERT_EQ(run.status, 0) << run.err;
    const Outcome plot = plush(folder.path(), {"plot", "r", "--json"});
    ASSERT_EQ(plot.status, 0) << plot.err;
    const json d = json::parse(plot.out);
    EXPECT_EQ(d["plot"], "r/plot.html");
    ASSERT_EQ(d["figures"].size(), 4u);
    EXPECT_NEAR(d["figures"]["position.x:ball"]["last"].get<double>(), 0.5, 1e-9);
    EXPECT_EQ(d["figures"]["force.y:ball/floor"]["unit"], "N");
    EXPECT_TRUE(says(read_text(folder / "r/plot.html"), "<svg"));
    const Outcome svg = plush(folder.path(), {"plot", "r", "position", "-o", "p.svg"});
    EXPECT_EQ(svg.status, 0) << svg.err;
    EXPECT_TRUE(read_text(folder / "p.svg").starts_with("<svg"));
    EXPECT_EQ(plush(folder.path(), {"plot", "r", "kinetic", "gravity", "-o", "e.svg"}).status, 0);
    const Outcome two = plush(folder.path(), {"plot", "r", "-o", "x.svg"});
    EXPECT_EQ(two.status, 1);
    EXPECT_TRUE(says(two.err, "an SVG holds one"));
    const Outcome wrong = plush(folder.path(), {"plot", "r", "kinetc"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_TRUE(says(wrong.err, "did you mean \"kinetic\"?"));
    EXPECT_EQ(plush(folder.path(), {"plot", "nowhere"}).status, 2);
}

TEST(CliPlot, VariantsShareTheirPlots) {
    TempFolder folder;
    write_text(folder / "s.json", scene);
    ASSERT_EQ(plush(folder.path(), {"run", "s.json", "--quiet", "--record", "speed:ball"}).status, 0);
    const Outcome plot = plush(folder.path(), {"plot", "out/s", "--json"});
    ASSERT_EQ(plot.status, 0) << plot.err;
    const json figures = json::parse(plot.out)["figures"];
    EXPECT_NEAR(figures["speed:ball, fast"]["first"].get<double>(), 3, 1e-9);
    EXPECT_NEAR(figures["speed:ball, slow"]["first"].get<double>(), 1, 1e-9);
}

TEST(CliRender, FramesByTimeAndCamerasThatMove) {
    TempFolder folder;
    write_text(folder / "s.json", scene);
    ASSERT_EQ(plush(folder.path(), {"run", "s.json", "--variant", "fast", "--out", "r", "--quiet"}).status,
              0);
    const auto render = [&](std::vector<std::string> words) {
        words.insert(words.begin(),
                     {"render", "r", "--size", "96x64", "--quality", "draft", "--json", "-o", "x.png"});
        return plush(folder.path(), words);
    };
    const json at = json::parse(render({"--time", "0.3"}).out);
    EXPECT_EQ(at["frames"], json::array({9}));
    EXPECT_EQ(render({"--time", "9"}).status, 2);
    EXPECT_EQ(render({"--time", "0.1", "--frame", "2"}).status, 2);
    const auto x_of = [](const json& d) { return d["camera"]["target"][0].get<double>(); };
    const json follow = json::parse(render({"--follow", "ball", "--time", "0.4"}).out);
    EXPECT_NEAR(x_of(follow), 1.2, 0.02);
    const Outcome nobody = render({"--follow", "bll"});
    EXPECT_EQ(nobody.status, 2);
    EXPECT_TRUE(says(nobody.err, "did you mean \"ball\"?"));
}

}  // namespace
}  // namespace plush::test
