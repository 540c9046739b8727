#include "plush/record/run.hpp"

#include <fmt/format.h>

#include <cmath>
#include <new>

#include "core/stop.hpp"
#include "record/recorder.hpp"

namespace plush {

namespace {

/// A duration that is a whole number of steps but for rounding takes that number, any other the next.
constexpr double step_slack = 1e-6;

/// Steps are counted exactly in a double up to here, and no run gets that far.
constexpr double max_steps = 1e15;

Result<long long> steps_wanted(const RunSettings& settings, double duration, double h) {
    if (settings.steps) {
        if (*settings.steps >= 0) return *settings.steps;
        return Error(
            {.place = "steps", .problem = "the number of steps is negative", .cure = "give 0 or more"});
    }
    if (settings.duration) duration = *settings.duration;
    const double steps = std::ceil(duration / h - step_slack);
    if (!(duration >= 0) || !(steps <= max_steps)) {
        return Error({.place = "duration",
                      .problem = fmt::format("{} s cannot be simulated", duration),
                      .cure = "give a number of seconds from 0 up"});
    }
    return static_cast<long long>(std::max(0.0, steps));
}

/// The world of a scene; what the scene reader could not see may still go wrong here.
Result<World> build(const Scene& scene, int threads) {
    try {
        return scene.build(threads);
    } catch (const Error& error) {
        return error.file().empty() ? error.in_file(scene.name()) : error;
    }
}

/// Steps to the end, or to the first thing that goes wrong.
class Driver {
public:
    Driver(World& world, Recorder& recorder, const RunSettings& settings, long long steps)
        : world_(world), recorder_(recorder), settings_(settings), steps_(steps), first_(world.steps()) {}

    /// The hashes that this run should have, and that of the world at time 0 where it is known.
    void compare_with(std::vector<std::uint64_t> hashes, std::optional<std::uint64_t> start) {
        expected_ = std::move(hashes);
        if (start && *start != world_.state_hash()) different_ = 0, ended_ = true;
    }

    RunSummary run() {
        while (!ended_ && world_.steps() < steps_) step();
        if (auto flushed = recorder_.flush(); !flushed && !error_) fail(flushed.error());
        // After a failed write the last whole checkpoint is the one to go on from: a newer one would skip the
        // frame or the rows that are missing. After bad physics, the last good state is worth keeping.
        if (!write_failed_) {
            if (auto saved = writing([&] { return recorder_.checkpoint(world_); }); !saved)
                fail(saved.error());
        }
        if (!settings_.save_world.empty()) {
            try {
                world_.save(settings_.save_world);
            } catch (const Error& error) {
                if (!error_) fail(error);
            }
        }
        RunSummary summary = recorder_.summary(world_);
        summary.finished = !error_ && world_.steps() >= steps_;
        summary.error = error_;
        const bool resumable = !error_ || write_failed_ || out_of_memory_;
        summary.can_go_on = !summary.finished && resumable && recorder_.has_checkpoint();
        if (!settings_.verify.empty()) {
            summary.verified = {.run = settings_.verify, .steps = compared_, .first_different = different_};
        }
        if (auto written = recorder_.write_summary(summary); !written && !summary.error) {
            summary.finished = false;
            summary.error = written.error();
        }
        return summary;
    }

private:
    void step() {
        try {
            if (settings_.before_step) settings_.before_step(world_);
            world_.step();
        } catch (const Error& error) {
            error_ = error;
            ended_ = true;
            return;
        } catch (const std::bad_alloc&) {
            error_ = Error({.place = fmt::format("step {}", world_.steps() + 1),
                            .problem = "there is not enough memory for this step",
                            .cure = "free some memory and go on, or make pixels larger or meshes coarser"});
            out_of_memory_ = ended_ = true;
            return;
        } catch (const Stopped&) {  // in the middle of a step, which was taken back
            ended_ = true;
            if (settings_.progress) settings_.progress(progress());  // who runs several asks whether to go on
            return;
        } catch (const std::exception& error) {
            error_ = Error({.place = fmt::format("step {}", world_.steps() + 1),
                            .problem = fmt::format("the step failed: {}", error.what()),
                            .cure = "report this with the scene"});
            ended_ = true;
            return;
        }
        std::uint64_t hash = 0;
        const auto recorded = writing([&] {
            hash = world_.state_hash();
            return recorder_.after_step(world_, hash);
        });
        if (!recorded) return fail(recorded.error());
        compare(hash);
        if (settings_.progress && !settings_.progress(progress())) ended_ = true;
    }

    /// What is thrown out of recording (no memory is left) ends the run as a failed write does.
    template <class Write>
    Result<void> writing(const Write& write) const {
        try {
            return write();
        } catch (const Error& error) {
            return error;
        } catch (const std::exception& error) {
            return Error({.place = fmt::format("step {}", world_.steps()),
                          .problem = fmt::format("it could not be recorded: {}", error.what()),
                          .cure = "free some memory and go on"});
        }
    }

    void fail(const Error& error) {
        error_ = error;
        write_failed_ = ended_ = true;
    }

    void compare(std::uint64_t hash) {
        const auto k = static_cast<std::size_t>(world_.steps() - 1 - first_);
        if (k >= expected_.size()) return;
        if (expected_[k] == hash) {
            compared_ = world_.steps();
            return;
        }
        different_ = world_.steps();
        ended_ = true;
    }

    RunProgress progress() const {
        return {.step = world_.steps(),
                .steps = steps_,
                .first = first_,
                .time = world_.time(),
                .wall = recorder_.wall_since_start(),
                .contacts = world_.report().contacts};
    }

    World& world_;
    Recorder& recorder_;
    const RunSettings& settings_;
    long long steps_, first_;
    bool ended_ = false, write_failed_ = false, out_of_memory_ = false;
    std::optional<Error> error_{};
    std::vector<std::uint64_t> expected_{};
    long long compared_ = 0;
    std::optional<long long> different_{};
};

/// All errors of a scene in a checkpoint come down to one: the meshes it names are gone.
Result<Scene> parse_kept_scene(const Checkpoint& checkpoint, const std::filesystem::path& file) {
    SceneLoad load =
        Scene::try_parse(checkpoint.scene, std::filesystem::current_path(), checkpoint.scene_name);
    if (load.scene) return std::move(*load.scene);
    return load.errors.front().in_file(
        fmt::format("{} (the scene in it): {}", file.string(), load.errors.front().file()));
}

}  // namespace

Result<RunSummary> run_scene(const Scene& scene, const RunSettings& settings) {
    RunSettings asked = settings;
    std::vector<std::uint64_t> expected;
    std::optional<std::uint64_t> expected_start;
    if (!settings.verify.empty()) {
        std::error_code ignored;
        if (!settings.out.empty() && std::filesystem::equivalent(settings.out, settings.verify, ignored)) {
            return Error({.file = settings.out.string(),
                          .problem = "a run cannot replace the run that it is compared with",
                          .cure = "name another folder for the new run, or none"});
        }
        auto hashes = read_hashes(RunFolder{settings.verify}.metrics());
        if (!hashes) return hashes.error();
        expected = std::move(hashes).value();
        // A run of another version, or one that was killed early, has no start to compare with.
        if (auto old = find_checkpoint(RunFolder{settings.verify}))
            expected_start = old.value().checkpoint.totals.start_hash;
        if (!asked.steps && !asked.duration) asked.steps = static_cast<long long>(expected.size());
    }
    const auto steps = steps_wanted(asked, scene.duration(), scene.settings().step);
    if (!steps) return steps.error();
    auto world = build(scene, settings.threads);
    if (!world) return world.error();
    // A saved world goes on from its own step.
    const long long last = world.value().steps() + steps.value();
    auto recorder = Recorder::start(scene, world.value(), settings, last);
    if (!recorder) return recorder.error();
    Driver driver(world.value(), recorder.value(), settings, last);
    driver.compare_with(std::move(expected), expected_start);
    return driver.run();
}

Result<RunSummary> resume_run(const std::filesystem::path& folder, const RunSettings& settings) {
    auto found = find_checkpoint(RunFolder{folder});
    if (!found) return found.error();
    const std::filesystem::path& file = found.value().file;
    const Checkpoint& checkpoint = found.value().checkpoint;
    if (auto same = check_inputs(checkpoint); !same) return same.error();
    const auto scene = parse_kept_scene(checkpoint, file);
    if (!scene) return scene.error();
    RunSettings asked = settings;
    asked.verify.clear();
    if (!asked.steps && !asked.duration) asked.steps = checkpoint.steps;
    const auto steps = steps_wanted(asked, 0, scene.value().settings().step);
    if (!steps) return steps.error();
    if (steps.value() < checkpoint.step) {
        return Error({.file = file.string(),
                      .problem = fmt::format("the run is at step {} already, beyond step {}", checkpoint.step,
                                             steps.value()),
                      .cure = "ask for more steps or a longer duration, counted from time 0"});
    }
    auto world = build(scene.value(), settings.threads);
    if (!world) return world.error();
    if (world.value().state_hash() != checkpoint.totals.start_hash)
        return Error({.file = file.string(),
                      .problem = "the world that this program makes of the run's scene is not the one that "
                                 "the run began with",
                      .cure = "go on with the program that began the run, or run the scene again"});
    try {
        world.value().restore(checkpoint.world);
    } catch (const Error& error) {
        return error.in_file(file.string());
    }
    auto recorder =
        Recorder::resume(scene.value(), world.value(), asked, steps.value(), folder, found.value());
    if (!recorder) return recorder.error();
    return Driver(world.value(), recorder.value(), asked, steps.value()).run();
}

Result<Scene> scene_of_run(const std::filesystem::path& folder) {
    const auto found = find_checkpoint(RunFolder{folder});
    if (!found) return found.error();
    return parse_kept_scene(found.value().checkpoint, found.value().file);
}

}  // namespace plush
