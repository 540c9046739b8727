#include <cmath>
#include <numbers>

#include "lab/validation/validate.hpp"
#include "plush/core/random.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"

// Intersection volumes against closed forms. Spheres are meshes of 80,000 triangles, made as large as the
// ball they stand for, so that what is left is the error of the columns.

namespace plush::lab {
namespace {

using std::numbers::pi;

Mesh ball(double radius) {
    const Mesh mesh = shapes::icosphere(radius, 80'000);
    return mesh.transformed({}, std::cbrt(4 * pi / 3 * radius * radius * radius / volume(mesh)));
}

Vec3 some_direction() {
    return normalised(Vec3{0.48, 0.76, -0.31});
}

/// A ball of radius R, sunk by d into a half-space: V = π d² (3R − d)/3, ∂V/∂d = π d (2R − d).
std::vector<Check> sphere_plane(ContactMethod) {
    std::vector<Check> checks;
    const double r = 0.5;
    const Mesh mesh = ball(r);
    const Vec3 n = some_direction();
    for (const double d : {0.02, 0.1, 0.4}) {
        const Vec3 at{0.3, -0.2, 0.7};
        const OverlapReport o = try_overlap_half_space(mesh, {at}, n, dot(n, at) - r + d).value();
        const std::string what = "d = " + std::to_string(d).substr(0, 4) + " m: ";
        checks.push_back(relative(what + "volume", o.volume, pi * d * d * (3 * r - d) / 3, 0.01, "m³", 0));
        const double slope = o.overlaps.empty() ? 0 : norm(o.overlaps[0].gradient);
        checks.push_back(relative(what + "slope", slope, pi * d * (2 * r - d), 0.01, "m²", 0));
    }
    return checks;
}

/// Two balls D apart: V = π (r₁+r₂−D)² (D² + 2D(r₁+r₂) − 3(r₁−r₂)²)/(12 D).
std::vector<Check> sphere_sphere(ContactMethod) {
    std::vector<Check> checks;
    const double r1 = 0.5, r2 = 0.3, sum = r1 + r2;
    const Mesh a = ball(r1), b = ball(r2);
    for (const double distance : {0.78, 0.7, 0.4}) {
        const OverlapReport o = overlap(a, {}, b, {some_direction() * distance});
        const double exact = pi * (sum - distance) * (sum - distance) *
                             (distance * distance + 2 * distance * sum - 3 * (r1 - r2) * (r1 - r2)) /
                             (12 * distance);
        const std::string what = "D = " + std::to_string(distance).substr(0, 4) + " m: ";
        checks.push_back(relative(what + "volume", o.volume, exact, 0.01, "m³", 0));
        // The circle in which they meet.
        const double x = (distance * distance + r1 * r1 - r2 * r2) / (2 * distance);
        const double slope = o.overlaps.empty() ? 0 : norm(o.overlaps[0].gradient);
        checks.push_back(relative(what + "slope", slope, pi * (r1 * r1 - x * x), 0.01, "m²", 0));
    }
    return checks;
}

/// Boxes along the axes: the product of the overlaps; the gradient is the area of the faces.
std::vector<Check> box_box(ContactMethod) {
    std::vector<Check> checks;
    const Mesh box = shapes::box({0.5, 0.5, 0.5});
    const auto add = [&](const std::string& what, const Vec3& shift, const Quat& axes, double tolerance) {
        const Vec3 o = Vec3{1, 1, 1} - shift;
        const OverlapReport r = overlap(box, {{0.01, 0.02, 0.03}}, box, {shift + Vec3{0.01, 0.02, 0.03}},
                                        {.pixel = 1.0 / 64, .axes = axes});
        checks.push_back(relative(what + ": volume", r.volume, o.x * o.y * o.z, tolerance, "m³", 0));
        const Vec3 faces{o.y * o.z, o.z * o.x, o.x * o.y};
        const Vec3 got = r.overlaps.empty() ? Vec3{} : r.overlaps[0].gradient;
        checks.push_back(
            relative(what + ": gradient", norm(got - faces) + norm(faces), norm(faces), tolerance, "m²", 0));
    };
    // Aligned with the pixels it is exact: the boxes are put on the lattice.
    const OverlapReport exact = overlap(box, {}, box, {{0.75, 0.5, 0.25}}, {.pixel = 1.0 / 64});
    checks.push_back(relative("on the pixels: volume", exact.volume, 0.09375, 1e-12, "m³", 0));
    checks.push_back(relative("on the pixels: gradient",
                              exact.overlaps.empty() ? 0 : norm(exact.overlaps[0].gradient),
                              norm(Vec3{0.375, 0.1875, 0.125}), 1e-12, "m²", 0));
    // Off them a face lies up to half a pixel beside its columns: first order in the pixel, 1/(64 · 0.25).
    add("off the pixels", {0.7537, 0.4911, 0.2613}, {}, 0.09);
    add("off the pixels, images tilted", {0.7537, 0.4911, 0.2613}, tilted_axes(), 0.01);
    return checks;
}

/// Σ ∂V/∂p = 0 to rounding; Σ p × ∂V/∂p → 0 and V unchanged under a common rigid motion, at the order of the
/// pixel.
std::vector<Check> invariance(ContactMethod) {
    std::vector<Check> checks;
    const Mesh a = generate({.shape = "bear"}).value(), b = generate({.shape = "octopus"}).value();
    const Transform pose{{0.25, 0.2, 0.1}, exp_rotation({0.3, 1, 0.2})};
    const auto measured = [&](const Transform& all, double pixel) {
        return overlap(a, all, b, all * pose,
                       {.pixel = pixel, .split = OverlapSplit::whole, .gradients = true});
    };
    const double pixel = 1.0 / 128;
    const OverlapReport at = measured({}, pixel);
    Vec3 force, torque;
    double size = 0, lever = 0;
    const Mesh moved = b.transformed(pose);
    for (const auto& [rows, mesh] :
         {std::pair{&at.overlaps.at(0).a, &a}, std::pair{&at.overlaps.at(0).b, &moved}})
        for (const VertexGradient& g : *rows) {
            const Vec3 p = mesh->positions()[g.vertex] - at.overlaps[0].centre;
            force += g.gradient, torque += cross(p, g.gradient);
            size += norm(g.gradient), lever += norm(p) * norm(g.gradient);
        }
    checks.push_back(below("sum of the gradient", norm(force) / size, 1e-12, "", 0));
    checks.push_back(below("sum of its moments", norm(torque) / lever, pixel, "", 0));
    Random random(5);
    double worst = 0;
    for (int i = 0; i < 6; ++i) {
        const Vec3 v{random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)};
        const Transform all{v, exp_rotation({v.y, v.z, v.x})};
        worst = std::max(worst, std::abs(measured(all, pixel).volume / at.volume - 1));
    }
    checks.push_back(below("change of the volume by a common motion", worst, pixel, "", 0));
    return checks;
}

}  // namespace

std::vector<Problem> overlap_problems() {
    return {{"sphere_plane", "the cap of a ball that is sunk into a half-space", false, sphere_plane},
            {"sphere_sphere", "the lens of two balls", false, sphere_sphere},
            {"box_box", "the overlap of two boxes along the axes", false, box_box},
            {"invariance", "the overlap of two figures wherever they are moved together", false, invariance}};
}

}  // namespace plush::lab
