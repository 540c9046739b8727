#include "geometry/repair/weld.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

// Vertices are sorted into the cells of a grid with the weld distance as its spacing, so that whatever is
// close enough lies in one of 27 cells. In the order of their indices vertices join the closest of those that
// stay, or stay themselves. Those that stay are farther apart than the distance, so a cell holds only a few.

namespace plush {
namespace {

bool before(const Vec3& a, const Vec3& b) {
    return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z);
}

void weld_equal(std::span<const Vec3> positions, std::span<const char> candidates, std::vector<int>& map) {
    std::vector<int> order;
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (candidates[v] != 0) order.push_back(static_cast<int>(v));
    const auto at = [&](int v) -> const Vec3& { return positions[static_cast<std::size_t>(v)]; };
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return before(at(a), at(b)) || (!before(at(b), at(a)) && a < b); });
    for (std::size_t i = 1; i < order.size(); ++i)
        if (at(order[i]) == at(order[i - 1]))
            map[static_cast<std::size_t>(order[i])] = map[static_cast<std::size_t>(order[i - 1])];
}

class WeldGrid {
public:
    WeldGrid(std::span<const Vec3> positions, std::span<const char> candidates, double spacing)
        : positions_(positions), spacing_(spacing), next_(positions.size(), -1) {
        for (std::size_t v = 0; v < positions.size(); ++v)
            if (candidates[v] != 0) cells_.push_back(cell_of(positions[v]));
        std::sort(cells_.begin(), cells_.end(), before);
        cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
        first_.assign(cells_.size(), -1);
    }

    /// The closest vertex of those that stay within the distance, −1 for none.
    int find(const Vec3& p) const {
        int best = -1;
        double best2 = spacing_ * spacing_;
        const Vec3 centre = cell_of(p);
        for (int n = 0; n < 27; ++n) {
            const Vec3 cell = centre + Vec3{n % 3 - 1.0, n / 3 % 3 - 1.0, n / 9 - 1.0};
            const auto found = std::lower_bound(cells_.begin(), cells_.end(), cell, before);
            if (found == cells_.end() || *found != cell) continue;
            for (int v = first_[static_cast<std::size_t>(found - cells_.begin())]; v >= 0;
                 v = next_[static_cast<std::size_t>(v)]) {
                const double d2 = norm2(positions_[static_cast<std::size_t>(v)] - p);
                if (d2 < best2 || (d2 == best2 && (best < 0 || v < best))) best = v, best2 = d2;
            }
        }
        return best;
    }

    void stay(int v) {
        const auto cell = std::lower_bound(cells_.begin(), cells_.end(),
                                           cell_of(positions_[static_cast<std::size_t>(v)]), before);
        int& first = first_[static_cast<std::size_t>(cell - cells_.begin())];
        next_[static_cast<std::size_t>(v)] = first;
        first = v;
    }

private:
    // Whole numbers as doubles: no overflow, whatever the spacing.
    Vec3 cell_of(const Vec3& p) const {
        return {std::floor(p.x / spacing_), std::floor(p.y / spacing_), std::floor(p.z / spacing_)};
    }

    std::span<const Vec3> positions_;
    double spacing_;
    std::vector<Vec3> cells_{};
    std::vector<int> first_{}, next_;  // the vertices that stay, as a list a cell
};

}  // namespace

std::vector<int> weld_map(std::span<const Vec3> positions, std::span<const char> candidates,
                          double distance) {
    std::vector<int> map(positions.size());
    std::iota(map.begin(), map.end(), 0);
    double largest = 0;
    for (const Vec3& p : positions) largest = std::max(largest, max_component(abs(p)));
    // Below 2⁻⁵⁰ of the coordinates the distance is smaller than what they can express: only equal ones
    // remain.
    if (!(distance > largest * 0x1p-50)) {
        weld_equal(positions, candidates, map);
        return map;
    }
    WeldGrid grid(positions, candidates, distance);
    for (std::size_t v = 0; v < positions.size(); ++v) {
        if (candidates[v] == 0) continue;
        const int target = grid.find(positions[v]);
        if (target < 0)
            grid.stay(static_cast<int>(v));
        else
            map[v] = target;
    }
    return map;
}

}  // namespace plush
