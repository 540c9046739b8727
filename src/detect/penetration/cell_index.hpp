#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/assert.hpp"
#include "plush/detect/depth.hpp"
#include "plush/math/vec.hpp"

// Space cut into cubes, and what is in them. Two ways to find a cube's place in the list, behind one
// interface:
//
//     hash    (x·73856093 ^ y·19349663 ^ z·83492791) mod 2ⁿ       Teschner et al., Optimized spatial hashing
//                                                                 for collision detection, 2003
//     dense   (z·n_y + y)·n_x + x in the box of all things: a row of cells is one stretch of the list
//
// Both are filled in two passes, count and put, into memory that is kept from step to step. Items of a cell
// stand in the order in which they were put. Under a hash, cells may share a place: a visitor may see items
// of other cells, and the same one twice, so what it finds must not depend on that.

namespace plush {

struct Cell {
    int x = 0, y = 0, z = 0;
    bool operator==(const Cell&) const = default;
};

class CellIndex {
public:
    /// For about `items` things within `box`, in cells of side `cell` (m, above 0). A dense index that would
    /// have more than eight cells a thing becomes a hash.
    void begin(DepthCells kind, const Box3& box, double cell, std::size_t items);
    DepthCells kind() const { return kind_; }
    double cell_size() const { return cell_; }
    const Vec3& low() const { return low_; }

    Cell cell_of(const Vec3& p) const { return cell_at(p - low_); }
    /// Of a point given from low().
    Cell cell_at(const Vec3& from_low) const {
        const Vec3 c = from_low * per_cell_;
        const auto clamped = [](double v, int most) {
            return v >= most ? most : v > 0 ? static_cast<int>(v) : 0;  // NaN and what is before the box: 0
        };
        return {clamped(c.x, max_x_), clamped(c.y, max_y_), clamped(c.z, max_z_)};
    }
    /// How many cells there are from `low` to `high`, both included; it may be beyond any integer.
    static double cells_between(const Cell& low, const Cell& high) {
        const auto along = [](int a, int b) { return static_cast<double>(b) - static_cast<double>(a) + 1; };
        return along(low.x, high.x) * along(low.y, high.y) * along(low.z, high.z);
    }
    Box3 box_of(const Cell& c) const {
        const Vec3 low =
            low_ + Vec3{static_cast<double>(c.x), static_cast<double>(c.y), static_cast<double>(c.z)} * cell_;
        return {low, low + Vec3{cell_, cell_, cell_}};
    }
    std::uint32_t place_of(const Cell& c) const {
        PLUSH_ASSERT(c.x >= 0 && c.x <= max_x_ && c.y >= 0 && c.y <= max_y_ && c.z >= 0 && c.z <= max_z_);
        const auto x = static_cast<std::uint32_t>(c.x), y = static_cast<std::uint32_t>(c.y),
                   z = static_cast<std::uint32_t>(c.z);
        if (kind_ == DepthCells::dense) return (z * count_y_ + y) * count_x_ + x;
        return ((x * 73856093u) ^ (y * 19349663u) ^ (z * 83492791u)) & mask_;
    }

    void count(std::uint32_t place) { ++first_[place + 1]; }
    void finish_count();
    void put(std::uint32_t place, std::uint32_t item) {
        PLUSH_ASSERT(next_[place] < first_[place + 1]);
        items_[next_[place]++] = item;
    }

    std::span<const std::uint32_t> items() const { return items_; }
    std::span<const std::uint32_t> items(std::uint32_t place) const {
        PLUSH_ASSERT(place + 1 < first_.size());
        return std::span(items_).subspan(first_[place], first_[place + 1] - first_[place]);
    }
    /// Calls visit(begin, end), stretches of items(), for all cells from `low` to `high`, both included.
    /// Where that would be more stretches than there are items, all of them are one.
    template <class Visit>
    void stretches(const Cell& low, const Cell& high, Visit&& visit) const {
        const auto along = [](int a, int b) { return static_cast<double>(b - a) + 1; };
        const double rows = along(low.y, high.y) * along(low.z, high.z);
        if (rows * (kind_ == DepthCells::dense ? 1 : along(low.x, high.x)) >
            static_cast<double>(items_.size()) + 64) {
            visit(std::uint32_t{0}, static_cast<std::uint32_t>(items_.size()));
            return;
        }
        for (int z = low.z; z <= high.z; ++z)
            for (int y = low.y; y <= high.y; ++y) {
                if (kind_ == DepthCells::dense) {
                    const std::uint32_t begin = first_[place_of({low.x, y, z})];
                    const std::uint32_t end = first_[place_of({high.x, y, z}) + 1];
                    if (begin != end) visit(begin, end);
                    continue;
                }
                for (int x = low.x; x <= high.x; ++x) {
                    const std::uint32_t place = place_of({x, y, z});
                    if (first_[place] != first_[place + 1]) visit(first_[place], first_[place + 1]);
                }
            }
    }
    /// Calls visit(cell) for the cells that a segment passes: Amanatides & Woo, A fast voxel traversal
    /// algorithm for ray tracing, 1987. The number of steps is known from the two ends, so that rounding
    /// cannot make it miss its end.
    template <class Visit>
    void along(const Vec3& from, const Vec3& to, Visit&& visit) const {
        Cell c = cell_of(from);
        const Cell end = cell_of(to);
        const Vec3 way = (to - from) / cell_, at = (from - low_) / cell_;
        int left[3] = {end.x - c.x, end.y - c.y, end.z - c.z};
        int* const cell[3] = {&c.x, &c.y, &c.z};
        double next[3], step[3];  // parameters of the segment: of the next border, and from one to the next
        for (std::size_t k = 0; k < 3; ++k) {
            step[k] = left[k] == 0 ? HUGE_VAL : 1 / std::abs(way[k]);
            const double border = static_cast<double>(*cell[k] + (left[k] > 0 ? 1 : 0));
            next[k] = left[k] == 0 ? HUGE_VAL : (border - at[k]) / way[k];
        }
        visit(c);
        while (left[0] != 0 || left[1] != 0 || left[2] != 0) {
            const std::size_t k =
                next[0] <= next[1] ? (next[0] <= next[2] ? 0 : 2) : (next[1] <= next[2] ? 1 : 2);
            const int one = left[k] > 0 ? 1 : -1;
            *cell[k] += one, left[k] -= one;
            next[k] = left[k] == 0 ? HUGE_VAL : next[k] + step[k];
            visit(c);
        }
    }

private:
    DepthCells kind_ = DepthCells::dense;
    Vec3 low_{};
    double cell_ = 1, per_cell_ = 1;
    std::uint32_t count_x_ = 1, count_y_ = 1, count_z_ = 1, mask_ = 0;
    int max_x_ = 0, max_y_ = 0, max_z_ = 0;
    std::vector<std::uint32_t> first_, next_, items_;
};

}  // namespace plush
