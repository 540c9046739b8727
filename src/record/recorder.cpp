#include "record/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "record/findings.hpp"
#include "record/salvage.hpp"

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
    if (auto chosen = recorder.choose_columns(world); !chosen) return chosen.error();
    recorder.totals_.start = world.energy();
    recorder.totals_.start_hash = world.state_hash();
    if (settings.out.empty()) return recorder;

    recorder.inputs_ = input_files(scene.resolved());
    recorder.folder_.path = settings.out;
    if (auto ready = prepare_run_folder(recorder.folder_, settings.replace); !ready) return ready.error();
    auto metrics = MetricsWriter::create(recorder.folder_.metrics(), recorder.columns_.names());
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
                                  FoundCheckpoint found) {
    Recorder recorder(scene, world, settings, steps);
    recorder.folder_.path = folder;
    recorder.totals_ = found.checkpoint.totals;
    recorder.inputs_ = found.checkpoint.inputs;
    if (auto chosen = recorder.choose_columns(world); !chosen) return chosen.error();
    if (auto opened = recorder.open_salvaged(found); !opened) return opened.error();
    if (recorder.warnings_.empty()) return recorder;
    // The checkpoint that there is speaks of the files as they were.
    if (auto saved = recorder.checkpoint(world); !saved) return saved.error();
    return recorder;
}

Result<void> Recorder::open_salvaged(const FoundCheckpoint& found) {
    const auto note = [&](const std::vector<Error>& notes) {
        warnings_.insert(warnings_.end(), notes.begin(), notes.end());
    };
    auto metrics = salvage_metrics(folder_.metrics(), metrics_heading(columns_.names()), found.checkpoint);
    if (!metrics) return metrics.error();
    metrics_ = std::move(metrics.value().writer);
    note(metrics.value().notes);
    if (found.checkpoint.has_frames) {
        // A header is of the world at time 0.
        const auto header = [&]() -> Result<FramesHeader> {
            try {
                const World world = scene_.build(threads_);
                return FrameCapture(world).header(world, scene_.name(), scene_.frame_rate());
            } catch (const Error& error) {
                return error;
            }
        };
        auto frames = salvage_frames(folder_.frames(), found.checkpoint, header);
        if (!frames) return frames.error();
        frames_ = std::move(frames.value().writer);
        totals_.frames = frames.value().kept;
        note(frames.value().notes);
    }
    std::error_code ignored;
    if (found.newer && std::filesystem::exists(folder_.checkpoint(), ignored)) {
        auto aside = set_aside(folder_.checkpoint());
        if (!aside) return aside.error();
        note({Error(
            {.file = folder_.checkpoint().string(),
             .problem = found.newer->problem(),
             .cure = fmt::format("the run goes on from the checkpoint before it, step {}; the damaged one is "
                                 "now {}",
                                 found.checkpoint.step, aside.value().string())})});
    }
    return {};
}

bool Recorder::frame_due(long long step) const {
    // By the step alone, so that a resumed run takes the same frames as one that was never stopped.
    const double rate = scene_.frame_rate();
    return frames_ && periods(step, step_, rate) > periods(step - 1, step_, rate);
}

bool Recorder::columns_due(long long step) const {
    if (scene_.record_every() <= 0) return true;
    const double rate = 1 / scene_.record_every();
    return periods(step, step_, rate) > periods(step - 1, step_, rate);
}

Result<void> Recorder::choose_columns(const World& world) {
    auto columns = RecordColumns::make(world, scene_.record());
    if (!columns) return columns.error().in_file(scene_.name());
    columns_ = std::move(columns).value();
    return {};
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
    totals_.max_contacts = std::max<std::int64_t>(totals_.max_contacts, report.contacts);
    totals_.largest_depth = std::max(totals_.largest_depth, report.largest_depth);
    totals_.residual = std::max(totals_.residual, report.residual);
    totals_.ledger += report.ledger;
    totals_.convergence += report.convergence;
    totals_.unconverged_steps += !report.convergence.clean();
    add_findings(totals_.findings, world);
    if (metrics_) {
        if (auto written =
                metrics_->write(metrics_row(world, state_hash, columns_, columns_due(world.steps())));
            !written)
            return written;
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
    Checkpoint now{.inputs = inputs_,
                   .scene_name = scene_.name(),
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
    return save_checkpoint(folder_, now);
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
            .contacts_max = totals_.max_contacts,
            .largest_depth = totals_.largest_depth,
            .residual = totals_.residual,
            .start = totals_.start,
            .end = world.energy(),
            .ledger = totals_.ledger,
            .convergence = totals_.convergence,
            .unconverged_steps = totals_.unconverged_steps,
            .findings = totals_.findings,
            .start_hash = totals_.start_hash,
            .state_hash = world.state_hash(),
            .motion_hash = world.motion_hash(),
            .frames = totals_.frames,
            .warnings = warnings_,
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

std::vector<RecordHelp> record_help() {
    std::vector<RecordHelp> help;
    for (const RecordWord& w : record_choices()) help.push_back({w.word, w.unit, w.text, w.of});
    return help;
}

Result<RunMetrics> metrics_of_run(const std::filesystem::path& folder) {
    auto table = read_metrics(RunFolder{folder}.metrics());
    if (!table) return table.error();
    RunMetrics metrics{.names = std::move(table.value().names),
                       .recorded = table.value().recorded,
                       .columns = std::move(table.value().columns)};
    for (const std::string& name : metrics.names) metrics.units.emplace_back(column_unit(name));
    return metrics;
}

}  // namespace plush
