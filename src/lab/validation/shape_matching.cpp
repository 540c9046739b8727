#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"

// Shape matching: what it keeps, and what it cannot do. A block of 5 × 5 × 5 vertices that is one rigid
// cluster, on the slope and on the level ground of friction.cpp.
//
// Friction stops the vertices that touch, a fifth of the mass here. Then the shape is made rigid again, and
// they are carried along with the other four fifths: what stops a vertex does not hold the body behind it. So
// a block on a slope that should stay creeps, with about (1/f − 1) g h (sin θ) where f is the part of the
// mass that touches.

namespace plush::lab {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double h = 1.0 / 240;
const Vec3 block_half{0.2, 0.05, 0.2};

struct Law {
    const char* name;
    SurfaceLaw law;
    bool whole;  ///< contact acts on the body, not on its vertices: see contact/points/matched_contact.hpp
};
constexpr Law by_vertices[] = {{"impulse", SurfaceLaw::impulse, false},
                               {"buffered", SurfaceLaw::buffered, false}};
constexpr Law as_one[] = {{"impulse on the whole body", SurfaceLaw::impulse, true}};

struct Block {
    Block(double angle, double friction, double gravity, const Law& law, double speed)
        : world(settings(gravity, law.law)) {
        const double a = angle * pi / 180;
        const Vec3 normal{std::sin(a), std::cos(a), 0};
        down = {std::cos(a), -std::sin(a), 0};
        const Material material{.friction = friction};
        world.add(Fixed{.shape = Shape::half_space(normal), .material = material});
        ShapeMatching block;
        block.tets = tet_box(block_half, {4, 4, 4}).value();
        block.material = material;
        block.touched = law.whole;
        if (law.whole) block.shape = Shape::box(block_half);
        body = world.add(block, {.position = normal * block_half.y,
                                 .rotation = from_axis_angle({0, 0, -1}, angle),
                                 .velocity = speed * down});
    }
    static WorldSettings settings(double gravity, SurfaceLaw law) {
        WorldSettings s = problem_settings(h);
        s.gravity = {0, -gravity, 0};
        s.contact.surface.law = law;
        return s;
    }
    double slid() const { return dot(world.centre(body), down); }
    void run_until(double t) {
        while (world.time() < t - 0.5 * h) step_and_book(world);
    }

    World world;
    Vec3 down;
    BodyId body;
};

// The same numbers as `incline` of friction.cpp.
std::vector<Check> incline(std::span<const Law> laws) {
    const double angle = 26.565, g = 9.8;
    std::vector<Check> checks;
    for (const Law& law : laws) {
        Block stays(angle, 0.5, g, law, 0);
        stays.run_until(1);
        const double before = stays.slid();
        stays.run_until(2.5);
        checks.push_back(below(fmt::format("{}: creep at μ = 0.5", law.name),
                               std::abs(stays.slid() - before) / 1.5, 1e-6, "m/s", h));
        Block slides(angle, 0.49, g, law, 0);
        slides.run_until(2.5);
        checks.push_back(relative(fmt::format("{}: slid in 2.5 s at μ = 0.49", law.name), slides.slid(),
                                  0.27389, 0.01, "m", h));
    }
    return checks;
}

// The same as `stop`.
std::vector<Check> stop(std::span<const Law> laws) {
    const double v0 = 5, mu = 0.5, expected = v0 * v0 / (2 * mu * 9.81) - v0 * h / 2;
    std::vector<Check> checks;
    for (const Law& law : laws) {
        Block block(0, mu, 9.81, law, v0);
        block.run_until(5);
        checks.push_back(
            relative(fmt::format("{}: distance", law.name), block.slid(), expected, 0.005, "m", h));
    }
    return checks;
}

// A cube spins freely. In a step that turns by θ the vertices go along chords, and the next one turns by
// θ − θ³: dω/dt = −h ω³, so that ω = ω₀/√(1 + 2 h ω₀² t). Its linear momentum is kept to rounding.
std::vector<Check> spin(ContactMethod) {
    std::vector<Check> checks;
    for (const double step : {1.0 / 60, 1.0 / 240}) {
        WorldSettings settings = problem_settings(step);
        settings.gravity = {};
        World world(settings);
        ShapeMatching cube;
        cube.tets = tet_box({0.1, 0.1, 0.1}, {4, 4, 4}).value();
        const BodyId id = world.add(cube);
        const Vec3 spin{1, 2, 2}, velocity{3, 4, 0};
        const std::vector<Vec3> x(world.vertex_positions(id).begin(), world.vertex_positions(id).end());
        for (std::uint32_t i = 0; i < x.size(); ++i)
            world.set_vertex(id, i, x[i], velocity + cross(spin, x[i]));
        const Vec3 p = world.momentum();
        const double l = norm(world.angular_momentum(id));
        while (world.time() < 1 - 0.5 * step) step_and_book(world);
        checks.push_back(relative("angular momentum left after 1 s at 3 rad/s",
                                  norm(world.angular_momentum(id)) / l,
                                  1 / std::sqrt(1 + 2 * step * norm2(spin)), 0.01, "", step));
        checks.push_back(below("linear momentum: relative change in 1 s",
                               norm(world.momentum() - p) / norm(p), 1e-12, "", step));
    }
    return checks;
}

std::string friction_limit(ContactMethod) {
    return "making the shape rigid again carries along the vertices that friction had stopped";
}

std::string whole_limit(ContactMethod) {
    return "friction holds the body, but the vertices that touch are then put on the surface one by one";
}

}  // namespace

std::vector<Problem> shape_matching_problems() {
    return {{"matched_stop", "a shape-matched block slides to rest", false,
             [](ContactMethod) { return stop(by_vertices); }, friction_limit},
            {"matched_incline", "a shape-matched block on a slope", false,
             [](ContactMethod) { return incline(by_vertices); }, friction_limit},
            {"matched_whole", "both, where contact acts on the body and not on its vertices", false,
             [](ContactMethod) {
                 std::vector<Check> checks = stop(as_one);
                 for (Check& c : incline(as_one)) checks.push_back(std::move(c));
                 return checks;
             },
             whole_limit},
            {"matched_spin", "a shape-matched cube flies and spins freely", false, spin}};
}

}  // namespace plush::lab
