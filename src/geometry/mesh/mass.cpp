#include "plush/geometry/mass.hpp"

#include <fmt/format.h>

#include "core/assert.hpp"
#include "geometry/repair/solid.hpp"

// Mass, centre of mass and inertia of a solid by signed tetrahedra: by the divergence theorem a closed
// surface is the sum of the tets (o, a, b, c) over its triangles, those seen from behind counted negative.
// For one tet, with V = a·(b × c)/6 and s = a + b + c, all from o,
//
//     ∫ 1 = V,    ∫ x = V s/4,    ∫ x xᵀ = V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ).
//
// About the centre of mass C = ∫ x xᵀ − V x̄ x̄ᵀ, and the inertia is ρ (tr C · 1 − C). o is the centre of the
// bounding box: far from the origin large terms would otherwise cancel and take the digits with them.

namespace plush {
namespace {

struct Moments {
    double m = 0;
    Vec3 first{};
    Mat3 second{};
};

MassProperties about_centre(const Moments& moments, const Vec3& origin) {
    const Vec3 x = moments.first / moments.m;
    const Mat3 c = moments.second - outer(x, x) * moments.m;
    return {moments.m, origin + x, Mat3::identity() * trace(c) - c};
}

}  // namespace

Result<MassProperties> mass_properties(const Mesh& mesh, double density) {
    if (!(density > 0 && density < HUGE_VAL))
        return Error({.place = "density",
                      .problem = fmt::format("{} kg/m³ is not a density", density),
                      .cure = "give a number above 0"});
    if (Result<void> solid = require_solid(mesh); !solid) return solid.error();
    const Vec3 o = mesh.bounds().centre();
    const auto at = [&](int i) { return mesh.positions()[static_cast<std::size_t>(i)] - o; };
    Moments moments;
    for (const Triangle& t : mesh.triangles()) {
        const Vec3 a = at(t[0]), b = at(t[1]), c = at(t[2]), s = a + b + c;
        const double m = density * dot(a, cross(b, c)) / 6;
        moments.m += m;
        moments.first += m / 4 * s;
        moments.second += m / 20 * (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s));
    }
    return about_centre(moments, o);
}

MassProperties mass_properties(std::span<const Vec3> positions, std::span<const double> masses) {
    PLUSH_ASSERT(positions.size() == masses.size());
    Box3 box;
    for (const Vec3& p : positions) box.add(p);
    const Vec3 o = box.empty() ? Vec3{} : box.centre();
    Moments moments;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const Vec3 r = positions[i] - o;
        moments.m += masses[i];
        moments.first += masses[i] * r;
        moments.second += masses[i] * outer(r, r);
    }
    if (!(moments.m > 0)) return {0, o, {}};  // nothing there: no centre of mass to speak of
    return about_centre(moments, o);
}

}  // namespace plush
