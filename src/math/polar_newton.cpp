#include "math/polar.hpp"
#include "math/svd3.hpp"

// Newton's iteration for XᵀX = 1, scaled (Higham, "Computing the polar decomposition - with applications",
// SIAM J. Sci. Stat. Comput. 7, 1986):
//
//     X ← ½ (γ X + X⁻ᵀ/γ),   γ = √(|X⁻¹| / |X|),   X₀ = A.
//
// Each singular value goes by σ ← ½ (γσ + 1/(γσ)) towards 1 and the singular vectors stay, so that X becomes
// W Vᵀ. Without γ a small σ first jumps to 1/(2σ), which is then halved step by step: 20 more steps for a
// condition of 1e6. With γ, six in all.
//
// X keeps the sign of its determinant: for det A < 0 it ends at the nearest *reflection* Q. The nearest
// rotation is Q (1 − 2 v vᵀ) with the direction v in which A is shortest, the last eigenvector of QᵀA.

namespace plush {
namespace {

double frobenius2(const Mat3& m) {
    return norm2(m.row[0]) + norm2(m.row[1]) + norm2(m.row[2]);
}

Mat3 cofactors(const Mat3& m) {
    return {{cross(m.row[1], m.row[2]), cross(m.row[2], m.row[0]), cross(m.row[0], m.row[1])}};
}

Mat3 nearest_orthogonal(const Mat3& a) {
    constexpr int max_steps = 20;         // a defined end: six are the most that were seen up to 1e7
    constexpr double last_change = 1e-8;  // convergence is quadratic: the next change would be 1e-16
    Mat3 x = a;
    for (int step = 0; step < max_steps; ++step) {
        const Mat3 cof = cofactors(x);
        const Mat3 inverse_transpose = cof * (1 / dot(x.row[0], cof.row[0]));
        const double gamma = std::sqrt(std::sqrt(frobenius2(inverse_transpose) / frobenius2(x)));
        const Mat3 next = (0.5 * gamma) * x + (0.5 / gamma) * inverse_transpose;
        const double change2 = frobenius2(next - x);
        x = next;
        if (!(change2 > last_change * last_change)) break;  // a NaN ends it too
    }
    return x;
}

}  // namespace

Mat3 rotation_by_newton(const Mat3& a) {
    const Mat3 q = nearest_orthogonal(a);
    if (!(determinant(q) < 0)) return q;  // here, too, NaN: the caller replaces it
    const Mat3 s = transpose(q) * a;
    if (!is_finite(s)) return q;
    const Vec3 v = svd3(0.5 * (s + transpose(s))).right.column(2);
    return q - 2.0 * outer(q * v, v);
}

}  // namespace plush
