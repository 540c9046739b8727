#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "app/program.hpp"
#include "support/files.hpp"

// Every system call of a short run that can fail is made to fail once, and from then on (tests/faults/failing_calls.cpp). After
// each the run can be brought to the same end: it goes on from its checkpoint, or the command is given again.

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

}  // namespace
}  // namespace plush
