// A library that is put before libc (LD_PRELOAD) and makes one of the program's system calls fail, as a full disk or a bad one
// does. PLUSH_FAULT=CALL:N names the call (open, write, fsync, rename) and which of them fails, from 1; CALL+:N lets all from
// there on fail. Only files below PLUSH_FAULT_FOLDER count. The call "new" is any allocation of C++. The file named by PLUSH_FAULT_HIT is made where a call has failed.

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> count{0};

bool below_folder(const char* path) {
    const char* folder = std::getenv("PLUSH_FAULT_FOLDER");
    return folder && path && std::strncmp(path, folder, std::strlen(folder)) == 0;
}

bool is_file_below_folder(int descriptor) {
    char link[64], path[4096];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = ::readlink(link, path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = '\0';
    return below_folder(path);
}

/// Whether this call is to fail; counts it.
bool fails(const char* call) {
    const char* wish = std::getenv("PLUSH_FAULT");
    const std::size_t length = std::strlen(call);
    if (!wish || std::strncmp(wish, call, length) != 0) return false;
    const bool for_ever = wish[length] == '+';
    const long wanted = std::atol(wish + length + (for_ever ? 2 : 1));
    const long now = ++count;
    if (now != wanted && !(for_ever && now > wanted)) return false;
    if (const char* hit = std::getenv("PLUSH_FAULT_HIT"))
        ::syscall(SYS_close, ::syscall(SYS_open, hit, O_CREAT | O_WRONLY, 0666));
    return true;
}

template <class Function>
Function* next(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int open_or_fail(const char* name, const char* path, int flags, mode_t mode) {
    if (below_folder(path) && fails("open")) {
        errno = EIO;
        return -1;
    }
    return next<int(const char*, int, ...)>(name)(path, flags, mode);
}

bool allocations_fail() {
    static const bool wanted = [] {
        const char* wish = std::getenv("PLUSH_FAULT");
        return wish && std::strncmp(wish, "new", 3) == 0;
    }();
    return wanted && fails("new");
}

}  // namespace

void* operator new(std::size_t size) {
    if (allocations_fail()) throw std::bad_alloc();
    if (void* memory = std::malloc(size > 0 ? size : 1)) return memory;
    throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

extern "C" {

int open(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_or_fail("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_or_fail("open64", path, flags, mode);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    if (is_file_below_folder(descriptor) && fails("write")) {
        // As a disk does that fills up in the middle: a part is written first.
        if (size > 1) return next<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, size / 2);
        errno = ENOSPC;
        return -1;
    }
    return next<ssize_t(int, const void*, size_t)>("write")(descriptor, bytes, size);
}

int fsync(int descriptor) {
    if (is_file_below_folder(descriptor) && fails("fsync")) {
        errno = EIO;
        return -1;
    }
    return next<int(int)>("fsync")(descriptor);
}

int rename(const char* from, const char* to) {
    if (below_folder(to) && fails("rename")) {
        errno = EIO;
        return -1;
    }
    return next<int(const char*, const char*)>("rename")(from, to);
}
}
