#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/validation/validate.hpp"
#include "plush/scene/scene.hpp"
#include "scene/similar.hpp"

// Any size. With lengths, the acceleration of gravity and speeds times s, moduli times s², times and densities as they were, each
// term of the equations of motion is multiplied by the same power of s: positions and velocities are s times as large at every
// time. For s = 2ᵏ every number is multiplied by a power of two, and rounding is the same: not a bit may differ. For other s the
// pixels of volume contact, powers of two of a metre, are others, and rounding is. (Springs: s = 4ᵏ. Their matrix has roots of
// stiffnesses, which go with s³.)

namespace plush::lab {
namespace {

struct Kind {
    std::string_view name, bodies;
    /// Of a body's size, for scales that are no power of two. Measured: points 4e-9, shape matching 2.6e-3, cloth, ropes and joints
    /// 6e-14. By volume pixels are up to twice as large: the depth that is left alone is, too. Soft 0.03.
    double alike;
};

/// What a scene leaves open is left open here: margins, depths, speeds, and the laws of vertices.
constexpr std::array kinds{
    Kind{"rigid by points",
         R"("bodies": [ { "ground": { "friction": 0.4 } },
             { "rigid": { "box": { "half_size": [0.1, 0.1, 0.1] }, "friction": 0.4 }, "at": [0, 0.12, 0], "velocity": [0.3, 0, 0] },
             { "rigid": { "sphere": { "radius": 0.1 }, "restitution": 0.5 }, "at": [0.5, 0.2, 0.02], "velocity": [-1, 0, 0] },
             { "rigid": { "shape": "bear", "triangles": 400, "size": 0.2 }, "at": [-0.4, 0.15, 0] } ])",
         1e-6},
    Kind{"rigid by volume",
         R"("contact": { "method": "volume" }, "bodies": [ { "ground": { "friction": 0.4 } },
             { "rigid": { "shape": "box", "size": 0.2, "friction": 0.4 }, "at": [0, 0.11, 0], "velocity": [0.3, 0, 0] },
             { "rigid": { "shape": "box", "size": 0.2 }, "at": [0.05, 0.33, 0] },
             { "rigid": { "shape": "box", "size": 0.2 }, "at": [-0.5, 0.2, 0],
               "rotate": { "axis": [0, 0, 1], "degrees": 20 } } ])",
         0.05},
    Kind{
        "soft",
        R"("bodies": [ { "ground": {} },
             { "soft": { "shape": "icosphere", "triangles": 320, "size": 0.2, "nodes": 60, "young": 20000 }, "at": [0, 0.11, 0] },
             { "rigid": { "box": { "half_size": [0.05, 0.05, 0.05] } }, "at": [0.01, 0.3, 0] } ])",
        0.08},  // measured: 0.024, 0.053, 0.018; pixels are powers of two of a metre, up to twice as large beside the body
    Kind{"shape matching",
         R"("bodies": [ { "ground": {} },
             { "shape_matching": { "box": { "half_size": [0.1, 0.1, 0.1], "cells": [3, 3, 3] }, "mode": "linear" },
               "at": [0, 0.15, 0], "rotate": { "axis": [1, 0, 1], "degrees": 20 } } ])",
         0.01},
    Kind{"cloth and rope",
         R"("bodies": [ { "ground": {} }, { "fixed": { "sphere": { "radius": 0.15 } }, "at": [0, 0.15, 0] },
             { "cloth": { "corner": [-0.25, 0.35, -0.25], "side_x": [0.5, 0, 0], "side_y": [0, 0, 0.5],
                          "vertices_x": 9, "vertices_y": 9, "mass": 0.1 } },
             { "rope": { "from": [0.3, 0.5, 0], "to": [0.8, 0.5, 0], "segments": 10, "mass": 0.05 } } ])",
         1e-9},
    Kind{"joints",
         R"("bodies": [ { "ground": {} },
             { "name": "a", "rigid": { "box": { "half_size": [0.1, 0.02, 0.02] } }, "at": [0.1, 0.6, 0] },
             { "name": "b", "rigid": { "box": { "half_size": [0.1, 0.02, 0.02] } }, "at": [0.3, 0.6, 0] },
             { "name": "c", "rigid": { "box": { "half_size": [0.05, 0.05, 0.05] } }, "at": [-0.3, 0.3, 0] } ],
            "joints": [ { "hinge": { "a": "a", "anchor": [0, 0.6, 0], "axis": [0, 0, 1] } },
                        { "ball": { "a": "b", "b": "a", "anchor": [0.2, 0.6, 0] } },
                        { "slider": { "a": "c", "anchor": [-0.3, 0.3, 0], "axis": [0, 1, 0],
                                      "limits": { "low": -0.1, "high": 0.1 } } } ])",
         1e-9}};

constexpr double h = 1.0 / 120, size = 0.2;

Scene scene_of(const Kind& kind, std::string_view more) {
    const std::string text = fmt::format(R"({{ "plush": 1, "step": {}, {} {} }})", h, more, kind.bodies);
    SceneLoad load = Scene::try_parse(text, ".", std::string(kind.name));
    if (!load.scene) throw load.errors.front();
    return *std::move(load.scene);
}

World similar_world(const Scene& scene, double s) {
    SceneLoad load = Scene::try_parse(similar_scene(scene, s), ".", "similar");
    if (!load.scene) throw load.errors.front();
    return load.scene->build(1);
}

/// Places and velocities of all bodies.
std::vector<Vec3> numbers_of(const World& world) {
    std::vector<Vec3> all;
    for (const BodyId b : world.bodies()) {
        if (world.kind(b) == BodyKind::deformable) {
            const auto x = world.vertex_positions(b), v = world.vertex_velocities(b);
            all.insert(all.end(), x.begin(), x.end()), all.insert(all.end(), v.begin(), v.end());
        } else if (world.kind(b) == BodyKind::rigid) {
            all.push_back(world.pose(b).position), all.push_back(world.velocity(b));
        }
    }
    return all;
}

/// How many numbers are not s times the other's, over 60 steps.
double different(const Scene& scene, double s) {
    World one = similar_world(scene, 1), other = similar_world(scene, s);
    double count = 0;
    for (int step = 0; step < 60; ++step) {
        one.step(), other.step();
        const std::vector<Vec3> x = numbers_of(one), y = numbers_of(other);
        for (std::size_t k = 0; k < x.size(); ++k) count += s * x[k] != y[k];
        const std::vector<BodyId> a = one.bodies(), b = other.bodies();
        for (std::size_t k = 0; k < a.size(); ++k) count += one.asleep(a[k]) != other.asleep(b[k]);
    }
    return count;
}

/// How far centres are from where they ought to be after 2 s, by the size of a body.
double distance(const Scene& scene, double s) {
    World one = similar_world(scene, 1), other = similar_world(scene, s);
    while (one.time() < 2) one.step(), other.step();
    double farthest = 0;
    const std::vector<BodyId> a = one.bodies(), b = other.bodies();
    for (std::size_t k = 0; k < a.size(); ++k)
        if (one.kind(a[k]) == BodyKind::rigid || one.kind(a[k]) == BodyKind::deformable)
            farthest = std::max(farthest, norm(other.centre(b[k]) / s - one.centre(a[k])) / size);
    return farthest;
}

std::vector<Check> similarity(ContactMethod) {
    std::vector<Check> checks;
    for (const Kind& kind : kinds)
        for (const bool gravity : {true, false}) {
            const Scene scene = scene_of(kind, gravity ? "" : R"("gravity": [0, 0, 0],)");
            for (const int k :
                 {-10, kind.name == "cloth and rope" ? -4 : -3, kind.name == "cloth and rope" ? 6 : 7})
                checks.push_back(below(fmt::format("{}{}, s = 2^{}: numbers that differ in 60 steps",
                                                   kind.name, gravity ? "" : " without gravity", k),
                                       different(scene, std::ldexp(1, k)), 0, "", h));
            if (!gravity) continue;
            for (const double s : {0.005, 0.3, 500.0})
                checks.push_back(
                    below(fmt::format("{}, s = {}: centres after 2 s, by their size", kind.name, s),
                          distance(scene, s), kind.alike, "", h));
        }
    return checks;
}

}  // namespace

std::vector<Problem> similarity_problems() {
    return {{"similarity", "the same scene of 1 mm to 100 m moves alike", false, similarity}};
}

}  // namespace plush::lab
