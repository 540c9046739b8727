#include "detect/depth_raster.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "core/assert.hpp"

// Vectors go in and out of functions of this file alone: no other file can disagree about the way.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace plush {
namespace {

// Four at once: the three coordinates of a vertex and its place along the slab. Vectors that g++ and clang
// both know; every lane is a number of its own, so the bits do not depend on the machine.
using Int4 [[gnu::vector_size(16)]] = std::int32_t;
using Int8 [[gnu::vector_size(32)]] = std::int32_t;
using Long4 [[gnu::vector_size(32)]] = std::int64_t;
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
Int4 rounded(Double4 x) {
#ifdef __AVX__
    return reinterpret_cast<Int4>(_mm256_cvtpd_epi32(reinterpret_cast<__m256d>(x)));
#else
    return Int4{rounded(x[0]), rounded(x[1]), rounded(x[2]), rounded(x[3])};
#endif
}
Double4 to_double(Int4 x) {
    return __builtin_convertvector(x, Double4);
}
Int4 first_four(Int8 x) {
    return __builtin_shufflevector(x, x, 0, 1, 2, 3);
}
Int4 last_four(Int8 x) {
    return __builtin_shufflevector(x, x, 4, 5, 6, 7);
}
/// A bit for every lane that is true.
unsigned bits_of(Int4 mask) {
#ifdef __SSE2__
    return static_cast<unsigned>(_mm_movemask_ps(reinterpret_cast<__m128>(mask)));
#else
    return (mask[0] ? 1u : 0u) | (mask[1] ? 2u : 0u) | (mask[2] ? 4u : 0u) | (mask[3] ? 8u : 0u);
#endif
}

unsigned bits_of(Int8 mask) {
#ifdef __AVX__
    return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
#else
    return bits_of(first_four(mask)) | bits_of(last_four(mask)) << 4;
#endif
}
unsigned bits_of(Long4 mask) {
#ifdef __AVX__
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<__m256d>(mask)));
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
    double quanta, low, high;       ///< of interest
    double below, above;            ///< in quanta: where crossings beyond it are put
    bool drops_below, drops_above;  ///< or left out, on the side that nothing is counted from
    bool from_high;                 ///< for the limits of columns
    const std::int32_t* limits;     ///< of columns, or none
    Double4 quantas, lows, highs, belows, aboves;

    DepthRule() = default;
    DepthRule(const AxisWindow& w, double q, bool culled, std::uint32_t object, const std::int32_t* columns)
        : quanta(q),
          low(w.low),
          high(w.high),
          below(std::floor(w.low * q) - 1),
          above(std::ceil(w.high * q) + 1),
          drops_below(culled && w.from_high[object]),
          drops_above(culled && !w.from_high[object]),
          from_high(w.from_high[object]),
          limits(columns) {
        const Double4 none{};
        quantas = none + quanta, lows = none + low, highs = none + high, belows = none + below,
        aboves = none + above;
    }

    /// Whether the crossing counts, and at which depth.
    bool quantised(double z, std::uint32_t column, std::int32_t& depth) const {
        if (z < low ? drops_below : z > high && drops_above) return false;
        depth = z < low    ? static_cast<std::int32_t>(below)
                : z > high ? static_cast<std::int32_t>(above)
                           : rounded(z * quanta);
        return !limits || (from_high ? depth >= limits[column] : depth <= limits[column]);
    }
};

/// A triangle turned counter-clockwise, whichever way it faces.
struct Turned {
    Point2 a, b, c;
    double za, zb, zc;
    bool in;

    Turned(const Target& t, bool goes_in)
        : a(t.p[0]),
          b(t.p[goes_in ? 2 : 1]),
          c(t.p[goes_in ? 1 : 2]),
          za(t.z[0]),
          zb(t.z[goes_in ? 2 : 1]),
          zc(t.z[goes_in ? 1 : 2]),
          in(goes_in) {}
};

template <class Int>
Int doubled_area(const Target& t) {
    return (Int{t.p[1].u} - t.p[0].u) * (Int{t.p[2].v} - t.p[0].v) -
           (Int{t.p[1].v} - t.p[0].v) * (Int{t.p[2].u} - t.p[0].u);
}

std::uint32_t first_column(const Target& t, const AxisWindow& window, std::uint32_t width) {
    return static_cast<std::uint32_t>(t.v0 - window.v0) * width +
           static_cast<std::uint32_t>(t.u0 - window.u0);
}

/// Column by column: for triangles that are very large, or have one.
template <class Int>
void fill(const Target& t, const AxisWindow& window, const DepthRule& rule, FragmentList& list) {
    const Int area = doubled_area<Int>(t);
    if (area == 0) return;
    const Turned s(t, area < 0);
    Edge<Int> ea(s.b, s.c, t.u0, t.v0), eb(s.c, s.a, t.u0, t.v0), ec(s.a, s.b, t.u0, t.v0);
    const double share = 1.0 / static_cast<double>(s.in ? -area : area);
    const auto width = static_cast<std::uint32_t>(window.width());
    const auto columns =
        static_cast<std::size_t>(t.u1 - t.u0 + 1) * static_cast<std::size_t>(t.v1 - t.v0 + 1);
    Fragment* out = list.room(columns);
    Fragment* const begin = out;
    std::uint32_t row = first_column(t, window, width);
    for (std::int32_t v = t.v0; v <= t.v1; ++v, row += width) {
        Int va = ea.value, vb = eb.value, vc = ec.value;
        std::uint32_t column = row;
        for (std::int32_t u = t.u0; u <= t.u1; ++u, ++column) {
            if (((va - ea.tie) | (vb - eb.tie) | (vc - ec.tie)) >= 0) {
                const double z = (static_cast<double>(va) * s.za + static_cast<double>(vb) * s.zb +
                                  static_cast<double>(vc) * s.zc) *
                                 share;
                std::int32_t depth;
                if (rule.quantised(z, column, depth))
                    *out++ = {crossing_key(depth, s.in, t.object, t.triangle), column};
            }
            va += ea.along_u, vb += eb.along_u, vc += ec.along_u;
        }
        ea.value += ea.along_v, eb.value += eb.along_v, ec.value += ec.along_v;
    }
    list.advance(static_cast<std::size_t>(out - begin));
}

/// The lanes whose bits are set.
constexpr std::array<std::array<std::uint8_t, 4>, 16> lanes_set = [] {
    std::array<std::array<std::uint8_t, 4>, 16> all{};
    for (unsigned bits = 0; bits < 16; ++bits)
        for (std::uint8_t lane = 0, n = 0; lane < 4; ++lane)
            if (bits >> lane & 1) all[bits][n++] = lane;
    return all;
}();

/// The same, four columns of two rows at a time, with the same numbers in every lane. A triangle has at most
/// 22 pixels across and the lanes reach 3 beyond: an edge function stays below 2 · 22 · 25 · 2²⁰ < 2³¹.
[[gnu::noinline]] void fill_by_eights(const Target& t, const AxisWindow& window, const DepthRule& rule,
                                      FragmentList& list) {
    const std::int32_t area = doubled_area<std::int32_t>(t);
    if (area == 0) return;
    const Turned s(t, area < 0);
    const Edge<std::int32_t> ea(s.b, s.c, t.u0, t.v0), eb(s.c, s.a, t.u0, t.v0), ec(s.a, s.b, t.u0, t.v0);
    const double share = 1.0 / static_cast<double>(s.in ? -area : area);
    constexpr Int8 lane_u{0, 1, 2, 3, 0, 1, 2, 3}, lane_v{0, 0, 0, 0, 1, 1, 1, 1};
    const auto first = [&](const Edge<std::int32_t>& e) {
        return e.value - e.tie + e.along_u * lane_u + e.along_v * lane_v;
    };
    Int8 row_a = first(ea), row_b = first(eb), row_c = first(ec);
    const auto width = static_cast<std::uint32_t>(window.width());
    constexpr std::size_t written_beyond = 4;
    Fragment* out =
        list.room(static_cast<std::size_t>(t.u1 - t.u0 + 1) * static_cast<std::size_t>(t.v1 - t.v0 + 1) +
                  written_beyond);
    Fragment* const begin = out;
    const Double4 none{};
    const Double4 za = none + s.za, zb = none + s.zb, zc = none + s.zc, shares = none + share;
    const Int4 tie_a = Int4{} + ea.tie, tie_b = Int4{} + eb.tie, tie_c = Int4{} + ec.tie;
    const auto row_of_four = [&](unsigned bits, std::uint32_t at, Int4 va, Int4 vb, Int4 vc) {
        const Double4 z =
            (to_double(va + tie_a) * za + to_double(vb + tie_b) * zb + to_double(vc + tie_c) * zc) * shares;
        const Long4 low = z<rule.lows, high = z> rule.highs;
        const Int4 depth = rounded(low ? rule.belows : (high ? rule.aboves : z * rule.quantas));
        if (rule.drops_below) bits &= ~bits_of(low);
        if (rule.drops_above) bits &= ~bits_of(high);
        if (rule.limits) {
            Int4 limit;
            std::memcpy(&limit, rule.limits + at, sizeof limit);
            bits &= bits_of(rule.from_high ? depth >= limit : depth <= limit);
        }
        std::array<std::int32_t, 4> depths;
        std::memcpy(&depths, &depth, sizeof depth);
        // All four are written, the wanted ones first: no branch to guess.
        for (std::size_t i = 0; i < 4; ++i) {
            const std::uint32_t lane = lanes_set[bits][i];
            out[i] = {crossing_key(depths[lane], s.in, t.object, t.triangle), at + lane};
        }
        out += std::popcount(bits);
    };
    std::uint32_t row = first_column(t, window, width);
    for (std::int32_t v = t.v0; v <= t.v1; v += 2, row += 2 * width) {
        Int8 va = row_a, vb = row_b, vc = row_c;
        const unsigned rows = v < t.v1 ? 0xff : 0x0f;
        std::uint32_t column = row;
        for (std::int32_t u = t.u0; u <= t.u1; u += 4, column += 4) {
            const unsigned across = u + 3 <= t.u1 ? 0xff : 0x11 * ((1u << (t.u1 - u + 1)) - 1);
            const unsigned inside = bits_of((va | vb | vc) >= 0) & rows & across;
            if (inside & 0x0f)
                row_of_four(inside & 0x0f, column, first_four(va), first_four(vb), first_four(vc));
            if (inside & 0xf0)
                row_of_four(inside >> 4, column + width, last_four(va), last_four(vb), last_four(vc));
            va += 4 * ea.along_u, vb += 4 * eb.along_u, vc += 4 * ec.along_u;
        }
        row_a += 2 * ea.along_v, row_b += 2 * eb.along_v, row_c += 2 * ec.along_v;
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
        out.snapped[i] = rounded(p * double{snap_one});
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
        const bool culled = plan.culled[object];
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
        rules[d] = {plan.windows[d], plan.frame.quanta, plan.culled[object], object,
                    limits ? (*limits)[d].columns.data() : nullptr};
    const TriangleFilter filter(plan, object);
    std::array<Sifted, SurfaceClusters::most_triangles + 1> sifted;
    const auto reaches = [&](std::size_t d, const DepthPlan::Footprint& part) {
        if (limits)
            return plan.reaches(object, d, part, [&](std::size_t t) { return (*limits)[d].tiles[t]; });
        return plan.tiles[d].empty() || plan.reaches(object, d, part);
    };
    // What the first object's crossings leave over of a cluster of the second.
    const auto axes_of = [&](const KeptCluster& k) {
        std::uint32_t axes = k.axes;
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
            // A small triangle lies in a tile or two.
            if (target.u1 - target.u0 < 2 << plan.tile_bits && target.v1 - target.v0 < 2 << plan.tile_bits &&
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
            const bool one = target.u0 == target.u1 && target.v0 == target.v1;
            if (!narrow)
                fill<std::int64_t>(target, w, rules[d], lists[d]);
            else if (one)
                fill<std::int32_t>(target, w, rules[d], lists[d]);
            else
                fill_by_eights(target, w, rules[d], lists[d]);
        }
    };
    for (bool more = find_next(); more;) {
        const KeptCluster& kept = clusters[next - 1];
        const std::uint32_t kept_axes = next_axes;
        const SurfaceClusters::Cluster& cluster = surface.clusters()[kept.cluster];
        pose(map, view, cluster, posed);
        more = find_next();
        if (more) fetch_ahead(view, surface.clusters()[clusters[next - 1].cluster]);
        const std::size_t count = filter.sift(
            posed, surface.corners().subspan(cluster.first_triangle, cluster.triangles), kept_axes, sifted);
        for (std::size_t i = 0; i < count; ++i) draw(sifted[i], cluster.first_triangle);
    }
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
