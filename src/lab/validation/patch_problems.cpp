#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"

// Spinning friction of flat patches with default cells. Under one pressure a patch resists spin about its middle with
//
//     μ N (1/A) ∫ |x| dA:     disc  ⅔ R,     ring  ⅔ (R³ − r³)/(R² − r²),     square  a (√2 + ln(1 + √2))/6.
//
// Cells are fixed in the world, so each shape is spun at several places, turned by several angles.

namespace plush::lab {
namespace {

constexpr double h = 1.0 / 240, friction = 0.4, half_height = 0.01;
constexpr double pi = std::numbers::pi;

/// A flat ring about y.
Mesh ring(double outer, double inner) {
    constexpr int segments = 128;
    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;
    for (int k = 0; k < segments; ++k) {
        const double angle = 2 * pi * k / segments, c = std::cos(angle), s = std::sin(angle);
        for (const auto& [radius, y] : {std::pair{outer, -half_height}, std::pair{outer, half_height},
                                        std::pair{inner, half_height}, std::pair{inner, -half_height}})
            vertices.push_back({radius * c, y, -radius * s});
        for (int i = 0; i < 4; ++i) {
            const int a = 4 * k + i, b = 4 * k + (i + 1) % 4;
            const int next = 4 * ((k + 1) % segments), c2 = next + i, d = next + (i + 1) % 4;
            triangles.push_back({a, c2, d}), triangles.push_back({a, d, b});
        }
    }
    return Mesh(std::move(vertices), std::move(triangles));
}

struct Patch {
    std::string name;
    Shape shape;
    double mean_distance;  ///< of its area from its middle, m
};

/// The torque of friction over some steps of a patch that lies on the ground under its weight and spins, by that of the patch.
double torque_ratio(const Patch& patch, const Vec3& at, double turn, ContactMethod method) {
    const Material material{.friction = friction};
    World world(problem_settings(h, method));
    world.add_ground(0, material);
    const double depth = by_volume(method) ? 0.5 * usual_depth : 0;
    const BodyId body = world.add(Rigid{.shape = patch.shape, .mass = 1.0, .material = material},
                                  {.position = {at.x, half_height - depth, at.z},
                                   .rotation = from_axis_angle({0, 1, 0}, turn),
                                   .angular_velocity = {0, 30, 0}});
    const auto run = [&](int steps) {
        for (int k = 0; k < steps; ++k) step_and_book(world);
        return world.angular_momentum(body).y;
    };
    constexpr int first = 10, steps = 30;
    const double before = run(first), after = run(steps);
    return (before - after) / (steps * h) / (friction * 9.81 * patch.mean_distance);
}

std::vector<Check> patch_torque(ContactMethod method) {
    constexpr double size = 0.1, inner = 0.06;
    const Patch patches[] = {
        {"disc", Shape::cylinder(size, half_height), 2.0 / 3 * size},
        {"ring", Shape::mesh(ring(size, inner)),
         2.0 / 3 * (size * size * size - inner * inner * inner) / (size * size - inner * inner)},
        {"square", Shape::box({size, half_height, size}), 2 * size * (std::sqrt(2.0) + std::asinh(1.0)) / 6}};
    std::vector<Check> checks;
    for (const Patch& patch : patches) {
        double worst = 1;
        for (int k = 0; k < 6; ++k) {
            const double ratio = torque_ratio(patch, {0.031 * k, 0, -0.017 * k * k}, 10.0 * k, method);
            if (std::abs(ratio - 1) > std::abs(worst - 1)) worst = ratio;
        }
        checks.push_back(relative(fmt::format("{}, torque by Coulomb's, worst of 6 places", patch.name),
                                  worst, 1, 0.02, "", h));
    }
    return checks;
}

std::string torque_limit(ContactMethod m) {
    if (m == ContactMethod::impulse) return "one averaged point has no drilling friction";
    if (m == ContactMethod::points || m == ContactMethod::closest_feature)
        return "the ring is a mesh, of which a few points lie at the rim";
    return spring_limit(m);
}

}  // namespace

std::vector<Problem> patch_problems() {
    return {{"patch_torque", "flat patches that spin under their weight", true, patch_torque, torque_limit}};
}

}  // namespace plush::lab
