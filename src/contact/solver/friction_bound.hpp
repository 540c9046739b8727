#pragma once

#include <cmath>

#include "plush/contact/settings.hpp"
#include "plush/math/vec.hpp"

// The set that the tangential impulse of a contact lies in.

namespace plush {

/// Onto Coulomb's disc, or the four-sided pyramid |λ_1| + |λ_2| ≤ radius.
inline void project_tangent(double& x, double& y, double radius, FrictionModel model) {
    if (radius <= 0) {
        x = y = 0;
        return;
    }
    if (model == FrictionModel::cone) {
        const double length = std::sqrt(x * x + y * y);
        if (length > radius) x *= radius / length, y *= radius / length;
        return;
    }
    const double ax = std::abs(x), ay = std::abs(y);
    if (ax + ay <= radius) return;
    const double shift = 0.5 * (ax + ay - radius);  // the nearest point of the diamond's edge, or its corner
    double px = ax - shift, py = ay - shift;
    if (px < 0) px = 0, py = radius;
    if (py < 0) py = 0, px = radius;
    x = std::copysign(px, x), y = std::copysign(py, y);
}

/// Whether friction can hold this impulse.
inline bool in_friction_bound(const Vec3& impulse, double friction, FrictionModel model) {
    const double bound = friction * impulse.x;
    if (model == FrictionModel::cone) return impulse.y * impulse.y + impulse.z * impulse.z <= bound * bound;
    return std::abs(impulse.y) + std::abs(impulse.z) <= bound;
}

}  // namespace plush
