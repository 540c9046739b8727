#pragma once

#include <chrono>
#include <optional>

#include "plush/record/run.hpp"
#include "record/capture.hpp"
#include "record/checkpoint.hpp"
#include "record/metrics.hpp"
#include "record/run_folder.hpp"

namespace plush {

/// Keeps the run folder of a world that someone else steps.
class Recorder {
public:
    /// A new run: prepares the folder and writes the first frame.
    static Result<Recorder> start(const Scene& scene, const World& world, const RunSettings& settings,
                                  long long steps);
    /// Goes on with the folder of a checkpoint. `world` is restored already. Damaged files are salvaged.
    static Result<Recorder> resume(const Scene& scene, const World& world, const RunSettings& settings,
                                   long long steps, const std::filesystem::path& folder,
                                   FoundCheckpoint found);

    /// After every step: adds up, writes the row of metrics, the frame and the checkpoint where they are due.
    Result<void> after_step(const World& world, std::uint64_t state_hash);
    Result<void> checkpoint(const World& world);
    bool has_checkpoint() const { return metrics_ && folder_.has_checkpoint(); }
    /// Rows that still wait in memory.
    Result<void> flush();

    /// With everything but how the run ended.
    RunSummary summary(const World& world) const;
    Result<void> write_summary(const RunSummary& summary) const;
    double wall_since_start() const;

private:
    Recorder(const Scene& scene, const World& world, const RunSettings& settings, long long steps);
    bool frame_due(long long step) const;
    bool columns_due(long long step) const;
    Result<void> choose_columns(const World& world);
    bool checkpoint_due(const World& world) const;
    Result<void> write_frame(const World& world);
    Result<void> open_salvaged(const FoundCheckpoint& found);

    using Clock = std::chrono::steady_clock;

    Scene scene_;
    RunFolder folder_;
    double step_;
    double checkpoint_every_;
    int threads_;
    long long steps_;
    FrameCapture capture_;
    Frame frame_{};
    RecordColumns columns_{};  // that the scene asks for
    std::optional<FrameWriter> frames_{};
    std::optional<MetricsWriter> metrics_{};
    RunTotals totals_{};
    std::vector<InputFile> inputs_{};
    std::vector<Error> warnings_{};
    Clock::time_point start_, last_checkpoint_;
};

}  // namespace plush
