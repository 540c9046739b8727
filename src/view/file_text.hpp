#pragma once

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace plush::view {

/// All of a file; nothing where it cannot be read.
inline std::optional<std::string> file_text(const std::filesystem::path& file) {
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    std::ifstream in(file, std::ios::binary);
    if (failed || !in) return std::nullopt;
    std::string text(size, '\0');
    in.read(text.data(), static_cast<std::streamsize>(size));
    text.resize(static_cast<std::size_t>(in.gcount()));
    return text;
}

}  // namespace plush::view
