#include "detect/depth_raster.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace plush {
namespace {

std::int32_t snap(double pixels) {
    PLUSH_ASSERT(std::abs(pixels) <= 2 * farthest_pixel);
    return static_cast<std::int32_t>(std::floor(pixels * snap_one + 0.5));
}

/// The first and last column whose middle is in [low, high], snapped coordinates.
std::int32_t first_column(std::int32_t low) {
    return (low + snap_half - 1) >> snap_bits;
}
std::int32_t last_column(std::int32_t high) {
    return (high - snap_half) >> snap_bits;
}

struct Point2 {
    std::int32_t u, v;
};

/// One edge function on a grid of columns: its value at the first, and its steps along both.
template <class Int>
struct Edge {
    Int value, along_u, along_v, tie;

    Edge(const Point2& a, const Point2& b, std::int32_t u, std::int32_t v) {
        const Int du = Int{b.u} - a.u, dv = Int{b.v} - a.v;
        const Int pu = Int{u} * snap_one + snap_half - a.u, pv = Int{v} * snap_one + snap_half - a.v;
        value = du * pv - dv * pu;
        along_u = -dv * snap_one;
        along_v = du * snap_one;
        // On the edge the line is inside where ε or, if the edge is level, ε² moves it in.
        tie = (dv < 0 || (dv == 0 && du > 0)) ? 0 : 1;
    }
};

/// A triangle that may have crossings in an image.
struct Target {
    std::array<Point2, 3> p;
    std::array<double, 3> z;
    std::int32_t u0, v0, u1, v1;
    std::uint32_t object, triangle;
};

/// What the image does with depths.
struct DepthRule {
    double quanta, low, high;  ///< of interest
    bool culled, from_high;
};

/// Whether the crossing counts, and at which depth: beyond the range of interest it is dropped on the side
/// that nothing is counted from, and put just outside on the other.
bool quantised(const DepthRule& rule, double z, std::int32_t& depth) {
    if (z < rule.low) {
        if (rule.culled && rule.from_high) return false;
        depth = static_cast<std::int32_t>(std::floor(rule.low * rule.quanta)) - 1;
    } else if (z > rule.high) {
        if (rule.culled && !rule.from_high) return false;
        depth = static_cast<std::int32_t>(std::ceil(rule.high * rule.quanta)) + 1;
    } else {
        depth = static_cast<std::int32_t>(std::floor(z * rule.quanta + 0.5));
    }
    return true;
}

template <class Int>
void fill(const Target& t, const AxisWindow& window, const DepthRule& rule, const std::uint32_t* marks,
          FragmentList& list) {
    // Counter-clockwise, whichever way it faces.
    const Int area = (Int{t.p[1].u} - t.p[0].u) * (Int{t.p[2].v} - t.p[0].v) -
                     (Int{t.p[1].v} - t.p[0].v) * (Int{t.p[2].u} - t.p[0].u);
    if (area == 0) return;
    const bool in = area < 0;
    const std::size_t second = in ? 2 : 1, third = in ? 1 : 2;
    const Point2 &a = t.p[0], &b = t.p[second], &c = t.p[third];
    const double za = t.z[0], zb = t.z[second], zc = t.z[third];
    Edge<Int> ea(b, c, t.u0, t.v0), eb(c, a, t.u0, t.v0), ec(a, b, t.u0, t.v0);
    const double share = 1.0 / static_cast<double>(in ? -area : area);
    const auto width = static_cast<std::uint32_t>(window.width());
    const auto columns =
        static_cast<std::size_t>(t.u1 - t.u0 + 1) * static_cast<std::size_t>(t.v1 - t.v0 + 1);
    Fragment* out = list.room(columns);
    Fragment* const begin = out;
    std::uint32_t row =
        static_cast<std::uint32_t>(t.v0 - window.v0) * width + static_cast<std::uint32_t>(t.u0 - window.u0);
    for (std::int32_t v = t.v0; v <= t.v1; ++v, row += width) {
        Int va = ea.value, vb = eb.value, vc = ec.value;
        std::uint32_t column = row;
        for (std::int32_t u = t.u0; u <= t.u1; ++u, ++column) {
            if (((va - ea.tie) | (vb - eb.tie) | (vc - ec.tie)) >= 0 && (!marks || marks[column])) {
                const double z = (static_cast<double>(va) * za + static_cast<double>(vb) * zb +
                                  static_cast<double>(vc) * zc) *
                                 share;
                std::int32_t depth;
                if (quantised(rule, z, depth)) {
                    *out++ = {crossing_key(depth, in, t.object, t.triangle), column};
                }
            }
            va += ea.along_u, vb += eb.along_u, vc += ec.along_u;
        }
        ea.value += ea.along_v, eb.value += eb.along_v, ec.value += ec.along_v;
    }
    list.advance(static_cast<std::size_t>(out - begin));
}

/// The vertices of a cluster in image coordinates, once each.
struct PosedCluster {
    std::array<std::array<std::int32_t, 192>, 3> snapped;
    std::array<std::array<double, 192>, 3> exact;
    std::array<double, 192> along;  ///< the slab
};

void pose(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
          const SurfaceClusters::Cluster& cluster, PosedCluster& out) {
    const auto ids = view.surface->vertices().subspan(cluster.first_vertex, cluster.vertices);
    const ImageMap& map = plan.maps[object];
    const Vec3 n = plan.slab.direction;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Vec3 p = map(view.vertex(ids[i]));
        for (std::size_t d = 0; d < 3; ++d) out.exact[d][i] = p[d], out.snapped[d][i] = snap(p[d]);
        out.along[i] = dot(n, p);
    }
}

/// Large triangles are few: no need to be clever.
constexpr std::int32_t most_narrow_pixels = 22;

}  // namespace

void find_crossings(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                    std::span<const KeptCluster> clusters, std::array<FragmentList, 3>& lists,
                    const std::array<std::vector<std::uint32_t>, 3>* marks) {
    const SurfaceClusters& surface = *view.surface;
    PosedCluster posed;
    std::array<DepthRule, 3> rules{};
    std::array<std::array<std::int32_t, 2>, 3> depths{};  // of interest, snapped and widened
    std::array<bool, 3> sided{};
    for (std::size_t d = 0; d < 3; ++d) {
        const AxisWindow& w = plan.windows[d];
        rules[d] = {plan.frame.quanta, w.low, w.high, plan.culled[object], w.from_high[object]};
        constexpr std::int32_t widen = snap_one / 128;
        const auto far = [](double x) { return std::clamp(x, -farthest_pixel, farthest_pixel); };
        depths[d] = {snap(far(w.low)) - widen, snap(far(w.high)) + widen};
        const double n = plan.slab.direction[d];
        sided[d] = n == 0 || w.from_high[object] == ((n > 0) == (object == 0));
    }
    const bool culled = plan.culled[object];
    for (const KeptCluster& kept : clusters) {
        if (!kept.axes) continue;
        const SurfaceClusters::Cluster& cluster = surface.clusters()[kept.cluster];
        pose(plan, view, object, cluster, posed);
        for (std::uint32_t t = cluster.first_triangle; t < cluster.first_triangle + cluster.triangles; ++t) {
            const SurfaceClusters::Corners k = surface.corners()[t];
            std::array<std::int32_t, 3> low, high, first, last;
            for (std::size_t d = 0; d < 3; ++d) {
                const std::int32_t a = posed.snapped[d][k[0]], b = posed.snapped[d][k[1]],
                                   c = posed.snapped[d][k[2]];
                low[d] = std::min(std::min(a, b), c), high[d] = std::max(std::max(a, b), c);
                first[d] = first_column(low[d]), last[d] = last_column(high[d]);
            }
            // Most small triangles lie between the lines of all images: gone in one test.
            const unsigned open = (first[0] <= last[0] ? 1u : 0u) | (first[1] <= last[1] ? 2u : 0u) |
                                  (first[2] <= last[2] ? 4u : 0u);
            if ((open & (open - 1)) == 0) continue;
            const double s0 = posed.along[k[0]], s1 = posed.along[k[1]], s2 = posed.along[k[2]];
            const bool out = object == 0 ? std::max(std::max(s0, s1), s2) < plan.slab.low
                                         : std::min(std::min(s0, s1), s2) > plan.slab.high;
            for (std::size_t d = 0; d < 3; ++d) {
                if (!(kept.axes & 1u << d)) continue;
                const std::size_t u = first_across(d), v = second_across(d);
                const AxisWindow& w = plan.windows[d];
                Target target;
                target.u0 = std::max(first[u], w.u0), target.u1 = std::min(last[u], w.u1);
                if (target.u0 > target.u1) continue;
                target.v0 = std::max(first[v], w.v0), target.v1 = std::min(last[v], w.v1);
                if (target.v0 > target.v1) continue;
                if (culled) {
                    if (w.from_high[object] ? high[d] < depths[d][0] : low[d] > depths[d][1]) continue;
                    if (out && sided[d]) continue;
                }
                for (std::size_t i = 0; i < 3; ++i) {
                    target.p[i] = {posed.snapped[u][k[i]], posed.snapped[v][k[i]]};
                    target.z[i] = posed.exact[d][k[i]];
                }
                target.object = object, target.triangle = t;
                const std::uint32_t* mark = marks ? (*marks)[d].data() : nullptr;
                // The lines lie within the triangle's own box, so its extent bounds all differences.
                const bool narrow = high[u] - low[u] < most_narrow_pixels * snap_one &&
                                    high[v] - low[v] < most_narrow_pixels * snap_one;
                if (narrow)
                    fill<std::int32_t>(target, w, rules[d], mark, lists[d]);
                else
                    fill<std::int64_t>(target, w, rules[d], mark, lists[d]);
            }
        }
    }
}

Vec3 crossing_weights(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                      std::uint32_t triangle, std::size_t axis, std::int32_t u, std::int32_t v) {
    const std::array<std::uint32_t, 3> ids = view.surface->triangle_vertices(triangle);
    std::array<Point2, 3> p;
    for (std::size_t i = 0; i < 3; ++i) {
        const Vec3 image = plan.maps[object](view.vertex(ids[i]));
        p[i] = {snap(image[first_across(axis)]), snap(image[second_across(axis)])};
    }
    using Wide = Edge<std::int64_t>;
    const double a = static_cast<double>(Wide(p[1], p[2], u, v).value);
    const double b = static_cast<double>(Wide(p[2], p[0], u, v).value);
    const double c = static_cast<double>(Wide(p[0], p[1], u, v).value);
    const double sum = a + b + c;
    return {a / sum, b / sum, c / sum};
}

}  // namespace plush
