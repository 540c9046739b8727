#include <fmt/format.h>

#include <array>
#include <cmath>

#include "lab/validation/validate.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"

// Blows between fast bodies: where a step is long beside them, the place and the normal of a contact are those of its time,
// or the blow is another one.

namespace plush::lab {
namespace {

constexpr double step = 1.0 / 60;

WorldSettings weightless(ContactMethod method) {
    WorldSettings settings = problem_settings(step, method);
    settings.gravity = {};
    settings.contact.resting_speed = 0;
    return settings;
}

/// Two equal balls that pass each other's centre line by half of their diameter.
struct Blow {
    double diameters_a_step, phase, restitution;
};
struct Parted {
    double velocity = 0, angle = 0, spin = 0;  ///< relative, degrees, in units of the speed by the radius
    double energy = 0, angular_momentum = 0;   ///< relative
};

Parted strike(const Blow& blow, ContactMethod method) {
    constexpr double radius = 0.1, offset = 0.1;
    World world(weightless(method));
    const double speed = blow.diameters_a_step * 2 * radius / step;
    const double along = std::sqrt(4 * radius * radius - offset * offset);
    const double apart = along + speed * step * (1 + blow.phase);
    const Rigid ball{.shape = Shape::sphere(radius),
                     .material = {.friction = 0, .restitution = blow.restitution}};
    const BodyId a =
        world.add(ball, {.position = {-apart / 2, -offset / 2, 0}, .velocity = {speed / 2, 0, 0}});
    world.add(ball, {.position = {apart / 2, offset / 2, 0}, .velocity = {-speed / 2, 0, 0}});
    const double energy = world.energy().kinetic;
    const Vec3 momentum = world.angular_momentum();
    for (int k = 0; k < 4; ++k) step_and_book(world);

    const Vec3 normal = Vec3{-along, -offset, 0} / (2 * radius);  // pushes a
    const Vec3 before{speed / 2, 0, 0};
    const Vec3 exact = before - (1 + blow.restitution) * dot(before, normal) * normal;
    const Vec3 found = world.velocity(a);
    constexpr double degrees = 57.29577951308232;
    return {norm(found - exact) / norm(exact),
            degrees * std::atan2(norm(cross(found, exact)), dot(found, exact)),
            norm(world.angular_velocity(a)) * radius / speed,
            world.energy().kinetic / energy - 0.25 * (1 + 3 * blow.restitution * blow.restitution),
            norm(world.angular_momentum() - momentum) / norm(momentum)};
}

// Along the line of centres the velocities are exchanged with −e, across it nothing happens. Both balls go on with a share of
// the energy of sin² α + e² cos² α, sin α = ½.
std::vector<Check> oblique_impact(ContactMethod method) {
    std::vector<Check> checks;
    const bool mesh = by_volume(method);  // a ball is a mesh there
    for (const double e : {0.0, 0.5, 1.0}) {
        Parted worst;
        for (const double way : {0.1, 0.3, 1.0, 2.0, 4.0})
            for (int phase = 0; phase < 10; ++phase) {
                const Parted p = strike({way, 0.1 * phase + 0.03, e}, method);
                worst.velocity = std::max(worst.velocity, p.velocity);
                worst.angle = std::max(worst.angle, p.angle);
                worst.spin = std::max(worst.spin, p.spin);
                worst.energy = std::max(worst.energy, std::abs(p.energy));
                worst.angular_momentum = std::max(worst.angular_momentum, p.angular_momentum);
            }
        const auto check = [&](const char* what, double value, double bound, const char* unit) {
            checks.push_back(below(fmt::format("e = {}, {}", e, what), value, bound, unit, step));
        };
        check("velocity", worst.velocity, mesh ? 0.03 : 0.01, "");
        check("direction", worst.angle, mesh ? 3 : 1, "deg");
        check("spin", worst.spin, mesh ? 0.03 : 0.001, "v/R");
        check("energy", worst.energy, mesh ? 0.03 : 0.01, "");
        check("angular momentum", worst.angular_momentum, 1e-12, "");
    }
    return checks;
}

// A ball that clears the edge of a box by a tenth of its radius.
std::vector<Check> graze(ContactMethod method) {
    double worst = 0;
    for (int phase = 0; phase < 10; ++phase) {
        World world(weightless(method));
        world.add(Fixed{.shape = Shape::box({0.5, 0.5, 0.5})}, {});
        constexpr double radius = 0.05, clearance = 0.1 * radius;
        // Its path is level with the corner's bisector at a right angle to it.
        const double reach = (radius + clearance) / std::sqrt(2.0);
        const Vec3 direction = Vec3{1, -1, 0} / std::sqrt(2.0) * -1.0;
        const Vec3 nearest{0.5 + reach, 0.5 + reach, 0};
        const BodyId ball =
            world.add(Rigid{.shape = Shape::sphere(radius), .material = {.friction = 0}},
                      {.position = nearest - direction * (0.15 + 0.01 * phase), .velocity = 6.0 * direction});
        for (int k = 0; k < 6; ++k) step_and_book(world);
        worst = std::max(worst, norm(world.velocity(ball) - 6.0 * direction) / 6);
    }
    return {below("change of velocity", worst, 1e-12, "", step)};
}

// Balls of 2 cm against a wall of 1 cm from all sides.
std::vector<Check> bullet(ContactMethod method) {
    std::vector<Check> checks;
    for (const double speed : {5.0, 50.0, 500.0}) {
        int passed = 0;
        Random random(1);
        for (int k = 0; k < 100; ++k) {
            World world(weightless(method));
            world.add(Fixed{.shape = Shape::box({0.005, 5, 5})}, {});
            const double tilt = random.uniform(0, 0.45 * M_PI), turn = random.uniform(0, 2 * M_PI);
            const Vec3 direction{std::cos(tilt), std::sin(tilt) * std::cos(turn),
                                 std::sin(tilt) * std::sin(turn)};
            const double way = random.uniform(0.05, 0.5);
            const BodyId ball =
                world.add(Rigid{.shape = Shape::sphere(0.01)},
                          {.position = direction * -(way + 0.05), .velocity = speed * direction});
            const double time = (way + 0.1) / (speed * direction.x);
            for (int n = 0; n < static_cast<int>(time / step) + 2; ++n) step_and_book(world);
            passed += world.centre(ball).x > 0;
        }
        checks.push_back(
            absolute(fmt::format("{} m/s, balls behind the wall", speed), passed, 0, 0, "", step));
    }
    return checks;
}

std::string averaged_limit(ContactMethod m) {
    return m == ContactMethod::impulse ? std::string("the averaged impulse acts at the mean of all points")
                                       : spring_limit(m);
}

std::string blow_limit(ContactMethod m) {
    return m == ContactMethod::closest_feature
               ? std::string(
                     "every feature within the way of a step is a contact with a normal of its own; "
                     "the error falls with the step")
               : averaged_limit(m);
}

}  // namespace

std::vector<Problem> collision_problems() {
    return {{"oblique_impact", "two frictionless balls that pass 0.1 to 4 diameters a step", true,
             oblique_impact, blow_limit},
            {"graze", "a ball that clears an edge by a tenth of its radius", true, graze, spring_limit},
            {"bullet", "balls of 2 cm at 5 to 500 m/s against a wall of 1 cm", true, bullet, averaged_limit}};
}

}  // namespace plush::lab
