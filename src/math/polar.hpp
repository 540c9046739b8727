#pragma once

#include <span>
#include <string_view>

#include "plush/math/rotation.hpp"

// Polar decomposition: A = R S with a rotation R (determinant +1) and a symmetric S. R is the rotation that
// is nearest to A, in the sense of the least sum of squares of the entries of A − R, or what is the same, of
// the largest trace of RᵀA.
//
// With the singular values σ₁ ≥ σ₂ ≥ σ₃ of A and s = sgn det A, the eigenvalues of S are σ₁, σ₂, s σ₃. So a
// matrix that reflects (det A < 0) gets a proper rotation too, and S takes the reflection along the direction
// in which A is shortest. The answer is unique where σ₂ + s σ₃ > 0, and
//
//     gap = (σ₂ + s σ₃) / σ₁
//
// is its condition: an error δ in A (relative to σ₁) turns R by about δ / gap.
//
// Where several rotations are nearest (gap below 1e-12, where rounding alone would choose) the answer is that
// one of them which turns least:
//
//   rank 3, det > 0   unique.
//   rank 3, det < 0   unique, unless σ₂ = σ₃: the shortest arc that takes v₁ to w₁ (A v₁ = σ₁ w₁). Where all
//                     three are equal, A = −σ Q with a rotation Q by θ about a: the turn by π − θ about −a;
//                     and where Q is the identity, the half turn about x.
//   rank 2            unique. S has the eigenvalue 0.
//   rank 1            the shortest arc that takes v₁ to w₁; where w₁ = −v₁, the half turn about
//                     perpendicular(v₁).
//   zero              the identity, S = 0.
//   not finite        the identity, S = 0: never a NaN out.
//
// Every A is first scaled by a power of two where it must be: size does not matter, from 5e-324 to 1.8e308.

namespace plush {

struct Polar {
    Mat3 rotation = Mat3::identity();
    Mat3 stretch{};
};

enum class PolarMethod {
    /// The engine's: closed form and one Newton turn where gap is above about 1e-3, else `svd`. R is
    /// orthonormal
    /// to 1e-14 and right to about 1e-15 / gap.
    automatic,
    /// Raw, by one-sided Jacobi. For every A; all that is said above holds. Right to about 1e-15 / gap.
    svd,
    /// Raw, by Higham's scaled Newton iteration. Right to about 1e-15 / gap while |det A| / σ₁³ is above
    /// 1e-15;
    /// below, the sign of the determinant is rounding, and the answer noise (a needle of condition 1e8).
    /// Exactly singular A give the identity.
    newton,
    /// Raw, by the square root of AᵀA (Franca 1989). Error about 1e-16 × condition² where gap is near 1, and
    /// more
    /// where it is not: fit for use by itself up to a condition of 1e3 (error 1e-10; 1e-6 for a needle), no
    /// rotation at all from 1e8 on. Raw answers are what the formula gives, so that it can be studied; what
    /// is
    /// not finite, as of singular A, is replaced by the identity.
    closed_form,
};

/// The nearest rotation and the stretch, A = rotation · stretch.
[[nodiscard]] Polar polar(const Mat3& a, PolarMethod method = PolarMethod::automatic);

/// All methods with the words they go by.
struct PolarWord {
    std::string_view word, text;
    PolarMethod method;
};
[[nodiscard]] std::span<const PolarWord> polar_choices();

// The raw routes, each in a file of its own. A is finite, its largest entry within 1e±40 or zero. They return
// rotations only, in the ranges given above, and may return what is not finite outside of them.
[[nodiscard]] Mat3 rotation_by_svd(const Mat3& a);
[[nodiscard]] Mat3 rotation_by_newton(const Mat3& a);
[[nodiscard]] Mat3 rotation_by_closed_form(const Mat3& a);
[[nodiscard]] Mat3 rotation_by_closed_form_with_det(const Mat3& a);  ///< det A in the place of √det AᵀA

/// The rotation of `automatic` where its closed form may not be used; for the batch, which has tried it.
[[nodiscard]] Mat3 rotation_outside_closed_form(const Mat3& a);

}  // namespace plush
