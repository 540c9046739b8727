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
    const auto add = [&](SceneLoad load, const std::string& label) {
        out.errors.insert(out.errors.end(), load.errors.begin(), load.errors.end());
        out.warnings.insert(out.warnings.end(), load.warnings.begin(), load.warnings.end());
        if (load.scene && load.errors.empty())
            out.worlds.push_back(
                std::make_unique<LiveWorld>(*std::move(load.scene), source.threads, source.record, label));
    };
    SceneLoad whole = Scene::try_load(name, source.set);
    if (!whole.errors.empty() ||
        (whole.variants.empty() && source.variants.empty() && source.methods.empty()))
        return add(std::move(whole), {});
    std::vector<std::string> variants = source.variants;
    // Two methods of one variant, or two variants of one method.
    const std::size_t most = source.methods.size() > 1 ? 1 : max_worlds;
    for (const SceneVariant& v : whole.variants)
        if (source.variants.empty() && variants.size() < most) variants.push_back(v.name);
    if (variants.empty()) variants.emplace_back();  // a scene without variants
    const auto label_of = [&](const std::string& variant) {
        for (const SceneVariant& v : whole.variants)
            if (v.name == variant) return v.label;
        return std::string();
    };
    for (const std::string& variant : variants) {
        if (source.methods.empty()) add(Scene::try_load(name, source.set, variant), label_of(variant));
        for (const std::string& method : source.methods) {
            std::vector<std::string> set = source.set;
            set.push_back("contact.method=" + method);
            add(Scene::try_load(name, set, variant), method);
        }
    }
}

void open_one(const Source& source, const std::string& name, Opened& out) {
    const bool runs = fs::is_directory(name), saved = !runs && is_saved_state(name);
    if ((runs || saved) && !source.methods.empty())
        return out.errors.push_back(
            Error({.file = name,
                   .problem = "--method is for scenes, and this is a recorded run or a saved state",
                   .cure = "name its scene"}));
    if (runs) return open_folder(name, out);
    if (!saved) return open_scenes(source, name, out);
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
