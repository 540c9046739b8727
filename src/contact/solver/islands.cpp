#include "contact/solver/islands.hpp"

#include <limits>
#include <numeric>

#include "core/assert.hpp"

// Union-find over the bodies that blocks touch, then a counting sort of the blocks by island.

namespace plush {

std::uint32_t Islands::root(std::uint32_t group) {
    PLUSH_ASSERT(group < parent_.size());
    while (parent_[group] != group) group = parent_[group] = parent_[parent_[group]];
    return group;
}

void Islands::build(const Rows& rows, std::span<const std::uint32_t> group_of_node, std::size_t groups) {
    parent_.resize(groups);
    std::iota(parent_.begin(), parent_.end(), 0u);
    for (const Block& block : rows.blocks) {
        const auto entries = rows.entries_of(block);
        PLUSH_ASSERT(!entries.empty());
        for (std::size_t e = 1; e < entries.size(); ++e) {
            PLUSH_ASSERT(entries[0].node < group_of_node.size() && entries[e].node < group_of_node.size());
            const std::uint32_t a = root(group_of_node[entries[0].node]),
                                b = root(group_of_node[entries[e].node]);
            if (a < b) parent_[b] = a;
            if (b < a) parent_[a] = b;
        }
    }

    constexpr auto none = std::numeric_limits<std::uint32_t>::max();
    island_of_root_.assign(groups, none);
    first_.assign(1, 0);
    const auto island_of = [&](const Block& block) -> std::uint32_t& {
        return island_of_root_[root(group_of_node[rows.entries_of(block)[0].node])];
    };
    for (const Block& block : rows.blocks) {
        std::uint32_t& island = island_of(block);
        if (island == none) {
            island = static_cast<std::uint32_t>(first_.size() - 1);
            first_.push_back(0);
        }
        ++first_[island + 1];
    }
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    next_.assign(first_.begin(), first_.end() - 1);
    blocks_.resize(rows.blocks.size());
    for (std::uint32_t b = 0; b < rows.blocks.size(); ++b) blocks_[next_[island_of(rows.blocks[b])]++] = b;
}

}  // namespace plush
