#include <algorithm>

#include "core/assert.hpp"
#include "detect/penetration/crossing_pack.hpp"
#include "detect/penetration/penetration.hpp"
#include "detect/penetration/stopwatch.hpp"
#include "detect/penetration/tet_walk.hpp"

// Stages 2 and 3, fast, with the answers of the reference.
//
// Stage 1 knows the tet that holds the point. From there the edge is followed through the tets to an outer
// face: that is the crossing nearest to the point inside. The paper wants the one nearest to the point
// outside; the two are the same where the surface is convex, which is tested for each object. Where it is
// not, and within one object, the rest of the edge is asked for more crossings with a tree of the object's
// faces.
//
// So stage 2 leaves a face for each edge. Stage 3 computes the crossings in lanes, which also says whether
// the edge meets the face at all: where rounding made a walk lose its way, all faces are asked.

namespace plush {
namespace {

constexpr std::size_t records_per_task = 128;
constexpr std::uint32_t no_face = ~std::uint32_t{0};

}  // namespace

/// Both stages, some points at a time: the second finds in the cache what the first has read. Returns the
/// part of the time that the first takes.
double PenetrationSearch::depths_by_walks(DepthNormals kind, const Parallel& parallel) {
    exit_normals_ = kind;
    const std::size_t tasks = (records_.size() + records_per_task - 1) / records_per_task;
    exits_.resize(tasks), inner_of_task_.resize(tasks);
    struct Seconds {
        double edges = 0, border = 0;
    };
    const Seconds all = parallel.reduce(
        records_.size(), records_per_task, Seconds{},
        [&](std::size_t begin, std::size_t end) {
            std::vector<Exit>& list = exits_[begin / records_per_task];
            Stopwatch watch;
            Seconds seconds;
            find_exits(begin, end, list);
            seconds.edges = watch.lap();
            border_depths_in_packs(kind, list);
            std::vector<std::uint32_t>& inner = inner_of_task_[begin / records_per_task];
            inner.clear();
            for (std::size_t i = begin; i < end; ++i)
                if (records_[i].level < 0) inner.push_back(static_cast<std::uint32_t>(i));
            seconds.border = watch.lap();
            return seconds;
        },
        [](const Seconds& a, const Seconds& b) {
            return Seconds{a.edges + b.edges, a.border + b.border};
        });
    inner_.clear();
    for (const auto& inner : inner_of_task_) inner_.insert(inner_.end(), inner.begin(), inner.end());
    return all.edges / std::max(all.edges + all.border, 1e-300);
}

void PenetrationSearch::find_exits(std::size_t begin, std::size_t end, std::vector<Exit>& list) {
    constexpr std::size_t ahead = 4;
    list.clear();
    for (std::size_t i = begin; i < end; ++i) {
        if (i + ahead < inside_.size()) {
            const Found& next = inside_[i + ahead];
            for (const int v : objects_[next.object].shape->tets()[next.tet])
                __builtin_prefetch(&x(next.object, v));
        }
        make_record(i);
        const Penetration& r = records_[i];
        const TetObject& object = objects_[r.object];
        const TetWalk walk(*object.shape, object.x, r.tet, x(r.owner, r.point));
        for (const std::uint32_t v : objects_[r.owner].shape->around(r.point)) {
            if (record_of(r.owner, v, r.object)) continue;
            Exit exit{static_cast<std::uint32_t>(i), v, no_face};
            if (best_exit(r, walk, exit)) list.push_back(exit);
        }
    }
}

bool PenetrationSearch::best_exit(const Penetration& r, const TetWalk& walk, Exit& exit) const {
    const std::uint32_t o = r.object;
    if (r.owner == o) return look_for_exit(r, nullptr, exit);
    const Vec3 &p = x(r.owner, r.point), &q = x(r.owner, exit.outside);
    const auto face = walk.exit(q - p);
    if (face) exit.face = *face;
    if (face && convex_[o]) return true;
    FaceCrossing first;
    const bool known = face && crosses(r, exit, first);
    return look_for_exit(r, known ? &first : nullptr, exit);
}

bool PenetrationSearch::crosses(const Penetration& r, const Exit& exit, FaceCrossing& crossing) const {
    PLUSH_ASSERT(exit.face < objects_[r.object].shape->faces().size());
    const Triangle& tri = objects_[r.object].shape->faces()[exit.face];
    return cross_face(x(r.owner, r.point), x(r.owner, exit.outside), x(r.object, tri[0]), x(r.object, tri[1]),
                      x(r.object, tri[2]), crossing);
}

/// The last crossing of an edge; `first`, if there is one, is known and at exit.face.
bool PenetrationSearch::look_for_exit(const Penetration& r, const FaceCrossing* first, Exit& exit) const {
    const Vec3 &p = x(r.owner, r.point), &q = x(r.owner, exit.outside);
    const std::uint32_t o = r.object;
    FaceCrossing last = first ? *first : FaceCrossing{};
    bool found = first != nullptr;
    PLUSH_ASSERT(convex_[o] || tree_shapes_[o] == objects_[o].shape);
    // A box around what is left of the edge, a little wider than rounding.
    Box3 box;
    box.add(found ? p + last.t * (q - p) : p);
    box.add(q);
    const auto faces = objects_[o].shape->faces();
    const auto look = [&](int f) {
        const Exit candidate{exit.record, exit.outside, static_cast<std::uint32_t>(f)};
        const Triangle& tri = faces[candidate.face];
        if (r.owner == o && (touches(tri, r.point) || touches(tri, exit.outside))) return;
        FaceCrossing here;
        if (!crosses(r, candidate, here)) return;
        if (found && (here.t < last.t || (here.t == last.t && candidate.face >= exit.face))) return;
        found = true, last = here, exit = candidate;
    };
    if (convex_[o])  // it has no tree; the walk lost its way, which is rare
        for (int f = 0; f < static_cast<int>(faces.size()); ++f) look(f);
    else
        trees_[o].overlaps(box.grown(inside_tolerance * max_component(abs(q - p))), look);
    return found;
}

/// What some crossings say, a lane each.
struct PenetrationSearch::BorderTerms {
    std::array<double, Pack::width> omega, depth, x, y, z;
    Pack::Mask hit;
};

void PenetrationSearch::border_terms(std::span<const Exit> exits, BorderTerms& terms) const {
    PLUSH_ASSERT(!exits.empty() && exits.size() <= Pack::width);
    std::array<const Vec3*, Pack::width> p, q, a, b, c, na, nb, nc;
    for (std::size_t i = 0; i < Pack::width; ++i) {
        const Exit& exit = exits[std::min(i, exits.size() - 1)];
        const Penetration& r = records_[exit.record];
        const Triangle& tri = objects_[r.object].shape->faces()[exit.face];
        p[i] = &x(r.owner, r.point), q[i] = &x(r.owner, exit.outside);
        a[i] = &x(r.object, tri[0]), b[i] = &x(r.object, tri[1]), c[i] = &x(r.object, tri[2]);
        const Vec3* normals = &normals_[base_[r.object]];
        na[i] = normals + tri[0], nb[i] = normals + tri[1], nc[i] = normals + tri[2];
    }
    const PackVec3 from = PackVec3::gather(p), to = PackVec3::gather(q);
    const PackCrossing crossing =
        cross_faces(from, to, PackVec3::gather(a), PackVec3::gather(b), PackVec3::gather(c));
    PackVec3 n = PackVec3::gather(na) * crossing.weights.x + PackVec3::gather(nb) * crossing.weights.y +
                 PackVec3::gather(nc) * crossing.weights.z;
    const Pack length2 = dot(n, n);
    n = n * (Pack(1.0) / square_root(length2));
    const PackVec3 way = from + (to - from) * crossing.t - from;
    const Pack way2 = dot(way, way), least(least_way2);
    const Pack omega = Pack(1.0) / select(way2 < least, least, way2);
    const PackVec3 direction = n * omega;
    omega.store(terms.omega.data()), (omega * dot(way, n)).store(terms.depth.data());
    direction.x.store(terms.x.data()), direction.y.store(terms.y.data()), direction.z.store(terms.z.data());
    terms.hit = crossing.hit & (length2 > Pack(0.0));
}

/// Adds the term of one crossing, whatever it takes: the walk may have lost its way, normals may cancel, or those
/// of faces are wanted. False where the edge crosses nothing.
bool PenetrationSearch::border_term(Exit& exit, DepthNormals kind, DepthSums& sums) const {
    const Penetration& r = records_[exit.record];
    FaceCrossing crossing;
    if (!crosses(r, exit, crossing)) {
        if (!look_for_exit(r, nullptr, exit)) return false;
        [[maybe_unused]] const bool found = crosses(r, exit, crossing);
        PLUSH_ASSERT(found);
    }
    const Vec3& p = x(r.owner, r.point);
    const Vec3 point = p + crossing.t * (x(r.owner, exit.outside) - p);
    sums.add(point - p, normal_at(r.object, exit.face, crossing.weights, kind));
    return true;
}

void PenetrationSearch::border_depths_in_packs(DepthNormals kind, std::vector<Exit>& list) {
    DepthSums sums;
    BorderTerms terms;
    for (std::size_t begin = 0; begin < list.size(); begin += Pack::width) {
        const std::size_t end = std::min(begin + Pack::width, list.size());
        if (kind == DepthNormals::interpolated)
            border_terms(std::span(list).subspan(begin, end - begin), terms);
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t lane = i - begin;
            if (kind == DepthNormals::interpolated && terms.hit[lane])
                sums.add(terms.omega[lane], terms.depth[lane], {terms.x[lane], terms.y[lane], terms.z[lane]});
            else if (!border_term(list[i], kind, sums))
                list[i].face = no_face;
            if (i + 1 < list.size() && list[i + 1].record == list[i].record) continue;
            finish(records_[list[i].record], sums, 0);
            sums = {};
        }
    }
    std::erase_if(list, [](const Exit& exit) { return exit.face == no_face; });
}

std::vector<Crossing> PenetrationSearch::crossings() const {
    std::vector<Crossing> all = crossings_;
    for (const auto& list : exits_)
        for (const Exit& exit : list) {
            const Penetration& r = records_[exit.record];
            const Vec3 &p = x(r.owner, r.point), &q = x(r.owner, exit.outside);
            FaceCrossing crossing;
            crosses(r, exit, crossing);
            all.push_back({exit.record, exit.outside, exit.face, p + crossing.t * (q - p),
                           normal_at(r.object, exit.face, crossing.weights, exit_normals_)});
        }
    return all;
}

}  // namespace plush
