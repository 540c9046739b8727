#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "plush/scene/scene.hpp"
#include "scene/document.hpp"
#include "support/files.hpp"

// The schema and the reader come from the same descriptions. Here an independent validator (Debian's
// python3-jsonschema) agrees with the reader, on good scenes and on bad ones.

namespace plush {
namespace {

using test::read_text;
using test::TempFolder;

namespace fs = std::filesystem;

const std::string python = "/usr/bin/python3";

constexpr std::string_view validator = R"(
import json, sys
import jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
check = jsonschema.Draft202012Validator(schema)
for file in sys.argv[2:]:
    print("good" if check.is_valid(json.load(open(file))) else "bad")
)";

class Schema : public testing::Test {
protected:
    void SetUp() override {
        if (std::system((python + " -c 'import jsonschema' 2>/dev/null").c_str()) != 0)
            GTEST_SKIP() << "needs Debian's python3-jsonschema";
        folder_.write("schema.json", scene_schema());
        folder_.write("validate.py", validator);
    }

    /// "good" or "bad" for each text.
    std::vector<std::string> validate(const std::vector<std::string>& texts) const {
        std::string command =
            python + " " + (folder_ / "validate.py").string() + " " + (folder_ / "schema.json").string();
        for (std::size_t i = 0; i < texts.size(); ++i) {
            folder_.write(std::to_string(i) + ".json", texts[i]);
            command += " " + (folder_ / (std::to_string(i) + ".json")).string();
        }
        const fs::path answer = folder_ / "answer";
        EXPECT_EQ(std::system((command + " > " + answer.string()).c_str()), 0);
        std::ifstream file(answer);
        std::vector<std::string> verdicts;
        for (std::string line; std::getline(file, line);) verdicts.push_back(line);
        EXPECT_EQ(verdicts.size(), texts.size());
        verdicts.resize(texts.size());
        return verdicts;
    }

    TempFolder folder_;
};

TEST_F(Schema, AcceptsEveryBuiltInScene) {
    std::vector<std::string> texts;
    for (const BuiltinScene& scene : builtin_scenes()) texts.push_back(Scene::load(scene.name).resolved());
    ASSERT_GE(texts.size(), 3u);
    for (const std::string& verdict : validate(texts)) EXPECT_EQ(verdict, "good");
}

TEST_F(Schema, AgreesWithTheReader) {
    const auto body = [](const std::string& inside) { return R"({"plush":1,"bodies":[)" + inside + "]}"; };
    const auto rigid = [&](const std::string& more) {
        return body(R"({"rigid":{"sphere":{"radius":1})" + more + "}}");
    };
    const std::vector<std::string> good{
        R"({"plush":1})",
        R"({"plush":1.0,"$schema":"x","include":[],"contact":{"points":4.0}})",
        R"({"plush":1,"rotation":"first_order","solver":{"friction":"cone"}})",
        R"({"plush":1,"variants":{"a":{},"b":{"label":"B","step":0.01,"solver.iterations":3}}})",
        rigid(R"(,"groups":[0,31],"collides_with":[],"mass":2)"),
        body(R"({"rigid":{"shape":"torus","size":0.1,"seed":4},"at":[0,1,0],"rotate":{"degrees":3}})"),
        body(R"({"fixed":{"half_space":{"normal":[0,0,1]}}})"),
        body(R"({"particles":{"positions":[[0,0,0]]}})"),
        body(R"({"one_of":[{"fixed":{"sphere":{"radius":1}}}],"repeat":{"grid":[1,2,3]}})"),
        body(R"({"cloth":{"shape":"icosphere","triangles":80}})"),
        body(R"({"cloth":{"integrator":"verlet","constraints":{"max_stretch":1.5,"obstacles":true}}})"),
        body(R"({"tet_springs":{"box":{"half_size":[1,1,1],"cells":[1,2,3]}}})"),
        body(
            R"({"shape_matching":{"box":{"half_size":[1,1,1]},"mode":"linear","cluster_size":0.5,"creep":2}})"),
        body(R"({"cloth":{"clusters":[{"ball":{"centre":[0,0,0],"radius":0.1},"stiffness":0.5}]}})"),
        R"({"plush":1,"materials":{"any name":{"friction":0}},"bodies":[{"ground":{"material":"any name"}}]})",
        R"({"plush":1,"bodies":[{"ground":{}},{"rigid":{"sphere":{"radius":1}},"name":"b"}],)"
        R"("joints":[{"ball":{"a":"b","anchor":[0,0,0]}}],"pairs":[{"a":"b","b":"ground","method":"none","collide":true}]})",
    };
    const std::vector<std::string> bad{
        "{}",
        "[]",
        R"({"plush":2})",
        R"({"plush":1,"stpe":0.01})",
        R"({"plush":1,"step":0})",
        R"({"plush":1,"step":"0.01"})",
        R"({"plush":1,"gravity":[0,0]})",
        R"({"plush":1,"gravity":[0,0,"x"]})",
        R"({"plush":1,"rotation":"fast"})",
        R"({"plush":1,"contact":{"points":2.5}})",
        R"({"plush":1,"contact":[]})",
        R"({"plush":1,"materials":{"a":{"friction":-1}}})",
        R"({"plush":1,"bodies":{}})",
        R"({"plush":1,"variants":[]})",
        R"({"plush":1,"variants":{"a":3}})",
        R"({"plush":1,"variants":{"a":{"label":3}}})",
        body("{}"),
        body("3"),
        body(R"({"ground":{},"rigid":{"sphere":{"radius":1}}})"),
        body(R"({"rigid":{}})"),
        body(R"({"rigid":{"sphere":{}}})"),
        body(R"({"rigid":{"half_space":{}}})"),
        body(R"({"rigid":{"shape":"torrus"}})"),
        body(R"({"rigid":{"mesh":""}})"),
        rigid(R"(,"box":{"half_size":[1,1,1]})"),
        rigid(R"(,"density":-5)"),
        rigid(R"(,"density":5,"mass":3)"),
        rigid(R"(,"size":5)"),
        rigid(R"(,"import":{})"),
        rigid(R"(,"groups":[32])"),
        rigid(R"(,"groups":[1,1])"),
        rigid(R"(,"sensor":1)"),
        body(R"({"one_of":[{"fixed":{"sphere":{"radius":1}}}]})"),
        body(R"({"particles":{"positions":[]}})"),
        body(R"({"particles":{}})"),
        body(R"({"ground":{},"rotate":{"axis":[0,1,0]}})"),
        body(R"({"rigid":{"sphere":{"radius":1}},"repeat":{"count":0}})"),
        body(R"({"rigid":{"sphere":{"radius":1}},"repeat":{"grid":[1,2,2.5]}})"),
        body(R"({"rigid":{"sphere":{"radius":1}},"repeat":{"count":2,"grid":[1,2,2],"step":[1,0,0]}})"),
        body(R"({"rigid":{"sphere":{"radius":1}},"repeat":{"count":2,"spacing":[1,0,0]}})"),
        body(R"({"cloth":{"shape":"icosphere","corner":[0,0,0]}})"),
        body(R"({"cloth":{"shape":"icosphere","mesh":"a.obj"}})"),
        body(R"({"cloth":{"size":2}})"),
        body(R"({"rope":{"integrator":"verlet","constraints":{"max_stretch":1.5,"inextensible":true}}})"),
        body(R"({"rope":{"integrator":"verlet","constraints":{"iterations":0}}})"),
        body(R"({"tet_springs":{}})"),
        body(R"({"tet_springs":{"box":{}}})"),
        body(R"({"tet_springs":{"box":{"half_size":[1,1,1]},"import":{}}})"),
        R"({"plush":1,"joints":[{}]})",
        R"({"plush":1,"pairs":[{"a":"x"}]})",
    };
    const auto reader = [](const std::string& text) {
        const SceneLoad load = Scene::try_parse(text, "/tmp", "test");
        return load.scene ? std::string("good") : std::string("bad");
    };
    const std::vector<std::string> good_verdicts = validate(good), bad_verdicts = validate(bad);
    for (std::size_t i = 0; i < good.size(); ++i) {
        EXPECT_EQ(reader(good[i]), "good") << good[i];
        EXPECT_EQ(good_verdicts[i], "good") << good[i];
    }
    for (std::size_t i = 0; i < bad.size(); ++i) {
        EXPECT_EQ(reader(bad[i]), "bad") << bad[i];
        EXPECT_EQ(bad_verdicts[i], "bad") << bad[i];
    }
}

// To make the page anew: PLUSH_WRITE_DOCS=1 test_scene --gtest_filter=Reference.*
TEST(Reference, ThePageInDocsIsUpToDate) {
    const fs::path page = PLUSH_SOURCE_DIR "/docs/scenes.md";
    if (std::getenv("PLUSH_WRITE_DOCS")) std::ofstream(page) << scene_reference_markdown();
    EXPECT_TRUE(read_text(page) == scene_reference_markdown())
        << "make it anew: PLUSH_WRITE_DOCS=1 build/test/tests/test_scene --gtest_filter='Reference.*'";
}

// A reader who has seen a list once need not see it again: no four rows in a row stand in two tables, no list of words
// twice, and every link leads to a table.
TEST(Reference, EveryListStandsOnceAndEveryLinkLeadsSomewhere) {
    std::istringstream page(scene_reference_markdown());
    std::set<std::string> titles, runs, lists;
    std::vector<std::string> rows, links;
    for (std::string line; std::getline(page, line);) {
        if (line.starts_with("## ")) {
            std::string title = line.substr(3);
            std::replace(title.begin(), title.end(), ' ', '-');
            EXPECT_TRUE(titles.insert(title).second) << title;
        }
        const bool row = line.starts_with("| `") && line.find("` to `") == line.npos;
        if (!row) rows.clear();
        if (row) rows.push_back(line);
        if (rows.size() >= 4) {
            std::string run;
            for (std::size_t k = rows.size() - 4; k < rows.size(); ++k) run += rows[k] + '\n';
            EXPECT_TRUE(runs.insert(run).second) << run;
        }
        if (const auto at = line.find(": `\""); at != line.npos && line.starts_with("| `")) {
            EXPECT_TRUE(lists.insert(line.substr(at)).second) << line;
        }
        for (auto at = line.find("](#"); at != line.npos; at = line.find("](#", at + 1))
            links.push_back(line.substr(at + 3, line.find(')', at) - at - 3));
    }
    EXPECT_GT(links.size(), 100u);
    for (const std::string& link : links) EXPECT_TRUE(titles.contains(link)) << link;
}

TEST(Reference, TheExampleOnThePageIsAGoodScene) {
    const std::string page = scene_reference_markdown();
    const auto from = page.find("```jsonc\n") + 9, to = page.find("```", from);
    const SceneLoad load = Scene::try_parse(page.substr(from, to - from), "/tmp", "test");
    EXPECT_TRUE(load.scene) << load.errors.at(0).what();
    EXPECT_TRUE(load.warnings.empty());
}

TEST(Document, LinesAreThoseOfTheValuesAndTextReadsBack) {
    Messages messages;
    messages.sources.push_back({"test", "/"});
    const std::string text =
        "// a comment\n{ \"a\": 1\n, \"b\": [ 2,\n 3 /* c\n */, -0.0, 1e-300, 0.1, true, null,\n "
        "\"x\\n\\u0001\\\"é\" ] }";
    const JsonNode root = parse_document(text, 0, messages);
    ASSERT_TRUE(messages.ok());
    EXPECT_EQ(root.line, 2);
    EXPECT_EQ(root.find("a")->line, 2);
    const auto& items = root.find("b")->items();
    EXPECT_EQ(items[0].line, 3);
    EXPECT_EQ(items[1].line, 4);
    EXPECT_EQ(items[2].line, 5);
    EXPECT_EQ(items[7].line, 6);
    const std::string written = write_document(root);
    const JsonNode again = parse_document(written, 0, messages);
    ASSERT_TRUE(messages.ok());
    EXPECT_EQ(write_document(again), written);
    EXPECT_TRUE(std::signbit(again.find("b")->items()[2].number));
    EXPECT_EQ(again.find("b")->items()[4].number, 0.1);
    EXPECT_EQ(again.find("b")->items()[7].text(), "x\n\x01\"é");
}

}  // namespace
}  // namespace plush
