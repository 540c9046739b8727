#include "detect/depth_images/surface_patches.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/assert.hpp"
#include "geometry/mesh/topology.hpp"

namespace plush {
namespace {

constexpr std::uint32_t nobody = ~std::uint32_t{0};

std::vector<Triangle> triangles_of(const SurfaceClusters& surface) {
    std::vector<Triangle> all(surface.corners().size());
    for (std::size_t t = 0; t < all.size(); ++t) {
        const auto v = surface.triangle_vertices(t);
        all[t] = {static_cast<int>(v[0]), static_cast<int>(v[1]), static_cast<int>(v[2])};
    }
    return all;
}

}  // namespace

const SurfacePatches* LazyPatches::of(const SurfaceView& view) const {
    if (refusals_.load() > 0 && refusals_.fetch_sub(1) > 0) return nullptr;
    std::call_once(made_, [&] {
        const auto vertices = view.surface->vertices();
        std::vector<Vec3> points;
        for (std::size_t c = 0; c < view.surface->clusters().size(); ++c) {
            const std::size_t first = view.surface->clusters()[c].first_vertex;
            view.each_vertex(c, [&](std::size_t i, const Vec3& x) {
                const std::size_t v = vertices[first + i];
                if (points.size() <= v) points.resize(v + 1);
                points[v] = x;
            });
        }
        patches_ = std::make_unique<const SurfacePatches>(*view.surface, points);
    });
    return patches_.get();
}

SurfacePatches::SurfacePatches(const SurfaceClusters& surface, std::span<const Vec3> points) {
    const std::vector<Triangle> all = triangles_of(surface);
    pair_edges(points.size(), all);
    cut(surface, all, points);
    join(surface, points.size());
}

/// The triangle across each edge; of several the last.
void SurfacePatches::pair_edges(std::size_t vertices, std::span<const Triangle> all) {
    across_.assign(all.size(), {nobody, nobody, nobody});
    const EdgeTable edges(vertices, all);
    for (std::size_t e = 0; e < edges.size(); ++e) {
        manifold_ = manifold_ && edges[e].size() == 2 && edges[e][0].triangle != edges[e][1].triangle;
        for (const EdgeUse& x : edges[e])
            for (const EdgeUse& y : edges[e])
                if (x.triangle != y.triangle)
                    across_[static_cast<std::size_t>(x.triangle)][static_cast<std::size_t>(x.corner)] =
                        static_cast<std::uint32_t>(y.triangle);
    }
}

/// Patches grow triangle by triangle, to the nearest of their cluster that faces about as they do. They begin
/// where the fewest neighbours are left, and take those first that would be left alone: few patches are small
/// then.
void SurfacePatches::cut(const SurfaceClusters& surface, std::span<const Triangle> all,
                         std::span<const Vec3> points) {
    constexpr double alike = 0.7;  // of normals, the cosine
    constexpr double patches_across = 14;
    std::vector<Vec3> centres(all.size()), normals(all.size());
    for (std::size_t t = 0; t < all.size(); ++t) {
        const auto corner = [&](std::size_t k) { return points[static_cast<std::size_t>(all[t][k])]; };
        centres[t] = (corner(0) + corner(1) + corner(2)) / 3;
        normals[t] = normalised(cross(corner(1) - corner(0), corner(2) - corner(0)), {});
    }
    const auto box_of = [&](std::size_t t) {
        Box3 box;
        for (const int v : all[t]) box.add(points[static_cast<std::size_t>(v)]);
        return box;
    };
    Box3 extent;
    for (const Vec3& p : points) extent.add(p);
    const double widest = max_component(extent.size()) / patches_across;
    patch_of_.assign(all.size(), nobody);
    const auto left_around = [&](std::uint32_t t) {
        return std::count_if(across_[t].begin(), across_[t].end(), [&](std::uint32_t next) {
            return next != nobody && patch_of_[next] == nobody &&
                   surface.cluster_of(next) == surface.cluster_of(t);
        });
    };
    std::vector<std::uint32_t> patch;
    const auto grow = [&](std::uint32_t first) {
        PLUSH_ASSERT(patch_of_[first] == nobody);
        const std::uint32_t cluster = surface.cluster_of(first);
        const auto number = static_cast<std::uint32_t>(corners_.size());
        patch.assign(1, first);
        patch_of_[first] = number;
        Vec3 sum = centres[first], facing = normals[first];
        Box3 box = box_of(first);
        while (patch.size() < max_triangles) {
            const Vec3 middle = sum / static_cast<double>(patch.size());
            std::uint32_t best = nobody;
            double nearest = HUGE_VAL;
            for (const std::uint32_t t : patch)
                for (const std::uint32_t next : across_[t]) {
                    if (next == nobody || patch_of_[next] != nobody || surface.cluster_of(next) != cluster)
                        continue;
                    constexpr double sooner = 0.25;  // what would be left alone
                    const double away =
                        norm2(centres[next] - middle) * (left_around(next) == 0 ? sooner : 1.0);
                    if (away >= nearest || dot(normals[next], facing) < alike * norm(facing)) continue;
                    Box3 wider = box;
                    wider.add(box_of(next));
                    if (max_component(wider.size()) > widest) continue;
                    nearest = away, best = next;
                }
            if (best == nobody) break;
            patch_of_[best] = number;
            patch.push_back(best);
            sum += centres[best], facing += normals[best];
            box.add(box_of(best));
        }
        counts_.push_back(static_cast<std::uint8_t>(patch.size()));
        std::copy(patch.begin(), patch.end(), triangles_.emplace_back().begin());
        Corners& places = corners_.emplace_back();
        for (std::size_t l = 0; l < max_triangles; ++l) {
            const auto at = surface.triangle_places(patch[std::min(l, patch.size() - 1)]);
            for (std::size_t k = 0; k < 3; ++k) places[k][l] = at[k];
        }
    };
    for (const SurfaceClusters::Cluster& cluster : surface.clusters()) {
        first_.push_back(static_cast<std::uint32_t>(corners_.size()));
        const std::uint32_t end = cluster.first_triangle + cluster.triangles;
        for (;;) {
            std::uint32_t best = nobody;
            std::ptrdiff_t fewest = 4;
            for (std::uint32_t t = cluster.first_triangle; t < end && fewest > 0; ++t)
                if (patch_of_[t] == nobody && left_around(t) < fewest) best = t, fewest = left_around(t);
            if (best == nobody) break;
            grow(best);
        }
    }
    first_.push_back(static_cast<std::uint32_t>(corners_.size()));
}

/// The vertices of a patch, each once.
std::vector<std::uint32_t> SurfacePatches::vertices_of(const SurfaceClusters& surface,
                                                       std::size_t patch) const {
    std::vector<std::uint32_t> all;
    for (const auto& corner : corners_[patch])
        for (std::size_t l = 0; l < counts_[patch]; ++l) all.push_back(surface.vertices()[corner[l]]);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

/// Which patches have a common vertex, what is connected by such, and where three or more meet.
void SurfacePatches::join(const SurfaceClusters& surface, std::size_t vertices) {
    // The triangles around each vertex, as the fans have them, rising.
    std::vector<std::uint32_t> first(vertices + 1, 0), around;
    const auto each_corner = [&](const auto& visit) {
        for (std::uint32_t p = 0; p < size(); ++p)
            for (std::uint32_t l = 0; l < counts_[p]; ++l)
                for (const auto& corner : corners_[p])
                    visit(surface.vertices()[corner[l]], p * max_triangles + l);
    };
    each_corner([&](std::uint32_t v, std::uint32_t) {
        PLUSH_ASSERT(v < vertices);
        ++first[v + 1];
    });
    std::partial_sum(first.begin(), first.end(), first.begin());
    around.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    each_corner([&](std::uint32_t v, std::uint32_t place) { around[next[v]++] = place; });
    const auto fan_of = [&](std::uint32_t v) {
        return std::span(around).subspan(first[v], first[v + 1] - first[v]);
    };
    const auto each_patch = [&](std::uint32_t v, const auto& visit) {
        std::uint32_t last = nobody;
        for (const std::uint32_t place : fan_of(v))
            if (const std::uint32_t p = place / max_triangles; p != std::exchange(last, p)) visit(p);
    };
    std::vector<std::uint32_t> meeting_at(vertices, nobody);
    first_of_fan_.assign(1, 0), first_meeting_.assign(1, 0);
    for (std::size_t p = 0; p < size(); ++p) {
        for (const std::uint32_t v : vertices_of(surface, p)) {
            int patches = 0;
            each_patch(v, [&](std::uint32_t) { ++patches; });
            if (patches < 3 || fan_of(v)[0] / max_triangles != p) continue;
            meeting_at[v] = static_cast<std::uint32_t>(meetings());
            fans_.insert(fans_.end(), fan_of(v).begin(), fan_of(v).end());
            first_of_fan_.push_back(static_cast<std::uint32_t>(fans_.size()));
        }
        first_meeting_.push_back(static_cast<std::uint32_t>(meetings()));
    }
    DisjointSets parts(size());
    first_neighbour_.assign(1, 0), first_shared_.assign(1, 0);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> beside;  // a patch, and where it is met
    for (std::uint32_t p = 0; p < size(); ++p) {
        beside.clear();
        for (const std::uint32_t v : vertices_of(surface, p))
            each_patch(v, [&](std::uint32_t q) {
                if (q != p) beside.emplace_back(q, meeting_at[v]);
            });
        std::sort(beside.begin(), beside.end());
        for (std::size_t k = 0; k < beside.size(); ++k) {
            if (beside[k].second != nobody) shared_.push_back(beside[k].second);
            if (k + 1 < beside.size() && beside[k + 1].first == beside[k].first) continue;
            neighbours_.push_back(beside[k].first);
            first_shared_.push_back(static_cast<std::uint32_t>(shared_.size()));
            parts.merge(static_cast<int>(p), static_cast<int>(beside[k].first));
        }
        first_neighbour_.push_back(static_cast<std::uint32_t>(neighbours_.size()));
    }
    for (std::uint32_t p = 0; p < size(); ++p)
        if (parts.root(static_cast<int>(p)) == static_cast<int>(p)) parts_.push_back(p);
}

}  // namespace plush
