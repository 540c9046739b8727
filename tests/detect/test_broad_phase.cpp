#include <gtest/gtest.h>

#include "detect/broad_phase.hpp"
#include "plush/core/random.hpp"

namespace plush {
namespace {

std::vector<IndexPair> brute_force(std::span<const Box3> boxes) {
    std::vector<IndexPair> pairs;
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        for (std::uint32_t j = i + 1; j < boxes.size(); ++j)
            if (!boxes[i].empty() && !boxes[j].empty() && boxes[i].overlaps(boxes[j]))
                pairs.push_back({i, j});
    return pairs;
}

Box3 random_box(Random& random, const Vec3& spread) {
    const Vec3 low{random.uniform(0, spread.x), random.uniform(0, spread.y), random.uniform(0, spread.z)};
    return {low, low + Vec3{random.uniform(), random.uniform(), random.uniform()}};
}

TEST(BroadPhase, FindsExactlyThePairsThatBruteForceFinds) {
    Random random(1);
    BroadPhase broad;  // used again and again, as a world does
    std::size_t found = 0;
    for (const Vec3& spread : {Vec3{10, 1, 1}, Vec3{1, 10, 1}, Vec3{1, 1, 10}, Vec3{4, 4, 4}, Vec3{0, 0, 0}})
        for (std::size_t n : {0u, 1u, 2u, 20u, 200u}) {
            std::vector<Box3> boxes;
            for (std::size_t i = 0; i < n; ++i) {
                boxes.push_back(random_box(random, spread));
                // Some half-spaces (infinite on one or all sides), some empty boxes.
                const auto kind = random.below(12);
                if (kind == 0) boxes.back() = Box3{};
                if (kind == 1) boxes.back().low.y = -HUGE_VAL;
                if (kind == 2) boxes.back().high = {HUGE_VAL, HUGE_VAL, HUGE_VAL};
                if (kind == 3)
                    boxes.back() = {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
            }
            const auto expected = brute_force(boxes);
            EXPECT_EQ(broad.find(boxes), expected) << n << " boxes";
            found += expected.size();
        }
    EXPECT_GT(found, 1000u);
}

TEST(BroadPhase, BoxesThatOnlyTouchAreAPair) {
    const std::vector<Box3> boxes{{{0, 0, 0}, {1, 1, 1}}, {{1, 1, 1}, {2, 2, 2}}, {{0, 2.5, 0}, {1, 3, 1}}};
    BroadPhase broad;
    EXPECT_EQ(broad.find(boxes), (std::vector<IndexPair>{{0, 1}}));
}

// An empty box overlaps nothing, not even everything.
TEST(BroadPhase, EmptyBoxesMeetNobody) {
    const Box3 everything{{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
    const std::vector<Box3> boxes{everything, Box3{}, everything, {{0, 0, 0}, {1, 1, 1}}};
    BroadPhase broad;
    EXPECT_EQ(broad.find(boxes), (std::vector<IndexPair>{{0, 2}, {0, 3}, {2, 3}}));
}

}  // namespace
}  // namespace plush
