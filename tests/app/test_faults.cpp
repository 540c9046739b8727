#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "plush/core/random.hpp"
#include "support/files.hpp"

// Every system call of a short run that can fail is made to fail once, and from then on (tests/faults/failing_calls.cpp). After
// each the run can be brought to the same end: it goes on from its checkpoint, or the command is given again. So it is after an
// allocation that fails, and after `kill -9`.

namespace plush {
namespace {

using test::Outcome;
using test::TempFolder;

constexpr const char* scene =
    R"({ "plush": 1, "duration": 0.2, "frame_rate": 30, "bodies": [ { "ground": {} },
    { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] } }, "at": [0, 0.15, 0] },
    { "rope": { "from": [0.5, 0.2, 0], "to": [0.8, 0.2, 0], "segments": 6 } } ] })";

class FaultyRun {
public:
    FaultyRun() { temp_.write("scene.json", scene); }
    /// The hash that every way must lead to.
    std::string straight() {
        const Outcome run = test::plush(temp_.path(), {"run", "scene.json", "--out", "straight", "--json"});
        return hash_of(run);
    }
    static std::string hash_of(const Outcome& run) {
        const auto json = nlohmann::json::parse(run.out, nullptr, false);
        return json.is_object() && json.value("finished", false) ? json.value("state_hash", "") : "";
    }
    /// False where the run has fewer such calls.
    bool run_with(const std::string& fault) {
        std::filesystem::remove_all(temp_ / "run");
        std::filesystem::remove(temp_ / "hit");
        const std::string folder = (temp_ / "run").string(), hit = (temp_ / "hit").string();
        outcome =
            test::plush(temp_.path(),
                        {"run", "scene.json", "--out", folder, "--checkpoint-every", "0.05", "--json"}, [&] {
                            ::setenv("PLUSH_FAULT", fault.c_str(), 1);
                            ::setenv("PLUSH_FAULT_FOLDER", folder.c_str(), 1);
                            ::setenv("PLUSH_FAULT_HIT", hit.c_str(), 1);
                            ::setenv("LD_PRELOAD", PLUSH_FAILING_CALLS, 1);
                        });
        return std::filesystem::exists(temp_ / "hit");
    }
    /// As a user would: by the command that the message names, or the same command again.
    std::string bring_to_the_end() {
        const std::string folder = (temp_ / "run").string();
        const Outcome again = test::plush(temp_.path(), {"run", "scene.json", "--out", folder, "--json"});
        const bool refused = again.status == 2 && again.out.find("--resume") != again.out.npos;
        how = refused ? "resumed" : "again";
        if (!refused) return hash_of(again);
        return hash_of(test::plush(temp_.path(), {"run", "--resume", folder, "--json"}));
    }

    Outcome outcome{};
    std::string how{};

private:
    TempFolder temp_{};
};

void expect_the_same_end(const std::string& call) {
    FaultyRun run;
    const std::string expected = run.straight();
    ASSERT_FALSE(expected.empty());
    int n = 1, resumed = 0;
    for (; run.run_with(call + ":" + std::to_string(n)); ++n) {
        const std::string where = call + " " + std::to_string(n);
        // What the program says to have finished has finished.
        if (run.outcome.status == 0) {
            EXPECT_EQ(FaultyRun::hash_of(run.outcome), expected) << where;
            continue;
        }
        EXPECT_EQ(FaultyRun::hash_of(run.outcome), "") << where;
        EXPECT_GT(run.outcome.out.size(), 20u) << where << ": a JSON document even so";
        EXPECT_EQ(run.bring_to_the_end(), expected) << where << " " << run.how << " " << run.outcome.out;
        resumed += run.how == "resumed";
        ASSERT_LT(n, 200);
    }
    EXPECT_GT(n, 3) << "calls of this kind";
    EXPECT_GT(resumed, 0) << "a run that has a checkpoint is not thrown away";
}

TEST(Faults, AFailedWriteLosesNothing) {
    expect_the_same_end("write+");
}
TEST(Faults, AFailedSyncLosesNothing) {
    expect_the_same_end("fsync");
}
TEST(Faults, AFailedRenameLosesNothing) {
    expect_the_same_end("rename");
}
TEST(Faults, AFailedOpenLosesNothing) {
    expect_the_same_end("open");
}

/// An ordinary error and an end as by a crash are both allowed; what is written must lead to the same end.
void expect_allocations_may_fail(int tries, std::uint64_t seed) {
    FaultyRun run;
    const std::string expected = run.straight();
    ASSERT_FALSE(expected.empty());
    // How many there are: the first power of two that is not reached.
    double most = 1 << 12;
    while (most < 1e9 && run.run_with("new:" + std::to_string(static_cast<long>(most)))) most *= 2;
    Random random(seed);
    int hit = 0;
    for (int k = 0; k < tries; ++k) {
        const auto n = static_cast<long>(random.uniform(1, most));
        if (!run.run_with("new:" + std::to_string(n))) continue;
        ++hit;
        if (run.outcome.status == 0) {
            EXPECT_EQ(FaultyRun::hash_of(run.outcome), expected) << n;
            continue;
        }
        EXPECT_EQ(run.bring_to_the_end(), expected) << n << " " << run.how << " " << run.outcome.err;
    }
    EXPECT_GT(hit, tries / 4);
}
TEST(Faults, AllocationsThatFailLoseNothing) {
    expect_allocations_may_fail(25, 1);
}
TEST(FaultsFull, ThreeHundredAllocations) {
    expect_allocations_may_fail(300, 2);
}

/// Killed again and again, and gone on with each time.
void expect_kills_lose_nothing(const std::string& scene_name, const std::vector<std::string>& words,
                               int kills, std::uint64_t seed) {
    TempFolder temp;
    temp.write("scene.json", scene);
    const std::string out = (temp / "run").string();
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.end(), words.begin(), words.end());
        more.push_back("--json");
        return more;
    };
    const auto began = std::chrono::steady_clock::now();
    const std::string expected = FaultyRun::hash_of(
        test::plush(temp.path(), with({"run", scene_name, "--out", (temp / "straight").string()})));
    const double whole = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    ASSERT_FALSE(expected.empty()) << scene_name;
    Random random(seed);
    for (int k = 0; k < kills; ++k) {
        // The second of each pair comes while the first is gone on with.
        if (k % 2 == 0) std::filesystem::remove_all(temp / "run");
        const bool resumes = k % 2 == 1 && std::filesystem::exists(temp / "run/checkpoint.plush");
        std::vector<std::string> command =
            resumes ? std::vector<std::string>{"run", "--resume", out}
                    : with({"run", scene_name, "--out", out, "--replace", "--checkpoint-every", "0.02"});
        test::plush(temp.path(), command, {}, [&](pid_t child) {
            ::usleep(static_cast<useconds_t>(1e6 * random.uniform(0, 1.2 * whole)));
            ::kill(child, SIGKILL);
        });
        std::string end;
        if (std::filesystem::exists(temp / "run/checkpoint.plush"))
            end = FaultyRun::hash_of(test::plush(temp.path(), {"run", "--resume", out, "--json"}));
        else
            end = FaultyRun::hash_of(
                test::plush(temp.path(), with({"run", scene_name, "--out", out, "--replace"})));
        EXPECT_EQ(end, expected) << scene_name << ", kill " << k;
    }
}
TEST(Faults, KilledRunsGoOnToTheSameEnd) {
    expect_kills_lose_nothing("scene.json", {}, 12, 1);
}
TEST(FaultsFull, TwoHundredKillsOverTenScenes) {
    const char* scenes[] = {"bowl",    "cut",   "soft_toys_10", "cloth", "rope",
                            "ragdoll", "mixed", "jelly",        "stack", "chain"};
    std::uint64_t seed = 1;
    for (const char* name : scenes) expect_kills_lose_nothing(name, {"--steps", "12"}, 20, ++seed);
}

}  // namespace
}  // namespace plush
