#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// plush mesh tet, and what plush mesh info says of tets.

namespace plush::test {
namespace {

using nlohmann::json;

class MeshTet : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(run({"mesh", "make", "bear", "--triangles", "1000", "-o", "bear.obj"}).status, 0);
    }
    Outcome run(const std::vector<std::string>& words) { return plush(folder_.path(), words); }
    void write(const std::string& name, const std::string& text) { folder_.write(name, text); }

private:
    TempFolder folder_;
};

TEST_F(MeshTet, FillsASurfaceByEachMethod) {
    for (const std::vector<std::string>& way :
         {std::vector<std::string>{}, {"--method", "delaunay"}, {"--conforming"}, {"--nodes", "800"}}) {
        std::vector<std::string> words{"mesh", "tet", "bear.obj", "-o", "bear.mesh", "--json"};
        words.insert(words.end(), way.begin(), way.end());
        const Outcome made = run(words);
        ASSERT_EQ(made.status, 0) << made.err;
        const json document = json::parse(made.out);
        EXPECT_GT(document["tets"], 500);
        EXPECT_GE(document["min_dihedral"], 10);
        EXPECT_EQ(document["inverted"], 0);
        const json info = json::parse(run({"mesh", "info", "bear.mesh", "--json"}).out);
        EXPECT_EQ(info["tets"]["tets"], document["tets"]);
        EXPECT_EQ(info["tets"]["nodes"], document["nodes"]);
        EXPECT_NEAR(info["tets"]["min_dihedral"].get<double>(), document["min_dihedral"].get<double>(), 1e-9);
    }
    const Outcome text = run({"mesh", "tet", "bear.obj", "-o", "bear.mesh", "--cells", "6"});
    EXPECT_TRUE(says(text.out, "dihedral angles 60 to 90 degrees"));
    EXPECT_TRUE(says(run({"mesh", "info", "bear.mesh"}).out, "outer faces"));
    EXPECT_EQ(run({"check", "bear.mesh"}).status, 0);  // though its outer faces meet at edges
}

TEST_F(MeshTet, SaysWhatItCannotDo) {
    write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n");
    const struct {
        std::vector<std::string> words;
        std::string hint;
    } cases[] = {{{"open.obj", "-o", "x.mesh"}, "plush mesh repair"},
                 {{"absent.obj", "-o", "x.mesh"}, "absent.obj"},
                 {{"bear.obj", "-o", "x.obj"}, ".mesh"},
                 {{"bear.obj", "-o", "x.mesh", "--cells", "1000000"}, "million tets at most"},
                 {{"bear.obj", "-o", "x.mesh", "--cells", "0"}, "--cells: 0 is not a number above 0"},
                 {{"bear.obj", "-o", "x.mesh", "--edge", "0.1", "--nodes", "100"}, "excludes"},
                 {{"bear.obj", "-o", "x.mesh", "--method", "delauney"}, "take lattice or delaunay"},
                 {{"bear.obj", "-o", "x.mesh", "--method", "delaunay", "--conforming"}, "lattice"}};
    for (const auto& [words, hint] : cases) {
        std::vector<std::string> all{"mesh", "tet"};
        all.insert(all.end(), words.begin(), words.end());
        const Outcome outcome = run(all);
        EXPECT_EQ(outcome.status, 2) << hint;
        EXPECT_TRUE(says(outcome.err, hint));
    }
}

TEST_F(MeshTet, TetFilesAreChecked) {
    const std::string nodes =
        "MeshVersionFormatted 2\nDimension 3\nVertices 6\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n1 1 1 0\n2 2 2 "
        "0\n";
    const auto tets = [&](const std::string& list, int count) {
        return nodes + "Tetrahedra " + std::to_string(count) + "\n" + list + "End\n";
    };
    write("turned.mesh", tets("1 3 2 4 0\n", 1));
    EXPECT_TRUE(says(run({"mesh", "info", "turned.mesh"}).out, "1 tets are inverted"));
    write("twice.mesh", tets("1 2 3 4 0\n2 1 3 4 0\n", 2));
    const Outcome twice = run({"mesh", "info", "twice.mesh"});
    EXPECT_EQ(twice.status, 2);
    EXPECT_TRUE(says(twice.err, "same four vertices as tet 0"));
    EXPECT_EQ(run({"check", "turned.mesh"}).status, 0);
    EXPECT_EQ(run({"check", "twice.mesh"}).status, 1);
    write("third.mesh", tets("1 2 3 4 0\n2 3 4 5 0\n2 3 4 6 0\n", 3));
    const Outcome third = run({"mesh", "info", "third.mesh"});
    EXPECT_EQ(third.status, 2);
    EXPECT_TRUE(says(third.err, "third at a face"));
}

}  // namespace
}  // namespace plush::test
