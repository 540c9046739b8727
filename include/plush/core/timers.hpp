#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace plush {

/// The phases of a step, in their order. The same names stand in timings, metrics and code.
enum class Phase { predict, detect, model, solve, correct, stabilise };

inline constexpr std::array<std::string_view, 6> phase_names{"predict", "detect",  "model",
                                                             "solve",   "correct", "stabilise"};

/// Seconds spent in each phase of one step. Always on: reading the clock twice a phase costs nothing.
struct PhaseTimes {
    std::array<double, 6> seconds{};
    double& operator[](Phase phase) { return seconds[static_cast<std::size_t>(phase)]; }
    double operator[](Phase phase) const { return seconds[static_cast<std::size_t>(phase)]; }
    double total() const {
        double sum = 0;
        for (double s : seconds) sum += s;
        return sum;
    }
};

/// Adds the time of its own life to one phase.
class PhaseScope {
public:
    PhaseScope(PhaseTimes& times, Phase phase) : slot_(times[phase]), start_(Clock::now()) {}
    ~PhaseScope() { slot_ += std::chrono::duration<double>(Clock::now() - start_).count(); }
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    double& slot_;
    Clock::time_point start_;
};

}  // namespace plush
