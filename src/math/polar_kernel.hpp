#pragma once

#include <cmath>

// The nearest rotation without a branch, for one matrix (D = double) or for several side by side (D = Pack):
// the same source, and so the same bits.
//
// The stretch S of A = R S has the eigenvalues u₁ = σ₁, u₂ = σ₂, u₃ = ±σ₃ with the sign of det A, and the
// invariants λ = u₁ + u₂ + u₃, κ = u₁u₂ + u₂u₃ + u₃u₁, det A.
//
//  1. Franca's formula for λ (polar_closed_form.cpp tells it), with det A in the place of √det AᵀA: the root
//     with the sign is what makes it right for reflections. Its cosine of a third of an angle is a polynomial here.
//  2. λ is also the largest root of (λ² − |A|²)² − 8 λ det A − 4 |cof A|² = 0. One Newton step on it gives
//     back the digits that the cosine lost.
//  3. R = ((κ + |A|²) A + λ cof A − A AᵀA) / ζ,  ζ = λ κ − det A = (u₁ + u₂)(u₂ + u₃)(u₃ + u₁)
//     (Markley, "Attitude determination using vector observations: a fast optimal matrix algorithm", 1993).
//     It needs no inverse, so a flat A (rank 2) is as good as any. ζ is zero exactly where R is not unique.
//  4. One Newton-Schulz step, R ← R (3 − RᵀR)/2, makes R orthonormal to rounding.
//  5. One Newton turn towards the largest trace of RᵀA makes it the nearest (`newton_turn` below). Its
//  inverse
//     matrix is known by then: tr S − S has the determinant ζ, and by Cayley and Hamilton
//
//         (tr S − S)⁻¹ = (AᵀA + κ) / ζ.
//
// Step 3 loses about 1e-16/gap², and steps 4 and 5 square what is left: with gap ≥ 1e-3 the result is as good
// as its condition allows, about 1e-16/gap. `inside` says whether this can be trusted. It compares with <, so
// that a NaN anywhere is outside.

namespace plush::polar_kernel {

template <class D>
struct Column {
    D x, y, z;
};

template <class D>
Column<D> operator+(const Column<D>& a, const Column<D>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class D>
Column<D> operator-(const Column<D>& a, const Column<D>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class D>
Column<D> operator*(const Column<D>& a, const D& s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class D>
D dot(const Column<D>& a, const Column<D>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class D>
Column<D> cross(const Column<D>& a, const Column<D>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class D>
struct Columns {
    Column<D> c0, c1, c2;
};

inline double select(bool condition, double a, double b) {
    return condition ? a : b;
}
inline double square_root(double x) {
    return std::sqrt(x);
}
template <class D>
D larger(const D& a, const D& b) {
    return select(a > b, a, b);
}
template <class D>
D smaller(const D& a, const D& b) {
    return select(a < b, a, b);
}

/// cos(⅔ acos h) for h in [0, 1], to 6e-10: cos(φ/3) of a cosine x = cos φ is this at h = cos(φ/2) =
/// √((1 + x)/2). As a function of h it has no corner at either end (its nearest singularity is h = −1), so
/// that ten coefficients do. Chebyshev interpolation, written in powers of 2h − 1, and summed by pairs of
/// pairs (Estrin): the chain of operations that wait for one another is half as long as Horner's.
template <class D>
D cosine_of_two_thirds(const D& h) {
    const D t = D(2.0) * h - D(1.0), t2 = t * t, t4 = t2 * t2;
    const auto pair = [&](double low, double high) { return D(high) * t + D(low); };
    const D c01 = pair(7.660444427315944e-01, 2.4740906643480187e-01),
            c23 = pair(-1.5509169100049892e-02, 2.4663472272806962e-03),
            c45 = pair(-5.042780095646293e-04, 1.1646974924648389e-04),
            c67 = pair(-2.8499026488404416e-05, 7.419527330654319e-06),
            c89 = pair(-2.496172163546362e-06, 6.969387442268272e-07);
    return (c89 * t4 + (c67 * t2 + c45)) * t4 + (c23 * t2 + c01);
}

/// The trace λ of the stretch from the invariants I = |A|², II = |cof A|² of AᵀA and d = det A.
template <class D>
[[gnu::always_inline]] inline D trace_of_stretch(const D& i, const D& ii, const D& d) {
    // Equal singular values: k is rounding alone, and the floor keeps the quotient finite.
    const D k = larger(i * i - D(3.0) * ii, D(1e-30) * i * i);
    const D root_k = square_root(k);
    const D l = i * i * i - D(4.5) * i * ii + D(13.5) * d * d;
    const D cosine = larger(smaller(l / (k * root_k), D(1.0)), D(-1.0));
    const D third = cosine_of_two_thirds(square_root(D(0.5) + D(0.5) * cosine));
    const D first2 = (i + D(2.0) * root_k * third) * D(1.0 / 3.0);  // σ₁²
    const D first = square_root(first2);
    const D rest = larger(i - first2 + D(2.0) * d / first, D(0.0));  // (u₂ + u₃)²
    const D trace = first + square_root(rest);
    const D kappa = D(0.5) * (trace * trace - i);
    return trace - (kappa * kappa - D(2.0) * trace * d - ii) / (D(2.0) * (trace * kappa - d));
}

/// The turn ω in the frame of R towards the largest trace of exp(ω)ᵀ RᵀA. With B = RᵀA, S its symmetric part
/// and b the vector of B − Bᵀ,
///
///     tr(exp(ω)ᵀ B) = tr B + b·ω − ½ ωᵀ H ω + O(ω³),   H = tr S − S,   ω = H⁻¹ b.
///
/// H has the eigenvalues u₂ + u₃, u₁ + u₃, u₁ + u₂. Where b = 0 and H is positive definite, R is the nearest
/// rotation, and the only one: no other stationary R has a definite H. `safe` says that det H > least · (tr
/// S)³ and that H is definite.
template <class D>
auto newton_turn(const Columns<D>& r, const Columns<D>& a, double least) {
    const D b00 = dot(r.c0, a.c0), b01 = dot(r.c0, a.c1), b02 = dot(r.c0, a.c2);
    const D b10 = dot(r.c1, a.c0), b11 = dot(r.c1, a.c1), b12 = dot(r.c1, a.c2);
    const D b20 = dot(r.c2, a.c0), b21 = dot(r.c2, a.c1), b22 = dot(r.c2, a.c2);
    const Column<D> b{b21 - b12, b02 - b20, b10 - b01};
    const D h00 = b11 + b22, h11 = b00 + b22, h22 = b00 + b11;
    const D h01 = D(-0.5) * (b01 + b10), h02 = D(-0.5) * (b02 + b20), h12 = D(-0.5) * (b12 + b21);
    const Column<D> g0{h11 * h22 - h12 * h12, h02 * h12 - h01 * h22, h01 * h12 - h02 * h11};
    const Column<D> g1{g0.y, h00 * h22 - h02 * h02, h01 * h02 - h00 * h12};
    const Column<D> g2{g0.z, g1.z, h00 * h11 - h01 * h01};
    const D det = h00 * g0.x + h01 * g0.y + h02 * g0.z;
    const D trace = b00 + b11 + b22;
    const D s = D(1.0) / det;
    const decltype(h00 > h11) safe =
        (h00 > D(0.0)) & (g2.z > D(0.0)) & (trace > D(0.0)) & (det > D(least) * trace * trace * trace);
    struct Turn {
        Column<D> omega;
        decltype(h00 > h11) safe;
    };
    return Turn{{dot(g0, b) * s, dot(g1, b) * s, dot(g2, b) * s}, safe};
}

/// R exp(ω) up to a third-order error in the angle, and orthonormal if R is: Cayley's formula with u = ω/2,
/// 1 + 2 ([u]× + [u]×²) / (1 + u²).
template <class D>
Columns<D> turned(const Columns<D>& r, const Column<D>& omega) {
    const Column<D> u = omega * D(0.5);
    const D u2 = dot(u, u), s = D(2.0) / (D(1.0) + u2), keep = D(1.0) - s * u2;
    const Column<D> w = r.c0 * u.x + r.c1 * u.y + r.c2 * u.z;
    return {r.c0 * keep + (r.c1 * u.z - r.c2 * u.y + w * u.x) * s,
            r.c1 * keep + (r.c2 * u.x - r.c0 * u.z + w * u.y) * s,
            r.c2 * keep + (r.c0 * u.y - r.c1 * u.x + w * u.z) * s};
}

/// Where the kernel's answer is used: ζ > least_gap λ³. ζ/λ³ is 8/27 for a rotation and gap where gap is
/// small, unless A is nearly an inversion, where σ₁ − σ₃ is small too. The worst error of step 3 is then
/// 1e-10.
inline constexpr double least_gap = 1e-3;
/// |A|² outside of these is left to the route that scales: third powers of it must not overflow.
inline constexpr double least_size2 = 1e-80, max_size2 = 1e80;
/// Largest |RᵀR − 1|² before step 4 and |ω|² in step 5: step 4 leaves 1e-12 of it at worst; step 5 adds R
/// [ω]× alone, and ω²/2 is below rounding. Step 3 stays far below where ζ is right; next to an inversion (A =
/// −σ Q) rounding makes λ and ζ, and these see it.
inline constexpr double max_skew2 = 1e-12, max_turn2 = 1e-16;
/// How well the trace of RᵀA must be λ, of λ: far above rounding, far below what two turned-over axes change.
inline constexpr double trace_error = 1e-6;

template <class D>
struct Invariants {
    D i, ii, d;  ///< |A|², |cof A|², det A
};

template <class D>
[[gnu::always_inline]] inline Invariants<D> invariants(const Columns<D>& a) {
    const Column<D> side0 = cross(a.c1, a.c2), side1 = cross(a.c2, a.c0), side2 = cross(a.c0, a.c1);
    return {dot(a.c0, a.c0) + dot(a.c1, a.c1) + dot(a.c2, a.c2),
            dot(side0, side0) + dot(side1, side1) + dot(side2, side2), dot(a.c0, side0)};
}

/// Steps 3 to 5, with the λ of steps 1 and 2.
template <class D>
[[gnu::always_inline]] inline auto rotation_of_trace(const Columns<D>& a, const Invariants<D>& of,
                                                     const D& lambda) {
    const Columns<D> cof{cross(a.c1, a.c2), cross(a.c2, a.c0), cross(a.c0, a.c1)};
    const D c00 = dot(a.c0, a.c0), c11 = dot(a.c1, a.c1), c22 = dot(a.c2, a.c2);
    const D c01 = dot(a.c0, a.c1), c02 = dot(a.c0, a.c2), c12 = dot(a.c1, a.c2);
    const D &i = of.i, &d = of.d;
    const D kappa = D(0.5) * (lambda * lambda - i), zeta = lambda * kappa - d;
    const D factor = kappa + i, s = D(1.0) / zeta;
    Columns<D> r{(a.c0 * (factor - c00) + cof.c0 * lambda - a.c1 * c01 - a.c2 * c02) * s,
                 (a.c1 * (factor - c11) + cof.c1 * lambda - a.c0 * c01 - a.c2 * c12) * s,
                 (a.c2 * (factor - c22) + cof.c2 * lambda - a.c0 * c02 - a.c1 * c12) * s};

    const D e00 = D(1.0) - dot(r.c0, r.c0), e11 = D(1.0) - dot(r.c1, r.c1), e22 = D(1.0) - dot(r.c2, r.c2);
    const D e01 = dot(r.c0, r.c1), e02 = dot(r.c0, r.c2), e12 = dot(r.c1, r.c2);
    const D skew2 = e00 * e00 + e11 * e11 + e22 * e22 + D(2.0) * (e01 * e01 + e02 * e02 + e12 * e12);
    const D half(0.5), one(1.0);
    r = {r.c0 * (one + half * e00) - (r.c1 * e01 + r.c2 * e02) * half,
         r.c1 * (one + half * e11) - (r.c0 * e01 + r.c2 * e12) * half,
         r.c2 * (one + half * e22) - (r.c0 * e02 + r.c1 * e12) * half};

    // RᵀA = S + ½ [b]×. Its trace is λ where R is what λ stands for: then 2 λ, (3 λ² − |A|²)/2 and ζ are the
    // invariants of tr S − S, and that is positive definite if and only if they are positive. Even so R could
    // be a reflection, where rounding made λ.
    const Column<D> b{dot(r.c2, a.c1) - dot(r.c1, a.c2), dot(r.c0, a.c2) - dot(r.c2, a.c0),
                      dot(r.c1, a.c0) - dot(r.c0, a.c1)};
    const Column<D> omega{((c00 + kappa) * b.x + c01 * b.y + c02 * b.z) * s,
                          (c01 * b.x + (c11 + kappa) * b.y + c12 * b.z) * s,
                          (c02 * b.x + c12 * b.y + (c22 + kappa) * b.z) * s};
    const D off = dot(r.c0, a.c0) + dot(r.c1, a.c1) + dot(r.c2, a.c2) - lambda,
            near = D(trace_error) * lambda;
    const D det = dot(r.c0, cross(r.c1, r.c2)), lambda2 = lambda * lambda;
    const decltype(i > d) inside = (i > D(least_size2)) & (i < D(max_size2)) & (det > D(0.0)) &
                                   (zeta > D(least_gap) * lambda * lambda2) & (D(3.0) * lambda2 > i) &
                                   (off < near) & (D(0.0) - near < off) & (skew2 < D(max_skew2)) &
                                   (dot(omega, omega) < D(max_turn2));
    struct Found {
        Columns<D> rotation;
        decltype(i > d) inside;
    };
    return Found{{r.c0 + (r.c1 * omega.z - r.c2 * omega.y), r.c1 + (r.c2 * omega.x - r.c0 * omega.z),
                  r.c2 + (r.c0 * omega.y - r.c1 * omega.x)},
                 inside};
}

template <class D>
auto nearest_rotation(const Columns<D>& a) {
    const Invariants<D> of = invariants(a);
    return rotation_of_trace(a, of, trace_of_stretch(of.i, of.ii, of.d));
}

}  // namespace plush::polar_kernel
