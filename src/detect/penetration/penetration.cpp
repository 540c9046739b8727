#include "detect/penetration/penetration.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "detect/penetration/stopwatch.hpp"

// The frame of a search and what both paths share: lists, normals, and stages 3 and 4.

namespace plush {
namespace {

// Chunks of work: they depend on the problem alone. About 10 µs each.
constexpr std::uint32_t tets_per_piece = 256;
constexpr std::size_t objects_per_task = 32, records_per_task = 256;

}  // namespace

std::span<const Penetration> PenetrationSearch::find(std::span<const TetObject> objects,
                                                     const DepthOptions& options, const Parallel& parallel,
                                                     MayTouch may_touch) {
    Stopwatch watch;
    begin(objects, options, parallel);
    times_ = {};
    times_.cells = watch.lap();
    options.reference ? find_points_by_cells(parallel) : find_points_in_packs(parallel);
    sort_found(parallel, may_touch);
    times_.points = watch.lap();
    crossings_.clear();
    for (auto& list : exits_) list.clear();
    if (records_.empty()) return records_;
    prepare_penetrated(options, parallel);
    const bool by_walks = options.method == DepthMethod::consistent && !options.reference;
    if (!by_walks) parallel.each(records_.size(), records_per_task, [&](std::size_t i) { make_record(i); });
    if (options.method != DepthMethod::consistent) {
        options.method == DepthMethod::closest_feature ? closest_features(parallel)
                                                       : vertex_normals(parallel);
        times_.edges = watch.lap();
        return records_;
    }
    if (options.reference) {
        find_crossings_by_cells(options, parallel);
        times_.edges = watch.lap();
        border_depths();
        times_.border = watch.lap();
    } else {
        times_.edges = watch.lap();
        const double part = depths_by_walks(options.normals, parallel), both = watch.lap();
        times_.edges += part * both, times_.border = (1 - part) * both;
    }
    propagate(parallel);
    times_.propagation = watch.lap();
    return records_;
}

void PenetrationSearch::begin(std::span<const TetObject> objects, const DepthOptions& options,
                              const Parallel& parallel) {
    objects_.assign(objects.begin(), objects.end());
    base_.assign(1, 0);
    tet_pieces_.clear(), face_pieces_.clear();
    double edges = 0, tets = 0;
    for (std::uint32_t o = 0; o < objects_.size(); ++o) {
        const TetShape& shape = *objects_[o].shape;
        PLUSH_ASSERT(shape.vertices() == objects_[o].x.size());
        base_.push_back(base_.back() + static_cast<std::uint32_t>(shape.vertices()));
        const auto cut = [&](std::vector<Piece>& pieces, std::size_t n) {
            for (std::uint32_t b = 0; b < n; b += tets_per_piece)
                pieces.push_back({o, b, std::min(b + tets_per_piece, static_cast<std::uint32_t>(n))});
        };
        cut(tet_pieces_, shape.tets().size());
        cut(face_pieces_, shape.faces().size());
        edges += shape.mean_edge() * static_cast<double>(shape.tets().size());
        tets += static_cast<double>(shape.tets().size());
    }
    const std::size_t points = base_.back();
    const Box3 box = parallel.reduce(
        objects_.size(), objects_per_task, Box3{},
        [&](std::size_t begin, std::size_t end) {
            Box3 part;
            for (std::size_t o = begin; o < end; ++o)
                for (const Vec3& p : objects_[o].x) part.add(p);
            return part;
        },
        [](Box3 a, const Box3& b) {
            a.add(b);
            return a;
        });
    // Things without any size would make cells of none.
    const double least = 1e-9 * std::max(1e-300, max_component(box.size()));
    const double cell = tets > 0 ? std::max(options.cell_edges * edges / tets, least) : 1;
    cells_.begin(options.cells, box, cell > 0 ? cell : 1, points);
    owner_.resize(points);
    place_.resize(points);
    places_.resize(points);
    int exponent = 0;
    std::frexp(max_component(box.size()), &exponent);
    scale_ = std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
    parallel.each(objects_.size(), objects_per_task, [&](std::size_t o) {
        for (std::uint32_t v = 0; v < objects_[o].x.size(); ++v) {
            const Vec3 from_low = objects_[o].x[v] - cells_.low(), p = scale_ * from_low;
            owner_[base_[o] + v] = static_cast<std::uint32_t>(o);
            place_[base_[o] + v] = cells_.place_of(cells_.cell_at(from_low));
            places_[base_[o] + v] = {static_cast<float>(p.x), static_cast<float>(p.y),
                                     static_cast<float>(p.z), 0};
        }
    });
    for (const std::uint32_t place : place_) cells_.count(place);
    cells_.finish_count();
    for (std::uint32_t p = 0; p < points; ++p) cells_.put(place_[p], p);
}

void PenetrationSearch::prepare_penetrated(const DepthOptions& options, const Parallel& parallel) {
    penetrated_.assign(objects_.size(), 0);
    convex_.assign(objects_.size(), 0);
    for (const Found& f : inside_) penetrated_[f.object] = 1;
    if (options.method == DepthMethod::vertex_normal)
        for (const Found& f : inside_) penetrated_[owner_[f.point]] = 1;
    normals_.resize(base_.back());
    trees_.resize(objects_.size());
    tree_shapes_.resize(objects_.size(), nullptr);
    const bool baseline = options.method != DepthMethod::consistent;
    const bool with_normals = options.normals == DepthNormals::interpolated || baseline;
    const auto prepare = [&](std::size_t o, std::vector<Vec3>& of_faces) {
        if (!penetrated_[o]) return;
        const TetObject& object = objects_[o];
        object.shape->face_normals(object.x, of_faces);
        if (with_normals)
            object.shape->vertex_normals(of_faces, std::span(normals_).subspan(base_[o], object.x.size()));
        if (options.reference && !baseline) return;
        convex_[o] = !object.self && object.shape->convex(object.x, of_faces);
        if (convex_[o] && !baseline) return;
        if (tree_shapes_[o] == object.shape)
            trees_[o].refit(object.x, object.shape->faces());
        else
            trees_[o] = Bvh(object.x, object.shape->faces());
        tree_shapes_[o] = object.shape;
    };
    parallel.chunks(objects_.size(), objects_per_task, [&](std::size_t begin, std::size_t end) {
        std::vector<Vec3> of_faces;
        for (std::size_t o = begin; o < end; ++o) prepare(o, of_faces);
    });
}

Vec3 PenetrationSearch::normal_at(std::uint32_t object, std::uint32_t face, const Vec3& weights,
                                  DepthNormals kind) const {
    PLUSH_ASSERT(face < objects_[object].shape->faces().size());
    const Triangle& f = objects_[object].shape->faces()[face];
    const auto of_face = [&] {
        const Vec3& a = x(object, f[0]);
        return normalised(cross(x(object, f[1]) - a, x(object, f[2]) - a));
    };
    if (kind == DepthNormals::face) return of_face();
    const auto at = [&](std::size_t i) { return normals_[base_[object] + static_cast<std::uint32_t>(f[i])]; };
    const Vec3 n = at(0) * weights.x + at(1) * weights.y + at(2) * weights.z;
    const double length2 = norm2(n);
    return length2 > 0 ? n * (1 / std::sqrt(length2)) : of_face();
}

void PenetrationSearch::finish(Penetration& r, const DepthSums& sums, int level) {
    if (!(norm2(sums.direction) > 0)) return;  // normals that cancel say nothing
    PLUSH_ASSERT(sums.weight > 0);
    r.depth = std::max(0.0, sums.depth / sums.weight);
    r.direction = sums.direction / norm(sums.direction);
    r.level = level;
}

/// Of the crossings of the reference path.
void PenetrationSearch::border_depths() {
    for (std::size_t i = 0; i < crossings_.size();) {
        const std::uint32_t record = crossings_[i].record;
        PLUSH_ASSERT(record < records_.size());
        Penetration& r = records_[record];
        DepthSums sums;
        for (; i < crossings_.size() && crossings_[i].record == record; ++i)
            sums.add(crossings_[i].point - x(r.owner, r.point), crossings_[i].normal);
        finish(r, sums, 0);
    }
    inner_.clear();
    for (std::uint32_t i = 0; i < records_.size(); ++i)
        if (records_[i].level < 0) inner_.push_back(i);
}

/// Points without a border edge, by owners: an owner's edges lead to no other.
void PenetrationSearch::propagate(const Parallel& parallel) {
    PLUSH_ASSERT(std::is_sorted(inner_.begin(), inner_.end()));
    const auto owner_at = [&](std::size_t i) { return records_[inner_[i]].owner; };
    std::vector<std::size_t> first;
    for (std::size_t i = 0; i < inner_.size(); ++i)
        if (i == 0 || owner_at(i) != owner_at(i - 1)) first.push_back(i);
    first.push_back(inner_.size());
    parallel.each(first.size() - 1, objects_per_task, [&](std::size_t k) {
        propagate_among(std::span(inner_).subspan(first[k], first[k + 1] - first[k]));
    });
}

void PenetrationSearch::propagate_among(std::span<const std::uint32_t> inner) {
    PLUSH_ASSERT(!inner.empty());
    const std::uint32_t owner = records_[inner.front()].owner;
    const TetShape& shape = *objects_[owner].shape;
    std::vector<std::uint32_t> left(inner.begin(), inner.end()), later;
    for (int level = 1; !left.empty(); ++level) {
        later.clear();
        for (const std::uint32_t i : left) {
            Penetration& r = records_[i];
            PLUSH_ASSERT(r.owner == owner);
            const Vec3 p = x(owner, r.point);
            DepthSums sums;
            for (const std::uint32_t v : shape.around(r.point)) {
                const Penetration* other = record_of(owner, v, r.object);
                if (!other || other->level != level - 1) continue;
                sums.add(x(owner, v) - p, other->direction, other->depth);
            }
            if (sums.weight > 0) finish(r, sums, level);
            if (r.level < 0) later.push_back(i);
        }
        if (later.size() == left.size()) return;  // no way from here to a border
        left.swap(later);
    }
}

}  // namespace plush
