#pragma once

#include <span>
#include <vector>

#include "plush/math/vec.hpp"

// Signs of orientation determinants that are always right, however close to zero. Idea and error bounds:
// Shewchuk 1997 (see expansion.hpp). First in plain doubles with a bound on the rounding error; where the
// bound cannot decide, again in exact arithmetic.
//
// Range: the exact part must neither overflow nor underflow. It is exact where every coordinate is zero or
// has a magnitude between 2⁻²⁸⁰ and 2³³⁰ m: then all differences are multiples of 2⁻³³², their triple
// products and the errors of these multiples of 2⁻¹⁰⁴⁹, above the smallest double, and no sum reaches 2¹⁰⁰⁰.
// What helps beyond is in_predicate_range(): a power of two changes no sign.

namespace plush {

/// The sign of (b−a) × (c−a) · (d−a): +1 where d is on the side from which abc runs counter-clockwise, 0
/// where the four are coplanar.
[[nodiscard]] int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

/// The sign of (a₁−a₀) × (b₁−b₀) · (p−a₀): the side of p of the plane through a₀ along two edges.
[[nodiscard]] int orient3d_edges(const Vec3& a0, const Vec3& a1, const Vec3& b0, const Vec3& b1,
                                 const Vec3& p);

/// The sign of the area of abc seen along a coordinate axis (0, 1, 2 for x, y, z), from its positive end: +1
/// for counter-clockwise.
[[nodiscard]] int orient2d(const Vec3& a, const Vec3& b, const Vec3& c, std::size_t axis);

/// Whether a, b, c lie on one line (or coincide).
[[nodiscard]] bool collinear(const Vec3& a, const Vec3& b, const Vec3& c);

/// +1 where e is inside the sphere through a, b, c, d, 0 where it is on it, −1 outside; for orient3d(a, b, c,
/// d) > 0. Exact where every coordinate is zero or has a magnitude between 2⁻¹⁴⁰ and 2¹⁹⁰ m: the products
/// have five factors.
[[nodiscard]] int insphere(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d, const Vec3& e);

/// The positions, scaled by a power of two where the range of the predicates asks for it. What is then
/// smaller than 2⁻²⁸⁰ becomes zero: it was below 2⁻²⁷⁹ of the largest coordinate.
[[nodiscard]] std::vector<Vec3> in_predicate_range(std::span<const Vec3> positions);

}  // namespace plush
