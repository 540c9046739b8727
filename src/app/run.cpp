#include "plush/record/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "plush/record/variants.hpp"
#include "plush/view/view.hpp"

namespace plush::app {

namespace {

namespace fs = std::filesystem;

/// As one word of a shell's command line.
std::string quoted(const std::string& word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 ||
               std::string_view("/._-+=@%").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) return word;
    std::string out = "'";
    for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

/// Which options exclude each other, as an Error or nothing.
std::optional<Error> wrong_usage(const RunOptions& o) {
    const auto usage = [](std::string problem, std::string cure) {
        return Error({.file = "run", .problem = std::move(problem), .cure = std::move(cure)});
    };
    if (o.scene.empty() && o.resume.empty() && o.verify.empty()) {
        return usage("a scene is missing", "name a file or a built-in scene: plush scenes lists them");
    }
    if (o.steps && o.duration)
        return usage("--steps and --duration say the same thing twice", "give one of them");
    if (!o.replay_input.empty() && (o.scene.empty() || !o.resume.empty() || !o.verify.empty()))
        return usage("--replay-input goes with a scene that is begun",
                     "name the scene, without --resume and --verify");
    if (!o.variant.empty() && (o.scene.empty() || !o.resume.empty()))
        return usage("--variant chooses from a scene that is begun", "name the scene, without --resume");
    if (o.resume.empty()) return std::nullopt;
    if (!o.scene.empty() && holds_variants(o.resume))
        return usage("--resume goes on with the variants as they were begun", "leave the scene out");
    const bool changes = !o.set.empty() || !o.record.empty() || o.record_every || o.no_frames || o.replace ||
                         !o.out.empty() || !o.verify.empty();
    if (changes) {
        return usage("--resume goes on with a run as it was begun",
                     "leave --out, --set, --record, --no-frames, --replace and --verify out");
    }
    return std::nullopt;
}

/// What is to be run: one scene, or the variants of one.
struct Wanted {
    std::vector<Scene> scenes{};
    std::vector<SceneVariant> variants{};
    std::vector<Error> unusable{};        ///< what is wrong with the variants that are left out
    std::vector<std::string> left_out{};  ///< their names
};

/// What the options change of the scene.
std::vector<std::string> overrides_of(const RunOptions& o) {
    std::vector<std::string> set = o.set;
    if (!o.record.empty()) set.push_back("record=" + nlohmann::json(o.record).dump());
    if (o.record_every) set.push_back(fmt::format("record_every={}", *o.record_every));
    return set;
}

/// The scene that the user named, or the one inside a run folder. Says warnings; empty after errors, whose
/// status is then in `status`.
std::optional<Wanted> load_scenes(const RunOptions& o, int& status) {
    if (o.scene.empty()) {
        auto kept = scene_of_run(o.resume.empty() ? o.verify : o.resume);
        if (kept) return Wanted{.scenes = {std::move(kept).value()}};
        status = report(kept.error(), o.json);
        return std::nullopt;
    }
    VariantsLoad load;
    const std::vector<std::string> set = overrides_of(o);
    if (o.variant.empty()) {
        load = try_load_variants(o.scene, set);
    } else {
        SceneLoad one = Scene::try_load(o.scene, set, o.variant);
        load.errors = std::move(one.errors), load.warnings = std::move(one.warnings);
        if (one.scene) load.scenes.push_back(*std::move(one.scene));
    }
    if (!o.quiet) {
        for (const Error& warning : load.warnings) say(fmt::format("warning: {}", warning.what()));
    }
    if (load.errors.empty() || !load.usable.empty()) {
        Wanted wanted{std::move(load.scenes), std::move(load.usable), std::move(load.errors)};
        for (const SceneVariant& v : load.variants)
            if (std::find(wanted.variants.begin(), wanted.variants.end(), v) == wanted.variants.end())
                wanted.left_out.push_back(v.name);
        return wanted;
    }
    status = report(load.errors, o.json);
    return std::nullopt;
}

/// "out/NAME" with a name that stays inside "out".
fs::path default_folder(std::string name) {
    std::replace(name.begin(), name.end(), '/', '_');
    if (name.empty() || name.front() == '.') name = "scene" + name;
    return fs::path("out") / name;
}

std::string result_text(const RunSummary& s) {
    const double speed = s.wall > 0 ? static_cast<double>(s.steps) / s.wall : 0;
    std::string text =
        fmt::format("{}: {} steps ({:.6g} s) in {}, {:.4g} steps a second, state_hash {:016x}\n", s.scene,
                    s.steps, s.simulated_seconds, duration_text(s.wall), speed, s.state_hash);
    if (!s.out.empty()) {
        text += fmt::format(
            "{}: {} frame{}, contacts {:.4g} on average and at most {}, largest overlap {:.3g} m\n",
            s.out.string(), s.frames, s.frames == 1 ? "" : "s", s.contacts_mean, s.contacts_max,
            s.largest_depth);
    }
    if (s.verified && !s.verified->first_different) {
        text += fmt::format("the same as {} in all {} steps\n", s.verified->run.string(), s.verified->steps);
    }
    return text;
}

/// One sentence for each kind of thing that went less well than asked for.
void say_findings(const RunSummary& s, const RunOptions& o) {
    if (o.quiet && !o.strict) return;
    for (const RunFinding& f : s.findings)
        say(fmt::format("{}{}: {}", o.strict ? "" : "warning: ", s.scene, to_sentence(f, s.steps)));
}

/// Says why a run did not get to its end, and how to go on: with `folder`, where it is one of several.
void say_why(const RunSummary& s, const fs::path& folder = {}) {
    if (s.error) {
        say(*s.error);
        if (!s.out.empty()) say(fmt::format("{} frames are saved in {}", s.frames, s.out.string()));
    } else if (s.verified && s.verified->first_different) {
        say(fmt::format("different from {}: step {} is the first that differs", s.verified->run.string(),
                        *s.verified->first_different));
        return;
    } else if (s.finished) {
        say("--strict: what stands above is an error");
    } else {
        say(fmt::format("{}stopped at step {}", folder.empty() ? "" : s.scene + ": ", s.steps));
    }
    const std::string where = folder.empty() ? s.out.string() : folder.string();
    if (s.can_go_on) say(fmt::format("go on with: plush run --resume {}", quoted(where)));
}

bool is_good(const RunSummary& s, const RunOptions& o) {
    return s.finished && !(s.verified && s.verified->first_different) && !(o.strict && !s.findings.empty());
}

int finish(const RunSummary& summary, const RunOptions& o) {
    const bool good = is_good(summary, o);
    const int status = good ? done : failed;
    for (const Error& warning : summary.warnings) say(fmt::format("warning: {}", warning.what()));
    say_findings(summary, o);
    if (!good) say_why(summary);
    if (o.json) return print(to_json(summary), status);
    return o.quiet || !good ? status : print(result_text(summary), status);
}

/// Where a signal comes before the first step, or in a step that cannot be left.
Error stopped_too_late(const std::string& what, const fs::path& out, const RunOptions& o) {
    const fs::path folder = o.resume.empty() ? out : fs::path(o.resume);
    return Error(
        {.place = what,
         .problem = "it was stopped by a signal, before its first step or in the middle of a long one",
         .cure = folder.empty() ? "give the command again"
                                : fmt::format("go on with plush run --resume {}, if there is a "
                                              "checkpoint in it, or give the command again",
                                              quoted(folder.string()))});
}

RunSettings settings_of(const RunOptions& o) {
    RunSettings settings{.out = o.out,
                         .duration = o.duration,
                         .steps = o.steps,
                         .threads = o.threads,
                         .frames = !o.no_frames,
                         .checkpoint_every = o.checkpoint_every,
                         .save_world = o.save_world,
                         .replace = o.replace,
                         .verify = o.verify};
    return settings;
}

/// The record whose input is done again, where one is named; `settings` run as far as it goes.
Result<std::optional<view::Replay>> load_replay(const RunOptions& o, const Scene& scene,
                                                RunSettings& settings) {
    if (o.replay_input.empty()) return std::optional<view::Replay>();
    auto loaded = view::Replay::load(o.replay_input);
    if (!loaded) return loaded.error();
    const view::Replay& replay = loaded.value();
    if (!replay.scene().empty() && replay.scene() != scene.resolved())
        return Error({.file = o.replay_input,
                      .problem = "this was recorded with another scene, or other settings of it",
                      .cure = "name the same scene, with the same --variant and --set"});
    if (!settings.steps && !settings.duration) settings.steps = replay.steps();
    if (replay.drops_bodies() && settings.frames) {
        settings.frames = false;
        if (!o.quiet)
            say("there will be no frames: bodies are dropped in, and frames have those of the start alone");
    }
    return std::optional(std::move(loaded).value());
}

/// Whether the replay came to the state that was recorded; says so where it did not.
bool replayed_well(const std::optional<view::Replay>& replay, const RunSummary& s) {
    if (!replay || !replay->state_hash() || s.steps != replay->steps()) return true;
    if (*replay->state_hash() == s.state_hash) return true;
    say(fmt::format("the replay differs: state_hash {:016x}, and {:016x} was recorded", s.state_hash,
                    *replay->state_hash()));
    return false;
}

int run_one(const RunOptions& o, const Scene& scene) {
    if (!o.resume.empty() && !o.scene.empty()) {
        const auto kept = scene_of_run(o.resume);
        if (!kept) return report(kept.error(), o.json);
        if (kept.value().resolved() != scene.resolved()) {
            return report(
                Error({.file = o.scene,
                       .problem = fmt::format("{} was begun with another scene", o.resume),
                       .cure = "leave the scene out: --resume takes the one that the run was begun with"}),
                o.json);
        }
    }
    Progress progress(scene.name());
    RunSettings settings = settings_of(o);
    if (o.out.empty() && o.verify.empty()) settings.out = default_folder(scene.name());
    settings.progress = [&](const RunProgress& p) {
        if (!o.quiet) progress.show(p);
        return !interrupted();
    };
    auto replay = load_replay(o, scene, settings);
    if (!replay) return report(replay.error(), o.json);
    if (replay.value()) settings.before_step = [&](World& world) { replay.value()->before_step(world); };
    const auto summary = [&] {
        const HearsSignals guard(stopped_too_late(scene.name(), settings.out, o), o.json, true);
        return o.resume.empty() ? run_scene(scene, settings) : resume_run(o.resume, settings);
    }();
    progress.finish();
    if (!summary) return report(summary.error(), o.json);
    const int status = finish(summary.value(), o);
    return replayed_well(replay.value(), summary.value()) ? status : std::max<int>(status, failed);
}

/// All variants of a scene, or of a folder. `go` runs them with these settings. What cannot be used is said first.
template <class Go>
int run_several(const RunOptions& o, const fs::path& folder, const Wanted& wanted, const Go& go) {
    std::optional<Progress> progress;
    VariantSettings settings;
    settings.run = settings_of(o);
    settings.run.out = folder;
    settings.run.progress = [&](const RunProgress& p) {
        if (!o.quiet && progress) progress->show(p);
        return !interrupted();
    };
    settings.begins = [&](const Scene& scene) { progress.emplace(scene.name()); };
    int status = wanted.unusable.empty() ? done : failed;
    nlohmann::ordered_json list = nlohmann::ordered_json::array(), errors = list;
    for (const Error& error : wanted.unusable) {
        say(error);
        errors.push_back(to_json(error));
    }
    std::string text;
    settings.ends = [&](const RunSummary& summary) {
        progress->finish();
        say_findings(summary, o);
        if (!is_good(summary, o))
            status = failed, say_why(summary, o.resume.empty() ? folder : fs::path(o.resume));
        if (is_good(summary, o)) text += result_text(summary);
        list.push_back(nlohmann::ordered_json::parse(to_json(summary)));
    };
    const auto summaries = [&] {
        const HearsSignals guard(stopped_too_late("the variants", folder, o), o.json, true);
        return go(settings);
    }();
    if (!summaries) {
        if (progress) progress->finish();
        return report(summaries.error(), o.json);
    }
    if (!wanted.left_out.empty() && !o.quiet)
        say(fmt::format("left out: {}; the other {} variant{} ran", fmt::join(wanted.left_out, ", "),
                        list.size(), list.size() == 1 ? "" : "s"));
    if (o.json) {
        nlohmann::ordered_json document{{"variants", list}};
        if (!errors.empty()) document["errors"] = errors;
        return print_json(document, status);
    }
    if (o.quiet || text.empty()) return status;
    return print(text, status);
}

}  // namespace

int run(const RunOptions& o) {
    if (const auto wrong = wrong_usage(o)) return report(*wrong, o.json);
    if (!o.resume.empty() && holds_variants(o.resume))
        return run_several(o, {}, {}, [&](const VariantSettings& s) { return resume_variants(o.resume, s); });
    if (o.scene.empty() && !o.verify.empty() && holds_variants(o.verify))
        return run_several(o, o.out, {},
                           [&](const VariantSettings& s) { return verify_variants(o.verify, s); });
    int status = unusable;
    const std::optional<Wanted> wanted = load_scenes(o, status);
    if (!wanted) return status;
    if (wanted->variants.empty()) return run_one(o, wanted->scenes.front());
    if (!o.replay_input.empty())
        return report(Error({.file = "run",
                             .problem = "--replay-input does again what was done to one world",
                             .cure = "choose one variant with --variant"}),
                      o.json);
    fs::path folder = o.out;
    if (o.out.empty() && o.verify.empty()) {
        const std::string& name = wanted->scenes.front().name();  // SCENE/VARIANT
        folder = default_folder(name.substr(0, name.rfind('/')));
    }
    return run_several(o, folder, *wanted, [&](const VariantSettings& s) {
        return run_variants(wanted->variants, wanted->scenes, s);
    });
}

}  // namespace plush::app
