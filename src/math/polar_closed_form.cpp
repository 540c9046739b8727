#include <algorithm>

#include "core/transcendental.hpp"
#include "math/polar.hpp"

// The square root of C = AᵀA in closed form (Franca, "An algorithm to compute the square root of a 3×3
// positive definite matrix", Computers & Mathematics with Applications 18, 1989). I, II, III are the
// invariants of C, I_U, II_U, III_U those of its root U:
//
//     k = I² − 3 II,   l = I³ − 9/2 I·II + 27/2 III,   φ = acos(l / k^{3/2}),   λ² = (I + 2 √k cos(φ/3)) / 3
//     III_U = √III,    I_U = λ + √(−λ² + I + 2 III_U/λ),   II_U = (I_U² − I)/2
//     U = (I_U III_U 1 + (I_U² − II_U) C − C²) / (I_U II_U − III_U),   R = A U⁻¹.
//
// λ = σ₁ by Viète's solution of the characteristic equation of C; the next line is (σ₂ + σ₃)², and U is what
// the theorem of Cayley and Hamilton makes of C = U² and its invariants. If k is tiny all σ are equal.
//
// The root of III takes the sign of det A here: nothing in the derivation needs it positive, the last
// eigenvalue of U becomes −σ₃, and R the nearest rotation of a matrix that reflects.
//
// The weakness: C has the squared condition. Its entries, of size σ₁², carry rounding of 1e-16 σ₁², and in it
// σ₃² drowns when σ₃/σ₁ nears 1e-8; U⁻¹ divides by what is left. Half of the lost digits come back if III_U
// is taken from A itself, as det A, and not from C: the second function below, for comparison.

namespace plush {

namespace {

/// R from C and III_U, the product of the eigenvalues of U.
Mat3 rotation_from(const Mat3& a, const Mat3& c, double iii_u) {
    const Mat3 one = Mat3::identity();
    const double i = trace(c), iii = iii_u * iii_u;
    const double ii = c(0, 0) * c(1, 1) - c(0, 1) * c(1, 0) + c(1, 1) * c(2, 2) - c(1, 2) * c(2, 1) +
                      c(2, 2) * c(0, 0) - c(2, 0) * c(0, 2);
    const double k = i * i - 3 * ii;
    // k is the spread of the σ², squared, beside i²: below this it is rounding.
    constexpr double tiny = 1e-15;
    if (k <= tiny * i * i && iii_u > 0) return a * (1 / std::sqrt(i / 3));
    const double root_k = std::sqrt(std::max(k, tiny * i * i));
    const double l = i * i * i - 4.5 * i * ii + 13.5 * iii;
    const double phi = pinned::acos(std::clamp(l / (root_k * root_k * root_k), -1.0, 1.0));
    const double lambda2 = (i + 2 * root_k * pinned::cos(phi / 3)) / 3, lambda = std::sqrt(lambda2);
    const double i_u = lambda + std::sqrt(std::max(0.0, -lambda2 + i + 2 * iii_u / lambda));
    const double ii_u = 0.5 * (i_u * i_u - i);
    const Mat3 u = (1 / (i_u * ii_u - iii_u)) * ((i_u * iii_u) * one + (i_u * i_u - ii_u) * c - c * c);
    return a * inverse(u);
}

}  // namespace

Mat3 rotation_by_closed_form(const Mat3& a) {
    const Mat3 c = transpose(a) * a;
    return rotation_from(a, c, std::copysign(std::sqrt(std::max(0.0, determinant(c))), determinant(a)));
}

Mat3 rotation_by_closed_form_with_det(const Mat3& a) {
    return rotation_from(a, transpose(a) * a, determinant(a));
}

}  // namespace plush
