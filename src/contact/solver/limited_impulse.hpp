#pragma once

#include "core/tuning.hpp"
#include "plush/math/vec.hpp"

// A block of three rows whose impulse has a largest length R. With the compliance D (γ included) and w = D λ + c the law is
//
//     D λ + c = −s λ,   s ≥ 0,  |λ| ≤ R,  s (R − |λ|) = 0:
//
// the implicit step of a spring whose force grows to a limit and no further. Its energy is convex in the place of the
// spring's end (Huber's function), and an implicit step never gains any.

namespace plush {

/// The nearest point of a ball.
inline Vec3 into_ball(const Vec3& x, double radius) {
    const double length = norm(x);
    return length > radius ? x * (radius / length) : x;
}

/// `free`: −D⁻¹ c. At the limit (D + s) λ = −c with |λ| = R: the secular equation 1/|λ(s)| = 1/R is concave in s, and
/// Newton's method for it arrives from s = 0 without overshooting (Moré & Sorensen 1983).
inline Vec3 limited_impulse(const Vec3& free, const Mat3& compliance, const Vec3& c, double radius) {
    if (norm(free) <= radius) return free;
    if (!(radius > 0)) return {};
    Vec3 impulse = free;
    double s = 0;
    for (int k = 0; k < tuning::limited_iterations; ++k) {
        const Mat3 solve = inverse(compliance + Mat3::diagonal({s, s, s}));
        impulse = -(solve * c);
        const double length = norm(impulse);
        if (length <= (1 + tuning::limited_tolerance) * radius) break;
        s += length * length / dot(impulse, solve * impulse) * (length / radius - 1);
    }
    return impulse * (radius / norm(impulse));
}

}  // namespace plush
