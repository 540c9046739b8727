#pragma once

#include <cstdint>
#include <vector>

#include "contact/solver/rows.hpp"
#include "core/assert.hpp"

namespace plush {

/// Blocks that are coupled through nodes, group by group: islands can be solved independently of each other.
class Islands {
public:
    /// `group_of_node` maps a node to its body, since the nodes of one body belong together.
    void build(const Rows& rows, std::span<const std::uint32_t> group_of_node, std::size_t groups);

    std::size_t size() const { return first_.empty() ? 0 : first_.size() - 1; }
    /// The blocks of an island, in rising order; islands in the order of their first block.
    std::span<const std::uint32_t> blocks(std::size_t island) const {
        PLUSH_ASSERT(island < size());
        return {blocks_.data() + first_[island], first_[island + 1] - first_[island]};
    }
    /// The lowest group connected with this one: equal for all groups of an island.
    std::uint32_t root(std::uint32_t group);

private:
    std::vector<std::uint32_t> parent_, first_, blocks_, island_of_root_, next_;
};

}  // namespace plush
