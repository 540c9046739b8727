#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "plush/core/state.hpp"

// Small vectors and matrices. Plain aggregates, so that public headers need no library of their own and
// `{0, 1, 0}` is a position. Operations are written out in a fixed order: the bits depend on nothing else.

namespace plush {

/// A point, a vector or three numbers in a row.
struct Vec3 {
    double x = 0, y = 0, z = 0;

    double& operator[](std::size_t i) { return (&x)[i]; }
    double operator[](std::size_t i) const { return (&x)[i]; }

    Vec3& operator+=(const Vec3& b) { return *this = {x + b.x, y + b.y, z + b.z}; }
    Vec3& operator-=(const Vec3& b) { return *this = {x - b.x, y - b.y, z - b.z}; }
    Vec3& operator*=(double s) { return *this = {x * s, y * s, z * s}; }
    Vec3& operator/=(double s) { return *this = {x / s, y / s, z / s}; }
    bool operator==(const Vec3&) const = default;
};

template <>
inline constexpr bool is_plain_state<Vec3> = true;

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator-(const Vec3& a) {
    return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(const Vec3& a, double s) {
    return {a.x * s, a.y * s, a.z * s};
}
inline Vec3 operator*(double s, const Vec3& a) {
    return a * s;
}
inline Vec3 operator/(const Vec3& a, double s) {
    return {a.x / s, a.y / s, a.z / s};
}
inline double dot(const Vec3& a, const Vec3& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm2(const Vec3& a) {
    return dot(a, a);
}
inline double norm(const Vec3& a) {
    return std::sqrt(dot(a, a));
}
inline Vec3 min(const Vec3& a, const Vec3& b) {
    return {a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z};
}
inline Vec3 max(const Vec3& a, const Vec3& b) {
    return {a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z};
}
inline Vec3 abs(const Vec3& a) {
    return {std::abs(a.x), std::abs(a.y), std::abs(a.z)};
}
inline Vec3 times(const Vec3& a, const Vec3& b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline double max_component(const Vec3& a) {
    const double yz = a.y > a.z ? a.y : a.z;
    return a.x > yz ? a.x : yz;
}
inline bool is_finite(const Vec3& a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// a / |a|, or `fallback` where a has no direction.
inline Vec3 normalised(const Vec3& a, const Vec3& fallback = {0, 1, 0}) {
    const double length = norm(a);
    return length > 0 ? a / length : fallback;
}

/// Any unit vector perpendicular to the unit vector n, continuous except near n = −z (Duff et al. 2017).
inline Vec3 perpendicular(const Vec3& n) {
    const double sign = std::copysign(1.0, n.z);
    const double a = -1.0 / (sign + n.z);
    return {1.0 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x};
}

/// A 3×3 matrix by rows.
struct Mat3 {
    std::array<Vec3, 3> row{};

    static Mat3 identity() { return diagonal({1, 1, 1}); }
    static Mat3 diagonal(const Vec3& d) { return {{Vec3{d.x, 0, 0}, Vec3{0, d.y, 0}, Vec3{0, 0, d.z}}}; }
    static Mat3 columns(const Vec3& a, const Vec3& b, const Vec3& c) {
        return {{Vec3{a.x, b.x, c.x}, Vec3{a.y, b.y, c.y}, Vec3{a.z, b.z, c.z}}};
    }

    double& operator()(std::size_t i, std::size_t j) { return row[i][j]; }
    double operator()(std::size_t i, std::size_t j) const { return row[i][j]; }
    Vec3 column(std::size_t j) const { return {row[0][j], row[1][j], row[2][j]}; }

    Mat3& operator+=(const Mat3& b) {
        for (std::size_t i = 0; i < 3; ++i) row[i] += b.row[i];
        return *this;
    }
    bool operator==(const Mat3&) const = default;
};

template <>
inline constexpr bool is_plain_state<Mat3> = true;

inline Mat3 transpose(const Mat3& m) {
    return Mat3::columns(m.row[0], m.row[1], m.row[2]);
}
inline Vec3 operator*(const Mat3& m, const Vec3& v) {
    return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}
/// mᵀ v without forming mᵀ.
inline Vec3 transpose_times(const Mat3& m, const Vec3& v) {
    return m.row[0] * v.x + m.row[1] * v.y + m.row[2] * v.z;
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
    Mat3 c;
    for (std::size_t i = 0; i < 3; ++i) c.row[i] = transpose_times(b, a.row[i]);
    return c;
}
inline Mat3 operator+(Mat3 a, const Mat3& b) {
    return a += b;
}
inline Mat3 operator-(const Mat3& a, const Mat3& b) {
    return {{a.row[0] - b.row[0], a.row[1] - b.row[1], a.row[2] - b.row[2]}};
}
inline Mat3 operator*(const Mat3& a, double s) {
    return {{a.row[0] * s, a.row[1] * s, a.row[2] * s}};
}
inline Mat3 operator*(double s, const Mat3& a) {
    return a * s;
}
inline double trace(const Mat3& m) {
    return m(0, 0) + m(1, 1) + m(2, 2);
}
inline double determinant(const Mat3& m) {
    return dot(m.row[0], cross(m.row[1], m.row[2]));
}
/// The inverse by cofactors. The caller knows that the determinant is not zero.
inline Mat3 inverse(const Mat3& m) {
    const Vec3 c0 = cross(m.row[1], m.row[2]), c1 = cross(m.row[2], m.row[0]), c2 = cross(m.row[0], m.row[1]);
    const double s = 1.0 / dot(m.row[0], c0);
    return Mat3::columns(c0 * s, c1 * s, c2 * s);
}
/// a bᵀ.
inline Mat3 outer(const Vec3& a, const Vec3& b) {
    return {{a.x * b, a.y * b, a.z * b}};
}
/// [a]×, the matrix with [a]× b = a × b.
inline Mat3 skew(const Vec3& a) {
    return {{Vec3{0, -a.z, a.y}, Vec3{a.z, 0, -a.x}, Vec3{-a.y, a.x, 0}}};
}

/// An axis-aligned box; empty until something is added.
struct Box3 {
    Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL};
    Vec3 high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};

    bool empty() const { return !(low.x <= high.x && low.y <= high.y && low.z <= high.z); }
    Vec3 centre() const { return (low + high) * 0.5; }
    Vec3 size() const { return empty() ? Vec3{} : high - low; }
    void add(const Vec3& p) { low = min(low, p), high = max(high, p); }
    void add(const Box3& b) { low = min(low, b.low), high = max(high, b.high); }
    Box3 grown(double margin) const {
        const Vec3 m{margin, margin, margin};
        return {low - m, high + m};
    }
    bool contains(const Vec3& p) const {
        return p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z &&
               p.z <= high.z;
    }
    bool overlaps(const Box3& b) const {
        return low.x <= b.high.x && b.low.x <= high.x && low.y <= b.high.y && b.low.y <= high.y &&
               low.z <= b.high.z && b.low.z <= high.z;
    }
    /// The squared distance to p, zero inside.
    double distance2(const Vec3& p) const { return norm2(max(max(low - p, p - high), Vec3{})); }
};

template <>
inline constexpr bool is_plain_state<Box3> = true;

}  // namespace plush
