#include <gtest/gtest.h>

#include "contact/solver/random_system.hpp"

// The direct part of the island solver: exact, least-norm where rows are redundant, with bounds as an active
// set.

namespace plush::test {
namespace {

/// Nodes in a chain with three rows between neighbours; the first hangs on the world.
System chain(Random& random, std::size_t count) {
    System s;
    for (std::size_t i = 0; i < count; ++i) {
        const double mass = i + 1 == count ? 1000 : 1;
        s.add_node({0, -static_cast<double>(i), 0}, mass, random_inertia(random, mass),
                   {random_vector(random), random_vector(random)});
    }
    for (std::size_t i = 0; i < count; ++i) {
        const Vec3 point{0, 0.5 - static_cast<double>(i), 0};
        Block& block = s.add_block(i, i == 0 ? std::nullopt : std::optional(i - 1), point, {0, 1, 0}, 0,
                                   Block::Law::bilateral);
        block.direct = true;
        block.owner = static_cast<std::uint32_t>(i);
    }
    return s;
}

/// A row that stands alone has zeros for the other two.
void keep_first_row(System& s, const Block& block) {
    for (std::uint32_t e = block.first_entry; e < block.first_entry + block.entry_count; ++e)
        for (const std::size_t k : {1u, 2u})
            s.rows.entries[e].linear.row[k] = s.rows.entries[e].angular.row[k] = {};
}

TEST(JointSystem, SolvesAChainAtOnce) {
    Random random(3);
    System s = chain(random, 200);
    const SweepReport report = s.solve({});
    EXPECT_EQ(report.iterations, 1);
    EXPECT_LT(report.residual, 1e-10);
    for (const Block& b : s.rows.blocks) EXPECT_LT(norm(s.relative_velocity(b)), 1e-9);
    // Sweeps alone leave much of it.
    Random again(3);
    System swept = chain(again, 200);
    for (Block& b : swept.rows.blocks) b.direct = false;
    EXPECT_GT(swept.solve({.newton = false}).residual, 1e-4);
}

TEST(JointSystem, SharesALoadAmongRowsThatSayTheSame) {
    System s;
    s.add_node({}, 2, Mat3::identity(), {{0, -1, 0}, {}});
    for (std::uint32_t k = 0; k < 4; ++k) {
        Block& block = s.add_block(0, std::nullopt, {}, {0, 1, 0}, 0, Block::Law::bilateral);
        block.direct = true;
        block.owner = k;
    }
    s.solve({});
    for (const Block& b : s.rows.blocks)
        EXPECT_NEAR(b.impulse.x, 0.5, 1e-6);  // measured: 4e-8, rounding over ε
    EXPECT_LT(norm(s.velocity[0].linear), 1e-12);
}

// Rows that cannot all be fulfilled: least squares, and no impulses that fight each other.
TEST(JointSystem, LeavesWhatCannotBe) {
    System s;
    s.add_node({}, 1, Mat3::identity(), {});
    for (std::uint32_t k = 0; k < 2; ++k) {
        Block& block = s.add_block(0, std::nullopt, {}, {0, 1, 0}, 0, Block::Law::bilateral);
        block.direct = true;
        block.owner = k;
        block.bias = {k == 0 ? 1e-3 : -1e-3, 0, 0};
    }
    s.solve({});
    for (const Block& b : s.rows.blocks) EXPECT_LT(norm(b.impulse), 1e-3);
}

TEST(JointSystem, SoftRowsYield) {
    System s;
    s.add_node({}, 2, Mat3::identity(), {{0, -1, 0}, {}});
    Block& block = s.add_block(0, std::nullopt, {}, {0, 1, 0}, 0, Block::Law::bilateral);
    block.direct = true;
    block.rows = 1;
    keep_first_row(s, block);
    block.softness = {0.5, 0.5, 0.5};
    s.solve({});
    // w + γ λ = 0 with w = −1 + λ/2.
    EXPECT_NEAR(s.rows.blocks[0].impulse.x, 1, 1e-12);
    EXPECT_NEAR(s.velocity[0].linear.y, -0.5, 1e-12);
}

// Every bounded row ends inside its bounds with w = 0, or on one with w of the right sign.
TEST(JointSystem, BoundsHold) {
    Random random(11);
    for (int trial = 0; trial < 50; ++trial) {
        System s = chain(random, 12);
        for (std::uint32_t k = 0; k < 12; ++k) {
            const std::size_t a = random.below(12);
            Block& block = s.add_block(a, std::nullopt, s.nodes[a].origin + random_vector(random),
                                       normalised(random_vector(random)), 0, Block::Law::bounded);
            block.direct = true;
            block.rows = 1;
            keep_first_row(s, block);
            block.owner = 100 + k;
            block.low = random.below(2) ? 0 : -0.2;
            block.high = random.below(2) ? HUGE_VAL : 0.2;
        }
        const SweepReport report = s.solve({.iterations = 1000});
        EXPECT_LT(report.residual, 1e-7) << trial;
        for (const Block& b : s.rows.blocks) {
            if (b.law != Block::Law::bounded) continue;
            // Measured: 1.4e-5. Rows on their bounds are judged by the velocities before the last solve.
            const double w = s.relative_velocity(b).x, small = 2e-5;
            EXPECT_GE(b.impulse.x, b.low);
            EXPECT_LE(b.impulse.x, b.high);
            if (b.impulse.x > b.low) {
                EXPECT_LT(w, small) << trial;
            }
            if (b.impulse.x < b.high) {
                EXPECT_GT(w, -small) << trial;
            }
        }
    }
}

TEST(JointSystem, GroupsAnswerTogether) {
    System s;
    s.add_node({}, 1, Mat3::identity(), {{0, -1, 0}, {}});
    s.add_node({1, 0, 0}, 1, Mat3::identity(), {});
    for (Node& n : s.nodes) n.inverse_mass = 0, n.inverse_inertia = {};
    const Mat3 one = Mat3::identity();
    s.rows.groups.push_back({0, 2, {one * 2, one, one, one * 3}});
    Block& block = s.add_block(0, std::nullopt, {}, {0, 1, 0}, 0, Block::Law::bilateral);
    block.direct = true;
    s.solve({});
    EXPECT_NEAR(s.velocity[0].linear.y, 0, 1e-12);
    EXPECT_NEAR(s.velocity[1].linear.y, 0.5, 1e-12);  // W₁₀ λ, λ = 1/2
}

}  // namespace
}  // namespace plush::test
