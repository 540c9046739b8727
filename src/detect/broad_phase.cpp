#include "detect/broad_phase.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"

// Sort and sweep: boxes sorted by their low end along the axis on which their centres spread most; each is
// compared with those that start before it ends. The result is sorted, so it does not depend on the axis
// taken.

namespace plush {
namespace {

bool bounded(const Box3& box) {
    return is_finite(box.low) && is_finite(box.high);
}

std::size_t widest_axis(std::span<const Box3> boxes, std::span<const std::uint32_t> order) {
    Vec3 sum{}, squares{};
    for (std::uint32_t i : order) {
        const Vec3 c = boxes[i].centre();
        sum += c;
        squares += times(c, c);
    }
    const double n = std::max<double>(1, static_cast<double>(order.size()));
    const Vec3 variance = squares / n - times(sum / n, sum / n);
    return variance.x >= variance.y ? (variance.x >= variance.z ? 0 : 2) : (variance.y >= variance.z ? 1 : 2);
}

}  // namespace

const std::vector<IndexPair>& BroadPhase::find(std::span<const Box3> boxes) {
    pairs_.clear();
    order_.clear();
    unbounded_.clear();
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        if (!boxes[i].empty()) (bounded(boxes[i]) ? order_ : unbounded_).push_back(i);

    const std::size_t axis = widest_axis(boxes, order_);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t i, std::uint32_t j) {
        return boxes[i].low[axis] != boxes[j].low[axis] ? boxes[i].low[axis] < boxes[j].low[axis] : i < j;
    });
    for (std::size_t a = 0; a < order_.size(); ++a) {
        const Box3& box = boxes[order_[a]];
        for (std::size_t b = a + 1; b < order_.size() && boxes[order_[b]].low[axis] <= box.high[axis]; ++b)
            if (box.overlaps(boxes[order_[b]])) pairs_.push_back(std::minmax(order_[a], order_[b]));
    }
    for (std::size_t u = 0; u < unbounded_.size(); ++u) {
        for (std::uint32_t i : order_)
            if (boxes[unbounded_[u]].overlaps(boxes[i])) pairs_.push_back(std::minmax(unbounded_[u], i));
        for (std::size_t w = u + 1; w < unbounded_.size(); ++w)
            if (boxes[unbounded_[u]].overlaps(boxes[unbounded_[w]]))
                pairs_.push_back({unbounded_[u], unbounded_[w]});
    }
    std::sort(pairs_.begin(), pairs_.end());
    PLUSH_ASSERT(std::adjacent_find(pairs_.begin(), pairs_.end()) == pairs_.end());
    return pairs_;
}

}  // namespace plush
