#include "plush/record/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"

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
    if (o.resume.empty()) return std::nullopt;
    const bool changes = !o.set.empty() || o.no_frames || o.replace || !o.out.empty() || !o.verify.empty();
    if (changes) {
        return usage("--resume goes on with a run as it was begun",
                     "leave --out, --set, --no-frames, --replace and --verify out");
    }
    return std::nullopt;
}

/// The scene that the user named, or the one inside a run folder. Says warnings; empty after errors, whose
/// status is then in `status`.
std::optional<Scene> load_scene(const RunOptions& o, int& status) {
    if (o.scene.empty()) {
        auto kept = scene_of_run(o.resume.empty() ? o.verify : o.resume);
        if (kept) return std::move(kept).value();
        status = report(kept.error(), o.json);
        return std::nullopt;
    }
    SceneLoad load = Scene::try_load(o.scene, o.set);
    if (!o.quiet) {
        for (const Error& warning : load.warnings) say(fmt::format("warning: {}", warning.what()));
    }
    if (!load.scene) status = report(load.errors, o.json);
    return std::move(load.scene);
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

/// Says why a run did not get to its end, and how to go on.
void say_why(const RunSummary& s) {
    const bool resumable = !s.out.empty() && fs::exists(s.out / "checkpoint.plush");
    if (s.error) {
        say(*s.error);
        if (!s.out.empty()) say(fmt::format("{} frames are saved in {}", s.frames, s.out.string()));
    } else if (s.verified && s.verified->first_different) {
        say(fmt::format("different from {}: step {} is the first that differs", s.verified->run.string(),
                        *s.verified->first_different));
        return;
    } else {
        say(fmt::format("stopped at step {}", s.steps));
    }
    if (resumable) say(fmt::format("go on with: plush run --resume {}", quoted(s.out.string())));
}

int finish(const RunSummary& summary, const RunOptions& o) {
    const bool different = summary.verified && summary.verified->first_different;
    const bool good = summary.finished && !different;
    const int status = good ? done : failed;
    if (!good) say_why(summary);
    if (o.json) return print(to_json(summary), status);
    return o.quiet || !good ? status : print(result_text(summary), status);
}

}  // namespace

int run(const RunOptions& o) {
    if (const auto wrong = wrong_usage(o)) return report(*wrong, o.json);
    int status = unusable;
    const std::optional<Scene> scene = load_scene(o, status);
    if (!scene) return status;
    if (!o.resume.empty() && !o.scene.empty()) {
        const auto kept = scene_of_run(o.resume);
        if (!kept) return report(kept.error(), o.json);
        if (kept.value().resolved() != scene->resolved()) {
            return report(
                Error({.file = o.scene,
                       .problem = fmt::format("{} was begun with another scene", o.resume),
                       .cure = "leave the scene out: --resume takes the one that the run was begun with"}),
                o.json);
        }
    }

    Progress progress(scene->name());
    RunSettings settings{.out = o.out,
                         .duration = o.duration,
                         .steps = o.steps,
                         .threads = o.threads,
                         .frames = !o.no_frames,
                         .checkpoint_every = o.checkpoint_every,
                         .replace = o.replace,
                         .verify = o.verify};
    if (o.out.empty() && o.verify.empty()) settings.out = default_folder(scene->name());
    settings.progress = [&](const RunProgress& p) {
        if (!o.quiet) progress.show(p);
        return !interrupted();
    };
    const auto summary = o.resume.empty() ? run_scene(*scene, settings) : resume_run(o.resume, settings);
    progress.finish();
    if (!summary) return report(summary.error(), o.json);
    return finish(summary.value(), o);
}

}  // namespace plush::app
