#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "plush/core/error.hpp"

// The file that a page downloads as "the present state": a scene, what was added to it, and a snapshot of the world.

namespace plush::view {

struct SavedState {
    std::string scene_name{}, scene{};  ///< Scene::resolved()
    std::string actions{};              ///< WorldActions::to_json()
    std::vector<std::byte> world{};     ///< World::snapshot()
};

std::vector<std::byte> to_bytes(const SavedState& state);
/// Whether it begins as one.
bool is_saved_state(const std::filesystem::path& file);
Result<SavedState> load_saved_state(const std::filesystem::path& file);

}  // namespace plush::view
