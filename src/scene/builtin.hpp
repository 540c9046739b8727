#pragma once

#include <filesystem>
#include <string>

#include "plush/core/error.hpp"

namespace plush {

/// The file of a built-in scene, or an Error that names the closest one.
Result<std::filesystem::path> find_builtin(const std::string& name);

}  // namespace plush
