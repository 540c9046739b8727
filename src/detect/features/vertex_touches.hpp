#pragma once

#include "detect/features/soft_features.hpp"

// Single vertices against the closed surface of a body that deforms, over a step. A vertex moves from x to x', the surface
// from its triangles now to those at the end. Two questions are asked:
//
//     where it ends      the nearest feature of the surface at the end, with the sign that tells inside from outside
//     where it came in   the first triangle that its way against the surface crosses from outside, x + Δq to x', Δq the
//                        motion of the surface where it is nearest: what ends deep in a body, or behind it, was on the other
//                        side of that triangle, and the nearest feature may be any other

namespace plush {

struct VertexTouch {
    std::uint32_t vertex = 0;
    int triangle = 0;
    Vec3 weights{};  ///< barycentric, of the point that is touched
    Vec3 point{};    ///< of the surface at the end, m
    Vec3 normal{};   ///< out of the surface, unit
    double gap = 0;  ///< m, negative inside
};

struct VertexWay {
    std::span<const Vec3> from, to;
};

/// Those vertices that end nearer to the surface than `reach`, inside it, or behind it. `before` are the points of the
/// surface at the start of the step; the features are placed where it ends.
std::vector<VertexTouch> find_vertex_touches(const VertexWay& way, const FeatureView& surface,
                                             std::span<const Vec3> before, double reach,
                                             const Parallel& parallel);

/// How the corners of a triangle move a point p that is fixed to it: v = Σ A_k v_k, with Σ A_kᵀ f the force f at p and the same
/// moment. In the plane the barycentric weights w go on outside of it; above it, at the height d over the normal n, the
/// triangle's rotation carries the point, A_k = w_k 1 − d ∇w_k nᵀ. Farther away than about the triangle's size the lever
/// would be longer than what can hold it, and is shortened.
std::array<Mat3, 3> shared_by_corners(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c,
                                      const Vec3& weights);

}  // namespace plush
