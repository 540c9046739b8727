#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plush/scene/scene.hpp"

// Runs a scene and writes the run folder: summary.json, metrics.csv, frames.plush, checkpoint.plush and
// scene.json (docs/formats.md).

namespace plush {

/// Told after every step.
struct RunProgress {
    long long step = 0, steps = 0;  ///< done, and wanted
    long long first = 0;            ///< where this process began: above 0 when it resumed a run
    double time = 0;                ///< simulated, s
    double wall = 0;                ///< of this process since it began stepping, s
    int contacts = 0;
};

/// How a scene is run.
struct RunSettings {
    std::filesystem::path out{};       ///< the run folder; empty: nothing is written
    std::optional<double> duration{};  ///< simulated seconds from time 0; default: the scene's
    std::optional<long long> steps{};  ///< steps from time 0, instead of the duration
    int threads = 0;                   ///< 0: all there are
    bool frames = true;
    /// Simulated seconds between checkpoints. 0: one every half minute of real time. There is always one at
    /// the end and when the run is stopped.
    double checkpoint_every = 0;
    /// The world at the end is saved here (World::save); empty: it is not.
    std::filesystem::path save_world{};
    bool replace = false;  ///< start anew in a folder with an interrupted run
    /// A run folder whose state hashes this run is compared with, step by step.
    std::filesystem::path verify{};
    /// Called before every step; it may change the world, and must do the same in every run.
    std::function<void(World&)> before_step{};
    /// Called after every step; false stops the run, with a checkpoint to go on from.
    std::function<bool(const RunProgress&)> progress{};
};

/// One kind of trouble that steps of a run have had (ConvergenceReport): how often, and where it was worst.
struct RunFinding {
    std::string kind{};                 ///< of convergence_entries
    std::int64_t count = 0, steps = 0;  ///< how often, and in how many steps
    double worst = 0;                   ///< as WorstCase::value
    double time = 0;                    ///< of the worst, s
    std::string body{}, other{};        ///< names there
};
/// One sentence: what happened, how often, where it was worst, and the fix.
PLUSH_API std::string to_sentence(const RunFinding& finding, long long steps);

/// The content of summary.json.
struct RunSummary {
    std::string scene{};
    int threads = 0;
    double step = 0;                  ///< h, s
    long long steps = 0;              ///< done
    double simulated_seconds = 0;     ///< s
    std::array<double, 6> seconds{};  ///< of each phase
    double wall = 0;                  ///< s, recording included
    double contacts_mean = 0;
    long long contacts_max = 0;
    double largest_depth = 0;  ///< the largest overlap that a step left, m
    double residual = 0;       ///< the worst of all steps
    Energy start{}, end{};
    EnergyLedger ledger{};               ///< the sum over all steps
    ConvergenceReport convergence{};     ///< the same
    long long unconverged_steps = 0;     ///< in which a solve ended above its tolerance
    std::vector<RunFinding> findings{};  ///< one of each kind that happened
    std::uint64_t start_hash = 0, state_hash = 0, motion_hash = 0;
    long long frames = 0;  ///< recorded
    bool finished = false;
    /// Why it did not finish: the simulation went bad, or a file could not be written. Absent when the run
    /// was just stopped.
    std::optional<Error> error{};
    /// Not finished, and its checkpoint leads on: it was stopped, or a file could not be written. False where the physics
    /// went bad.
    bool can_go_on = false;
    /// What resume_run() found damaged and how it went on.
    std::vector<Error> warnings{};
    std::filesystem::path out{};

    /// The comparison with another run.
    struct Verified {
        std::filesystem::path run{};
        long long steps = 0;  ///< compared
        /// 0: the worlds differ before the first step.
        std::optional<long long> first_different{};
    };
    std::optional<Verified> verified{};
};

/// A word of Scene::record(): what it is, in which unit.
struct RecordHelp {
    std::string_view word, unit, text;
    std::string_view of;  ///< behind the colon: "NAME", "A/B", "K" (a joint's number) or nothing
};
PLUSH_API std::vector<RecordHelp> record_help();

/// The numbers of a run's metrics.csv. NaN where a column has no value; `state_hash` is left out.
struct RunMetrics {
    std::vector<std::string> names{};
    std::vector<std::string> units{};  ///< of each; empty where there is none
    std::size_t recorded = 0;          ///< so many at the end were asked for by the scene
    std::vector<std::vector<double>> columns{};
};
PLUSH_API Result<RunMetrics> metrics_of_run(const std::filesystem::path& folder);

/// One JSON document.
PLUSH_API std::string to_json(const RunSummary& summary);

/// Runs a scene from time 0. The Error is for what stands in the way before the first step; what goes wrong
/// later is in the summary, and what was written until then stays.
PLUSH_API Result<RunSummary> run_scene(const Scene& scene, const RunSettings& settings = {});

/// Goes on from the checkpoint of a run folder, to the same final state as a run that was never stopped. Files
/// that were damaged since are set aside, and what can be read of them is kept: see RunSummary::warnings. Refused where a file
/// of the scene has changed since the run began. Of
/// the settings, `out`, `frames`, `replace` and `verify` do not count. Without duration and steps, what the
/// first run was asked for.
PLUSH_API Result<RunSummary> resume_run(const std::filesystem::path& folder,
                                        const RunSettings& settings = {});

/// The scene that a run folder was made from.
PLUSH_API Result<Scene> scene_of_run(const std::filesystem::path& folder);

}  // namespace plush
