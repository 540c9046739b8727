#pragma once

#include <array>

#include "geometry/bvh.hpp"
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

/// The four planes of a tet as seen from p: outward normals, and how far along them the faces are.
struct OutwardPlanes {
    Vec3 normal[4];
    double reach[4];

    OutwardPlanes(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
        const Vec3 u = b - a, v = c - a, w = d - a;
        // Of the faces opposite corners 1, 2 and 3; the fourth balances them.
        normal[1] = cross(w, v), normal[2] = cross(u, w), normal[3] = cross(v, u);
        normal[0] = -(normal[1] + normal[2] + normal[3]);
        if (dot(u, normal[1]) > 0)  // inside out
            for (Vec3& n : normal) n = -n;
        const Vec3 to_a = a - p;
        reach[0] = dot(normal[0], b - p);
        for (std::size_t i = 1; i < 4; ++i) reach[i] = dot(normal[i], to_a);
    }

    /// The face that a way from p meets first, but for one behind which it came; 4: none.
    std::size_t exit(const Vec3& way, std::size_t entry) const {
        double first = 1, first_slope = 0;  // reach / slope, as two numbers: no division
        std::size_t best = 4;
        for (std::size_t i = 0; i < 4; ++i) {
            const double slope = dot(normal[i], way);
            if (i == entry || !(slope > 0)) continue;
            if (best == 4 || reach[i] * first_slope < first * slope)
                first = reach[i], first_slope = slope, best = i;
        }
        return best;
    }
};

}  // namespace plush
