#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "plush/scene/scene.hpp"
#include "scene/similar.hpp"
#include "support/random_scene.hpp"

// Any size. A scene whose lengths, gravity and speeds are s times as large moves alike, and to the last bit where s is a power of
// two: no threshold of the engine is in metres or metres a second.

namespace plush {
namespace {

using test::SceneJson;
using test::SceneWish;

World build(const std::string& text) {
    SceneLoad load = Scene::try_parse(text, ".", "similar");
    if (!load.scene) throw std::runtime_error(load.errors.front().what());
    return load.scene->build(1);
}

/// The first thing in which world b is not world a with lengths times s; empty where there is none.
std::string difference(const World& a, const World& b, double s) {
    const std::vector<BodyId> bodies = a.bodies(), others = b.bodies();
    if (bodies.size() != others.size()) return "number of bodies";
    for (std::size_t k = 0; k < bodies.size(); ++k) {
        const BodyId i = bodies[k], j = others[k];
        const auto differs = [&](const char* what) { return a.name(i) + ": " + what; };
        if (a.asleep(i) != b.asleep(j)) return differs("sleep");
        const auto alike = [&](auto x, auto y) {
            if (x.size() != y.size()) return false;
            for (std::size_t n = 0; n < x.size(); ++n)
                if (s * x[n] != y[n]) return false;
            return true;
        };
        if (a.kind(i) == BodyKind::particles) {
            if (!alike(a.particle_positions(i), b.particle_positions(j))) return differs("positions");
        } else if (a.kind(i) == BodyKind::deformable) {
            if (!alike(a.vertex_positions(i), b.vertex_positions(j))) return differs("vertex positions");
            if (!alike(a.vertex_velocities(i), b.vertex_velocities(j))) return differs("vertex velocities");
        } else {
            if (s * a.pose(i).position != b.pose(j).position) return differs("position");
            const Quat p = a.pose(i).rotation, q = b.pose(j).rotation;
            if (p.w != q.w || p.x != q.x || p.y != q.y || p.z != q.z) return differs("rotation");
            if (a.kind(i) != BodyKind::rigid) continue;
            if (s * a.velocity(i) != b.velocity(j)) return differs("velocity");
            if (a.angular_velocity(i) != b.angular_velocity(j)) return differs("angular velocity");
        }
    }
    return {};
}

/// What differs and when, over `steps` steps.
std::string first_difference(const SceneJson& json, double s, int steps) {
    SceneLoad load = Scene::try_parse(json.dump(), ".", "random");
    if (!load.scene) return "the scene is refused: " + std::string(load.errors.front().what());
    try {
        World one = build(similar_scene(*load.scene, 1)), other = build(similar_scene(*load.scene, s));
        for (int i = 0; i <= steps; ++i) {
            if (const std::string found = difference(one, other, s); !found.empty())
                return fmt::format("s = {}, step {}: {}", s, i, found);
            if (i < steps) one.step(), other.step();
        }
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

void expect_law(const SceneWish& wish, std::uint64_t first, std::uint64_t count, int steps) {
    int failed = 0;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const SceneJson scene = test::random_scene(seed, wish);
        // The matrix of springs has roots of stiffnesses, which go with s³: their bits are the same for s = 4ᵏ.
        const int power = static_cast<int>(seed % 18) - 10;
        const double s = std::ldexp(1, wish.vertices && power % 2 != 0 ? power + 1 : power);
        const std::string found = first_difference(scene, s, steps);
        if (found.empty()) continue;
        if (++failed > 3) continue;
        const SceneJson small = test::shrunk(scene, [&](const SceneJson& x) {
            return first_difference(x, s, steps).find("s = ") != std::string::npos;
        });
        ADD_FAILURE() << "seed " << seed << ": " << found
                      << "\nas small: " << first_difference(small, s, steps) << "\n"
                      << small.dump();
    }
    EXPECT_EQ(failed, 0) << "of " << count;
}

TEST(SimilarityLaws, RigidBodiesOfAnySizeMoveAlike) {
    expect_law({.soft = false, .vertices = false, .joints = false}, 1, 36, 60);
}
TEST(SimilarityLaws, JointedBodiesOfAnySizeMoveAlike) {
    expect_law({.soft = false, .vertices = false}, 1001, 36, 60);
}
TEST(SimilarityLaws, SoftBodiesOfAnySizeMoveAlike) {
    expect_law({.vertices = false, .max_bodies = 3}, 2001, 18, 60);
}
TEST(SimilarityLaws, VerticesOfAnySizeMoveAlike) {
    expect_law({.soft = false, .max_bodies = 3}, 3001, 18, 60);
}

}  // namespace
}  // namespace plush
