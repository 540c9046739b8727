#include "core/parallel.hpp"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>

#include "core/assert.hpp"
#include "core/stop.hpp"

#ifdef PLUSH_TSAN
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace plush {
namespace {

// Debian's oneTBB is built without the thread sanitizer, which therefore cannot see that a loop's chunks
// start after the call and end before it returns. Under that sanitizer the two edges are told to it, and only
// they: chunks stay unordered among themselves, so real races between them are found. CMake compiles this
// file uninstrumented there, so that oneTBB's own templates raise no false alarms. Elsewhere all this is
// empty.
struct ForkJoin {
#ifdef PLUSH_TSAN
    ForkJoin() {
        __tsan_release(&fork_);
    }
    void joined() {
        __tsan_acquire(&join_);
    }
    struct Chunk {
        explicit Chunk(ForkJoin& edges) : edges_(edges) { __tsan_acquire(&edges_.fork_); }
        ~Chunk() { __tsan_release(&edges_.join_); }
        ForkJoin& edges_;
    };
    char fork_ = 0, join_ = 0;  // only their addresses matter
#else
    void joined() {}
    struct Chunk {
        explicit Chunk(ForkJoin&) {}
    };
#endif
};

}  // namespace

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
    const auto run = [&](std::size_t c) {
        stop_if_requested();
        task(c * chunk, std::min(n, (c + 1) * chunk));
    };
    if (!arena_ || count <= 1) {
        for (std::size_t c = 0; c < count; ++c) run(c);
        return;
    }
    ForkJoin edges;
    arena_->tbb.execute([&] {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, count, 1),
            [&](const auto& range) {
                [[maybe_unused]] const ForkJoin::Chunk inside(edges);
                for (std::size_t c = range.begin(); c != range.end(); ++c) run(c);
            },
            tbb::simple_partitioner());
    });
    edges.joined();
}

}  // namespace plush
