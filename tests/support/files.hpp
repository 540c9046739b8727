#pragma once

#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

// Files that tests write and read.

namespace plush::test {

inline std::string read_text(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string text;
    char buffer[4096];
    while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    }
    return text;
}

inline void write_text(const std::filesystem::path& file, std::string_view text) {
    std::ofstream(file, std::ios::binary) << text;
}

/// A new folder, gone with everything in it at the end of its life.
class TempFolder {
public:
    TempFolder() {
        std::string name = (base() / "plush-test-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~TempFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
    /// The path of the file that now has this text.
    std::filesystem::path write(std::string_view name, std::string_view text) const {
        write_text(path_ / name, text);
        return path_ / name;
    }

private:
    /// In memory where that is possible: some tests write a file a thousand times.
    static std::filesystem::path base() {
        const bool shared = ::access("/dev/shm", W_OK) == 0;
        return shared ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
    }
    std::filesystem::path path_;
};

}  // namespace plush::test
