#include "detect/depth_raster.hpp"

#include <algorithm>
#include <limits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "core/assert.hpp"

namespace plush {
namespace {

// Four at once: the three coordinates of a vertex and its place along the slab. Vectors that g++ and clang
// both know; every lane is a number of its own, so the bits do not depend on the machine.
using Int4 [[gnu::vector_size(16)]] = std::int32_t;
using Double4 [[gnu::vector_size(32)]] = double;

/// To the nearest whole number, halves to the even one.
std::int32_t rounded(double x) {
#ifdef __SSE2__
    return _mm_cvtsd_si32(_mm_set_sd(x));
#else
    return static_cast<std::int32_t>(std::nearbyint(x));
#endif
}

std::int32_t snap(double pixels) {
    PLUSH_ASSERT(std::abs(pixels) <= 2 * farthest_pixel);
    return rounded(pixels * snap_one);
}

Int4 lesser(Int4 a, Int4 b) {
    const Int4 m = a < b;
    return (a & m) | (b & ~m);
}
Int4 greater(Int4 a, Int4 b) {
    const Int4 m = a > b;
    return (a & m) | (b & ~m);
}
/// A bit for every lane that is true.
unsigned bits_of(Int4 mask) {
#ifdef __SSE2__
    return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#else
    return (mask[0] ? 1u : 0u) | (mask[1] ? 2u : 0u) | (mask[2] ? 4u : 0u) | (mask[3] ? 8u : 0u);
#endif
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

void pose(const LaneMap& map, const SurfaceView& view, const SurfaceClusters::Cluster& cluster,
          PosedCluster& out) {
    const auto ids = view.surface->vertices().subspan(cluster.first_vertex, cluster.vertices);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const Double4 p = map(view.vertex(ids[i]));
        out.exact[i] = p;
        const Double4 s = p * double{snap_one};
        out.snapped[i] = Int4{rounded(s[0]), rounded(s[1]), rounded(s[2]), rounded(s[3])};
        PLUSH_ASSERT(std::abs(p[0]) <= 2 * farthest_pixel && std::abs(p[1]) <= 2 * farthest_pixel &&
                     std::abs(p[2]) <= 2 * farthest_pixel);
    }
}

/// The vertices of a cluster are scattered in memory: they are asked for while the one before is worked on.
void fetch_ahead(const SurfaceView& view, const SurfaceClusters::Cluster& cluster) {
    if (view.embedding) return;
    for (const std::uint32_t v : view.surface->vertices().subspan(cluster.first_vertex, cluster.vertices))
        __builtin_prefetch(&view.positions[v]);
}

/// The images that a triangle can matter to, when lines of these coordinates lie within its box: the image
/// along an axis needs lines of both others.
constexpr std::array<std::uint32_t, 8> images_of_open{0, 0, 0, 4, 0, 2, 1, 7};

/// Large triangles are few: no need to be clever.
constexpr std::int32_t most_narrow_pixels = 22;

}  // namespace

void find_crossings(const DepthPlan& plan, const SurfaceView& view, std::uint32_t object,
                    std::span<const KeptCluster> clusters, std::array<FragmentList, 3>& lists,
                    const std::array<std::vector<std::uint32_t>, 3>* marks) {
    const SurfaceClusters& surface = *view.surface;
    PosedCluster posed;
    const LaneMap map(plan.maps[object], plan.slab.direction);
    std::array<DepthRule, 3> rules{};
    // Dropped where high < reach_up or low > reach_down: depths of interest, snapped and widened.
    Int4 reach_up, reach_down;
    std::uint32_t sided = 0;
    const auto far = [](double x) {
        return rounded(std::clamp(x, -2 * farthest_pixel, 2 * farthest_pixel) * snap_one);
    };
    const bool culled = plan.culled[object];
    for (std::size_t d = 0; d < 3; ++d) {
        const AxisWindow& w = plan.windows[d];
        rules[d] = {plan.frame.quanta, w.low, w.high, culled, w.from_high[object]};
        constexpr std::int32_t widen = snap_one / 128;
        reach_up[d] =
            culled && w.from_high[object] ? far(w.low) - widen : std::numeric_limits<std::int32_t>::min();
        reach_down[d] =
            culled && !w.from_high[object] ? far(w.high) + widen : std::numeric_limits<std::int32_t>::max();
        const double n = plan.slab.direction[d];
        if (n == 0 || w.from_high[object] == ((n > 0) == (object == 0))) sided |= 1u << d;
    }
    if (!culled) sided = 0;
    reach_up[3] = object == 0 ? far(plan.slab.low) - 1 : std::numeric_limits<std::int32_t>::min();
    reach_down[3] = object == 0 ? std::numeric_limits<std::int32_t>::max() : far(plan.slab.high) + 1;
    for (std::size_t c = 0; c < clusters.size(); ++c) {
        const KeptCluster& kept = clusters[c];
        if (!kept.axes) continue;
        const SurfaceClusters::Cluster& cluster = surface.clusters()[kept.cluster];
        pose(map, view, cluster, posed);
        for (std::size_t next = c + 1; next < clusters.size(); ++next)
            if (clusters[next].axes) {
                fetch_ahead(view, surface.clusters()[clusters[next].cluster]);
                break;
            }
        for (std::uint32_t t = cluster.first_triangle; t < cluster.first_triangle + cluster.triangles; ++t) {
            const SurfaceClusters::Corners k = surface.corners()[t];
            const Int4 a = posed.snapped[k[0]], b = posed.snapped[k[1]], e = posed.snapped[k[2]];
            const Int4 low = lesser(lesser(a, b), e), high = greater(greater(a, b), e);
            // The first and last line within its box. Most small triangles lie between the lines of all
            // images, or on the far side of what counts: gone in one test.
            const Int4 first = (low + (snap_half - 1)) >> snap_bits, last = (high - snap_half) >> snap_bits;
            const unsigned open = bits_of(first <= last) & 7;
            const unsigned beyond = bits_of((high < reach_up) | (low > reach_down));
            std::uint32_t axes = images_of_open[open] & kept.axes & ~beyond;
            if (beyond & 8) axes &= ~sided;
            if (!axes) continue;
            for (std::size_t d = 0; d < 3; ++d) {
                if (!(axes & 1u << d)) continue;
                const std::size_t u = first_across(d), v = second_across(d);
                const AxisWindow& w = plan.windows[d];
                Target target;
                target.u0 = std::max(first[u], w.u0), target.u1 = std::min(last[u], w.u1);
                if (target.u0 > target.u1) continue;
                target.v0 = std::max(first[v], w.v0), target.v1 = std::min(last[v], w.v1);
                if (target.v0 > target.v1) continue;
                // A small triangle lies in a tile or two.
                if (!plan.tiles[d].empty() && target.u1 - target.u0 < 2 << plan.tile_bits &&
                    target.v1 - target.v0 < 2 << plan.tile_bits &&
                    !plan.reaches(object, d, target.u0, target.u1, target.v0, target.v1, low[d], high[d]))
                    continue;
                for (std::size_t i = 0; i < 3; ++i) {
                    target.p[i] = {posed.snapped[k[i]][u], posed.snapped[k[i]][v]};
                    target.z[i] = posed.exact[k[i]][d];
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
