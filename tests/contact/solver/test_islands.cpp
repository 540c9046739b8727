#include <gtest/gtest.h>

#include <algorithm>

#include "contact/solver/islands.hpp"
#include "plush/core/random.hpp"

namespace plush {
namespace {

void add_block(Rows& rows, std::vector<std::uint32_t> nodes) {
    Block block;
    block.first_entry = static_cast<std::uint32_t>(rows.entries.size());
    block.entry_count = static_cast<std::uint32_t>(nodes.size());
    for (std::uint32_t n : nodes) rows.entries.push_back({n, {}, {}});
    rows.blocks.push_back(block);
}

// The lowest group that each group is connected with: labels are lowered until nothing changes.
std::vector<std::uint32_t> components(const Rows& rows, std::span<const std::uint32_t> group_of_node,
                                      std::size_t groups) {
    std::vector<std::uint32_t> label(groups);
    for (std::uint32_t g = 0; g < groups; ++g) label[g] = g;
    for (bool changed = true; changed;) {
        changed = false;
        for (const Block& block : rows.blocks) {
            std::uint32_t lowest = ~0u;
            for (const Entry& e : rows.entries_of(block))
                lowest = std::min(lowest, label[group_of_node[e.node]]);
            for (const Entry& e : rows.entries_of(block)) {
                std::uint32_t& mine = label[group_of_node[e.node]];
                changed = changed || mine != lowest;
                mine = lowest;
            }
        }
    }
    return label;
}

TEST(Islands, AreTheConnectedComponentsThatBruteForceFinds) {
    Random random(1);
    Islands islands;  // used again and again, as a world does
    for (int round = 0; round < 200; ++round) {
        const std::size_t groups = 1 + random.below(40), nodes = groups + random.below(40);
        std::vector<std::uint32_t> group_of_node(nodes);
        for (std::size_t i = 0; i < nodes; ++i)
            group_of_node[i] = static_cast<std::uint32_t>(i < groups ? i : random.below(groups));
        Rows rows;
        for (std::uint64_t b = random.below(60); b > 0; --b) {
            std::vector<std::uint32_t> touched;
            for (std::uint64_t k = 1 + random.below(2); k > 0; --k)
                touched.push_back(static_cast<std::uint32_t>(random.below(nodes)));
            add_block(rows, touched);
        }
        islands.build(rows, group_of_node, groups);
        const auto label = components(rows, group_of_node, groups);
        for (std::uint32_t g = 0; g < groups; ++g) EXPECT_EQ(islands.root(g), label[g]);

        // Each block once, in rising order, with its own component alone; islands by their first block.
        std::vector<int> seen(rows.blocks.size(), 0);
        std::vector<std::uint32_t> roots;
        std::uint32_t last_first = 0;
        for (std::size_t i = 0; i < islands.size(); ++i) {
            const auto blocks = islands.blocks(i);
            ASSERT_FALSE(blocks.empty());
            EXPECT_TRUE(std::is_sorted(blocks.begin(), blocks.end()));
            EXPECT_GE(blocks[0], last_first);
            last_first = blocks[0];
            const auto root_of = [&](std::uint32_t b) {
                return label[group_of_node[rows.entries_of(rows.blocks[b])[0].node]];
            };
            roots.push_back(root_of(blocks[0]));
            for (std::uint32_t b : blocks) {
                ++seen[b];
                EXPECT_EQ(root_of(b), roots.back());
            }
        }
        EXPECT_TRUE(std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; }));
        std::sort(roots.begin(), roots.end());
        EXPECT_EQ(std::unique(roots.begin(), roots.end()), roots.end()) << "two islands of one component";
    }
}

TEST(Islands, NodesOfOneBodyBelongTogether) {
    Rows rows;
    add_block(rows, {0});
    add_block(rows, {1});
    add_block(rows, {2});
    Islands islands;
    islands.build(rows, std::vector<std::uint32_t>{0, 1, 1}, 2);
    ASSERT_EQ(islands.size(), 2u);
    EXPECT_EQ(islands.blocks(1).size(), 2u);
    islands.build({}, {}, 0);
    EXPECT_EQ(islands.size(), 0u);
}

}  // namespace
}  // namespace plush
