#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "lab/validation/validate.hpp"

// Round bodies roll without slipping: down a slope with a = g sin θ / (1 + I/mR²), on level ground for ever.

namespace plush::lab {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double h = 1.0 / 240;
constexpr double radius = 0.1;  ///< of all, m

struct Roller {
    std::string name;
    Shape shape;
    double inertia;  ///< I/mR² about the axis that it rolls about
};

std::vector<Roller> rollers() {
    constexpr double half = 0.1, ring = 0.075, tube = 0.025;
    // The capsule is a cylinder and two halves of a ball; the torus has I = m (ring² + ¾ tube²).
    const double cylinder = 2 * half, ball = 4.0 / 3 * radius;
    const double capsule = (0.5 * cylinder + 0.4 * ball) / (cylinder + ball);
    return {{"sphere", Shape::sphere(radius), 0.4},
            {"cylinder", Shape::cylinder(radius, half), 0.5},
            {"capsule", Shape::capsule(radius, half), capsule},
            {"torus", Shape::torus(ring, tube), (ring * ring + 0.75 * tube * tube) / (radius * radius)}};
}

/// Its speed after some time, with gravity inclined by `angle` (degrees).
double speed_after(const Roller& roller, double angle, double speed, double time, ContactMethod method) {
    WorldSettings settings = problem_settings(h, method);
    const double a = angle * pi / 180;
    settings.gravity = {9.81 * std::sin(a), -9.81 * std::cos(a), 0};
    World world(settings);
    world.add_ground();
    const double depth = by_volume(method) ? 0.5 * usual_depth : 0;
    const BodyId body =
        world.add(Rigid{.shape = roller.shape}, {.position = {0, radius - depth, 0},
                                                 .rotation = from_axis_angle({1, 0, 0}, 90),
                                                 .velocity = {speed, 0, 0},
                                                 .angular_velocity = {0, 0, -speed / radius}});
    while (world.time() < time - 0.5 * h) step_and_book(world);
    return world.velocity(body).x;
}

// A ring that stands on its edge is unstable: 2 s, before rounding can tip it.
std::vector<Check> roll(ContactMethod method) {
    const double tolerance = by_volume(method) ? 0.03 : 0.01;
    std::vector<Check> checks;
    for (const Roller& roller : rollers()) {
        for (const double angle : {1.0, 2.0, 4.0}) {
            constexpr double time = 2;
            const double expected = 9.81 * std::sin(angle * pi / 180) / (1 + roller.inertia);
            checks.push_back(relative(fmt::format("{} on {}°, acceleration", roller.name, angle),
                                      speed_after(roller, angle, 0, time, method) / time, expected, tolerance,
                                      "m/s²", h));
        }
        const double time = roller.name == "torus" ? 2 : 5, speed = 0.5;
        checks.push_back(relative(fmt::format("{} on level ground, speed after {} s", roller.name, time),
                                  speed_after(roller, 0, speed, time, method), speed, tolerance, "m/s", h));
    }
    return checks;
}

std::string roll_limit(ContactMethod m) {
    if (m == ContactMethod::volume)
        return "images see the facets of a mesh, whose borders hold like corners: in 5 s on level ground a "
               "cylinder "
               "loses 48 % of its speed, a capsule 59 %";
    return spring_limit(m);
}

}  // namespace

std::vector<Problem> roll_problems() {
    return {{"roll", "round bodies on slopes and on level ground", true, roll, roll_limit}};
}

}  // namespace plush::lab
