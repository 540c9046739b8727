#include "detect/depth_images/overlap_split.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/assert.hpp"
#include "geometry/mesh/key_map.hpp"
#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

/// How far apart stretches may be that belong together, in pixels.
constexpr double reach = 1.5;

/// Cells are joined where the result is no longer than this, in cells: then slivers go with their neighbours.
constexpr double largest_joined = 1.5;
/// And of a patch that was coarsened no contact takes more than this: a body must not rock on it.
constexpr double largest_part = 0.6;

using Intervals = std::vector<OverlapInterval>;

std::uint32_t column_key(const OverlapInterval& i) {
    return std::uint32_t{i.v} << 16 | i.u;
}

/// Merges the stretches of two columns that are near each other; both are sorted by depth.
void merge_columns(const Intervals& all, std::size_t i, std::size_t i_end, std::size_t j, std::size_t j_end,
                   std::int32_t gap, int offset, DisjointSets& sets) {
    while (i < i_end && j < j_end) {
        if (all[i].low <= all[j].high + gap && all[j].low <= all[i].high + gap)
            sets.merge(offset + static_cast<int>(i), offset + static_cast<int>(j));
        if (all[i].high < all[j].high)
            ++i;
        else
            ++j;
    }
}

/// Within one image: every column with the one to its left and the one below.
void merge_neighbours(const Intervals& all, std::int32_t gap, int offset, DisjointSets& sets) {
    PLUSH_ASSERT(
        std::is_sorted(all.begin(), all.end(), [](const OverlapInterval& a, const OverlapInterval& b) {
            return column_key(a) != column_key(b) ? column_key(a) < column_key(b) : a.low < b.low;
        }));
    const auto end_of = [&](std::size_t i) {
        std::size_t end = i;
        while (end < all.size() && column_key(all[end]) == column_key(all[i])) ++end;
        return end;
    };
    std::size_t below = 0;  // walks one row behind
    std::size_t left = 0, left_end = 0;
    for (std::size_t i = 0; i < all.size();) {
        const std::size_t end = end_of(i);
        if (left_end > left && all[left].v == all[i].v && all[left].u + 1 == all[i].u)
            merge_columns(all, left, left_end, i, end, gap, offset, sets);
        if (all[i].v > 0) {
            const std::uint32_t wanted = column_key(all[i]) - (1u << 16);
            while (below < i && column_key(all[below]) < wanted) ++below;
            if (below < i && column_key(all[below]) == wanted)
                merge_columns(all, below, end_of(below), i, end, gap, offset, sets);
        }
        left = i, left_end = end;
        i = end;
    }
}

/// The stretch of an image that passes a point, or −1.
int passing(const Intervals& all, const ImageFrame& frame, std::size_t axis, const Vec3& point) {
    const double pu = std::floor(point[first_across(axis)]), pv = std::floor(point[second_across(axis)]);
    if (pu < 0 || pv < 0) return -1;
    const auto key = static_cast<std::uint32_t>(pv) << 16 | static_cast<std::uint32_t>(pu);
    auto found = std::partition_point(all.begin(), all.end(),
                                      [&](const OverlapInterval& i) { return column_key(i) < key; });
    for (; found != all.end() && column_key(*found) == key; ++found)
        if (found->low / frame.quanta - reach <= point[axis] &&
            point[axis] <= found->high / frame.quanta + reach)
            return static_cast<int>(found - all.begin());
    return -1;
}

/// Cells of pixels one after the other: a division only where one may end.
struct CellRun {
    double side;
    std::int64_t corner;
    std::int64_t current = 0;
    int begin = 0, end = 0;  ///< pixels that are surely in it

    std::int64_t cell(int pixel) {
        if (pixel >= begin && pixel < end) return current;
        const auto origin = static_cast<double>(corner);
        current = static_cast<std::int64_t>(std::floor((pixel + 0.5 + origin) / side));
        // The middle of the last pixel is more than half a pixel from the border, beyond all rounding.
        begin = pixel;
        end =
            static_cast<int>(std::min(std::floor(static_cast<double>(current + 1) * side - origin) - 1, 1e9));
        return current;
    }
};

struct Extent {
    int root;
    std::size_t axis;
    Box3 box;
};

}  // namespace

void OverlapSplitter::split(const ImageFrame& frame, const DepthImages& images, OverlapSplit how, double cell,
                            const CellLimit& limit) {
    cells.clear(), cut.clear();
    contacts = 0;
    for (auto& list : parts) list.clear();
    cell = std::max(
        cell, frame.pixel);  // images show nothing smaller, and a cell of nanometres would ask for all memory
    switch (how) {
        case OverlapSplit::whole:
            whole(frame, images);
            break;
        case OverlapSplit::connected:
            connected(frame, images);
            break;
        case OverlapSplit::cells:
            by_cells(frame, images, cell);
            if (limit.count > 0) join_cells(frame, images, cell / frame.pixel, limit);
            break;
    }
}

std::size_t OverlapSplitter::bytes_of_cells(const ImageFrame& frame, const DepthImages& images, double cell) {
    // A part, and a third of a cell: the three images see most of them. Lists may have twice the room.
    constexpr double bytes_a_part = 2 * sizeof(ContactPart) + 700.0 / 3;
    const double side = std::max(cell, frame.pixel) / frame.pixel, quantum = 1 / frame.quanta;  // pixels
    double count = 0;
    for (const Intervals& list : images.intervals)
        for (std::size_t i = 0; i < list.size(); ++i) {
            const OverlapInterval& stretch = list[i];
            count += 1 + (1.0 * stretch.high - stretch.low) * quantum / side;
        }
    return static_cast<std::size_t>(std::min(bytes_a_part * count, 1e18));
}

void OverlapSplitter::whole(const ImageFrame& frame, const DepthImages& images) {
    for (std::size_t d = 0; d < 3; ++d) {
        const Intervals& all = images.intervals[d];
        parts[d].resize(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            parts[d][i] = {static_cast<std::uint32_t>(i), 0, all[i].low / frame.quanta,
                           all[i].high / frame.quanta, 1};
        if (!all.empty()) contacts = 1;
    }
}

void OverlapSplitter::connected(const ImageFrame& frame, const DepthImages& images) {
    whole(frame, images);
    if (contacts == 0) return;
    const std::array<int, 3> offset{
        0, static_cast<int>(images.intervals[0].size()),
        static_cast<int>(images.intervals[0].size() + images.intervals[1].size())};
    DisjointSets sets(static_cast<std::size_t>(offset[2]) + images.intervals[2].size());
    const auto gap = static_cast<std::int32_t>(reach * frame.quanta);
    for (std::size_t d = 0; d < 3; ++d) merge_neighbours(images.intervals[d], gap, offset[d], sets);

    // The pieces of each image and their boxes; then pieces of different images whose boxes meet are joined
    // as soon as one stretch of the one passes near an end of a stretch of the other.
    std::vector<Extent> pieces;
    std::vector<int> piece_of_root(static_cast<std::size_t>(offset[2]) + images.intervals[2].size(), -1);
    std::vector<std::vector<std::uint32_t>> members;
    for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t i = 0; i < images.intervals[d].size(); ++i) {
            const OverlapInterval& interval = images.intervals[d][i];
            const int root = sets.root(offset[d] + static_cast<int>(i));
            int& piece = piece_of_root[static_cast<std::size_t>(root)];
            if (piece < 0) {
                piece = static_cast<int>(pieces.size());
                pieces.push_back({root, d, {}});
                members.emplace_back();
            }
            Vec3 low, high;
            low[first_across(d)] = interval.u, high[first_across(d)] = interval.u + 1;
            low[second_across(d)] = interval.v, high[second_across(d)] = interval.v + 1;
            low[d] = interval.low / frame.quanta, high[d] = interval.high / frame.quanta;
            pieces[static_cast<std::size_t>(piece)].box.add(Box3{low, high});
            members[static_cast<std::size_t>(piece)].push_back(static_cast<std::uint32_t>(i));
        }
    const auto touches = [&](std::size_t p, std::size_t q) {
        const std::size_t d = pieces[p].axis, e = pieces[q].axis;
        for (const std::uint32_t i : members[p]) {
            const OverlapInterval& interval = images.intervals[d][i];
            const double low = interval.low / frame.quanta, high = interval.high / frame.quanta;
            // The ends, and half a pixel inside: the lines of another image pass at most so far from a face.
            const double inset = std::min(0.5, 0.5 * (high - low));
            for (const double depth : {low, high, low + inset, high - inset}) {
                Vec3 point;
                point[first_across(d)] = interval.u + 0.5, point[second_across(d)] = interval.v + 0.5;
                point[d] = depth;
                const int other = passing(images.intervals[e], frame, e, point);
                if (other >= 0 && sets.root(offset[e] + other) == sets.root(pieces[q].root)) return true;
            }
        }
        return false;
    };
    std::vector<std::size_t> order(pieces.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t p, std::size_t q) { return pieces[p].box.low.x < pieces[q].box.low.x; });
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            const std::size_t p = order[i], q = order[j];
            if (pieces[q].box.low.x > pieces[p].box.high.x + reach) break;
            if (pieces[p].axis == pieces[q].axis || sets.root(pieces[p].root) == sets.root(pieces[q].root))
                continue;
            if (!pieces[p].box.grown(reach).overlaps(pieces[q].box)) continue;
            // A speck of a few pixels may fall between the lines of another image; seen there too, it would
            // count twice.
            constexpr double speck = 3;
            const bool small =
                max_component(pieces[p].box.size()) <= speck || max_component(pieces[q].box.size()) <= speck;
            if (small || touches(p, q) || touches(q, p)) sets.merge(pieces[p].root, pieces[q].root);
        }

    contacts = 0;
    std::vector<int> number(piece_of_root.size(), -1);
    for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t i = 0; i < parts[d].size(); ++i) {
            int& n = number[static_cast<std::size_t>(sets.root(offset[d] + static_cast<int>(i)))];
            if (n < 0) n = static_cast<int>(contacts++);
            parts[d][i].contact = static_cast<std::uint32_t>(n);
        }
}

void OverlapSplitter::by_cells(const ImageFrame& frame, const DepthImages& images, double cell) {
    const double side = cell / frame.pixel;  // pixels
    PLUSH_ASSERT(side > 0);
    KeyMap numbers;
    const auto index = [&](double pixels, std::size_t axis) {
        return static_cast<std::int64_t>(
            std::floor((pixels + static_cast<double>(frame.corner[axis])) / side));
    };
    // Numbered from the window's corner, so that 21 bits do for each.
    const std::array<std::int64_t, 3> first{index(0, 0), index(0, 1), index(0, 2)};
    // Neighbouring columns mostly lie in one cell.
    std::array<std::int64_t, 3> last{};
    int last_number = -1;
    const auto contact_of = [&](const std::array<std::int64_t, 3>& c) {
        if (last_number >= 0 && c == last) return static_cast<std::uint32_t>(last_number);
        std::uint64_t key = 0;
        for (std::size_t d = 0; d < 3; ++d) key = key << 21 | static_cast<std::uint64_t>(c[d] - first[d] + 1);
        const auto [n, fresh] = numbers.insert(key, static_cast<int>(contacts));
        if (fresh) ++contacts, cells.push_back(c);
        last = c, last_number = n;
        return static_cast<std::uint32_t>(n);
    };
    for (std::size_t d = 0; d < 3; ++d) {
        const Intervals& all = images.intervals[d];
        CellRun u_run{side, frame.corner[first_across(d)]}, v_run{side, frame.corner[second_across(d)]};
        parts[d].reserve(all.size());
        const double quantum = 1 / frame.quanta;  // a power of two, as its inverse
        std::int64_t depth_cell = 0;              // that the one before ended in, and its floor
        double depth_floor = HUGE_VAL;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const double low = all[i].low * quantum, high = all[i].high * quantum;
            std::array<std::int64_t, 3> c;
            c[first_across(d)] = u_run.cell(all[i].u);
            c[second_across(d)] = v_run.cell(all[i].v);
            if (low >= depth_floor && high <= depth_floor + side) {
                c[d] = depth_cell;
                parts[d].push_back({static_cast<std::uint32_t>(i), contact_of(c), low, high, 1});
                continue;
            }
            for (c[d] = index(low, d);; ++c[d]) {
                const double floor = static_cast<double>(c[d]) * side - static_cast<double>(frame.corner[d]);
                depth_cell = c[d], depth_floor = floor;
                const double begin = std::max(low, floor), end = std::min(high, floor + side);
                if (end > begin)
                    parts[d].push_back({static_cast<std::uint32_t>(i), contact_of(c), begin, end,
                                        (end - begin) / (high - low)});
                if (floor + side >= high) break;
            }
        }
    }
}

namespace {

using Cell = GridCell;

/// f(p, q) for all cells that share a corner, in their order: those after p that are neighbours lie in five rows along the last axis.
template <class F>
void each_neighbours(std::span<const Cell> cells, std::span<const std::size_t> order, F&& f) {
    struct Row {
        std::int64_t x, y, first;
    };
    constexpr std::array<Row, 5> rows{{{0, 0, 1}, {0, 1, -1}, {1, -1, -1}, {1, 0, -1}, {1, 1, -1}}};
    for (std::size_t p = 0; p < order.size(); ++p) {
        const Cell& c = cells[order[p]];
        auto from = order.begin() + static_cast<std::ptrdiff_t>(p) + 1;
        for (const Row& row : rows) {
            const Cell first{c[0] + row.x, c[1] + row.y, c[2] + row.first};
            const Cell last{first[0], first[1], c[2] + 1};
            from = std::lower_bound(from, order.end(), first,
                                    [&](std::size_t q, const Cell& wanted) { return cells[q] < wanted; });
            for (; from != order.end() && cells[*from] <= last; ++from) f(order[p], *from);
        }
    }
}

/// The cell that holds this one where 2^level make one, along each axis.
Cell coarse(Cell c, int level) {
    for (std::int64_t& x : c) x >>= level;
    return c;
}

/// The cells that a patch may have; `size` of its box and edges in pixels.
std::size_t max_cells(const Vec3& size, const CellLimit& limit, double edge) {
    if (!(limit.edge > 0)) return limit.count;
    const double shortest = std::min({size.x, size.y, size.z});
    double vertices = 1;
    bool left_out = false;
    for (std::size_t d = 0; d < 3; ++d) {
        if (!left_out && size[d] == shortest)
            left_out = true;
        else
            vertices *= 2 + size[d] / edge;
    }
    return std::max(limit.count,
                    static_cast<std::size_t>(std::min(vertices, static_cast<double>(limit.most))));
}

/// The levels at which cells that are connected are few enough, one a cell; `most` of the patch of each.
std::vector<int> levels_of(const std::vector<Cell>& cells, std::span<const std::size_t> order,
                           DisjointSets& patches, std::span<const std::size_t> most) {
    std::vector<std::vector<Cell>> members(cells.size());
    const auto patch_of = [&](std::size_t c) {
        return static_cast<std::size_t>(patches.root(static_cast<int>(c)));
    };
    for (const std::size_t c : order) members[patch_of(c)].push_back(cells[c]);
    std::vector<int> levels(cells.size(), 0);
    for (std::size_t p = 0; p < cells.size(); ++p)
        for (std::vector<Cell>& list = members[p]; list.size() > most[p]; ++levels[p]) {
            for (Cell& c : list) c = coarse(c, 1);
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
    std::vector<int> result(cells.size());
    for (std::size_t c = 0; c < cells.size(); ++c) result[c] = levels[patch_of(c)];
    return result;
}

/// Cells of a patch that were in one contact before, where it is cut as it was.
void join_as_before(std::span<const std::size_t> order, std::span<const std::size_t> patches,
                    std::span<const std::uint32_t> old, DisjointSets& sets) {
    std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> first;
    for (const std::size_t c : order) {
        if (old[c] == fresh_cut) continue;
        const auto [at, is_first] = first.try_emplace({patches[c], old[c]}, c);
        if (!is_first) sets.merge(static_cast<int>(at->second), static_cast<int>(c));
    }
}

}  // namespace

void OverlapSplitter::join_cells(const ImageFrame& frame, const DepthImages& images, double side,
                                 const CellLimit& limit) {
    PLUSH_ASSERT(cells.size() == contacts && limit.count > 0);
    std::vector<Box3> boxes(contacts);
    for (std::size_t d = 0; d < 3; ++d)
        for (const ContactPart& part : parts[d]) {
            const OverlapInterval& interval = images.intervals[d][part.interval];
            Vec3 low, high;
            low[first_across(d)] = interval.u, high[first_across(d)] = interval.u + 1;
            low[second_across(d)] = interval.v, high[second_across(d)] = interval.v + 1;
            low[d] = part.low, high[d] = part.high;
            PLUSH_ASSERT(part.contact < boxes.size());
            boxes[part.contact].add(Box3{low, high});
        }
    std::vector<std::size_t> order(contacts);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t p, std::size_t q) { return cells[p] < cells[q]; });
    DisjointSets patches(contacts), sets(contacts);
    each_neighbours(cells, order, [&](std::size_t p, std::size_t q) {
        patches.merge(static_cast<int>(p), static_cast<int>(q));
    });
    const auto patch_of = [&](std::size_t c) {
        return static_cast<std::size_t>(patches.root(static_cast<int>(c)));
    };
    std::vector<Box3> extents(contacts);
    for (std::size_t c = 0; c < contacts; ++c) extents[patch_of(c)].add(boxes[c]);
    std::vector<std::size_t> most(contacts);
    for (std::size_t c = 0; c < contacts; ++c)
        if (patch_of(c) == c) most[c] = max_cells(extents[c].size(), limit, limit.edge / frame.pixel);
    const std::vector<int> levels = levels_of(cells, order, patches, most);
    std::vector<std::size_t> patch(contacts);
    for (std::size_t c = 0; c < contacts; ++c) patch[c] = patch_of(c);
    const std::vector<std::uint32_t> old = kept_contacts(cells, order, patch, limit.known);
    const auto root_of = [&](std::size_t c) {
        return static_cast<std::size_t>(sets.root(static_cast<int>(c)));
    };
    const auto join = [&](std::size_t i, std::size_t j) {
        Box3 both = boxes[i];
        both.add(boxes[j]);
        sets.merge(static_cast<int>(i), static_cast<int>(j));
        boxes[root_of(i)] = both;
    };
    each_neighbours(cells, order, [&](std::size_t p, std::size_t q) {
        const std::size_t i = root_of(p), j = root_of(q);
        if (i == j || old[p] != fresh_cut) return;
        if (coarse(cells[p], levels[p]) == coarse(cells[q], levels[q])) join(i, j);
    });
    join_as_before(order, patch, old, sets);
    // Slivers go with a neighbour, and a ball that rolls over a border does not feel it.
    each_neighbours(cells, order, [&](std::size_t p, std::size_t q) {
        const std::size_t i = root_of(p), j = root_of(q);
        if (i == j || old[p] != fresh_cut) return;
        Box3 both = boxes[i];
        both.add(boxes[j]);
        double max_length = largest_joined * side * std::ldexp(1.0, levels[p]);
        if (levels[p] > 0)
            max_length = std::min(max_length, largest_part * max_component(extents[patch_of(p)].size()));
        if (max_component(both.size()) <= max_length) join(i, j);
    });
    // Numbers and cells of what is left, in the old order.
    std::vector<std::uint32_t> number(contacts);
    std::vector<Cell> kept;
    for (std::size_t c = 0; c < contacts; ++c)
        if (root_of(c) == c) number[c] = static_cast<std::uint32_t>(kept.size()), kept.push_back(cells[c]);
    if (limit.edge > 0) {
        std::vector<std::uint32_t> contact(contacts);
        for (std::size_t c = 0; c < contacts; ++c) contact[c] = number[root_of(c)];
        cut = known_cells(cells, order, patch, contact, old, limit.known);
    }
    for (auto& list : parts)
        for (ContactPart& part : list) part.contact = number[root_of(part.contact)];
    cells = std::move(kept);
    contacts = cells.size();
}

}  // namespace plush
