#include <algorithm>
#include <cmath>

#include "lab/validation/validate.hpp"
#include "plush/geometry/generate.hpp"

// Vertices of a cloth on a soft body: statics, Coulomb's law, and momentum.

namespace plush::lab {
namespace {

constexpr double step = 1.0 / 240, g = 9.81, friction = 0.5;

/// A slab of foam on a bench, and a cloth that lies 1 mm above it. Gravity is tilted, as on a slope of this tangent.
struct Slab {
    World world;
    BodyId slab{}, cloth{};

    explicit Slab(double tangent) : world(settings(tangent)) {
        Soft foam;
        foam.name = "slab", foam.material.friction = friction;
        foam.solid = SoftSolid(tet_box({0.3, 0.05, 0.15}, {8, 2, 4}).value());
        foam.elastic = {.young = 5e4, .density = 100};
        slab = world.add(foam, {.position = {0, 0.05, 0}});
        world.pin(slab, Box3{{-1, -0.001, -1}, {1, 0.001, 1}});
        Cloth sheet;
        sheet.name = "cloth", sheet.material.friction = friction;
        sheet.corner = {-0.25, 0.102, -0.05}, sheet.side_x = {0.1, 0, 0}, sheet.side_y = {0, 0, 0.1};
        sheet.vertices = {11, 11};
        sheet.springs.mass = 0.1;
        cloth = world.add(sheet);
    }
    static WorldSettings settings(double tangent) {
        WorldSettings s = problem_settings(step, ContactMethod::automatic);
        const double cosine = 1 / std::sqrt(1 + tangent * tangent);
        s.gravity = {g * tangent * cosine, -g * cosine, 0};
        return s;
    }
    void run(double time) {
        for (const double end = world.time() + time; world.time() < end - 0.5 * step;) step_and_book(world);
    }
    double place() const {
        double sum = 0;
        for (const Vec3& x : world.vertex_positions(cloth)) sum += x.x;
        return sum / static_cast<double>(world.vertex_positions(cloth).size());
    }
};

std::vector<Check> cloth_on_soft(ContactMethod) {
    Slab level(0);
    level.run(1);
    double load = 0, deepest = 0;
    for (const Contact& c : level.world.contacts())
        if (c.a == level.cloth && c.b == level.slab)
            load += c.normal_force * c.normal.y, deepest = std::max(deepest, c.depth);
    Slab holds(0.45), slides(0.6);
    holds.run(0.5);
    const double held = holds.place();
    holds.run(1);
    const double creep = std::abs(holds.place() - held);
    slides.run(0.2);
    const double from = slides.world.velocity(slides.cloth).x;
    slides.run(0.3);
    const double cosine = 1 / std::sqrt(1 + 0.36);
    return {relative("weight on the slab, N", load, 0.1 * g, 0.001, "N", step),
            below("deepest vertex below its distance", deepest, 1e-4, "m", step),
            below("creep in 1 s at a slope of 0.45, friction 0.5", creep, 1e-6, "m", step),
            relative("acceleration on a slope of 0.6", (slides.world.velocity(slides.cloth).x - from) / 0.3,
                     g * cosine * (0.6 - friction), 0.02, "m/s²", step)};
}

}  // namespace

std::vector<Problem> vertex_problems() {
    return {{"cloth_on_soft", "a cloth lies on a slab of foam, holds on a slope and slides on a steeper one",
             false, cloth_on_soft}};
}

}  // namespace plush::lab
