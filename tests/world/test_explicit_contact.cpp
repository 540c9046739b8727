#include <fmt/format.h>

#include "energy_scenes.hpp"
#include "worlds.hpp"

// Explicit integrators in contact. Their substeps end long before the world's step does, and rows would move vertices
// by the impulse of the whole step: far beyond what is stable. So their bodies touch by forces, in every substep.

namespace plush {
namespace {

using namespace test;
using namespace testing_world;

EnergyGrowth growth_of(ContactMethod contact, DropKind kind, IntegrationMethod method, std::uint64_t seed,
                       double max_friction = 0) {
    Random random(1000 * seed + 17 * static_cast<std::uint64_t>(kind));
    WorldSettings settings;
    settings.contact.method = contact;
    settings.threads = 1;
    Drop drop;
    drop.method = method;
    drop.max_friction = max_friction;
    if (max_friction > 0) drop.max_substeps = 3000;  // less than friction asks for
    drop.step = settings.step = random_step(random);
    drop.size = log_uniform(random, 0.1, 0.5);
    drop.height = log_uniform(random, 0.1, 1);
    World world(settings);
    world.add_ground();
    add_drop(world, random, kind, drop,
             {.position = {0, drop.size + drop.height, 0}, .rotation = random_turn(random)});
    return energy_growth(world, std::sqrt(2 * drop.height / g) + 0.3);
}

void sweep(ContactMethod contact, std::uint64_t seeds, double max_friction = 0) {
    for (const IntegrationMethod method : {IntegrationMethod::semi_implicit_euler,
                                           IntegrationMethod::runge_kutta_4, IntegrationMethod::verlet})
        for (const DropKind kind :
             {DropKind::jelly, DropKind::tet_springs, DropKind::corotational, DropKind::neo_hookean})
            for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
                const EnergyGrowth growth = growth_of(contact, kind, method, seed, max_friction);
                const auto what =
                    fmt::format("integrator {}, {}, seed {}: {:.3g} J, worst step {:+.3g}, in all {:+.3g}",
                                static_cast<int>(method), drop_names[static_cast<std::size_t>(kind)], seed,
                                growth.start, growth.step, growth.total);
                if (std::getenv("PLUSH_SHOW")) fmt::print("{}\n", what);
                EXPECT_LT(growth.total, 0.05) << what;
            }
}

TEST(ExplicitContact, RowsAreRefused) {
    for (const IntegrationMethod method :
         {IntegrationMethod::explicit_euler, IntegrationMethod::semi_implicit_euler,
          IntegrationMethod::midpoint, IntegrationMethod::runge_kutta_4, IntegrationMethod::verlet,
          IntegrationMethod::time_corrected_verlet}) {
        Jelly jelly;
        jelly.name = "jelly";
        jelly.motion.integration.method = method;
        Cloth sheet;  // open: it has no volume
        sheet.motion.integration.method = method;
        for (const ContactMethod contact :
             {ContactMethod::volume, ContactMethod::volume_penalty, ContactMethod::closest_feature}) {
            WorldSettings settings;
            settings.contact.method = contact;
            World world(settings);
            const Error error = error_of([&] { world.add(jelly); });
            EXPECT_TRUE(says(error.place(), "jelly\", integrator")) << error.what();
            EXPECT_TRUE(says(error.cure(), "implicit_euler")) << error.what();
            EXPECT_TRUE(world.bodies().empty());
            if (contact != ContactMethod::closest_feature) world.add(sheet);
            World other;
            const BodyId ground = other.add_ground(), body = other.add(jelly);
            EXPECT_EQ(other.pair_method(body, ground), ContactMethod::points);
            EXPECT_TRUE(
                says(error_of([&] { other.set_pair_method(body, ground, contact); }).place(), "integrator"));
        }
    }
}

TEST(ExplicitContact, AddsNoEnergyWhereNothingIsSaid) {
    sweep(ContactMethod::automatic, 2);
}
// Friction near rest wants substeps by the ten thousand in an impact: it was an error in the middle of a run. It is limited
// to the substep then, and the log says so once.
TEST(ExplicitContact, FrictionIsLimitedToTheSubstep) {
    sweep(ContactMethod::automatic, 1, 1);
    for (const double tangent : {0.3, 0.9}) {
        std::string log;
        WorldSettings settings;
        settings.threads = 1;
        settings.gravity = {9.81 * tangent, -9.81, 0};
        World world(settings);
        world.set_logger(Logger([&](LogLevel, std::string_view text) { log += text; }, LogLevel::info));
        world.add_ground();
        Soft soft;
        soft.solid = SoftSolid(tet_box({0.2, 0.1, 0.2}, {3, 2, 3}).value());
        soft.elastic = {.young = 1e5, .poisson = 0.3, .density = 300};
        soft.motion.integration.method = IntegrationMethod::semi_implicit_euler;
        soft.motion.integration.max_substeps = 60;
        soft.material.friction = 0.6;
        const BodyId body = world.add(soft, {.position = {0, 0.101, 0}});
        while (world.time() < 1) world.step();
        // With μ = √(0.6 · 0.5), the ground's. While it bounces on its stiff surface friction is weaker.
        const double way = world.centre(body).x, slide = 0.5 * 9.81 * (tangent - std::sqrt(0.3));
        if (std::getenv("PLUSH_SHOW"))
            fmt::print("slope {}: {:.4g} m, Coulomb {:.4g} m\n{}\n", tangent, way, slide, log);
        EXPECT_NE(log.find("is limited to"), std::string::npos);
        EXPECT_EQ(log.find("is limited to"), log.rfind("is limited to"));
        if (slide < 0) {
            EXPECT_LT(way, 0.15);  // 0.119; 1.47 without friction
        } else {
            EXPECT_GT(way, 0.99 * slide);
            EXPECT_LT(way, 1.15 * slide);  // 1.11; 4.41 m without friction
        }
    }
}
TEST(ExplicitContactFull, AddsNoEnergyWhereNothingIsSaid) {
    sweep(ContactMethod::automatic, 20);
}

}  // namespace
}  // namespace plush
