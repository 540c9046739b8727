#include "detect/overlap_gate.hpp"

#include <algorithm>
#include <bit>

namespace plush {
namespace {

using Float8 [[gnu::vector_size(32)]] = float;
constexpr std::size_t lanes = SurfacePatches::most_triangles;
constexpr std::uint32_t nobody = ~std::uint32_t{0};

Float8 lesser(Float8 a, Float8 b) {
    return a < b ? a : b;
}
Float8 greater(Float8 a, Float8 b) {
    return a > b ? a : b;
}
template <class Combine>
float over_lanes(Float8 x, const Combine& combine) {
    const float ab = combine(combine(x[0], x[1]), combine(x[2], x[3]));
    return combine(ab, combine(combine(x[4], x[5]), combine(x[6], x[7])));
}
float least(Float8 x) {
    return over_lanes(x, [](float a, float b) { return a < b ? a : b; });
}
float most(Float8 x) {
    return over_lanes(x, [](float a, float b) { return a > b ? a : b; });
}
float sum(Float8 x) {
    return over_lanes(x, [](float a, float b) { return a + b; });
}

}  // namespace

OverlapGate::Boxes8::Boxes8() {
    low.fill(Float8{} + HUGE_VALF), high.fill(Float8{} - HUGE_VALF);
}

void OverlapGate::Boxes8::set(std::size_t lane, const Box& box) {
    for (std::size_t d = 0; d < 3; ++d) low[d][lane] = box.low[d], high[d][lane] = box.high[d];
}

unsigned OverlapGate::Boxes8::met_by(const Box& box) const {
    Int8 apart{};
    for (std::size_t d = 0; d < 3; ++d)
        apart |= (low[d] > Float8{} + box.high[d]) | (high[d] < Float8{} + box.low[d]);
    return ~bits_of(apart) & 0xff;
}

OverlapGate::Vector8 OverlapGate::gather(const Object& o, std::size_t patch, std::size_t corner) {
    const auto& places = o.patches->corners(patch)[corner];
    Vector8 v;
    for (std::size_t l = 0; l < lanes; ++l) {
        const Point& p = o.points[places[l]];
        v.x[l] = p.x, v.y[l] = p.y, v.z[l] = p.z;
    }
    return v;
}

void OverlapGate::place(std::size_t object, const SurfaceView& view, const SurfacePatches& patches,
                        const ImageMap& map, std::span<const std::uint32_t> clusters, bool self) {
    Object& o = objects_[object];
    o.patches = &patches;
    o.clusters.assign(clusters.begin(), clusters.end());
    o.points.resize(view.surface->vertices().size());
    o.boxes.resize(o.patches->size());
    if (self) o.cones.resize(o.patches->size());
    o.marks.assign(o.patches->size(), absent);
    for (const std::uint32_t c : clusters) {
        const std::uint32_t first = view.surface->clusters()[c].first_vertex;
        view.each_vertex(c, [&](std::size_t i, const Vec3& x) {
            const Vec3 p = map(x);
            o.points[first + i] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z),
                                   0};
        });
        for (std::uint32_t p = o.patches->first(c); p < o.patches->first(c + 1); ++p) {
            const Vector8 a = gather(o, p, 0), b = gather(o, p, 1), e = gather(o, p, 2);
            const auto low = [](Float8 x, Float8 y, Float8 z) { return least(lesser(lesser(x, y), z)); };
            const auto high = [](Float8 x, Float8 y, Float8 z) { return most(greater(greater(x, y), z)); };
            o.boxes[p].low = {low(a.x, b.x, e.x), low(a.y, b.y, e.y), low(a.z, b.z, e.z)};
            o.boxes[p].high = {high(a.x, b.x, e.x), high(a.y, b.y, e.y), high(a.z, b.z, e.z)};
            if (self) o.cones[p] = cone_of(a, b, e);
            o.marks[p] = nothing;
        }
    }
}

/// Boxes by the margin, and packs of them.
void OverlapGate::widen(Object& o) const {
    o.cluster_boxes.assign(o.clusters.size(), {});
    o.cluster_packs.assign((o.clusters.size() + 7) / 8, {});
    o.packs.clear();
    o.first_pack.assign(1, 0);
    for (std::size_t k = 0; k < o.clusters.size(); ++k) {
        const std::uint32_t first = o.patches->first(o.clusters[k]),
                            end = o.patches->first(o.clusters[k] + 1);
        for (std::uint32_t p = first; p < end; ++p) {
            Box& box = o.boxes[p];
            for (std::size_t d = 0; d < 3; ++d) box.low[d] -= margin_, box.high[d] += margin_;
            o.cluster_boxes[k].add(box);
            if ((p - first) % 8 == 0) o.packs.emplace_back();
            o.packs.back().set((p - first) % 8, box);
        }
        o.cluster_packs[k / 8].set(k % 8, o.cluster_boxes[k]);
        o.first_pack.push_back(static_cast<std::uint32_t>(o.packs.size()));
    }
}

void OverlapGate::look(bool self) {
    if (self) objects_[1] = {};
    float farthest = 1;
    for (const Object& o : objects_)
        for (const std::uint32_t c : o.clusters)
            for (std::uint32_t p = o.patches->first(c); p < o.patches->first(c + 1); ++p)
                for (std::size_t d = 0; d < 3; ++d)
                    farthest =
                        std::max({farthest, std::abs(o.boxes[p].low[d]), std::abs(o.boxes[p].high[d])});
    // Two surfaces that touch lie in each other with patches that do not cross, a part of a pixel deep: they
    // are marked at once.
    constexpr float touching = 0.5f;
    margin_ = static_cast<float>(cull_margin) + 1e-6f * farthest + (self ? 0 : touching);
    for (Object& o : objects_) widen(o);
    if (self) {
        find_folded(objects_[0]);
        find_crossing(objects_[0], objects_[0], true);
    } else {
        find_crossing(objects_[0], objects_[1], false);
    }
    for (Object& o : objects_) {
        if (!o.patches) continue;
        // A surface that is of one piece cannot be inside itself.
        if (!self || o.patches->parts().size() > 1)
            for (const std::uint32_t p : o.patches->parts())
                if (o.marks[p] == nothing) o.marks[p] = near;
        for (std::size_t p = 0; p < o.marks.size(); ++p)
            if (o.marks[p] == near)
                for (const std::uint32_t n : o.patches->neighbours(p))
                    if (o.marks[n] == nothing) o.marks[n] = asked;
    }
    ask();
}

/// Patches that may cross others: all with all, or those of one surface that do not touch.
void OverlapGate::find_crossing(Object& a, Object& b, bool self) {
    if (self) stamps_.assign(a.patches->size(), nobody);
    std::vector<Boxes8> near_packs;
    for (std::size_t k = 0; k < a.clusters.size(); ++k) {
        // The clusters that may be met, and packs of their boxes.
        met_clusters_.clear();
        near_packs.clear();
        for (std::size_t m = self ? k / 8 : 0; m < b.cluster_packs.size(); ++m)
            for (unsigned met = b.cluster_packs[m].met_by(a.cluster_boxes[k]); met; met &= met - 1) {
                const std::size_t c = 8 * m + static_cast<std::size_t>(std::countr_zero(met));
                if (self && c < k) continue;
                if (met_clusters_.size() % 8 == 0) near_packs.emplace_back();
                near_packs.back().set(met_clusters_.size() % 8, b.cluster_boxes[c]);
                met_clusters_.push_back(static_cast<std::uint32_t>(c));
            }
        const std::uint32_t c = a.clusters[k];
        for (std::uint32_t i = a.patches->first(c); i < a.patches->first(c + 1); ++i) {
            if (self)
                for (const std::uint32_t n : a.patches->neighbours(i)) stamps_[n] = i;
            const auto ask_cluster = [&](std::uint32_t m) {
                std::uint32_t first = b.patches->first(b.clusters[m]);
                for (std::uint32_t pack = b.first_pack[m]; pack < b.first_pack[m + 1]; ++pack, first += 8)
                    for (unsigned met = b.packs[pack].met_by(a.boxes[i]); met; met &= met - 1) {
                        const std::uint32_t j = first + static_cast<std::uint32_t>(std::countr_zero(met));
                        if (self && (j <= i || stamps_[j] == i)) continue;
                        if (a.marks[i] == near && b.marks[j] == near) continue;
                        if (!apart(a, i, b, j)) a.marks[i] = b.marks[j] = near;
                    }
            };
            for (std::size_t n = 0; n < near_packs.size(); ++n)
                for (unsigned met = near_packs[n].met_by(a.boxes[i]); met; met &= met - 1)
                    ask_cluster(met_clusters_[8 * n + static_cast<std::size_t>(std::countr_zero(met))]);
        }
    }
}

/// Whether a plane is found between two patches: across the way from one to the other, or along one of them.
bool OverlapGate::apart(const Object& a, std::size_t i, const Object& b, std::size_t j) const {
    std::array<std::array<Vector8, 3>, 2> corners;
    for (std::size_t k = 0; k < 3; ++k) corners[0][k] = gather(a, i, k), corners[1][k] = gather(b, j, k);
    const auto between = [&](float x, float y, float z) {
        std::array<float, 2> low, high;
        for (std::size_t s = 0; s < 2; ++s) {
            Float8 lows = Float8{} + HUGE_VALF, highs = Float8{} - HUGE_VALF;
            for (const Vector8& v : corners[s]) {
                const Float8 along = v.x * x + v.y * y + v.z * z;
                lows = lesser(lows, along), highs = greater(highs, along);
            }
            low[s] = least(lows), high[s] = most(highs);
        }
        // Of a direction that is not longer than two.
        const float wide = 4 * margin_;
        return high[0] + wide < low[1] || high[1] + wide < low[0];
    };
    const auto across = [&](const Vec3& way) {
        const double length = max_component(abs(way));
        if (!(length > 0)) return false;
        const Vec3 n = way / length;
        return between(static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z));
    };
    const auto centre = [](const Box& box) {
        return Vec3{box.low[0] + box.high[0], box.low[1] + box.high[1], box.low[2] + box.high[2]} * 0.5;
    };
    // Twice the area of all its triangles, along their mean normal.
    const auto normal = [&](std::size_t s) {
        const auto& [p, q, r] = corners[s];
        const Float8 ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z;
        const Float8 vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
        return Vec3{sum(uy * vz - uz * vy), sum(uz * vx - ux * vz), sum(ux * vy - uy * vx)};
    };
    return across(centre(b.boxes[j]) - centre(a.boxes[i])) || across(normal(0)) || across(normal(1));
}

OverlapGate::Cone OverlapGate::cone_of(const Vector8& p, const Vector8& q, const Vector8& r) {
    const Float8 ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z;
    const Float8 vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
    const Float8 nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const Vec3 axis = normalised(Vec3{sum(nx), sum(ny), sum(nz)}, {});
    Cone cone;
    cone.axis = {static_cast<float>(axis.x), static_cast<float>(axis.y), static_cast<float>(axis.z)};
    const Float8 along = nx * cone.axis[0] + ny * cone.axis[1] + nz * cone.axis[2];
    const Float8 square = nx * nx + ny * ny + nz * nz;
    // Nothing is known of triangles without area.
    cone.cosine2 = least((square > 0) & (along > 0) ? along * along / square : Float8{} - 1);
    return cone;
}

/// Patches with a common vertex whose normals do not fit into a half-space. Between unit axes whose cosine is
/// c lies a direction with √((1 + c)/2) to both: that must be above the sine of both cones.
void OverlapGate::find_folded(Object& o) const {
    constexpr float slack = 0.02f;  // more than what snapping turns
    for (std::size_t i = 0; i < o.marks.size(); ++i) {
        if (o.marks[i] == absent) continue;
        const Cone& a = o.cones[i];
        if (!(a.cosine2 > slack)) o.marks[i] = near;
        for (const std::uint32_t j : o.patches->neighbours(i)) {
            if (j < i || o.marks[j] == absent) continue;
            const Cone& b = o.cones[j];
            const float c = a.axis[0] * b.axis[0] + a.axis[1] * b.axis[1] + a.axis[2] * b.axis[2];
            if (!((1 + c) / 2 > 1 - std::min(a.cosine2, b.cosine2) + slack)) o.marks[i] = o.marks[j] = near;
        }
    }
}

void OverlapGate::forget() {
    for (Object& o : objects_) o.met.assign(o.marks.size(), 0), o.inside.assign(o.marks.size(), 0);
}

/// How to learn of what is beside what may cross.
void OverlapGate::ask() {
    for (auto& list : questions_) list.clear();
    for (Object& o : objects_)
        for (std::size_t p = 0; p < o.marks.size(); ++p)
            if (o.marks[p] == asked && !ask(o, p)) o.marks[p] = around;
}

/// A column that is sure to go through one of its triangles, where there is one: about the centroid of a
/// triangle a circle fits that has the third of its least height for a radius, which is n / 3l with n twice
/// the area and l the longest edge; and no place is farther than 1/√2 from the middle of its pixel.
bool OverlapGate::ask(const Object& o, std::size_t patch) {
    const Vector8 p = gather(o, patch, 0), q = gather(o, patch, 1), r = gather(o, patch, 2);
    const Float8 ux = q.x - p.x, uy = q.y - p.y, uz = q.z - p.z;
    const Float8 vx = r.x - p.x, vy = r.y - p.y, vz = r.z - p.z;
    const Float8 wx = vx - ux, wy = vy - uy, wz = vz - uz;
    const auto wide = [](Float8 n, Float8 ua, Float8 ub, Float8 va, Float8 vb, Float8 wa, Float8 wb) {
        const Float8 longest = greater(greater(ua * ua + ub * ub, va * va + vb * vb), wa * wa + wb * wb);
        constexpr float enough = 4.6f;  // 3²/2, and a little
        return bits_of(n * n > enough * longest);
    };
    const std::array<unsigned, 3> sure{wide(uy * vz - uz * vy, uy, uz, vy, vz, wy, wz),
                                       wide(uz * vx - ux * vz, uz, ux, vz, vx, wz, wx),
                                       wide(ux * vy - uy * vx, ux, uy, vx, vy, wx, wy)};
    for (std::size_t d = 0; d < 3; ++d) {
        if (!sure[d]) continue;
        const auto l = static_cast<std::size_t>(std::countr_zero(sure[d]));
        const std::array<std::array<float, 3>, 3> corners{
            {{p.x[l], q.x[l], r.x[l]}, {p.y[l], q.y[l], r.y[l]}, {p.z[l], q.z[l], r.z[l]}}};
        Box column;
        for (std::size_t e = 0; e < 3; ++e) {
            const auto& c = corners[e];
            if (e == d)
                column.low[e] = std::min({c[0], c[1], c[2]}) - margin_,
                column.high[e] = std::max({c[0], c[1], c[2]}) + margin_;
            else
                column.low[e] = column.high[e] = std::floor((c[0] + c[1] + c[2]) / 3) + 0.5f;
        }
        questions_[d].push_back(column);
        return true;
    }
    return false;
}

bool OverlapGate::grow() {
    bool more = false;
    for (Object& o : objects_) {
        // First all that what was drawn tells, then what follows from it: patches that were not drawn are not
        // known yet.
        stamps_.clear();
        for (std::uint32_t p = 0; p < o.marks.size(); ++p) {
            const bool unknown = o.marks[p] == around && !o.met[p];
            if (o.marks[p] != near && (o.inside[p] || unknown)) stamps_.push_back(p);
        }
        for (const std::uint32_t p : stamps_) {
            more = more || o.marks[p] < around;
            o.marks[p] = near;
            for (const std::uint32_t n : o.patches->neighbours(p))
                if (o.marks[n] == nothing) o.marks[n] = asked, more = true;
        }
    }
    if (more) ask();
    return more;
}

}  // namespace plush
