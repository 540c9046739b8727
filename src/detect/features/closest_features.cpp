#include "detect/features/closest_features.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"

// A vertex meets the feature of the other surface that is nearest to it (nearest_feature.hpp), and touches
// only what its own normal faces. Above the rim of a face, with the wall beside it nearest, it gets a second
// look: at the nearest face of those that it faces.
//
// Two edges pass each other where the shortest way between their lines, along d_a × d_b, ends within both,
// and leaves each between its two faces: with `in` from the edge into a face, n·in ≤ 0 for the faces of b and
// −n·in ≤ 0 for those of a. Then the way is shortest among all nearby points of both surfaces; inside the
// sign of n stays what the faces say.

namespace plush {
namespace {

/// The sine of the angle by which a way may leave the wedge between two faces. Faces that lie on each other
/// are never quite parallel, and would stand on one half of their rims only, on the other in the next step.
constexpr double wedge_slack = 0.02;
/// The squared sine of the angle between edges that count as parallel.
constexpr double parallel = 1e-10;

/// Each once, in rising order.
std::vector<int> sorted(std::vector<int> items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    return items;
}

struct Found {
    Vec3 place, normal;  ///< half-way, and out of the surface that was asked; in its frame
    double gap = 0;
};

/// One surface asked by the features of another.
class Asked {
public:
    Asked(const FeatureSide& owner, const FeatureSide& other, const Reach& reach, bool of_b,
          std::vector<PointHit>& hits)
        : owner_(owner.surface),
          other_(other.surface),
          reach_(reach),
          farthest_(reach.margin +
                    reach.step * (norm(owner.body.common_velocity() - other.body.common_velocity()) +
                                  owner.body.speed_spread() + other.body.speed_spread())),
          of_b_(of_b),
          to_other_(inverse(other.body.pose()) * owner.body.pose()),
          to_world_(other.body.pose()),
          owner_motion_(owner.body.motion()),
          other_motion_(other.body.motion()),
          hits_(hits) {}

    /// The owner's triangles that come near the other's box.
    std::vector<int> near_triangles() const {
        const Transform back = inverse(to_other_);
        const Box3 around = other_.bvh.bounds().grown(farthest_);
        Box3 region;
        for (int k = 0; k < 8; ++k)
            region.add(back * Vec3{k & 1 ? around.low.x : around.high.x, k & 2 ? around.low.y : around.high.y,
                                   k & 4 ? around.low.z : around.high.z});
        std::vector<int> found;
        owner_.bvh.overlaps(region, [&](int t) { found.push_back(t); });
        return found;
    }

    void vertex(std::size_t i) {
        PLUSH_ASSERT(i < owner_.vertex_normals.size());
        const Vec3 p = place(static_cast<int>(i));
        const Vec3 m = rotate(to_other_.rotation, owner_.vertex_normals[i]);
        if (other_.bvh.bounds().distance2(p) > farthest_ * farthest_) return;
        auto found = nearest(p);
        if (!found) return;
        if (dot(m, found->normal) > tuning::facing_limit) found = faced(p, m);
        if (found) add(i, *found);
    }

    void edge(std::size_t i) {
        PLUSH_ASSERT(i < owner_.edges.size());
        const FeatureSurface::Edge& e = owner_.edges[i];
        const Vec3 a = place(e.a), b = place(e.b);
        Box3 box;
        box.add(a), box.add(b);
        std::vector<int> near;
        other_.bvh.overlaps(box.grown(farthest_), [&](int t) {
            for (const int k : other_.edges_of[static_cast<std::size_t>(t)])
                if (k >= 0) near.push_back(k);
        });
        for (const int k : sorted(std::move(near)))
            if (const auto found = passing(e, a, b, other_.edges[static_cast<std::size_t>(k)]))
                add(owner_.mesh.positions().size() + i, *found);
    }

    void measure(const PointName& name) {
        const std::size_t vertices = owner_.mesh.positions().size();
        if (name.point < vertices)
            vertex(name.point);
        else
            edge(name.point - vertices);
    }

    bool of_b() const { return of_b_; }
    const FeatureSurface& owner() const { return owner_; }

private:
    Vec3 place(int vertex) const {
        return to_other_ * owner_.mesh.positions()[static_cast<std::size_t>(vertex)];
    }

    std::optional<Found> nearest(const Vec3& p) const {
        const auto c = nearest_feature(other_.view(), p, farthest_);
        if (!c) return {};
        return Found{0.5 * (p + c->point), c->normal, c->gap};
    }

    std::optional<Found> faced(const Vec3& p, const Vec3& m) const {
        const auto c = nearest_faced(other_.view(), p, m, farthest_);
        if (!c) return {};
        return Found{p - c->normal * (0.5 * c->gap), c->normal, c->gap};
    }

    std::optional<Found> passing(const FeatureSurface::Edge& mine, const Vec3& a, const Vec3& b,
                                 const FeatureSurface::Edge& its) const {
        const Vec3 c = other_.mesh.positions()[static_cast<std::size_t>(its.a)];
        const Vec3 u = b - a, v = other_.mesh.positions()[static_cast<std::size_t>(its.b)] - c, w = a - c;
        const double uu = norm2(u), vv = norm2(v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
        const double det = uu * vv - uv * uv;
        if (!(det > parallel * uu * vv)) return {};
        const double s = (uv * vw - vv * uw) / det, t = (uu * vw - uv * uw) / det;
        if (!(s > 0 && s < 1 && t > 0 && t < 1)) return {};
        const auto turned = [&](const Vec3& x) { return rotate(to_other_.rotation, x); };
        Vec3 n = normalised(cross(u, v));
        if (dot(n, its.normal - turned(mine.normal)) < 0) n = -n;
        for (std::size_t k = 0; k < 2; ++k)
            if (dot(n, its.in[k]) > wedge_slack || dot(n, turned(mine.in[k])) < -wedge_slack) return {};
        const Vec3 p = a + s * u, q = c + t * v;
        const double gap = dot(p - q, n);
        if (std::abs(gap) > farthest_) return {};
        return Found{0.5 * (p + q), n, gap};
    }

    void add(std::size_t i, const Found& found) {
        const Vec3 position = to_world_ * found.place, outward = rotate(to_world_.rotation, found.normal);
        if (found.gap > reach_.margin) {
            const double approach = dot(other_motion_.at(position) - owner_motion_.at(position), outward);
            if (found.gap > reach_.margin + reach_.step * std::max(approach, 0.0)) return;
        }
        hits_.push_back({.point = static_cast<std::uint32_t>(i),
                         .of_b = of_b_,
                         .position = position,
                         .normal = of_b_ ? -outward : outward,
                         .depth = -found.gap});
    }

    const FeatureSurface &owner_, &other_;
    const Reach reach_;
    const double farthest_;
    const bool of_b_;
    const Transform to_other_, to_world_;
    const Motion owner_motion_, other_motion_;
    std::vector<PointHit>& hits_;
};

std::vector<int> vertices_of(const FeatureSurface& surface, std::span<const int> triangles) {
    std::vector<int> all;
    for (const int t : triangles)
        for (const int v : surface.mesh.triangles()[static_cast<std::size_t>(t)]) all.push_back(v);
    return sorted(std::move(all));
}

std::vector<int> edges_of(const FeatureSurface& surface, std::span<const int> triangles) {
    std::vector<int> all;
    for (const int t : triangles)
        for (const int e : surface.edges_of[static_cast<std::size_t>(t)])
            if (e >= 0) all.push_back(e);
    return sorted(std::move(all));
}

}  // namespace

void find_feature_hits(const FeatureSide& a, const FeatureSide& b, const Reach& reach,
                       std::vector<PointHit>& hits) {
    Asked ways[] = {{a, b, reach, false, hits}, {b, a, reach, true, hits}};
    for (Asked& way : ways) {
        const std::vector<int> near = way.near_triangles();
        for (const int v : vertices_of(way.owner(), near)) way.vertex(static_cast<std::size_t>(v));
        if (way.of_b()) continue;  // the edges of a have met those of b
        for (const int e : edges_of(way.owner(), near)) way.edge(static_cast<std::size_t>(e));
    }
}

void measure_features(const FeatureSide& a, const FeatureSide& b, const Reach& reach,
                      std::span<const PointName> names, std::vector<PointHit>& hits) {
    Asked ways[] = {{a, b, reach, false, hits}, {b, a, reach, true, hits}};
    for (std::size_t k = 0; k < names.size(); ++k) {
        // An edge that passes several others is there once for each of them.
        const bool again =
            k > 0 && names[k].point == names[k - 1].point && names[k].of_b == names[k - 1].of_b;
        if (!again) ways[names[k].of_b].measure(names[k]);
    }
}

}  // namespace plush
