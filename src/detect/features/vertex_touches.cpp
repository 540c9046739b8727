#include "detect/features/vertex_touches.hpp"

#include <algorithm>

namespace plush {
namespace {

constexpr double same_side = 0.5;  // cosine: the nearest feature is where the vertex came in
constexpr double longest = 3;      // of a lever, in weights of the corners

Vec3 moved(const FeatureView& surface, std::span<const Vec3> before, const NearFeature& at) {
    const Triangle& t = surface.triangles[static_cast<std::size_t>(at.triangle)];
    Vec3 way;
    for (std::size_t k = 0; k < 3; ++k) {
        const auto corner = static_cast<std::size_t>(t[k]);
        PLUSH_ASSERT(corner < before.size());
        way += at.weights[k] * (surface.positions[corner] - before[corner]);
    }
    return way;
}

/// Where the way crosses the surface from outside; none where it starts inside, or crosses nothing.
std::optional<NearFeature> entered(const FeatureView& surface, const Vec3& from, const Vec3& to) {
    const auto hit = surface.bvh->ray(surface.positions, surface.triangles, from, to - from, 1);
    if (!hit) return {};
    const Vec3 n = normalised(surface.face_normal(hit->triangle), Vec3{});
    if (!(dot(to - from, n) < 0)) return {};
    const Vec3 at = from + hit->t * (to - from);
    return NearFeature{at, hit->triangle, hit->weights, n, dot(to - at, n)};
}

}  // namespace

std::vector<VertexTouch> find_vertex_touches(const VertexWay& way, const FeatureView& surface,
                                             std::span<const Vec3> before, double reach,
                                             const Parallel& parallel) {
    PLUSH_ASSERT(way.from.size() == way.to.size() && before.size() == surface.positions.size());
    const Box3 near = surface.bvh->bounds().grown(reach);
    Box3 swept = near;
    for (const Vec3& x : before) swept.add(x);
    constexpr std::size_t chunk = 256;
    std::vector<std::vector<VertexTouch>> chunks((way.to.size() + chunk - 1) / chunk);
    parallel.chunks(way.to.size(), chunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const Vec3 &from = way.from[v], &to = way.to[v];
            Box3 box;
            box.add(from), box.add(to);
            if (!box.overlaps(swept)) continue;
            auto found = nearest_feature(surface, to, HUGE_VAL);
            if (!found) continue;
            const auto in = entered(surface, from + moved(surface, before, *found), to);
            if (in && (found->gap > 0 || dot(found->normal, in->normal) < same_side)) found = in;
            if (found->gap <= reach)
                chunks[begin / chunk].push_back({static_cast<std::uint32_t>(v), found->triangle,
                                                 found->weights, found->point, found->normal, found->gap});
        }
    });
    std::vector<VertexTouch> all;
    for (const auto& c : chunks) all.insert(all.end(), c.begin(), c.end());
    return all;
}

std::array<Mat3, 3> shared_by_corners(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c,
                                      const Vec3& weights) {
    const Vec3 normal = cross(b - a, c - a);
    const double twice = norm(normal);
    const auto scaled = [](double w) { return Mat3::diagonal({w, w, w}); };
    std::array<Mat3, 3> parts{scaled(weights.x), scaled(weights.y), scaled(weights.z)};
    if (!(twice > 0)) return parts;
    const Vec3 n = normal / twice;
    const std::array<Vec3, 3> gradient{cross(n, c - b) / twice, cross(n, a - c) / twice,
                                       cross(n, b - a) / twice};
    const Vec3 lever = p - (weights.x * a + weights.y * b + weights.z * c);
    const double height = dot(lever, n);
    std::array<double, 3> shift{};
    double most = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        shift[k] = dot(gradient[k], lever);
        most = std::max({most, std::abs(shift[k]), std::abs(height) * norm(gradient[k])});
    }
    const double part = most > longest ? longest / most : 1;
    for (std::size_t k = 0; k < 3; ++k)
        parts[k] = scaled(weights[k] + part * shift[k]) + outer(gradient[k], n) * (-part * height);
    return parts;
}

}  // namespace plush
