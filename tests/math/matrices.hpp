#pragma once

#include <cmath>

#include "plush/core/random.hpp"
#include "plush/math/rotation.hpp"

// Random matrices whose singular vectors and values are known before anything is decomposed.

namespace plush::test {

inline Quat random_turn(Random& random) {
    Quat q;
    double n2;
    do {
        q = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
        n2 = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
    } while (n2 > 1 || n2 < 0.01);
    return normalised(q);
}

inline double size(const Mat3& m) {
    return std::sqrt(norm2(m.row[0]) + norm2(m.row[1]) + norm2(m.row[2]));
}

/// |RᵀR − 1|.
inline double skewness(const Mat3& r) {
    return size(transpose(r) * r - Mat3::identity());
}

/// The angle of a rotation, rad.
inline double angle_of(const Mat3& r) {
    return norm(log_rotation(to_quaternion(r)));
}

/// The angle between two rotations, rad: q and −q are the same.
inline double angle_between(const Quat& a, const Quat& b) {
    return norm(log_rotation(b * conjugate(a)));
}

/// a = left diag(sigma) rightᵀ with rotations left and right.
struct Known {
    Mat3 left, right;
    Vec3 sigma{};
    Mat3 a{};

    Known(Random& random, const Vec3& values)
        : left(to_matrix(random_turn(random))), right(to_matrix(random_turn(random))), sigma(values) {
        a = left * Mat3::diagonal(sigma) * transpose(right);
    }
    Mat3 rotation() const { return left * transpose(right); }
    Mat3 stretch() const { return right * Mat3::diagonal(sigma) * transpose(right); }
    double gap() const { return (sigma.y + sigma.z) / sigma.x; }
};

/// Condition log-uniform up to `most`, the middle value anywhere between, det of both signs.
inline Vec3 random_values(Random& random, double most) {
    const double condition = std::pow(most, random.uniform());
    const double middle = std::pow(condition, -random.uniform());
    return {1, middle, random.uniform() < 0.5 ? 1 / condition : -1 / condition};
}

}  // namespace plush::test
