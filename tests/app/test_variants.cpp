#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// Scenes with variants, and studies, from the command line.

namespace plush::test {
namespace {

using nlohmann::json;

const char* scene = R"({ "plush": 1, "duration": 0.5, "sleep": { "enabled": false },
  "bodies": [ { "ground": {} }, { "rigid": { "sphere": { "radius": 0.1 } }, "name": "ball", "at": [0, 0.15, 0] } ],
  "variants": { "low": {}, "high": { "label": "from 0.5 m", "bodies[ball].at": [0, 0.5, 0] } } })";

TEST(CliVariants, RunsThemAllSideBySide) {
    TempFolder folder;
    write_text(folder / "two.json", scene);
    const Outcome plain = plush(folder.path(), {"run", "two.json"});
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_TRUE(says(plain.out, "two/low") && says(plain.out, "two/high"));
    const json list = json::parse(read_text(folder / "out/two/variants.json"));
    EXPECT_EQ(list["variants"][1]["label"], "from 0.5 m");

    const Outcome document = plush(folder.path(), {"run", "two.json", "--json", "--quiet"});
    EXPECT_EQ(document.status, 0);
    EXPECT_EQ(document.err, "");
    const json both = json::parse(document.out)["variants"];
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[1], json::parse(read_text(folder / "out/two/high/summary.json")));
    EXPECT_EQ(both[1]["scene"], "two/high");

    const Outcome one = plush(folder.path(), {"run", "two.json", "--variant", "high", "--json"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_EQ(json::parse(one.out)["state_hash"], both[1]["state_hash"]);
    EXPECT_TRUE(std::filesystem::exists(folder / "out/two_high/summary.json"));

    const Outcome verified = plush(folder.path(), {"run", "--verify", "out/two", "--json"});
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_EQ(json::parse(verified.out)["variants"][0]["verify"]["same"], true);
    EXPECT_EQ(plush(folder.path(), {"run", "--verify", "out/two/high"}).status, 0);
    const Outcome other =
        plush(folder.path(), {"run", "two.json", "--set", "gravity=[0,-9,0]", "--verify", "out/two"});
    EXPECT_EQ(other.status, 1);
    EXPECT_TRUE(says(other.err, "is the first that differs"));
}

TEST(CliVariants, WrongUseIsSaid) {
    TempFolder folder;
    write_text(folder / "two.json", scene);
    const struct {
        std::vector<std::string> words;
        std::string hint;
    } cases[] = {{{"run", "two.json", "--variant", "hihg"}, "did you mean \"high\"?"},
                 {{"run", "stack", "--variant", "high"}, "no variants"},
                 {{"run", "--variant", "high", "--verify", "x"}, "name the scene"},
                 {{"run", "two.json", "--set", "bodies[ball].at=3"}, "must be a list"}};
    for (const auto& c : cases) {
        const Outcome outcome = plush(folder.path(), c.words);
        EXPECT_EQ(outcome.status, 2) << c.hint;
        EXPECT_TRUE(says(outcome.err, c.hint));
    }
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

// One that cannot be read and one that cannot begin; the good one runs and is drawn, and the messages name the others.
TEST(CliVariants, OneBadVariantDoesNotSpoilTheOthers) {
    TempFolder folder;
    write_text(folder / "three.json", R"({ "plush": 1, "duration": 0.1,
  "bodies": [ { "ground": {} }, { "rigid": { "sphere": { "radius": 0.1 } }, "name": "ball", "at": [0, 0.15, 0] } ],
  "variants": { "bad": { "step": -1 }, "good": {}, "heavy": { "bodies[ball].rigid.density": 1e9,
    "bodies[ball].rigid.sphere.radius": 1e6 } } })");
    const Outcome run = plush(folder.path(), {"run", "three.json", "--json"});
    EXPECT_EQ(run.status, 1);
    EXPECT_TRUE(says(run.err, "in variant \"bad\""));
    EXPECT_TRUE(says(run.err, "left out: bad; the other 2 variants ran"));
    const json document = json::parse(run.out);
    ASSERT_EQ(document["variants"].size(), 2u);
    EXPECT_EQ(document["variants"][0]["scene"], "three/good");
    EXPECT_EQ(document["variants"][0]["finished"], true);
    EXPECT_EQ(document["errors"].size(), 1u);
    EXPECT_TRUE(std::filesystem::exists(folder / "out/three/good/summary.json"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out/three/bad"));
    std::filesystem::remove(folder / "out/three/heavy/frames.plush");
    const Outcome picture =
        plush(folder.path(), {"render", "out/three", "--size", "96x64", "--quality", "draft"});
    EXPECT_EQ(picture.status, 0) << picture.err;
    EXPECT_TRUE(says(picture.err, "variant heavy is left out"));
}

TEST(CliVariants, CheckReadsEveryOne) {
    TempFolder folder;
    write_text(folder / "good.json", scene);
    const Outcome good = plush(folder.path(), {"check", "good.json", "--json"});
    EXPECT_EQ(good.status, 0) << good.out;
    EXPECT_EQ(json::parse(good.out)["files"][0]["variants"], (json{"low", "high"}));
    write_text(folder / "bad.json", R"({ "plush": 1, "bodies": [ { "ground": {} } ],
 "variants": { "a": { "step": 0 },
   "b": { "step": "x" } } })");
    const Outcome bad = plush(folder.path(), {"check", "bad.json", "--json"});
    EXPECT_EQ(bad.status, 1);
    const json problems = json::parse(bad.out)["files"][0]["problems"];
    ASSERT_EQ(problems.size(), 2u) << bad.out;
    EXPECT_EQ(problems[0]["where"], "line 2, $.step");
    EXPECT_EQ(problems[1]["where"], "line 3, $.step");
    EXPECT_TRUE(says(problems[1]["what"].get<std::string>(), "in variant \"b\""));
}

TEST(CliVariants, CtrlCLeavesAllResumable) {
    TempFolder folder;
    write_text(folder / "two.json", scene);
    const Outcome stopped =
        plush(folder.path(), {"run", "two.json", "--steps", "200000", "--no-frames", "--out", "cut"}, {},
              [&](pid_t child) {
                  while (::kill(child, 0) == 0 && !std::filesystem::exists(folder / "cut/low/scene.json"))
                      ::usleep(1000);
                  ::usleep(50000);
                  ::kill(child, SIGINT);
              });
    EXPECT_EQ(stopped.status, 1);
    EXPECT_TRUE(says(stopped.err, "two/low: stopped at step"));
    EXPECT_TRUE(says(stopped.err, "plush run --resume cut\n"));
    EXPECT_FALSE(std::filesystem::exists(folder / "cut/high")) << "it was not begun";
    const auto step = json::parse(read_text(folder / "cut/low/summary.json"))["steps"].get<long long>();
    const std::string total = std::to_string(step + 100);
    const Outcome resumed = plush(folder.path(), {"run", "--resume", "cut", "--steps", total, "--json"});
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    const json both = json::parse(resumed.out)["variants"];
    ASSERT_EQ(both.size(), 2u);
    const Outcome straight =
        plush(folder.path(), {"run", "two.json", "--steps", total, "--no-frames", "--json"});
    for (std::size_t i = 0; i < 2; ++i)
        EXPECT_EQ(both[i]["state_hash"], json::parse(straight.out)["variants"][i]["state_hash"]);
    EXPECT_EQ(plush(folder.path(), {"run", "two.json", "--resume", "cut"}).status, 2);
}

TEST(CliStudy, WritesAReportAndPrintsItsFigures) {
    TempFolder folder;
    const Outcome outcome = plush(folder.path(), {"study", "rotation", "-o", "r.html", "--json", "--quiet"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const json document = json::parse(outcome.out);
    EXPECT_EQ(document["report"], "r.html");
    EXPECT_TRUE(document["figures"].contains("orders"));
    EXPECT_TRUE(says(read_text(folder / "r.html"), "<svg"));
    EXPECT_EQ(plush(folder.path(), {"study", "rotation", "--quiet"}).status, 0);
    EXPECT_TRUE(std::filesystem::exists(folder / "rotation.html"));
    const Outcome wrong = plush(folder.path(), {"study", "rotatoin"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_TRUE(says(wrong.err, "did you mean \"rotation\"?"));
    EXPECT_EQ(plush(folder.path(), {"study", "rotation", "-o", "/proc/r.html"}).status, 1);
}

TEST(CliStudy, ValidationMayHaveAReport) {
    TempFolder folder;
    const Outcome outcome = plush(folder.path(), {"validate", "free_fall", "--report", "v.html", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_TRUE(json::parse(outcome.out).contains("problems"));
    EXPECT_TRUE(says(read_text(folder / "v.html"), "free_fall"));
    EXPECT_EQ(plush(folder.path(), {"validate", "free_fall", "--report", "/proc/v.html"}).status, 1);
}

}  // namespace
}  // namespace plush::test
