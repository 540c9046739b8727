#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// plush mesh overlap, and what plush check says of bodies that overlap at the start.

namespace plush::test {
namespace {

using nlohmann::json;

class MeshOverlap : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(run({"mesh", "make", "box", "-o", "box.obj"}).status, 0); }
    Outcome run(const std::vector<std::string>& words) { return plush(folder_.path(), words); }
    void write(const std::string& name, const std::string& text) { folder_.write(name, text); }

private:
    TempFolder folder_;
};

TEST_F(MeshOverlap, MeasuresMovedMeshes) {
    const Outcome made = run({"mesh", "overlap", "box.obj", "box.obj", "--b-at", "0.5", "0.25", "0",
                              "--pixel", "0.015625", "--json"});
    ASSERT_EQ(made.status, 0) << made.err;
    const json document = json::parse(made.out);
    EXPECT_NEAR(document["volume"].get<double>(), 0.375, 1e-12);
    ASSERT_EQ(document["overlaps"].size(), 1u);
    const json& o = document["overlaps"][0];
    for (const char* key : {"volume", "volumes", "gradient", "moment", "area", "centre", "normal",
                            "one_sided", "mean_depth", "largest_depth", "columns"})
        EXPECT_TRUE(o.contains(key)) << key;
    EXPECT_NEAR(o["gradient"][0].get<double>(), 0.75, 1e-12);
    EXPECT_FALSE(o.contains("a"));
    const Outcome turned =
        run({"mesh", "overlap", "box.obj", "box.obj", "--a-turn", "0", "1", "0", "90", "--b-at", "0.5",
             "0.25", "0", "--cell", "0.25", "--gradients", "--tilted", "--json"});
    const json cells = json::parse(turned.out);
    EXPECT_NEAR(cells["volume"].get<double>(), 0.375, 0.002);
    EXPECT_GT(cells["overlaps"].size(), 10u);
    EXPECT_TRUE(cells["overlaps"][0].contains("cell"));
    EXPECT_GT(cells["overlaps"][0]["a"].size() + cells["overlaps"][0]["b"].size(), 0u);
}

TEST_F(MeshOverlap, SaysItInWords) {
    const Outcome made = run({"mesh", "overlap", "box.obj", "box.obj", "--b-at", "0.9", "0", "0"});
    EXPECT_TRUE(says(made.out, "overlap by 0.1 m^3 in 1 place"));
    EXPECT_TRUE(says(made.out, "pushed out along -1.0000"));
    EXPECT_TRUE(
        says(run({"mesh", "overlap", "box.obj", "box.obj", "--b-at", "3", "0", "0"}).out, "do not overlap"));
    EXPECT_TRUE(says(run({"mesh", "overlap", "box.obj"}).out, "and itself do not overlap"));
    EXPECT_TRUE(says(run({"mesh", "overlap", "box.obj", "--half-space", "0", "2", "0", "-0.8"}).out,
                     "overlap by 0.1 m^3"));
    write("open.obj", "v -1 -1 0\nv 1 -1 0\nv 0 1 0\nf 1 2 3\n");
    const Outcome open = run({"mesh", "overlap", "open.obj", "box.obj"});
    EXPECT_EQ(open.status, 0);
    EXPECT_TRUE(says(open.out, "open.obj is not closed"));
    EXPECT_TRUE(says(open.out, "plush mesh repair"));
}

TEST_F(MeshOverlap, SaysWhatItCannotDo) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"missing.obj", "box.obj"},
                                                  {"box.obj", "missing.obj"},
                                                  {"box.obj", "box.obj", "--pixel", "0"},
                                                  {"box.obj", "box.obj", "--pixel", "1e-9"},
                                                  {"box.obj", "box.obj", "--a-turn", "0", "0", "0", "9"},
                                                  {"box.obj", "box.obj", "--across", "1e9"},
                                                  {"box.obj", "box.obj", "--half-space", "0", "1", "0", "0"},
                                                  {"box.obj", "--half-space", "0", "0", "0", "0"}}) {
        std::vector<std::string> all{"mesh", "overlap"};
        all.insert(all.end(), words.begin(), words.end());
        const Outcome outcome = run(all);
        EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
        EXPECT_FALSE(outcome.err.empty());
        EXPECT_TRUE(outcome.out.empty()) << outcome.out;
    }
}

TEST_F(MeshOverlap, CheckSaysWhichBodiesOverlapAtTheStart) {
    write("deep.json", R"({ "plush": 1, "duration": 1, "bodies": [
        { "ground": {} },
        { "rigid": { "box": { "half_size": [0.5, 0.5, 0.5] }, "density": 300 }, "at": [0, 0.4, 0], "name": "sunk" },
        { "rigid": { "box": { "half_size": [0.5, 0.5, 0.5] }, "density": 300 }, "at": [0.75, 2, 0], "name": "left" },
        { "rigid": { "box": { "half_size": [0.5, 0.5, 0.5] }, "density": 300 }, "at": [1.5, 2, 0], "name": "right" },
        { "rigid": { "box": { "half_size": [0.5, 0.5, 0.5] }, "density": 300 }, "at": [0, 4.5, 0], "name": "alone" },
        { "rigid": { "box": { "half_size": [0.5, 0.5, 0.5] }, "density": 300 }, "at": [0.1, 4.5, 0], "name": "ghost" }
        ], "pairs": [ { "a": "alone", "b": "ghost", "collide": false } ] })");
    const Outcome made = run({"check", "deep.json", "--json"});
    ASSERT_EQ(made.status, 0) << made.out << made.err;
    const json overlaps = json::parse(made.out)["files"][0]["overlaps"];
    ASSERT_EQ(overlaps.size(), 2u) << overlaps;
    EXPECT_EQ(overlaps[0]["a"], "left");
    EXPECT_EQ(overlaps[0]["b"], "right");
    EXPECT_NEAR(overlaps[0]["volume"].get<double>(), 0.25, 0.01);
    EXPECT_NEAR(overlaps[0]["largest_depth"].get<double>(), 0.25, 1e-6);
    EXPECT_EQ(overlaps[1]["a"], "sunk");
    EXPECT_NEAR(overlaps[1]["volume"].get<double>(), 0.1, 0.005);
    EXPECT_TRUE(says(run({"check", "deep.json"}).out, "2 pairs of bodies overlap at the start"));
    EXPECT_FALSE(says(run({"check", "stack"}).out, "overlap"));  // at rest on each other
    EXPECT_FALSE(says(run({"check", "chain"}).out, "overlap"));  // joints hold its links in one another
}

}  // namespace
}  // namespace plush::test
