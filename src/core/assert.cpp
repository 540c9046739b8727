#include "core/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace plush {

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line);

void assertion_failed(const char* condition, const char* file, int line) {
    std::fprintf(stderr, "plush: broken invariant: %s (%s:%d)\n", condition, file, line);
    std::abort();
}

}  // namespace plush
