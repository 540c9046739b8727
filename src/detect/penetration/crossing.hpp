#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "geometry/mesh/bvh.hpp"
#include "plush/math/vec.hpp"

// What penetration depth asks of single elements. Written once and used by the reference
// and by the fast path alike, so that both see the same bits.

namespace plush {

/// A point within a tet by so much of its size counts as inside: without it, rounding could lose a point
/// between two tets of one mesh, which would then look like the outside.
inline constexpr double inside_tolerance = 1e-12;

/// The barycentric weights of p. Whether all are above −inside_tolerance; false for a tet without volume.
inline bool point_in_tet(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d,
                         std::array<double, 4>& weights) {
    const Vec3 u = b - a, v = c - a, w = d - a, s = p - a;
    const Vec3 vw = cross(v, w), us = cross(u, s);
    const double volume = dot(u, vw);
    if (volume == 0) return false;
    const double share = 1 / volume;
    const double wb = dot(s, vw) * share, wc = dot(w, us) * share, wd = -dot(v, us) * share;
    weights = {1 - wb - wc - wd, wb, wc, wd};
    return weights[0] >= -inside_tolerance && wb >= -inside_tolerance && wc >= -inside_tolerance &&
           wd >= -inside_tolerance;
}

/// Where a segment passes through a triangle.
struct FaceCrossing {
    double t = -1;   ///< at p + t (q − p)
    Vec3 weights{};  ///< on the triangle's corners
};

/// Whether the segment from p to q crosses abc. The three signed volumes change their sign exactly when an
/// edge is taken the other way round, so a segment cannot slip between two triangles of a closed surface.
inline bool cross_face(const Vec3& p, const Vec3& q, const Vec3& a, const Vec3& b, const Vec3& c,
                       FaceCrossing& out) {
    const Vec3 d = q - p, ra = a - p, rb = b - p, rc = c - p;
    const double u = dot(d, cross(rb, rc)), v = dot(d, cross(rc, ra)), w = dot(d, cross(ra, rb));
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    const double sum = u + v + w;
    if (sum == 0) return false;
    const Vec3 n = cross(b - a, c - a);
    const double t = dot(n, ra) / dot(n, d);
    if (!(t >= 0 && t <= 1)) return false;
    const double share = 1 / sum;
    out = {t, {u * share, v * share, w * share}};
    return true;
}

/// Ways shorter than this count as so long, m²: a weight 1/|way|² stays finite, and what is so close decides
/// alone.
inline constexpr double least_way2 = 1e-60;

/// Sums of stages 3 and 4: weights, depths and directions of what is known around a point.
struct DepthSums {
    double weight = 0, depth = 0;
    Vec3 direction{};

    void add(double w, double weighted_depth, const Vec3& weighted_direction) {
        weight += w, depth += weighted_depth, direction += weighted_direction;
    }
    /// A neighbour at `way` with a way out of length `d` along `n`.
    void add(const Vec3& way, const Vec3& n, double d = 0) {
        const double w = 1 / std::max(norm2(way), least_way2);
        add(w, w * (dot(way, n) + d), w * n);
    }
};

}  // namespace plush
