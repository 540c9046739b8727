#pragma once

#include "plush/record/run.hpp"

// Variants of a scene, run one after the other into folders beside each other: OUT/variants.json says which
// they are and holds their scenes, OUT/NAME is an ordinary run folder (docs/formats.md).

namespace plush {

/// Of a folder of variants.
struct VariantRun {
    SceneVariant variant{};
    std::filesystem::path folder{};
};

/// Whether this is a folder of variants.
PLUSH_API bool holds_variants(const std::filesystem::path& folder);
/// In the order of the scene file.
PLUSH_API Result<std::vector<VariantRun>> variants_of(const std::filesystem::path& folder);

/// How the variants of a scene are run.
struct VariantSettings {
    /// Of each run. `out` is the folder of all; `verify`, a folder of variants of the same names, or none.
    RunSettings run{};
    /// Told before each run, for progress bars.
    std::function<void(const Scene&)> begins{};
    /// Told after each run.
    std::function<void(const RunSummary&)> ends{};
};

/// Runs them all. One that goes bad, or cannot begin, does not stop the others: its summary has the error. A false from
/// `progress` stops them, and leaves everything resumable.
PLUSH_API Result<std::vector<RunSummary>> run_variants(std::span<const SceneVariant> variants,
                                                       std::span<const Scene> scenes,
                                                       const VariantSettings& settings);

/// Goes on with those that are not finished, and begins those that were not begun. Without duration and
/// steps, to where the first run was to go.
PLUSH_API Result<std::vector<RunSummary>> resume_variants(const std::filesystem::path& folder,
                                                          const VariantSettings& settings);

/// Runs them again, without writing anything, and compares with what is there.
PLUSH_API Result<std::vector<RunSummary>> verify_variants(const std::filesystem::path& folder,
                                                          const VariantSettings& settings);

}  // namespace plush
