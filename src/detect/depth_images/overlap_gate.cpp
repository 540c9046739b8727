#include "detect/depth_images/overlap_gate.hpp"

#include <algorithm>
#include <bit>

#include "core/assert.hpp"

namespace plush {
namespace {

constexpr std::size_t lanes = SurfacePatches::max_triangles;

using Float4 [[gnu::vector_size(16)]] = float;

template <class Combine>
float over_lanes(Float8 x, const Combine& combine) {
    const Float4 halves =
        combine(__builtin_shufflevector(x, x, 0, 1, 2, 3), __builtin_shufflevector(x, x, 4, 5, 6, 7));
    const Float4 pairs = combine(halves, __builtin_shufflevector(halves, halves, 2, 3, 0, 1));
    return combine(pairs, __builtin_shufflevector(pairs, pairs, 1, 0, 3, 2))[0];
}
float least(Float8 x) {
    return over_lanes(x, [](Float4 a, Float4 b) { return a < b ? a : b; });
}
float most(Float8 x) {
    return over_lanes(x, [](Float4 a, Float4 b) { return a > b ? a : b; });
}
float sum(Float8 x) {
    return over_lanes(x, [](Float4 a, Float4 b) { return a + b; });
}
float least(Float8 x, Float8 y, Float8 z) {
    return least(lesser(lesser(x, y), z));
}
float most(Float8 x, Float8 y, Float8 z) {
    return most(greater(greater(x, y), z));
}

}  // namespace

void OverlapGate::Box::add(const Box& b) {
    for (std::size_t d = 0; d < 3; ++d)
        low[d] = std::min(low[d], b.low[d]), high[d] = std::max(high[d], b.high[d]);
}

OverlapGate::Boxes8::Boxes8() {
    low.fill(Float8{} + HUGE_VALF), high.fill(Float8{} - HUGE_VALF);
}

void OverlapGate::Boxes8::set(std::size_t lane, const Box& box) {
    PLUSH_ASSERT(lane < lanes);
    for (std::size_t d = 0; d < 3; ++d) low[d][lane] = box.low[d], high[d][lane] = box.high[d];
}

unsigned OverlapGate::Boxes8::met_by(const Box& box) const {
    Int8 apart{};
    for (std::size_t d = 0; d < 3; ++d)
        apart |= (low[d] > Float8{} + box.high[d]) | (high[d] < Float8{} + box.low[d]);
    return ~bits_of(apart) & 0xff;
}

namespace {

/// Clusters that one task tests.
constexpr std::size_t clusters_a_task = 12;

template <class F>
void each_chunk(const Parallel* parallel, std::size_t count, const F& task) {
    if (parallel)
        parallel->chunks(count, clusters_a_task, task);
    else if (count > 0)
        task(std::size_t{0}, count);
}

}  // namespace

void OverlapGate::query(const std::array<Side, 2>& sides, const Parallel* parallel) {
    parallel_ = parallel;
    self_ = !sides[1].view;
    marked_.clear();
    margin_ = 0;
    double farthest = 1;
    for (std::size_t o = 0; o < 2; ++o) {
        if (!sides[o].view) continue;
        const Box3 all = (*sides[o].map)(sides[o].view->bounds->all);
        farthest = std::max({farthest, max_component(abs(all.low)), max_component(abs(all.high))});
    }
    margin_ = static_cast<float>(cull_margin + 1e-6 * farthest);
    Object &a = objects_[0], &b = objects_[self_ ? 0 : 1];
    begin(a, sides[0]);
    if (!self_) begin(b, sides[1]);
    find_near();
    if (self_) find_joined(a);
    find_crossing(a, b);
    find_inside(a, b);
    if (!self_) find_inside(b, a);
    collect(a);
    if (!self_) collect(b);
}

OverlapGate::Box OverlapGate::mapped(const Object& o, const Box3& box) const {
    const Box3 there = (*o.side.map)(box);
    Box result;
    for (std::size_t d = 0; d < 3; ++d)
        result.low[d] = static_cast<float>(there.low[d]) - margin_,
        result.high[d] = static_cast<float>(there.high[d]) + margin_;
    return result;
}

void OverlapGate::begin(Object& o, const Side& side) const {
    o.side = side;
    const SurfaceClusters& surface = *side.view->surface;
    const std::size_t patches = side.patches->size(), clusters = surface.clusters().size();
    const auto& groups = side.view->bounds->groups;
    o.states.assign(surface.corners().size(), unknown);
    o.crossings.clear(), o.insides.clear();
    o.group_packs.assign((groups.size() + 7) / 8, {});
    o.all = {};
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const Box box = mapped(o, groups[g]);
        o.all.add(box);
        o.group_packs[g / 8].set(g % 8, box);
    }
    o.opened.assign(groups.size(), 0);
    o.cluster_packs.resize(2 * groups.size());
    o.placed.assign(clusters, 0);
    o.points.resize(surface.vertices().size());
    o.corners.resize(patches), o.boxes.resize(patches), o.facings.resize(patches);
    o.packs.resize(patches / 8 + clusters + 1);
}

/// Where the vertices of a cluster are, and its patches.
void OverlapGate::place(Object& o, std::uint32_t cluster) const {
    PLUSH_ASSERT(cluster < o.placed.size());
    if (o.placed[cluster]) return;
    o.placed[cluster] = 1;
    const SurfaceView& view = *o.side.view;
    const ImageMap& map = *o.side.map;
    const std::uint32_t begin = view.surface->clusters()[cluster].first_vertex;
    view.each_vertex(cluster, [&](std::size_t i, const Vec3& x) {
        const Vec3 p = map(x);
        o.points[begin + i] = {static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), 0};
    });
    const SurfacePatches& patches = *o.side.patches;
    const std::uint32_t first = patches.first(cluster), end = patches.first(cluster + 1);
    PLUSH_ASSERT(first < end && o.first_pack(cluster) + (end - first + 7) / 8 <= o.first_pack(cluster + 1));
    Boxes8* pack = o.packs.data() + o.first_pack(cluster);
    for (std::uint32_t p = first; p < end; ++p) {
        Triangle8& t = o.corners[p];
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t l = 0; l < lanes; ++l) {
                const Point& at = o.points[patches.corners(p)[k][l]];
                t[k].x[l] = at.x, t[k].y[l] = at.y, t[k].z[l] = at.z;
            }
        Box& box = o.boxes[p];
        box.low = {least(t[0].x, t[1].x, t[2].x), least(t[0].y, t[1].y, t[2].y),
                   least(t[0].z, t[1].z, t[2].z)};
        box.high = {most(t[0].x, t[1].x, t[2].x), most(t[0].y, t[1].y, t[2].y), most(t[0].z, t[1].z, t[2].z)};
        for (std::size_t d = 0; d < 3; ++d) box.low[d] -= margin_, box.high[d] += margin_;
        const std::size_t lane = (p - first) % 8;
        if (lane == 0) pack[(p - first) / 8] = {};
        pack[(p - first) / 8].set(lane, box);
    }
}

/// The clusters whose boxes meet those of the other object, placed.
void OverlapGate::find_near() {
    for (Candidates& c : near_) c.clusters.clear();
    const auto listed = objects_[0].side.clusters;
    if (self_) {
        near_[0].clusters.assign(listed.begin(), listed.end());
        fit(0);
        return;
    }
    const auto others = objects_[1].side.clusters;
    const auto box_of = [&](std::size_t o, std::uint32_t c) {
        return mapped(objects_[o], objects_[o].side.view->bounds->boxes[c]);
    };
    std::vector<Boxes8> packs((others.size() + 7) / 8);
    for (std::size_t k = 0; k < others.size(); ++k) packs[k / 8].set(k % 8, box_of(1, others[k]));
    std::vector<std::uint8_t> met(packs.size(), 0);
    for (const std::uint32_t c : listed) {
        const Box box = box_of(0, c);
        unsigned any = 0;
        for (std::size_t m = 0; m < packs.size(); ++m) {
            const unsigned bits = packs[m].met_by(box);
            any |= bits, met[m] = static_cast<std::uint8_t>(met[m] | bits);
        }
        if (any) near_[0].clusters.push_back(c);
    }
    for (std::size_t k = 0; k < others.size(); ++k)
        if (met[k / 8] >> k % 8 & 1) near_[1].clusters.push_back(others[k]);
    fit(0), fit(1);
}

void OverlapGate::fit(std::size_t object) {
    Object& o = objects_[object];
    Candidates& near = near_[object];
    near.boxes.assign(near.clusters.size(), {});
    near.packs.assign((near.clusters.size() + 7) / 8, {});
    each_chunk(parallel_, near.clusters.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const std::uint32_t c = near.clusters[k];
            place(o, c);
            for (std::uint32_t p = o.side.patches->first(c); p < o.side.patches->first(c + 1); ++p)
                near.boxes[k].add(o.boxes[p]);
        }
    });
    for (std::size_t k = 0; k < near.clusters.size(); ++k) near.packs[k / 8].set(k % 8, near.boxes[k]);
}

void OverlapGate::mark(Object& o, std::uint32_t patch, unsigned which) {
    const auto triangles = o.side.patches->triangles(patch);

    PLUSH_ASSERT(which < 1u << triangles.size());
    for (; which; which &= which - 1) {
        const std::uint32_t t = triangles[static_cast<std::size_t>(std::countr_zero(which))];
        if (o.states[t] != crossing) o.crossings.push_back(t);
        o.states[t] = crossing;
    }
}

/// What find(begin, end, hits) finds among clusters, marked in their order.
template <class F>
void OverlapGate::gather_hits(std::size_t clusters, Object& a, Object& b, const F& find) {
    const std::size_t tasks = parallel_ ? (clusters + clusters_a_task - 1) / clusters_a_task : 1;
    if (hits_.size() < tasks) hits_.resize(tasks);
    for (std::size_t k = 0; k < tasks; ++k) hits_[k].clear();
    each_chunk(parallel_, clusters, [&](std::size_t begin, std::size_t end) {
        PLUSH_ASSERT(begin % clusters_a_task == 0 && begin / clusters_a_task < tasks);
        find(begin, end, hits_[begin / clusters_a_task]);
    });
    for (std::size_t k = 0; k < tasks; ++k)
        for (const Hit& hit : hits_[k]) mark(a, hit.i, hit.first), mark(b, hit.j, hit.second);
}

void OverlapGate::find_crossing(Object& a, Object& b) {
    gather_hits(near_[0].clusters.size(), a, b,
                [&](std::size_t begin, std::size_t end, std::vector<Hit>& hits) {
                    find_crossing(a, b, begin, end, hits);
                });
}

/// Triangles of some clusters that may cross others: all with all, or those of patches of one surface that do
/// not touch.
void OverlapGate::find_crossing(const Object& a, const Object& b, std::size_t begin, std::size_t end,
                                std::vector<Hit>& hits) const {
    const Candidates &mine = near_[0], &others = near_[self_ ? 0 : 1];
    std::vector<std::uint32_t> met_clusters;
    std::vector<Boxes8> met_packs;
    for (std::size_t k = begin; k < end; ++k) {
        // The clusters that may be met, and packs of their boxes.
        met_clusters.clear(), met_packs.clear();
        for (std::size_t m = self_ ? k / 8 : 0; m < others.packs.size(); ++m)
            for (unsigned met = others.packs[m].met_by(mine.boxes[k]); met; met &= met - 1) {
                const std::size_t c = 8 * m + static_cast<std::size_t>(std::countr_zero(met));
                PLUSH_ASSERT(c < others.clusters.size());
                if (self_ && c < k) continue;
                if (met_clusters.size() % 8 == 0) met_packs.emplace_back();
                met_packs.back().set(met_clusters.size() % 8, others.boxes[c]);
                met_clusters.push_back(others.clusters[c]);
            }
        const std::uint32_t c = mine.clusters[k];
        for (std::uint32_t i = a.side.patches->first(c); i < a.side.patches->first(c + 1); ++i) {
            const auto touching = self_ ? a.side.patches->neighbours(i) : std::span<const std::uint32_t>{};
            const auto ask_cluster = [&](std::uint32_t m) {
                const std::uint32_t first = b.side.patches->first(m), last = b.side.patches->first(m + 1);
                const Boxes8* pack = b.packs.data() + b.first_pack(m);
                for (std::uint32_t p = first; p < last; p += 8, ++pack)
                    for (unsigned met = pack->met_by(a.boxes[i]); met; met &= met - 1) {
                        const std::uint32_t j = p + static_cast<std::uint32_t>(std::countr_zero(met));
                        PLUSH_ASSERT(j < last);
                        if (self_ && j <= i) continue;
                        if (std::find(touching.begin(), touching.end(), j) != touching.end()) continue;
                        test(a, i, b, j, hits);
                    }
            };
            for (std::size_t n = 0; n < met_packs.size(); ++n)
                for (unsigned met = met_packs[n].met_by(a.boxes[i]); met; met &= met - 1)
                    ask_cluster(met_clusters[8 * n + static_cast<std::size_t>(std::countr_zero(met))]);
        }
    }
}

/// Whether a plane is found between two patches: across the way from one to the other, or along one of them.
bool OverlapGate::patches_apart(const Object& a, std::size_t i, const Object& b, std::size_t j,
                                float margin) {
    const Triangle8 &first = a.corners[i], &second = b.corners[j];
    const auto between = [&](float x, float y, float z) {
        const auto range = [&](const Triangle8& t, float& low, float& high) {
            const auto along = [&](const Vector8& v) { return v.x * x + v.y * y + v.z * z; };
            const Float8 p = along(t[0]), q = along(t[1]), r = along(t[2]);
            low = least(p, q, r), high = most(p, q, r);
        };
        float low_a, high_a, low_b, high_b;
        range(first, low_a, high_a), range(second, low_b, high_b);
        // Of a direction that is not longer than two.
        const float wide = 4 * margin;
        return high_a + wide < low_b || high_b + wide < low_a;
    };
    const auto across = [&](const Vec3& way) {
        const double length = max_component(abs(way));
        if (!(length > 0)) return false;
        const Vec3 n = way / length;
        return between(static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z));
    };
    const auto centre = [](const Box& box) {
        const auto twice = [&](std::size_t k) { return static_cast<double>(box.low[k] + box.high[k]); };
        return Vec3{twice(0), twice(1), twice(2)} * 0.5;
    };
    // Twice the area of all its triangles, along their mean normal.
    const auto normal = [&](const Triangle8& t) {
        const Vector8 n = cross(t[1] - t[0], t[2] - t[0]);
        return Vec3{static_cast<double>(sum(n.x)), static_cast<double>(sum(n.y)),
                    static_cast<double>(sum(n.z))};
    };
    return across(centre(b.boxes[j]) - centre(a.boxes[i])) || across(normal(first)) || across(normal(second));
}

/// The triangles of two patches without a common vertex.
void OverlapGate::test(const Object& a, std::uint32_t i, const Object& b, std::uint32_t j,
                       std::vector<Hit>& hits) const {
    if (patches_apart(a, i, b, j, margin_)) return;
    const Triangle8& others = b.corners[j];
    const std::size_t count = a.side.patches->triangles(i).size();
    const unsigned all = b.side.patches->lanes(j);
    unsigned first = 0, second = 0;
    for (std::size_t s = 0; s < count; ++s) {
        const Triangle8 one = spread(a.corners[i], s);
        unsigned met = all & ~bits_of(boxes_apart(one, others, margin_));
        if (met) met &= ~bits_of(apart(one, others, margin_));
        if (met) first |= 1u << s, second |= met;
    }
    if (first) hits.push_back({i, j, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)});
}

namespace {

/// The corners after one of a triangle, and what is opposite to it: a segment.
Triangle8 opposite(const Triangle8& t, const std::array<Int8, 3>& corner) {
    const Vector8 p = chosen(corner[0], t[1], chosen(corner[1], t[2], t[0]));
    const Vector8 q = chosen(corner[0], t[2], chosen(corner[1], t[0], t[1]));
    return {p, q, q};
}

}  // namespace

/// The triangles of two patches of a surface that touch, or of one. Two with a common edge do not cross; two
/// with a common vertex do where the edge opposite to it of one crosses the other.
void OverlapGate::test_joined(const Object& o, std::uint32_t i, std::uint32_t j,
                              std::vector<Hit>& hits) const {
    const SurfacePatches& patches = *o.side.patches;
    const auto vertices = o.side.view->surface->vertices();
    const Triangle8& others = o.corners[j];
    std::array<Int8, 3> ids;
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < lanes; ++l)
            ids[k][l] = static_cast<std::int32_t>(vertices[patches.corners(j)[k][l]]);
    const std::size_t count = patches.triangles(i).size();
    unsigned first = 0, second = 0;
    for (std::size_t s = 0; s < count; ++s) {
        const Triangle8 one = spread(o.corners[i], s);
        unsigned left = patches.lanes(j) & ~bits_of(boxes_apart(one, others, margin_));
        if (i == j) left &= ~((2u << s) - 1);
        if (!left) continue;
        Int8 shared{};
        std::array<Int8, 3> mine{}, theirs{};  // whether this corner is shared
        for (std::size_t p = 0; p < 3; ++p) {
            const auto id = static_cast<std::int32_t>(vertices[patches.corners(i)[p][s]]);
            for (std::size_t q = 0; q < 3; ++q) {
                const Int8 same = ids[q] == id;
                shared -= same, mine[p] |= same, theirs[q] |= same;
            }
        }
        unsigned met = left & bits_of(shared == 0);
        if (met) met &= ~bits_of(apart(one, others, margin_));
        unsigned touch = left & bits_of(shared == 1);
        if (touch)
            touch &= ~bits_of(apart(opposite(one, mine), others, margin_) &
                              apart(one, opposite(others, theirs), margin_));
        if (met | touch) first |= 1u << s, second |= met | touch;
    }
    if (first) hits.push_back({i, j, static_cast<std::uint8_t>(first), static_cast<std::uint8_t>(second)});
}

namespace {

/// More than what snapping turns: normals count as within a half-space where they are so far within, the
/// sine.
constexpr float least_within = 0.1f;

/// The lanes whose vectors are within the half-space of a direction.
Int8 within(const Vector8& v, const std::array<float, 3>& direction) {
    const auto [x, y, z] = direction;
    const Float8 along = v.x * x + v.y * y + v.z * z;
    const float square = least_within * least_within * (x * x + y * y + z * z);
    return (along > 0) & (along * along > dot(v, v) * square);
}

}  // namespace

/// Whether what two patches face fits into a half-space: that of the sum of their axes tells. Nothing is
/// known of triangles without area.
bool OverlapGate::fit_into_half_space(const Object& o, std::size_t i, std::size_t j) {
    const Facing &a = o.facings[i], &b = o.facings[j];
    const std::array<float, 3> sum{a.axis[0] + b.axis[0], a.axis[1] + b.axis[1], a.axis[2] + b.axis[2]};
    return bits_of(within(a.normals, sum) & within(b.normals, sum)) == 0xff;
}

/// Whether the triangles around a vertex fit into one half-space.
bool OverlapGate::fan_fits(const Object& o, std::span<const std::uint32_t> fan) {
    const auto normal = [&](std::uint32_t place) {
        PLUSH_ASSERT(place / lanes < o.facings.size());
        const Vector8& n = o.facings[place / lanes].normals;
        const std::size_t l = place % lanes;
        return std::array<float, 3>{n.x[l], n.y[l], n.z[l]};
    };
    const auto dot = [](const std::array<float, 3>& a, const std::array<float, 3>& b) {
        return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    };
    std::array<float, 3> sum{};
    for (const std::uint32_t place : fan)
        for (std::size_t d = 0; d < 3; ++d) sum[d] += normal(place)[d];
    const float square = least_within * least_within * dot(sum, sum);
    return std::all_of(fan.begin(), fan.end(), [&](std::uint32_t place) {
        const std::array<float, 3> n = normal(place);
        const float along = dot(n, sum);
        return along > 0 && along * along > dot(n, n) * square;
    });
}

/// The vertices around which normals face all ways, among those where three patches or more meet. Around the
/// others the two patches, or the one, tell. Clusters that are not near are taken to face none.
void OverlapGate::find_folded(Object& o) {
    const auto& clusters = near_[0].clusters;
    const SurfacePatches& patches = *o.side.patches;
    const auto each_patch = [&](const auto& task) {
        each_chunk(parallel_, clusters.size(), [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k)
                for (std::uint32_t p = patches.first(clusters[k]); p < patches.first(clusters[k] + 1); ++p)
                    task(p);
        });
    };
    if (clusters.size() < o.placed.size()) std::fill(o.facings.begin(), o.facings.end(), Facing{});
    each_patch([&](std::uint32_t p) {
        const Triangle8& t = o.corners[p];
        Facing& facing = o.facings[p];
        const Vector8& n = facing.normals = cross(t[1] - t[0], t[2] - t[0]);
        const float x = sum(n.x), y = sum(n.y), z = sum(n.z), length = std::sqrt(x * x + y * y + z * z);
        const float share = length > 0 ? 1 / length : 0;
        facing.axis = {x * share, y * share, z * share};
    });
    o.folded.assign(patches.meetings(), 1);
    each_patch([&](std::uint32_t p) {
        for (std::uint32_t m = patches.first_meeting(p); m < patches.first_meeting(p + 1); ++m)
            o.folded[m] = !fan_fits(o, patches.fan(m));
    });
}

/// Triangles of patches of one surface that touch, and of each patch.
void OverlapGate::find_joined(Object& o) {
    find_folded(o);
    const auto& clusters = near_[0].clusters;
    const SurfacePatches& patches = *o.side.patches;
    const auto placed = [&](std::uint32_t p) {
        return o.placed[o.side.view->surface->cluster_of(patches.triangles(p)[0])] != 0;
    };
    const auto apart_by_normals = [&](std::uint32_t i, std::size_t k, std::uint32_t j) {
        const auto meetings = patches.meetings_with(i, k);
        return std::none_of(meetings.begin(), meetings.end(), [&](std::uint32_t m) { return o.folded[m]; }) &&
               fit_into_half_space(o, i, j);
    };
    gather_hits(clusters.size(), o, o, [&](std::size_t begin, std::size_t end, std::vector<Hit>& hits) {
        for (std::size_t c = begin; c < end; ++c)
            for (std::uint32_t i = patches.first(clusters[c]); i < patches.first(clusters[c] + 1); ++i) {
                if (!fit_into_half_space(o, i, i)) test_joined(o, i, i, hits);
                const auto neighbours = patches.neighbours(i);
                for (std::size_t k = 0; k < neighbours.size(); ++k)
                    if (const std::uint32_t j = neighbours[k];
                        j > i && !apart_by_normals(i, k, j) && placed(j))
                        test_joined(o, i, j, hits);
            }
    });
}

}  // namespace plush
