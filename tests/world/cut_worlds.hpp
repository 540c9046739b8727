#pragma once

#include "geometry/cutting/cut_checks.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/world/world.hpp"
#include "support/worlds.hpp"

// Worlds in which soft bodies are cut, for the tests of it.

namespace plush::cut_worlds {

using test::steps;

inline WorldSettings settings(int threads = 1) {
    return {.step = 0.01, .threads = threads, .contact = {.method = ContactMethod::volume}};
}

inline WorldSettings weightless() {
    return test::without_gravity(settings());
}

/// Of the drawn surface, m³.
inline double volume_now(const World& world, BodyId body) {
    return test::volume_of(world.drawn_positions(body), world.drawn_surface(body));
}

/// What a cut keeps, as it was before.
struct Kept {
    double mass, kinetic, volume;
    Vec3 momentum, spin, centre;

    Kept(const World& world, BodyId body)
        : mass(world.mass(body)),
          kinetic(world.energy().kinetic),
          volume(volume_now(world, body)),
          momentum(world.momentum()),
          spin(world.angular_momentum(body)),
          centre(world.centre(body)) {}

    void expect(const World& world, BodyId body, double volume_tolerance) const {
        EXPECT_NEAR(world.mass(body), mass, 1e-12 * mass);
        EXPECT_LT(norm(world.momentum() - momentum), 1e-12 * norm(momentum));
        EXPECT_LT(norm(world.angular_momentum(body) - spin), 1e-12 * mass);
        EXPECT_LT(norm(world.centre(body) - centre), 1e-12);
        EXPECT_NEAR(world.energy().kinetic, kinetic, 1e-12 * kinetic);
        EXPECT_NEAR(volume_now(world, body), volume, volume_tolerance * volume);
    }
    /// After some steps, whose errors are added.
    void expect_momentum(const World& world) const {
        EXPECT_LT(norm(world.momentum() - momentum), 1e-9 * norm(momentum));
    }
};

}  // namespace plush::cut_worlds
