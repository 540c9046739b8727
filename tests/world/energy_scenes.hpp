#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "plush/core/random.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"

// Random scenes of one deformable body that falls on the ground, for laws that hold in all of them: masses, sizes and
// stiffnesses over decades, all orientations (edge, end and corner first among them), steps from 1/30 to 1/480 s.

namespace plush::test {

inline double log_uniform(Random& random, double low, double high) {
    return low * std::pow(high / low, random.uniform());
}

inline Quat random_turn(Random& random) {
    const Vec3 axis{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    return exp_rotation(axis * (random.uniform(0, 3.14) / std::max(1e-3, norm(axis))));
}

enum class DropKind { rope, cloth, jelly, tet_springs, corotational, neo_hookean };
inline constexpr std::array drop_kinds{DropKind::rope,        DropKind::cloth,        DropKind::jelly,
                                       DropKind::tet_springs, DropKind::corotational, DropKind::neo_hookean};
inline constexpr std::array drop_names{"rope",        "cloth",        "jelly",
                                       "tet springs", "corotational", "neo-Hookean"};

struct Drop {
    double step = 0.01, size = 0.3, height = 1;
    IntegrationMethod method = IntegrationMethod::implicit_euler;
    double max_friction = 1;
    int max_substeps = 100'000;
};

inline double random_step(Random& random) {
    constexpr std::array rates{30.0, 60.0, 120.0, 240.0, 480.0};
    return 1 / rates[random.below(rates.size())];
}

template <class Body>
void spring_material(Body& body, Random& random, double mass) {
    body.springs.stretch = log_uniform(random, 10, 3e4);
    body.springs.shear = 0.5 * body.springs.stretch;
    body.springs.bend = 0.01 * body.springs.stretch;
    body.springs.mass = mass;
}

/// A body of a kind about the origin, as large as said.
inline BodyId add_drop(World& world, Random& random, DropKind kind, const Drop& drop, const Placement& at) {
    const double s = drop.size, mass = log_uniform(random, 300, 2000) * s * s * s;
    const auto finish = [&](auto& body) {
        body.motion.integration.method = drop.method;
        body.motion.integration.max_substeps = drop.max_substeps;
        body.material.friction = random.uniform(0, drop.max_friction);
        body.name = "drop";
        return world.add(body, at);
    };
    if (kind == DropKind::rope) {
        Rope rope;
        rope.from = {-0.5 * s, 0, 0}, rope.to = {0.5 * s, 0, 0};
        rope.segments = 8 + static_cast<int>(random.below(20));
        spring_material(rope, random, 0.1 * mass);
        return finish(rope);
    }
    if (kind == DropKind::cloth) {
        Cloth cloth;
        cloth.corner = {-0.5 * s, 0, -0.5 * s}, cloth.side_x = {s, 0, 0}, cloth.side_y = {0, 0, s};
        cloth.vertices = {4 + static_cast<int>(random.below(9)), 4 + static_cast<int>(random.below(9))};
        spring_material(cloth, random, 0.1 * mass);
        return finish(cloth);
    }
    if (kind == DropKind::jelly) {
        Jelly jelly;
        jelly.low = {-0.5 * s, -0.5 * s, -0.5 * s}, jelly.high = {0.5 * s, 0.5 * s, 0.5 * s};
        jelly.cells = {3, 3, 3};
        spring_material(jelly, random, mass);
        return finish(jelly);
    }
    const TetMesh tets = tet_box({s, s, s}, {3, 3, 3}).value();
    if (kind == DropKind::tet_springs) {
        TetSprings body;
        body.mesh = tets;
        spring_material(body, random, mass);
        return finish(body);
    }
    Soft soft;
    if (random.below(2))
        soft.solid = SoftSolid(tets);
    else
        soft.solid = SoftSolid::fill(generate({.shape = "icosphere", .triangles = 320, .size = s}).value(),
                                     {.cells_across = 4});
    soft.elastic = {.young = log_uniform(random, 1e4, 1e6),
                    .poisson = random.uniform(0, 0.45),
                    .density = mass / (s * s * s)};
    if (kind == DropKind::neo_hookean) soft.elastic.model = ElasticModel::neo_hookean;
    return finish(soft);
}

/// How much a run adds to the energy that it begins with: in its worst step, and in all.
struct EnergyGrowth {
    double step = 0, total = 0, start = 0;
};
inline EnergyGrowth energy_growth(World& world, double time) {
    EnergyGrowth growth;
    double before = growth.start = world.energy().total();
    while (world.time() < time) {
        world.step();
        const double now = world.energy().total();
        growth.step = std::max(growth.step, (now - before) / growth.start);
        growth.total = std::max(growth.total, now / growth.start - 1);
        before = now;
    }
    return growth;
}

}  // namespace plush::test
