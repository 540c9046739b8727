#pragma once

#include <span>

#include "plush/geometry/mesh.hpp"

namespace plush {

/// Whether the closed triangles abc and def, neither of zero area, have a point in common. Exact.
[[nodiscard]] bool triangles_meet(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e,
                                  const Vec3& f);

/// Whether the closed segment pq and the closed triangle abc (not of zero area) have a point in common.
/// Exact.
[[nodiscard]] bool segment_meets_triangle(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b,
                                          const Vec3& c);

/// Whether two triangles of a mesh, neither of zero area, meet where they should not. Neighbours are known by
/// their indices:
/// - with a common edge (or three common vertices): when they are coplanar and folded on one another;
/// - with one common vertex: when they meet anywhere else than in it;
/// - else: when they meet at all.
[[nodiscard]] bool triangles_intersect(std::span<const Vec3> positions, const Triangle& s, const Triangle& t);

}  // namespace plush
