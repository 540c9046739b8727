#pragma once

#include <array>
#include <cmath>
#include <cstdint>

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

/// The four planes of a tet as seen from p: outward normals, and how far along them the faces are. A lane for
/// each, so that which one comes first is found without branches, for it cannot be guessed.
struct OutwardPlanes {
    using Four [[gnu::vector_size(32)]] = double;
    Four nx, ny, nz, reach;

    OutwardPlanes(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
        // From corner a: nothing, u, v, w. Of the faces opposite corners 1, 2 and 3: w × v, u × w, v × u.
        const Four x = Four{a.x, b.x, c.x, d.x} - a.x, y = Four{a.y, b.y, c.y, d.y} - a.y,
                   z = Four{a.z, b.z, c.z, d.z} - a.z;
        const Four x1 = __builtin_shufflevector(x, x, 0, 3, 1, 2),
                   x2 = __builtin_shufflevector(x, x, 0, 2, 3, 1);
        const Four y1 = __builtin_shufflevector(y, y, 0, 3, 1, 2),
                   y2 = __builtin_shufflevector(y, y, 0, 2, 3, 1);
        const Four z1 = __builtin_shufflevector(z, z, 0, 3, 1, 2),
                   z2 = __builtin_shufflevector(z, z, 0, 2, 3, 1);
        nx = y1 * z2 - z1 * y2, ny = z1 * x2 - x1 * z2, nz = x1 * y2 - y1 * x2;
        // The fourth balances them.
        nx[0] = -(nx[1] + nx[2] + nx[3]), ny[0] = -(ny[1] + ny[2] + ny[3]), nz[0] = -(nz[1] + nz[2] + nz[3]);
        const double along = x[1] * nx[1] + y[1] * ny[1] + z[1] * nz[1];
        const double sign = along > 0 ? -1 : 1;  // inside out
        nx *= sign, ny *= sign, nz *= sign;
        reach = nx * (Four{b.x, a.x, a.x, a.x} - p.x) + ny * (Four{b.y, a.y, a.y, a.y} - p.y) +
                nz * (Four{b.z, a.z, a.z, a.z} - p.z);
    }

    /// The face that a way from p meets first, but for one behind which it came; 4: none.
    std::size_t exit(const Vec3& way, std::size_t entry) const {
        using Mask [[gnu::vector_size(32)]] = std::int64_t;
        constexpr Mask lane{0, 1, 2, 3};
        const Four never = Four{} + HUGE_VAL;
        const Four slope = nx * way.x + ny * way.y + nz * way.z;
        const Mask open = (slope > 0) & (lane != static_cast<std::int64_t>(entry));
        const Four when = open ? reach / slope : never;
        const Four half = __builtin_shufflevector(when, when, 1, 0, 3, 2);
        const Four pairs = when < half ? when : half;
        const double first = pairs[0] < pairs[2] ? pairs[0] : pairs[2];
        std::size_t best = 4;
        for (std::size_t i = 4; i-- > 0;) best = when[i] == first ? i : best;
        return first < HUGE_VAL ? best : 4;
    }
};

}  // namespace plush
