#include <algorithm>
#include <bit>

#include "core/assert.hpp"
#include "detect/penetration/penetration.hpp"

#ifdef __AVX__
#include <immintrin.h>
#endif

// Stage 1, fast, with the answers of the reference.
//
// The points lie in the order of the cells, as floats from the cells' corner, so that a row of cells
// is one stretch of memory. Some tets together gather those around them; then each point asks eight tets at a
// time whether it is on the inner side of their four planes, with a tolerance above the rounding of floats;
// the few that may be inside are asked again in doubles.

namespace plush {
namespace {

/// Tets that search points together, and how many points they may have to test.
constexpr std::uint32_t tets_per_group = 32;
constexpr std::size_t max_near = 512;

/// Floats from the cells' corner, in units that make the whole box at most 1, are off by 2⁻²⁴; a box widened
/// by four times that is wide enough.
constexpr float unsure = 0x1p-22f;

constexpr std::size_t lanes = 8;
using Floats [[gnu::vector_size(lanes * sizeof(float))]] = float;
using Ints [[gnu::vector_size(lanes * sizeof(float))]] = std::int32_t;

/// Into a variable: where registers are narrower, a vector cannot be returned.
template <class V, class T>
void load(V& to, const T* from) {
    __builtin_memcpy(&to, from, sizeof to);
}

/// A bit for each lane that is set.
unsigned bits(const Ints& mask) {
#ifdef __AVX__
    return static_cast<unsigned>(_mm256_movemask_ps(reinterpret_cast<const __m256&>(mask)));
#else
    unsigned result = 0;
    for (std::size_t i = 0; i < lanes; ++i) result |= mask[i] ? 1u << i : 0u;
    return result;
#endif
}

}  // namespace

void PenetrationSearch::find_points_in_packs(const Parallel& parallel) {
    const auto items = cells_.items();
    const std::size_t points = items.size();
    PLUSH_ASSERT(points == places_.size() && points == owner_.size());
    px_.resize(points + lanes), py_.resize(points + lanes), pz_.resize(points + lanes);
    sorted_owner_.resize(points + lanes);
    constexpr std::size_t points_per_task = 4096;
    parallel.each(points, points_per_task, [&](std::size_t i) {
        const auto& p = places_[items[i]];
        px_[i] = p[0], py_[i] = p[1], pz_[i] = p[2];
        sorted_owner_[i] = owner_[items[i]];
    });

    find_points(parallel, [&](std::size_t begin, std::size_t end, std::vector<Found>& found) {
        NearPoints near;
        near.place.resize(max_near + lanes);
        for (std::size_t i = begin; i < end; ++i) {
            const Piece& piece = tet_pieces_[i];
            for (std::uint32_t t = piece.begin; t < piece.end; t += tets_per_group)
                ask_tets(piece.object, t, std::min(t + tets_per_group, piece.end), near, found);
        }
    });
}

/// A box to be asked in floats, wider than their rounding.
struct PenetrationSearch::FloatBox {
    std::array<float, 3> low, high;

    unsigned inside(const float* x, const float* y, const float* z) const {
        Floats px, py, pz;
        load(px, x), load(py, y), load(pz, z);
        return bits((px >= low[0]) & (px <= high[0]) & (py >= low[1]) & (py <= high[1]) & (pz >= low[2]) &
                    (pz <= high[2]));
    }
};

/// Eight tets in floats, a lane each: their boxes, and the four planes n·p ≥ limit of each, normals inward.
/// From corner a: three planes through it and the opposite one.
///
/// Places within 1 are off by δ = 2⁻²⁴, edges by 3 δ. With the largest side S of the box, components of
/// normals are below 2 S² and off by 16 S δ, of the fourth below 6 S² and by 52 S δ; so n·p − limit of a
/// point in the box, and the volume, are off by less than 600 S² δ, rounding of products and sums included.
struct PenetrationSearch::TetPack {
    Floats low[3], high[3], n[4][3], limit[4];
    unsigned used;  ///< a bit for each tet

    /// Of some tets, at most eight; the last one fills what is left.
    void make(std::span<const Tet> tets, const std::array<float, 4>* places) {
        PLUSH_ASSERT(!tets.empty() && tets.size() <= lanes);
        used = (1u << tets.size()) - 1;
        Floats x[4][3];
        for (std::size_t c = 0; c < 4; ++c) transpose(tets, c, places, x[c]);
        Floats size{}, u[3], v[3], w[3], volume;
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = high[k] = x[0][k];
            for (std::size_t c = 1; c < 4; ++c) lower(low[k], x[c][k]), raise(high[k], x[c][k]);
            raise(size, high[k] - low[k]);
            low[k] -= unsure, high[k] += unsure;
            u[k] = x[1][k] - x[0][k], v[k] = x[2][k] - x[0][k], w[k] = x[3][k] - x[0][k];
        }
        cross(v, w, n[0]), cross(w, u, n[1]), cross(u, v, n[2]);
        dot(u, n[0], volume);
        const Floats one = Floats{} + 1.0f, sign = volume < 0 ? -one : one;
        volume *= sign;
        for (std::size_t k = 0; k < 3; ++k) {
            n[0][k] *= sign, n[1][k] *= sign, n[2][k] *= sign;
            n[3][k] = -(n[0][k] + n[1][k] + n[2][k]);
        }
        const Floats slack = 0x1p-14f * size * size, none = Floats{} - HUGE_VALF;
        // Of tets that may be flat the planes say nothing; nor do numbers out of range.
        const Ints thin = ~(volume > slack);
        for (std::size_t k = 0; k < 4; ++k) {
            dot(n[k], x[0], limit[k]);
            if (k == 3) limit[k] -= volume;
            limit[k] = thin ? none : limit[k] - slack;
        }
    }
    /// The tets that a point may be in.
    unsigned around(float px, float py, float pz) const {
        Ints out = n[0][0] * px + n[0][1] * py + n[0][2] * pz < limit[0];
        for (std::size_t k = 1; k < 4; ++k) out |= n[k][0] * px + n[k][1] * py + n[k][2] * pz < limit[k];
        return ~bits(out) & used;
    }
    FloatBox box(std::size_t j) const {
        return {{low[0][j], low[1][j], low[2][j]}, {high[0][j], high[1][j], high[2][j]}};
    }

    static void lower(Floats& to, const Floats& from) { to = from < to ? from : to; }
    static void raise(Floats& to, const Floats& from) { to = from > to ? from : to; }

private:
    static void dot(const Floats* p, const Floats* q, Floats& r) {
        r = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    }
    static void cross(const Floats* p, const Floats* q, Floats* r) {
        r[0] = p[1] * q[2] - p[2] * q[1], r[1] = p[2] * q[0] - p[0] * q[2], r[2] = p[0] * q[1] - p[1] * q[0];
    }
    /// Corner c of each.
    static void transpose(std::span<const Tet> tets, std::size_t c, const std::array<float, 4>* places,
                          Floats* x) {
        using Quad [[gnu::vector_size(16)]] = float;
        const auto row = [&](std::size_t j, Quad& to) {
            const int v = tets[std::min(j, tets.size() - 1)][c];
            load(to, places[static_cast<std::size_t>(v)].data());
        };
        Floats rows[4];  // tet j beside tet j + 4
        for (std::size_t j = 0; j < 4; ++j) {
            Quad first, second;
            row(j, first), row(j + 4, second);
            rows[j] = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
        }
        const Floats xy01 = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13);
        const Floats xy23 = __builtin_shufflevector(rows[2], rows[3], 0, 8, 1, 9, 4, 12, 5, 13);
        const Floats z01 = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15);
        const Floats z23 = __builtin_shufflevector(rows[2], rows[3], 2, 10, 3, 11, 6, 14, 7, 15);
        x[0] = __builtin_shufflevector(xy01, xy23, 0, 1, 8, 9, 4, 5, 12, 13);
        x[1] = __builtin_shufflevector(xy01, xy23, 2, 3, 10, 11, 6, 7, 14, 15);
        x[2] = __builtin_shufflevector(z01, z23, 0, 1, 8, 9, 4, 5, 12, 13);
    }
};

/// A point that floats cannot tell from one inside is asked in doubles once its tets' group is done: where it
/// is comes from far in memory, and is on its way until then.
void PenetrationSearch::ask_later(std::uint32_t t, std::uint32_t place, NearPoints& near) const {
    PLUSH_ASSERT(place < cells_.items().size());
    const std::uint32_t owner = sorted_owner_[place], v = cells_.items()[place] - base_[owner];
    __builtin_prefetch(&x(owner, v));
    near.doubtful.push_back({t, owner, v});
}

void PenetrationSearch::ask_exactly(std::uint32_t o, NearPoints& near, std::vector<Found>& found) const {
    for (const auto& [t, owner, v] : near.doubtful) {
        const Tet& tet = objects_[o].shape->tets()[t];
        if (owner == o && std::find(tet.begin(), tet.end(), static_cast<int>(v)) != tet.end()) continue;
        std::array<double, 4> weights{};
        if (point_in_tet(x(owner, v), x(o, tet[0]), x(o, tet[1]), x(o, tet[2]), x(o, tet[3]), weights))
            found.push_back({base_[owner] + v, o, t});
    }
    near.doubtful.clear();
}

/// The stretches of points around a box.
template <class Visit>
void PenetrationSearch::stretches(const FloatBox& box, Visit&& visit) const {
    const double back = 1 / scale_;
    const auto cell = [&](const std::array<float, 3>& p) {
        return cells_.cell_at({back * static_cast<double>(p[0]), back * static_cast<double>(p[1]),
                               back * static_cast<double>(p[2])});
    };
    cells_.stretches(cell(box.low), cell(box.high), visit);
}

/// Calls visit(first, lanes) for the points of a stretch that tets of o may hold: those of other objects,
/// unless it may collide with itself.
template <class Visit>
void PenetrationSearch::others(std::uint32_t o, std::uint32_t from, std::uint32_t to, Visit&& visit) const {
    PLUSH_ASSERT(from <= to && to + lanes <= sorted_owner_.size());
    const bool self = objects_[o].self;
    const Ints own = Ints{} + static_cast<std::int32_t>(o);
    constexpr Ints lane{0, 1, 2, 3, 4, 5, 6, 7};
    for (std::uint32_t i = from; i < to; i += lanes) {
        Ints mask = lane < static_cast<std::int32_t>(to - i), owners;
        load(owners, &sorted_owner_[i]);
        if (!self) mask &= owners != own;
        if (const unsigned left = bits(mask)) visit(i, left);
    }
}

/// The points around some tets of one object that may be in them. False where there are so many that each tet
/// had better look by itself.
bool PenetrationSearch::gather_near(std::uint32_t o, const FloatBox& box, NearPoints& near) const {
    std::size_t looked_at = 0, count = 0;
    stretches(box, [&](std::uint32_t from, std::uint32_t to) {
        looked_at += to - from;
        if (looked_at > max_near) return;
        others(o, from, to, [&](std::uint32_t i, unsigned left) {
            left &= box.inside(&px_[i], &py_[i], &pz_[i]);
            PLUSH_ASSERT(count + lanes <= near.place.size());
            for (; left != 0; left &= left - 1)
                near.place[count++] = i + static_cast<std::uint32_t>(std::countr_zero(left));
        });
    });
    near.count = count;
    return looked_at <= max_near;
}

/// The tets of a group lie near each other where a mesh is small or well ordered: they ask the same points.
void PenetrationSearch::ask_tets(std::uint32_t o, std::uint32_t begin, std::uint32_t end, NearPoints& near,
                                 std::vector<Found>& found) const {
    const auto tets = objects_[o].shape->tets();
    PLUSH_ASSERT(begin < end && end <= tets.size() && end - begin <= tets_per_group);
    std::array<TetPack, tets_per_group / lanes> packs;
    for (std::uint32_t t = begin; t < end; t += lanes)
        packs[(t - begin) / lanes].make(tets.subspan(t, std::min<std::size_t>(end - t, lanes)),
                                        &places_[base_[o]]);
    const std::size_t count = (end - begin + lanes - 1) / lanes;
    FloatBox all;
    for (std::size_t k = 0; k < 3; ++k) {
        Floats low = packs[0].low[k], high = packs[0].high[k];
        for (std::size_t i = 1; i < count; ++i)
            TetPack::lower(low, packs[i].low[k]), TetPack::raise(high, packs[i].high[k]);
        all.low[k] = low[0], all.high[k] = high[0];
        for (std::size_t j = 1; j < lanes; ++j)
            all.low[k] = std::min(all.low[k], low[j]), all.high[k] = std::max(all.high[k], high[j]);
    }
    if (!gather_near(o, all, near)) {
        for (std::uint32_t t = begin; t < end; ++t)
            ask_tet(o, t, packs[(t - begin) / lanes], (t - begin) % lanes, near);
    } else {
        for (std::size_t i = 0; i < near.count; ++i) {
            const std::uint32_t at = near.place[i];
            for (std::size_t k = 0; k < count; ++k)
                for (unsigned left = packs[k].around(px_[at], py_[at], pz_[at]); left != 0; left &= left - 1)
                    ask_later(begin + static_cast<std::uint32_t>(lanes * k) +
                                  static_cast<std::uint32_t>(std::countr_zero(left)),
                              at, near);
        }
    }
    ask_exactly(o, near, found);
}

/// A tet that looks into the cells by itself.
void PenetrationSearch::ask_tet(std::uint32_t o, std::uint32_t t, const TetPack& pack, std::uint32_t lane,
                                NearPoints& near) const {
    const FloatBox box = pack.box(lane);
    stretches(box, [&](std::uint32_t from, std::uint32_t to) {
        others(o, from, to, [&](std::uint32_t i, unsigned left) {
            for (left &= box.inside(&px_[i], &py_[i], &pz_[i]); left != 0; left &= left - 1) {
                const std::uint32_t at = i + static_cast<std::uint32_t>(std::countr_zero(left));
                if (pack.around(px_[at], py_[at], pz_[at]) >> lane & 1u) ask_later(t, at, near);
            }
        });
    });
}

}  // namespace plush
