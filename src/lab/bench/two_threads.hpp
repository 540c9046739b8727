#pragma once

#include "core/parallel.hpp"
#include "geometry/mesh/function_ref.hpp"

// What a second thread gives, and the most that it could give on the machine as it is just now: cores may
// share their units or their cache, and other programs may be at work.

namespace plush::lab {

/// Seconds by the clock, on one thread and on two.
struct OneAndTwoThreads {
    double one = 0, two = 0;
    double gain() const { return one / two; }
};
/// The least of several rounds, one and two in turn.
OneAndTwoThreads one_and_two_threads(int rounds, FunctionRef<void(const Parallel&)> work);

struct TwoThreadsCeiling {
    double arithmetic = 0;  ///< of work that touches no memory
    double scattered = 0;   ///< of reads all over 20 MiB, each known only from the one before
};
TwoThreadsCeiling ceiling_of_two_threads(int rounds);

}  // namespace plush::lab
