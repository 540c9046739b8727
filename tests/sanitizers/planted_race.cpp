// Two chunks of one loop write the same number, on purpose: the thread sanitizer must see it through oneTBB.
#include <atomic>

#include "core/parallel.hpp"

int main() {
    const plush::Parallel parallel(2);
    int shared = 0;
    // The sanitizer misses some races of the very same moment (seen: one run in five), hence the rounds.
    for (int round = 0; round < 100; ++round) {
        std::atomic<int> arrived = 0;
        parallel.each(2, 1, [&](std::size_t i) {
            // Each chunk waits for the other (but not for ever: a worker may come late), so that two threads
            // take part. Relaxed, so that the waiting itself orders nothing.
            arrived.fetch_add(1, std::memory_order_relaxed);
            for (int spin = 0; spin < 10'000'000 && arrived.load(std::memory_order_relaxed) < 2; ++spin) {
            }
            shared += static_cast<int>(i);
        });
    }
    return shared == 0;
}
