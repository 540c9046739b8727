#include <algorithm>
#include <limits>

#include "core/tuning.hpp"
#include "detect/depth_plan.hpp"

// What a gate (overlap_gate.hpp) leaves of a plan.

namespace plush {

/// Less than what is planned, where patches tell.
void DepthPlan::ask_gate(const OverlapPair& pair) {
    const std::array<const SurfaceView*, 2> views{&pair.a, pair.b ? &*pair.b : nullptr};
    if (!pair.b && !pair.self) return;
    for (const SurfaceView* view : views)
        if (view && (!view->patches || !view->surface->closed())) return;
    if (levels[0] != 0 || (pair.b && levels[1] != 0)) return;  // so fine that not even clusters are looked at
    if (!worth_asking()) return;
    std::array<const SurfacePatches*, 2> patches{};
    for (std::size_t o = 0; o < 2; ++o)
        if (views[o] && !(patches[o] = views[o]->patches->of(*views[o]))) return;
    gated_ = true;
    std::vector<std::uint32_t> clusters;
    for (std::size_t o = 0; o < 2; ++o) {
        before_.kept[o].clear();
        if (!views[o]) continue;
        clusters.clear();
        for (const KeptCluster& k : kept[o])
            if (k.images()) clusters.push_back(k.cluster);
        gate.place(o, *views[o], *patches[o], maps[o], clusters, pair.self);
        // Columns are counted from other sides than the plan thought of: nothing that it left out is.
        const auto& boxes = views[o]->bounds->boxes;
        for (std::size_t c = 0; c < boxes.size(); ++c) {
            const PartExtent part{maps[o](boxes[c]), -HUGE_VAL, HUGE_VAL};
            if (const std::uint32_t images = images_with_lines(part.box) & matters(o, part).met)
                before_.kept[o].push_back({static_cast<std::uint32_t>(c), images, part});
        }
        culled[o] = true;
    }
    slab = {};
    before_.windows = windows;
    gate.look(pair.self);
    open_gate();
}

/// Whether what is planned is so much that it pays to ask.
bool DepthPlan::worth_asking() const {
    std::size_t columns = 0, clusters = 0;
    for (std::size_t d = 0; d < 3; ++d)
        if (tiles[d].empty())
            columns += windows[d].columns();
        else
            for (const TileLimits& tile : tiles[d]) columns += tile.met ? std::size_t{1} << 2 * tile_bits : 0;
    for (const auto& list : kept) clusters += list.size();
    return columns > tuning::columns_a_cluster * clusters;
}

bool DepthPlan::grow() {
    if (!gate.grow()) return false;
    open_gate();
    return true;
}

/// Windows and tiles around what is marked, and the clusters in them.
void DepthPlan::open_gate() {
    for (auto& list : kept) list.clear();
    tile_bits = 2;
    for (std::size_t d = 0; d < 3; ++d) open_gate(d);
    empty_ = windows[0].empty() && windows[1].empty() && windows[2].empty();
    for (std::size_t o = 0; o < 2; ++o)
        for (const KeptCluster& k : before_.kept[o]) {
            std::uint32_t images = k.images() & matters(o, k.extent).met;
            for (std::size_t d = 0; d < 3; ++d)
                if (images & 1u << d && (windows[d].empty() || !reaches(o, d, footprint(d, k.extent))))
                    images &= ~(1u << d);
            if (images) kept[o].push_back({k.cluster, images, k.extent});
        }
}

/// The columns of a window that a box covers.
struct DepthPlan::Marked {
    std::size_t u, v;
    AxisWindow within;

    Marked(std::size_t axis, const AxisWindow& w)
        : u(first_across(axis)), v(second_across(axis)), within(w) {}
    /// u0, v0, u1, v1 of the columns; empty where it covers none.
    AxisWindow operator()(const OverlapGate::Box& box) const {
        const auto column = [](float x) { return static_cast<std::int32_t>(std::floor(x)); };
        AxisWindow r;
        r.u0 = std::max(column(box.low[u]), within.u0), r.u1 = std::min(column(box.high[u]), within.u1);
        r.v0 = std::max(column(box.low[v]), within.v0), r.v1 = std::min(column(box.high[v]), within.v1);
        return r;
    }
};

void DepthPlan::open_gate(std::size_t d) {
    const AxisWindow& before = before_.windows[d];
    const Marked marked(d, before);
    AxisWindow& w = windows[d];
    w = before;
    tiles[d].clear(), ranges[d].clear();
    if (before.empty()) return;
    w.u0 = before.u1 + 1, w.v0 = before.v1 + 1, w.u1 = before.u0 - 1, w.v1 = before.v0 - 1;
    float low = HUGE_VALF, high = -HUGE_VALF;
    gate.each_marked(d, [&](const OverlapGate::Box& box) {
        const AxisWindow r = marked(box);
        if (r.empty()) return;
        w.u0 = std::min(w.u0, r.u0), w.u1 = std::max(w.u1, r.u1);
        w.v0 = std::min(w.v0, r.v0), w.v1 = std::max(w.v1, r.v1);
        low = std::min(low, box.low[d]), high = std::max(high, box.high[d]);
    });
    if (w.empty()) return;
    w.low = std::max<double>(w.low, low), w.high = std::min<double>(w.high, high);

    const std::size_t across = tiles_across(d);
    marked_depths_.assign(across * ((w.height() >> tile_bits) + 1), {});
    gate.each_marked(d, [&](const OverlapGate::Box& box) {
        const AxisWindow r = marked(box);
        if (r.empty()) return;
        for (std::int32_t j = (r.v0 - w.v0) >> tile_bits; j <= (r.v1 - w.v0) >> tile_bits; ++j)
            for (std::int32_t i = (r.u0 - w.u0) >> tile_bits; i <= (r.u1 - w.u0) >> tile_bits; ++i) {
                MarkedDepths& tile =
                    marked_depths_[static_cast<std::size_t>(j) * across + static_cast<std::size_t>(i)];
                tile.low = std::min(tile.low, box.low[d]), tile.high = std::max(tile.high, box.high[d]);
            }
    });
    choose_tile_sides(d);
    limit_tiles(d);
}

/// Each object is counted from the side on which less of it lies before what is marked, told for squares of
/// tiles.
void DepthPlan::choose_tile_sides(std::size_t d) {
    constexpr int together = 2;
    const AxisWindow& w = windows[d];
    const std::size_t u = first_across(d), v = second_across(d), across = tiles_across(d);
    const std::size_t wide = (across >> together) + 1, rows = marked_depths_.size() / across;
    crowds_.assign(wide * ((rows >> together) + 1), {HUGE_VALF, -HUGE_VALF, {}});
    const auto crowd_of = [&](std::size_t t) -> Crowd& {
        return crowds_[(t / across >> together) * wide + (t % across >> together)];
    };
    for (std::size_t t = 0; t < marked_depths_.size(); ++t) {
        Crowd& crowd = crowd_of(t);
        crowd.low = std::min(crowd.low, marked_depths_[t].low);
        crowd.high = std::max(crowd.high, marked_depths_[t].high);
    }
    for (std::size_t o = 0; o < 2; ++o)
        for (const KeptCluster& k : before_.kept[o]) {
            if (!k.in[d] || k.extent.box.high[u] < w.u0 || k.extent.box.low[u] > w.u1 + 1 ||
                k.extent.box.high[v] < w.v0 || k.extent.box.low[v] > w.v1 + 1)
                continue;
            const Footprint part = footprint(d, k.extent);
            const int shift = tile_bits + together;
            const auto low = static_cast<float>(k.extent.box.low[d]),
                       high = static_cast<float>(k.extent.box.high[d]);
            for (std::int32_t j = (part.v0 - w.v0) >> shift; j <= (part.v1 - w.v0) >> shift; ++j)
                for (std::int32_t i = (part.u0 - w.u0) >> shift; i <= (part.u1 - w.u0) >> shift; ++i) {
                    Crowd& crowd = crowds_[static_cast<std::size_t>(j) * wide + static_cast<std::size_t>(i)];
                    crowd.before[o][0] += low <= crowd.high ? 1 : 0;
                    crowd.before[o][1] += high >= crowd.low ? 1 : 0;
                }
        }
    tiles[d].resize(marked_depths_.size());
    for (std::size_t t = 0; t < tiles[d].size(); ++t)
        for (std::size_t o = 0; o < 2; ++o)
            tiles[d][t].from_high[o] = crowd_of(t).before[o][1] < crowd_of(t).before[o][0];
}

/// What must be drawn in each tile: to the end of what is marked there.
void DepthPlan::limit_tiles(std::size_t d) {
    ranges[d].resize(marked_depths_.size());
    constexpr auto highest = std::numeric_limits<std::int32_t>::max();
    constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
    const auto whole = [](double x) {
        return static_cast<std::int32_t>(std::clamp(x, double{lowest}, double{highest}));
    };
    for (std::size_t t = 0; t < marked_depths_.size(); ++t) {
        const double low{marked_depths_[t].low}, high{marked_depths_[t].high};
        TileLimits& tile = tiles[d][t];
        tile.met = low <= high;
        for (std::size_t o = 0; o < 2; ++o)
            tile.depth[o] = tile.from_high[o] ? (tile.met ? whole(std::floor(low * snap_one)) : highest)
                                              : (tile.met ? whole(std::ceil(high * snap_one)) : lowest);
        ranges[d][t] = {whole(std::floor(low * frame.quanta)), whole(std::ceil(high * frame.quanta))};
    }
}

}  // namespace plush
