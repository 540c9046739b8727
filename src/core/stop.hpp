#pragma once

#include <atomic>
#include <exception>

#include "core/internal_api.hpp"

// A request to stop in the middle of long work: a signal handler may make it. Parallel loops and iterative solvers look for it,
// and the first that sees it throws. A step that is left so is taken back like any other that fails, and the run goes
// on from there another day with the same bits.

namespace plush {

/// Thrown by what was asked to stop.
class Stopped : public std::exception {
public:
    const char* what() const noexcept override { return "stopped on request"; }
};

namespace detail {
PLUSH_INTERNAL_API extern std::atomic<bool> stop_wanted;
[[noreturn]] PLUSH_INTERNAL_API void throw_stopped();
}  // namespace detail
static_assert(std::atomic<bool>::is_always_lock_free);  // in a signal handler

inline void request_stop() noexcept {
    detail::stop_wanted.store(true, std::memory_order_relaxed);
}
/// Throws Stopped once after each request.
inline void stop_if_requested() {
    if (detail::stop_wanted.load(std::memory_order_relaxed)) [[unlikely]]
        detail::throw_stopped();
}

}  // namespace plush
