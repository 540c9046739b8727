#include "math/edge_matrix.hpp"

#include <algorithm>
#include <array>

#include "core/assert.hpp"

namespace plush {
namespace {

/// An edge as one of its ends sees it.
struct End {
    std::uint32_t row, other, edge;
    std::int64_t offset() const { return std::int64_t{other} - std::int64_t{row}; }
};

/// One edge of each of four rows; `none` for the edge where there is none.
using Four = std::array<End, EdgeMatrix::width>;

/// The edges of four rows in groups. Greedy: an edge goes to the first group of its offset that has room,
/// else it opens one; where that makes many more groups than the longest row has edges (no grid), simply the
/// first edges of all rows, the second, …
std::vector<Four> grouped(std::span<const End> ends, std::size_t slice) {
    const End nothing{0, 0, EdgeMatrix::none};
    std::vector<Four> by_offset, by_rank;
    std::array<std::size_t, EdgeMatrix::width> rank{};
    for (const End& e : ends) {
        const std::size_t lane = e.row - EdgeMatrix::width * slice;
        const auto fits = [&](const Four& four) {
            if (four[lane].edge != EdgeMatrix::none) return false;
            return std::any_of(four.begin(), four.end(), [&](const End& f) {
                return f.edge != EdgeMatrix::none && f.offset() == e.offset();
            });
        };
        auto found = std::find_if(by_offset.begin(), by_offset.end(), fits);
        if (found == by_offset.end()) {
            by_offset.emplace_back().fill(nothing);
            found = by_offset.end() - 1;
        }
        (*found)[lane] = e;
        if (rank[lane] == by_rank.size()) by_rank.emplace_back().fill(nothing);
        by_rank[rank[lane]++][lane] = e;
    }
    constexpr std::size_t more = 3;  // at the border of a grid rows differ by a few edges
    return by_offset.size() <= by_rank.size() + more ? by_offset : by_rank;
}

}  // namespace

void EdgeMatrix::build(std::size_t vertices, std::span<const std::uint32_t> ends) {
    rows_ = vertices;
    std::vector<End> all;
    all.reserve(ends.size());
    for (std::uint32_t c = 0; c < ends.size(); ++c) {
        PLUSH_ASSERT(ends[c] < vertices);
        all.push_back({ends[c], ends[c ^ 1u], c / 2});
    }
    std::sort(all.begin(), all.end(), [](const End& a, const End& b) {
        if (a.row != b.row) return a.row < b.row;
        return a.other != b.other ? a.other < b.other : a.edge < b.edge;
    });
    first_.assign(1, 0), others_.clear(), edges_.clear(), start_.clear();
    auto end = all.begin();
    for (std::size_t slice = 0; width * slice < vertices; ++slice) {
        const auto begin = end;
        while (end != all.end() && end->row < width * (slice + 1)) ++end;
        for (const Four& four : grouped({begin, end}, slice)) {
            // Lanes without an edge read anything: their numbers are zero. Best what keeps four side by side.
            const auto known =
                std::find_if(four.begin(), four.end(), [](const End& e) { return e.edge != none; });
            const std::int64_t start = std::int64_t{known->other} - (known - four.begin());
            bool side_by_side =
                start >= 0 && start + std::int64_t{width} <= static_cast<std::int64_t>(vertices);
            for (std::size_t l = 0; l < width; ++l)
                if (four[l].edge != none && four[l].other != start + static_cast<std::int64_t>(l))
                    side_by_side = false;
            for (const End& e : four) {
                others_.push_back(e.edge != none ? e.other : known->other);
                edges_.push_back(e.edge);
            }
            start_.push_back(side_by_side ? static_cast<std::uint32_t>(start) : none);
        }
        first_.push_back(static_cast<std::uint32_t>(start_.size()));
    }
    if (vertices > 0)
        for (std::size_t l = 0; l < width; ++l)
            last_[l] = static_cast<std::uint32_t>(std::min(vertices - 1, width * (slices() - 1) + l));
    groups_.assign(start_.size(), Group{});
}

void EdgeMatrix::add_diagonal(std::size_t begin, std::size_t end, std::span<Mat3> sums) const {
    PLUSH_ASSERT(begin % width == 0 && (end % width == 0 || end == rows_) && sums.size() == end - begin);
    for (std::size_t slice = begin / width; width * slice < end; ++slice) {
        Lanes s{}, xx{}, yy{}, zz{}, xy{}, xz{}, yz{};
        for (std::size_t k = first_[slice]; k < first_[slice + 1]; ++k) {
            const Group& g = groups_[k];
            s += g.s;
            xx += g.x * g.x, yy += g.y * g.y, zz += g.z * g.z;
            xy += g.x * g.y, xz += g.x * g.z, yz += g.y * g.z;
        }
        xx += s, yy += s, zz += s;
        for (std::size_t l = 0; l < width && width * slice + l < end; ++l)
            sums[width * slice + l - begin] +=
                Mat3{{Vec3{xx[l], xy[l], xz[l]}, Vec3{xy[l], yy[l], yz[l]}, Vec3{xz[l], yz[l], zz[l]}}};
    }
}

double EdgeMatrix::multiply_rows(std::span<const Vec3> x, std::span<Vec3> y, std::size_t begin,
                                 std::size_t end) const {
    PLUSH_ASSERT(begin % width == 0 && (end % width == 0 || end == rows_));
    double along = 0;
    for (std::size_t slice = begin / width; width * slice < end; ++slice) {
        Lanes xi, yi, zi, ax{}, ay{}, az{};
        own(slice, x, xi, yi, zi);
        for (std::size_t k = first_[slice]; k < first_[slice + 1]; ++k) {
            const Group& g = groups_[k];
            Lanes dx, dy, dz;
            other(k, x, dx, dy, dz);
            dx = xi - dx, dy = yi - dy, dz = zi - dz;
            const Lanes t = g.x * dx + g.y * dy + g.z * dz;
            ax += g.s * dx + t * g.x;
            ay += g.s * dy + t * g.y;
            az += g.s * dz + t * g.z;
        }
        const Lanes products = xi * ax + yi * ay + zi * az;
        for (std::size_t l = 0; l < width && width * slice + l < end; ++l) {
            y[width * slice + l] += Vec3{ax[l], ay[l], az[l]};
            along += products[l];
        }
    }
    return along;
}

}  // namespace plush
