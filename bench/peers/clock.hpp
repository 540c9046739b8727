#pragma once

#include <ctime>

/// s, by CLOCK_MONOTONIC (the wall) or CLOCK_PROCESS_CPUTIME_ID (this process, all threads).
inline double seconds_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}
