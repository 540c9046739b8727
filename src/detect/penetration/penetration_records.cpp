#include <algorithm>

#include "core/assert.hpp"
#include "detect/penetration/penetration.hpp"

// From lists of what was found, by tets, to records by points, with one tet of each object.
//
//     lists of tets      (point, object, tet) …      in the order of objects and tets, a list a task
//          │  each range of points picks its own from the lists, sorts them by counting, keeps the first of
//          ▼  each object
//     ranges of points   kept, first                 then first = Σ kept of the ranges before
//          │
//          ▼
//     inside_            one for each record; first_ says where those of a point begin
//
// Lists are read in their order, so the first tet of an object is its lowest.

namespace plush {
namespace {

// Ranges depend on the number of points alone. Each looks through lists that hold any of its points, in the
// worst case through all: hence so few.
constexpr std::uint32_t least_points = 8192, max_ranges = 16;

}  // namespace

void PenetrationSearch::sort_found(const Parallel& parallel, MayTouch may_touch) {
    const std::uint32_t points = base_.back();
    const std::uint32_t size = std::max(least_points, (points + max_ranges - 1) / max_ranges);
    ranges_.resize((points + size - 1) / size);
    first_.resize(points + 1);
    next_.resize(points);
    parallel.each(ranges_.size(), 1, [&](std::size_t i) {
        ranges_[i].begin = size * static_cast<std::uint32_t>(i);
        ranges_[i].end = std::min(points, ranges_[i].begin + size);
        sort_range(ranges_[i], may_touch);
    });
    std::size_t all = 0;
    for (PointRange& range : ranges_) range.first = all, all += range.kept;
    inside_.resize(all);
    records_.resize(all);
    first_[points] = static_cast<std::uint32_t>(all);
    parallel.each(ranges_.size(), 1, [&](std::size_t i) {
        const PointRange& range = ranges_[i];
        std::copy_n(range.found.begin(), range.kept,
                    inside_.begin() + static_cast<std::ptrdiff_t>(range.first));
        for (std::uint32_t p = range.begin; p < range.end; ++p)
            first_[p] += static_cast<std::uint32_t>(range.first);
    });
}

/// Leaves what is kept at the front of range.found, and counts from there in first_.
void PenetrationSearch::sort_range(PointRange& range, MayTouch may_touch) {
    const auto each = [&](auto&& act) {
        for (const FoundList& list : found_) {
            if (list.last < range.begin || list.first >= range.end) continue;
            for (const Found& f : list.found)
                if (f.point >= range.begin && f.point < range.end) act(f);
        }
    };
    std::fill(next_.begin() + range.begin, next_.begin() + range.end, 0);
    each([&](const Found& f) { ++next_[f.point]; });
    std::uint32_t count = 0;
    for (std::uint32_t p = range.begin; p < range.end; ++p) {
        first_[p] = count, count += next_[p];
        next_[p] = first_[p];
    }
    range.found.resize(count);
    each([&](const Found& f) { range.found[next_[f.point]++] = f; });

    std::size_t out = 0;
    for (std::uint32_t p = range.begin; p < range.end; ++p) {
        const std::size_t start = out;
        for (std::size_t from = first_[p]; from < next_[p]; ++from) {
            const Found& f = range.found[from];
            PLUSH_ASSERT(out == start || range.found[out - 1].object <= f.object);
            if (out > start && range.found[out - 1].object == f.object) continue;
            if (owner_[p] == f.object || may_touch(owner_[p], f.object)) range.found[out++] = f;
        }
        first_[p] = static_cast<std::uint32_t>(start);
    }
    range.kept = out;
}

void PenetrationSearch::make_record(std::size_t i) {
    const Found& f = inside_[i];
    PLUSH_ASSERT(f.point < owner_.size() && f.tet < objects_[f.object].shape->tets().size());
    Penetration& r = records_[i];
    r = {.owner = owner_[f.point],
         .point = f.point - base_[owner_[f.point]],
         .object = f.object,
         .tet = f.tet};
    const Tet& t = objects_[f.object].shape->tets()[f.tet];
    point_in_tet(x(r.owner, r.point), x(f.object, t[0]), x(f.object, t[1]), x(f.object, t[2]),
                 x(f.object, t[3]), r.weights);
}

}  // namespace plush
