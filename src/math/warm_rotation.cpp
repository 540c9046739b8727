#include "math/warm_rotation.hpp"

#include "math/polar.hpp"
#include "math/polar_kernel.hpp"

// Turn the last rotation towards the largest trace of RᵀA, until there is nothing left to turn.
//
// The idea is that of Müller, Bender, Chentanez, Macklin, "A robust method to extract the rotational part of
// deformations" (Motion in Games 2016): keep a quaternion and turn it, in the frame of the world, by
//
//     ω = Σ rᵢ × aᵢ / |Σ rᵢ · aᵢ|        (rᵢ, aᵢ the columns of R and A).
//
// In the frame of the body this is ω = b / |tr S|, with S and b of `newton_turn` (polar_kernel.hpp): a
// gradient step, with a good guess of its length. It gains a fixed factor a step. Plush divides by the whole
// second derivative H = tr S − S instead, which costs a 3×3 inverse and doubles the digits each step, and
// whose definiteness says whether the stationary point ahead is the nearest rotation or a half turn off. For
// a half turn off about an eigenvector, b is zero: Müller's iteration stays there for ever.

namespace plush {
namespace {

using polar_kernel::Column;
using polar_kernel::Columns;

Columns<double> columns_of(const Mat3& m) {
    return {{m(0, 0), m(1, 0), m(2, 0)}, {m(0, 1), m(1, 1), m(2, 1)}, {m(0, 2), m(1, 2), m(2, 2)}};
}

/// From the start's own frame: polar() turns least where it has a choice, and so ends nearest to the start.
Quat restart(const Mat3& a, const Quat& start) {
    const Mat3 seen = transpose(to_matrix(start)) * a;
    return normalised(start * to_quaternion(polar(seen).rotation));
}

}  // namespace

WarmRotation warm_rotation(const Mat3& a, const Quat& last) {
    // Farther than five turns from the end polar() is cheaper.
    constexpr int max_steps = 5;
    // The next iteration would be smaller by this factor squared, over gap: with gap > 1e-3, below 1e-9.
    constexpr double last_turn = 1e-6;
    // A turn by more than this (rad) has left the range of the quadratic model.
    constexpr double longest_turn = 2.0;

    const Quat start = normalised(last);
    const Columns<double> columns = columns_of(a);
    // The same turns twice: on the matrix, from which the next one is found, and on the quaternion.
    Columns<double> r = columns_of(to_matrix(start));
    WarmRotation out{start};
    while (out.steps < max_steps) {
        const auto turn = polar_kernel::newton_turn(r, columns, polar_kernel::least_gap);
        const double size2 = dot(turn.omega, turn.omega);
        if (!turn.safe || !(size2 < longest_turn * longest_turn)) break;
        const auto& [x, y, z] = turn.omega;
        out.rotation = out.rotation * Quat{1, 0.5 * x, 0.5 * y, 0.5 * z};
        ++out.steps;
        if (size2 < last_turn * last_turn) {
            out.rotation = normalised(out.rotation);
            return out;
        }
        r = polar_kernel::turned(r, turn.omega);
    }
    out.rotation = restart(a, start);
    out.restarted = true;
    return out;
}

}  // namespace plush
