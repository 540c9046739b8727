#include "math/polar.hpp"
#include "math/svd3.hpp"

// R = W Vᵀ from A = W Σ Vᵀ with rotations W, V and a last singular value that carries the sign of det A; and
// the answers where that is not unique (polar.hpp lists them): of all nearest rotations the one that turns
// least.

namespace plush {
namespace {

/// Below this gap the singular vectors are rounding. It is a thousand times what the rounding of A itself
/// makes of a matrix of rank 1 (1e-16), and at 1e-12 rounding still decides R only in its fourth digit.
constexpr double no_gap = 1e-12;

/// The turn by the shortest way that takes the unit vector v to the unit vector w. The axis of a half turn is
/// perpendicular(v).
Quat shortest_arc(const Vec3& v, const Vec3& w) {
    const Vec3 middle = v + w;
    // Nearer than this to a half turn the direction of the sum is rounding.
    constexpr double half_turn = 1e-8;
    const Vec3 axis = perpendicular(v);
    if (norm(middle) < half_turn) return {0, axis.x, axis.y, axis.z};
    const Vec3 m = normalised(middle), u = cross(v, m);
    return normalised(Quat{dot(v, m), u.x, u.y, u.z});
}

/// For A = −σ Q with a rotation Q by θ about a, every Q · (half turn) is nearest; about a itself it is the
/// turn by θ − π about a. In quaternions (c, s a)(0, a) = (−s, c a).
Quat least_turn_of_inversion(const Mat3& q) {
    const Quat turn = to_quaternion(q);
    const Vec3 u{turn.x, turn.y, turn.z};
    const double s = norm(u);
    const Vec3 axis = s > no_gap ? u / s : Vec3{1, 0, 0};
    return normalised(Quat{-s, turn.w * axis.x, turn.w * axis.y, turn.w * axis.z});
}

}  // namespace

Mat3 rotation_by_svd(const Mat3& a) {
    const auto [left, sigma, right] = svd3(a);
    if (!(sigma.x > 0)) return Mat3::identity();
    if (sigma.y + sigma.z > no_gap * sigma.x) return left * transpose(right);
    if (sigma.y >= (1 - no_gap) * sigma.x) return to_matrix(least_turn_of_inversion(a * (-1 / sigma.x)));
    const Vec3 v = right.column(0), w = left.column(0);
    const Quat arc = shortest_arc(v, w);
    // Near a half turn the arc misses w by a little; a second, short one brings it there.
    return to_matrix(shortest_arc(rotate(arc, v), w) * arc);
}

}  // namespace plush
