#include "plush/render/render.hpp"

#include <fmt/format.h>

#include <charconv>

#include "app/commands.hpp"
#include "app/interrupt.hpp"
#include "app/output.hpp"
#include "app/progress.hpp"
#include "core/did_you_mean.hpp"

namespace plush::app {

namespace {

/// The place of a word in a list, or what is wrong with it.
Result<int> find_word(std::string_view option, const std::string& word,
                      std::span<const render::RenderWord> known) {
    std::vector<std::string_view> words;
    for (const render::RenderWord& k : known) {
        if (k.word == word) return static_cast<int>(&k - known.data());
        words.push_back(k.word);
    }
    std::string cure = did_you_mean(word, words);
    if (cure.empty()) cure = fmt::format("choose one of {}", fmt::join(words, ", "));
    return Error({.file = "render",
                  .problem = fmt::format("there is no {} \"{}\"", option, word),
                  .cure = std::move(cure)});
}

/// "960x600".
Result<std::pair<int, int>> parse_size(const std::string& text) {
    std::pair<int, int> size;
    const char* const end = text.data() + text.size();
    const auto [after_width, bad_width] = std::from_chars(text.data(), end, size.first);
    if (bad_width == std::errc() && after_width != end && (*after_width == 'x' || *after_width == 'X')) {
        const auto [after, bad_height] = std::from_chars(after_width + 1, end, size.second);
        if (bad_height == std::errc() && after == end && size.first > 0 && size.second > 0) return size;
    }
    return Error({.file = "render",
                  .problem = fmt::format("\"{}\" is not a size", text),
                  .cure = "give width and height in pixels, as in --size 960x600"});
}

Result<render::RenderSettings> settings_of(const RenderOptions& o) {
    render::RenderSettings s{.frame = o.frame,
                             .time = o.time,
                             .every = o.every,
                             .labels = !o.no_labels,
                             .fps = o.fps,
                             .out = o.out};
    s.threads = o.threads;
    const auto mode = find_word("mode", o.mode, render::render_mode_choices());
    if (!mode) return mode.error();
    s.mode = static_cast<render::RenderMode>(mode.value());
    const auto quality = find_word("quality", o.quality, render::render_quality_choices());
    if (!quality) return quality.error();
    s.quality = static_cast<render::RenderQuality>(quality.value());
    if (o.turntable) {
        if (*o.turntable < 2 || *o.turntable > 100'000)
            return Error({.file = "render",
                          .problem = "--turntable counts pictures",
                          .cure = "give 2 to 100000, or no number for 120"});
        s.turntable = *o.turntable;
    }
    if (!o.size.empty()) {
        const auto size = parse_size(o.size);
        if (!size) return size.error();
        s.width = size.value().first, s.height = size.value().second;
    }
    if (!o.camera.empty()) {
        auto camera = render::parse_camera(o.camera);
        if (!camera) return camera.error();
        s.camera = camera.value();
    }
    s.camera.follow = o.follow;
    s.camera.orbit = o.orbit.value_or(0);
    return s;
}

std::string result_text(const render::RenderSummary& s) {
    std::string text;
    if (s.pictures.size() == 1) {
        text += s.pictures.front().string() + "\n";
    } else if (!s.pictures.empty()) {
        text +=
            fmt::format("{}: {} pictures\n", s.pictures.front().parent_path().string(), s.pictures.size());
    }
    if (!s.film.empty()) text += s.film.string() + "\n";
    return text;
}

}  // namespace

int render(const RenderOptions& o) {
    auto settings = settings_of(o);
    if (!settings) return report(settings.error(), o.json);
    Progress progress("render");
    settings.value().progress = [&](const render::RenderProgress& p) {
        if (!o.quiet) progress.show(p);
        return !interrupted();
    };
    const HearsSignals guard(Error({.problem = "rendering was stopped by a signal before its end",
                                    .cure = "give the command again"}),
                             o.json);
    const auto result = render::render_run(o.run, settings.value());
    progress.finish();
    if (!result) return report(result.error(), o.json);
    const render::RenderSummary& s = result.value();
    if (!o.quiet)
        for (const std::string& warning : s.warnings) say("warning: " + warning);
    if (s.error) say(*s.error);
    if (!s.finished && !s.error)
        say(fmt::format("stopped after {} picture{}; there is no film", s.frames.size(),
                        s.frames.size() == 1 ? "" : "s"));
    const int status = s.finished ? done : failed;
    if (o.json) return print(to_json(s), status);
    return o.quiet ? status : print(result_text(s), status);
}

}  // namespace plush::app
