#include <algorithm>

#include "plush/geometry/generate.hpp"
#include "support/random.hpp"
#include "worlds.hpp"

// First touch at its time and place. With exact answers: `plush validate oblique_impact graze bullet`.

namespace plush {
namespace {

using namespace testing_world;
using test::random_vector;

WorldSettings floating(ContactMethod method, double h) {
    WorldSettings settings = without_sleep();
    settings.step = h;
    settings.threads = 1;
    settings.gravity = {};
    settings.contact.method = method;
    settings.contact.volume.pixels_across = 32;
    return settings;
}

Rigid any_solid(Random& random, const Mesh& mesh) {
    Rigid solid;
    solid.material = {.friction = random.uniform(0, 1), .restitution = random.uniform(0, 1)};
    solid.density = std::pow(10, random.uniform(2, 4));
    const double size = random.uniform(0.03, 0.1);
    switch (random.below(5)) {
        case 0:
            solid.shape = Shape::sphere(size);
            break;
        case 1:
            solid.shape = Shape::box({size, random.uniform(0.2, 1) * size, random.uniform(0.2, 1) * size});
            break;
        case 2:
            solid.shape = Shape::capsule(0.4 * size, size);
            break;
        case 3:
            solid.shape = Shape::cylinder(0.5 * size, size);
            break;
        default:
            solid.mesh = mesh;
    }
    return solid;
}

/// Two to five solids that fly at one another, one of them far in a step.
struct Collision {
    Vec3 linear, angular;  ///< change of the momenta, by what went about of them
    double gain = 0;       ///< of energy, the same
    int touched = 0;
};

Collision collide(std::uint64_t seed, ContactMethod method, const Mesh& mesh) {
    Random random(seed);
    WorldSettings settings = floating(method, std::pow(10, random.uniform(-2.5, -1.3)));
    settings.contact.stabilise_passes = 0;  // which moves bodies at fixed speeds: an entry of its own
    World world(settings);
    const int n = 2 + static_cast<int>(random.below(4));
    double scale = 0;
    for (int k = 0; k < n; ++k) {
        const Vec3 at = normalised(random_vector(random, 1) + Vec3{0, 0, 1e-3}) * random.uniform(0.3, 0.8);
        const double sizes_a_step = std::pow(10, random.uniform(-1.5, 0.5));
        const double speed = std::min(sizes_a_step * 0.1 / settings.step, 50.0);
        world.add(any_solid(random, mesh),
                  {.position = at,
                   .rotation = from_axis_angle(normalised(random_vector(random, 1) + Vec3{1e-3, 0, 0}),
                                               random.uniform(0, 6)),
                   .velocity = (random_vector(random, 0.05) - at) * (speed / norm(at)),
                   .angular_velocity = random_vector(random, 0.3 / settings.step)});
    }
    for (const BodyId b : world.bodies()) scale += world.mass(b) * norm(world.velocity(b));
    const Vec3 linear = world.momentum(), angular = world.angular_momentum();
    const double energy = world.energy().kinetic;
    Collision result;
    Vec3 moved;  // by displacements at fixed speeds: bounces that are at their height
    for (int k = 0; k < 40; ++k) {
        world.step();
        result.touched += static_cast<int>(world.contacts().size());
        moved += world.report().momentum.position.angular;
        result.gain = std::max(result.gain, world.energy().kinetic / energy - 1);
    }
    result.linear = (world.momentum() - linear) / scale;
    result.angular = (world.angular_momentum() - angular - moved) / scale;  // the world is a metre wide
    return result;
}

class Collisions : public ::testing::TestWithParam<ContactMethod> {};

// Impulses act between bodies that stand where they act: no net force and no net moment, whatever the kinds, masses, speeds,
// spins, friction and restitution are.
TEST_P(Collisions, KeepBothMomentaAndGainNoEnergy) {
    const Mesh mesh = shapes::icosphere(0.08, 320);
    int touched = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const Collision c = collide(seed, GetParam(), mesh);
        EXPECT_LT(norm(c.linear), 1e-12) << seed;
        EXPECT_LT(norm(c.angular), 1e-11) << seed;
        EXPECT_LT(c.gain, 0.01) << seed;
        touched += c.touched > 0;
    }
    EXPECT_GT(touched, 20);
}

INSTANTIATE_TEST_SUITE_P(Methods, Collisions, ::testing::Values(ContactMethod::points, ContactMethod::volume),
                         [](const auto& named) {
                             return named.param == ContactMethod::points ? "points" : "volume";
                         });

// A fast ball meets a box that sleeps: the blow wakes it, in the step in which it comes.
TEST(Impacts, WakeWhatSleeps) {
    for (const ContactMethod method : {ContactMethod::points, ContactMethod::volume}) {
        WorldSettings settings = floating(method, 1.0 / 60);
        settings.gravity = {0, -9.81, 0};
        settings.sleep.enabled = true;
        World world(settings);
        world.add_ground();
        const BodyId box = world.add(Rigid{.shape = Shape::box({0.1, 0.1, 0.1})}, {.position = {0, 0.1, 0}});
        while (!world.asleep(box) && world.time() < 5) world.step();
        ASSERT_TRUE(world.asleep(box));
        const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.05)},
                                      {.position = {-0.5, 0.1, 0}, .velocity = {40, 0, 0}});
        steps(world, 3);
        EXPECT_FALSE(world.asleep(box));
        EXPECT_GT(world.velocity(box).x, 1);
        EXPECT_LT(world.centre(ball).x, world.centre(box).x);
    }
}

// Of a body that touches something already, contacts act where the step starts; it is not carried over what it touches.
TEST(Impacts, ABallThatRollsDoesNotSkipTheWall) {
    for (const ContactMethod method : {ContactMethod::points, ContactMethod::volume}) {
        WorldSettings settings = floating(method, 1.0 / 60);
        settings.gravity = {0, -9.81, 0};
        World world(settings);
        world.add_ground();
        world.add(Fixed{.shape = Shape::box({0.01, 0.5, 0.5})}, {.position = {1, 0.5, 0}});
        const BodyId ball = world.add(Rigid{.shape = Shape::sphere(0.05)},
                                      {.position = {0, 0.05, 0}, .velocity = {30, 0, 0}});
        steps(world, 30);
        EXPECT_LT(world.centre(ball).x, 0.95);
    }
}

// Soft balls do not pass a wall that is thinner than they are, at up to 400 times their size a step; where ½ ρ v² is below E they
// are sound afterwards.
TEST(Impacts, SoftBallsDoNotPassAWall) {
    const SoftSolid solid = SoftSolid::fill(shapes::icosphere(0.01, 320), {.nodes = 100});
    Random random(3);
    for (const double speed : {5.0, 50.0, 200.0}) {
        for (int k = 0; k < 4; ++k) {
            WorldSettings settings = floating(ContactMethod::automatic, 1.0 / 60);
            World world(settings);
            world.add(Fixed{.shape = Shape::box({0.005, 5, 5})}, {});
            Soft soft;
            soft.solid = solid;
            soft.elastic.young = 1e6 * std::max(1.0, speed * speed / 2000);
            const Vec3 direction = normalised(Vec3{1, random.uniform(-1, 1), random.uniform(-1, 1)});
            const BodyId ball = world.add(
                soft, {.position = direction * -random.uniform(0.1, 0.5), .velocity = speed * direction});
            steps(world, 8);
            double through = -1, radius = 0;
            for (const Vec3& p : world.drawn_positions(ball)) {
                through = std::max(through, p.x);
                radius = std::max(radius, norm(p - world.centre(ball)));
            }
            EXPECT_LT(through, 0) << speed << ' ' << k;
            EXPECT_LT(radius, 0.015) << speed << ' ' << k;
        }
    }
}

}  // namespace
}  // namespace plush
