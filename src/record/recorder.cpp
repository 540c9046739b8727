#include "record/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"

namespace plush {

namespace {

/// Without a wish of the user's: a crash or a power cut costs at most so much work, and writing costs nothing
/// that can be noticed.
constexpr double seconds_between_checkpoints = 30;

/// Times are steps × h and rates are decimal numbers: k h f may miss a whole number by rounding.
constexpr double schedule_slack = 1e-9;

/// How many periods have begun after so many steps.
double periods(long long step, double h, double rate) {
    return std::floor(static_cast<double>(step) * h * rate * (1 + schedule_slack) + schedule_slack);
}

double seconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace

Recorder::Recorder(const Scene& scene, const World& world, const RunSettings& settings, long long steps)
    : scene_(scene),
      step_(world.settings().step),
      checkpoint_every_(settings.checkpoint_every),
      threads_(Parallel(settings.threads).threads()),
      steps_(steps),
      capture_(world),
      start_(Clock::now()),
      last_checkpoint_(start_) {}

Result<Recorder> Recorder::start(const Scene& scene, const World& world, const RunSettings& settings,
                                 long long steps) {
    Recorder recorder(scene, world, settings, steps);
    recorder.totals_.start = world.energy();
    recorder.totals_.start_hash = world.state_hash();
    if (settings.out.empty()) return recorder;

    recorder.folder_.path = settings.out;
    if (auto ready = prepare_run_folder(recorder.folder_, settings.replace); !ready) return ready.error();
    auto metrics = MetricsWriter::create(recorder.folder_.metrics());
    if (!metrics) return metrics.error();
    recorder.metrics_ = std::move(metrics).value();
    const std::string& text = scene.resolved();
    if (auto kept = replace_file(recorder.folder_.scene(), std::as_bytes(std::span(text))); !kept)
        return kept.error();
    if (!settings.frames) return recorder;

    auto frames = FrameWriter::create(recorder.folder_.frames(),
                                      recorder.capture_.header(world, scene.name(), scene.frame_rate()));
    if (!frames) return frames.error();
    recorder.frames_ = std::move(frames).value();
    if (auto written = recorder.write_frame(world); !written) return written.error();
    return recorder;
}

Result<Recorder> Recorder::resume(const Scene& scene, const World& world, const RunSettings& settings,
                                  long long steps, const std::filesystem::path& folder,
                                  const Checkpoint& checkpoint) {
    Recorder recorder(scene, world, settings, steps);
    recorder.folder_.path = folder;
    recorder.totals_ = checkpoint.totals;
    auto metrics = MetricsWriter::resume(recorder.folder_.metrics(), checkpoint.metrics_bytes);
    if (!metrics) return metrics.error();
    recorder.metrics_ = std::move(metrics).value();
    if (!checkpoint.has_frames) return recorder;
    auto frames = FrameWriter::resume(recorder.folder_.frames(), checkpoint.frames_bytes);
    if (!frames) return frames.error();
    recorder.frames_ = std::move(frames).value();
    return recorder;
}

bool Recorder::frame_due(long long step) const {
    // By the step alone, so that a resumed run takes the same frames as one that was never stopped.
    const double rate = scene_.frame_rate();
    return frames_ && periods(step, step_, rate) > periods(step - 1, step_, rate);
}

bool Recorder::checkpoint_due(const World& world) const {
    if (!metrics_) return false;
    if (checkpoint_every_ <= 0)
        return seconds(Clock::now() - last_checkpoint_) >= seconds_between_checkpoints;
    const double rate = 1 / checkpoint_every_;
    return periods(world.steps(), step_, rate) > periods(world.steps() - 1, step_, rate);
}

Result<void> Recorder::write_frame(const World& world) {
    capture_.take(world, frame_);
    if (auto written = frames_->write(frame_); !written) return written;
    ++totals_.frames;
    return {};
}

Result<void> Recorder::after_step(const World& world, std::uint64_t state_hash) {
    const StepReport& report = world.report();
    for (std::size_t i = 0; i < totals_.seconds.size(); ++i) totals_.seconds[i] += report.times.seconds[i];
    totals_.contacts += report.contacts;
    totals_.most_contacts = std::max<std::int64_t>(totals_.most_contacts, report.contacts);
    totals_.largest_depth = std::max(totals_.largest_depth, report.largest_depth);
    totals_.residual = std::max(totals_.residual, report.residual);
    totals_.ledger += report.ledger;
    totals_.convergence += report.convergence;
    totals_.unconverged_steps += !report.convergence.clean();
    if (metrics_) {
        if (auto written = metrics_->write(metrics_row(world, state_hash)); !written) return written;
    }
    if (frame_due(world.steps())) {
        if (auto written = write_frame(world); !written) return written;
    }
    return checkpoint_due(world) ? checkpoint(world) : Result<void>{};
}

Result<void> Recorder::checkpoint(const World& world) {
    if (!metrics_) return {};
    // First the files that the checkpoint speaks of, then the checkpoint.
    if (auto done = metrics_->sync(); !done) return done;
    if (frames_) {
        if (auto done = frames_->sync(); !done) return done;
    }
    Checkpoint now{.scene_name = scene_.name(),
                   .scene = scene_.resolved(),
                   .world = world.snapshot(),
                   .step = world.steps(),
                   .steps = steps_,
                   .has_frames = frames_.has_value(),
                   .frames_bytes = frames_ ? frames_->bytes() : 0,
                   .metrics_bytes = metrics_->bytes(),
                   .totals = totals_};
    now.totals.wall += wall_since_start();
    last_checkpoint_ = Clock::now();
    return save_checkpoint(folder_.checkpoint(), now);
}

Result<void> Recorder::flush() {
    return metrics_ ? metrics_->flush() : Result<void>{};
}

RunSummary Recorder::summary(const World& world) const {
    const double steps = std::max(1.0, static_cast<double>(world.steps()));
    return {.scene = scene_.name(),
            .threads = threads_,
            .step = step_,
            .steps = world.steps(),
            .simulated_seconds = world.time(),
            .seconds = totals_.seconds,
            .wall = totals_.wall + wall_since_start(),
            .contacts_mean = totals_.contacts / steps,
            .contacts_max = totals_.most_contacts,
            .largest_depth = totals_.largest_depth,
            .residual = totals_.residual,
            .start = totals_.start,
            .end = world.energy(),
            .ledger = totals_.ledger,
            .convergence = totals_.convergence,
            .unconverged_steps = totals_.unconverged_steps,
            .start_hash = totals_.start_hash,
            .state_hash = world.state_hash(),
            .motion_hash = world.motion_hash(),
            .frames = totals_.frames,
            .out = folder_.path};
}

Result<void> Recorder::write_summary(const RunSummary& summary) const {
    if (!metrics_) return {};
    const std::string text = to_json(summary);
    return replace_file(folder_.summary(), std::as_bytes(std::span(text)));
}

double Recorder::wall_since_start() const {
    return seconds(Clock::now() - start_);
}

}  // namespace plush
