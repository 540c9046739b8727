#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "plush/record/variants.hpp"
#include "plush/render/render.hpp"

// The gallery: a picture of every built-in scene, and a page that shows them.

namespace plush::lab {

/// Pictures are kept with the source: none may be larger.
inline constexpr std::uintmax_t largest_picture = 300 * 1024;  // bytes

struct GallerySettings {
    std::vector<std::string> names{};            ///< of built-in scenes; empty: all
    std::filesystem::path out = "docs";          ///< gets gallery.md and pictures/NAME.png
    std::filesystem::path runs = "out/gallery";  ///< gets the run folders
    int threads = 0;
    /// Told of every step and every picture; false stops.
    std::function<bool(const std::string& scene, const RunProgress&)> running{};
    std::function<bool(const std::string& scene, const render::RenderProgress&)> drawing{};
};

struct GalleryPicture {
    std::string scene{};
    std::filesystem::path file{};
    std::uintmax_t bytes = 0;
    double run_seconds = 0, render_seconds = 0;
};

/// Runs the scenes, draws them, and writes the page.
Result<std::vector<GalleryPicture>> make_gallery(const GallerySettings& settings);

/// The page, as Markdown: every built-in scene with its picture, its line and its command.
std::string gallery_markdown();

}  // namespace plush::lab
