#include "detect/depth_images/depth_raster.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/assert.hpp"
#include "core/tuning.hpp"
#include "detect/depth_images/depth_fill.hpp"
#include "detect/depth_images/part_poser.hpp"

namespace plush {
namespace {

std::int32_t snap(double pixels) {
    PLUSH_ASSERT(std::abs(pixels) <= 2 * farthest_pixel);
    return rounded(pixels * snap_one);
}

/// The vertices of a cluster, once each: image coordinates, and along the slab.
struct PosedCluster {
    std::array<Double4, 192> exact;
    std::array<Int4, 192> snapped;
};

inline void pose_vertex(const LaneMap& map, const Vec3& x, std::size_t i, PosedCluster& out) {
    PLUSH_ASSERT(i < out.exact.size());
    const Double4 p = map(x);
    out.exact[i] = p;
    out.snapped[i] = rounded(p * double{snap_one});
    PLUSH_ASSERT(std::abs(p[0]) <= 2 * farthest_pixel && std::abs(p[1]) <= 2 * farthest_pixel &&
                 std::abs(p[2]) <= 2 * farthest_pixel);
}

void pose(const LaneMap& map, const SurfaceView& view, std::size_t cluster, PosedCluster& out) {
    view.each_vertex(cluster, [&](std::size_t i, const Vec3& x) { pose_vertex(map, x, i, out); });
}

/// What is needed of a cluster is asked for while the one before is worked on. Its vertices are scattered in
/// memory, or stand in order; even then a fine surface is larger than what is near.
void fetch_ahead(const SurfaceView& view, std::size_t index) {
    const SurfaceClusters::Cluster& cluster = view.surface->clusters()[index];
    fetch(view.surface->corners().data() + cluster.first_triangle, cluster.triangles);
    if (view.in_order(index))
        fetch(view.bounds->points.data() + cluster.first_vertex, cluster.vertices);
    else if (!view.embedding)
        for (const std::uint32_t v : view.surface->vertices().subspan(cluster.first_vertex, cluster.vertices))
            __builtin_prefetch(&view.positions[v]);
}

/// The images that a triangle can matter to, when lines of these coordinates lie within its box: the image
/// along an axis needs lines of both others.
constexpr std::array<std::uint32_t, 8> images_of_open{0, 0, 0, 4, 0, 2, 1, 7};

/// A triangle that may have crossings, with its box and the first and last line within that.
struct Sifted {
    Int4 low, high, first, last;
    SurfaceClusters::Corners corners;
    std::uint32_t axes, number;
};

/// Most small triangles lie between the lines of all images, or on the far side of what counts.
struct TriangleFilter {
    /// Dropped where high < up or low > down: depths of interest, snapped and widened; and along the slab.
    Int4 up, down;
    std::uint32_t sided = 0;  ///< images in which the slab tells

    TriangleFilter(const DepthPlan& plan, std::uint32_t object) {
        constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
        constexpr std::int32_t highest = std::numeric_limits<std::int32_t>::max();
        const auto far = [](double x) {
            return rounded(std::clamp(x, -2 * farthest_pixel, 2 * farthest_pixel) * snap_one);
        };
        // With a gate sides are told tile by tile.
        const bool culled = plan.culled[object] && !plan.gated();
        for (std::size_t d = 0; d < 3; ++d) {
            const AxisWindow& w = plan.windows[d];
            constexpr std::int32_t widen = snap_one / 128;
            up[d] = culled && w.from_high[object] ? far(w.low) - widen : lowest;
            down[d] = culled && !w.from_high[object] ? far(w.high) + widen : highest;
            const double n = plan.slab.direction[d];
            if (culled && (n == 0 || w.from_high[object] == ((n > 0) == (object == 0)))) sided |= 1u << d;
        }
        up[3] = object == 0 ? far(plan.slab.low) - 1 : lowest;
        down[3] = object == 0 ? highest : far(plan.slab.high) + 1;
    }

    static Int4 first_line(Int4 low) { return (low + (snap_half - 1)) >> snap_bits; }
    static Int4 last_line(Int4 high) { return (high - snap_half) >> snap_bits; }
    /// The images that what lies in a box can matter to.
    std::uint32_t images(Int4 low, Int4 high, Int4 first, Int4 last) const {
        const unsigned open = bits_of(first <= last) & 7;
        const unsigned beyond = bits_of((high < up) | (low > down));
        return images_of_open[open] & ~(beyond | (beyond & 8 ? sided : 0));
    }
    /// A part of the surface, as if it were a triangle; widened.
    Sifted box(const PosedPart& part) const {
        const auto snapped = [](Double4 x) {
            constexpr double most = 2 * farthest_pixel;
            const Double4 none{}, low = none - most, high = none + most;
            return rounded((x < low ? low : x > high ? high : x) * double{snap_one});
        };
        constexpr auto margin = static_cast<std::int32_t>(cull_margin * snap_one);
        const Int4 low = snapped(part.low) - margin, high = snapped(part.high) + margin;
        const Int4 first = first_line(low), last = last_line(high);
        return {low, high, first, last, {}, images(low, high, first, last), 0};
    }
};

/// A cluster, and the images that it can matter to.
struct WantedCluster {
    std::uint32_t cluster, axes;
};
/// A cluster, and the triangles of it that a line of each image can meet, a bit each.
struct MetCluster {
    std::uint32_t cluster;
    std::array<std::uint64_t, 3> triangles;
};

/// The triangles of a cluster that are left. All are written and the wanted ones stay, so that there is no
/// branch to guess.
struct SiftedCluster {
    std::array<Sifted, SurfaceClusters::max_triangles + 1> list;
    std::size_t count = 0;

    void add(const TriangleFilter& filter, const PosedCluster& posed, const SurfaceClusters::Corners& k,
             std::uint32_t kept_axes, std::size_t t) {
        const Int4 a = posed.snapped[k[0]], b = posed.snapped[k[1]], c = posed.snapped[k[2]];
        const Int4 low = lesser(lesser(a, b), c), high = greater(greater(a, b), c);
        const Int4 first = TriangleFilter::first_line(low), last = TriangleFilter::last_line(high);
        const std::uint32_t axes = filter.images(low, high, first, last) & kept_axes;
        PLUSH_ASSERT(count < list.size());
        list[count] = {low, high, first, last, k, axes, static_cast<std::uint32_t>(t)};
        count += axes ? 1 : 0;
    }
};

/// Where the lines of an image pass through the box of a cluster.
class LineFinder {
public:
    LineFinder(const LaneMap& map, const OrientedBox& box) : centre_(map(box.centre)) {
        const Double4 a = map.turned(box.arms[0]), b = map.turned(box.arms[1]), c = map.turned(box.arms[2]),
                      none{};
        for (std::size_t d = 0; d < 3; ++d) sides_[d] = Double4{a[d], b[d], c[d], 0};
        const Double4 lengths = root(sides_[0] * sides_[0] + sides_[1] * sides_[1] + sides_[2] * sides_[2]);
        halves_ = lengths + margin;
        slices_ = lengths > 0 ? 1 / lengths : none;
        for (Double4& side : sides_) side *= slices_;
    }

    /// Looks along an axis.
    void turn(std::size_t axis) {
        u_ = first_across(axis), v_ = second_across(axis), axis_ = axis;
        // A side along which the line runs: it stays where it is.
        constexpr double least = 1e-9;
        const Double4 slope = sides_[axis], none{}, steep = slope < 0 ? none - least : none + least;
        inverse_ = 1 / (magnitude(slope) < least ? steep : slope);
    }
    /// Whether the line of a column meets the box: at which depths, and which triangles of it.
    bool meet(std::int32_t u, std::int32_t v, const ClusterCells& cells) {
        const Double4 start = sides_[u_] * (u + 0.5 - centre_[u_]) + sides_[v_] * (v + 0.5 - centre_[v_]);
        const Double4 a = (-halves_ - start) * inverse_, b = (halves_ - start) * inverse_;
        const Double4 from = a < b ? a : b, to = a < b ? b : a;
        const double first = std::max({from[0], from[1], from[2]}), last = std::min({to[0], to[1], to[2]});
        if (!(first <= last)) return false;
        low = centre_[axis_] + first, high = centre_[axis_] + last;
        const Double4 p = start + sides_[axis_] * first, q = start + sides_[axis_] * last;
        const Double4 least = ((p < q ? p : q) - margin) * slices_,
                      most = ((p < q ? q : p) + margin) * slices_;
        triangles = cells.within(0, ClusterCells::slice(least[0]), ClusterCells::slice(most[0])) &
                    cells.within(1, ClusterCells::slice(least[1]), ClusterCells::slice(most[1]));
        return true;
    }

    double low = 0, high = 0;
    std::uint64_t triangles = 0;

private:
    static constexpr double margin = 2 * cull_margin;
    Double4 centre_, halves_, slices_, inverse_{};
    std::array<Double4, 3> sides_;  ///< image axes; in the lanes the sides of the box, of unit length
    std::size_t u_ = 0, v_ = 0, axis_ = 0;
};

/// Whether a surface has cells, and its triangles are so small that lines miss most of them.
bool lines_tell(const SurfaceView& view, double pixel) {
    return !view.bounds->cells.empty() && view.surface->mean_edge() < tuning::line_edge * pixel;
}

/// Finds the crossings of one surface with the lines of all images: whole clusters are dropped first, then triangles, and
/// what is left is drawn.
class CrossingFinder {
public:
    CrossingFinder(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                   std::array<FragmentList, 3>& lists, const std::array<ColumnLimits, 3>* limits)
        : plan_(plan),
          view_(view),
          surface_(*view.surface),
          object_(object),
          limits_(limits),
          map_(plan.maps[object], plan.slab.direction),
          rules_{rule(0), rule(1), rule(2)},
          fillers_{TriangleFiller(plan.windows[0], rules_[0], object, lists[0]),
                   TriangleFiller(plan.windows[1], rules_[1], object, lists[1]),
                   TriangleFiller(plan.windows[2], rules_[2], object, lists[2])},
          filter_(plan, object) {
        for (std::size_t l = 0; l < plan.levels[object]; ++l)
            posers_.emplace_back(plan.maps[object], plan.slab.direction, *view.bounds, l);
    }
    CrossingFinder(const CrossingFinder&) = delete;  // the fillers point to the rules
    CrossingFinder& operator=(const CrossingFinder&) = delete;

    void run(std::span<const KeptCluster> clusters) {
        choose_clusters(clusters);
        if (lines_tell(view_, plan_.frame.pixel)) {
            find_all_lines();
            draw_clusters(met_, [&](const MetCluster& met) { sift_met(met); });
        } else {
            draw_clusters(wanted_, [&](const WantedCluster& wanted) { sift_all(wanted); });
        }
        for (TriangleFiller& filler : fillers_) filler.finish();
    }

private:
    /// Clusters that are asked for while one is worked on.
    static constexpr std::size_t prefetched = 4;
    /// Large triangles are few: no need to be clever.
    static constexpr std::int32_t max_narrow_pixels = 22;
    /// Lines of an image within a box, both ends included.
    struct Lines {
        std::int32_t u0, u1, v0, v1;
        bool empty() const { return u0 > u1 || v0 > v1; }
    };

    DepthRule rule(std::size_t d) const {
        return {plan_.windows[d], plan_.frame.quanta, plan_.culled[object_] && !plan_.gated(), object_,
                limits_ ? (*limits_)[d].columns.data() : nullptr};
    }
    Lines lines_of(std::size_t d, const Sifted& t) const {
        const AxisWindow& w = plan_.windows[d];
        const std::size_t u = first_across(d), v = second_across(d);
        return {std::max(t.first[u], w.u0), std::min(t.last[u], w.u1), std::max(t.first[v], w.v0),
                std::min(t.last[v], w.v1)};
    }
    static DepthPlan::Footprint footprint(std::size_t d, const Lines& l, const Sifted& t) {
        return {l.u0, l.u1, l.v0, l.v1, t.low[d], t.high[d], t.low[3], t.high[3]};
    }
    bool reaches(std::size_t d, const DepthPlan::Footprint& part) const {
        if (limits_)
            return plan_.reaches(object_, d, part, [&](std::size_t t) {
                PLUSH_ASSERT(t < (*limits_)[d].tiles.size());
                return (*limits_)[d].tiles[t];
            });
        return plan_.tiles[d].empty() || plan_.reaches(object_, d, part);
    }

    // -- whole clusters
    /// What the first object's crossings leave over of a cluster of the second.
    std::uint32_t axes_of(const KeptCluster& k) const {
        std::uint32_t axes = k.images();
        for (std::size_t d = 0; limits_ && d < 3; ++d)
            if (axes & 1u << d &&
                ((*limits_)[d].columns.empty() || !reaches(d, plan_.footprint(d, k.extent))))
                axes &= ~(1u << d);
        return axes;
    }
    /// Of what is larger than a cluster, the clusters that can matter, in order.
    void add_clusters(std::size_t level, std::uint32_t k, std::uint32_t axes) {
        if (level == 0) {
            wanted_.push_back({k, axes});
            return;
        }
        const PartPoser& pose_part = posers_[level - 1];
        const std::size_t begin = k * ClusterBounds::group;
        const std::size_t end = std::min(pose_part.size(), begin + ClusterBounds::group);
        PLUSH_ASSERT(begin < end);
        for (std::size_t part = begin; part < end; ++part) {
            Sifted box = filter_.box(pose_part(part));
            box.axes &= axes;
            for (std::uint32_t left = box.axes; left; left &= left - 1) {
                const auto d = static_cast<std::size_t>(std::countr_zero(left));
                const Lines lines = lines_of(d, box);
                if (lines.empty() || !reaches(d, footprint(d, lines, box))) box.axes &= ~(1u << d);
            }
            if (box.axes) add_clusters(level - 1, static_cast<std::uint32_t>(part), box.axes);
        }
    }
    void choose_clusters(std::span<const KeptCluster> clusters) {
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            if (i + 1 < clusters.size() && !posers_.empty())
                posers_.back().fetch(clusters[i + 1].cluster * ClusterBounds::group, ClusterBounds::group);
            if (const std::uint32_t axes = axes_of(clusters[i]))
                add_clusters(plan_.levels[object_], clusters[i].cluster, axes);
        }
    }

    // -- triangles
    void sift_all(const WantedCluster& wanted) {
        PLUSH_ASSERT(wanted.cluster < surface_.clusters().size());
        const SurfaceClusters::Cluster& cluster = surface_.clusters()[wanted.cluster];
        pose(map_, view_, wanted.cluster, posed_);
        const auto corners = surface_.corners().subspan(cluster.first_triangle, cluster.triangles);
        for (std::size_t t = 0; t < corners.size(); ++t)
            sifted_.add(filter_, posed_, corners[t], wanted.axes, t);
    }
    /// The triangles of a cluster that lines of the images can meet.
    void find_lines(const WantedCluster& wanted) {
        PLUSH_ASSERT(wanted.cluster < view_.bounds->cells.size());
        const OrientedBox& oriented = view_.bounds->oriented_boxes[0][wanted.cluster];
        const Double4 centre = map_(oriented.centre), reach = map_.reach(oriented);
        const Sifted box = filter_.box({centre - reach, centre + reach});
        LineFinder line(map_, oriented);
        MetCluster out{wanted.cluster, {}};
        for (std::uint32_t left = wanted.axes; left; left &= left - 1) {
            const auto d = static_cast<std::size_t>(std::countr_zero(left));
            const AxisWindow& w = plan_.windows[d];
            const Lines l = lines_of(d, box);
            if (l.empty()) continue;
            if (std::int64_t{l.u1 - l.u0 + 1} * (l.v1 - l.v0 + 1) > tuning::max_lines) {
                out.triangles[d] = ~std::uint64_t{0};
                continue;
            }
            line.turn(d);
            for (std::int32_t j = l.v0; j <= l.v1; ++j)
                for (std::int32_t i = l.u0; i <= l.u1; ++i)
                    if (line.meet(i, j, view_.bounds->cells[wanted.cluster]) &&
                        rules_[d].reaches(line.low, line.high, w.column(i, j)))
                        out.triangles[d] |= line.triangles;
        }
        if (out.triangles[0] | out.triangles[1] | out.triangles[2]) met_.push_back(out);
    }
    /// The lines of all clusters first: what they need is small and lies together.
    void find_all_lines() {
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            if (i + prefetched < wanted_.size()) {
                const std::size_t c = wanted_[i + prefetched].cluster;
                fetch(&view_.bounds->oriented_boxes[0][c], 1), fetch(&view_.bounds->cells[c], 1);
            }
            find_lines(wanted_[i]);
        }
    }
    void sift_met(const MetCluster& met) {
        const SurfaceClusters::Cluster& cluster = surface_.clusters()[met.cluster];
        PLUSH_ASSERT(view_.in_order(met.cluster));
        PLUSH_ASSERT(cluster.triangles > 0 && cluster.triangles <= SurfaceClusters::max_triangles);
        const Vec3* const points = view_.bounds->points.data() + cluster.first_vertex;
        const SurfaceClusters::Corners* const corners = surface_.corners().data() + cluster.first_triangle;
        const auto& found = met.triangles;
        const std::uint64_t all = ~std::uint64_t{0} >> (SurfaceClusters::max_triangles - cluster.triangles);
        for (std::uint64_t left = (found[0] | found[1] | found[2]) & all; left; left &= left - 1) {
            const auto t = static_cast<std::size_t>(std::countr_zero(left));
            for (const std::uint8_t k : corners[t]) pose_vertex(map_, points[k], k, posed_);
            std::uint32_t axes = 0;
            for (std::size_t d = 0; d < 3; ++d) axes |= static_cast<std::uint32_t>(found[d] >> t & 1) << d;
            sifted_.add(filter_, posed_, corners[t], axes, t);
        }
    }

    // -- drawing
    template <class Cluster, class Sift>
    void draw_clusters(const std::vector<Cluster>& clusters, const Sift& sift) {
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            if (i + prefetched < clusters.size()) fetch_ahead(view_, clusters[i + prefetched].cluster);
            sifted_.count = 0;
            sift(clusters[i]);
            const std::uint32_t first = surface_.clusters()[clusters[i].cluster].first_triangle;
            for (std::size_t t = 0; t < sifted_.count; ++t) draw(sifted_.list[t], first);
        }
    }
    void draw(const Sifted& t, std::uint32_t first_triangle) {
        for (std::uint32_t axes = t.axes; axes; axes &= axes - 1) {
            const auto d = static_cast<std::size_t>(std::countr_zero(axes));
            const std::size_t u = first_across(d), v = second_across(d);
            const Lines lines = lines_of(d, t);
            if (lines.empty()) continue;
            // A small triangle lies in a tile or two; where there is a gate most tiles are not met.
            const std::int32_t few = plan_.gated() ? 32 : 2;
            if (lines.u1 - lines.u0 < few << plan_.tile_bits &&
                lines.v1 - lines.v0 < few << plan_.tile_bits && !reaches(d, footprint(d, lines, t)))
                continue;
            Target target;
            target.u0 = lines.u0, target.u1 = lines.u1, target.v0 = lines.v0, target.v1 = lines.v1;
            for (std::size_t i = 0; i < 3; ++i) {
                target.p[i] = {posed_.snapped[t.corners[i]][u], posed_.snapped[t.corners[i]][v]};
                target.z[i] = posed_.exact[t.corners[i]][d];
            }
            target.object = object_, target.triangle = first_triangle + t.number;
            // The lines lie within the triangle's own box, so its extent bounds all differences.
            const bool narrow = t.high[u] - t.low[u] < max_narrow_pixels * snap_one &&
                                t.high[v] - t.low[v] < max_narrow_pixels * snap_one;
            fillers_[d].draw(target, narrow);
        }
    }

    const DepthPlan& plan_;
    const SurfaceView& view_;
    const SurfaceClusters& surface_;
    const std::uint32_t object_;
    const std::array<ColumnLimits, 3>* const limits_;
    const LaneMap map_;
    const std::array<DepthRule, 3> rules_;
    std::array<TriangleFiller, 3> fillers_;
    const TriangleFilter filter_;
    std::vector<PartPoser> posers_;
    std::vector<WantedCluster> wanted_;
    std::vector<MetCluster> met_;
    PosedCluster posed_;
    SiftedCluster sifted_;
};

}  // namespace

void find_crossings(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                    std::span<const KeptCluster> clusters, std::array<FragmentList, 3>& lists,
                    const std::array<ColumnLimits, 3>* limits) {
    CrossingFinder(plan, view, object, lists, limits).run(clusters);
}

LinearWeights linear_weights(const std::array<Vec3, 3>& corners, std::size_t axis, std::int32_t u0,
                             std::int32_t v0) {
    std::array<Point2, 3> p;
    for (std::size_t i = 0; i < 3; ++i)
        p[i] = {snap(corners[i][first_across(axis)]), snap(corners[i][second_across(axis)])};
    using Wide = Edge<std::int64_t>;
    const std::array<Wide, 3> edges{Wide(p[1], p[2], u0, v0), Wide(p[2], p[0], u0, v0),
                                    Wide(p[0], p[1], u0, v0)};
    // Twice the area: a sum of whole numbers, so it is the same from every column.
    const double share = 1 / static_cast<double>(edges[0].value + edges[1].value + edges[2].value);
    LinearWeights w;
    for (std::size_t k = 0; k < 3; ++k) {
        w.value[k] = static_cast<double>(edges[k].value) * share;
        w.along_u[k] = static_cast<double>(edges[k].along_u) * share;
        w.along_v[k] = static_cast<double>(edges[k].along_v) * share;
    }
    return w;
}

}  // namespace plush
