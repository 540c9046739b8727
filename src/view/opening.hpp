#pragma once

#include <filesystem>
#include <memory>

#include "view/shown_world.hpp"

// What a session shows: scenes by name or file, run folders, folders of variants, saved states.

namespace plush::view {

struct Source {
    std::vector<std::string> names{};     ///< at most two; none: the page shows the gallery
    std::vector<std::string> set{};       ///< overrides of scenes
    std::vector<std::string> variants{};  ///< of a scene, to stand side by side; none: its first two
    std::vector<std::string> methods{};   ///< of contact, to stand side by side; none: the scene's
    int threads = 0;                      ///< 0: all there are
    std::filesystem::path record{};       ///< the file for --save-input; empty: none
};

struct Opened {
    std::vector<std::unique_ptr<ShownWorld>> worlds{};
    std::vector<Error> errors{}, warnings{};
    bool recorded = false;
};

/// All errors at once, and no worlds where there are any.
Opened open_source(const Source& source);

/// At most so many worlds are shown at once.
inline constexpr std::size_t max_worlds = 2;

}  // namespace plush::view
