#include "core/parallel.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "core/assert.hpp"

namespace plush {

struct Parallel::Arena {
    explicit Arena(int threads) : tbb(threads) {}
    tbb::task_arena tbb;
};

Parallel::Parallel(int threads) : threads_(threads > 0 ? threads : tbb::this_task_arena::max_concurrency()) {
    if (threads_ > 1) arena_ = std::make_unique<Arena>(threads_);
}

Parallel::~Parallel() = default;
Parallel::Parallel(Parallel&&) noexcept = default;
Parallel& Parallel::operator=(Parallel&&) noexcept = default;

void Parallel::chunks(std::size_t n, std::size_t chunk, ChunkTask task) const {
    PLUSH_ASSERT(chunk > 0);
    const std::size_t count = (n + chunk - 1) / chunk;
    const auto run = [&](std::size_t c) { task(c * chunk, std::min(n, (c + 1) * chunk)); };
    if (!arena_ || count <= 1) {
        for (std::size_t c = 0; c < count; ++c) run(c);
        return;
    }
    arena_->tbb.execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, count, 1),
            [&](const auto& range) {
                for (std::size_t c = range.begin(); c != range.end(); ++c) run(c);
            },
            tbb::simple_partitioner());
    });
}

}  // namespace plush
