#include <array>
#include <numbers>

#include "plush/core/random.hpp"
#include "world/world_parts.hpp"
#include "worlds.hpp"

// What a patch of contact can transmit does not depend on how it is divided into cells: the centre of pressure of a flat rigid
// patch reaches its outline and no farther, and friction resists spin with μ ∫ p |x| dA. A plate pushes along its own
// normal, whatever a soft body on it does.

namespace plush {
namespace {

using namespace testing_world;

constexpr double pi = std::numbers::pi;

/// A flat box or disc on the ground or on a fixed mesh, without weight, pressed at one point.
struct Pressed {
    bool disc = false, on_mesh = false;
    double cell = 0;   ///< by its size; 0: by default
    double place = 0;  ///< of the load, by how far the outline is in its direction
    double tilt = 0;   ///< after half a second, rad
};

std::ostream& operator<<(std::ostream& out, const Pressed& p) {
    return out << (p.disc ? "disc" : "box") << (p.on_mesh ? " on a mesh" : " on the ground") << ", cells of "
               << p.cell << ", load at " << p.place << " of the outline: tilts by " << p.tilt;
}

Pressed press(std::uint64_t seed, double place) {
    Random random(seed);
    Pressed p{.disc = random.uniform() < 0.3, .on_mesh = random.uniform() < 0.4, .place = place};
    const double size = std::pow(10, random.uniform(-1, 1)), other = size * random.uniform(0.4, 1);
    p.cell = random.uniform() < 0.3 ? 0 : random.uniform(0.15, 1.2);
    WorldSettings s =
        without_gravity(without_sleep({.threads = 1, .contact = {.method = ContactMethod::volume}}));
    s.step = 1.0 / 120;
    s.contact.volume.cell = p.cell * size;
    World world(s);
    const Quat way = from_axis_angle({0, 1, 0}, random.uniform(0, 360));
    const Material material{.friction = random.uniform(0.2, 0.8)};
    if (p.on_mesh)
        world.add(
            Fixed{.mesh = shapes::box({2 * size, 0.3 * size, 2 * size}), .material = material},
            {.position = {0, -0.3 * size, 0}, .rotation = from_axis_angle({0, 1, 0}, random.uniform(0, 90))});
    else
        world.add_ground(0, material);
    const Vec3 half{0.5 * size, 0.1 * size, 0.5 * other};
    const Shape shape = p.disc ? Shape::cylinder(half.x, half.y) : Shape::box(half);
    const Vec3 at{random.uniform(-1, 1) * size, half.y - 0.5 * 1e-4, random.uniform(-1, 1) * size};
    const BodyId body = world.add(Rigid{.shape = shape, .mass = 1.0, .material = material},
                                  {.position = at, .rotation = way});
    // Where the outline is in a random direction.
    const double angle = random.uniform(0, 2 * pi);
    const Vec3 u{std::cos(angle), 0, std::sin(angle)};
    const double reach = p.disc ? half.x : std::min(half.x / std::abs(u.x), half.z / std::abs(u.z));
    const Vec3 load = place * reach * u + Vec3{0, half.y, 0};
    for (int k = 0; k < 60; ++k) {
        const Transform pose = world.pose(body);
        world.apply_force(body, {0, -100 * size, 0}, pose.position + rotate(pose.rotation, load));
        world.step();
    }
    p.tilt = std::acos(std::clamp(rotate(world.pose(body).rotation, {0, 1, 0}).y, -1.0, 1.0));
    return p;
}

// Columns see half a pixel more or less of 64, and a disc has 16 corners: 0.96 of its radius at the least.
TEST(PatchLaws, TheCentreOfPressureReachesTheOutlineWhateverTheCells) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Pressed inside = press(seed, 0.95), outside = press(seed, 1.03);
        EXPECT_LT(inside.tilt, 3e-3) << seed << ": " << inside;
        EXPECT_GT(outside.tilt, 0.05) << seed << ": " << outside;
    }
}

// Corners carry what rests. In impacts the overlap is no patch, and bounces are made up by rows at the level of positions, which
// nearly redundant corners contradict: toys in a bowl were pressed 0.2 m into each other (`Bowl.ToysThatFall…`).
TEST(PatchLaws, CornersOfAPatchHaveRowsWhereItRestsAlone) {
    std::size_t corners = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(seed);
        WorldParts world(without_sleep({.threads = 1, .contact = {.method = ContactMethod::volume}}));
        const Material material{.friction = 0.5, .restitution = 0.5};
        world.add(world.factory.make(Fixed{.shape = Shape::half_space({0, 1, 0}), .material = material}, {}));
        for (int k = 0; k < 4; ++k)
            world.add(world.factory.make(
                Rigid{.shape = Shape::box({0.1, random.uniform(0.02, 0.1), 0.1}), .material = material},
                {.position = {random.uniform(-0.02, 0.02), 0.15 + 0.22 * k, 0},
                 .rotation = from_axis_angle({random.uniform(-1, 1), 0, 1}, random.uniform(0, 20)),
                 .velocity = {0, random.uniform(-3, 0), 0}}));
        for (int n = 0; n < 60; ++n) {
            world.step();
            const auto contacts = world.contact.volumes.step_contacts();
            for (std::size_t k = 0; k < contacts.size(); ++k) {
                const auto block = world.contact.volumes.step_blocks()[k];
                if (!contacts[k].is_outline() || !block) continue;
                ++corners;
                EXPECT_FALSE(contacts[k].speculative);
                EXPECT_EQ(world.system.rows().blocks[*block].rebound, 0);
                EXPECT_LE(contacts[k].rest, 0.5 * 0.2 / 64);  // half a pixel
            }
        }
    }
    EXPECT_GT(corners, 100u);
}

/// A soft block between two rigid plates that close, without friction.
struct Squeezed {
    double yaw = 0;       ///< the fastest, rad/s
    double sideways = 0;  ///< of what a plate is pushed with, by what it is pushed with in all
    double twist = 0;     ///< the moment about its normal, by that and the size of the block
};

Squeezed squeeze(std::uint64_t seed) {
    Random random(seed);
    WorldSettings s = without_gravity(without_sleep({.threads = 1}));
    World world(s);
    const double size = 0.1, half = 0.5 * size, closed = random.uniform(0.02, 0.05) * size;
    const Material smooth{.friction = 0};
    Soft soft;
    soft.solid = SoftSolid::fill(shapes::box({half, half, random.uniform(0.5, 1) * half}, 300),
                                 {.cells_across = 3 + static_cast<int>(random.below(3))});
    soft.elastic = {.young = std::pow(10, random.uniform(4, 6)),
                    .poisson = random.uniform(0.1, 0.4),
                    .density = 500,
                    .stiffness_damping = 0.01};
    soft.material = smooth;
    const BodyId block =
        world.add(soft, {.position = {random.uniform(-0.1, 0.1), 0, random.uniform(-0.1, 0.1)},
                         .rotation = from_axis_angle({0, 1, 0}, random.uniform(0, 90))});
    std::array<BodyId, 2> plates;
    for (std::size_t k = 0; k < 2; ++k) {
        const double side = k == 0 ? -1 : 1, apart = side * (half + 0.011);
        Scripted plate;
        plate.shape = Shape::box({0.3, 0.01, 0.3});
        plate.material = smooth;
        plate.keyframes = {{.time = 0, .position = {0, apart, 0}},
                           {.time = 0.2, .position = {0, apart - side * closed, 0}}};
        plates[k] = world.add(plate);
    }
    Squeezed most;
    const double inertia = world.mass(block) * size * size / 6;
    for (int k = 0; k < 40; ++k) {
        world.step();
        most.yaw = std::max(most.yaw, std::abs(world.angular_momentum(block).y) / inertia);
        for (const BodyId plate : plates) {
            const Wrench w = world.contact_wrench(plate);
            const double force = std::max(1e-300, norm(w.force));
            most.sideways = std::max(most.sideways, std::hypot(w.force.x, w.force.z) / force);
            most.twist = std::max(most.twist, std::abs(w.torque.y) / (force * size));
        }
    }
    return most;
}

// A plate pushes along its own normal, however the block is deformed there. Where the block's own faces were part of the
// normals it turned at 0.01 to 4 rad/s in these six. What is left is that of the linearised implicit step of the elastic
// body, whose inner forces have a small moment: 0.0006 rad/s at most.
TEST(PatchLaws, ASoftBlockBetweenFrictionlessLevelPlatesIsNotTurned) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        const Squeezed squeezed = squeeze(seed);
        EXPECT_LT(squeezed.sideways, 1e-12) << seed;
        EXPECT_LT(squeezed.twist, 1e-12) << seed;
        EXPECT_LT(squeezed.yaw, 1e-3) << seed;
    }
}

}  // namespace
}  // namespace plush
