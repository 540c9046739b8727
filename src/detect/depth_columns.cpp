#include "detect/depth_columns.hpp"

#include <algorithm>
#include <numeric>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "detect/field_column.hpp"

namespace plush {
namespace {

void sort_keys(std::span<CrossingKey> keys) {
    constexpr std::size_t few = 24;
    if (keys.size() > few) {
        std::sort(keys.begin(), keys.end());
        return;
    }
    for (std::size_t i = 1; i < keys.size(); ++i) {
        const CrossingKey key = keys[i];
        std::size_t j = i;
        for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/// How a column is read.
struct Reading {
    std::array<bool, 2> from_high{};
    std::array<bool, 2> complete{};  ///< all crossings are there
    std::uint32_t objects = 2;
    int least = 1;  ///< how often each object must wind
    /// The object alone, to be cut by a field later: what was left out lies beyond these depths, outside the
    /// field.
    bool alone = false;
    CrossingKey below = 0, above = 0;
};

/// Walks up a column and calls found(lower key, upper key) for every stretch in which every object winds
/// often enough.
template <class Found>
void walk(std::span<const CrossingKey> keys, const Reading& how, ImageCounts& counts, const Found& found) {
    std::array<int, 2> sum{}, wind{};
    for (const CrossingKey key : keys) sum[object_of(key)] += goes_in(key) ? 1 : -1;
    for (std::size_t o = 0; o < how.objects; ++o) {
        if (how.complete[o] && sum[o] != 0) {
            ++counts.open[o];
            return;
        }
        // Counted from above it ends at zero; below, it starts with what that leaves.
        wind[o] = how.from_high[o] ? -sum[o] : 0;
    }
    const auto inside = [&] { return wind[0] >= how.least && (how.objects == 1 || wind[1] >= how.least); };
    std::array<bool, 2> inverted{};
    CrossingKey lower = how.below;
    bool is_in = how.alone && inside();
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const CrossingKey key = keys[i];
        const std::uint32_t o = object_of(key);
        wind[o] += goes_in(key) ? 1 : -1;
        if (wind[o] < 0 && i + 1 < keys.size() && depth_of(keys[i + 1]) > depth_of(key)) inverted[o] = true;
        const bool now = inside();
        if (now == is_in) continue;
        if (now)
            lower = key;
        else if (depth_of(key) > depth_of(lower))
            found(lower, key);
        is_in = now;
    }
    if (is_in && how.alone) found(lower, how.above);
    for (std::size_t o = 0; o < 2; ++o) counts.inverted[o] += inverted[o] ? 1 : 0;
}

}  // namespace

ImageCounts& ImageCounts::operator+=(const ImageCounts& b) {
    columns += b.columns, crossings += b.crossings;
    for (std::size_t o = 0; o < 2; ++o) open[o] += b.open[o], inverted[o] += b.inverted[o];
    return *this;
}

bool DepthImages::find(const OverlapPair& pair, const DepthPlan& plan, std::size_t most_bytes,
                       const Parallel* parallel) {
    counts = {};
    for (auto& list : intervals) list.clear();
    if (plan.empty()) return true;
    std::size_t columns = 0;
    for (const AxisWindow& w : plan.windows) columns += w.columns();
    constexpr std::size_t bytes_a_column = 4 * sizeof(std::uint32_t);
    if (columns > most_bytes / bytes_a_column) return false;
    const auto too_much = [&] {
        std::size_t fragments = 0;
        for (std::size_t o = 0; o < 2; ++o)
            for (std::size_t l = 0; l < used_[o]; ++l)
                for (const FragmentList& list : lists_[o][l]) fragments += list.fragments().size();
        return columns * bytes_a_column + fragments * (sizeof(Fragment) + sizeof(CrossingKey)) > most_bytes;
    };
    const auto each_axis = [&](auto&& task) {
        if (parallel)
            parallel->each(3, 1, task);
        else
            for (std::size_t d = 0; d < 3; ++d) task(d);
    };
    const bool paired = pair.b.has_value();
    used_ = {};
    raster(plan, pair.a, 0, parallel);
    if (too_much()) return false;
    if (paired) {
        each_axis([&](std::size_t d) { limit(plan, d); });
        raster(plan, *pair.b, 1, parallel);
        if (too_much()) return false;
    }
    each_axis([&](std::size_t d) {
        sort(plan, d, paired);
        sweep(pair, plan, d);
    });
    for (const Image& image : images_) counts += image.counts;
    return true;
}

void DepthImages::raster(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                         const Parallel* parallel) {
    const auto& kept = plan.kept[object];
    const auto* limits = object == 1 ? &limits_ : nullptr;
    const std::size_t chunk = tuning::clusters_per_task;
    const std::size_t tasks = parallel ? (kept.size() + chunk - 1) / chunk : 1;
    auto& lists = lists_[object];
    if (lists.size() < tasks) lists.resize(tasks);
    used_[object] = tasks;
    for (std::size_t t = 0; t < tasks; ++t)
        for (FragmentList& list : lists[t]) list.clear();
    if (!parallel) {
        find_crossings(plan, view, object, kept, lists[0], limits);
        return;
    }
    parallel->chunks(kept.size(), chunk, [&](std::size_t begin, std::size_t end) {
        find_crossings(plan, view, object, std::span(kept).subspan(begin, end - begin), lists[begin / chunk],
                       limits);
    });
}

std::size_t DepthImages::found(std::uint32_t object, std::size_t axis) const {
    std::size_t sum = 0;
    for (std::size_t l = 0; l < used_[object]; ++l) sum += lists_[object][l][axis].fragments().size();
    return sum;
}

void DepthImages::count(std::uint32_t object, std::size_t axis, std::size_t columns) {
    auto& crossings = images_[axis].crossings[object];
    crossings.assign(columns, 0);
    for (std::size_t l = 0; l < used_[object]; ++l)
        for (const Fragment& f : lists_[object][l][axis].fragments()) ++crossings[f.column];
}

/// What the crossings of the first object in an image leave to the second. Where the first is counted from
/// above, say, all that it has at the top of a column is there: above its highest crossing it is not, and
/// there is no overlap. Of a second object that is counted from below what lies higher then goes.
void DepthImages::limit(const DepthPlan& plan, std::size_t axis) {
    const AxisWindow& window = plan.windows[axis];
    auto& columns = limits_[axis].columns;
    columns.clear();
    if (found(0, axis) == 0) return;
    const bool from_high = window.from_high[1];
    const bool exact = plan.culled[1] && (!plan.culled[0] || window.from_high[0] != from_high);
    const std::int32_t never = ColumnLimits::never(from_high), always = ColumnLimits::never(!from_high);
    constexpr std::size_t read_beyond = 4;
    columns.assign(window.columns() + read_beyond, never);
    for (std::size_t l = 0; l < used_[0]; ++l)
        for (const Fragment& f : lists_[0][l][axis].fragments()) {
            std::int32_t& c = columns[f.column];
            const std::int32_t depth = depth_of(f.key);
            c = !exact ? always : from_high ? std::min(c, depth) : std::max(c, depth);
        }
    limit_tiles(plan, axis);
}

void DepthImages::limit_tiles(const DepthPlan& plan, std::size_t axis) {
    const AxisWindow& window = plan.windows[axis];
    auto& [columns, tiles] = limits_[axis];
    const bool from_high = window.from_high[1];
    const std::int32_t never = ColumnLimits::never(from_high), always = ColumnLimits::never(!from_high);
    const std::size_t width = window.width(), height = window.height(), across = plan.tiles_across(axis);
    const std::size_t side = std::size_t{1} << plan.tile_bits;
    tiles.assign(across * ((height >> plan.tile_bits) + 1), never);
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        const std::size_t u0 = t % across * side, u1 = std::min(u0 + side, width);
        const std::size_t v0 = t / across * side, v1 = std::min(v0 + side, height);
        // In a tile where the two do not meet whatever was found is but a part of what is there: none of it
        // counts.
        if (!plan.tiles[axis].empty() && !plan.tiles[axis][t].met) {
            for (std::size_t v = v0; v < v1; ++v)
                std::fill(&columns[v * width + u0], &columns[v * width + u0] + (u1 - u0), never);
            continue;
        }
        std::int32_t least = never, most = never;
        for (std::size_t v = v0; v < v1; ++v)
            for (std::size_t u = u0; u < u1; ++u) {
                least = std::min(least, columns[v * width + u]);
                most = std::max(most, columns[v * width + u]);
            }
        const std::int32_t farthest = from_high ? least : most;
        constexpr std::int32_t widen = snap_one / 128;  // more than what rounding moves
        if (farthest == never || farthest == always)
            tiles[t] = farthest;
        else
            tiles[t] = static_cast<std::int32_t>(farthest / plan.frame.quanta * snap_one) +
                       (from_high ? -widen : widen);
    }
}

/// Those that meet both, row by row, and where the keys of each begin.
void DepthImages::list_columns(const AxisWindow& window, std::size_t axis, bool paired) {
    Image& image = images_[axis];
    std::uint32_t* const a = image.crossings[0].data();
    const std::uint32_t* const b = paired ? image.crossings[1].data() : a;
    const std::size_t width = window.width();
    std::uint32_t total = 0;
    const auto look = [&](std::size_t v, std::size_t u) {
        const std::size_t c = v * width + u;
        if (!a[c] || !b[c]) return;
        image.columns.push_back({static_cast<std::uint16_t>(window.u0 + static_cast<std::int32_t>(u)),
                                 static_cast<std::uint16_t>(window.v0 + static_cast<std::int32_t>(v)),
                                 total});
        const std::uint32_t crossings = a[c] + (paired ? b[c] : 0);
        a[c] = total;  // from here on where its next key goes
        total += crossings;
    };
    constexpr std::size_t at_once = 8;  // most are empty
    for (std::size_t v = 0; v < window.height(); ++v) {
        std::size_t u = 0;
        for (; u + at_once <= width; u += at_once) {
            const std::size_t c = v * width + u;
            std::uint32_t any = 0;
            for (std::size_t k = 0; k < at_once; ++k) any |= b[c + k];
            for (std::size_t k = 0; any && k < at_once; ++k) look(v, u + k);
        }
        for (; u < width; ++u) look(v, u);
    }
    image.counts.columns = image.columns.size();
    image.counts.crossings = total;
}

/// A counting sort by columns, of those alone that meet both.
void DepthImages::sort(const DepthPlan& plan, std::size_t axis, bool paired) {
    Image& image = images_[axis];
    image.counts = {};
    image.columns.clear();
    if (found(0, axis) == 0 || (paired && found(1, axis) == 0)) return;
    const AxisWindow& window = plan.windows[axis];
    count(0, axis, window.columns());
    if (paired) count(1, axis, window.columns());
    list_columns(window, axis, paired);
    if (image.keys.size() < image.counts.crossings) image.keys.resize(image.counts.crossings);
    std::uint32_t* const next = image.crossings[0].data();
    for (std::uint32_t object = 0; object < (paired ? 2u : 1u); ++object)
        for (std::size_t l = 0; l < used_[object]; ++l)
            for (const Fragment& f : lists_[object][l][axis].fragments())
                // The second object has none where the first has none.
                if (!paired || image.crossings[1][f.column]) image.keys[next[f.column]++] = f.key;
}

void DepthImages::sweep(const OverlapPair& pair, const DepthPlan& plan, std::size_t axis) {
    Image& image = images_[axis];
    const AxisWindow& window = plan.windows[axis];
    const double quanta = plan.frame.quanta;
    auto& out = intervals[axis];
    Reading how;
    how.from_high = window.from_high;
    how.complete = {!plan.culled[0], !plan.culled[1]};
    how.objects = pair.b ? 2 : 1;
    how.least = pair.self ? 2 : 1;
    how.alone = pair.half_space || pair.field;
    how.below = crossing_key(static_cast<std::int32_t>(std::floor(window.low * quanta)) - 2, true, 1, 0);
    how.above = crossing_key(static_cast<std::int32_t>(std::ceil(window.high * quanta)) + 2, false, 1, 0);
    std::vector<DepthRange> parts;
    for (std::size_t c = 0; c < image.columns.size(); ++c) {
        const std::uint32_t begin = image.columns[c].begin;
        const std::size_t end =
            c + 1 < image.columns.size() ? image.columns[c + 1].begin : image.counts.crossings;
        const std::uint16_t u = image.columns[c].u, v = image.columns[c].v;
        const std::span keys(image.keys.data() + begin, end - begin);
        sort_keys(keys);
        OverlapInterval interval{.u = u, .v = v};
        walk(keys, how, image.counts, [&](CrossingKey lower, CrossingKey upper) {
            interval.low = depth_of(lower), interval.high = depth_of(upper);
            interval.lower = place_of(lower), interval.upper = place_of(upper);
            if (!pair.half_space && !pair.field) {
                out.push_back(interval);
                return;
            }
            const DepthRange range{interval.low / quanta, interval.high / quanta};
            parts.clear();
            if (pair.half_space)
                parts.push_back(
                    inside_half_space(*pair.half_space, plan.frame, axis, u + 0.5, v + 0.5, range));
            else
                inside_field(*pair.field, plan.frame, axis, u + 0.5, v + 0.5, range, parts);
            for (const DepthRange& part : parts) {
                if (part.high <= part.low) continue;
                OverlapInterval cut = interval;
                if (part.low > range.low)
                    cut.low = static_cast<std::int32_t>(std::floor(part.low * quanta + 0.5)),
                    cut.lower = second_object;
                if (part.high < range.high)
                    cut.high = static_cast<std::int32_t>(std::floor(part.high * quanta + 0.5)),
                    cut.upper = second_object;
                if (cut.high > cut.low) out.push_back(cut);
            }
        });
    }
}

}  // namespace plush
