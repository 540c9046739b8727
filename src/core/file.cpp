#include "core/file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

namespace plush {

namespace {

const char* cure_of(int error_number) {
    switch (error_number) {
        case ENOSPC:
        case EDQUOT:
            return "free some space on that disk, or choose a folder on another";
        case EFBIG:
            return "raise the limit on file sizes (ulimit -f), or choose a folder without one";
        case EACCES:
        case EPERM:
        case EROFS:
            return "choose a file or folder that you are allowed to use";
        case ENOENT:
            return "check the spelling of the path";
        case ENOTDIR:
        case EISDIR:
            return "choose another name: a file and a folder stand in each other's way";
        default:
            return "";
    }
}

int open_retrying(const std::filesystem::path& path, int flags) {
    int descriptor;
    do {
        descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/// Writes everything; 0 or the error number.
int write_all(int descriptor, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        if (n == 0) return ENOSPC;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
    return 0;
}

/// 0 or the error number. Pipes and devices cannot be synchronised and need not be.
int sync_to_disk(int descriptor) {
    if (::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS) return 0;
    return errno;
}

/// Opens for growing and takes the lock before anything of an older content is touched.
Result<FileHandle> open_locked(const std::filesystem::path& path, int flags) {
    FileHandle file(open_retrying(path, O_RDWR | flags));
    if (file.get() < 0) return file_error(path, errno);
    // Some network file systems have no locks; there the user has to keep runs apart.
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        return Error({.file = path.string(),
                      .problem = "another program is writing this file",
                      .cure = "wait for the other run to end, or choose another folder"});
    }
    return file;
}

}  // namespace

Error file_error(const std::filesystem::path& path, int error_number) {
    return Error({.file = path.string(),
                  .problem = std::generic_category().message(error_number),
                  .cure = cure_of(error_number)});
}

FileHandle::~FileHandle() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

FileHandle::FileHandle(FileHandle&& other) noexcept : descriptor_(other.release()) {}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

int FileHandle::release() {
    return std::exchange(descriptor_, -1);
}

Result<GrowingFile> GrowingFile::create(const std::filesystem::path& path) {
    auto file = open_locked(path, O_CREAT);
    if (!file) return file.error();
    if (::ftruncate(file.value().get(), 0) != 0) return file_error(path, errno);
    GrowingFile growing;
    growing.file_ = std::move(file).value();
    growing.path_ = path;
    return growing;
}

Result<GrowingFile> GrowingFile::resume(const std::filesystem::path& path, std::uint64_t size) {
    auto file = open_locked(path, 0);
    if (!file) return file.error();
    const int descriptor = file.value().get();
    struct stat status {};
    if (::fstat(descriptor, &status) != 0) return file_error(path, errno);
    if (static_cast<std::uint64_t>(status.st_size) < size) {
        return Error({.file = path.string(),
                      .place = "byte " + std::to_string(status.st_size),
                      .problem = "the file ends before the place that the checkpoint names",
                      .cure = "put the run's own file back, or run the scene again"});
    }
    if (::ftruncate(descriptor, static_cast<off_t>(size)) != 0) return file_error(path, errno);
    if (::lseek(descriptor, static_cast<off_t>(size), SEEK_SET) < 0) return file_error(path, errno);
    GrowingFile growing;
    growing.file_ = std::move(file).value();
    growing.path_ = path;
    growing.size_ = size;
    return growing;
}

Result<void> GrowingFile::write(std::span<const std::byte> bytes) {
    if (const int failed = write_all(file_.get(), bytes)) {
        const auto end = static_cast<off_t>(size_);
        if (::ftruncate(file_.get(), end) == 0) ::lseek(file_.get(), end, SEEK_SET);
        return file_error(path_, failed);
    }
    size_ += bytes.size();
    return {};
}

Result<void> GrowingFile::sync() {
    if (const int failed = sync_to_disk(file_.get())) return file_error(path_, failed);
    return {};
}

Result<ReadFile> ReadFile::open(const std::filesystem::path& path) {
    ReadFile file;
    // To open a pipe must not wait for its other end; regular files know no such waiting.
    file.file_ = FileHandle(open_retrying(path, O_RDONLY | O_NONBLOCK));
    if (file.file_.get() < 0) return file_error(path, errno);
    struct stat status {};
    if (::fstat(file.file_.get(), &status) != 0) return file_error(path, errno);
    if (S_ISDIR(status.st_mode)) return file_error(path, EISDIR);
    if (!S_ISREG(status.st_mode))
        return Error({.file = path.string(),
                      .problem = "this is a pipe or a device",
                      .cure = "copy its content to a regular file first"});
    file.path_ = path;
    return file;
}

std::uint64_t ReadFile::size() const {
    struct stat status {};
    return ::fstat(file_.get(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool ReadFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const ssize_t n = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(n));
        offset += static_cast<std::uint64_t>(n);
    }
    return true;
}

Result<std::filesystem::path> set_aside(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::path aside = path;
    aside += ".damaged";
    for (int k = 2; std::filesystem::exists(std::filesystem::symlink_status(aside, error)); ++k) {
        aside = path;
        aside += ".damaged." + std::to_string(k);
    }
    std::filesystem::rename(path, aside, error);
    if (error) return file_error(path, error.value());
    return aside;
}

Result<void> replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes,
                          const std::filesystem::path& previous) {
    std::filesystem::path part = path;
    part += ".part";
    ::unlink(part.c_str());
    FileHandle file(open_retrying(part, O_WRONLY | O_CREAT | O_EXCL));
    if (file.get() < 0) return file_error(part, errno);
    int failed = write_all(file.get(), bytes);
    if (!failed) failed = sync_to_disk(file.get());
    // Network file systems report a full disk only here.
    if (::close(file.release()) != 0 && !failed) failed = errno;
    if (!failed && !previous.empty() && ::rename(path.c_str(), previous.c_str()) != 0 && errno != ENOENT)
        failed = errno;
    if (!failed && ::rename(part.c_str(), path.c_str()) != 0) failed = errno;
    if (failed) {
        ::unlink(part.c_str());
        return file_error(path, failed);
    }
    // The new name itself reaches the disk with its folder. A failure here loses nothing that is there now.
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    FileHandle directory(open_retrying(folder, O_RDONLY | O_DIRECTORY));
    if (directory.get() >= 0) sync_to_disk(directory.get());
    return {};
}

}  // namespace plush
