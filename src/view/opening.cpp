#include "view/opening.hpp"

#include <fmt/format.h>

#include "plush/record/variants.hpp"
#include "view/live_world.hpp"
#include "view/recorded_run.hpp"
#include "view/saved_state.hpp"

namespace plush::view {

namespace {

namespace fs = std::filesystem;

void open_run(const fs::path& folder, const std::string& label, Opened& out) {
    auto run = RecordedRun::open(folder, label);
    if (!run)
        out.errors.push_back(run.error());
    else
        out.worlds.push_back(std::move(run).value());
}

void open_folder(const fs::path& folder, Opened& out) {
    out.recorded = true;
    if (!holds_variants(folder)) return open_run(folder, folder.filename().string(), out);
    const auto variants = variants_of(folder);
    if (!variants) return out.errors.push_back(variants.error());
    for (const VariantRun& v : variants.value())
        if (out.worlds.size() < max_worlds) open_run(v.folder, v.variant.label, out);
}

void open_scenes(const Source& source, const std::string& name, Opened& out) {
    const auto add = [&](SceneLoad load) {
        out.errors.insert(out.errors.end(), load.errors.begin(), load.errors.end());
        out.warnings.insert(out.warnings.end(), load.warnings.begin(), load.warnings.end());
        if (load.scene && load.errors.empty())
            out.worlds.push_back(
                std::make_unique<LiveWorld>(*std::move(load.scene), source.threads, source.record));
    };
    std::vector<std::string> variants = source.variants;
    if (variants.empty()) {
        SceneLoad whole = Scene::try_load(name, source.set);
        if (whole.variants.empty() || !whole.errors.empty()) return add(std::move(whole));
        for (const SceneVariant& v : whole.variants)
            if (variants.size() < max_worlds) variants.push_back(v.name);
    }
    for (const std::string& variant : variants) add(Scene::try_load(name, source.set, variant));
}

void open_one(const Source& source, const std::string& name, Opened& out) {
    if (fs::is_directory(name)) return open_folder(name, out);
    if (!is_saved_state(name)) return open_scenes(source, name, out);
    const auto state = load_saved_state(name);
    if (!state) return out.errors.push_back(state.error());
    try {
        out.worlds.push_back(std::make_unique<LiveWorld>(state.value(), source.threads));
    } catch (const nlohmann::json::exception&) {
        out.errors.push_back(
            Error({.file = name, .problem = "the saved state is damaged", .cure = "save it again"}));
    }
}

}  // namespace

Opened open_source(const Source& source) {
    Opened out;
    for (const std::string& name : source.names) {
        const bool recorded = out.recorded;
        const std::size_t before = out.worlds.size();
        try {
            open_one(source, name, out);
        } catch (const Error& error) {
            out.errors.push_back(error.file().empty() ? error.in_file(name) : error);
        }
        if (before > 0 && recorded != out.recorded)
            out.errors.push_back(
                Error({.file = name,
                       .problem = "a recorded run cannot stand beside a world that is simulated",
                       .cure = "simulate both, or run both with plush run first"}));
    }
    if (out.worlds.size() > max_worlds)
        out.errors.push_back(Error({.problem = fmt::format("{} worlds side by side", out.worlds.size()),
                                    .cure = fmt::format("name at most {}", max_worlds)}));
    if (!source.record.empty() && out.errors.empty() && (out.worlds.size() != 1 || out.recorded))
        out.errors.push_back(
            Error({.file = "view",
                   .problem = "--save-input records what is done to one world that is simulated",
                   .cure = "name one scene, with --variant where it has several"}));
    if (!out.errors.empty()) out.worlds.clear();
    return out;
}

}  // namespace plush::view
