#pragma once

#include "core/internal_api.hpp"

// Broken invariants inside Plush stop the program in the test and debug builds. Input never reaches an
// assert: bad input is an Error.
#ifdef NDEBUG
#define PLUSH_ASSERT(condition) static_cast<void>(0)
#else
namespace plush {
[[noreturn]] PLUSH_INTERNAL_API void assertion_failed(const char* condition, const char* file, int line);
}
#define PLUSH_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::plush::assertion_failed(#condition, __FILE__, __LINE__))
#endif
