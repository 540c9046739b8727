#include "render/film.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>

// No shell is in between, so that names may hold anything. A socket instead of a pipe: writing to a dead
// ffmpeg is an error there and no signal, whatever program this library is part of. What ffmpeg says goes to
// a file in memory: a pipe that nobody reads could fill and stop both.

extern char** environ;

namespace plush::render {

namespace {

namespace fs = std::filesystem;

/// ffmpeg in a process group of its own: Ctrl-C is ours to handle, and the film is then thrown away.
int start(std::vector<std::string> words, int input, int messages, pid_t& child) {
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, messages, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
    sigset_t usual;
    sigemptyset(&usual);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&usual, number);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    const int failed = ::posix_spawnp(&child, argv[0], &files, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed;
}

Error no_ffmpeg(const fs::path& file) {
    return Error({.file = file.string(),
                  .problem = "there is no ffmpeg here to make a film with",
                  .cure = "install it (Debian: ffmpeg)"});
}

}  // namespace

bool Film::available() {
    const char* path = std::getenv("PATH");
    std::string_view rest = path ? path : "";
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        const std::string program = std::string(rest.substr(0, end)) + "/ffmpeg";
        if (end > 0 && ::access(program.c_str(), X_OK) == 0) return true;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

Result<Film> Film::begin(const fs::path& file, int width, int height, double fps, bool quick) {
    if (!available()) return no_ffmpeg(file);
    Film film;
    film.file_ = fs::absolute(file);  // so that no name looks like an option
    film.part_ = film.file_;
    film.part_ += ".part";
    std::error_code ignored;
    fs::remove(film.part_, ignored);  // ffmpeg would follow a link that stands there
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return file_error(file, errno);
    film.input_ = FileHandle(ends[0]);
    const FileHandle theirs(ends[1]);
    film.messages_ = FileHandle(::memfd_create("plush-ffmpeg", MFD_CLOEXEC));
    if (film.messages_.get() < 0) return file_error(file, errno);
    const std::vector<std::string> words{
        "ffmpeg", "-nostdin", "-hide_banner", "-loglevel", "error", "-y",
        // What comes in: bytes of pictures.
        "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", fmt::format("{}x{}", width, height),
        "-framerate", fmt::format("{:.6g}", fps), "-i", "pipe:0",
        // What goes out: plays everywhere, starts before it is loaded. Half resolution of colour needs even
        // sides, and players expect the colours of television.
        "-an", "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p", "-c:v",
        "libx264", "-preset", quick ? "veryfast" : "medium", "-crf", "18", "-colorspace", "bt709",
        "-color_primaries", "bt709", "-color_trc", "bt709", "-movflags", "+faststart", "-f", "mp4",
        film.part_.string()};
    if (const int failed = start(words, theirs.get(), film.messages_.get(), film.child_)) {
        film.child_ = 0;
        return failed == ENOENT ? no_ffmpeg(file) : file_error("ffmpeg", failed);
    }
    return film;
}

Film::Film(Film&& other) noexcept
    : file_(std::move(other.file_)),
      part_(std::move(other.part_)),
      input_(std::move(other.input_)),
      messages_(std::move(other.messages_)),
      child_(std::exchange(other.child_, 0)) {}

Film::~Film() {
    if (child_ == 0) return;  // moved from, or whole
    ::kill(child_, SIGKILL);
    wait();
    std::error_code ignored;
    fs::remove(part_, ignored);
}

int Film::wait() {
    if (child_ == 0) return 0;
    int status = 0;
    while (::waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    child_ = 0;
    return status;
}

Result<void> Film::add(const Picture& picture) {
    std::span<const std::uint8_t> bytes(picture.rgb);
    while (!bytes.empty()) {
        const ssize_t n = ::send(input_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return failure();
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return {};
}

/// Ends ffmpeg and tells what it said.
Error Film::failure() {
    input_ = FileHandle();
    wait();
    std::error_code ignored;
    fs::remove(part_, ignored);
    std::array<char, 400> text{};
    const ssize_t n = ::pread(messages_.get(), text.data(), text.size(), 0);
    std::string said(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
    while (!said.empty() && (said.back() == '\n' || said.back() == '\r')) said.pop_back();
    for (char& c : said) c = c == '\n' ? ' ' : c;
    return Error({.file = file_.string(),
                  .problem = said.empty() ? "ffmpeg stopped before the film was whole"
                                          : fmt::format("ffmpeg could not make the film: {}", said),
                  .cure = "free some space if the disk is full; else make pictures and try ffmpeg by hand"});
}

Result<void> Film::finish() {
    ::shutdown(input_.get(), SHUT_WR);
    const int status = wait();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return failure();
    std::error_code failed;
    fs::rename(part_, file_, failed);
    if (!failed) return {};
    std::error_code ignored;
    fs::remove(part_, ignored);
    return file_error(file_, failed.value());
}

}  // namespace plush::render
