#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <vector>

#include "core/internal_api.hpp"

// Deterministic parallelism. Work is cut into chunks whose borders depend on the size of the problem alone,
// never on the number of threads; a chunk's results land in the chunk's own slot and are combined in order.
// So the bits are the same for one thread and for many. oneTBB stands behind it, in one source file.
//
// Tasks should be coarse (a pair, a body, an island): never a barrier per solver iteration.

namespace plush {

/// A reference to a callable, for passing lambdas through a non-template interface without allocating.
class ChunkTask {
public:
    template <class F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, ChunkTask>) ChunkTask(F&& f)
        : object_(const_cast<void*>(static_cast<const void*>(&f))),
          call_([](void* object, std::size_t begin, std::size_t end) {
              (*static_cast<std::remove_reference_t<F>*>(object))(begin, end);
          }) {}
    void operator()(std::size_t begin, std::size_t end) const { call_(object_, begin, end); }

private:
    void* object_;
    void (*call_)(void*, std::size_t, std::size_t);
};

/// A group of threads that a world owns.
class PLUSH_INTERNAL_API Parallel {
public:
    /// `threads` ≤ 0 means as many as the machine has.
    explicit Parallel(int threads = 1);
    ~Parallel();
    Parallel(Parallel&&) noexcept;
    Parallel& operator=(Parallel&&) noexcept;

    int threads() const { return threads_; }

    /// Calls `task(begin, end)` for consecutive ranges of at most `chunk` items that together cover [0, n).
    void chunks(std::size_t n, std::size_t chunk, ChunkTask task) const;

    /// Calls `f(i)` for every i of [0, n).
    template <class F>
    void each(std::size_t n, std::size_t chunk, F&& f) const {
        chunks(n, chunk, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) f(i);
        });
    }

    /// `combine` over the chunks' values, in the order of the chunks, starting from `init`.
    template <class T, class Map, class Combine>
    T reduce(std::size_t n, std::size_t chunk, T init, Map&& map, Combine&& combine) const {
        std::vector<T> parts((n + chunk - 1) / chunk, init);
        chunks(n, chunk, [&](std::size_t begin, std::size_t end) { parts[begin / chunk] = map(begin, end); });
        for (const T& part : parts) init = combine(init, part);
        return init;
    }

private:
    struct Arena;
    int threads_;
    std::unique_ptr<Arena> arena_;
};

}  // namespace plush
