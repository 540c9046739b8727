#include "bodies/rigid/free_rotation.hpp"

#include <algorithm>
#include <utility>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "core/tuning.hpp"
#include "math/symmetric_eigen.hpp"

// Euler's free top. In the principal frame, with ℓ = RᵀL and the axes named so that b and c are the two whose inverse
// inertias w = 1/I are nearest to each other, the energy is a sum of three parts that are exactly soluble,
//
//     ½ w_c |ℓ|²               the body turns in the world about L, by h w_c L,
//     ½ (w_a − w_c) ℓ_a²       it turns about its axis a, by h (w_a − w_c) ℓ_a,
//     ½ (w_b − w_c) ℓ_b²       it turns about its axis b, by h (w_b − w_c) ℓ_b.
//
// The first commutes with the others. Of a symmetric top (w_b = w_c) the third vanishes, and the motion is exact for any
// step. Else the last two alternate (Strang's splitting, as for rigid bodies in McLachlan 1993, and Dullweber, Leimkuhler and
// McLachlan 1997): symplectic, symmetric in time, its error in the energy bounded by the product of the angles. A solid has
// |I_b − I_c| ≤ I_a, so that of a slender or flat body the third part is small where the second is large, and a few
// substeps do. The plain splitting along x, y, z has neither property.

namespace plush {
namespace {

/// A turn about an axis of the principal frame.
struct AxisTurn {
    double cosine, sine;            // of the angle
    double half_cosine, half_sine;  // of half of it
    explicit AxisTurn(double angle)
        : half_cosine(pinned::cos(0.5 * angle)), half_sine(pinned::sin(0.5 * angle)) {
        cosine = half_cosine * half_cosine - half_sine * half_sine;
        sine = 2 * half_cosine * half_sine;
    }
};

/// Substeps for the angles that a whole step turns about a and about b.
int substeps(double about_a, double about_b) {
    if (about_b < tuning::symmetric_top) return 1;
    const double both = about_a + about_b;
    const double wanted =
        std::max(both / tuning::rotation_angle, std::sqrt(both * about_b / tuning::rotation_error));
    if (!(wanted < tuning::max_rotation_substeps)) return tuning::max_rotation_substeps;
    return std::max(1, static_cast<int>(std::ceil(wanted)));
}

}  // namespace

FreeRotation::FreeRotation(const Mat3& inertia) {
    std::array<double, 9> rows{};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) rows[3 * i + j] = 0.5 * (inertia(i, j) + inertia(j, i));
    const SymmetricEigen<3> e = symmetric_eigen<3>(rows);
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return e.values[i] < e.values[j]; });
    const auto inverse = [&](std::size_t k) { return 1 / e.values[order[k]]; };
    if (inverse(1) - inverse(2) > inverse(0) - inverse(1)) order = {order[2], order[0], order[1]};
    PLUSH_ASSERT(e.values[order[0]] > 0 && e.values[order[1]] > 0 && e.values[order[2]] > 0);
    inverse_ = {inverse(0), inverse(1), inverse(2)};
    const auto axis = [&](std::size_t k) {
        const auto& v = e.vectors[order[k]];
        return Vec3{v[0], v[1], v[2]};
    };
    const Vec3 a = axis(0), b = axis(1);
    principal_ = to_quaternion(Mat3::columns(a, b, cross(a, b)));
}

Quat FreeRotation::advance(const Quat& orientation, const Vec3& momentum, double h) const {
    const Quat frame = orientation * principal_;
    const Quat in_body = body_turn(rotate(conjugate(frame), momentum), h);
    return normalised(exp_rotation(h * inverse_.z * momentum) * (frame * in_body) * conjugate(principal_));
}

Quat FreeRotation::body_turn(Vec3 l, double h) const {
    const double about_a = inverse_.x - inverse_.z, about_b = inverse_.y - inverse_.z;
    // |ℓ| and the energy bound how fast the body can turn about an axis.
    const double twice_energy = inverse_.x * l.x * l.x + inverse_.y * l.y * l.y + inverse_.z * l.z * l.z;
    const double length = norm(l);
    const auto largest = [&](double inverse) { return std::min(length, std::sqrt(twice_energy / inverse)); };
    const int n =
        substeps(std::abs(h * about_a) * largest(inverse_.x), std::abs(h * about_b) * largest(inverse_.y));

    Quat turn;
    const auto turn_about_a = [&](double time) {
        const AxisTurn t(time * about_a * l.x);
        turn = turn * Quat{t.half_cosine, t.half_sine, 0, 0};
        l = {l.x, t.cosine * l.y + t.sine * l.z, t.cosine * l.z - t.sine * l.y};
    };
    const auto turn_about_b = [&](double time) {
        const AxisTurn t(time * about_b * l.y);
        turn = turn * Quat{t.half_cosine, 0, t.half_sine, 0};
        l = {t.cosine * l.x - t.sine * l.z, l.y, t.cosine * l.z + t.sine * l.x};
    };
    const double dt = h / n;
    turn_about_a(0.5 * dt);
    for (int i = 1; i < n; ++i) turn_about_b(dt), turn_about_a(dt);
    turn_about_b(dt);
    turn_about_a(0.5 * dt);
    return turn;
}

}  // namespace plush
