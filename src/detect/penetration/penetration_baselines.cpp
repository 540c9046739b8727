#include <algorithm>

#include "core/assert.hpp"
#include "detect/penetration/penetration.hpp"

// The two baselines, for the same points as the consistent method.
//
// Closest feature: the closest point c of the object's surface; d = |c − p|, r = (c − p)/d. Exact, and what
// the paper compares with: neighbouring points that are deep may find different sides of the object.
//
// Vertex normal: back along the point's own outward normal m; d is the way along −m to the surface. Points
// inside of their own mesh have no normal and get no depth.

namespace plush {
namespace {

constexpr std::size_t records_per_task = 64;

/// As Bvh::closest, but for faces at one vertex.
ClosestPoint closest_without(const Bvh& tree, std::span<const Vec3> x, std::span<const Triangle> faces,
                             const Vec3& p, int vertex) {
    ClosestPoint best{{}, HUGE_VAL, -1, {}};
    PLUSH_ASSERT(!tree.nodes().empty());
    std::vector<std::int32_t> stack{0};
    while (!stack.empty()) {
        const Bvh::Node& node = tree.nodes()[static_cast<std::size_t>(stack.back())];
        stack.pop_back();
        if (node.box.distance2(p) > best.distance2) continue;
        if (node.count == 0) {
            stack.push_back(node.first), stack.push_back(node.first + 1);
            continue;
        }
        for (std::int32_t i = node.first; i < node.first + node.count; ++i) {
            const int f = tree.order()[static_cast<std::size_t>(i)];
            const Triangle& t = faces[static_cast<std::size_t>(f)];
            if (t[0] == vertex || t[1] == vertex || t[2] == vertex) continue;
            const Vec3 &a = x[static_cast<std::size_t>(t[0])], &b = x[static_cast<std::size_t>(t[1])],
                       &c = x[static_cast<std::size_t>(t[2])];
            const Vec3 w = closest_weights(p, a, b, c), at = a * w.x + b * w.y + c * w.z;
            const double distance2 = norm2(at - p);
            if (distance2 < best.distance2 || (distance2 == best.distance2 && f < best.triangle))
                best = {at, distance2, f, w};
        }
    }
    return best;
}

}  // namespace

void PenetrationSearch::closest_features(const Parallel& parallel) {
    parallel.each(records_.size(), records_per_task, [&](std::size_t i) {
        Penetration& r = records_[i];
        const TetObject& object = objects_[r.object];
        const Vec3& p = x(r.owner, r.point);
        PLUSH_ASSERT(tree_shapes_[r.object] == object.shape);
        const Bvh& tree = trees_[r.object];
        ClosestPoint found{{}, HUGE_VAL, -1, {}};
        if (r.owner == r.object)
            found = closest_without(tree, object.x, object.shape->faces(), p, static_cast<int>(r.point));
        else if (const auto closest = tree.closest(object.x, object.shape->faces(), p))
            found = *closest;
        if (found.triangle < 0) return;
        const Vec3 n = normal_at(r.object, static_cast<std::uint32_t>(found.triangle), found.weights,
                                 DepthNormals::face);
        r.depth = std::sqrt(found.distance2);
        r.direction = normalised(found.point - p, n);
        r.level = 0;
    });
}

void PenetrationSearch::vertex_normals(const Parallel& parallel) {
    parallel.each(records_.size(), records_per_task, [&](std::size_t i) {
        Penetration& r = records_[i];
        const TetObject& object = objects_[r.object];
        PLUSH_ASSERT(tree_shapes_[r.object] == object.shape);
        const Vec3 p = x(r.owner, r.point), back = -normals_[base_[r.owner] + r.point];
        if (!(norm2(back) > 0)) return;
        const auto faces = object.shape->faces();
        double nearest = HUGE_VAL;
        if (r.owner == r.object) {
            // Not through the faces at the point itself: the far end of the ray is as far as its own object.
            const double far = 2 * norm(trees_[r.object].bounds().size());
            for (const Triangle& f : faces) {
                FaceCrossing crossing;
                if (!touches(f, r.point) && cross_face(p, p + far * back, x(r.object, f[0]),
                                                       x(r.object, f[1]), x(r.object, f[2]), crossing))
                    nearest = std::min(nearest, far * crossing.t);
            }
        } else if (const auto hit = trees_[r.object].ray(object.x, faces, p, back, HUGE_VAL)) {
            nearest = hit->t;
        }
        if (nearest == HUGE_VAL) return;
        r.depth = nearest, r.direction = back, r.level = 0;
    });
}

}  // namespace plush
