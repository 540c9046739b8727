#include "detect/penetration/cell_index.hpp"

#include <algorithm>
#include <bit>

#include "core/assert.hpp"

namespace plush {
namespace {

// Cells along one axis at most: beyond, things of a far corner share the last one. With it, coordinates of
// any magnitude become integers without overflow.
constexpr double max_cells = 1 << 20;

}  // namespace

void CellIndex::begin(DepthCells kind, const Box3& box, double cell, std::size_t items) {
    PLUSH_ASSERT(cell > 0);
    low_ = box.empty() ? Vec3{} : box.low;
    cell_ = cell;
    per_cell_ = 1 / cell;
    const Vec3 size = box.size() / cell;
    const auto along = [](double length) { return 1 + std::floor(std::min(length, max_cells)); };
    const double x = along(size.x), y = along(size.y), z = along(size.z);
    max_x_ = static_cast<int>(x) - 1, max_y_ = static_cast<int>(y) - 1, max_z_ = static_cast<int>(z) - 1;
    const double dense_limit = 8 * static_cast<double>(items) + 64;
    kind_ = kind == DepthCells::dense && x * y * z <= dense_limit ? DepthCells::dense : DepthCells::hash;
    std::size_t places = 0;
    if (kind_ == DepthCells::dense) {
        count_x_ = static_cast<std::uint32_t>(x), count_y_ = static_cast<std::uint32_t>(y),
        count_z_ = static_cast<std::uint32_t>(z);
        places = std::size_t{count_x_} * count_y_ * count_z_;
    } else {
        places = std::bit_ceil(2 * items + 64);
        mask_ = static_cast<std::uint32_t>(places - 1);
    }
    first_.assign(places + 1, 0);
}

void CellIndex::finish_count() {
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    next_.assign(first_.begin(), first_.end() - 1);
    items_.resize(first_.back());
}

}  // namespace plush
