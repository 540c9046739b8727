#include "lab/report/gallery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "core/did_you_mean.hpp"

namespace plush::lab {
namespace {

namespace fs = std::filesystem;

Result<std::vector<BuiltinScene>> chosen_scenes(const std::vector<std::string>& names) {
    const std::vector<BuiltinScene> all = builtin_scenes();
    if (names.empty()) return all;
    std::vector<std::string_view> known;
    for (const BuiltinScene& scene : all) known.push_back(scene.name);
    std::vector<BuiltinScene> chosen;
    for (const std::string& name : names) {
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const BuiltinScene& s) { return s.name == name; });
        if (found == all.end())
            return Error({.file = "gallery",
                          .problem = fmt::format("there is no built-in scene \"{}\"", name),
                          .cure = did_you_mean(name, known)});
        chosen.push_back(*found);
    }
    return chosen;
}

/// Runs a scene, with all its variants. The Error also where the physics went bad or it was stopped.
Result<double> run(const BuiltinScene& scene, const fs::path& folder, const GallerySettings& settings) {
    const VariantsLoad load = try_load_variants(scene.name);
    if (!load.errors.empty()) return load.errors.front();
    RunSettings run_settings{.out = folder, .threads = settings.threads, .replace = true};
    if (settings.running)
        run_settings.progress = [&](const RunProgress& p) { return settings.running(scene.name, p); };
    std::vector<RunSummary> summaries;
    if (load.variants.empty()) {
        auto summary = run_scene(load.scenes.front(), run_settings);
        if (!summary) return summary.error();
        summaries.push_back(std::move(summary).value());
    } else {
        auto all = run_variants(load.variants, load.scenes, {.run = run_settings});
        if (!all) return all.error();
        summaries = std::move(all).value();
    }
    double seconds = 0;
    for (const RunSummary& s : summaries) {
        seconds += s.wall;
        if (s.error) return *s.error;
        if (!s.finished)
            return Error(
                {.file = folder.string(), .problem = "it was stopped", .cure = "plush gallery again"});
    }
    return seconds;
}

/// Draws a run. A picture that comes out too large is drawn again, smaller.
Result<GalleryPicture> draw(const BuiltinScene& scene, const fs::path& folder, const fs::path& file,
                            const GallerySettings& settings) {
    GalleryPicture picture{.scene = scene.name, .file = file};
    render::RenderSettings drawing{.out = file, .threads = settings.threads};
    if (settings.drawing)
        drawing.progress = [&](const render::RenderProgress& p) { return settings.drawing(scene.name, p); };
    for (int attempt = 0; attempt < 8; ++attempt) {
        const auto drawn = render::render_run(folder, drawing);
        if (!drawn) return drawn.error();
        const render::RenderSummary& s = drawn.value();
        if (s.error) return *s.error;
        if (!s.finished)
            return Error({.file = file.string(), .problem = "it was stopped", .cure = "plush gallery again"});
        picture.render_seconds += s.seconds;
        std::error_code failure;
        picture.bytes = fs::file_size(file, failure);
        if (!failure && picture.bytes <= largest_picture) return picture;
        drawing.width = s.width * 7 / 8, drawing.height = s.height * 7 / 8;
    }
    return Error(
        {.file = file.string(), .problem = "the picture stays too large", .cure = "draw less in it"});
}

Result<void> write_page(const fs::path& file) {
    std::ofstream stream(file, std::ios::binary);
    stream << gallery_markdown();
    stream.close();
    if (!stream)
        return Error({.file = file.string(), .problem = "it cannot be written", .cure = "look at --out"});
    return {};
}

}  // namespace

Result<std::vector<GalleryPicture>> make_gallery(const GallerySettings& settings) {
    const auto scenes = chosen_scenes(settings.names);
    if (!scenes) return scenes.error();
    const fs::path pictures = settings.out / "pictures";
    std::error_code failure;
    fs::create_directories(pictures, failure);
    if (failure)
        return Error({.file = pictures.string(), .problem = failure.message(), .cure = "look at --out"});
    std::vector<GalleryPicture> made;
    for (const BuiltinScene& scene : scenes.value()) {
        const fs::path folder = settings.runs / scene.name;
        const auto seconds = run(scene, folder, settings);
        if (!seconds) return seconds.error();
        auto picture = draw(scene, folder, pictures / (scene.name + ".png"), settings);
        if (!picture) return picture.error();
        picture.value().run_seconds = seconds.value();
        made.push_back(std::move(picture).value());
    }
    if (auto written = write_page(settings.out / "gallery.md"); !written) return written.error();
    return made;
}

std::string gallery_markdown() {
    std::string page =
        "# Gallery\n\n"
        "Every scene that comes with Plush. `plush run NAME` runs one, `plush render out/NAME` draws it, "
        "and\n"
        "`plush scenes` lists them. This page and its pictures are made by `plush gallery`, from the folder "
        "that holds\n`docs/`; `plush gallery NAME` makes one of them again.\n";
    for (const BuiltinScene& scene : builtin_scenes()) {
        page +=
            fmt::format("\n## {0}\n\n{1}.\n\n![{0}](pictures/{0}.png)\n\n", scene.name, scene.description);
        page += fmt::format("`plush run {0} && plush render out/{0}`\n", scene.name);
    }
    return page;
}

}  // namespace plush::lab
