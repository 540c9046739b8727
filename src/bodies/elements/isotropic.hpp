#pragma once

#include "plush/bodies/elastic.hpp"
#include "plush/math/vec.hpp"

// Isotropic elastic energies ψ(F) per rest volume, in the frame of the principal stretches: with F = U Σ Vᵀ
// (U and V rotations, the last σ negative in an inverted tet), P = ∂ψ/∂F = U diag(stress) Vᵀ, and for a small
// δF̂ = Uᵀ δF V
//
//     δP̂_ii = Σ_j axial_ij δF̂_jj,       δP̂_ij = straight_k δF̂_ij + crossed_k δF̂_ji     (i ≠ j, k the third).
//
// The pair (i, j) has the modes δF̂_ij = ±δF̂_ji with the eigenvalues straight ± crossed (Smith, de Goes & Kim
// 2019). Clamped at zero, and with the positive part of `axial`, the derivative is semidefinite.
//
//   corotational   ψ = μ |S − 1|² + λ/2 tr²(S − 1),  S the stretch of F = R S
//   neo-Hookean    ψ = μ/2 (|F|² − 3) + λ/2 (J − α)² − μ/2 ln(|F|² + 1) + const., α = 1 + μ/λ − μ/(4 λ)
//                  (Smith, de Goes & Kim, "Stable neo-Hookean flesh simulation", 2018), where μ and λ are
//                  4/3 μ and λ + 5/6 μ of Lamé, with which it is linear elasticity in small strains.

namespace plush {

/// Lamé's constants of linear elasticity, Pa.
struct Lame {
    double mu = 0, lambda = 0;
};
Lame lame_constants(double young, double poisson);
/// What the model's formulas take in their place.
Lame model_constants(ElasticModel model, double young, double poisson);

struct PrincipalResponse {
    Vec3 stress{};
    Mat3 axial{};
    Vec3 straight{}, crossed{};
};

/// Clamped to be semidefinite where `definite`.
PrincipalResponse principal_response(ElasticModel model, const Lame& constants, const Vec3& sigma,
                                     bool definite);

/// Of the corotational model with its frame held still.
PrincipalResponse warped_response(const Lame& constants);
/// Its stress left out, x a + y b.
PrincipalResponse combined(double x, const PrincipalResponse& a, double y, const PrincipalResponse& b);
/// δP̂ of a δF̂.
Mat3 apply(const PrincipalResponse& response, const Mat3& change);

/// ψ in J/m³, and P in Pa, without the frame.
double energy_density(ElasticModel model, const Lame& constants, const Mat3& f);
Mat3 first_stress(ElasticModel model, const Lame& constants, const Mat3& f);

/// The nearest semidefinite matrix to a symmetric one.
Mat3 positive_part(const Mat3& symmetric);

}  // namespace plush
