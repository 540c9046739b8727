#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lab/bench/bench_bumps.hpp"
#include "lab/bench/bench_fem.hpp"
#include "lab/bench/bench_joints.hpp"
#include "lab/bench/bench_matching.hpp"
#include "lab/bench/bench_overlap.hpp"
#include "lab/bench/bench_penetration.hpp"
#include "lab/bench/bench_piles.hpp"
#include "lab/bench/bench_pyramid.hpp"
#include "lab/bench/bench_springs.hpp"
#include "lab/bench/bench_table1.hpp"
#include "lab/bench/bench_view.hpp"
#include "plush/core/error.hpp"
#include "plush/core/timers.hpp"

// Timings, which live here and never in a test. Machines are noisy: a row gives the minimum and the median of
// all steps, and whole runs are compared by their fastest.

namespace plush::lab {

struct Milliseconds {
    double min = 0, median = 0;
};

/// One line of a benchmark.
struct BenchRow {
    std::string name;
    long long triangles = 0, dofs = 0;
    long long tets = 0;       ///< made by the job; 0 where it makes none
    double contacts = 0;      ///< mean over the steps
    double step_seconds = 0;  ///< h; 0 where nothing is stepped
    double iterations = 0;    ///< mean over the steps
    std::array<Milliseconds, 6> phases{};
    bool phases_timed = false;
    Milliseconds step{};            ///< a whole step, or the whole job
    double steps_per_second = 0;    ///< of the fastest run, mean over all its steps
    double paper_ms = 0;            ///< a step of the same scene as published; 0: there is none
    double touching_worked_ms = 0;  ///< the same as all threads together have worked
    double touching_ms = 0;         ///< of that row: the mean of the steps in which bodies touch and move
    double memory_mib = 0;          ///< the most that the process has held
    int threads = 0;
    int runs = 0;
    std::string what;                    ///< what was timed, in words
    SpringsBench springs{};              ///< of `cloth` and `jelly`: their systems, taken apart
    std::vector<JointRowTime> joints{};  ///< of `chain`: chains and trees of growing size
    MatchingBench matching{};            ///< of `shape_matching`: beside another engine
    FemBench fem{};                      ///< of `fem`: elastic bodies, taken apart
    PenetrationBench penetration{};      ///< of `penetration`: a colliding point, stage by stage
    OverlapBench overlap{};              ///< of `overlap`: its scenes, and peers
    BumpsBench bumps{};                  ///< of `bumps`: beside other engines
    PyramidBench pyramid{};              ///< of `pyramid`: the same
    PilesBench piles{};                  ///< of `piles`: the same
    Table1Bench table1{};                ///< of `table1`: beside the published times
    ViewBench view{};                    ///< of `view`: what the viewer costs
};

struct BenchSettings {
    std::vector<std::string> names{};  ///< empty: all
    int threads = 0;
    int runs = 3;          ///< of each; the fastest counts
    std::string mesh{};    ///< for `mesh`, `tet` and `armadillos`: a file instead of a generated one
    std::string meshes{};  ///< for `table1` and scenes: the folder "meshes" of the scene; empty: none
    std::function<void(std::string_view)> progress{};
};

/// One benchmark.
struct Benchmark {
    std::string_view name, text;
    std::vector<BenchRow> (*run)(std::string_view name, const BenchSettings&);
};
/// All that are more than a built-in scene.
std::span<const Benchmark> benchmarks();
/// What can be timed: these, and every built-in scene.
std::vector<std::string> bench_names();

Result<std::vector<BenchRow>> bench(const BenchSettings& settings);

}  // namespace plush::lab
