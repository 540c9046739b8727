#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

// The impulse of a particle against a plane: v_N ← −e v_N, v_T ← a v_T with
// a = max(1 − μ (1 + e) |v_N| / |v_T|, 0).
TEST(ParticleContact, TheImpulseHasItsClosedForm) {
    struct Case {
        double e, mu;
        Vec3 v;
    };
    const Case cases[] = {
        {0.5, 0.3, {2, -1, 0}},  // slides: a = 1 − 0.3 · 1.5 / 2
        {0.5, 0.9, {1, -2, 0}},  // sticks: a = 0
        {0.0, 0.2, {1, -3, 2}},  // no bounce
        {1.0, 0.0, {3, -2, 1}},  // a mirror
        {0.8, 0.5, {0, -2, 0}},  // no tangential speed: no division by it
    };
    for (const Case& c : cases) {
        WorldSettings settings = without_gravity();
        settings.contact.method = ContactMethod::impulse;
        World world(settings);
        const Material material{.friction = c.mu, .restitution = c.e};
        world.add_ground(0, material);
        // The impulse acts on points that are inside already.
        const BodyId dust =
            world.add(Particles{.positions = {{0, -1e-5, 0}}, .velocities = {c.v}, .material = material});
        world.step();
        const double tangential = std::hypot(c.v.x, c.v.z);
        const double a =
            tangential > 0 ? std::max(1 - c.mu * (1 + c.e) * std::abs(c.v.y) / tangential, 0.0) : 0;
        expect_near(world.velocity(dust), {a * c.v.x, -c.e * c.v.y, a * c.v.z}, 1e-12);
    }
}

// With several particles in one body each has its own impulse.
TEST(ParticleContact, EachParticleBouncesForItself) {
    WorldSettings settings = without_gravity();
    settings.contact.method = ContactMethod::impulse;
    World world(settings);
    world.add_ground(0, {.friction = 0, .restitution = 0.5});
    const BodyId dust = world.add(Particles{.positions = {{0, -1e-5, 0}, {1, 1, 0}, {2, -1e-5, 0}},
                                            .velocities = {{0, -1, 0}, {0, -1, 0}, {0, -4, 0}}});
    world.step();
    EXPECT_NEAR(world.particle_velocities(dust)[0].y, 0.5, 1e-12);
    EXPECT_NEAR(world.particle_velocities(dust)[1].y, -1, 1e-12);
    EXPECT_NEAR(world.particle_velocities(dust)[2].y, 2, 1e-12);
}

TEST(ParticleContact, GrainsComeToRestWithPoints) {
    World world(without_sleep());
    const BodyId ground = world.add_ground();
    std::vector<Vec3> positions;
    for (int i = 0; i < 20; ++i) positions.push_back({0.1 * i, 0.1 + 0.03 * i, 0});
    const double radius = 0.01;
    const BodyId grains = world.add(Particles{.positions = positions, .radius = radius});
    world.set_velocity(grains, {0.5, 0, 0});
    steps(world, 120);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        EXPECT_NEAR(world.particle_positions(grains)[i].y, radius, 2e-4);
        EXPECT_LT(norm(world.particle_velocities(grains)[i]), 1e-9);
    }
    EXPECT_NEAR(world.contact_wrench(ground).force.y, -world.mass(grains) * g, 1e-3 * world.mass(grains) * g);
    EXPECT_NEAR(world.mass(grains), 20 * 0.001, 1e-15);
}

// A grain stops on level ground where a block does: v²/(2 μ g), less v h/2 of semi-implicit Euler.
TEST(ParticleContact, FrictionStopsAGrain) {
    World world(without_sleep());
    const Material material{.friction = 0.5};
    world.add_ground(0, material);
    const BodyId grain =
        world.add(Particles{.positions = {{0, 0, 0}}, .velocities = {{1, 0, 0}}, .material = material});
    steps(world, 60);
    EXPECT_NEAR(world.centre(grain).x, 1 / (2 * 0.5 * g) - world.settings().step / 2, 1e-3);
}

TEST(ParticleContact, ParticlesPressOnBodies) {
    World world(without_gravity());
    const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1}), .mass = 1});
    const BodyId shot =
        world.add(Particles{.positions = {{0, 0.3, 0}}, .velocities = {{0, -2, 0}}, .mass = 0.5});
    steps(world, 30);
    EXPECT_NEAR(world.velocity(box).y, -2 * 0.5 / 1.5, 1e-6);  // plastic: they go on together
    EXPECT_NEAR(world.velocity(shot).y, -2 * 0.5 / 1.5, 1e-6);
    expect_near(world.momentum(), {0, -1, 0}, 1e-12);
}

}  // namespace
}  // namespace plush
