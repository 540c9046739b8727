#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plush/record/variants.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// Variants run beside each other: the folder, going on after an interruption, and what is left alone.

namespace plush {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::read_text;
using test::says;
using test::TempFolder;
using test::write_text;

const char* scene_text = R"({ "plush": 1, "name": "drop", "duration": 0.5,
  "bodies": [ { "ground": {} }, { "rigid": { "sphere": { "radius": 0.1 } }, "name": "ball", "at": [0, 0.4, 0] } ],
  "variants": { "low": { "label": "from low" }, "high": { "bodies[ball].at": [0, 0.6, 0] },
                "slow": { "gravity": [0, -1, 0] } } })";

class VariantRuns : public testing::Test {
protected:
    void SetUp() override {
        write_text(folder / "drop.json", scene_text);
        load = try_load_variants((folder / "drop.json").string());
        ASSERT_EQ(load.scenes.size(), 3u);
    }
    VariantSettings settings(const char* out = "out") const {
        VariantSettings s;
        s.run.out = folder / out;
        s.run.threads = 1;
        return s;
    }
    std::vector<RunSummary> run(const VariantSettings& s) const {
        return run_variants(load.variants, load.scenes, s).value();
    }
    TempFolder folder;
    VariantsLoad load;
};

std::vector<std::uint64_t> hashes(const std::vector<RunSummary>& summaries) {
    std::vector<std::uint64_t> all;
    for (const RunSummary& s : summaries) all.push_back(s.state_hash);
    return all;
}

TEST_F(VariantRuns, EachIsAnOrdinaryRunInTheOrderOfTheFile) {
    const auto summaries = run(settings());
    ASSERT_EQ(summaries.size(), 3u);
    EXPECT_EQ(summaries[1].scene, "drop/high");
    EXPECT_NE(summaries[0].state_hash, summaries[1].state_hash);
    const json list = json::parse(read_text(folder / "out/variants.json"));
    ASSERT_EQ(list["variants"].size(), 3u);
    EXPECT_EQ(list["scene"], "drop");
    EXPECT_EQ(list["variants"][0]["name"], "low");
    EXPECT_EQ(list["variants"][0]["label"], "from low");
    EXPECT_EQ(list["variants"][1]["label"], "high");
    for (const char* name : {"low", "high", "slow"})
        for (const char* file :
             {"summary.json", "metrics.csv", "frames.plush", "checkpoint.plush", "scene.json"})
            EXPECT_TRUE(fs::exists(folder / "out" / name / file)) << name << file;
    const auto found = variants_of(folder / "out");
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found.value()[2].folder, folder / "out/slow");
    // The run of a variant is that of the variant alone.
    RunSettings alone;
    alone.threads = 1;
    EXPECT_EQ(run_scene(load.scenes[2], alone).value().state_hash, summaries[2].state_hash);
    // And the same again, without writing.
    VariantSettings nowhere;
    nowhere.run.threads = 2;
    const auto verified = verify_variants(folder / "out", nowhere);
    ASSERT_TRUE(verified.ok());
    for (const RunSummary& s : verified.value()) EXPECT_FALSE(s.verified->first_different);
}

// Stopped in the middle of the second: the first is finished, the second has a checkpoint, the third was not
// begun. All three go on.
TEST_F(VariantRuns, StoppedAnywhereTheyGoOnToTheSameBits) {
    const auto straight = hashes(run(settings("straight")));
    VariantSettings cut = settings();
    int steps = 0;
    cut.run.progress = [&](const RunProgress&) { return ++steps != 40; };
    const auto stopped = run(cut);
    ASSERT_EQ(stopped.size(), 2u);
    EXPECT_TRUE(stopped[0].finished);
    EXPECT_FALSE(stopped[1].finished);
    EXPECT_EQ(stopped[1].steps, 10);
    EXPECT_FALSE(fs::exists(folder / "out/slow"));

    const auto again = run_variants(load.variants, load.scenes, settings());
    ASSERT_FALSE(again.ok()) << "an interrupted comparison is not replaced unasked";
    EXPECT_TRUE(says(again.error().cure(), "--resume"));

    const auto rest = resume_variants(folder / "out", settings());
    ASSERT_TRUE(rest.ok()) << rest.error().what();
    ASSERT_EQ(rest.value().size(), 2u) << "the finished one is left alone";
    EXPECT_EQ(hashes(rest.value()), (std::vector(straight.begin() + 1, straight.end())));
    for (const char* name : {"low", "high", "slow"})
        EXPECT_EQ(read_text(folder / "out" / name / "frames.plush"),
                  read_text(folder / "straight" / name / "frames.plush"));
    EXPECT_TRUE(resume_variants(folder / "out", settings()).value().empty());
    EXPECT_TRUE(run_variants(load.variants, load.scenes, settings()).ok()) << "a finished one is replaced";
}

// What was asked of the first run holds for variants that it did not begin.
TEST_F(VariantRuns, StepsAndFramesAreRemembered) {
    VariantSettings cut = settings();
    cut.run.steps = 12;
    cut.run.frames = false;
    cut.run.progress = [](const RunProgress&) { return false; };
    ASSERT_EQ(run(cut).size(), 1u);
    const auto rest = resume_variants(folder / "out", settings());
    ASSERT_TRUE(rest.ok());
    ASSERT_EQ(rest.value().size(), 3u);
    for (const RunSummary& s : rest.value()) EXPECT_EQ(s.steps, 12);
    EXPECT_FALSE(fs::exists(folder / "out/slow/frames.plush"));
}

TEST_F(VariantRuns, ForeignFoldersAreLeftAlone) {
    fs::create_directories(folder / "out");
    write_text(folder / "out/diary.txt", "mine");
    const auto refused = run_variants(load.variants, load.scenes, settings());
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(says(refused.error().problem(), "something else"));
    // A file of that name that is not ours does not make it a folder of variants.
    write_text(folder / "out/variants.json", "[1, 2]");
    EXPECT_FALSE(holds_variants(folder / "out"));
    EXPECT_FALSE(run_variants(load.variants, load.scenes, settings()).ok());
    EXPECT_FALSE(fs::exists(folder / "out/low"));
}

TEST_F(VariantRuns, ADamagedListIsRefused) {
    run(settings());
    for (const char* text : {"", "{", "{}", R"({"variants": 3})", R"({"variants": [3]})",
                             R"({"variants": [{"name": "../../up"}]})", R"({"variants": [{"name": ".."}]})",
                             R"({"variants": [{"name": ""}]})"}) {
        write_text(folder / "out/variants.json", text);
        EXPECT_FALSE(holds_variants(folder / "out")) << text;
        EXPECT_FALSE(resume_variants(folder / "out", settings()).ok()) << text;
    }
    write_text(folder / "out/variants.json", R"({"variants": [{"name": "new", "content": "{"}]})");
    EXPECT_FALSE(resume_variants(folder / "out", settings()).ok());
    EXPECT_FALSE(resume_variants(folder / "nowhere", settings()).ok());
}

}  // namespace
}  // namespace plush
