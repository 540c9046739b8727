#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// Soft bodies that carry loads and are squeezed: rest is a fixed point of the step.

namespace plush::lab {
namespace {

constexpr double h = 1.0 / 60;

/// The fastest vertex or body, m/s.
double fastest(const World& world) {
    double speed = 0;
    for (const BodyId b : world.bodies()) {
        if (world.kind(b) == BodyKind::rigid) speed = std::max(speed, norm(world.velocity(b)));
        if (world.kind(b) != BodyKind::deformable) continue;
        for (const Vec3& v : world.vertex_velocities(b)) speed = std::max(speed, norm(v));
    }
    return speed;
}

// -- on_foam: a rigid load on a soft slab
//
// Under a load as wide as the slab, without friction, the slab is compressed evenly. Corotational elements are linear in the
// strain: it becomes thinner by δ = p t/E, p the pressure m g/A, t the thickness (Hooke's law). Its own weight is left out of δ
// by taking the slab at rest without a load as the start, and the depth that contact leaves by measuring the slab alone.

constexpr double thickness = 0.1, side = 0.4, foam = 3e4;  // m, m, Pa

struct Loaded {
    double thinner = 0;       ///< the slab, m
    double speed = 0;         ///< in the last half second, m/s
    double displacement = 0;  ///< of the position phase, in the same time, by the allowed depth
    double sideways = 0;      ///< of the load, m
};

/// Between the means of its upper and of its lower vertices, m.
double thickness_of(const World& world, BodyId slab, std::span<const char> is_top,
                    std::span<const char> is_bottom) {
    double sums[2] = {}, counts[2] = {};
    const auto x = world.vertex_positions(slab);
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (is_top[k]) sums[0] += x[k].y, ++counts[0];
        if (is_bottom[k]) sums[1] += x[k].y, ++counts[1];
    }
    return sums[0] / counts[0] - sums[1] / counts[1];
}

Loaded load_foam(const Shape& shape, double half_height, double mass, double friction) {
    WorldSettings settings = problem_settings(h, ContactMethod::volume);
    World world(settings);
    world.add_ground(0, {.friction = friction});
    Soft slab;
    slab.solid = SoftSolid(tet_box({side / 2, thickness / 2, side / 2}, {8, 3, 8}).value());
    slab.elastic = {.young = foam, .poisson = 0.3, .density = 300, .stiffness_damping = 0.02};
    slab.material.friction = friction;
    const BodyId under = world.add(slab, {.position = {0, thickness / 2, 0}});
    std::vector<char> is_top, is_bottom;
    for (const Vec3& x : world.vertex_positions(under))
        is_top.push_back(x.y > 0.99 * thickness), is_bottom.push_back(x.y < 0.01 * thickness);
    while (world.time() < 1) step_and_book(world);
    const double before = thickness_of(world, under, is_top, is_bottom);
    double top = 0;
    for (const Vec3& x : world.vertex_positions(under)) top = std::max(top, x.y);
    const BodyId id = world.add(Rigid{.shape = shape, .mass = mass, .material = {.friction = friction}},
                                {.position = {0, top + half_height, 0}});
    Loaded out;
    const double end = world.time() + 4;
    while (world.time() < end) {
        step_and_book(world);
        if (world.time() < end - 0.5) continue;
        out.speed = std::max(out.speed, fastest(world));
        const StepReport& r = world.report();
        out.displacement = std::max(out.displacement, r.convergence.largest_displacement / (0.5 * r.pixel));
    }
    const Vec3 c = world.centre(id);
    out.thinner = before - thickness_of(world, under, is_top, is_bottom), out.sideways = std::hypot(c.x, c.z);
    return out;
}

std::vector<Check> on_foam(ContactMethod) {
    std::vector<Check> checks;
    const auto rests = [&](const std::string& what, const Loaded& l) {
        checks.push_back(below(what + ", speed after 3.5 s", l.speed, 1e-4, "m/s", h));
        checks.push_back(below(what + ", displacement of the position phase a step, by the allowed depth",
                               l.displacement, 1e-3, "", h));
        checks.push_back(below(what + ", gone sideways", l.sideways, 1e-3, "m", h));
    };
    for (const double part : {0.01, 0.1}) {
        const double mass = part * foam * side * side / 9.81;
        const Loaded l = load_foam(Shape::box({side / 2, 0.1, side / 2}), 0.1, mass, 0);
        const std::string what = fmt::format("a load as wide as the slab, pressure {} E", part);
        rests(what, l);
        checks.push_back(
            relative(what + ", thinner by", 1e3 * l.thinner, 1e3 * part * thickness, 0.05, "mm", h));
    }
    // Without friction nothing holds a heavier one above the slab.
    rests("a load as wide as the slab, pressure 0.3 E, friction 0.5",
          load_foam(Shape::box({side / 2, 0.1, side / 2}), 0.1, 0.3 * foam * side * side / 9.81, 0.5));
    for (const double mass : {3.0, 6.0, 12.0})
        rests(fmt::format("a cube of 0.2 m, {} kg", mass),
              load_foam(Shape::box({0.1, 0.1, 0.1}), 0.1, mass, 0.5));
    // A ball that presses one vertex of the slab far in may not rest: docs/methods.md, "Limits".
    return checks;
}

// -- squeeze: a soft ball between plates that close by a third of it, with friction and without gravity

std::vector<Check> squeeze(ContactMethod) {
    constexpr double radius = 0.04, closed = radius / 3;
    std::vector<Check> checks;
    for (const double friction : {0.7, 3.0}) {
        WorldSettings settings = problem_settings(h, ContactMethod::volume);
        settings.gravity = {};
        World world(settings);
        Soft ball;
        ball.solid = SoftSolid::fill(shapes::icosphere(radius, 1280), {.cells_across = 5});
        ball.elastic = {.young = 2e4, .density = 500};
        ball.material.friction = friction;
        const BodyId id = world.add(ball);
        for (const double s : {-1.0, 1.0}) {
            const double x = s * (radius + 0.015);
            world.add(Scripted{.shape = Shape::box({0.01, 0.06, 0.06}),
                               .keyframes = {{0.2, {x, 0, 0}}, {0.7, {x - s * (0.005 + closed), 0, 0}}},
                               .material = {.friction = friction}});
        }
        double drift = 0, pixel = 0, speed = 0;
        Vec3 start;
        while (world.time() < 11) {
            step_and_book(world);
            if (world.time() < 1) start = world.centre(id);
            drift = std::max(drift, norm(world.centre(id) - start));
            pixel = std::max(pixel, world.report().pixel);
            if (world.time() > 10.5) speed = std::max(speed, fastest(world));
        }
        const std::string what = fmt::format("friction {}", friction);
        checks.push_back(below(what + ", drift in 10 s, by the pixel", drift / pixel, 1, "", h));
        checks.push_back(below(what + ", speed after 10 s", speed, 1e-4, "m/s", h));
    }
    return checks;
}

}  // namespace

std::vector<Problem> loaded_problems() {
    return {{"on_foam", "rigid loads come to rest on a soft slab", false, on_foam},
            {"squeeze", "a soft ball between plates stays there", false, squeeze}};
}

}  // namespace plush::lab
