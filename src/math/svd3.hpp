#pragma once

#include "plush/math/vec.hpp"

namespace plush {

/// A = left · diag(sigma) · rightᵀ where left and right are both rotations (determinant +1). The price of
/// that is a sign: sigma.x ≥ sigma.y ≥ |sigma.z|, and sigma.z has the sign of det A.
struct Svd3 {
    Mat3 left = Mat3::identity();
    Vec3 sigma{};
    Mat3 right = Mat3::identity();
};

/// The singular value decomposition of a 3×3 matrix, by Jacobi rotations of its columns. Defined for every
/// finite matrix; zero gives two identities. One that is not finite is the caller's fault. About 0.5 µs.
[[nodiscard]] Svd3 svd3(const Mat3& a);

/// 0 where the largest entry of A is within 1e±40, so that sixth powers of it neither overflow nor vanish;
/// else the s for which that of 2^-s A is in [½, 1). Zero gives 0.
[[nodiscard]] int scale_exponent(const Mat3& a);
/// 2^exponent A, exact but where an entry leaves the range of a double.
[[nodiscard]] Mat3 scaled(const Mat3& a, int exponent);

[[nodiscard]] bool is_finite(const Mat3& a);

}  // namespace plush
