#include "detect/depth_raster.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/assert.hpp"
#include "detect/depth_fill.hpp"

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

/// From a vertex to the four, by columns.
struct LaneMap {
    Double4 x, y, z, shift;

    LaneMap(const ImageMap& map, const Vec3& n) {
        const Vec3 s = transpose_times(map.linear, n);
        for (std::size_t d = 0; d < 3; ++d) {
            x[d] = map.linear(d, 0), y[d] = map.linear(d, 1), z[d] = map.linear(d, 2),
            shift[d] = map.shift[d];
        }
        x[3] = s.x, y[3] = s.y, z[3] = s.z, shift[3] = dot(n, map.shift);
    }
    Double4 operator()(const Vec3& p) const { return x * p.x + y * p.y + z * p.z + shift; }
};

void pose(const LaneMap& map, const SurfaceView& view, std::size_t cluster, PosedCluster& out) {
    view.each_vertex(cluster, [&](std::size_t i, const Vec3& x) {
        const Double4 p = map(x);
        out.exact[i] = p;
        out.snapped[i] = rounded(p * double{snap_one});
        PLUSH_ASSERT(std::abs(p[0]) <= 2 * farthest_pixel && std::abs(p[1]) <= 2 * farthest_pixel &&
                     std::abs(p[2]) <= 2 * farthest_pixel);
    });
}

/// The vertices of a cluster are scattered in memory: they are asked for while the one before is worked on.
void fetch_ahead(const SurfaceView& view, std::size_t index) {
    if (view.embedding || view.in_order(index)) return;
    const SurfaceClusters::Cluster& cluster = view.surface->clusters()[index];
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

    /// Writes those that are left, and how many: all are written, the wanted ones stay, so that there is no
    /// branch to guess.
    std::size_t sift(const PosedCluster& posed, std::span<const SurfaceClusters::Corners> triangles,
                     std::uint32_t kept_axes,
                     std::array<Sifted, SurfaceClusters::most_triangles + 1>& out) const {
        std::size_t count = 0;
        for (std::size_t t = 0; t < triangles.size(); ++t) {
            const SurfaceClusters::Corners k = triangles[t];
            const Int4 a = posed.snapped[k[0]], b = posed.snapped[k[1]], c = posed.snapped[k[2]];
            const Int4 low = lesser(lesser(a, b), c), high = greater(greater(a, b), c);
            const Int4 first = (low + (snap_half - 1)) >> snap_bits, last = (high - snap_half) >> snap_bits;
            const unsigned open = bits_of(first <= last) & 7;
            const unsigned beyond = bits_of((high < up) | (low > down));
            const std::uint32_t axes =
                images_of_open[open] & kept_axes & ~(beyond | (beyond & 8 ? sided : 0));
            out[count] = {low, high, first, last, k, axes, static_cast<std::uint32_t>(t)};
            count += axes ? 1 : 0;
        }
        return count;
    }
};

/// Large triangles are few: no need to be clever.
constexpr std::int32_t most_narrow_pixels = 22;

}  // namespace

void find_crossings(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                    std::span<const KeptCluster> clusters, std::array<FragmentList, 3>& lists,
                    const std::array<ColumnLimits, 3>* limits) {
    const SurfaceClusters& surface = *view.surface;
    PosedCluster posed;
    const LaneMap map(plan.maps[object], plan.slab.direction);
    std::array<DepthRule, 3> rules{};
    for (std::size_t d = 0; d < 3; ++d)
        rules[d] = {plan.windows[d], plan.frame.quanta, plan.culled[object] && !plan.gated(), object,
                    limits ? (*limits)[d].columns.data() : nullptr};
    std::array<TriangleFiller, 3> fillers{TriangleFiller(plan.windows[0], rules[0], object, lists[0]),
                                          TriangleFiller(plan.windows[1], rules[1], object, lists[1]),
                                          TriangleFiller(plan.windows[2], rules[2], object, lists[2])};
    const TriangleFilter filter(plan, object);
    std::array<Sifted, SurfaceClusters::most_triangles + 1> sifted;
    const auto reaches = [&](std::size_t d, const DepthPlan::Footprint& part) {
        if (limits)
            return plan.reaches(object, d, part, [&](std::size_t t) { return (*limits)[d].tiles[t]; });
        return plan.tiles[d].empty() || plan.reaches(object, d, part);
    };
    // What the first object's crossings leave over of a cluster of the second.
    const auto axes_of = [&](const KeptCluster& k) {
        std::uint32_t axes = k.images();
        for (std::size_t d = 0; limits && d < 3; ++d)
            if (axes & 1u << d && ((*limits)[d].columns.empty() || !reaches(d, plan.footprint(d, k.box))))
                axes &= ~(1u << d);
        return axes;
    };
    std::uint32_t next_axes = 0;
    std::size_t next = 0;
    const auto find_next = [&] {
        for (next_axes = 0; next < clusters.size() && !next_axes; ++next) next_axes = axes_of(clusters[next]);
        return next_axes != 0;
    };
    const auto draw = [&](const Sifted& t, std::uint32_t first_triangle) {
        for (std::uint32_t axes = t.axes; axes; axes &= axes - 1) {
            const auto d = static_cast<std::size_t>(std::countr_zero(axes));
            const std::size_t u = first_across(d), v = second_across(d);
            const AxisWindow& w = plan.windows[d];
            Target target;
            target.u0 = std::max(t.first[u], w.u0), target.u1 = std::min(t.last[u], w.u1);
            target.v0 = std::max(t.first[v], w.v0), target.v1 = std::min(t.last[v], w.v1);
            if (target.u0 > target.u1 || target.v0 > target.v1) continue;
            // A small triangle lies in a tile or two; where there is a gate most tiles are not met.
            const std::int32_t few = plan.gated() ? 32 : 2;
            if (target.u1 - target.u0 < few << plan.tile_bits &&
                target.v1 - target.v0 < few << plan.tile_bits &&
                !reaches(d, {target.u0, target.u1, target.v0, target.v1, t.low[d], t.high[d]}))
                continue;
            for (std::size_t i = 0; i < 3; ++i) {
                target.p[i] = {posed.snapped[t.corners[i]][u], posed.snapped[t.corners[i]][v]};
                target.z[i] = posed.exact[t.corners[i]][d];
            }
            target.object = object, target.triangle = first_triangle + t.number;
            // The lines lie within the triangle's own box, so its extent bounds all differences.
            const bool narrow = t.high[u] - t.low[u] < most_narrow_pixels * snap_one &&
                                t.high[v] - t.low[v] < most_narrow_pixels * snap_one;
            fillers[d].draw(target, narrow);
        }
    };
    for (bool more = find_next(); more;) {
        const KeptCluster& kept = clusters[next - 1];
        const std::uint32_t kept_axes = next_axes;
        const SurfaceClusters::Cluster& cluster = surface.clusters()[kept.cluster];
        pose(map, view, kept.cluster, posed);
        more = find_next();
        if (more) fetch_ahead(view, clusters[next - 1].cluster);
        const std::size_t count = filter.sift(
            posed, surface.corners().subspan(cluster.first_triangle, cluster.triangles), kept_axes, sifted);
        for (std::size_t i = 0; i < count; ++i) draw(sifted[i], cluster.first_triangle);
    }
    for (TriangleFiller& filler : fillers) filler.finish();
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
