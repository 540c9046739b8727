#include "detect/depth_images/depth_fill.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "core/assert.hpp"

namespace plush {
namespace {

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
    const FragmentList::Room out = list.room(columns);
    std::size_t count = 0;
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
                if (rule.quantised(z, column, depth)) {
                    out.keys[count] = crossing_key(depth, s.in, t.object, t.triangle);
                    out.columns[count++] = column_place(u, v);
                }
            }
            va += ea.along_u, vb += eb.along_u, vc += ec.along_u;
        }
        ea.value += ea.along_v, eb.value += eb.along_v, ec.value += ec.along_v;
    }
    list.advance(count);
}

/// The lanes whose bits are set, those first.
constexpr std::array<std::array<std::int32_t, 4>, 16> lanes_set = [] {
    std::array<std::array<std::int32_t, 4>, 16> all{};
    for (unsigned bits = 0; bits < 16; ++bits) {
        std::size_t n = 0;
        for (std::int32_t lane = 0; lane < 4; ++lane)
            if (bits >> lane & 1) all[bits][n++] = lane;
    }
    return all;
}();

#ifdef __AVX2__
/// The same as halves of lanes of 64 bits.
constexpr std::array<std::array<std::int32_t, 8>, 16> halves_set = [] {
    std::array<std::array<std::int32_t, 8>, 16> all{};
    for (std::size_t bits = 0; bits < 16; ++bits)
        for (std::size_t i = 0; i < 4; ++i)
            all[bits][2 * i] = 2 * lanes_set[bits][i], all[bits][2 * i + 1] = 2 * lanes_set[bits][i] + 1;
    return all;
}();
#endif

/// A key without its depth.
std::int32_t lower_half(bool in, std::uint32_t object, std::uint32_t triangle) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(
        crossing_key(std::numeric_limits<std::int32_t>::min(), in, object, triangle)));
}

constexpr Int4 four_lanes{0, 1, 2, 3};

/// Writes four crossings, those whose bits are set first: no branch to guess. `rest` is a key's lower half.
inline void write_four(unsigned bits, Int4 depth, Int4 rest, Int4 places, CrossingKey* keys,
                       ColumnPlace* columns) {
    PLUSH_ASSERT(bits < lanes_set.size());
    const Int4 ordered = depth ^ std::numeric_limits<std::int32_t>::min();
#ifdef __AVX2__
    __m256i halves;
    __m128i lanes;
    std::memcpy(&halves, halves_set[bits].data(), sizeof halves);
    std::memcpy(&lanes, lanes_set[bits].data(), sizeof lanes);
    const auto low = reinterpret_cast<__m128i>(rest), high = reinterpret_cast<__m128i>(ordered);
    const __m256i all = _mm256_set_m128i(_mm_unpackhi_epi32(low, high), _mm_unpacklo_epi32(low, high));
    const __m256i first_keys = _mm256_permutevar8x32_epi32(all, halves);
    const __m128 first_places = _mm_permutevar_ps(reinterpret_cast<__m128>(places), lanes);
    std::memcpy(keys, &first_keys, sizeof first_keys);
    std::memcpy(columns, &first_places, sizeof first_places);
#else
    for (std::size_t i = 0; i < 4; ++i) {
        const int lane = lanes_set[bits][i];
        keys[i] = CrossingKey{static_cast<std::uint32_t>(ordered[lane])} << 32 |
                  static_cast<std::uint32_t>(rest[lane]);
        columns[i] = static_cast<ColumnPlace>(places[lane]);
    }
#endif
}

/// Depths of four crossings in quanta; takes away the bits of those that do not count by their depth alone.
inline Int4 quantised(const DepthRule& rule, Double4 z, unsigned& bits) {
    const Long4 low = z<rule.lows, high = z> rule.highs;
    if (rule.drops_below) bits &= ~bits_of(low);
    if (rule.drops_above) bits &= ~bits_of(high);
    return rounded(low ? rule.belows : (high ? rule.aboves : z * rule.quantas));
}

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
    const FragmentList::Room out =
        list.room(static_cast<std::size_t>(t.u1 - t.u0 + 1) * static_cast<std::size_t>(t.v1 - t.v0 + 1) +
                  written_beyond);
    std::size_t count = 0;
    const Int4 rest = Int4{} + lower_half(s.in, t.object, t.triangle);
    const Double4 none{};
    const Double4 za = none + s.za, zb = none + s.zb, zc = none + s.zc, shares = none + share;
    const Int4 tie_a = Int4{} + ea.tie, tie_b = Int4{} + eb.tie, tie_c = Int4{} + ec.tie;
    const auto row_of_four = [&](unsigned bits, std::uint32_t at, ColumnPlace first_place, Int4 va, Int4 vb,
                                 Int4 vc) {
        const Double4 z =
            (to_double(va + tie_a) * za + to_double(vb + tie_b) * zb + to_double(vc + tie_c) * zc) * shares;
        const Int4 depth = quantised(rule, z, bits);
        if (rule.limits) {
            Int4 limit;
            std::memcpy(&limit, rule.limits + at, sizeof limit);
            bits &= bits_of(rule.from_high ? depth >= limit : depth <= limit);
        }
        write_four(bits, depth, rest, four_lanes + static_cast<std::int32_t>(first_place), out.keys + count,
                   out.columns + count);
        count += static_cast<std::size_t>(std::popcount(bits));
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
                row_of_four(inside & 0x0f, column, column_place(u, v), first_four(va), first_four(vb),
                            first_four(vc));
            if (inside & 0xf0)
                row_of_four(inside >> 4, column + width, column_place(u, v + 1), last_four(va), last_four(vb),
                            last_four(vc));
            va += 4 * ea.along_u, vb += 4 * eb.along_u, vc += 4 * ec.along_u;
        }
        row_a += 2 * ea.along_v, row_b += 2 * eb.along_v, row_c += 2 * ec.along_v;
    }
    list.advance(count);
}

using Row8 = std::array<std::int32_t, TriangleBatch::lanes>;
Int8 eight(const Row8& row) {
    Int8 x;
    std::memcpy(&x, row.data(), sizeof x);
    return x;
}
/// Lanes 0 to 3, or 4 to 7.
Double4 four(const std::array<double, TriangleBatch::lanes>& row, std::size_t half) {
    Double4 x;
    std::memcpy(&x, row.data() + 4 * half, sizeof x);
    return x;
}
Int4 half_of(Int8 x, std::size_t half) {
    return half == 0 ? first_four(x) : last_four(x);
}

/// An edge function of eight triangles, each at its own first column: see Edge.
struct Edge8 {
    Int8 value, along_u, along_v, tie;  ///< the tie is taken off the value already

    Edge8(Int8 au, Int8 av, Int8 bu, Int8 bv, Int8 pu, Int8 pv) {
        const Int8 du = bu - au, dv = bv - av;
        const Int8 in = (dv < 0) | ((dv == 0) & (du > 0));  // −1 where a line on the edge is inside
        tie = in + 1;
        value = du * (pv - av) - dv * (pu - au) - tie;
        along_u = -dv * snap_one;
        along_v = du * snap_one;
    }
};

}  // namespace

void TriangleBatch::add(const Target& t) {
    PLUSH_ASSERT(count_ < lanes);
    const std::size_t l = count_++;
    for (std::size_t k = 0; k < 3; ++k) {
        corners_[2 * k][l] = t.p[k].u, corners_[2 * k + 1][l] = t.p[k].v;
        depths_[k][l] = t.z[k];
    }
    u_[l] = t.u0, v_[l] = t.v0, across_[l] = t.u1 - t.u0, up_[l] = t.v1 - t.v0;
    triangle_[l] = static_cast<std::int32_t>(t.triangle);
}

/// What does not change from column to column.
struct TriangleBatch::Lanes {
    std::array<Double4, 2> za, zb, zc, shares;  ///< of the halves
    Int8 rest, columns, places;                 ///< lower halves of keys; first columns, both ways

    Lanes(const TriangleBatch& b, Int8 area, Int8 in, const AxisWindow& window, std::uint32_t object) {
        for (std::size_t h = 0; h < 2; ++h) {
            const Long4 turned = widened(half_of(in, h));
            const Double4 second = four(b.depths_[1], h), third = four(b.depths_[2], h);
            za[h] = four(b.depths_[0], h);
            zb[h] = turned ? third : second, zc[h] = turned ? second : third;
            const Int4 doubled = half_of(area, h);
            shares[h] = 1.0 / to_double(doubled < 0 ? -doubled : doubled);
        }
        const Int8 going_in = Int8{} + lower_half(true, object, 0),
                   out = Int8{} + lower_half(false, object, 0);
        rest = (in ? going_in : out) | eight(b.triangle_);
        const auto width = static_cast<std::int32_t>(window.width());
        columns = (eight(b.v_) - window.v0) * width + (eight(b.u_) - window.u0);
        places = (eight(b.v_) << 16) + eight(b.u_);
    }
};

void TriangleBatch::fill(const AxisWindow& window, const DepthRule& rule, std::uint32_t object,
                         FragmentList& list) {
    if (count_ == 0) return;
    for (std::size_t l = count_; l < lanes; ++l) across_[l] = up_[l] = -1;  // no columns
    const Int8 au = eight(corners_[0]), av = eight(corners_[1]);
    const Int8 u1 = eight(corners_[2]), v1 = eight(corners_[3]);
    const Int8 u2 = eight(corners_[4]), v2 = eight(corners_[5]);
    const Int8 area = (u1 - au) * (v2 - av) - (v1 - av) * (u2 - au);
    const Int8 in = area < 0;
    const Int8 bu = in ? u2 : u1, bv = in ? v2 : v1, cu = in ? u1 : u2, cv = in ? v1 : v2;
    const Int8 pu = eight(u_) * snap_one + snap_half, pv = eight(v_) * snap_one + snap_half;
    const Edge8 ea(bu, bv, cu, cv, pu, pv), eb(cu, cv, au, av, pu, pv), ec(au, av, bu, bv, pu, pv);
    const Lanes same(*this, area, in, window, object);
    const Int8 across = (area != 0) ? eight(across_) : Int8{} - 1, up = eight(up_);
    const std::int32_t max_u = *std::max_element(across_.begin(), across_.end());
    const std::int32_t max_v = *std::max_element(up_.begin(), up_.end());
    const auto width = static_cast<std::int32_t>(window.width());
    constexpr std::size_t written_beyond = 4;
    const FragmentList::Room out = list.room(
        lanes * static_cast<std::size_t>(max_u + 1) * static_cast<std::size_t>(max_v + 1) + written_beyond);
    std::size_t count = 0;
    const auto column_of_four = [&](std::size_t h, unsigned bits, std::int32_t i, std::int32_t j, Int8 va,
                                    Int8 vb, Int8 vc) {
        const auto weight = [&](Int8 value, const Edge8& e) { return to_double(half_of(value + e.tie, h)); };
        const Double4 z =
            (weight(va, ea) * same.za[h] + weight(vb, eb) * same.zb[h] + weight(vc, ec) * same.zc[h]) *
            same.shares[h];
        const Int4 depth = quantised(rule, z, bits);
        if (rule.limits) {
            const Int4 at = half_of(same.columns, h) + (j * width + i);
            Int4 limit{};
            for (int l = 0; l < 4; ++l)
                if (bits >> l & 1) limit[l] = rule.limits[at[l]];
            bits &= bits_of(rule.from_high ? depth >= limit : depth <= limit);
        }
        write_four(bits, depth, half_of(same.rest, h), half_of(same.places, h) + (j * 65536 + i),
                   out.keys + count, out.columns + count);
        count += static_cast<std::size_t>(std::popcount(bits));
    };
    Int8 row_a = ea.value, row_b = eb.value, row_c = ec.value;
    for (std::int32_t j = 0; j <= max_v; ++j) {
        const Int8 in_row = up >= j;
        Int8 va = row_a, vb = row_b, vc = row_c;
        for (std::int32_t i = 0; i <= max_u; ++i) {
            const unsigned inside = bits_of(((va | vb | vc) >= 0) & in_row & (across >= i));
            if (inside & 0x0f) column_of_four(0, inside & 0x0f, i, j, va, vb, vc);
            if (inside & 0xf0) column_of_four(1, inside >> 4, i, j, va, vb, vc);
            va += ea.along_u, vb += eb.along_u, vc += ec.along_u;
        }
        row_a += ea.along_v, row_b += eb.along_v, row_c += ec.along_v;
    }
    list.advance(count);
    count_ = 0;
}

void TriangleFiller::draw(const Target& t, bool narrow) {
    PLUSH_ASSERT(window_.u0 <= t.u0 && t.u0 <= t.u1 && t.u1 <= window_.u1);
    PLUSH_ASSERT(window_.v0 <= t.v0 && t.v0 <= t.v1 && t.v1 <= window_.v1);
    PLUSH_ASSERT(t.object == object_ && t.triangle < max_triangles_of_image);
    if (!narrow) {
        plush::fill<std::int64_t>(t, window_, rule_, list_);
        return;
    }
    PLUSH_ASSERT(t.u1 - t.u0 <= 22 && t.v1 - t.v0 <= 22);        // 32 bits hold its edge functions
    constexpr std::array<std::int32_t, 3> max_columns{1, 3, 6};  // along a side of the box
    const std::int32_t side = std::max(t.u1 - t.u0, t.v1 - t.v0) + 1;
    for (std::size_t b = 0; b < batches_.size(); ++b)
        if (side <= max_columns[b]) {
            batches_[b].add(t);
            if (batches_[b].full()) batches_[b].fill(window_, rule_, object_, list_);
            return;
        }
    fill_by_eights(t, window_, rule_, list_);
}

void TriangleFiller::finish() {
    for (TriangleBatch& batch : batches_) batch.fill(window_, rule_, object_, list_);
}

}  // namespace plush
