#include <fmt/format.h>

#include "energy_scenes.hpp"
#include "worlds.hpp"

// Vertices of deformable bodies held off surfaces by forces: laws of all scenes.

namespace plush {
namespace {

using namespace test;
using namespace testing_world;

enum class Scene {
    ground,    ///< it falls on the ground
    floating,  ///< it flies at free rigid bodies, without gravity
    trapped,   ///< it falls on rigid bodies that lie on the ground
};

/// What a body comes with is all there is: its energy does not grow, in no step and in all.
void expect_no_energy_gained(DropKind kind, std::uint64_t seed, IntegrationMethod method, Scene scene) {
    Random random(1000 * seed + 17 * static_cast<std::uint64_t>(kind));
    WorldSettings settings;
    settings.contact.method = ContactMethod::points;
    settings.threads = 1;
    if (scene == Scene::floating) settings.gravity = {};
    Drop drop;
    drop.method = method;
    drop.step = settings.step = random_step(random);
    drop.size = log_uniform(random, 0.05, 1);
    drop.height = scene == Scene::floating ? 0.6 * drop.size : log_uniform(random, 0.1, 3);
    World world(settings);
    if (scene != Scene::floating) world.add_ground();
    const Quat turn = random_turn(random);
    const double speed = random.uniform(scene == Scene::floating ? 1 : 0, 5);
    add_drop(world, random, kind, drop,
             {.position = {0, drop.size + drop.height, 0},
              .rotation = turn,
              .velocity = {0.3 * speed, -speed, 0}});
    for (int i = 0; scene != Scene::ground && i < 3; ++i) {
        const double r = 0.2 * drop.size * log_uniform(random, 0.3, 1.5);
        const Vec3 at{drop.size * random.uniform(-0.4, 0.4), 1.05 * r, drop.size * (0.5 * i - 0.5)};
        world.add(Rigid{.shape = random.below(2) ? Shape::sphere(r) : Shape::box({r, r, r}),
                        .density = log_uniform(random, 30, 5000)},
                  {.position = at});
    }
    const double time = std::sqrt(2 * drop.height / g) + 0.4, fall = g * time;
    const EnergyGrowth growth = energy_growth(world, time);
    double thrown = 0;
    for (const BodyId b : world.bodies())
        if (world.kind(b) == BodyKind::rigid) thrown = std::max(thrown, norm(world.velocity(b)));
    const auto what = fmt::format(
        "{}, seed {}, step 1/{:.0f} s, {:.3g} J: worst step {:+.3g}, in all {:+.3g}; a rigid body at {:.3g} "
        "m/s "
        "of {:.3g}",
        drop_names[static_cast<std::size_t>(kind)], seed, 1 / drop.step, growth.start, growth.step,
        growth.total, thrown, speed + (scene == Scene::floating ? 0 : fall));
    if (std::getenv("PLUSH_SHOW")) fmt::print("{}\n", what);
    if (scene == Scene::ground) {
        EXPECT_LT(growth.step, 0.01) << what;
        EXPECT_LT(growth.total, 0.01) << what;
    } else {
        EXPECT_LT(thrown, 2 * (1.05 * speed + (scene == Scene::floating ? 0 : fall))) << what;
    }
}

void sweep(IntegrationMethod method, Scene scene, std::uint64_t seeds) {
    for (const DropKind kind : drop_kinds)
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            expect_no_energy_gained(kind, seed, method, scene);
}

// Before contact was felt at the end of a step: up to 78,000 times the energy that was there.
TEST(VertexLaws, ImplicitEulerAddsNoEnergyOnTheGround) {
    sweep(IntegrationMethod::implicit_euler, Scene::ground, 6);
}
TEST(VertexLaws, Bdf2AddsNoEnergyOnTheGround) {
    sweep(IntegrationMethod::bdf2, Scene::ground, 4);
}

// Free rigid bodies are thrown with no more than twice the speed of what hits them, as by a heavy wall. Their energy is
// not told: docs/methods.md, "Free obstacles", has the limits.
TEST(VertexLaws, FreeBodiesAreNotThrown) {
    sweep(IntegrationMethod::implicit_euler, Scene::floating, 6);
    sweep(IntegrationMethod::bdf2, Scene::floating, 4);
    sweep(IntegrationMethod::implicit_euler, Scene::trapped, 6);
    sweep(IntegrationMethod::bdf2, Scene::trapped, 4);
}

TEST(VertexLawsFull, NoStepAddsEnergy) {
    for (const IntegrationMethod method : {IntegrationMethod::implicit_euler, IntegrationMethod::bdf2})
        sweep(method, Scene::ground, 40);
}

}  // namespace
}  // namespace plush
