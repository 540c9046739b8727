#include "plush/record/variants.hpp"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "core/file.hpp"
#include "record/checkpoint.hpp"
#include "record/run_folder.hpp"

// variants.json is written before the first step: whatever happens later, the folder knows what was to be
// run. The text of every variant's scene is in it, since a variant that was not begun has no folder to keep
// it in.

namespace plush {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::uintmax_t largest_list = std::uintmax_t{1} << 30;  // bytes; a scene file has at most 64 MiB

fs::path list_of(const fs::path& folder) {
    return folder / "variants.json";
}

/// What variants.json says of one.
struct Kept {
    SceneVariant variant{};
    std::string scene{};
};
struct Plan {
    std::string scene{};
    std::optional<double> duration{};
    std::optional<long long> steps{};
    bool frames = true;
    std::vector<Kept> variants{};
};

bool is_folder_name(const std::string& name) {
    return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
           name.find('\0') == name.npos;
}

Error unreadable(const fs::path& file, std::string problem) {
    return Error({.file = file.string(),
                  .problem = std::move(problem),
                  .cure = "run the scene again, into a new folder"});
}

Result<Plan> read_plan(const fs::path& folder) {
    const fs::path file = list_of(folder);
    std::error_code error;
    if (const auto size = fs::file_size(file, error); error || size > largest_list)
        return error ? file_error(file, error.value()) : unreadable(file, "this file is too large");
    std::ifstream stream(file, std::ios::binary);
    const Json json = Json::parse(stream, nullptr, false);
    const auto text = [](const Json& object, const char* key) {
        return object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                               : std::string();
    };
    if (!json.is_object() || !json.contains("variants") || !json["variants"].is_array())
        return unreadable(file, "this is not a list of variants");
    Plan plan{.scene = text(json, "scene")};
    if (json.contains("duration") && json["duration"].is_number())
        plan.duration = json["duration"].get<double>();
    if (json.contains("steps") && json["steps"].is_number_integer())
        plan.steps = json["steps"].get<long long>();
    if (json.contains("frames") && json["frames"].is_boolean()) plan.frames = json["frames"].get<bool>();
    for (const Json& one : json["variants"]) {
        if (!one.is_object() || !is_folder_name(text(one, "name")))
            return unreadable(file, "a variant has no usable name");
        plan.variants.push_back({{text(one, "name"), text(one, "label")}, text(one, "content")});
    }
    return plan;
}

Result<void> write_plan(const fs::path& folder, const Plan& plan) {
    Json variants = Json::array();
    for (const Kept& one : plan.variants)
        variants.push_back(
            {{"name", one.variant.name}, {"label", one.variant.label}, {"content", one.scene}});
    Json json{{"scene", plan.scene}, {"frames", plan.frames}, {"variants", std::move(variants)}};
    if (plan.duration) json["duration"] = *plan.duration;
    if (plan.steps) json["steps"] = *plan.steps;
    const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    return replace_file(list_of(folder), std::as_bytes(std::span(text)));
}

/// Makes the folder, or takes over one that is empty or holds variants.
Result<void> prepare(const fs::path& folder, bool replace) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return file_error(folder, error.value());
    const bool empty = fs::is_empty(folder, error);
    if (error) return file_error(folder, error.value());
    if (empty) return {};
    if (!holds_variants(folder))
        return Error({.file = folder.string(),
                      .problem =
                          "this folder holds something else than variants of a scene, and nothing in it "
                          "will be touched",
                      .cure = "name a new or empty folder"});
    if (replace) return {};
    // All are asked before any is touched.
    const auto old = variants_of(folder);
    if (!old) return {};
    for (const VariantRun& run : old.value())
        if (can_go_on(RunFolder{run.folder}))
            return Error(
                {.file = run.folder.string(),
                 .problem = "this folder holds a run that was stopped before its end and can go on",
                 .cure = fmt::format("go on with plush run --resume {}, or say --replace to start anew",
                                     folder.string())});
    return {};
}

/// Runs one after the other, until one is stopped.
class Row {
public:
    explicit Row(const VariantSettings& settings) : settings_(settings) {
        if (!settings.run.progress) return;
        run_.progress = [this](const RunProgress& p) {
            const bool go_on = settings_.run.progress(p);
            stopped_ = stopped_ || !go_on;
            return go_on;
        };
    }
    bool stopped() const { return stopped_; }

    /// What stands in the way of one is told in its summary: the others go on.
    template <class Run>
    void add(const Scene& scene, const Run& run) {
        if (settings_.begins) settings_.begins(scene);
        auto summary = run(with_progress());
        if (summary)
            summaries_.push_back(std::move(summary).value());
        else
            summaries_.push_back({.scene = scene.name(), .error = summary.error()});
        if (settings_.ends) settings_.ends(summaries_.back());
    }
    std::vector<RunSummary> take() { return std::move(summaries_); }

private:
    RunSettings with_progress() const {
        RunSettings settings = settings_.run;
        settings.progress = run_.progress;
        return settings;
    }
    const VariantSettings& settings_;
    RunSettings run_{};
    bool stopped_ = false;
    std::vector<RunSummary> summaries_{};
};

Result<Scene> kept_scene(const Kept& kept, const fs::path& folder) {
    SceneLoad load = Scene::try_parse(kept.scene, folder, kept.variant.name);
    if (load.scene) return *std::move(load.scene);
    return load.errors.front().in_file(
        fmt::format("{} (the scene of {})", list_of(folder).string(), kept.variant.name));
}

/// A summary of a run that has nothing left to do.
bool is_finished(const RunFolder& folder, const RunSettings& asked) {
    if (asked.steps || asked.duration || !folder.has_checkpoint()) return false;
    std::ifstream stream(folder.summary());
    const Json summary = Json::parse(stream, nullptr, false);
    return summary.is_object() && summary.contains("finished") && summary["finished"] == true;
}

}  // namespace

bool holds_variants(const fs::path& folder) {
    std::error_code ignored;
    return fs::is_regular_file(list_of(folder), ignored) && read_plan(folder).ok();
}

Result<std::vector<VariantRun>> variants_of(const fs::path& folder) {
    const auto plan = read_plan(folder);
    if (!plan) return plan.error();
    std::vector<VariantRun> runs;
    for (const Kept& one : plan.value().variants) runs.push_back({one.variant, folder / one.variant.name});
    return runs;
}

Result<std::vector<RunSummary>> run_variants(std::span<const SceneVariant> variants,
                                             std::span<const Scene> scenes, const VariantSettings& settings) {
    const fs::path folder = settings.run.out, verify = settings.run.verify;
    const std::string name = scenes.empty() ? "" : scenes.front().name();
    Plan plan{.scene = name.substr(0, name.rfind('/')),
              .duration = settings.run.duration,
              .steps = settings.run.steps,
              .frames = settings.run.frames};
    for (std::size_t i = 0; i < variants.size(); ++i)
        plan.variants.push_back({variants[i], scenes[i].resolved()});
    if (!folder.empty()) {
        if (auto ready = prepare(folder, settings.run.replace); !ready) return ready.error();
        if (auto written = write_plan(folder, plan); !written) return written.error();
    }
    Row row(settings);
    for (std::size_t i = 0; i < variants.size() && !row.stopped(); ++i) {
        const auto run = [&](RunSettings one) {
            if (!folder.empty()) one.out = folder / variants[i].name;
            if (!verify.empty()) one.verify = verify / variants[i].name;
            return run_scene(scenes[i], one);
        };
        row.add(scenes[i], run);
    }
    return row.take();
}

Result<std::vector<RunSummary>> resume_variants(const fs::path& folder, const VariantSettings& settings) {
    const auto plan = read_plan(folder);
    if (!plan) return plan.error();
    Row row(settings);
    for (const Kept& kept : plan.value().variants) {
        if (row.stopped()) break;
        const RunFolder at{folder / kept.variant.name};
        if (is_finished(at, settings.run)) continue;
        const auto scene = kept_scene(kept, folder);
        if (!scene) return scene.error();
        const auto run = [&](RunSettings one) {
            if (at.has_checkpoint()) return resume_run(at.path, one);
            // Not begun, or killed before its first checkpoint.
            one.out = at.path;
            one.frames = plan.value().frames;
            if (!one.steps && !one.duration)
                one.steps = plan.value().steps, one.duration = plan.value().duration;
            return run_scene(scene.value(), one);
        };
        row.add(scene.value(), run);
    }
    return row.take();
}

Result<std::vector<RunSummary>> verify_variants(const fs::path& folder, const VariantSettings& settings) {
    const auto plan = read_plan(folder);
    if (!plan) return plan.error();
    std::vector<SceneVariant> variants;
    std::vector<Scene> scenes;
    for (const Kept& kept : plan.value().variants) {
        auto scene = kept_scene(kept, folder);
        if (!scene) return scene.error();
        variants.push_back(kept.variant);
        scenes.push_back(std::move(scene).value());
    }
    VariantSettings again = settings;
    again.run.verify = folder;
    return run_variants(variants, scenes, again);
}

}  // namespace plush
