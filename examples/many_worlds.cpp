// A hundred worlds at once: each in a thread of its own, with one thread inside. The same seed gives the same bits, however
// the threads are scheduled.

#include <atomic>
#include <iostream>
#include <plush/core/random.hpp>
#include <plush/plush.hpp>
#include <thread>

namespace {

std::uint64_t throw_dice(std::uint64_t seed) {
    plush::Random random(seed);
    plush::World world({.threads = 1});
    world.add_ground();
    for (int i = 0; i < 2; ++i)
        world.add(plush::Rigid{.shape = plush::Shape::box({0.01, 0.01, 0.01})},
                  {.position = {0.05 * i, 0.1, 0},
                   .velocity = {random.uniform(-1, 1), 0, random.uniform(-1, 1)},
                   .angular_velocity = {random.uniform(-20, 20), random.uniform(-20, 20),
                                        random.uniform(-20, 20)}});
    for (int i = 0; i < 60; ++i) world.step();
    return world.state_hash();
}

}  // namespace

int main() {
    constexpr std::size_t count = 100;
    std::vector<std::uint64_t> hashes(count);
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < std::max(2u, std::thread::hardware_concurrency()); ++t)
        threads.emplace_back([&] {
            for (std::size_t k = next++; k < count; k = next++) hashes[k] = throw_dice(k);
        });
    for (std::thread& t : threads) t.join();
    for (const std::size_t k : {0u, 41u, 99u})
        if (throw_dice(k) != hashes[k]) return 1;
    std::cout << count << " worlds thrown\n";
    return 0;
}
