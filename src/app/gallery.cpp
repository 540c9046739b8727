#include "lab/report/gallery.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"

// plush gallery.

namespace plush::app {

using nlohmann::ordered_json;

int gallery(const GalleryOptions& options) {
    std::optional<Progress> progress;
    std::string shown;
    const auto bar = [&](const std::string& scene, const auto& p) {
        if (shown != scene) {
            if (progress) progress->finish();
            progress.emplace(shown = scene);
        }
        if (!options.quiet) progress->show(p);
        return !interrupted();
    };
    lab::GallerySettings settings{.names = options.names, .out = options.out, .runs = options.runs};
    settings.threads = options.threads;
    settings.running = bar;
    settings.drawing = [&](const std::string&, const render::RenderProgress&) { return !interrupted(); };
    const HearsSignals guard(Error({.problem = "the gallery was stopped by a signal before its end",
                                    .cure = "give the command again"}),
                             options.json);
    const auto made = lab::make_gallery(settings);
    if (progress) progress->finish();
    if (!made) return report(made.error(), options.json, failed);
    auto list = ordered_json::array();
    std::string text;
    for (const lab::GalleryPicture& picture : made.value()) {
        list.push_back({{"scene", picture.scene},
                        {"picture", picture.file.string()},
                        {"bytes", picture.bytes},
                        {"run_seconds", picture.run_seconds},
                        {"render_seconds", picture.render_seconds}});
        text += picture.file.string() + "\n";
    }
    const std::string page = (settings.out / "gallery.md").string();
    if (options.json) return print_json({{"page", page}, {"pictures", list}});
    return options.quiet ? done : print(text + page + "\n");
}

}  // namespace plush::app
