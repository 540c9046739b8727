#include <cmath>
#include <numbers>

#include "lab/validation/validate.hpp"

// Motion without contact.

namespace plush::lab {
namespace {

// Semi-implicit Euler in a uniform field, summed: y_n = y₀ + v₀ n h − g h² n (n+1)/2. The error is rounding
// alone.
std::vector<Check> free_fall(ContactMethod) {
    const double h = 1.0 / 240, g = 9.81, y0 = 10, v0 = 3;
    const int n = 480;
    World world(problem_settings(h));
    const BodyId ball =
        world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {0, y0, 0}, .velocity = {0, v0, 0}});
    const BodyId dust = world.add(Particles{.positions = {{1, y0, 0}}, .velocities = {{0, v0, 0}}});
    for (int i = 0; i < n; ++i) step_and_book(world);
    const double expected = y0 + v0 * n * h - g * h * h * n * (n + 1) / 2;
    return {relative("height of a rigid ball", world.centre(ball).y, expected, 1e-12, "m", h),
            relative("height of a particle", world.centre(dust).y, expected, 1e-12, "m", h)};
}

// A box of half-sizes 0.1, 0.2, 0.3 and 1 kg spun about its middle axis tumbles: the sign of ω along that
// axis, seen from the body, changes at 2.0970 s and every 5.1102 s after (half the period of the Jacobi
// elliptic solution of Euler's equations, integrated independently). Energy and |L| are
// constant.
std::vector<Check> flip(ContactMethod) {
    const double h = 1.0 / 240, first = 2.0970, period = 5.1102;
    WorldSettings settings = problem_settings(h);
    settings.gravity = {};
    World world(settings);
    const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.2, 0.3}), .mass = 1},
                                 {.angular_velocity = {0.05, 5, 0.05}});
    const auto spin = [&] {
        return rotate(conjugate(world.pose(box).rotation), world.angular_velocity(box)).y;
    };
    const double energy0 = world.energy().kinetic, momentum0 = norm(world.angular_momentum(box));
    double before = spin(), worst = 0, energy_error = 0, momentum_error = 0;
    int flips = 0;
    while (world.time() < 60) {
        step_and_book(world);
        const double now = spin();
        if (before * now < 0) {
            const double t = world.time() - h * now / (now - before);
            const double expected = first + period * flips++;
            worst = std::max(worst, std::abs(t - expected) / expected);
        }
        before = now;
        energy_error = std::max(energy_error, std::abs(world.energy().kinetic / energy0 - 1));
        momentum_error =
            std::max(momentum_error, std::abs(norm(world.angular_momentum(box)) / momentum0 - 1));
    }
    return {absolute("flips in 60 s", flips, 12, 0, "", h),
            below("error of the time of a flip, worst", worst, 0.01, "", h),
            below("energy drift", energy_error, 1e-3, "", h),
            below("drift of |L|", momentum_error, 1e-3, "", h)};
}

// Slender bodies spin fast about their axis and tumble slowly across it: a pencil of 0.19 m x 7 mm at 172 and 10 rad/s, a rod
// of 1 m x 4 cm at 146 and 10. Free symmetric tops: the axis goes round L at |L| / I across it (Landau and Lifshitz,
// Mechanics, 33), and energy and L are constant.
std::vector<Check> slender(ContactMethod) {
    struct Case {
        std::string name;
        double length, width, spin, tumble;
    };
    const double h = 1.0 / 60;
    std::vector<Check> checks;
    for (const Case& c : {Case{"pencil", 0.19, 0.007, 172, 10}, Case{"rod", 1, 0.04, 146, 10}}) {
        WorldSettings settings = problem_settings(h);
        settings.gravity = {};
        World world(settings);
        const BodyId body =
            world.add(Rigid{.shape = Shape::cylinder(0.5 * c.width, 0.5 * c.length), .mass = 1},
                      {.angular_velocity = {c.tumble, c.spin, 0}});
        const double r = 0.5 * c.width, energy = world.energy().kinetic;
        const double across = r * r / 4 + c.length * c.length / 12, along = r * r / 2;  // of 1 kg
        const Vec3 momentum = world.angular_momentum(body), pole = momentum / norm(momentum);
        const auto axis = [&] { return rotate(world.pose(body).rotation, {0, 1, 0}); };
        double energy_error = 0, momentum_error = 0, angle = 0;
        Vec3 before = axis();
        while (world.time() < 60) {
            step_and_book(world);
            energy_error = std::max(energy_error, std::abs(world.energy().kinetic / energy - 1));
            momentum_error =
                std::max(momentum_error, norm(world.angular_momentum(body) - momentum) / norm(momentum));
            const Vec3 now = axis(), a = before - dot(before, pole) * pole, b = now - dot(now, pole) * pole;
            angle += std::atan2(dot(cross(a, b), pole), dot(a, b));
            before = now;
        }
        const double expected = std::hypot(across * c.tumble, along * c.spin) / across;
        checks.push_back(below(c.name + ", energy drift", energy_error, 1e-3, "", h));
        checks.push_back(below(c.name + ", drift of L", momentum_error, 1e-14, "", h));
        checks.push_back(
            relative(c.name + ", precession of the axis", angle / world.time(), expected, 0.01, "rad/s", h));
    }
    return checks;
}

// Newton's first law, with sleep on as it is by default: what drifts, drifts on; and a block on a slope that is steeper than
// friction holds by 0.1 % slides by ½ g (sin θ − μ cos θ) t².
std::vector<Check> drift(ContactMethod method) {
    const double h = 1.0 / 60, seconds = 5;
    std::vector<Check> checks;
    for (const double speed : {5e-3, 5e-4, 5e-5}) {
        WorldSettings settings = problem_settings(h, method);
        settings.sleep.enabled = true;
        settings.gravity = {};
        World world(settings);
        const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.1)},
                                      {.velocity = {speed, 0, 0}, .angular_velocity = {0, speed / 0.1, 0}});
        while (world.time() < seconds - h / 2) step_and_book(world);
        checks.push_back(
            relative("way of a ball that drifts", world.centre(ball).x, speed * seconds, 1e-12, "m", h));
    }
    WorldSettings settings = problem_settings(h, method);
    settings.sleep.enabled = true;
    const double friction = 0.5, angle = std::atan(1.001 * friction);
    settings.gravity = {9.81 * std::sin(angle), -9.81 * std::cos(angle), 0};
    World world(settings);
    world.add_ground(0, {.friction = friction});
    const BodyId block =
        world.add(Rigid{.shape = Shape::box({0.2, 0.05, 0.2}), .material = {.friction = friction}},
                  {.position = {0, 0.05, 0}});
    while (world.time() < seconds - h / 2) step_and_book(world);
    const double a = 9.81 * (std::sin(angle) - friction * std::cos(angle));
    checks.push_back(relative("way of a block on a slope", world.centre(block).x,
                              0.5 * a * seconds * (seconds + h), 0.01, "m", h));
    return checks;
}

// A fast top precesses at Ω = m g r / (I₃ ω₃). A disc (R 0.1 m, thickness 0.02 m, 1 kg) on a massless rod of
// 0.1 m, released with its axis horizontal; I₃ = m R²/2. The angle is that of the axis about the vertical
// after 6 s.
std::vector<Check> top(ContactMethod) {
    const double h = 1.0 / 1000, radius = 0.1, arm = 0.1, spin = 200, seconds = 6;
    World world(problem_settings(h));
    // The cylinder's axis is y; turned to lie along x, with the tip at the origin.
    const Quat turn = from_axis_angle({0, 0, 1}, -90);
    const BodyId disc =
        world.add(Rigid{.shape = Shape::cylinder(radius, 0.01), .mass = 1},
                  {.position = {arm, 0, 0}, .rotation = turn, .angular_velocity = {spin, 0, 0}});
    const JointId pin = world.add(BallJoint{.anchor = {0, 0, 0}}, disc, {});
    double angle = 0, gap = 0;
    Vec3 before = world.centre(disc);
    while (world.time() < seconds) {
        step_and_book(world);
        const Vec3 now = world.centre(disc);
        angle += std::atan2(before.z * now.x - before.x * now.z, before.x * now.x + before.z * now.z);
        before = now;
        gap = std::max(gap, world.joint_gap(pin));
    }
    const double expected = 9.81 * arm / (0.5 * radius * radius * spin);
    return {relative("precession", std::abs(angle) / seconds, expected, 0.02, "rad/s", h),
            below("gap at the tip, largest", gap, 1e-4, "m", h)};
}

}  // namespace

std::vector<Problem> rigid_motion_problems() {
    return {{"free_fall", "a ball and a particle thrown upward", false, free_fall},
            {"flip", "a box spun about its middle axis tumbles", false, flip},
            {"slender", "a pencil and a rod spin and tumble freely", false, slender},
            {"drift", "what drifts or slides slowly does not fall asleep", false, drift},
            {"top", "a fast top precesses", false, top}};
}

}  // namespace plush::lab
