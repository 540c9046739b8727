#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plush/math/vec.hpp"

namespace plush {

using IndexPair = std::pair<std::uint32_t, std::uint32_t>;

/// All pairs i < j of boxes that overlap, in rising order. Empty boxes overlap nothing; infinite ones
/// everything.
class BroadPhase {
public:
    const std::vector<IndexPair>& find(std::span<const Box3> boxes);

private:
    std::vector<std::uint32_t> order_, unbounded_;
    std::vector<IndexPair> pairs_;
};

}  // namespace plush
