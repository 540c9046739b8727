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

}  // namespace
}  // namespace plush
