#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/internal_api.hpp"
#include "plush/core/error.hpp"

// Files that tell the truth: every write is checked, and what was whole before a failed write is whole after
// it. POSIX calls, because streams hide which write failed and cannot cut a file, lock it or force it to
// disk.

namespace plush {

/// An open file, closed at the end of its life.
class PLUSH_INTERNAL_API FileHandle {
public:
    FileHandle() = default;
    explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
    ~FileHandle();
    FileHandle(FileHandle&& other) noexcept;
    FileHandle& operator=(FileHandle&& other) noexcept;
    int get() const { return descriptor_; }
    int release();

private:
    int descriptor_ = -1;
};

/// A file that only grows. It is locked for as long as it is open: a second run that wants to write the same
/// folder is refused instead of mixing its rows in.
class GrowingFile {
public:
    /// Empty, replacing what was there.
    static Result<GrowingFile> create(const std::filesystem::path& path);
    /// Goes on after the first `size` bytes, which must exist; whatever follows them is cut off.
    static Result<GrowingFile> resume(const std::filesystem::path& path, std::uint64_t size);

    /// All of it or nothing: after a failed write the file is cut back to its size before.
    Result<void> write(std::span<const std::byte> bytes);
    /// Onto the disk, so that a checkpoint that names this size is never ahead of the file.
    Result<void> sync();
    std::uint64_t size() const { return size_; }
    const std::filesystem::path& path() const { return path_; }

private:
    FileHandle file_;
    std::filesystem::path path_;
    std::uint64_t size_ = 0;
};

/// A file to read from anywhere, also while another process makes it grow.
class ReadFile {
public:
    static Result<ReadFile> open(const std::filesystem::path& path);
    /// Now: it may have grown.
    std::uint64_t size() const;
    /// Fills `bytes` from `offset`; false where the file ends before.
    bool read(std::uint64_t offset, std::span<std::byte> bytes) const;
    const std::filesystem::path& path() const { return path_; }

private:
    FileHandle file_;
    std::filesystem::path path_;
};

/// Replaces the file in one go: the bytes go to a temporary file beside it and onto the disk before the name
/// changes hands. Whatever happens, the name holds the old content or the new, never a part. The temporary file is new:
/// a link that stands under its name is not followed. With `previous`, the old content is kept under that name; a stop
/// between the two renames leaves it there, and nothing under `path`.
PLUSH_INTERNAL_API Result<void> replace_file(const std::filesystem::path& path,
                                             std::span<const std::byte> bytes,
                                             const std::filesystem::path& previous = {});

/// Renames a file that cannot be used as it is to NAME.damaged, or NAME.damaged.2 and so on; returns the new name.
Result<std::filesystem::path> set_aside(const std::filesystem::path& path);

/// The Error of a failed system call on a file.
PLUSH_INTERNAL_API Error file_error(const std::filesystem::path& path, int error_number);

}  // namespace plush
