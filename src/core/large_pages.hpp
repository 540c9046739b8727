#pragma once

#include <sys/mman.h>

#include <cstdlib>
#include <new>

// Memory for long arrays, in large pages where the system has them: an array of hundreds of megabytes that is
// not read in order would else wait for the table of its pages as much as for its numbers. Short arrays come
// from where all memory comes from.

namespace plush {

template <class T>
class LargePages {
public:
    using value_type = T;
    LargePages() = default;
    template <class U>
    LargePages(const LargePages<U>&) {}

    T* allocate(std::size_t n) {
        if (n < long_array) return static_cast<T*>(::operator new(n * sizeof(T), align));
        const std::size_t bytes = (n * sizeof(T) + page - 1) / page * page;
        void* const memory =
            n <= static_cast<std::size_t>(-1) / sizeof(T) - page ? std::aligned_alloc(page, bytes) : nullptr;
        if (!memory) throw std::bad_alloc();
        ::madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it pages are small
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t n) {
        if (n < long_array)
            ::operator delete(memory, align);
        else
            std::free(memory);
    }
    friend bool operator==(const LargePages&, const LargePages&) { return true; }

private:
    static constexpr std::size_t page = std::size_t{2} << 20, long_array = 2 * page / sizeof(T);
    static constexpr std::align_val_t align{alignof(T) > 16 ? alignof(T) : 16};
};

}  // namespace plush
