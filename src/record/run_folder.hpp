#pragma once

#include <filesystem>

#include "plush/core/error.hpp"

namespace plush {

/// The files of a run.
struct RunFolder {
    std::filesystem::path path;
    std::filesystem::path summary() const { return path / "summary.json"; }
    std::filesystem::path metrics() const { return path / "metrics.csv"; }
    std::filesystem::path frames() const { return path / "frames.plush"; }
    std::filesystem::path checkpoint() const { return path / "checkpoint.plush"; }
    /// The one before it, used where the newer cannot be read.
    std::filesystem::path previous_checkpoint() const { return path / "checkpoint.previous.plush"; }
    bool has_checkpoint() const {
        std::error_code ignored;
        return std::filesystem::exists(checkpoint(), ignored) ||
               std::filesystem::exists(previous_checkpoint(), ignored);
    }
    std::filesystem::path scene() const { return path / "scene.json"; }
};

/// Makes the folder ready for a new run: creates it, or takes over one that holds nothing, or an older run.
/// Of an older run only the files above are replaced; whatever else lies there stays. Refused, with a fix: a
/// folder that is not a run's, and (unless `replace`) a run that was interrupted and can still go on.
Result<void> prepare_run_folder(const RunFolder& folder, bool replace);

/// Whether the folder holds a run that ended before its end and can go on: it has a checkpoint, and a summary that says so (or
/// none: it was killed). A run whose physics went bad would only go bad again: it cannot.
bool can_go_on(const RunFolder& folder);

}  // namespace plush
