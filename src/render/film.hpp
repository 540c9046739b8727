#pragma once

#include <sys/types.h>

#include "core/file.hpp"
#include "render/picture.hpp"

namespace plush::render {

/// An MP4 film, made by ffmpeg as a child process that gets the pictures through a socket. The file appears
/// under its name when it is whole; before that, and after a failure, there is none.
class Film {
public:
    /// Whether an ffmpeg can be found.
    static bool available();
    /// `quick`: with less work on its size.
    static Result<Film> begin(const std::filesystem::path& file, int width, int height, double fps,
                              bool quick);
    ~Film();
    Film(Film&& other) noexcept;
    Film& operator=(Film&&) = delete;

    Result<void> add(const Picture& picture);
    Result<void> finish();

private:
    Film() = default;
    Error failure();
    int wait();

    std::filesystem::path file_, part_;
    FileHandle input_, messages_;
    pid_t child_ = 0;
};

}  // namespace plush::render
