#pragma once

#include <filesystem>

#include "core/internal_api.hpp"

namespace plush {

/// Whether a file begins as one of World::save().
PLUSH_INTERNAL_API bool is_world_file(const std::filesystem::path& file);

}  // namespace plush
