#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// What the program must not do whatever it is given: go on in silence, wait for ever, take the machine.

namespace plush {
namespace {

using nlohmann::json;
using test::Outcome;
using test::says;
using test::TempFolder;

constexpr const char* cut_short = R"({ "plush": 1, "duration": 0.2,
    "solver": { "iterations": 1, "newton": false, "tolerance": 1e-12 }, "bodies": [ { "ground": {} },
    { "name": "low", "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "at": [0, 0.1, 0] },
    { "name": "high", "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] }, "density": 1e6 }, "at": [0.02, 0.3, 0] } ] })";

TEST(Strict, WhatGoesLessWellIsAWarningOrAnError) {
    TempFolder folder;
    folder.write("scene.json", cut_short);
    const Outcome plain = test::plush(folder.path(), {"run", "scene.json"});
    EXPECT_EQ(plain.status, 0);
    EXPECT_TRUE(says(plain.err, "warning: scene: the solve of contacts and joints"));
    EXPECT_TRUE(says(plain.err, "worst at"));
    const Outcome strict = test::plush(folder.path(), {"run", "scene.json", "--strict", "--json", "--quiet"});
    EXPECT_EQ(strict.status, 1);
    EXPECT_TRUE(says(strict.err, "ended above its tolerance"));
    const json summary = json::parse(strict.out, nullptr, false);
    ASSERT_TRUE(summary.is_object());
    EXPECT_EQ(summary["finished"], true);
    EXPECT_EQ(summary["findings"][0]["kind"], "islands");
}

/// The longest of all answers here is some 10 ms.
Outcome within(double seconds, const TempFolder& folder, const std::vector<std::string>& words) {
    const auto began = std::chrono::steady_clock::now();
    const Outcome outcome = test::plush(folder.path(), words, [] { ::alarm(20); });
    EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(), seconds)
        << words[0] << " " << words[1];
    return outcome;
}

TEST(Inputs, PipesDevicesAndFoldersAreRefusedAtOnce) {
    TempFolder folder;
    ASSERT_EQ(::mkfifo((folder / "pipe.json").c_str(), 0666), 0);
    ASSERT_EQ(::mkfifo((folder / "pipe.obj").c_str(), 0666), 0);
    std::filesystem::create_directory(folder / "folder.json");
    std::filesystem::create_directory(folder / "run");
    ASSERT_EQ(::mkfifo((folder / "run/checkpoint.plush").c_str(), 0666), 0);
    folder.write("mesh.json", R"({ "plush": 1, "bodies": [ { "rigid": { "mesh": "pipe.obj" } } ] })");
    folder.write("include.json", R"({ "plush": 1, "include": ["pipe.json"], "bodies": [] })");
    const std::vector<std::vector<std::string>> commands{
        {"run", "pipe.json"},      {"check", "pipe.json"},       {"run", "folder.json"},
        {"run", "/dev/zero"},      {"mesh", "info", "pipe.obj"}, {"check", "pipe.obj"},
        {"check", "mesh.json"},    {"check", "include.json"},    {"run", "--resume", "run"},
        {"run", "--verify", "run"}};
    for (const auto& words : commands) {
        const Outcome outcome = within(5, folder, words);
        EXPECT_TRUE(outcome.status == 1 || outcome.status == 2) << words[1] << " " << outcome.status;
    }
}

TEST(Inputs, NumbersOnTheCommandLineHaveLimits) {
    TempFolder folder;
    folder.write("scene.json", R"({ "plush": 1, "duration": 0.02, "bodies": [ { "ground": {} },
        { "rigid": { "sphere": { "radius": 0.1 } }, "at": [0, 1, 0] } ] })");
    ASSERT_EQ(test::plush(folder.path(), {"run", "scene.json", "--out", "run", "--quiet"}).status, 0);
    const std::vector<std::vector<std::string>> commands{
        {"render", "run", "--camera", "1e300,0,0;0,0,0;35"},
        {"render", "run", "--orbit", "1e300"},
        {"render", "run", "--orbit", "nan"},
        {"plot", "run", "--from", "nan"},
        {"mesh", "make", "box", "--size", "1e300", "-o", "x.obj"}};
    for (const auto& words : commands) EXPECT_EQ(within(5, folder, words).status, 2) << words[3];
}

TEST(Inputs, AMegabyteOfEmptyBodiesTakesMegabytes) {
    TempFolder folder;
    std::string text = R"({"plush":1,"bodies":[{})";
    for (int k = 0; k < 350'000; ++k) text += ",{}";
    folder.write("scene.json", text + "]}");
    const Outcome outcome = test::plush(folder.path(), {"check", "scene.json"}, [] {
        const rlimit most{6ull << 30, 6ull << 30};  // of addresses; it had asked for 10 GiB and used them
        ::setrlimit(RLIMIT_AS, &most);
        ::alarm(20);
    });
    EXPECT_EQ(outcome.status, 1) << outcome.err.substr(0, 200);  // readable, and of no use
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    EXPECT_LT(used.ru_maxrss / 1024, 400) << "MiB of the largest program so far";  // 130
}

}  // namespace
}  // namespace plush
