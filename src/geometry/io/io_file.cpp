#include "geometry/io/io_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace plush {
namespace {

namespace fs = std::filesystem;

// A mesh that fits the int indices of Mesh takes less than this in every format but verbose text; anything
// larger is a mistake of the caller, better refused than swapped to death.
constexpr std::uintmax_t largest_file = std::uintmax_t{8} << 30;

Error io_error(const fs::path& file, std::string problem, std::string cure) {
    return Error({.file = file.string(), .problem = std::move(problem), .cure = std::move(cure)});
}

std::string reason(int code) {
    return std::generic_category().message(code);
}

/// Closes on every way out; close() itself is checked by the writer.
class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return fd_; }
    bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

private:
    int fd_;
};

/// Writes all bytes and makes them reach the disk; 0 or an errno. A delayed "disk full" shows in fsync or
/// close.
int write_all(Descriptor& out, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(out.get(), bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    if (::fsync(out.get()) != 0) return errno;
    return out.close() ? 0 : errno;
}

/// A name beside the target that no other thread or process uses.
fs::path temporary_name(const fs::path& target) {
    static std::atomic<unsigned> counter{0};
    return target.parent_path() /
           fmt::format(".{}.{}-{}.tmp", target.filename().string(), ::getpid(), counter++);
}

}  // namespace

Result<std::string> read_file(const fs::path& file) {
    // O_NONBLOCK: opening a pipe that nobody writes to must not hang; it has no effect on regular files.
    Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (in.get() < 0)
        return io_error(file, "cannot be opened: " + reason(errno),
                        errno == ENOENT ? "check the name and the folder it is relative to"
                                        : "check that you may read it");
    struct stat status {};
    if (::fstat(in.get(), &status) != 0) return io_error(file, "cannot be read: " + reason(errno), "");
    if (S_ISDIR(status.st_mode)) return io_error(file, "is a folder", "name a file inside it");
    if (!S_ISREG(status.st_mode))
        return io_error(file, "is a device or a pipe", "copy its content to a regular file first");
    const auto size = static_cast<std::uintmax_t>(status.st_size);
    if (size == 0) return io_error(file, "is empty", "export it again");
    if (size > largest_file)
        return io_error(file, fmt::format("is too large ({} GiB, at most 8)", size >> 30),
                        "simplify the mesh or use a binary format");
    std::string bytes;
    try {
        bytes.resize(size);
    } catch (const std::bad_alloc&) {
        return io_error(file, fmt::format("needs {} MiB of memory that are not free", size >> 20),
                        "close other programs or simplify the mesh");
    }
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t n = ::read(in.get(), bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return io_error(file, "cannot be read: " + reason(errno), "check the disk");
        if (n == 0)
            return io_error(file, "became shorter while it was read", "try again when it is complete");
        done += static_cast<std::size_t>(n);
    }
    return bytes;
}

Result<void> write_file(const fs::path& file, std::string_view bytes) {
    std::error_code code;
    // Through a symbolic link the file it points to is replaced, not the link.
    const fs::path resolved = fs::is_symlink(file, code) ? fs::canonical(file, code) : file;
    const fs::path target = code ? file : resolved;
    struct stat old {};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists && !S_ISREG(old.st_mode))
        return io_error(file, S_ISDIR(old.st_mode) ? "is a folder" : "is a device or a pipe",
                        "name a regular file");

    const fs::path temporary = temporary_name(target);
    Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (out.get() < 0)
        return io_error(file, "cannot be written: " + reason(errno),
                        "check that the folder exists and that you may write there");
    if (exists && ::fchmod(out.get(), old.st_mode & 07777) != 0) {
        // Not our file to chmod (another owner): the new one keeps the default mode, its content is right.
    }
    int failure = write_all(out, bytes);
    if (failure == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) failure = errno;
    if (failure == 0) return {};
    ::unlink(temporary.c_str());
    return io_error(file, "cannot be written: " + reason(failure),
                    exists ? "free some space; the file that was there is unchanged" : "free some space");
}

}  // namespace plush
