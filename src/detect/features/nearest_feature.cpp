#include "detect/features/nearest_feature.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/tuning.hpp"

namespace plush {

FeatureFans::FeatureFans(std::size_t vertices, std::span<const Triangle> triangles)
    : first_(vertices + 1), triangles_(3 * triangles.size()) {
    for (const Triangle& t : triangles)
        for (const int v : t) {
            PLUSH_ASSERT(v >= 0 && static_cast<std::size_t>(v) < vertices);
            ++first_[static_cast<std::size_t>(v) + 1];
        }
    for (std::size_t v = 0; v < vertices; ++v) first_[v + 1] += first_[v];
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (const int v : triangles[t])
            triangles_[next[static_cast<std::size_t>(v)]++] = static_cast<int>(t);
}

Vec3 FeatureView::normal(int triangle, const Vec3& w) const {
    if (normals) return normals->at(triangle, w);
    const auto face = [&](int t) { return pseudonormal_of_face(corner(t, 0), corner(t, 1), corner(t, 2)); };
    const Triangle& f = triangles[static_cast<std::size_t>(triangle)];
    std::array<int, 3> on{};
    std::size_t count = 0;
    for (std::size_t k = 0; k < 3; ++k)
        if (w[k] != 0) on[count++] = f[k];
    if (count != 1 && count != 2) return face(triangle);
    Vec3 sum;
    for (const int t : fans->around(static_cast<std::size_t>(on[0]))) {
        const Triangle& g = triangles[static_cast<std::size_t>(t)];
        if (count == 2) {
            if (std::find(g.begin(), g.end(), on[1]) != g.end()) sum += face(t);
            continue;
        }
        const auto at = static_cast<std::size_t>(std::find(g.begin(), g.end(), on[0]) - g.begin());
        PLUSH_ASSERT(at < 3);
        sum += angle_of_corner(corner(t, at), corner(t, (at + 1) % 3), corner(t, (at + 2) % 3)) * face(t);
    }
    return sum;
}

Vec3 FeatureView::vertex_normal(std::size_t vertex) const {
    const auto around = fans->around(vertex);
    if (around.empty()) return {};
    const Triangle& f = triangles[static_cast<std::size_t>(around.front())];
    Vec3 corner;
    for (std::size_t k = 0; k < 3; ++k) corner[k] = f[k] == static_cast<int>(vertex) ? 1 : 0;
    return normalised(normal(around.front(), corner), Vec3{});
}

double FeatureView::vertex_area(std::size_t vertex) const {
    double area = 0;
    for (const int t : fans->around(vertex))
        area += norm(cross(corner(t, 1) - corner(t, 0), corner(t, 2) - corner(t, 0))) / 6;
    return area;
}

std::optional<NearFeature> nearest_feature(const FeatureView& view, const Vec3& p, double farthest) {
    PLUSH_ASSERT(!(farthest < 0));
    const auto c = view.bvh->closest(view.positions, view.triangles, p, farthest * farthest);
    if (!c) return {};
    const Vec3 n = normalised(view.normal(c->triangle, c->weights), Vec3{}), way = p - c->point;
    const bool on_face = c->weights.x != 0 && c->weights.y != 0 && c->weights.z != 0;
    const double distance = std::sqrt(c->distance2), sign = dot(way, n) < 0 ? -1 : 1;
    const bool clear = distance > 1e-9 * norm(view.bvh->bounds().size());
    return NearFeature{c->point, c->triangle, c->weights, on_face || !clear ? n : way * (sign / distance),
                       sign * distance};
}

std::optional<NearFeature> nearest_faced(const FeatureView& view, const Vec3& p, const Vec3& m,
                                         double farthest) {
    std::optional<NearFeature> best;
    Box3 box;
    box.add(p);
    const double rounding = 1e-9 * norm(view.bvh->bounds().size());
    view.bvh->overlaps(box.grown(farthest), [&](int t) {
        const Vec3 n = view.face_normal(t);
        if (dot(m, n) > tuning::facing_limit) return;
        const Vec3 a = view.corner(t, 0), b = view.corner(t, 1), c = view.corner(t, 2);
        const Vec3 w = closest_weights(p, a, b, c), at = w.x * a + w.y * b + w.z * c;
        const Vec3 way = p - at;
        const double gap = dot(way, n);
        if (norm(way - n * gap) > std::abs(gap) + rounding || std::abs(gap) > farthest) return;
        if (!best || std::abs(gap) < std::abs(best->gap)) best = NearFeature{at, t, w, n, gap};
    });
    return best;
}

}  // namespace plush
