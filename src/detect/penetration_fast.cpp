#include <algorithm>
#include <bit>
#include <limits>

#include "detect/penetration.hpp"
#include "geometry/tet_topology.hpp"

#ifdef __AVX__
#include <immintrin.h>
#endif

// Stages 1 and 2, fast, with the answers of the reference.
//
// Stage 1: the points lie in the order of the cells, as floats from the cells' corner, so that a row of cells
// is one stretch of memory. Some tets together gather those around them; then each asks eight at a time
// whether they are in its box and on the inner side of its four planes, with a tolerance above the rounding
// of floats; the few that may be inside are asked again in doubles.
//
// Stage 2: stage 1 knows the tet that holds the point. From there the edge is followed through the tets: in
// each the plane that it meets first is the way out, and behind it is the next tet or the outside. That is
// the crossing nearest to the point inside. The paper wants the one nearest to the point outside; the two are
// the same where the surface is convex, which is looked at for each object. Where it is not, and within one
// object, the rest of the edge is asked for more crossings with a tree of the object's faces.

namespace plush {
namespace {

constexpr std::size_t pieces_per_task = 8, records_per_task = 256;
/// Tets that look for points together, and how many they may have to look at.
constexpr std::uint32_t tets_per_group = 32;
constexpr std::size_t most_near = 512;

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
    px_.resize(points + lanes), py_.resize(points + lanes), pz_.resize(points + lanes);
    sorted_owner_.resize(points + lanes);
    const Vec3 low = cells_.low();
    constexpr std::size_t points_per_task = 4096;
    extent_ = parallel.reduce(
        points, points_per_task, 0.0f,
        [&](std::size_t begin, std::size_t end) {
            float largest = 0;
            for (std::size_t i = begin; i < end; ++i) {
                const std::uint32_t owner = owner_[items[i]];
                const Vec3 p = x(owner, items[i] - base_[owner]) - low;
                px_[i] = static_cast<float>(p.x), py_[i] = static_cast<float>(p.y),
                pz_[i] = static_cast<float>(p.z);
                sorted_owner_[i] = owner;
                largest = std::max(largest, std::max(px_[i], std::max(py_[i], pz_[i])));
            }
            return largest;
        },
        [](float a, float b) { return std::max(a, b); });

    found_.resize((tet_pieces_.size() + pieces_per_task - 1) / pieces_per_task);
    parallel.chunks(tet_pieces_.size(), pieces_per_task, [&](std::size_t begin, std::size_t end) {
        std::vector<Found>& found = found_[begin / pieces_per_task];
        found.clear();
        NearPoints near;
        for (std::size_t i = begin; i < end; ++i) {
            const Piece& piece = tet_pieces_[i];
            for (std::uint32_t t = piece.begin; t < piece.end; t += tets_per_group)
                ask_tets(piece.object, t, std::min(t + tets_per_group, piece.end), near, found);
        }
    });
}

/// The four planes of a tet, to be asked in floats. From corner a: three planes through it and the opposite
/// one, normals inward.
struct PenetrationSearch::TetPlanes {
    Floats nx[4], ny[4], nz[4], limit[4], ax, ay, az;

    /// False for a tet without volume.
    bool make(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& corner, double unsure) {
        const Vec3 u = b - a, v = c - a, w = d - a, vw = cross(v, w);
        const double volume = dot(u, vw), sign = volume > 0 ? 1 : -1;
        if (volume == 0) return false;
        const Vec3 n0 = sign * vw, n1 = sign * cross(w, u), n2 = sign * cross(u, v);
        const Vec3 normals[4] = {n0, n1, n2, -(n0 + n1 + n2)};
        for (std::size_t k = 0; k < 4; ++k) {
            const Vec3& n = normals[k];
            const double l1 = std::abs(n.x) + std::abs(n.y) + std::abs(n.z);
            nx[k] = Floats{} + static_cast<float>(n.x), ny[k] = Floats{} + static_cast<float>(n.y),
            nz[k] = Floats{} + static_cast<float>(n.z);
            limit[k] = Floats{} + static_cast<float>((k == 3 ? -sign * volume : 0) - l1 * unsure);
        }
        const Vec3 from = a - corner;
        ax = Floats{} + static_cast<float>(from.x), ay = Floats{} + static_cast<float>(from.y),
        az = Floats{} + static_cast<float>(from.z);
        return true;
    }
    /// The lanes that may be inside.
    unsigned inside(const float* x, const float* y, const float* z) const {
        Floats dx, dy, dz;
        load(dx, x), load(dy, y), load(dz, z);
        dx -= ax, dy -= ay, dz -= az;
        Ints mask = nx[0] * dx + ny[0] * dy + nz[0] * dz >= limit[0];
        for (std::size_t k = 1; k < 4; ++k) mask &= nx[k] * dx + ny[k] * dy + nz[k] * dz >= limit[k];
        return bits(mask);
    }
};

/// A box to be asked in floats, wider than their rounding.
struct PenetrationSearch::FloatBox {
    Floats low[3], high[3];

    FloatBox(const Vec3& from, const Vec3& to, const Vec3& corner, double unsure) {
        for (std::size_t k = 0; k < 3; ++k) {
            low[k] = Floats{} + static_cast<float>(from[k] - corner[k] - unsure);
            high[k] = Floats{} + static_cast<float>(to[k] - corner[k] + unsure);
        }
    }
    unsigned inside(const float* x, const float* y, const float* z) const {
        Floats px, py, pz;
        load(px, x), load(py, y), load(pz, z);
        return bits((px >= low[0]) & (px <= high[0]) & (py >= low[1]) & (py <= high[1]) & (pz >= low[2]) &
                    (pz <= high[2]));
    }
};

/// Places are rounded by 2⁻²⁴ of their size, twice; three products and sums of their differences are off by
/// some more. Four times that is safe.
double PenetrationSearch::unsure(double size) const {
    return 0x1p-21 * (static_cast<double>(extent_) + size);
}

void PenetrationSearch::ask_exactly(std::uint32_t o, std::uint32_t t, std::uint32_t p,
                                    std::vector<Found>& found) const {
    const Tet& tet = objects_[o].shape->tets()[t];
    const std::uint32_t owner = owner_[p], v = p - base_[owner];
    if (owner == o && std::find(tet.begin(), tet.end(), static_cast<int>(v)) != tet.end()) return;
    std::array<double, 4> weights{};
    if (point_in_tet(x(owner, v), x(o, tet[0]), x(o, tet[1]), x(o, tet[2]), x(o, tet[3]), weights))
        found.push_back({p, o, t});
}

/// The points around some tets of one object that may be in them: those of other objects, unless it may
/// collide with itself. False where there are so many that each tet had better look by itself.
bool PenetrationSearch::gather_near(std::uint32_t o, const Box3& box, double slack, NearPoints& near) const {
    const Vec3 margin{slack, slack, slack};
    const Cell first = cells_.cell_of(box.low - margin), last = cells_.cell_of(box.high + margin);
    std::size_t points = 0;
    cells_.stretches(first, last, [&](std::uint32_t from, std::uint32_t to) { points += to - from; });
    if (points > most_near) return false;
    near.resize(points + lanes);
    const FloatBox bounds(box.low, box.high, cells_.low(), slack + unsure(max_component(box.size())));
    const bool self = objects_[o].self;
    const Ints own = Ints{} + static_cast<std::int32_t>(o);
    constexpr Ints lane{0, 1, 2, 3, 4, 5, 6, 7};
    std::size_t count = 0;
    cells_.stretches(first, last, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t i = from; i < to; i += lanes) {
            Ints mask = lane < static_cast<std::int32_t>(to - i);
            Ints owners;
            load(owners, &sorted_owner_[i]);
            if (!self) mask &= owners != own;
            unsigned left = bits(mask);
            if (left == 0) continue;
            left &= bounds.inside(&px_[i], &py_[i], &pz_[i]);
            for (; left != 0; left &= left - 1, ++count) {
                const std::uint32_t at = i + static_cast<std::uint32_t>(std::countr_zero(left));
                near.x[count] = px_[at], near.y[count] = py_[at], near.z[count] = pz_[at];
                near.point[count] = cells_.items()[at];
            }
        }
    });
    near.count = count;
    return true;
}

/// The tets of a group lie near each other where a mesh is small or well ordered: they ask the same points.
void PenetrationSearch::ask_tets(std::uint32_t o, std::uint32_t begin, std::uint32_t end, NearPoints& near,
                                 std::vector<Found>& found) const {
    const auto tets = objects_[o].shape->tets();
    std::array<Box3, tets_per_group> boxes;
    Box3 all;
    for (std::uint32_t t = begin; t < end; ++t) {
        const Vec3 &a = x(o, tets[t][0]), &b = x(o, tets[t][1]), &c = x(o, tets[t][2]), &d = x(o, tets[t][3]);
        boxes[t - begin] = {min(min(a, b), min(c, d)), max(max(a, b), max(c, d))};
        all.add(boxes[t - begin]);
    }
    if (!gather_near(o, all, inside_tolerance * max_component(all.size()), near)) {
        for (std::uint32_t t = begin; t < end; ++t) ask_tet(o, t, found);
        return;
    }
    if (near.count == 0) return;
    for (std::uint32_t t = begin; t < end; ++t) {
        const Box3& box = boxes[t - begin];
        const double size = max_component(box.size());
        const FloatBox bounds(box.low, box.high, cells_.low(), inside_tolerance * size + unsure(size));
        // First the box, which most points are not in.
        std::array<std::uint8_t, most_near / lanes> in_box;
        unsigned any = 0;
        for (std::size_t i = 0; i < near.count; i += lanes) {
            unsigned left = bounds.inside(&near.x[i], &near.y[i], &near.z[i]);
            if (i + lanes > near.count) left &= (1u << (near.count - i)) - 1;
            in_box[i / lanes] = static_cast<std::uint8_t>(left);
            any |= left;
        }
        if (any == 0) continue;
        TetPlanes planes;
        if (!planes.make(x(o, tets[t][0]), x(o, tets[t][1]), x(o, tets[t][2]), x(o, tets[t][3]), cells_.low(),
                         unsure(size)))
            continue;
        for (std::size_t i = 0; i < near.count; i += lanes) {
            if (in_box[i / lanes] == 0) continue;
            unsigned left = in_box[i / lanes] & planes.inside(&near.x[i], &near.y[i], &near.z[i]);
            for (; left != 0; left &= left - 1)
                ask_exactly(o, t, near.point[i + static_cast<std::size_t>(std::countr_zero(left))], found);
        }
    }
}

/// A tet that looks into the cells by itself.
void PenetrationSearch::ask_tet(std::uint32_t o, std::uint32_t t, std::vector<Found>& found) const {
    const Tet& tet = objects_[o].shape->tets()[t];
    const bool self = objects_[o].self;
    const Vec3 &a = x(o, tet[0]), &b = x(o, tet[1]), &c = x(o, tet[2]), &d = x(o, tet[3]);
    const Vec3 low = min(min(a, b), min(c, d)), high = max(max(a, b), max(c, d));
    const double size = max_component(high - low), slack = inside_tolerance * size;
    bool made = false, flat = false;
    TetPlanes planes{};
    const Ints own = Ints{} + static_cast<std::int32_t>(o);
    constexpr Ints lane{0, 1, 2, 3, 4, 5, 6, 7};
    const auto ask = [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t i = from; i < to; i += lanes) {
            Ints mask = lane < static_cast<std::int32_t>(to - i);
            if (!self) {
                Ints owners;
                load(owners, &sorted_owner_[i]);
                mask &= owners != own;
            }
            unsigned left = bits(mask);
            if (left == 0) continue;  // its own points alone
            if (!made) flat = !planes.make(a, b, c, d, cells_.low(), unsure(size)), made = true;
            if (flat) return;
            left &= planes.inside(&px_[i], &py_[i], &pz_[i]);
            for (; left != 0; left &= left - 1)
                ask_exactly(o, t, cells_.items()[i + static_cast<std::uint32_t>(std::countr_zero(left))],
                            found);
        }
    };
    const Vec3 margin{slack, slack, slack};
    cells_.stretches(cells_.cell_of(low - margin), cells_.cell_of(high + margin), ask);
}

void PenetrationSearch::find_crossings_by_walks(const DepthOptions& options, const Parallel& parallel) {
    crossings_.resize((records_.size() + records_per_task - 1) / records_per_task);
    parallel.chunks(records_.size(), records_per_task, [&](std::size_t begin, std::size_t end) {
        std::vector<Crossing>& list = crossings_[begin / records_per_task];
        list.clear();
        for (std::size_t i = begin; i < end; ++i) {
            const Penetration& r = records_[i];
            const Vec3& p = x(r.owner, r.point);
            const OutwardPlanes start = outward_planes(r.object, r.tet, p);  // the same for all its edges
            for (const std::uint32_t v : objects_[r.owner].shape->around(r.point)) {
                if (record_of(r.owner, v, r.object)) continue;
                FaceCrossing crossing;
                std::uint32_t face = 0;
                if (!best_crossing(r, start, v, crossing, face)) continue;
                list.push_back({static_cast<std::uint32_t>(i), v, face, p + crossing.t * (x(r.owner, v) - p),
                                normal_at(r.object, face, crossing.weights, options.normals)});
            }
        }
    });
}

bool PenetrationSearch::best_crossing(const Penetration& r, const OutwardPlanes& start, std::uint32_t outside,
                                      FaceCrossing& crossing, std::uint32_t& face) const {
    const Vec3 &p = x(r.owner, r.point), &q = x(r.owner, outside);
    const std::uint32_t o = r.object;
    const bool self = r.owner == o, arrived = !self && walk(r, start, q, crossing, face);
    if (arrived && convex_[o]) return true;
    // A box around what is left of the edge, a little wider than rounding.
    Box3 box;
    box.add(arrived ? p + crossing.t * (q - p) : p);
    box.add(q);
    const auto faces = objects_[o].shape->faces();
    bool found = arrived;
    const auto look = [&](int f) {
        const auto candidate = static_cast<std::uint32_t>(f);
        const Triangle& tri = faces[candidate];
        if (self && (touches(tri, r.point) || touches(tri, outside))) return;
        FaceCrossing here;
        if (!cross_face(p, q, x(o, tri[0]), x(o, tri[1]), x(o, tri[2]), here)) return;
        if (found && (here.t < crossing.t || (here.t == crossing.t && candidate >= face))) return;
        found = true, crossing = here, face = candidate;
    };
    if (convex_[o])  // it has no tree; the walk lost its way, which is rare
        for (int f = 0; f < static_cast<int>(faces.size()); ++f) look(f);
    else
        trees_[o].overlaps(box.grown(inside_tolerance * max_component(abs(q - p))), look);
    return found;
}

OutwardPlanes PenetrationSearch::outward_planes(std::uint32_t o, std::size_t t, const Vec3& p) const {
    const Tet& tet = objects_[o].shape->tets()[t];
    return {p, x(o, tet[0]), x(o, tet[1]), x(o, tet[2]), x(o, tet[3])};
}

/// From the tet that holds the point along the edge to q. False where it does not come out of an outer face
/// that the edge does cross: by rounding, at edges and corners, or where tets are turned inside out.
bool PenetrationSearch::walk(const Penetration& r, const OutwardPlanes& start, const Vec3& q,
                             FaceCrossing& crossing, std::uint32_t& face) const {
    const TetShape& shape = *objects_[r.object].shape;
    const Vec3 &p = x(r.owner, r.point), way = q - p;
    constexpr int most_tets = 64;  // a longer walk goes in circles, or through a mesh far finer than the edge
    constexpr int nowhere = std::numeric_limits<int>::min();
    int t = static_cast<int>(r.tet), came_from = nowhere;
    for (int step = 0; step < most_tets; ++step) {
        const auto at = static_cast<std::size_t>(t);
        std::size_t entry = 4;
        for (std::size_t i = 0; i < 4; ++i) entry = shape.behind(at, i) == came_from ? i : entry;
        const std::size_t exit =
            step == 0 ? start.exit(way, entry) : outward_planes(r.object, at, p).exit(way, entry);
        if (exit == 4) return false;
        const int next = shape.behind(at, exit);
        if (next < 0) {
            face = static_cast<std::uint32_t>(-1 - next);
            const Triangle& tri = shape.faces()[face];
            return cross_face(p, q, x(r.object, tri[0]), x(r.object, tri[1]), x(r.object, tri[2]), crossing);
        }
        came_from = t, t = next;
    }
    return false;
}

}  // namespace plush
