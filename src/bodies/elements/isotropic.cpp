#include "bodies/elements/isotropic.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/transcendental.hpp"
#include "math/polar.hpp"
#include "math/svd3.hpp"

namespace plush {
namespace {

double alpha(const Lame& c) {
    PLUSH_ASSERT(c.lambda > 0);
    return 1 + 0.75 * c.mu / c.lambda;
}

Mat3 cofactors(const Mat3& f) {
    return {{cross(f.row[1], f.row[2]), cross(f.row[2], f.row[0]), cross(f.row[0], f.row[1])}};
}

double norm2(const Mat3& m) {
    return plush::norm2(m.row[0]) + plush::norm2(m.row[1]) + plush::norm2(m.row[2]);
}

PrincipalResponse corotational(const Lame& c, const Vec3& s) {
    const double mean = c.lambda * (s.x + s.y + s.z - 3);
    PrincipalResponse r;
    for (std::size_t i = 0; i < 3; ++i) {
        r.stress[i] = 2 * c.mu * (s[i] - 1) + mean;
        for (std::size_t j = 0; j < 3; ++j) r.axial(i, j) = c.lambda + (i == j ? 2 * c.mu : 0);
        // A turn of the frame: δR = 2/(σ_i + σ_j) of an antisymmetric δF. The sum is zero where the nearest
        // rotation jumps; kept from there, since a stiffness beyond all bounds would help nobody.
        const double sum = std::max(s[(i + 1) % 3] + s[(i + 2) % 3], 0.1);
        const double turn = 2 * c.mu + 2 * (mean - 2 * c.mu) / sum, shear = 2 * c.mu;
        r.straight[i] = 0.5 * (shear + turn);
        r.crossed[i] = 0.5 * (shear - turn);
    }
    return r;
}

PrincipalResponse neo_hookean(const Lame& c, const Vec3& s) {
    const double square = plush::norm2(s), volume = s.x * s.y * s.z;
    const double shear = c.mu * (1 - 1 / (square + 1)), pressure = c.lambda * (volume - alpha(c));
    const Vec3 side{s.y * s.z, s.z * s.x, s.x * s.y};
    PrincipalResponse r;
    for (std::size_t i = 0; i < 3; ++i) {
        r.stress[i] = shear * s[i] + pressure * side[i];
        for (std::size_t j = 0; j < 3; ++j)
            r.axial(i, j) = 2 * c.mu * s[i] * s[j] / ((square + 1) * (square + 1)) +
                            c.lambda * side[i] * side[j] + (i == j ? shear : pressure * s[3 - i - j]);
        r.straight[i] = shear;
        r.crossed[i] = -pressure * s[i];
    }
    return r;
}

}  // namespace

Lame lame_constants(double young, double poisson) {
    PLUSH_ASSERT(young >= 0 && poisson > -1 && poisson < 0.5);
    return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

Lame model_constants(ElasticModel model, double young, double poisson) {
    const Lame c = lame_constants(young, poisson);
    if (model == ElasticModel::corotational) return c;
    return {4.0 / 3 * c.mu, c.lambda + 5.0 / 6 * c.mu};
}

Mat3 positive_part(const Mat3& symmetric) {
    const Svd3 d = svd3(symmetric);
    return 0.5 * (symmetric + d.right * Mat3::diagonal(abs(d.sigma)) * transpose(d.right));
}

PrincipalResponse principal_response(ElasticModel model, const Lame& constants, const Vec3& sigma,
                                     bool definite) {
    PrincipalResponse r =
        model == ElasticModel::corotational ? corotational(constants, sigma) : neo_hookean(constants, sigma);
    if (!definite) return r;
    r.axial = positive_part(r.axial);
    for (std::size_t k = 0; k < 3; ++k) {
        const double plus = std::max(0.0, r.straight[k] + r.crossed[k]);
        const double minus = std::max(0.0, r.straight[k] - r.crossed[k]);
        r.straight[k] = 0.5 * (plus + minus);
        r.crossed[k] = 0.5 * (plus - minus);
    }
    return r;
}

PrincipalResponse warped_response(const Lame& c) {
    PrincipalResponse r;
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) r.axial(i, j) = c.lambda + (i == j ? 2 * c.mu : 0);
        r.straight[i] = r.crossed[i] = c.mu;
    }
    return r;
}

PrincipalResponse combined(double x, const PrincipalResponse& a, double y, const PrincipalResponse& b) {
    PrincipalResponse r;
    r.axial = x * a.axial + y * b.axial;
    r.straight = x * a.straight + y * b.straight;
    r.crossed = x * a.crossed + y * b.crossed;
    return r;
}

Mat3 apply(const PrincipalResponse& r, const Mat3& change) {
    Mat3 p;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
            if (i != j)
                p(i, j) = r.straight[3 - i - j] * change(i, j) + r.crossed[3 - i - j] * change(j, i);
            else
                for (std::size_t k = 0; k < 3; ++k) p(i, i) += r.axial(i, k) * change(k, k);
        }
    return p;
}

double energy_density(ElasticModel model, const Lame& c, const Mat3& f) {
    if (model == ElasticModel::corotational) {
        const Mat3 strain = polar(f).stretch - Mat3::identity();
        const double t = trace(strain);
        return c.mu * norm2(strain) + 0.5 * c.lambda * t * t;
    }
    const double square = norm2(f), change = determinant(f) - alpha(c);
    const double rest = 0.5 * c.lambda * (1 - alpha(c)) * (1 - alpha(c)) - 0.5 * c.mu * pinned::log(4.0);
    return 0.5 * c.mu * (square - 3) + 0.5 * c.lambda * change * change -
           0.5 * c.mu * pinned::log(square + 1) - rest;
}

Mat3 first_stress(ElasticModel model, const Lame& c, const Mat3& f) {
    if (model == ElasticModel::corotational) {
        const Polar p = polar(f);
        return 2 * c.mu * (f - p.rotation) + c.lambda * (trace(p.stretch) - 3) * p.rotation;
    }
    const double square = norm2(f);
    return c.mu * (1 - 1 / (square + 1)) * f + c.lambda * (determinant(f) - alpha(c)) * cofactors(f);
}

}  // namespace plush
