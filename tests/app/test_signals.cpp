#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"

// Ctrl-C and a request to terminate end what can take minutes at once, and say so.

namespace plush {
namespace {

using nlohmann::json;
using test::Outcome;
using test::says;

struct Long {
    const char* what;
    std::vector<std::string> words;
};

// Each takes more than ten seconds if nothing stops it.
const Long tasks[] = {{"the validation", {"validate", "elastica", "beam_frequency"}},
                      {"the study", {"study", "fem"}},
                      {"the benchmark", {"bench", "fem", "--runs", "1"}}};

TEST(Signals, EndLongWorkAtOnce) {
    test::TempFolder folder;
    for (const Long& task : tasks)
        for (const int number : {SIGINT, SIGTERM}) {
            const bool as_json = number == SIGTERM;
            std::vector<std::string> words = task.words;
            if (as_json) words.push_back("--json");
            std::chrono::steady_clock::time_point sent;
            const Outcome outcome = test::plush(folder.path(), words, {}, [&](pid_t child) {
                ::usleep(300000);
                sent = std::chrono::steady_clock::now();
                ::kill(child, number);
            });
            const auto waited = std::chrono::steady_clock::now() - sent;
            EXPECT_EQ(outcome.status, 1) << task.what;
            const std::string message = std::string(task.what) + " was stopped by a signal";
            EXPECT_TRUE(says(outcome.err, message));
            EXPECT_LT(waited, std::chrono::seconds(2)) << task.what;
            if (as_json) {
                const json document = json::parse(outcome.out, nullptr, false);
                ASSERT_FALSE(document.is_discarded()) << outcome.out;
                EXPECT_TRUE(says(document["errors"][0]["problem"].get<std::string>(), message));
            } else {
                EXPECT_EQ(outcome.out, "");
            }
        }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));  // no half of a report
}

/// Sends a signal to a command that takes long, and measures how long the answer takes.
Outcome stopped(const test::TempFolder& folder, const std::vector<std::string>& words, int number,
                double after, double& seconds) {
    std::chrono::steady_clock::time_point sent;
    const Outcome outcome = test::plush(folder.path(), words, {}, [&](pid_t child) {
        ::usleep(static_cast<useconds_t>(1e6 * after));
        sent = std::chrono::steady_clock::now();
        ::kill(child, number);
    });
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - sent).count();
    return outcome;
}

TEST(Signals, EveryCommandAnswersWithinASecond) {
    test::TempFolder folder;
    ASSERT_EQ(
        test::plush(folder.path(), {"mesh", "make", "bear", "--triangles", "20000", "-o", "bear.obj"}).status,
        0);
    const std::vector<std::vector<std::string>> commands{
        {"run", "armadillos", "--out", "loading"},                          // loading, generating
        {"mesh", "make", "bear", "--triangles", "2000000", "-o", "x.obj"},  // generating
        {"mesh", "tet", "bear.obj", "--nodes", "600000", "-o", "x.mesh"},   // tetrahedralising
        {"check", "armadillos"}};
    const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    int next = 0;
    for (const auto& words : commands) {
        double seconds = 0;
        const Outcome outcome = stopped(folder, words, numbers[next++ % 3], 0.4, seconds);
        EXPECT_EQ(outcome.status, 1) << words[0] << " " << words[1] << outcome.err;
        EXPECT_LT(seconds, 1.5) << words[0] << " " << words[1];  // 0.7 at most by itself
        EXPECT_TRUE(says(outcome.err, "signal")) << words[0];
        EXPECT_FALSE(std::filesystem::exists(folder / words.back()));
    }
}

TEST(Signals, ALongStepIsLeftWithACheckpointToGoOnFrom) {
    test::TempFolder folder;
    // Two seconds a step: far too many sweeps.
    folder.write("slow.json", R"({ "plush": 1, "duration": 20, "step": 0.02,
        "solver": { "iterations": 1000000, "tolerance": 0, "newton": false, "accelerated": false }, "bodies": [ { "ground": {} },
        { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "at": [0, 0.1, 0] },
        { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "at": [0.02, 0.3, 0] } ] })");
    double seconds = 0;
    const Outcome outcome =
        stopped(folder, {"run", "slow.json", "--out", "run", "--threads", "1"}, SIGTERM, 0.5, seconds);
    EXPECT_EQ(outcome.status, 1) << outcome.err;
    EXPECT_LT(seconds, 1.5);
    EXPECT_TRUE(says(outcome.err, "stopped at step")) << outcome.err;
    EXPECT_TRUE(says(outcome.err, "--resume"));
    EXPECT_TRUE(std::filesystem::exists(folder / "run/checkpoint.plush"));
    EXPECT_TRUE(std::filesystem::exists(folder / "run/summary.json"));
}

}  // namespace
}  // namespace plush
