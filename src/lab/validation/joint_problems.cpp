#include <cmath>
#include <numbers>

#include "lab/validation/validate.hpp"

// Jointed bodies.

namespace plush::lab {
namespace {

constexpr double g = 9.81;

/// Bodies that joints hold and that touch nothing.
constexpr Filter ghost{.groups = 0, .collides_with = 0};

// The period of a pendulum of any amplitude is T = T₀ · (2/π) K(sin(θ₀/2)), T₀ = 2π √(l/g), K the complete
// elliptic integral of the first kind. A point mass: the joint holds the centre of the ball.
double period_ratio(double degrees, double h) {
    World world(problem_settings(h));
    const double length = 1, angle = degrees * std::numbers::pi / 180;
    const Vec3 start{length * std::sin(angle), -length * std::cos(angle), 0};
    const BodyId bob =
        world.add(Rigid{.shape = Shape::sphere(0.01), .mass = 1, .filter = ghost}, {.position = start});
    world.add(DistanceJoint{.anchor_a = start, .anchor_b = {0, 0, 0}}, bob);
    // Between passes of the lowest point in the same direction.
    double first = 0, last = 0, before = start.x;
    int passes = 0;
    while (passes < 11) {
        step_and_book(world);
        const double now = world.centre(bob).x;
        if (before > 0 && now <= 0) {
            last = world.time() - h * now / (now - before);
            if (passes++ == 0) first = last;
        }
        before = now;
    }
    return (last - first) / (passes - 1) / (2 * std::numbers::pi * std::sqrt(length / g));
}

std::vector<Check> pendulum(ContactMethod) {
    const double h = 1.0 / 240;
    std::vector<Check> checks;
    for (const auto& [degrees, expected] :
         {std::pair{30, 1.017409}, std::pair{90, 1.180341}, std::pair{150, 1.762204}})
        checks.push_back(relative("T/T₀ from " + std::to_string(degrees) + "°", period_ratio(degrees, h),
                                  expected, 1e-3, "", h));
    return checks;
}

// Energy is conserved. A double pendulum of two rods (1 kg, 1 m), released with both horizontal, is chaotic:
// its path is nobody's, its energy is. Measured from the lowest that it can have.
double double_pendulum_error(bool hinges, double h) {
    World world(problem_settings(h));
    // Not slenderer: the fixed point of the implicit midpoint (bodies/rigid/rigid_body.cpp) converges while h ω
    // times the ratio of the moments of inertia is below 1. Rods of 0.04 m miss 1 to 7 % out of the plane.
    const Rigid rod{.shape = Shape::box({0.5, 0.1, 0.1}), .mass = 1, .filter = ghost};
    const BodyId upper = world.add(rod, {.position = {0.5, 0, 0}});
    const BodyId lower = world.add(rod, {.position = {1.5, 0, 0}});
    if (hinges) {
        world.add(HingeJoint{.anchor = {0, 0, 0}, .axis = {0, 0, 1}}, upper);
        world.add(HingeJoint{.anchor = {1, 0, 0}, .axis = {0, 0, 1}}, lower, upper);
    } else {
        world.set_velocity(lower, {0, 0, 1.5}, {0, 0.7, 0});  // out of the plane
        world.set_velocity(upper, {0, 0, 0.5}, {0, -1, 0});
        world.add(BallJoint{.anchor = {0, 0, 0}}, upper);
        world.add(BallJoint{.anchor = {1, 0, 0}}, lower, upper);
    }
    const double least = -g * 0.5 - g * 1.5;
    step_and_book(world);
    // Velocities belong to half a step before the positions (leapfrog): the kinetic energy at the time of a
    // position is the mean of those on both sides of it.
    Energy before = world.energy();
    std::optional<double> start;
    double worst = 0;
    while (world.time() < 20) {
        step_and_book(world);
        const Energy after = world.energy();
        const double now = before.potential() + 0.5 * (before.kinetic + after.kinetic) - least;
        if (!start) start = now;
        worst = std::max(worst, std::abs(now / *start - 1));
        before = after;
    }
    return worst;
}

std::vector<Check> double_pendulum(ContactMethod) {
    const double h = 1.0 / 240;
    return {below("energy error, two hinges, 20 s", double_pendulum_error(true, h), 0.01, "", h),
            below("energy error, two ball joints, 20 s", double_pendulum_error(false, h), 0.01, "", h)};
}

// Equal balls in a row exchange their velocities in each impact (conservation of momentum and energy), so
// that the last leaves with all of it. Gaps of 2 mm keep the impacts apart in time: where all touch, what
// comes out depends on the order in which they are hit, and a simultaneous solution spreads it.
std::vector<Check> cradle(ContactMethod) {
    const double h = 1.0 / 2000, radius = 0.05, gap = 0.002, length = 1;
    World world(problem_settings(h));
    const auto ball = [&](double x, double speed) {
        const BodyId id = world.add(
            Rigid{.shape = Shape::sphere(radius), .mass = 1, .material = {.friction = 0, .restitution = 1}},
            {.position = {x, 0, 0}, .velocity = {speed, 0, 0}});
        for (const double z : {-0.5, 0.5})
            world.add(DistanceJoint{.anchor_a = {x, 0, 0}, .anchor_b = {x, length, z}}, id);
        return id;
    };
    const double v0 = 1;
    std::vector<BodyId> balls;
    for (int i = 0; i < 5; ++i) balls.push_back(ball(i * (2 * radius + gap), i == 0 ? v0 : 0));
    // Until the last has left: 8 mm at 1 m/s, and as much again.
    while (world.time() < 0.02) step_and_book(world);
    double rest = 0;
    for (std::size_t i = 0; i + 1 < balls.size(); ++i)
        rest = std::max(rest, norm(world.velocity(balls[i])) / v0);
    return {relative("speed of the last ball", norm(world.velocity(balls.back())), v0, 0.01, "m/s", h),
            below("speed of the others, largest, of v₀", rest, 0.01, "", h)};
}

// A hundred links of 1 kg with 1000 kg at the end, swinging from 30°. Joint by joint, an iterative solver
// lets it stretch by metres.
std::vector<Check> chain(ContactMethod) {
    const double h = 1.0 / 60, size = 0.1, angle = std::numbers::pi / 6;
    World world(problem_settings(h));
    const Vec3 along{std::sin(angle), -std::cos(angle), 0};
    const Quat turn = from_axis_angle({0, 0, 1}, 30);
    std::vector<JointId> joints;
    BodyId last{};
    for (int i = 0; i < 100; ++i) {
        const bool heavy = i == 99;
        const BodyId link = world.add(
            Rigid{.shape = Shape::box({0.01, size / 2, 0.01}), .mass = heavy ? 1000 : 1, .filter = ghost},
            {.position = (i + 0.5) * size * along, .rotation = turn});
        joints.push_back(world.add(BallJoint{.anchor = i * size * along}, link, last));
        last = link;
    }
    double during = 0, after = 0;
    while (world.time() < 20) {
        step_and_book(world);
        after = 0;
        for (const JointId joint : joints) after = std::max(after, world.joint_gap(joint));
        during = std::max(during, after);
    }
    return {below("largest gap after 20 s", after, 1e-4, "m", h),
            below("largest gap in 20 s", during, 1e-4, "m", h)};
}

// A crank-rocker: ground 0.4, crank 0.1, coupler 0.35, rocker 0.3 m. With the crank at angle θ its pin is at
// B = a (cos θ, sin θ), and the rocker's at the intersection C of the circles about B and about D = (0.4, 0);
// the coupler's point is fixed to BC. All four hinges are parallel, which is three rows too many: the solver
// must take them.
struct FourBar {
    double ground = 0.4, crank = 0.1, coupler = 0.35, rocker = 0.3;
    Vec3 pin(double theta) const { return {crank * std::cos(theta), crank * std::sin(theta), 0}; }
    Vec3 other_pin(double theta) const {
        const Vec3 b = pin(theta), way = Vec3{ground, 0, 0} - b;
        const double d = norm(way);
        const double along = (d * d + coupler * coupler - rocker * rocker) / (2 * d);
        const double across = std::sqrt(coupler * coupler - along * along);
        const Vec3 x = way / d, y{-x.y, x.x, 0};
        return b + along * x + across * y;
    }
    /// Beside the middle of the coupler.
    Vec3 point(double theta) const {
        const Vec3 b = pin(theta), x = (other_pin(theta) - b) / coupler, y{-x.y, x.x, 0};
        return b + 0.5 * coupler * x + 0.15 * y;
    }
};

std::vector<Check> fourbar(ContactMethod) {
    const double h = 1.0 / 240, speed = 2 * std::numbers::pi;
    const FourBar bars;
    World world(problem_settings(h));
    const auto bar = [&](const Vec3& from, const Vec3& to) {
        const Vec3 way = to - from;
        const double degrees = std::atan2(way.y, way.x) * 180 / std::numbers::pi;
        return world.add(
            Rigid{.shape = Shape::box({0.5 * norm(way), 0.01, 0.01}), .density = 2000, .filter = ghost},
            {.position = 0.5 * (from + to), .rotation = from_axis_angle({0, 0, 1}, degrees)});
    };
    const Vec3 a{}, d{bars.ground, 0, 0}, b = bars.pin(0), c = bars.other_pin(0), axis{0, 0, 1};
    const BodyId crank = bar(a, b), coupler = bar(b, c), rocker = bar(c, d);
    world.add(HingeJoint{.anchor = a, .axis = axis, .motor = {.speed = speed}}, crank);
    const JointId pin = world.add(HingeJoint{.anchor = b, .axis = axis}, coupler, crank);
    world.add(HingeJoint{.anchor = c, .axis = axis}, rocker, coupler);
    world.add(HingeJoint{.anchor = d, .axis = axis}, rocker);
    const Vec3 local = inverse(world.pose(coupler)) * bars.point(0);
    double worst = 0, gap = 0;
    Box3 path;
    while (world.time() < 5) {
        step_and_book(world);
        const Vec3 expected = bars.point(speed * world.time());
        path.add(expected);
        worst = std::max(worst, norm(world.pose(coupler) * local - expected));
        gap = std::max(gap, world.joint_gap(pin));
    }
    return {below("distance of the coupler's point from its path, of the path's size",
                  worst / norm(path.size()), 1e-3, "", h),
            below("gap at the crank's pin, largest", gap, 1e-6, "m", h)};
}

}  // namespace

std::vector<Problem> joint_problems() {
    return {{"pendulum", "a point mass on a rigid link, from 30, 90 and 150°", false, pendulum},
            {"double_pendulum", "two rods from the horizontal keep their energy", false, double_pendulum},
            {"cradle", "five balls, one after the other", false, cradle},
            {"chain", "100 links, 1000 : 1 at the end", false, chain},
            {"fourbar", "a closed loop driven by a motor follows its analytic path", false, fourbar}};
}

}  // namespace plush::lab
