#include "detect/depth_images/depth_plan.hpp"

#include <algorithm>
#include <limits>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "detect/depth_images/part_poser.hpp"

namespace plush {
namespace {

Box3 intersection(const Box3& a, const Box3& b) {
    return {max(a.low, b.low), min(a.high, b.high)};
}

/// A box of the world seen in other axes; infinite sides stay infinite.
Box3 in_axes(const Box3& box, const Mat3& axes) {
    if (box.empty()) return box;
    const ImageMap turn{axes, {}};
    if (is_finite(box.low) && is_finite(box.high)) return turn(box);
    const Vec3 all{HUGE_VAL, HUGE_VAL, HUGE_VAL};
    return axes == Mat3::identity() ? box : Box3{-all, all};
}

Box3 box_of(const std::vector<Box3>& groups, const ImageMap& map) {
    Box3 box;
    for (const Box3& group : groups) box.add(map(group));
    return box;
}

/// What both have in common, in an image's axes. `fitted`: by the boxes that fit best.
Box3 common_region(const OverlapPair& pair, const Mat3& axes, bool fitted) {
    ImageFrame frame;
    frame.axes = axes;
    const auto of = [&](const SurfaceView& view) {
        return box_of(fitted ? view.bounds->outline() : view.bounds->steady_outline(), frame.map(view.pose));
    };
    Box3 box = of(pair.a);
    if (pair.b) box = intersection(box, of(*pair.b));
    if (pair.field) box = intersection(box, in_axes(pair.field->bounds(), axes));
    if (pair.half_space && !box.empty()) {
        // The corner of the box that goes deepest into the half-space bounds the rest along each axis.
        const Vec3 n = axes * pair.half_space->normal;
        for (std::size_t d = 0; d < 3; ++d) {
            if (n[d] == 0) continue;
            double rest = pair.half_space->offset;
            for (std::size_t e = 0; e < 3; ++e)
                if (e != d) rest -= n[e] * (n[e] > 0 ? box.low[e] : box.high[e]);
            if (n[d] > 0)
                box.high[d] = std::min(box.high[d], rest / n[d]);
            else
                box.low[d] = std::max(box.low[d], rest / n[d]);
        }
    }
    return box;
}

/// The largest direction·x over a surface, in image coordinates, to a quarter of a pixel and never too small:
/// only clusters that could hold much more than what was found are tested. Bodies that are pressed flat
/// against each other have many that reach as far.
double farthest(const SurfaceView& view, const ImageMap& map, const Vec3& direction) {
    const ClusterBounds& bounds = *view.bounds;
    const Vec3 m = transpose_times(map.linear, direction), w = abs(m);
    const auto bound = [&](std::size_t level, std::size_t k) {
        if (bounds.oriented_boxes.empty()) {
            const Box3& box = bounds.level(level)[k];
            return dot(m, box.centre()) + 0.5 * dot(w, box.size());
        }
        const OrientedBox& b = bounds.oriented_boxes[level][k];
        return dot(m, b.centre) + std::abs(dot(m, b.arms[0])) + std::abs(dot(m, b.arms[1])) +
               std::abs(dot(m, b.arms[2]));
    };
    double best = -HUGE_VAL;
    const auto look = [&](std::size_t c) {
        std::array<double, 4> most{best, best, best, best};  // they need not wait for each other
        view.each_vertex(
            c, [&](std::size_t i, const Vec3& x) { most[i % 4] = std::max(most[i % 4], dot(m, x)); });
        best = std::max({most[0], most[1], most[2], most[3]});
    };
    // Down the tree to where it seems to reach farthest: what was found there throws most of the rest away.
    std::size_t first = 0;
    for (std::size_t level = bounds.outline_level() + 1, begin = 0; level-- > 0;) {
        const std::size_t all = bounds.level(level).size();
        const std::size_t end =
            level == bounds.outline_level() ? all : std::min(all, begin + ClusterBounds::group);
        double highest = -HUGE_VAL;
        for (std::size_t k = begin; k < end; ++k)
            if (const double b = bound(level, k); b > highest) highest = b, first = k;
        begin = first * ClusterBounds::group;
    }
    PLUSH_ASSERT(first < bounds.boxes.size());
    look(first);
    constexpr double slack = 0.25;
    double bounded = best;  // by boxes alone
    const auto visit = [&](const auto& self, std::size_t level, std::size_t begin, std::size_t end) -> void {
        for (std::size_t k = begin; k < std::min(end, bounds.level(level).size()); ++k) {
            const double b = bound(level, k);
            if (b <= bounded) continue;
            if (level > 0) {
                self(self, level - 1, k * ClusterBounds::group, (k + 1) * ClusterBounds::group);
                continue;
            }
            if (b > best + slack) look(k);
            bounded = std::max({bounded, best, std::min(b, best + slack)});
        }
    };
    visit(visit, bounds.outline_level(), 0, bounds.outline().size());
    return bounded + dot(direction, map.shift);
}

/// A cluster has about fifty triangles of 0.43 edges² each: so many edges across.
constexpr double cluster_edges = 4.6;

/// Tiles as wide as a cluster of the finer surface, 2 to 8 columns. (A figure of 346,000 triangles that has
/// 60 pixels across, ms a step with 8, 4, 2 and 1 columns, in turns: 3.1, 2.8, 2.7, 3.1.)
int fine_tiles(const OverlapPair& pair, double pixel) {
    double edge = pair.a.surface->mean_edge();
    if (pair.b) edge = std::min(edge, pair.b->surface->mean_edge());
    const double width = cluster_edges * edge / pixel;
    return width <= 2 ? 1 : width <= 4 ? 2 : 3;
}

/// How far down a plan goes: to parts that are about as wide as a tile. What is smaller is asked where it is
/// drawn, by lines and limits; sixteen parts are four times as wide as one.
std::size_t last_level(const SurfaceView& view, double pixel) {
    double width = cluster_edges * view.surface->mean_edge() / pixel;
    std::size_t level = 0;
    for (; level < view.bounds->outline_level() && width < tuning::least_part; ++level) width *= 4;
    return level;
}

PartExtent extent_of(const PosedPart& p) {
    return {{{p.low[0], p.low[1], p.low[2]}, {p.high[0], p.high[1], p.high[2]}}, p.low[3], p.high[3]};
}

}  // namespace

Box3 DepthPlan::region(const OverlapPair& pair, const Mat3& axes) {
    return common_region(pair, axes, false);
}

double DepthPlan::reach(const OverlapPair& pair, const Mat3& axes) {
    ImageFrame frame;
    frame.axes = axes;
    Box3 box = box_of(pair.a.bounds->steady_outline(), frame.map(pair.a.pose));
    if (pair.b) box.add(box_of(pair.b->bounds->steady_outline(), frame.map(pair.b->pose)));
    return max_component(box.size());
}

void DepthPlan::make(const OverlapPair& pair, double pixel, const Mat3& axes, bool cull,
                     const Vec3& direction, const Parallel* parallel) {
    empty_ = true, gated_ = false;
    const auto each_object = [&](auto&& task) {
        if (parallel && pair.b)
            parallel->each(2, 1, task);
        else
            for (std::size_t o = 0; o < (pair.b ? 2u : 1u); ++o) task(o);
    };
    for (auto& list : kept) list.clear();
    for (auto& list : groups_) list.clear();
    for (auto& list : dropped_) list.clear();
    windows = {};
    for (auto& list : tiles) list.clear();
    frame = {.pixel = pixel, .axes = axes};
    constexpr std::size_t max_counted = 0xffff;  // crossings of a column, each way
    folded_only = cull && pair.self && pair.a.surface->corners().size() <= max_counted;
    const Box3 box = region(pair, axes);
    if (box.empty()) return;
    for (std::size_t d = 0; d < 3; ++d) {
        frame.corner[d] = static_cast<std::int64_t>(std::floor(box.low[d] / pixel));
        const auto end = static_cast<std::int64_t>(std::ceil(box.high[d] / pixel));
        PLUSH_ASSERT(end - frame.corner[d] <= max_pixels_across);
        frame.size[d] = static_cast<std::int32_t>(end - frame.corner[d]);
    }
    // 31 bits for the depth in the window.
    const std::int32_t deepest = std::max({frame.size[0], frame.size[1], frame.size[2]}) + 2;
    while (deepest * frame.quanta > 0x7fffffff) frame.quanta /= 2;

    const std::array<const SurfaceView*, 2> views{&pair.a, pair.b ? &*pair.b : nullptr};
    std::array<Box3, 2> boxes;
    for (std::size_t o = 0; o < 2; ++o) {
        if (!views[o]) continue;
        maps[o] = frame.map(views[o]->pose);
        for (const Box3& part : views[o]->bounds->outline()) groups_[o].push_back(maps[o](part));
        for (const Box3& group : groups_[o]) boxes[o].add(group);
        culled[o] = cull && !pair.self && views[o]->surface->closed();
    }
    const Box3 fitted = common_region(pair, axes, true);
    if (fitted.empty()) return;
    const Vec3 corner = frame.corner_vector();
    for (std::size_t d = 0; d < 3; ++d) {
        AxisWindow& w = windows[d];
        w.u1 = frame.size[first_across(d)] - 1, w.v1 = frame.size[second_across(d)] - 1;
        w.low = fitted.low[d] / pixel - corner[d] - cull_margin;
        w.high = fitted.high[d] / pixel - corner[d] + cull_margin;
    }
    choose_sides(pair, boxes, direction, parallel);
    // All of a below all of b: closed surfaces that do not meet. Most pairs whose boxes do end here.
    if (culled[0] && culled[1] && slab.high < slab.low) return;
    // Groups of clusters first, on large tiles, or blocks of groups on larger ones; then what is left of them
    // cluster by cluster.
    each_object([&](std::size_t o) { keep_outline(*views[o]->bounds, o); });
    const auto narrow = [&](int bits) {
        tile_bits = bits;
        const auto one = [&](std::size_t d) { shrink(d), tile(d); };
        if (parallel)
            parallel->each(3, 1, one);
        else
            for (std::size_t d = 0; d < 3; ++d) one(d);
    };
    std::size_t top = 0, bottom = ClusterBounds::max_levels;
    for (std::size_t o = 0; o < (pair.b ? 2u : 1u); ++o) {
        levels[o] = last_level(*views[o], pixel);
        top = std::max(top, views[o]->bounds->outline_level()), bottom = std::min(bottom, levels[o]);
    }
    for (std::size_t level = top; level-- > bottom;) {
        narrow(static_cast<int>(std::min<std::size_t>(4 + level, 6)));
        each_object([&](std::size_t o) {
            if (level < views[o]->bounds->outline_level() && level >= levels[o])
                open(*views[o]->bounds, level, o);
        });
    }
    narrow(fine_tiles(pair, pixel));
    empty_ = windows[0].empty() && windows[1].empty() && windows[2].empty();
    if (cull && !empty_) ask_gate(pair, parallel);
}

void DepthPlan::choose_sides(const OverlapPair& pair, const std::array<Box3, 2>& boxes, const Vec3& direction,
                             const Parallel* parallel) {
    slab = {};
    if (pair.self) return;
    Vec3 n = frame.axes * direction;
    if (pair.half_space)
        n = -(frame.axes * pair.half_space->normal);
    else if (norm2(n) == 0 && pair.b)
        n = boxes[1].centre() - boxes[0].centre();
    n = normalised(n, {});
    if (norm2(n) > 0 && !pair.field) {
        slab.direction = n;
        // Most pairs of a pile whose boxes meet are far apart along this: the groups tell already.
        const auto reach = [&](std::size_t o, const Vec3& along) {
            double most = -HUGE_VAL;
            for (const Box3& b : groups_[o])
                most = std::max(most, dot(along, b.centre()) + 0.5 * dot(abs(along), b.size()));
            return most;
        };
        if (pair.b && culled[0] && culled[1]) {
            slab.low = -reach(1, -n) - cull_margin, slab.high = reach(0, n) + cull_margin;
            if (slab.high < slab.low) return;
        }
        const auto find_end = [&](std::size_t o) {
            if (o == 0)
                slab.high = farthest(pair.a, maps[0], n) + cull_margin;
            else if (pair.half_space)
                slab.low =
                    -pair.half_space->offset / frame.pixel - dot(n, frame.corner_vector()) - cull_margin;
            else
                slab.low = -farthest(*pair.b, maps[1], -n) - cull_margin;
        };
        if (parallel && pair.b) {
            parallel->each(2, 1, find_end);
        } else {
            find_end(0);
            if (pair.b && culled[0] && culled[1] && slab.high < slab.low) return;
            find_end(1);
        }
    }
    for (std::size_t d = 0; d < 3; ++d) {
        AxisWindow& w = windows[d];
        // Across the direction the boxes tell from which side less is left over.
        constexpr double across = 1e-9;
        const bool by_direction = std::abs(n[d]) >= across || pair.half_space;
        w.by_slab = norm2(slab.direction) > 0 && std::abs(n[d]) >= across;
        for (std::size_t o = 0; o < 2; ++o) {
            if (by_direction)
                w.from_high[o] = (n[d] > 0) == (o == 0);
            else
                w.from_high[o] = boxes[o].high[d] - w.high < w.low - boxes[o].low[d];
            if (!culled[o]) w.from_high[o] = false;
        }
    }
}

DepthPlan::Matters DepthPlan::matters(std::size_t o, const PartExtent& part) const {
    const Vec3& n = slab.direction;
    const Box3& box = part.box;
    const bool out = o == 0 ? part.high < slab.low : part.low > slab.high;
    Matters m;
    for (std::size_t d = 0; d < 3; ++d) {
        const AxisWindow& window = windows[d];
        const std::size_t u = first_across(d), v = second_across(d);
        // A column has its line in the middle, half a pixel from the window's border.
        if (box.high[u] < window.u0 || box.low[u] > window.u1 + 1 || box.high[v] < window.v0 ||
            box.low[v] > window.v1 + 1)
            continue;
        m.met |= 1u << d;
        if (culled[o]) {
            const bool high = window.from_high[o];
            if (high ? box.high[d] < window.low : box.low[d] > window.high) continue;
            // What is dropped must lie on the side that is not counted from.
            if (out && (n[d] == 0 || high == ((n[d] > 0) == (o == 0)))) continue;
        }
        m.needed |= 1u << d;
    }
    return m;
}

void DepthPlan::keep_outline(const ClusterBounds& bounds, std::size_t o) {
    const PartPoser pose(maps[o], slab.direction, bounds, bounds.outline_level());
    for (std::size_t g = 0; g < pose.size(); ++g) {
        const PartExtent part = extent_of(pose(g));
        const Matters m = matters(o, part);
        const auto number = static_cast<std::uint32_t>(g);
        if (m.needed) kept[o].push_back({number, m.needed, part});
        if (m.met & ~m.needed) dropped_[o].push_back({number, m.met & ~m.needed, part});
    }
}

/// Replaces what is kept by its parts, which are of this level: blocks by groups, groups by clusters.
void DepthPlan::open(const ClusterBounds& bounds, std::size_t level, std::size_t o) {
    kept_groups_[o].swap(kept[o]);
    kept[o].clear();
    const PartPoser pose(maps[o], slab.direction, bounds, level);
    for (const KeptCluster& group : kept_groups_[o]) {
        // What was dropped from an image since still tells of depths there.
        const std::uint32_t images = group.images(), gone = group.before & ~images;
        if (gone) dropped_[o].push_back({group.cluster, gone, group.extent});
        if (!images) continue;
        const std::size_t begin = group.cluster * ClusterBounds::group;
        const std::size_t end = std::min(pose.size(), begin + ClusterBounds::group);
        PLUSH_ASSERT(begin < end);
        for (std::size_t c = begin; c < end; ++c) {
            const PartExtent part = extent_of(pose(c));
            const std::uint32_t seen = images & images_with_lines(part.box);
            if (!seen) continue;
            const Matters m = matters(o, part);
            const std::uint32_t met = m.met & seen, needed = m.needed & seen;
            const auto number = static_cast<std::uint32_t>(c);
            if (needed) kept[o].push_back({number, needed, part});
            if (met & ~needed) dropped_[o].push_back({number, met & ~needed, part});
        }
    }
}

/// Columns that meet kept clusters of both; what lies beside them goes, which may shrink the rest again.
void DepthPlan::shrink(std::size_t d) {
    const std::size_t objects = kept[1].empty() && groups_[1].empty() ? 1 : 2;
    AxisWindow& w = windows[d];
    const std::size_t u = first_across(d), v = second_across(d);
    for (int turn = 0; turn < 2; ++turn)
        for (std::size_t o = 0; o < objects; ++o) {
            Box3 all;
            for (KeptCluster& k : kept[o]) {
                if (!k.in[d]) continue;
                const Box3& box = k.extent.box;
                if (box.high[u] < w.u0 || box.low[u] > w.u1 + 1 || box.high[v] < w.v0 ||
                    box.low[v] > w.v1 + 1)
                    k.in[d] = false;
                else
                    all.add(box);
            }
            const auto pixel = [](double x, double most) {
                return static_cast<std::int32_t>(std::floor(std::clamp(x, -1.0, most)));
            };
            if (all.empty()) {
                w.u1 = w.u0 - 1;
                continue;
            }
            constexpr double beyond = max_pixels_across;
            w.u0 = std::max(w.u0, pixel(all.low[u] - cull_margin, beyond));
            w.v0 = std::max(w.v0, pixel(all.low[v] - cull_margin, beyond));
            w.u1 = std::min(w.u1, pixel(all.high[u] + cull_margin, beyond));
            w.v1 = std::min(w.v1, pixel(all.high[v] + cull_margin, beyond));
        }
}

DepthPlan::Footprint DepthPlan::footprint(std::size_t axis, const PartExtent& part) const {
    const AxisWindow& w = windows[axis];
    PLUSH_ASSERT(!w.empty());
    const Box3& box = part.box;
    const std::size_t u = first_across(axis), v = second_across(axis);
    const auto column = [](double x, std::int32_t from, std::int32_t to) {
        return std::clamp(static_cast<std::int32_t>(std::clamp(x, -1e6, 1e6)), from, to);
    };
    const auto snapped = [](double x) {
        return static_cast<std::int32_t>(std::clamp(x, -1e6, 1e6) * snap_one);
    };
    return {column(box.low[u] - cull_margin, w.u0, w.u1),
            column(box.high[u] + cull_margin, w.u0, w.u1),
            column(box.low[v] - cull_margin, w.v0, w.v1),
            column(box.high[v] + cull_margin, w.v0, w.v1),
            snapped(box.low[axis] - cull_margin),
            snapped(box.high[axis] + cull_margin),
            snapped(part.low - cull_margin),
            snapped(part.high + cull_margin)};
}

/// The depths of both objects in each tile, dropped parts included, and from them what each object must reach
/// to meet the other.
void DepthPlan::tile(std::size_t d) {
    const AxisWindow& w = windows[d];
    if (!culled[0] || !culled[1] || groups_[1].empty() || w.empty()) return;
    const std::size_t u = first_across(d), v = second_across(d), across = tiles_across(d);
    auto& extents = tile_extents_[d];
    extents.assign(across * ((w.height() >> tile_bits) + 1), {});
    const auto each_tile = [&](const Box3& box, const auto& visit) {
        const auto first = [&](double x, std::int32_t from) {
            return (std::max(static_cast<std::int32_t>(x - cull_margin), from) - from) >> tile_bits;
        };
        const auto last = [&](double x, std::int32_t from, std::int32_t to) {
            return (std::min(static_cast<std::int32_t>(std::min(x + cull_margin, 1e6)), to) - from) >>
                   tile_bits;
        };
        const std::int32_t i0 = first(box.low[u], w.u0), i1 = last(box.high[u], w.u0, w.u1);
        const std::int32_t j0 = first(box.low[v], w.v0), j1 = last(box.high[v], w.v0, w.v1);
        for (std::int32_t j = j0; j <= j1; ++j)
            for (std::int32_t i = i0; i <= i1; ++i)
                visit(extents[static_cast<std::size_t>(j) * across + static_cast<std::size_t>(i)]);
    };
    for (std::size_t o = 0; o < 2; ++o)
        for (const auto* list : {&kept[o], &dropped_[o]})
            for (const KeptCluster& k : *list) {
                if (!k.in[d]) continue;
                // Places along the slab may be farther from zero than depths: floats are rounded down first.
                const auto least = [](double x) {
                    return static_cast<float>(x - cull_margin - 1e-7 * std::abs(x));
                };
                TileExtents part;
                part.least[2 * o] = least(k.extent.box.low[d]);
                part.least[2 * o + 1] = least(-k.extent.box.high[d]);
                part.least[4 + 2 * o] = least(k.extent.low);
                part.least[4 + 2 * o + 1] = least(-k.extent.high);
                each_tile(k.extent.box, [&](TileExtents& extent) { extent.add(part); });
            }
    tiles[d].resize(extents.size());
    constexpr auto highest = std::numeric_limits<std::int32_t>::max();
    constexpr auto lowest = std::numeric_limits<std::int32_t>::min();
    const auto snapped = [](float x) {
        const float s = x * snap_one;
        return s >= 1e9f ? highest : s <= -1e9f ? lowest : static_cast<std::int32_t>(s);
    };
    for (std::size_t t = 0; t < extents.size(); ++t) {
        const TileExtents& h = extents[t];
        TileLimits& limits = tiles[d][t];
        const bool met = h.met(0) && (!w.by_slab || h.met(1));
        limits.met = met;
        for (std::size_t o = 0; o < 2; ++o)
            limits.depth[o] = w.from_high[o] ? (met ? snapped(h.low(0, 1 - o)) : highest)
                                             : (met ? snapped(h.high(0, 1 - o)) : lowest);
        limits.along =
            w.by_slab ? std::array{snapped(h.low(1, 1)), snapped(h.high(1, 0))} : std::array{lowest, highest};
    }
    for (std::size_t o = 0; o < 2; ++o)
        for (KeptCluster& k : kept[o])
            if (k.in[d] && !reaches(o, d, footprint(d, k.extent))) k.in[d] = false;
}

}  // namespace plush
