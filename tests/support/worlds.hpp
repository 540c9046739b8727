#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "plush/world/world.hpp"

// Worlds that are stepped and measured.

namespace plush::test {

inline WorldSettings without_gravity(WorldSettings settings = {}) {
    settings.gravity = {};
    return settings;
}

inline WorldSettings without_sleep(WorldSettings settings = {}) {
    settings.sleep.enabled = false;
    return settings;
}

inline void steps(World& world, int n) {
    for (int i = 0; i < n; ++i) world.step();
}

/// `time` in s from the start of the world.
inline void run_until(World& world, double time) {
    while (world.time() < time - 0.5 * world.settings().step) world.step();
}

/// √(2 E/m) of all that can move, m/s.
inline double rms_speed(const World& world) {
    double mass = 0;
    for (const BodyId body : world.bodies())
        if (std::isfinite(world.mass(body))) mass += world.mass(body);
    return std::sqrt(2 * world.energy().kinetic / mass);
}

inline std::vector<BodyId> deformable_bodies(const World& world) {
    std::vector<BodyId> bodies;
    for (const BodyId body : world.bodies())
        if (world.kind(body) == BodyKind::deformable) bodies.push_back(body);
    return bodies;
}

inline std::size_t inverted_tets(const World& world) {
    std::size_t count = 0;
    for (const BodyId body : deformable_bodies(world)) {
        const auto x = world.vertex_positions(body);
        for (const Tet& t : world.tets(body)) {
            const auto at = [&](std::size_t k) { return x[static_cast<std::size_t>(t[k])]; };
            count += dot(cross(at(1) - at(0), at(2) - at(0)), at(3) - at(0)) <= 0;
        }
    }
    return count;
}

/// From a snapshot on the world takes the same steps again, and so does `other`, which was built alike.
inline void expect_restored_alike(World& world, World& other, int n) {
    const std::vector<std::byte> snapshot = world.snapshot();
    steps(world, n);
    const std::uint64_t expected = world.state_hash();
    world.restore(snapshot);
    steps(world, n);
    EXPECT_EQ(world.state_hash(), expected);
    other.restore(snapshot);
    steps(other, n);
    EXPECT_EQ(other.state_hash(), expected);
}

/// The hash after `n` steps of what `build` returns; with `restored` the second half of them is taken by
/// another world from a snapshot. There is contact in the end.
template <class Build>
std::uint64_t hash_after(const Build& build, int n, bool restored) {
    World world = build();
    steps(world, n / 2);
    if (restored) {
        World other = build();
        other.restore(world.snapshot());
        world = std::move(other);
    }
    steps(world, n - n / 2);
    EXPECT_FALSE(world.contacts().empty());
    return world.state_hash();
}

/// `build(threads)` takes `n` steps to the same bits with each number of threads, and again from a snapshot of
/// the middle. There are more than ten contacts in the end.
template <class Build>
void expect_same_bits(const Build& build, std::initializer_list<int> thread_counts, int n) {
    std::vector<std::uint64_t> one;
    for (const int threads : thread_counts) {
        World world = build(threads);
        std::vector<std::uint64_t> these;
        std::vector<std::byte> middle;
        for (int i = 0; i < n; ++i) {
            if (i == n / 2) middle = world.snapshot();
            world.step();
            these.push_back(world.state_hash());
        }
        EXPECT_GT(world.contacts().size(), 10u);
        if (one.empty()) one = these;
        EXPECT_EQ(these, one) << threads;
        world.restore(middle);
        for (std::size_t i = static_cast<std::size_t>(n / 2); i < one.size(); ++i) {
            world.step();
            ASSERT_EQ(world.state_hash(), one[i]) << threads << " threads, restored, step " << i;
        }
    }
}

}  // namespace plush::test
