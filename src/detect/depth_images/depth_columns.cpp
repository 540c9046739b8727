#include "detect/depth_images/depth_columns.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "detect/depth_images/field_column.hpp"

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

/// A column as counted from the window's corner.
struct InWindow {
    std::size_t u, v;
    InWindow(const AxisWindow& window, ColumnPlace place)
        : u((place & 0xffff) - static_cast<std::uint32_t>(window.u0)),
          v((place >> 16) - static_cast<std::uint32_t>(window.v0)) {
        PLUSH_ASSERT(u < window.width() && v < window.height());
    }
};

/// What a gated plan tells of columns: all of them are drawn where there is none.
class GatedColumns {
public:
    GatedColumns(const DepthPlan& plan, std::size_t axis)
        : plan_(plan.gated() ? &plan : nullptr), axis_(axis), across_(plan.tiles_across(axis)) {}
    /// Else it is but crossed by what is drawn beside it.
    bool drawn(const InWindow& at) const { return !plan_ || plan_->tiles[axis_][tile(at)].met; }
    /// From which side objects are counted, if not as in the whole window.
    std::array<bool, 2> from_high(const InWindow& at, const std::array<bool, 2>& whole) const {
        return plan_ ? plan_->tiles[axis_][tile(at)].from_high : whole;
    }
    /// Whether a depth is among what is marked: there all that is counted is right.
    bool holds(const InWindow& at, std::int32_t depth) const {
        if (!plan_) return true;
        const DepthPlan::TileRange& range = plan_->ranges[axis_][tile(at)];
        return depth >= range.low && depth <= range.high;
    }

private:
    std::size_t tile(const InWindow& at) const {
        const std::size_t t = (at.v >> plan_->tile_bits) * across_ + (at.u >> plan_->tile_bits);
        PLUSH_ASSERT(t < plan_->tiles[axis_].size());
        return t;
    }
    const DepthPlan* plan_;
    std::size_t axis_, across_;
};

/// How a column is read.
struct Reading {
    std::array<bool, 2> from_high{};
    std::array<bool, 2> complete{};  ///< all crossings are there
    std::uint32_t objects = 2;
    int least = 1;  ///< how often each object must wind
    /// What was left out lies beyond these depths, and a stretch may reach as far: of an object alone, to be
    /// cut by a field later, and where a gate tells what is drawn.
    bool open_ended = false;
    CrossingKey below = 0, above = 0;
};

/// Walks up a column and calls found(lower key, upper key) for every stretch in which every object winds
/// often enough.
template <class Found>
void walk(std::span<const CrossingKey> keys, const Reading& how, ImageCounts& counts, const Found& found) {
    PLUSH_ASSERT(std::is_sorted(keys.begin(), keys.end()));
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
    bool is_in = how.open_ended && inside();
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
    if (is_in && how.open_ended) found(lower, how.above);
    for (std::size_t o = 0; o < 2; ++o) counts.inverted[o] += inverted[o] ? 1 : 0;
}

}  // namespace

ImageCounts& ImageCounts::operator+=(const ImageCounts& b) {
    columns += b.columns, crossings += b.crossings;
    for (std::size_t o = 0; o < 2; ++o) open[o] += b.open[o], inverted[o] += b.inverted[o];
    return *this;
}

bool DepthImages::find(const OverlapPair& pair, const DepthPlan& plan, std::size_t max_bytes,
                       const Parallel* parallel) {
    counts = {};
    for (auto& list : intervals) list.clear();
    if (plan.empty()) return true;
    std::size_t columns = 0;
    for (const AxisWindow& w : plan.windows) columns += w.columns();
    // Limits or tallies; bits with their counts.
    const std::size_t bytes_a_column =
        sizeof(std::uint32_t) + (pair.self ? sizeof(Tally) : sizeof(std::uint32_t));
    if (columns > max_bytes / bytes_a_column) return false;
    // Lists with the room that they grow by, the sorted keys with their numbers, and half an interval.
    constexpr std::size_t bytes_a_crossing = 2 * FragmentList::bytes_a_crossing + 2 * sizeof(CrossingKey) +
                                             sizeof(std::uint32_t) + sizeof(OverlapInterval) / 2;
    max_crossings_ = (max_bytes - columns * bytes_a_column) / bytes_a_crossing;
    const auto each_axis = [&](auto&& task) {
        if (parallel)
            parallel->each(3, 1, task);
        else
            for (std::size_t d = 0; d < 3; ++d) task(d);
    };
    const bool paired = pair.b.has_value();
    used_ = {};
    // What is drawn first leaves the second only its own columns. Where there is a gate the finer surface has
    // fewer of them; else it makes no difference.
    const bool swapped = paired && plan.gated() && pair.b->surface->mean_edge() < pair.a.surface->mean_edge();
    const std::uint32_t first = swapped ? 1 : 0;
    if (!raster(plan, swapped ? *pair.b : pair.a, first, false, parallel)) return false;
    if (paired) {
        each_axis([&](std::size_t d) { limit(plan, d, first); });
        const bool fits = raster(plan, swapped ? pair.a : *pair.b, 1 - first, true, parallel);
        each_axis([&](std::size_t d) { forget_limits(plan, d, first); });
        if (!fits) return false;
    }
    each_axis([&](std::size_t d) {
        sort(plan, d, paired, first);
        sweep(pair, plan, d);
    });
    for (const Image& image : images_) counts += image.counts;
    return true;
}

bool DepthImages::raster(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object, bool limited,
                         const Parallel* parallel) {
    const auto& kept = plan.kept[object];
    const auto* limits = limited ? &limits_ : nullptr;
    // Groups have sixteen, of which some matter.
    const std::size_t chunk = plan.levels[object] == 0 ? tuning::clusters_per_task : tuning::groups_per_task;
    const std::size_t tasks = parallel ? (kept.size() + chunk - 1) / chunk : 1;
    auto& lists = lists_[object];
    if (lists.size() < tasks) lists.resize(tasks);
    used_[object] = tasks;
    for (std::size_t t = 0; t < tasks; ++t)
        for (FragmentList& list : lists[t]) list.clear(max_crossings_);
    std::atomic<std::size_t> total = 0;
    for (std::size_t d = 0; d < 3; ++d) total += found(1 - object, d);
    const auto find = [&](std::span<const KeptCluster> clusters, std::array<FragmentList, 3>& to) {
        if (total > max_crossings_) return;  // so it will stay, whatever the others find
        try {
            find_crossings(plan, view, object, clusters, to, limits);
        } catch (const TooManyCrossings&) {
            total += max_crossings_ + 1;
        }
        for (const FragmentList& list : to) total += list.size();
    };
    if (parallel)
        parallel->chunks(kept.size(), chunk, [&](std::size_t begin, std::size_t end) {
            PLUSH_ASSERT(begin % chunk == 0 && begin / chunk < tasks);
            find(std::span(kept).subspan(begin, end - begin), lists[begin / chunk]);
        });
    else
        find(kept, lists[0]);
    return total <= max_crossings_;
}

std::size_t DepthImages::capacity() const {
    const auto bytes = [](const auto& list) {
        return list.capacity() * sizeof(typename std::decay_t<decltype(list)>::value_type);
    };
    std::size_t sum = 0;
    for (const auto& lists : lists_)
        for (const auto& task : lists)
            for (const FragmentList& list : task) sum += list.capacity();
    for (const ColumnLimits& l : limits_) sum += bytes(l.all) + bytes(l.none) + bytes(l.tiles);
    for (const Image& i : images_)
        sum += bytes(i.tallies) + bytes(i.bits) + bytes(i.before) + bytes(i.found) + bytes(i.number) +
               bytes(i.next) + bytes(i.columns) + bytes(i.keys);
    for (const auto& list : intervals) sum += bytes(list);
    return sum;
}

std::size_t DepthImages::found(std::uint32_t object, std::size_t axis) const {
    std::size_t sum = 0;
    for (std::size_t l = 0; l < used_[object]; ++l) sum += lists_[object][l][axis].size();
    return sum;
}

/// What the crossings of the object that is drawn first in an image leave to the second. Where the first is
/// counted from above, say, all that it has at the top of a column is there: above its highest crossing it is
/// not, and there is no overlap. Of a second object that is counted from below what lies higher then goes.
void DepthImages::limit(const DepthPlan& plan, std::size_t axis, std::uint32_t first) {
    const std::uint32_t second = 1 - first;
    const AxisWindow& window = plan.windows[axis];
    ColumnLimits& limits = limits_[axis];
    limits.columns = {};
    if (found(first, axis) == 0) return;
    const bool from_high = window.from_high[second];
    const bool exact =
        !plan.gated() && plan.culled[second] && (!plan.culled[first] || window.from_high[first] != from_high);
    const std::int32_t never = ColumnLimits::never(from_high), always = ColumnLimits::never(!from_high);
    constexpr std::size_t read_beyond = 4;
    const std::size_t count = window.columns() + read_beyond;
    if (plan.gated()) {
        PLUSH_ASSERT(!from_high);
        if (limits.none.size() < count) limits.none.resize(count, never);
        limits.columns = std::span(limits.none).first(count);
    } else {
        limits.all.assign(count, never);
        limits.columns = limits.all;
    }
    const std::span<std::int32_t> columns = limits.columns;
    const std::size_t width = window.width(), across = plan.tiles_across(axis);
    auto& tiles = limits.tiles;
    tiles.assign(across * ((window.height() >> plan.tile_bits) + 1), never);
    const auto& met = plan.tiles[axis];
    PLUSH_ASSERT(met.size() == tiles.size() || (met.empty() && !plan.gated()));
    const auto farther = [&](std::int32_t& limit, std::int32_t depth) {
        limit = from_high ? std::min(limit, depth) : std::max(limit, depth);
    };
    for (std::size_t l = 0; l < used_[first]; ++l) {
        const FragmentList& list = lists_[first][l][axis];
        for (std::size_t f = 0; f < list.size(); ++f) {
            const InWindow at(window, list.columns()[f]);
            const std::size_t tile = (at.v >> plan.tile_bits) * across + (at.u >> plan.tile_bits);
            // In a tile where the two do not meet whatever was found is but a part of what is there: none of
            // it counts.
            if (!met.empty() && !met[tile].met) continue;
            const std::int32_t depth = exact ? depth_of(list.keys()[f]) : always;
            farther(columns[at.v * width + at.u], depth);
            farther(tiles[tile], depth);
        }
    }
    if (plan.gated()) {  // the first is there or not, and the gate tells the rest
        for (std::size_t t = 0; t < tiles.size(); ++t)
            tiles[t] =
                tiles[t] == never ? ColumnLimits::never(met[t].from_high[second]) : met[t].depth[second];
        return;
    }
    constexpr std::int32_t widen = snap_one / 128;  // more than what rounding moves
    for (std::int32_t& limit : tiles)
        if (limit != never && limit != always)
            limit = static_cast<std::int32_t>(limit / plan.frame.quanta * snap_one) +
                    (from_high ? -widen : widen);
}

/// Takes back what limit() has set of few columns.
void DepthImages::forget_limits(const DepthPlan& plan, std::size_t axis, std::uint32_t first) {
    const AxisWindow& window = plan.windows[axis];
    const std::span<std::int32_t> columns = limits_[axis].columns;
    if (columns.empty() || !plan.gated()) return;
    for (std::size_t l = 0; l < used_[first]; ++l)
        for (const ColumnPlace place : lists_[first][l][axis].columns()) {
            const InWindow at(window, place);
            columns[at.v * window.width() + at.u] = ColumnLimits::never(false);
        }
}

/// Those that meet both. The second object has no crossings where the first has none: its own are all.
void DepthImages::mark_columns(const DepthPlan& plan, std::size_t axis, std::uint32_t object) {
    Image& image = images_[axis];
    const AxisWindow& window = plan.windows[axis];
    const GatedColumns gated(plan, axis);
    const std::size_t width = window.width(), words = window.columns() / 64 + 1;
    image.bits.assign(words, 0);
    for (std::size_t l = 0; l < used_[object]; ++l)
        for (const ColumnPlace place : lists_[object][l][axis].columns()) {
            const InWindow at(window, place);
            if (!gated.drawn(at)) continue;
            const std::size_t c = at.v * width + at.u;
            image.bits[c / 64] |= std::uint64_t{1} << c % 64;
        }
    number_columns(axis);
    image.counts.columns = image.columns.size();
}

/// Those in which a surface can wind twice: it must go in twice. Most columns are entered and left once, and
/// what there is to say of them is said by the sums.
void DepthImages::mark_folded_columns(const DepthPlan& plan, std::size_t axis) {
    Image& image = images_[axis];
    const AxisWindow& window = plan.windows[axis];
    const std::size_t width = window.width();
    image.tallies.assign(window.columns(), {});
    for (std::size_t l = 0; l < used_[0]; ++l) {
        const FragmentList& list = lists_[0][l][axis];
        for (std::size_t f = 0; f < list.size(); ++f) {
            const InWindow at(window, list.columns()[f]);
            const CrossingKey key = list.keys()[f];
            Tally& tally = image.tallies[at.v * width + at.u];
            const bool in = goes_in(key);
            const auto depth = static_cast<std::uint32_t>(depth_of(key));
            PLUSH_ASSERT((in ? tally.in : tally.out) < 0xffff);
            ++(in ? tally.in : tally.out);
            tally.depth += in ? depth : -depth;
        }
    }
    image.bits.assign(window.columns() / 64 + 1, 0);
    for (std::size_t c = 0; c < image.tallies.size(); ++c) {
        const Tally& tally = image.tallies[c];
        if (tally.in + tally.out == 0) continue;
        ++image.counts.columns;
        image.counts.crossings += std::size_t{tally.in} + tally.out;
        if (tally.in != tally.out)
            ++image.counts.open[0];
        else if (tally.in == 1)
            image.counts.inverted[0] += static_cast<std::int32_t>(tally.depth) > 0 ? 1 : 0;
        else
            image.bits[c / 64] |= std::uint64_t{1} << c % 64;
    }
    number_columns(axis);
}

void DepthImages::number_columns(std::size_t axis) {
    Image& image = images_[axis];
    image.before.resize(image.bits.size());
    std::uint32_t total = 0;
    for (std::size_t w = 0; w < image.bits.size(); ++w) {
        image.before[w] = total;
        total += static_cast<std::uint32_t>(std::popcount(image.bits[w]));
    }
    image.columns.resize(total);
    image.next.assign(total, 0);
}

/// The crossings of an object in the marked columns, with the numbers of these, and how many each has.
void DepthImages::choose(const AxisWindow& window, std::size_t axis, std::uint32_t object) {
    Image& image = images_[axis];
    const std::size_t width = window.width();
    std::size_t count = image.total;
    for (std::size_t l = 0; l < used_[object]; ++l) {
        const FragmentList& list = lists_[object][l][axis];
        // All are written, the wanted ones stay: no branch to guess.
        image.found.resize(std::max(image.found.size(), count + list.size() + 1));
        image.number.resize(image.found.size());
        for (std::size_t f = 0; f < list.size(); ++f) {
            const ColumnPlace place = list.columns()[f];
            const InWindow at(window, place);
            const std::size_t c = at.v * width + at.u;
            const std::uint64_t word = image.bits[c / 64], bit = std::uint64_t{1} << c % 64;
            const std::uint32_t number =
                image.before[c / 64] + static_cast<std::uint32_t>(std::popcount(word & (bit - 1)));
            image.found[count] = list.keys()[f];
            image.number[count] = number;
            if (!(word & bit)) continue;
            PLUSH_ASSERT(number < image.columns.size());
            ++count;
            ++image.next[number];
            image.columns[number].u = static_cast<std::uint16_t>(place);
            image.columns[number].v = static_cast<std::uint16_t>(place >> 16);
        }
    }
    image.total = count;
}

/// A counting sort by columns, of those alone that meet both.
void DepthImages::sort(const DepthPlan& plan, std::size_t axis, bool paired, std::uint32_t first) {
    Image& image = images_[axis];
    image.counts = {};
    image.columns.clear();
    image.total = 0;
    if (found(0, axis) == 0 || (paired && found(1, axis) == 0)) return;
    const AxisWindow& window = plan.windows[axis];
    // Where there is a gate few columns are drawn, and tallies of the whole window cost more than to sort
    // all.
    const bool tally = plan.folded_only && !plan.gated();
    if (tally)
        mark_folded_columns(plan, axis);
    else
        mark_columns(plan, axis, paired ? 1 - first : 0);
    for (std::uint32_t object = 0; object < (paired ? 2u : 1u); ++object) choose(window, axis, object);
    if (!tally) image.counts.crossings = image.total;
    std::uint32_t total = 0;
    for (std::size_t c = 0; c < image.columns.size(); ++c) {
        PLUSH_ASSERT(image.next[c] > 0);
        image.columns[c].begin = total;
        total += std::exchange(image.next[c], total);
    }
    PLUSH_ASSERT(total == image.total);
    if (image.keys.size() < total) image.keys.resize(total);
    for (std::size_t f = 0; f < total; ++f) image.keys[image.next[image.number[f]]++] = image.found[f];
}

void DepthImages::sweep(const OverlapPair& pair, const DepthPlan& plan, std::size_t axis) {
    Image& image = images_[axis];
    const AxisWindow& window = plan.windows[axis];
    const double quanta = plan.frame.quanta;
    auto& out = intervals[axis];
    Reading how;
    how.complete = {!plan.culled[0], !plan.culled[1]};
    how.objects = pair.b ? 2 : 1;
    how.least = pair.self ? 2 : 1;
    how.open_ended = pair.half_space || pair.field || plan.gated();
    how.below = crossing_key(static_cast<std::int32_t>(std::floor(window.low * quanta)) - 2, true, 1, 0);
    how.above = crossing_key(static_cast<std::int32_t>(std::ceil(window.high * quanta)) + 2, false, 1, 0);
    const GatedColumns gated(plan, axis);
    std::vector<DepthRange> parts;
    for (std::size_t c = 0; c < image.columns.size(); ++c) {
        const std::uint32_t begin = image.columns[c].begin;
        const std::size_t end = c + 1 < image.columns.size() ? image.columns[c + 1].begin : image.total;
        const std::uint16_t u = image.columns[c].u, v = image.columns[c].v;
        PLUSH_ASSERT(begin < end && end <= image.keys.size());
        const std::span keys(image.keys.data() + begin, end - begin);
        sort_keys(keys);
        OverlapInterval interval{.u = u, .v = v};
        const InWindow at(window, column_place(u, v));
        how.from_high = gated.from_high(at, window.from_high);
        walk(keys, how, image.counts, [&](CrossingKey lower, CrossingKey upper) {
            interval.low = depth_of(lower), interval.high = depth_of(upper);
            interval.lower = place_of(lower), interval.upper = place_of(upper);
            if (plan.gated()) {
                if (lower == how.below || !gated.holds(at, interval.low)) return;
                if (upper == how.above || !gated.holds(at, interval.high)) return;
            }
            if (!pair.half_space && !pair.field) {
                PLUSH_ASSERT(interval.low < interval.high);
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
