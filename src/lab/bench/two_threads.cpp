#include "lab/bench/two_threads.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "plush/core/random.hpp"

namespace plush::lab {
namespace {

double seconds_of(FunctionRef<void(const Parallel&)> work, const Parallel& parallel) {
    const auto start = std::chrono::steady_clock::now();
    work(parallel);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Four chains of products, so that the multipliers are busy.
double arithmetic(double start) {
    constexpr int steps = 1000000;
    double a = start, b = 1.25 * start, c = 1.5 * start, d = 1.75 * start;
    for (int i = 0; i < steps; ++i)
        a = a * 0.999999 + 1e-6, b = b * 0.999999 + 1e-6, c = c * 0.999999 + 1e-6, d = d * 0.999999 + 1e-6;
    return a + b + c + d;
}

/// One ring through all places, in random order (Sattolo's shuffle).
std::vector<std::uint32_t> ring(std::size_t places, std::uint64_t seed) {
    Random random(seed);
    std::vector<std::uint32_t> next(places);
    std::iota(next.begin(), next.end(), 0u);
    for (std::size_t i = places - 1; i > 0; --i) {
        const auto j = static_cast<std::size_t>(random.uniform(0, static_cast<double>(i)));
        std::swap(next[i], next[std::min(j, i - 1)]);
    }
    return next;
}

double follow(const std::vector<std::uint32_t>& next) {
    constexpr int hops = 100000;
    std::uint32_t at = 0;
    for (int i = 0; i < hops; ++i) at = next[at];
    return at;
}

}  // namespace

OneAndTwoThreads one_and_two_threads(int rounds, FunctionRef<void(const Parallel&)> work) {
    const Parallel alone(1), both(2);
    OneAndTwoThreads least{HUGE_VAL, HUGE_VAL};
    for (int r = 0; r < rounds; ++r) {
        least.one = std::min(least.one, seconds_of(work, alone));
        least.two = std::min(least.two, seconds_of(work, both));
    }
    return least;
}

TwoThreadsCeiling ceiling_of_two_threads(int rounds) {
    constexpr std::size_t halves = 2, places = (std::size_t{10} << 20) / sizeof(std::uint32_t);
    const std::vector<std::uint32_t> rings[halves] = {ring(places, 1), ring(places, 2)};
    volatile double kept[halves];  // what nobody reads would not be computed
    const OneAndTwoThreads busy = one_and_two_threads(rounds, [&](const Parallel& parallel) {
        parallel.each(halves, 1, [&](std::size_t i) { kept[i] = arithmetic(1 + static_cast<double>(i)); });
    });
    const OneAndTwoThreads waiting = one_and_two_threads(rounds, [&](const Parallel& parallel) {
        parallel.each(halves, 1, [&](std::size_t i) { kept[i] = follow(rings[i]); });
    });
    return {busy.gain(), waiting.gain()};
}

}  // namespace plush::lab
