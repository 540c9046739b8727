#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "plush/core/random.hpp"

namespace plush {
namespace {

constexpr std::array thread_counts{1, 2, 4};

TEST(Parallel, EveryItemIsVisitedOnceWhateverTheThreads) {
    for (int threads : thread_counts) {
        const Parallel parallel(threads);
        EXPECT_EQ(parallel.threads(), threads);
        for (std::size_t n : {0u, 1u, 7u, 8u, 9u, 1000u}) {
            std::vector<std::atomic<int>> visits(n);
            parallel.each(n, 8, [&](std::size_t i) { ++visits[i]; });
            for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(visits[i], 1) << "item " << i << " of " << n;
        }
    }
}

TEST(Parallel, ChunksDependOnTheProblemAloneAndNotOnTheThreads) {
    const std::size_t n = 1003, chunk = 10;
    for (int threads : thread_counts) {
        std::vector<std::size_t> ends(n, 0);
        Parallel(threads).chunks(n, chunk, [&](std::size_t begin, std::size_t end) { ends[begin] = end; });
        for (std::size_t i = 0; i < n; ++i)
            EXPECT_EQ(ends[i], i % chunk ? 0 : std::min(n, i + chunk)) << threads << " threads";
    }
}

// The sum of numbers of very different size depends on the order of the additions, so equal bits mean equal
// order.
TEST(Parallel, AnOrderedSumHasTheSameBitsForOneTwoAndFourThreads) {
    Random random(1);
    std::vector<double> values(100'000);
    for (double& v : values) v = std::ldexp(random.uniform(-1, 1), static_cast<int>(random.below(60)));
    const auto sum = [&](int threads) {
        return Parallel(threads).reduce(
            values.size(), 64, 0.0,
            [&](std::size_t begin, std::size_t end) {
                return std::accumulate(&values[begin], &values[0] + end, 0.0);
            },
            std::plus<>());
    };
    const double one = sum(1);
    for (int repeat = 0; repeat < 20; ++repeat) {
        EXPECT_EQ(sum(2), one);
        EXPECT_EQ(sum(4), one);
    }
    // The test can fail: the same numbers in another order give other bits.
    EXPECT_NE(std::accumulate(values.rbegin(), values.rend(), 0.0), one);
}

// An operation that does not commute shows the order at once.
TEST(Parallel, PartsAreCombinedInTheOrderOfTheChunks) {
    for (int threads : thread_counts) {
        const auto joined = Parallel(threads).reduce(
            26, 3, std::string(),
            [](std::size_t begin, std::size_t end) {
                std::string part;
                for (std::size_t i = begin; i < end; ++i) part += static_cast<char>('a' + i);
                return part;
            },
            std::plus<>());
        EXPECT_EQ(joined, "abcdefghijklmnopqrstuvwxyz");
    }
}

TEST(Parallel, NothingToDoGivesTheInitialValue) {
    const auto never = [](std::size_t, std::size_t) { return 1; };
    for (int threads : thread_counts) EXPECT_EQ(Parallel(threads).reduce(0, 8, 42, never, std::plus<>()), 42);
}

TEST(Parallel, NoThreadsMeansAllOfTheMachine) {
    EXPECT_GE(Parallel(0).threads(), 1);
}

}  // namespace
}  // namespace plush
