#pragma once

#include <chrono>

#include "lab/bench/bench.hpp"
#include "plush/scene/scene.hpp"

// Runs of scenes, timed, and one scene by two methods.

namespace plush::lab {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double peak_memory_mib();
Milliseconds summary(std::vector<double> seconds);

/// The times of every step of one run.
struct Run {
    std::array<std::vector<double>, 6> phases;
    std::vector<double> steps;
    double wall = 0, contacts = 0, iterations = 0;
    double touching = 0;       ///< seconds of steps with contacts
    double worked = 0;         ///< the same, of all threads together
    double processor = 0;      ///< s, of all steps and all threads
    double largest_depth = 0;  ///< that a step has left, m
    int touching_steps = 0;
};

Run time_run(const Scene& scene, int threads);
void count_size(const Scene& scene, BenchRow& row);
/// What a run says of its row, where it is the fastest so far.
void take_run(const Run& run, BenchRow& row);

/// One scene by points and by volume, in turns. Machines are shared: what counts is the ratio of their processor times.
std::vector<BenchRow> bench_methods(const std::string& name, const BenchSettings& settings);

}  // namespace plush::lab
