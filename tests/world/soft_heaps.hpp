#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/worlds.hpp"

// Soft bodies and heaps of them, for the tests of volume contact.

namespace plush::testing_world {

using test::rms_speed;

inline ElasticMaterial rubber(double young = 5e4) {
    return {.young = young, .poisson = 0.3, .density = 800, .stiffness_damping = 0.01};
}

inline Soft soft_box(double half = 0.1, double young = 5e4) {
    Soft soft;
    soft.solid = SoftSolid(tet_box({half, half, half}, {3, 3, 3}).value());
    soft.elastic = rubber(young);
    return soft;
}

/// A detailed surface in a cage of tets.
inline Soft soft_toy(const char* shape = "bear", double young = 5e4) {
    Soft soft;
    soft.solid = SoftSolid::fill(generate({.shape = shape, .triangles = 2000, .size = 0.3}).value(),
                                 {.cells_across = 8});
    soft.elastic = rubber(young);
    return soft;
}

struct SoftHeap {
    bool clusters = false;              ///< a body by shape matching too
    std::optional<double> tolerance{};  ///< of the motion of elements
};

/// Finite elements, springs and a rigid body on a heap, overlapping at the start.
inline World soft_heap(const WorldSettings& settings, std::uint64_t seed, const SoftHeap& heap = {}) {
    World world(settings);
    world.add_ground();
    Random random(seed);
    const auto place = [&](double height) {
        const double turn = random.uniform(0, 3);
        return Placement{.position = {random.uniform(-0.1, 0.1), height, random.uniform(-0.1, 0.1)},
                         .rotation = normalised(Quat{std::cos(turn), std::sin(turn), 0.3, 0.1})};
    };
    const auto add = [&](Soft soft, double height) {
        if (heap.tolerance) soft.motion.integration.tolerance = *heap.tolerance;
        world.add(soft, place(height));
    };
    add(soft_toy(), 0.15);
    add(soft_box(), 0.3);
    Jelly jelly;
    jelly.low = {-0.1, -0.1, -0.1}, jelly.high = {0.1, 0.1, 0.1}, jelly.cells = {2, 2, 2};
    world.add(jelly, place(0.45));
    if (heap.clusters) {
        ShapeMatching matched;
        matched.tets = tet_box({0.08, 0.08, 0.08}, {2, 2, 2}).value();
        matched.density = 500;
        world.add(matched, place(0.55));
    }
    world.add(Rigid{.shape = Shape::mesh(shapes::torus(0.1, 0.04, 500))}, place(heap.clusters ? 0.65 : 0.6));
    return world;
}

/// Of two toys and a rigid ball that fly into each other: in how many of 60 steps they touch, and by how much
/// their momentum changes at most, by their mass.
struct Blow {
    int touching = 0;
    double change = 0;  ///< m/s
};
inline Blow soft_blow(const WorldSettings& weightless) {
    World world(weightless);
    world.add(soft_toy(), {.position = {0, 0, 0}, .velocity = {1, 0, 0}});
    world.add(soft_toy("bunny"), {.position = {0.31, 0.03, 0.02}, .velocity = {-1, 0, 0.1}});
    world.add(Rigid{.shape = Shape::mesh(shapes::icosphere(0.1, 320)), .density = 700},
              {.position = {0.1, 0.25, 0}, .velocity = {0, -1, 0}});
    double mass = 0;
    for (const BodyId body : world.bodies()) mass += world.mass(body);
    const Vec3 before = world.momentum();
    Blow blow;
    for (int k = 0; k < 60; ++k) {
        world.step();
        blow.touching += world.contacts().size() > 2;
        blow.change = std::max(blow.change, norm(world.momentum() - before) / mass);
    }
    return blow;
}

}  // namespace plush::testing_world
