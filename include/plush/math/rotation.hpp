#pragma once

#include "plush/core/export.hpp"
#include "plush/math/vec.hpp"

namespace plush {

/// A unit quaternion w + xi + yj + zk: a rotation.
struct Quat {
    double w = 1, x = 0, y = 0, z = 0;
    bool operator==(const Quat&) const = default;
};

template <>
inline constexpr bool is_plain_state<Quat> = true;

inline Quat operator*(const Quat& a, const Quat& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quat conjugate(const Quat& q) {
    return {q.w, -q.x, -q.y, -q.z};
}

/// q / |q|; the identity where q is zero.
PLUSH_API Quat normalised(const Quat& q);

/// The rotation matrix of a unit quaternion.
PLUSH_API Mat3 to_matrix(const Quat& q);

/// The unit quaternion of a rotation matrix, with w ≥ 0: the inverse of to_matrix.
PLUSH_API Quat to_quaternion(const Mat3& r);

/// The rotation by |v| radians about v: the exponential map. Exact for any length, smooth at zero.
PLUSH_API Quat exp_rotation(const Vec3& v);

/// The rotation vector of q, of length at most π: the inverse of exp_rotation.
PLUSH_API Vec3 log_rotation(const Quat& q);

/// By `degrees` about `axis` (of any length but zero).
PLUSH_API Quat from_axis_angle(const Vec3& axis, double degrees);

/// From a to b along the shorter arc, t in [0, 1].
PLUSH_API Quat slerp(const Quat& a, const Quat& b, double t);

inline Vec3 rotate(const Quat& q, const Vec3& v) {
    const Vec3 u{q.x, q.y, q.z};
    const Vec3 t = 2.0 * cross(u, v);
    return v + q.w * t + cross(u, t);
}

/// A rigid motion: first rotate, then translate.
struct Transform {
    Vec3 position{};
    Quat rotation{};

    Vec3 operator*(const Vec3& p) const { return rotate(rotation, p) + position; }
    bool operator==(const Transform&) const = default;
};

template <>
inline constexpr bool is_plain_state<Transform> = true;

/// a after b.
inline Transform operator*(const Transform& a, const Transform& b) {
    return {a * b.position, a.rotation * b.rotation};
}
inline Transform inverse(const Transform& t) {
    const Quat r = conjugate(t.rotation);
    return {rotate(r, -t.position), r};
}

}  // namespace plush
