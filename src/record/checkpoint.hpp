#pragma once

#include <optional>
#include <string>

#include "core/file.hpp"
#include "plush/core/state.hpp"
#include "plush/record/run.hpp"
#include "plush/world/world.hpp"
#include "record/run_folder.hpp"

// checkpoint.plush: all that a run needs to go on as if nothing had happened. It is replaced in one go, so
// that there is always a whole one, and it names how far frames.plush and metrics.csv had come.

namespace plush {

/// What a summary adds up over a run, across interruptions.
struct RunTotals {
    std::array<double, 6> seconds{};  ///< of each phase
    double wall = 0;                  ///< s, recording included
    double contacts = 0;              ///< sum over the steps
    std::int64_t max_contacts = 0;
    double largest_depth = 0;  ///< m
    double residual = 0;       ///< the worst
    Energy start{};
    EnergyLedger ledger{};
    ConvergenceReport convergence{};
    std::int64_t unconverged_steps = 0;
    std::vector<RunFinding> findings{};
    std::uint64_t start_hash = 0;
    std::int64_t frames = 0;
};

/// A file that a scene was read from, as it was when the run began.
struct InputFile {
    std::string path{};
    std::uint64_t bytes = 0, hash = 0;  ///< XXH3 of its content
    bool operator==(const InputFile&) const = default;
};

struct Checkpoint {
    std::vector<InputFile> inputs{};
    std::string scene_name{};
    std::string scene{};             ///< Scene::resolved()
    std::vector<std::byte> world{};  ///< World::snapshot()
    std::int64_t step = 0;           ///< steps done
    std::int64_t steps = 0;          ///< steps wanted
    std::uint8_t has_frames = 1;
    std::uint64_t frames_bytes = 0, metrics_bytes = 0;
    RunTotals totals{};
};

/// The checkpoint that was there before becomes the previous one.
Result<void> save_checkpoint(const RunFolder& folder, const Checkpoint& checkpoint);
Result<Checkpoint> load_checkpoint(const std::filesystem::path& path);

struct FoundCheckpoint {
    Checkpoint checkpoint{};
    std::filesystem::path file{};
    /// Why the newer one could not be used; absent where it was.
    std::optional<Error> newer{};
};
/// The newest checkpoint of a run that can be read.
Result<FoundCheckpoint> find_checkpoint(const RunFolder& folder);

/// All files that the text of a resolved scene names.
std::vector<InputFile> input_files(const std::string& resolved_scene);
/// An Error that names the first file that has changed since, or is gone.
Result<void> check_inputs(const Checkpoint& checkpoint);

}  // namespace plush
