#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "plush/core/error.hpp"

// Whole files, in and out. A mesh file is read once into memory and parsed there; it is written beside its
// target under another name and renamed over it when every byte is safe, so that a full disk or a crash never
// destroys the file that was there.

namespace plush {

/// The bytes of a regular file of at most 8 GiB.
Result<std::string> read_file(const std::filesystem::path& file);

/// Replaces `file` by `bytes`, or leaves it as it was and says why.
Result<void> write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace plush
