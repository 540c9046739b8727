#include <fmt/format.h>

#include "energy_scenes.hpp"
#include "worlds.hpp"

// BDF2 remembers the step before. Where an impulse comes between that memory is of another motion, and it starts anew.

namespace plush {
namespace {

using namespace test;
using namespace testing_world;

struct Rebound {
    double height = 0;  ///< the centre's highest place after it has touched, above where it stood at rest, m
    double most_energy = 0;
};

Rebound rebound(DropKind kind, std::uint64_t seed, ContactMethod contact, int finer, double rate,
                IntegrationMethod method = IntegrationMethod::bdf2) {
    Random random(1000 * seed + 17 * static_cast<std::uint64_t>(kind));
    WorldSettings settings;
    settings.contact.method = contact;
    settings.threads = 1;
    settings.step = 1 / (rate * finer);
    Drop drop;
    drop.method = method;
    drop.step = settings.step;
    drop.size = 0.3;
    drop.height = 0.5;
    World world(settings);
    world.add_ground();
    const BodyId body =
        add_drop(world, random, kind, drop, {.position = {0, 0.5 * drop.size + drop.height, 0}});
    Rebound result;
    bool touched = false, up = false;
    while (world.time() < 1.2) {
        world.step();
        result.most_energy = std::max(result.most_energy, world.energy().total());
        touched = touched || !world.contacts().empty();
        up = up || (touched && world.velocity(body).y > 0 && world.contacts().empty());
        if (up) result.height = std::max(result.height, world.centre(body).y - 0.5 * drop.size);
    }
    return result;
}

// Within 5 % of the height that it fell from. Soft jellies and neo-Hookean bodies by volume are farther off: not tested.
TEST(Bdf2Rebound, AgreesWithFineSteps) {
    for (const ContactMethod contact : {ContactMethod::volume, ContactMethod::points})
        for (const DropKind kind : {DropKind::corotational})
            for (std::uint64_t seed = 1; seed <= 2; ++seed) {
                const Rebound coarse = rebound(kind, seed, contact, 1, 240),
                              fine = rebound(kind, seed, contact, 16, 240);
                const Rebound euler = rebound(kind, seed, contact, 1, 240, IntegrationMethod::implicit_euler);
                const auto what =
                    fmt::format("{}, contact {}, seed {}: {:.4f} m, fine {:.4f} m, euler {:.4f}",
                                drop_names[static_cast<std::size_t>(kind)], static_cast<int>(contact), seed,
                                coarse.height, fine.height, euler.height);
                if (std::getenv("PLUSH_SHOW")) fmt::print("{}\n", what);
                EXPECT_NEAR(coarse.height, fine.height, 0.05 * 0.5) << what;
            }
}

// With a history from before the impulse each contact gave the body half as much again as the other one got.
TEST(Bdf2Rebound, ContactImpulsesAreGivenOnce) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (const double rate : {60.0, 240.0}) {
            Random random(seed);
            WorldSettings settings = without_gravity();
            settings.contact.method = ContactMethod::volume;
            settings.threads = 1;
            settings.step = 1 / rate;
            World world(settings);
            Drop drop;
            drop.method = IntegrationMethod::bdf2;
            add_drop(world, random, DropKind::corotational, drop,
                     {.position = {0, 0.4, 0}, .velocity = {0, -random.uniform(0.5, 3), 0}});
            world.add(
                Rigid{.shape = Shape::box({0.15, 0.1, 0.15}), .density = log_uniform(random, 100, 3000)});
            const Vec3 before = world.momentum();
            bool touched = false;
            for (int i = 0; i < static_cast<int>(rate); ++i) {
                world.step();
                touched = touched || !world.contacts().empty();
            }
            EXPECT_TRUE(touched);
            const double error = norm(world.momentum() - before) / norm(before);
            if (std::getenv("PLUSH_SHOW"))
                fmt::print("seed {}, 1/{:.0f} s: momentum off by {:.3g}\n", seed, rate, error);
            EXPECT_LT(error, 1e-6) << seed << " " << rate;
        }
}

}  // namespace
}  // namespace plush
