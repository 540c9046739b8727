#include <gtest/gtest.h>

#include <sys/resource.h>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// The command line is a contract: exit statuses, what goes to which stream, the shapes of the documents.

namespace plush::test {
namespace {

using nlohmann::json;

const char* small_scene = R"({ "plush": 1, "duration": 0.5,
    "bodies": [ { "ground": {} },
      { "rigid": { "sphere": { "radius": 0.1 } }, "at": [0, 0.15, 0] } ] })";

TEST(Cli, HelpAndVersion) {
    TempFolder folder;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--help"},
                                                  {"run", "--help"},
                                                  {"mesh", "make", "--help"},
                                                  {"check", "-h"}}) {
        const Outcome help = plush(folder.path(), words);
        EXPECT_EQ(help.status, 0);
        EXPECT_TRUE(says(help.out, "Usage"));
        EXPECT_EQ(help.err, "");
    }
    EXPECT_TRUE(says(plush(folder.path(), {"--help"}).out, "Exit status"));
    const Outcome version = plush(folder.path(), {"--version"});
    EXPECT_EQ(version.status, 0);
    EXPECT_TRUE(version.out.starts_with("plush ")) << version.out;
    EXPECT_TRUE(json::parse(plush(folder.path(), {"--version", "--json"}).out).contains("version"));
}

TEST(Cli, WrongUsageIsStatus2WithAHint) {
    TempFolder folder;
    const struct {
        std::vector<std::string> words;
        std::string hint;
    } cases[] = {
        {{}, "command"},
        {{"rnu", "bowl"}, "run"},
        {{"run"}, "plush scenes"},
        {{"run", "bowl", "--thread", "2"}, "--threads"},
        {{"run", "bowl", "--threads", "-3"}, "threads"},
        {{"run", "bowl", "--steps", "1", "--duration", "1"}, "--duration"},
        {{"run", "bowl", "--steps", "many"}, "steps"},
        {{"run", "bowl", "--duration", "nan"}, "duration"},
        {{"run", "--resume", "x", "--set", "step=1"}, "--set"},
        {{"validate", "--method", "automatic"}, "points or volume"},
        {{"mesh", "maek", "box"}, "make"},
        {{"mesh"}, "--help"},
        {{"check"}, "FILE"},
    };
    for (const auto& c : cases) {
        const Outcome outcome = plush(folder.path(), c.words);
        EXPECT_EQ(outcome.status, 2) << c.hint;
        EXPECT_EQ(outcome.out, "") << c.hint;
        EXPECT_TRUE(says(outcome.err, c.hint));
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "nothing was written";
    const Outcome document = plush(folder.path(), {"run", "--json", "--thred", "2", "bowl"});
    EXPECT_EQ(document.status, 2);
    EXPECT_TRUE(json::parse(document.out).contains("errors"));
}

TEST(Cli, RunWritesAFolderAndOneDocument) {
    TempFolder folder;
    write_text(folder / "small.json", small_scene);
    const Outcome plain = plush(folder.path(), {"run", "small.json"});
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_TRUE(says(plain.out, "state_hash"));
    EXPECT_TRUE(says(plain.out, "out/small"));
    for (const char* name :
         {"summary.json", "metrics.csv", "frames.plush", "checkpoint.plush", "scene.json"}) {
        EXPECT_TRUE(std::filesystem::exists(folder / "out/small" / name)) << name;
    }
    const Outcome document = plush(folder.path(), {"run", "small.json", "--json", "--quiet"});
    EXPECT_EQ(document.status, 0);
    EXPECT_EQ(document.err, "");
    EXPECT_EQ(json::parse(document.out), json::parse(read_text(folder / "out/small/summary.json")));
    EXPECT_EQ(json::parse(document.out)["steps"], 30);

    const Outcome quiet = plush(folder.path(), {"run", "small.json", "--quiet", "--no-frames", "--out", "q"});
    EXPECT_EQ(quiet.status, 0);
    EXPECT_EQ(quiet.out + quiet.err, "");
    EXPECT_FALSE(std::filesystem::exists(folder / "q/frames.plush"));

    // What runs kept of the scene is a scene.
    const Outcome again = plush(folder.path(), {"run", "out/small/scene.json", "--json", "--out", "again"});
    EXPECT_EQ(json::parse(again.out)["state_hash"], json::parse(document.out)["state_hash"]);
}

TEST(Cli, BadScenesAreStatus2WithAllErrors) {
    TempFolder folder;
    write_text(
        folder / "bad.json",
        R"({ "plush": 1, "bodies": [ { "rigid": { "sphere": { "radius": -1 } } }, { "rigid": { "mesh": "absent.obj" } } ] })");
    const Outcome outcome = plush(folder.path(), {"run", "bad.json", "--json"});
    EXPECT_EQ(outcome.status, 2);
    const json document = json::parse(outcome.out);
    EXPECT_GE(document["errors"].size(), 2u) << outcome.err;
    for (const json& error : document["errors"]) {
        for (const char* key : {"file", "place", "problem", "cure"}) EXPECT_TRUE(error.contains(key));
    }
    EXPECT_TRUE(says(outcome.err, "absent.obj"));
    EXPECT_FALSE(std::filesystem::exists(folder / "out"));
    EXPECT_EQ(plush(folder.path(), {"run", "no-such-scene"}).status, 2);
    EXPECT_EQ(plush(folder.path(), {"run", "--resume", "nowhere"}).status, 2);
    EXPECT_EQ(plush(folder.path(), {"run", "--verify", "nowhere"}).status, 2);
}

TEST(Cli, NeverTouchesAForeignFolder) {
    TempFolder folder;
    write_text(folder / "small.json", small_scene);
    const Outcome refused = plush(folder.path(), {"run", "small.json", "--out", "."});
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(says(refused.err, "something else"));
    EXPECT_EQ(read_text(folder / "small.json"), small_scene);
    EXPECT_EQ(plush(folder.path(), {"run", "small.json", "--out", "/proc/x"}).status, 2);
    EXPECT_EQ(plush(folder.path(), {"run", "small.json", "--out", "small.json"}).status, 2);
}

TEST(Cli, InterruptedRunsGoOn) {
    TempFolder folder;
    write_text(folder / "small.json", small_scene);
    const auto words = [](std::vector<std::string> more) {
        std::vector<std::string> all{"run",   "small.json",         "--steps", "200000", "--no-frames",
                                     "--set", "sleep.enabled=false"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    // Ctrl-C once there is something to keep.
    const Outcome stopped = plush(folder.path(), words({"--out", "cut"}), {}, [&](pid_t child) {
        while (::kill(child, 0) == 0 && !std::filesystem::exists(folder / "cut/scene.json")) ::usleep(1000);
        ::usleep(50000);
        ::kill(child, SIGINT);
    });
    EXPECT_EQ(stopped.status, 1);
    EXPECT_TRUE(says(stopped.err, "plush run --resume cut"));
    EXPECT_EQ(stopped.out, "");
    const json summary = json::parse(read_text(folder / "cut/summary.json"));
    EXPECT_EQ(summary["finished"], false);
    const auto step = summary["steps"].get<long long>();
    ASSERT_LT(step, 200000);
    const std::string total = std::to_string(step + 100);
    const Outcome resumed = plush(folder.path(), {"run", "--resume", "cut", "--steps", total, "--json"});
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    const Outcome straight =
        plush(folder.path(), {"run", "small.json", "--steps", total, "--no-frames", "--json", "--set",
                              "sleep.enabled=false", "--out", "straight"});
    EXPECT_EQ(json::parse(resumed.out)["state_hash"], json::parse(straight.out)["state_hash"]);
    const Outcome verified = plush(folder.path(), {"run", "--verify", "cut", "--json"});
    EXPECT_EQ(verified.status, 0) << verified.err;
    EXPECT_EQ(json::parse(verified.out)["verify"]["same"], true);
    EXPECT_EQ(json::parse(verified.out)["verify"]["steps"], step + 100);
    const Outcome other =
        plush(folder.path(), {"run", "small.json", "--set", "gravity=[0,-9.8,0]", "--verify", "cut"});
    EXPECT_EQ(other.status, 1);
    EXPECT_TRUE(says(other.err, "is the first that differs"));
}

TEST(Cli, FullDiskAndClosedPipesAreSaid) {
    TempFolder folder;
    write_text(folder / "small.json", small_scene);
    const auto to_full = [] { ::dup2(::open("/dev/full", O_WRONLY), STDOUT_FILENO); };
    const auto to_nobody = [] {
        int ends[2];
        if (::pipe(ends) != 0) ::_exit(97);
        ::dup2(ends[1], STDOUT_FILENO);
        ::close(ends[0]), ::close(ends[1]);
    };
    for (const auto& prepare : {std::function<void()>(to_full), std::function<void()>(to_nobody)}) {
        const Outcome outcome = plush(folder.path(), {"schema"}, prepare);
        EXPECT_EQ(outcome.status, 1);
        EXPECT_TRUE(says(outcome.err, "standard output"));
        EXPECT_EQ(plush(folder.path(), {"run", "small.json", "--json"}, prepare).status, 1);
        EXPECT_EQ(json::parse(read_text(folder / "out/small/summary.json"))["finished"], true);
    }
    // Files may not grow past 20 kB here: the frames do not fit.
    const Outcome full = plush(folder.path(), {"run", "small.json", "--steps", "3000", "--out", "full"}, [] {
        const rlimit limit{20000, 20000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
    });
    EXPECT_NE(full.status, 0);
    EXPECT_NE(full.status, -1) << "killed by a signal";
    EXPECT_TRUE(says(full.err, "File too large"));
}

TEST(Cli, CheckTellsUsableFromUnusableFromUnreadable) {
    TempFolder folder;
    write_text(folder / "good.json", small_scene);
    write_text(folder / "bad.json",
               R"({ "plush": 1, "bodies": [ { "rigid": { "sphere": { "radius": -1 } } } ] })");
    write_text(folder / "broken.json", "{ \"plush\": 1, ");
    write_text(folder / "tetra.obj",
               "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
    write_text(folder / "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    write_text(folder / "broken.obj", "v 0 0 zero\nf 1 2 3\n");
    const struct {
        std::string file;
        int status;
    } cases[] = {{"good.json", 0}, {"bad.json", 1},   {"broken.json", 2}, {"tetra.obj", 0},
                 {"open.obj", 1},  {"broken.obj", 2}, {"absent.obj", 2},  {"absent.json", 2}};
    for (const auto& c : cases) {
        const Outcome outcome = plush(folder.path(), {"check", c.file, "--json"});
        EXPECT_EQ(outcome.status, c.status) << c.file << outcome.out;
        const json document = json::parse(outcome.out);
        EXPECT_EQ(document["usable"], c.status == 0) << c.file;
        ASSERT_EQ(document["files"].size(), 1u);
        const json& file = document["files"][0];
        EXPECT_EQ(file["file"], c.file);
        EXPECT_TRUE(file.contains("closed"));
        EXPECT_EQ(file["problems"].empty(), c.status == 0) << c.file;
        for (const json& p : file["problems"]) {
            for (const char* key : {"where", "what", "cure"}) EXPECT_TRUE(p.contains(key));
        }
        const Outcome text = plush(folder.path(), {"check", c.file});
        EXPECT_EQ(text.status, c.status);
        EXPECT_TRUE(says(text.out, c.file));
    }
    const Outcome all = plush(folder.path(), {"check", "good.json", "open.obj", "broken.obj", "--json"});
    EXPECT_EQ(all.status, 2);
    EXPECT_EQ(json::parse(all.out)["files"].size(), 3u);
}

TEST(Cli, MeshesAreMadeMeasuredAndRepaired) {
    TempFolder folder;
    const Outcome made = plush(folder.path(), {"mesh", "make", "icosphere", "--triangles", "300", "--size",
                                               "2", "-o", "ball.obj", "--json"});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_EQ(json::parse(made.out)["usable"], true);
    const json info = json::parse(plush(folder.path(), {"mesh", "info", "ball.obj", "--json"}).out);
    EXPECT_EQ(info["closed"], true);
    // A ball of radius 1 has 4/3 π = 4.189 m³; 320 flat triangles hold a little less (measured 4.05).
    EXPECT_NEAR(info["volume"].get<double>(), 4.1, 0.1);
    const Outcome bear = plush(folder.path(), {"mesh", "make", "bear", "--triangles", "1000", "--seed", "2",
                                               "-o", "bear.ply", "--json"});
    EXPECT_EQ(json::parse(bear.out)["triangles"], 1000);
    EXPECT_EQ(json::parse(bear.out)["self_intersections"], 0);
    EXPECT_EQ(plush(folder.path(), {"mesh", "make", "icosfere", "-o", "x.obj"}).status, 2);
    EXPECT_EQ(plush(folder.path(), {"mesh", "make", "icosphere", "-o", "/proc/x.obj"}).status, 2);
    EXPECT_EQ(plush(folder.path(), {"mesh", "info", "absent.obj"}).status, 2);

    write_text(folder / "open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n");
    const Outcome repaired =
        plush(folder.path(), {"mesh", "repair", "open.obj", "-o", "closed.obj", "--json"});
    EXPECT_EQ(repaired.status, 0) << repaired.err;
    EXPECT_FALSE(json::parse(repaired.out)["actions"].empty());
    EXPECT_EQ(plush(folder.path(), {"check", "closed.obj"}).status, 0);
    const Outcome not_filled =
        plush(folder.path(), {"mesh", "repair", "open.obj", "-o", "still.obj", "--largest-hole", "0"});
    EXPECT_EQ(not_filled.status, 1) << not_filled.out;
}

TEST(Cli, ListsScenesAndSchema) {
    TempFolder folder;
    const json list = json::parse(plush(folder.path(), {"scenes", "--json"}).out);
    ASSERT_FALSE(list["scenes"].empty());
    EXPECT_TRUE(says(plush(folder.path(), {"scenes"}).out, list["scenes"][0]["name"].get<std::string>()));
    const Outcome schema = plush(folder.path(), {"schema", "--json"});
    EXPECT_EQ(schema.status, 0);
    EXPECT_TRUE(json::parse(schema.out).is_object());
}

/// A built-in scene: the same bits for one thread and two, and across a checkpoint into a new process.
void expect_same_bits(const std::string& name, int steps) {
    TempFolder folder;
    const json list = json::parse(plush(folder.path(), {"scenes", "--json"}).out)["scenes"];
    const auto scene =
        std::find_if(list.begin(), list.end(), [&](const json& s) { return s["name"] == name; });
    ASSERT_NE(scene, list.end()) << "the file is in the folder of scenes, and the program does not know it";
    const std::string all = std::to_string(steps), half = std::to_string(steps / 2);
    const auto run = [&](std::vector<std::string> words) {
        words.insert(words.end(), {"--json", "--quiet"});
        const Outcome outcome = plush(folder.path(), std::move(words));
        EXPECT_EQ(outcome.status, 0) << name << outcome.err;
        return outcome.status == 0 ? json::parse(outcome.out)["state_hash"].get<std::string>() : "";
    };
    const auto compare = [&](const std::vector<std::string>& choice) {
        const auto begin = [&](std::vector<std::string> words) {
            words.insert(words.begin(), {"run", name});
            words.insert(words.end(), choice.begin(), choice.end());
            return run(std::move(words));
        };
        const std::string which = name + (choice.empty() ? "" : " " + choice.back());
        const std::string straight = begin({"--steps", all, "--threads", "1", "--out", "straight"});
        begin({"--steps", half, "--threads", "2", "--out", "part"});
        EXPECT_EQ(run({"run", "--resume", "part", "--steps", all, "--threads", "2"}), straight) << which;
        EXPECT_EQ(read_text(folder / "part/frames.plush"), read_text(folder / "straight/frames.plush"))
            << which;
    };
    // Each variant is a scene of its own.
    for (const json& variant : (*scene)["variants"]) compare({"--variant", variant});
    if ((*scene)["variants"].empty()) compare({});
}

std::vector<std::string> scene_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(PLUSH_SOURCE_DIR "/scenes"))
        if (entry.path().extension() == ".jsonc") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

class BuiltinScene : public testing::TestWithParam<std::string> {};
TEST_P(BuiltinScene, ResumesToTheSameBits) {
    expect_same_bits(GetParam(), 16);
}
INSTANTIATE_TEST_SUITE_P(Every, BuiltinScene, testing::ValuesIn(scene_names()),
                         [](const auto& scene) { return scene.param; });

TEST(CliFull, EverySceneResumesToTheSameBits) {
    for (const std::string& name : scene_names()) expect_same_bits(name, 120);
}

TEST(Cli, AStudyWritesItsNumbersBesideTheReport) {
    TempFolder folder;
    const Outcome plain = plush(folder.path(), {"study", "rotation", "--quiet"});
    EXPECT_EQ(plain.status, 0) << plain.err;
    EXPECT_TRUE(read_text(folder / "rotation.html").starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(read_text(folder / "rotation_csv/energy.csv").starts_with("series,Time (s),"));
    const Outcome chosen =
        plush(folder.path(), {"study", "rotation", "-o", "r.html", "--csv", "data", "--quiet", "--json"});
    EXPECT_EQ(chosen.status, 0) << chosen.err;
    EXPECT_EQ(json::parse(chosen.out)["csv"], "data");
    EXPECT_EQ(read_text(folder / "data/orders.csv"), read_text(folder / "rotation_csv/orders.csv"));
    EXPECT_FALSE(std::filesystem::exists(folder / "r_csv"));
    const Outcome blocked = plush(folder.path(), {"study", "rotation", "--csv", "r.html", "--quiet"});
    EXPECT_EQ(blocked.status, 1) << "a file is in the way";
    EXPECT_TRUE(says(blocked.err, "r.html"));
}

}  // namespace
}  // namespace plush::test
