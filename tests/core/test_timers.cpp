#include <gtest/gtest.h>

#include <thread>

#include "plush/core/timers.hpp"

namespace plush {
namespace {

using namespace std::chrono_literals;

TEST(Timers, PhasesAddUpToTheTotal) {
    PhaseTimes times;
    for (std::size_t i = 0; i < phase_names.size(); ++i)
        times[static_cast<Phase>(i)] = static_cast<double>(1u << i);
    EXPECT_EQ(times.total(), 63.0);
    EXPECT_EQ(times[Phase::solve], 8.0);
    EXPECT_EQ(phase_names[static_cast<std::size_t>(Phase::stabilise)], "stabilise");
}

TEST(Timers, AScopeAddsItsLifeToItsOwnPhase) {
    PhaseTimes times;
    const auto start = std::chrono::steady_clock::now();
    for (Phase phase : {Phase::detect, Phase::detect, Phase::solve}) {
        const PhaseScope scope(times, phase);
        std::this_thread::sleep_for(2ms);
    }
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_GE(times[Phase::detect], 4e-3);  // twice 2 ms: a second visit adds to the first
    EXPECT_GE(times[Phase::solve], 2e-3);
    EXPECT_EQ(times[Phase::predict] + times[Phase::model] + times[Phase::correct], 0.0);
    EXPECT_LE(times.total(), wall);
}

}  // namespace
}  // namespace plush
