#include <algorithm>
#include <limits>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "detect/depth_images/depth_plan.hpp"

// What a gate (overlap_gate.hpp) leaves of a plan.

namespace plush {

/// Less than what is planned, where patches tell.
void DepthPlan::ask_gate(const OverlapPair& pair, const Parallel* parallel) {
    const std::array<const SurfaceView*, 2> views{&pair.a, pair.b ? &*pair.b : nullptr};
    if (!pair.b && !pair.self) return;
    for (const SurfaceView* view : views)
        if (view && (!view->patches || !view->surface->closed())) return;
    if (levels[0] != 0 || (pair.b && levels[1] != 0)) return;  // so fine that not even clusters are tested
    if (!worth_asking(pair.self)) return;
    std::array<OverlapGate::Side, 2> sides;
    std::array<std::vector<std::uint32_t>, 2> clusters;
    for (std::size_t o = 0; o < 2; ++o) {
        if (!views[o]) continue;
        const SurfacePatches* const patches = views[o]->patches->of(*views[o]);
        if (!patches || !patches->manifold()) return;
        for (const KeptCluster& k : kept[o])
            if (k.images()) clusters[o].push_back(k.cluster);
        sides[o] = {views[o], patches, &maps[o], clusters[o]};
    }
    gated_ = true;
    slab = {};
    gate_.query(sides, parallel);
    for (std::size_t o = 0; o < 2; ++o) culled[o] = views[o] != nullptr, kept[o].clear();
    tile_bits = 2;
    const auto each_axis = [&](const auto& task) {
        if (parallel)
            parallel->each(3, 1, task);
        else
            for (std::size_t d = 0; d < 3; ++d) task(d);
    };
    each_axis([&](std::size_t d) { find_marked(d); });
    empty_ = windows[0].empty() && windows[1].empty() && windows[2].empty();
    if (empty_) return;
    // Columns are counted from other sides than the plan thought of: nothing that it left out is.
    for (std::size_t o = 0; o < 2; ++o)
        for (std::size_t c = 0; views[o] && c < views[o]->bounds->boxes.size(); ++c) {
            const PartExtent part{maps[o](views[o]->bounds->boxes[c]), -HUGE_VAL, HUGE_VAL};
            if (const std::uint32_t images = matters(o, part).met & images_with_lines(part.box))
                kept[o].push_back({static_cast<std::uint32_t>(c), images, part});
        }
    each_axis([&](std::size_t d) {
        if (!windows[d].empty()) choose_tile_sides(d), limit_tiles(d);
        for (std::size_t o = 0; o < 2; ++o)
            for (KeptCluster& k : kept[o])
                k.in[d] = k.in[d] && !windows[d].empty() && reaches(o, d, footprint(d, k.extent));
    });
    for (auto& list : kept) std::erase_if(list, [](const KeptCluster& k) { return k.images() == 0; });
}

/// Whether what is planned is so much that it pays to ask.
bool DepthPlan::worth_asking(bool self) const {
    std::size_t columns = 0, clusters = 0;
    for (std::size_t d = 0; d < 3; ++d)
        if (tiles[d].empty())
            columns += windows[d].columns();
        else
            for (const TileLimits& tile : tiles[d]) columns += tile.met ? std::size_t{1} << 2 * tile_bits : 0;
    for (const auto& list : kept) clusters += list.size();
    return columns > tuning::columns_a_cluster * clusters && (self || columns > tuning::columns_to_ask);
}

/// An overlap begins where a line goes in through what is marked, and ends farther up where one goes out:
/// only tiles with both, in that order, are drawn.
void DepthPlan::find_marked(std::size_t d) {
    AxisWindow& w = windows[d];
    w.from_high = {};  // it is told tile by tile
    const AxisWindow before = w;
    tiles[d].clear(), ranges[d].clear();
    if (before.empty()) return;
    const std::size_t u = first_across(d), v = second_across(d);
    const std::size_t across = tiles_across(d), rows = (before.height() >> tile_bits) + 1;
    auto& all = marked_all_[d];
    all.assign(across * rows, {});
    for (const OverlapGate::Marked& m : gate_.marked()) {
        const auto column = [](float x) { return static_cast<std::int32_t>(std::floor(x)); };
        const std::int32_t u0 = std::max(column(m.box.low[u]), before.u0) - before.u0,
                           u1 = std::min(column(m.box.high[u]), before.u1) - before.u0,
                           v0 = std::max(column(m.box.low[v]), before.v0) - before.v0,
                           v1 = std::min(column(m.box.high[v]), before.v1) - before.v0;
        if (u0 > u1 || v0 > v1) continue;
        const float low = m.in >> d & 1 ? m.box.low[d] : HUGE_VALF;
        const float high = m.out >> d & 1 ? m.box.high[d] : -HUGE_VALF;
        for (std::int32_t j = v0 >> tile_bits; j <= v1 >> tile_bits; ++j)
            for (std::int32_t i = u0 >> tile_bits; i <= u1 >> tile_bits; ++i) {
                MarkedDepths& tile = all[static_cast<std::size_t>(j) * across + static_cast<std::size_t>(i)];
                tile.low = std::min(tile.low, low), tile.high = std::max(tile.high, high);
            }
    }
    // The window around those, along the same tiles.
    std::size_t i0 = across, i1 = 0, j0 = rows, j1 = 0;
    float low = HUGE_VALF, high = -HUGE_VALF;
    for (std::size_t j = 0; j < rows; ++j)
        for (std::size_t i = 0; i < across; ++i) {
            const MarkedDepths& tile = all[j * across + i];
            if (!tile.met()) continue;
            i0 = std::min(i0, i), i1 = std::max(i1, i), j0 = std::min(j0, j), j1 = std::max(j1, j);
            low = std::min(low, tile.low), high = std::max(high, tile.high);
        }
    const auto columns = [&](std::size_t tile) { return static_cast<std::int32_t>(tile << tile_bits); };
    w.u0 = before.u0 + columns(i0), w.u1 = std::min(before.u1, before.u0 + columns(i1 + 1) - 1);
    w.v0 = before.v0 + columns(j0), w.v1 = std::min(before.v1, before.v0 + columns(j1 + 1) - 1);
    if (w.empty()) return;
    PLUSH_ASSERT(i0 <= i1 && j0 <= j1 && i1 - i0 < tiles_across(d));
    w.low = std::max(w.low, static_cast<double>(low)), w.high = std::min(w.high, static_cast<double>(high));
    auto& inner = marked_depths_[d];
    inner.assign(tiles_across(d) * ((w.height() >> tile_bits) + 1), {});
    for (std::size_t j = j0; j <= j1; ++j)
        for (std::size_t i = i0; i <= i1; ++i)
            if (all[j * across + i].met()) inner[(j - j0) * tiles_across(d) + (i - i0)] = all[j * across + i];
}

/// Each object is counted from the side on which less of it lies before what is marked, told for squares of
/// tiles. Clusters that nothing is marked over go.
void DepthPlan::choose_tile_sides(std::size_t d) {
    constexpr int together = 2;
    const AxisWindow& w = windows[d];
    const auto& marked = marked_depths_[d];
    const std::size_t across = tiles_across(d);
    PLUSH_ASSERT(marked.size() % across == 0);
    const std::size_t wide = (across >> together) + 1, rows = marked.size() / across;
    auto& counts = tile_counts_[d];
    counts.assign(wide * ((rows >> together) + 1), {HUGE_VALF, -HUGE_VALF, {}});
    const auto counts_of = [&](std::size_t t) -> TileCounts& {
        return counts[(t / across >> together) * wide + (t % across >> together)];
    };
    for (std::size_t t = 0; t < marked.size(); ++t) {
        TileCounts& count = counts_of(t);
        count.low = std::min(count.low, marked[t].low);
        count.high = std::max(count.high, marked[t].high);
    }
    for (std::size_t o = 0; o < 2; ++o)
        for (KeptCluster& k : kept[o]) {
            if (!k.in[d]) continue;
            const Footprint part = footprint(d, k.extent);
            const int shift = tile_bits + together;
            bool any = false;
            const auto low = static_cast<float>(k.extent.box.low[d]),
                       high = static_cast<float>(k.extent.box.high[d]);
            for (std::int32_t j = (part.v0 - w.v0) >> shift; j <= (part.v1 - w.v0) >> shift; ++j)
                for (std::int32_t i = (part.u0 - w.u0) >> shift; i <= (part.u1 - w.u0) >> shift; ++i) {
                    const std::size_t at = static_cast<std::size_t>(j) * wide + static_cast<std::size_t>(i);
                    PLUSH_ASSERT(at < counts.size());
                    TileCounts& count = counts[at];
                    count.before[o][0] += low <= count.high ? 1 : 0;
                    count.before[o][1] += high >= count.low ? 1 : 0;
                    any = any || count.low <= count.high;
                }
            k.in[d] = any;
        }
    tiles[d].resize(marked.size());
    for (std::size_t t = 0; t < tiles[d].size(); ++t)
        for (std::size_t o = 0; o < 2; ++o)
            tiles[d][t].from_high[o] = counts_of(t).before[o][1] < counts_of(t).before[o][0];
}

/// What must be drawn in each tile: to the end of what is marked there.
void DepthPlan::limit_tiles(std::size_t d) {
    const auto& marked = marked_depths_[d];
    PLUSH_ASSERT(tiles[d].size() == marked.size());
    ranges[d].resize(marked.size());
    constexpr auto highest = std::numeric_limits<std::int32_t>::max();
    constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
    const auto whole = [](double x) {
        return static_cast<std::int32_t>(std::clamp(x, double{lowest}, double{highest}));
    };
    for (std::size_t t = 0; t < marked.size(); ++t) {
        const double low = static_cast<double>(marked[t].low), high = static_cast<double>(marked[t].high);
        TileLimits& tile = tiles[d][t];
        tile.met = low <= high;
        for (std::size_t o = 0; o < 2; ++o)
            tile.depth[o] = tile.from_high[o] ? (tile.met ? whole(std::floor(low * snap_one)) : highest)
                                              : (tile.met ? whole(std::ceil(high * snap_one)) : lowest);
        ranges[d][t] = {whole(std::floor(low * frame.quanta)), whole(std::ceil(high * frame.quanta))};
    }
}

}  // namespace plush
