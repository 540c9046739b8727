#include "plush/math/rotation.hpp"

#include <algorithm>
#include <numbers>

#include "core/transcendental.hpp"

namespace plush {

Quat normalised(const Quat& q) {
    const double n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    if (!(n2 > 0)) return {};
    const double s = 1.0 / std::sqrt(n2);
    return {q.w * s, q.x * s, q.y * s, q.z * s};
}

Mat3 to_matrix(const Quat& q) {
    const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return {{Vec3{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
             Vec3{2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
             Vec3{2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

// r holds all products of two components of q. The row of the largest one is divided by it, which loses no
// digits (Shepperd 1978): 4 w² = 1 + tr r, 4 x² = 1 + 2 r₀₀ − tr r, and so on.
Quat to_quaternion(const Mat3& r) {
    const double t = trace(r), x = r(0, 0), y = r(1, 1), z = r(2, 2);
    Quat q;
    if (t >= x && t >= y && t >= z)
        q = {1 + t, r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)};
    else if (x >= y && x >= z)
        q = {r(2, 1) - r(1, 2), 1 + 2 * x - t, r(0, 1) + r(1, 0), r(0, 2) + r(2, 0)};
    else if (y >= z)
        q = {r(0, 2) - r(2, 0), r(0, 1) + r(1, 0), 1 + 2 * y - t, r(1, 2) + r(2, 1)};
    else
        q = {r(1, 0) - r(0, 1), r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), 1 + 2 * z - t};
    if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
    return normalised(q);
}

// exp(v) = cos(|v|/2) + sin(|v|/2) v/|v|. Below 1e-4 rad, sin(a/2)/a = 1/2 − a²/48 + O(a⁴) is exact to
// rounding.
Quat exp_rotation(const Vec3& v) {
    const double angle = norm(v);
    const double s = angle < 1e-4 ? 0.5 - angle * angle / 48 : pinned::sin(0.5 * angle) / angle;
    return normalised(Quat{pinned::cos(0.5 * angle), s * v.x, s * v.y, s * v.z});
}

Vec3 log_rotation(const Quat& q) {
    const double sign = q.w < 0 ? -1.0 : 1.0;  // q and −q are the same rotation: take the shorter way
    const Vec3 u{sign * q.x, sign * q.y, sign * q.z};
    const double s = norm(u);
    return s < 1e-8 ? 2.0 * u : u * (2.0 * pinned::atan2(s, sign * q.w) / s);
}

Quat from_axis_angle(const Vec3& axis, double degrees) {
    return exp_rotation(normalised(axis) * (degrees * std::numbers::pi / 180));
}

Quat slerp(const Quat& a, const Quat& b, double t) {
    return normalised(exp_rotation(log_rotation(b * conjugate(a)) * t) * a);
}

}  // namespace plush
