#include "detect/features/soft_features.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"

namespace plush {

SoftFeatures::SoftFeatures(std::span<const Vec3> vertices, std::span<const Triangle> triangles,
                           std::shared_ptr<const Embedding> skin)
    : triangles_(triangles.begin(), triangles.end()),
      skin_(std::move(skin)),
      points_(skin_ ? skin_->size() : vertices.size()),
      fans_(points_.size(), triangles_) {
    move(vertices);
    bvh_ = Bvh(points_, triangles_);
}

void SoftFeatures::move(std::span<const Vec3> vertices) {
    PLUSH_ASSERT(skin_ || vertices.size() == points_.size());
    if (skin_)
        skin_->apply(vertices, points_);
    else
        std::copy(vertices.begin(), vertices.end(), points_.begin());
}

void SoftFeatures::put(std::span<const Vec3> vertices) {
    move(vertices);
    bvh_.refit(points_, triangles_);
}

std::vector<Vec3> SoftFeatures::points_at(std::span<const Vec3> vertices) const {
    std::vector<Vec3> points(vertices.begin(), vertices.end());
    if (skin_) {
        points.resize(skin_->size());
        skin_->apply(vertices, points);
    }
    return points;
}

void SoftFeatures::add_vertex(std::size_t vertex, const Vec3& g, std::vector<VertexGradient>& to) const {
    PLUSH_ASSERT(vertex < points_.size());
    if (!skin_) {
        to.push_back({static_cast<std::uint32_t>(vertex), g});
        return;
    }
    for (const Embedding::Entry& e : skin_->row(vertex)) to.push_back({e.vertex, e.weight * g});
}

void SoftFeatures::add_point(int triangle, const Vec3& weights, const Vec3& g,
                             std::vector<VertexGradient>& to) const {
    PLUSH_ASSERT(triangle >= 0 && static_cast<std::size_t>(triangle) < triangles_.size());
    const Triangle& t = triangles_[static_cast<std::size_t>(triangle)];
    for (std::size_t k = 0; k < 3; ++k)
        if (weights[k] != 0) add_vertex(static_cast<std::size_t>(t[k]), weights[k] * g, to);
}

void SoftFeatures::finish(std::vector<VertexGradient>& gradients) {
    std::stable_sort(gradients.begin(), gradients.end(),
                     [](const VertexGradient& x, const VertexGradient& y) { return x.vertex < y.vertex; });
    std::size_t kept = 0;
    for (const VertexGradient& g : gradients) {
        if (kept > 0 && gradients[kept - 1].vertex == g.vertex)
            gradients[kept - 1].gradient += g.gradient;
        else
            gradients[kept++] = g;
    }
    gradients.resize(kept);
}

namespace {

/// What `look(v)` finds of so many vertices, in their order.
template <class Look>
std::vector<NearVertex> collect(std::size_t vertices, const Parallel* parallel, Look&& look) {
    constexpr std::size_t chunk = 256;
    std::vector<std::vector<NearVertex>> chunks((vertices + chunk - 1) / chunk);
    const auto visit = [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v)
            if (auto found = look(v)) chunks[v / chunk].push_back(*found);
    };
    if (parallel)
        parallel->chunks(vertices, chunk, visit);
    else
        visit(0, vertices);
    std::vector<NearVertex> all;
    for (const auto& c : chunks) all.insert(all.end(), c.begin(), c.end());
    return all;
}

std::vector<NearVertex> find_one_way(const PosedFeatures& owner, const PosedFeatures& other, bool of_b,
                                     double alarm, const Parallel* parallel) {
    const Transform to_other = inverse(other.pose) * owner.pose;
    const Box3 around = other.view.bvh->bounds().grown(alarm);
    const double farthest = std::max(alarm, other.deepest);
    return collect(owner.view.fans->size(), parallel, [&](std::size_t v) -> std::optional<NearVertex> {
        const Vec3 p = to_other * owner.view.positions[v];
        if (owner.view.fans->around(v).empty() || !around.contains(p)) return {};
        auto found = nearest_feature(other.view, p, farthest);
        if (!found || found->gap > alarm) return {};
        const Vec3 m = rotate(to_other.rotation, owner.view.vertex_normal(v));
        if (dot(m, found->normal) > tuning::facing_limit) found = nearest_faced(other.view, p, m, alarm);
        const double area = found ? owner.view.vertex_area(v) : 0;
        if (!(area > 0)) return {};
        found->point = other.pose * found->point;
        found->normal = rotate(other.pose.rotation, found->normal);
        return NearVertex{static_cast<std::uint32_t>(v), of_b, area, owner.pose * owner.view.positions[v],
                          *found};
    });
}

/// The vertex that is nearest, where it is one.
std::optional<std::uint32_t> vertex_met(const FeatureView& view, const NearFeature& near) {
    PLUSH_ASSERT(near.triangle >= 0 && static_cast<std::size_t>(near.triangle) < view.triangles.size());
    const Triangle& t = view.triangles[static_cast<std::size_t>(near.triangle)];
    for (std::size_t k = 0; k < 3; ++k)
        if (near.weights[k] == 1) return static_cast<std::uint32_t>(t[k]);
    return {};
}

}  // namespace

std::vector<NearVertex> find_near_vertices(const PosedFeatures& a, const PosedFeatures& b, double alarm,
                                           const Parallel* parallel) {
    std::vector<NearVertex> all = find_one_way(a, b, false, alarm, parallel);
    PLUSH_ASSERT(std::is_sorted(all.begin(), all.end(), [](const NearVertex& m, const NearVertex& n) {
        return m.vertex < n.vertex;
    }));
    const auto of_a = static_cast<std::ptrdiff_t>(all.size());
    const auto before = [](const NearVertex& n, std::uint32_t v) { return n.vertex < v; };
    for (const NearVertex& n : find_one_way(b, a, true, alarm, parallel)) {
        if (const auto met = vertex_met(a.view, n.near)) {
            const auto back = std::lower_bound(all.begin(), all.begin() + of_a, *met, before);
            if (back != all.begin() + of_a && back->vertex == *met &&
                vertex_met(b.view, back->near) == n.vertex)
                continue;
        }
        all.push_back(n);
    }
    return all;
}

std::vector<NearVertex> find_near_vertices(const PosedFeatures& a, const SignedDistance& b, double alarm,
                                           const Parallel* parallel) {
    return collect(a.view.fans->size(), parallel, [&](std::size_t v) -> std::optional<NearVertex> {
        if (a.view.fans->around(v).empty()) return {};
        const Vec3 p = a.pose * a.view.positions[v];
        const DistanceSample s = b.sample(p);
        const double area = s.value <= alarm ? a.view.vertex_area(v) : 0;
        if (!(area > 0)) return {};
        const Vec3 n = normalised(s.gradient);
        return NearVertex{static_cast<std::uint32_t>(v),
                          false,
                          area,
                          p,
                          {.point = p - s.value * n, .triangle = -1, .normal = n, .gap = s.value}};
    });
}

}  // namespace plush
