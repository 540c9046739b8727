#include <fmt/format.h>

#include "energy_scenes.hpp"
#include "worlds.hpp"

// Vertices of deformable bodies held off surfaces by forces: laws of all scenes.

namespace plush {
namespace {

using namespace test;
using namespace testing_world;

/// No step adds energy: what a body falls with is all there is. Of one kind, with the method points.
void expect_no_energy_gained(DropKind kind, std::uint64_t seed, IntegrationMethod method, bool among_rigid) {
    Random random(1000 * seed + 17 * static_cast<std::uint64_t>(kind));
    WorldSettings settings;
    settings.contact.method = ContactMethod::points;
    settings.threads = 1;
    Drop drop;
    drop.method = method;
    drop.step = settings.step = random_step(random);
    drop.size = log_uniform(random, 0.05, 1);
    drop.height = log_uniform(random, 0.1, 3);
    World world(settings);
    world.add_ground();
    const Quat turn = random_turn(random);
    const double speed = random.uniform(0, 5);
    add_drop(world, random, kind, drop,
             {.position = {0, drop.size + drop.height, 0}, .rotation = turn, .velocity = {0.3 * speed, -speed, 0}});
    if (among_rigid)
        for (int i = 0; i < 3; ++i) {
            const double r = 0.2 * drop.size * log_uniform(random, 0.3, 1.5);
            const Vec3 at{drop.size * random.uniform(-0.4, 0.4), 1.05 * r, drop.size * (0.5 * i - 0.5)};
            world.add(Rigid{.shape = random.below(2) ? Shape::sphere(r) : Shape::box({r, r, r}),
                            .density = log_uniform(random, 30, 5000)},
                      {.position = at});
        }
    const EnergyGrowth growth = energy_growth(world, std::sqrt(2 * drop.height / g) + 0.4);
    const auto what = fmt::format("{}, seed {}, step 1/{:.0f} s, {:.3g} J: worst step {:+.3g}, in all {:+.3g}",
                                  drop_names[static_cast<std::size_t>(kind)], seed, 1 / drop.step, growth.start,
                                  growth.step, growth.total);
    if (std::getenv("PLUSH_SHOW")) fmt::print("{}\n", what);
    EXPECT_LT(growth.step, 0.01) << what;
    EXPECT_LT(growth.total, 0.01) << what;
}

void sweep(IntegrationMethod method, bool among_rigid, std::uint64_t seeds) {
    for (const DropKind kind : drop_kinds)
        for (std::uint64_t seed = 1; seed <= seeds; ++seed)
            expect_no_energy_gained(kind, seed, method, among_rigid);
}

TEST(VertexLaws, ImplicitEulerAddsNoEnergyOnTheGround) { sweep(IntegrationMethod::implicit_euler, false, 6); }
TEST(VertexLaws, ImplicitEulerAddsNoEnergyAmongRigidBodies) { sweep(IntegrationMethod::implicit_euler, true, 6); }
TEST(VertexLaws, Bdf2AddsNoEnergyOnTheGround) { sweep(IntegrationMethod::bdf2, false, 4); }
TEST(VertexLaws, Bdf2AddsNoEnergyAmongRigidBodies) { sweep(IntegrationMethod::bdf2, true, 4); }

TEST(VertexLawsFull, NoStepAddsEnergy) {
    for (const IntegrationMethod method : {IntegrationMethod::implicit_euler, IntegrationMethod::bdf2})
        for (const bool among_rigid : {false, true}) sweep(method, among_rigid, 40);
}

}  // namespace
}  // namespace plush
