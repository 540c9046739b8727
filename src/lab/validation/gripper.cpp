#include "lab/validation/gripper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/assert.hpp"
#include "lab/validation/validate.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// Two fingers press with a force F from both sides, and friction μ carries a body of mass m: by Coulomb's law as long as
//
//     2 μ F ≥ m (g + a),
//
// a the acceleration of the fingers upwards, which is the same as more gravity. Below it falls out.

namespace plush::lab {
namespace {

constexpr double radius = 0.04, density = 500, earth = 9.81;  // m, kg/m³, m/s²
constexpr double poisson = 0.3;
constexpr double closing = 1, loading = 0.25, settling = 0.25, observed = 2;  // s

/// Young's modulus with which a force squeezes a soft body by so much of its half width on each side: Hertz' law between a
/// ball and a plane, or Hooke's of a column, Pa.
double young_for(const Grip& grip, double force, double half) {
    if (grip.what == Grip::What::box) return force / (4 * half * half * grip.squeeze);
    return 0.75 * force * (1 - poisson * poisson) / (half * half * std::pow(grip.squeeze, 1.5));
}

SoftSolid solid_of(const Grip& grip) {
    if (grip.what == Grip::What::box) return SoftSolid(tet_box({radius, radius, radius}, {4, 4, 4}).value());
    if (grip.what == Grip::What::ball)
        return SoftSolid::fill(shapes::icosphere(radius, 1280), {.cells_across = 5});
    return SoftSolid::fill(grip.mesh, {.nodes = 300});
}

/// The body with its centre at the origin; `young` of a soft one.
BodyId add_body(World& world, const Grip& grip, double young) {
    const Material material{.friction = grip.friction};
    if (grip.soft) {
        Soft body;
        body.solid = solid_of(grip);
        // Loss of a twentieth of a second: it comes to rest while the fingers close.
        body.elastic = {.young = young, .poisson = poisson, .density = density, .stiffness_damping = 0.05};
        body.material = material;
        return world.add(body);
    }
    Rigid body{.density = density, .material = material};
    if (grip.what == Grip::What::ball) body.shape = Shape::sphere(radius);
    if (grip.what == Grip::What::box) body.shape = Shape::box({radius, radius, radius});
    if (grip.what == Grip::What::mesh) body.mesh = grip.mesh;
    return world.add(body);
}

/// Any rotation, but not all of them equally often.
Quat random_rotation(Random& random) {
    Quat q;
    for (double* c : {&q.w, &q.x, &q.y, &q.z}) *c = random.uniform(-1, 1);
    return normalised(q);
}

/// Where lines through the origin enter a mesh from both sides.
std::array<std::optional<RayResult>, 2> ends_along(const World& world, const Vec3& direction, double size) {
    return {world.ray(-2 * size * direction, direction), world.ray(2 * size * direction, -direction)};
}

struct Fingers {
    std::array<Shape, 2> shapes{};
    std::array<Vec3, 2> places{};  ///< touching the body
};

Fingers fingers_of(const Grip& grip) {
    constexpr double thickness = 0.01;
    if (grip.what != Grip::What::mesh) {
        const Shape plate = Shape::box({thickness, 2 * radius, 2 * radius});
        return {{plate, plate}, {{{-radius - thickness, 0, 0}, {radius + thickness, 0, 0}}}};
    }
    World world;
    world.add(Fixed{.mesh = grip.mesh});
    const Vec3 box = grip.mesh.bounds().size();
    const double size = std::max({box.x, box.y, box.z}), tip = 0.08 * size;
    const auto ends = ends_along(world, {1, 0, 0}, size);
    PLUSH_ASSERT(ends[0] && ends[1]);
    const Shape ball = Shape::sphere(tip);
    return {{ball, ball}, {{{ends[0]->point.x - tip, 0, 0}, {ends[1]->point.x + tip, 0, 0}}}};
}

}  // namespace

Held grip(const Grip& grip) {
    WorldSettings settings = problem_settings(grip.step, ContactMethod::automatic);
    settings.gravity = {};
    const double gravity = grip.acceleration + earth;
    // Its mass, first; then how stiff it is under the force that follows from it.
    double mass = 0;
    {
        World alone(settings);
        mass = alone.mass(add_body(alone, grip, 1e5));
    }
    const double force = grip.force * mass * gravity / (2 * grip.friction);
    const Vec3 box = grip.what == Grip::What::mesh ? grip.mesh.bounds().size() : Vec3{1, 1, 1} * 2 * radius;
    const double width = std::max({box.x, box.y, box.z});
    World world(settings);
    const BodyId body = add_body(world, grip, young_for(grip, force, 0.5 * width));
    const Fingers fingers = fingers_of(grip);
    const Material material{.friction = grip.friction};
    world.add(Fixed{.shape = fingers.shapes[0], .material = material}, {.position = fingers.places[0]});
    const BodyId finger = world.add(Rigid{.shape = fingers.shapes[1], .mass = mass, .material = material},
                                    {.position = fingers.places[1]});
    world.add(SliderJoint{.anchor = fingers.places[1], .axis = {1, 0, 0}}, finger);
    const double begin = closing + loading + settling, end = closing + loading + observed;
    Held held;
    double start = 0;
    while (world.time() < end && held.drop < 0.5) {
        const double t = world.time();
        world.set_gravity({0, -gravity * std::clamp((t - closing) / loading, 0.0, 1.0), 0});
        world.apply_force(finger, {-force * std::min(1.0, t / (0.8 * closing)), 0, 0});
        world.step();
        if (t < begin) start = world.centre(body).y;
        held.drop = (start - world.centre(body).y) / width;
        if (t < begin) held.drop = -world.centre(body).y / width;
        if (t > end - 0.25) held.speed = std::max(held.speed, norm(world.velocity(body)));
    }
    return held;
}

Mesh turned_to_grip(const Mesh& mesh, double friction, std::uint64_t seed, int tries) {
    const auto properties = mass_properties(mesh, density);
    if (!properties) return {};
    const Mesh centred = mesh.transformed({-properties.value().centre, {}});
    const Vec3 box = centred.bounds().size();
    const double size = std::max({box.x, box.y, box.z});
    World world;
    world.add(Fixed{.mesh = centred});
    Random random(seed);
    double best = std::sin(0.5 * std::atan(friction));
    Quat turn;
    bool found = false;
    for (int k = 0; k < tries; ++k) {
        const Quat to = random_rotation(random);
        const Vec3 direction = rotate(conjugate(to), {1, 0, 0});
        const auto ends = ends_along(world, direction, size);
        if (!ends[0] || !ends[1]) continue;
        const double sine =
            std::max(norm(cross(ends[0]->normal, direction)), norm(cross(ends[1]->normal, direction)));
        if (sine < best) best = sine, turn = to, found = true;
    }
    return found ? centred.transformed({{}, turn}) : Mesh{};
}

namespace {

constexpr double gone = 0.25, stays = 0.02;  // by the body's width

std::vector<Check> gripper(ContactMethod) {
    std::vector<Check> checks;
    for (const auto& [what, name] : {std::pair{Grip::What::ball, "ball"}, std::pair{Grip::What::box, "box"}})
        for (const bool soft : {false, true}) {
            Grip g{.what = what, .soft = soft};
            const std::string body = fmt::format("{} {}", soft ? "soft" : "rigid", name);
            g.force = 1.1;
            checks.push_back(below(body + ", 1.1 times the force: drops in 2 s, by its width",
                                   lab::grip(g).drop, stays, "", g.step));
            g.force = 0.9;
            checks.push_back(below(body + ", 0.9 times: short of falling out by", gone - lab::grip(g).drop, 0,
                                   "", g.step));
        }
    return checks;
}

}  // namespace

std::vector<Problem> gripper_problems() {
    return {{"gripper", "a body between two fingers is held as Coulomb's law says", false, gripper}};
}

}  // namespace plush::lab
