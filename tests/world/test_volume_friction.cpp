#include <numbers>

#include "world/world_parts.hpp"
#include "worlds.hpp"

// The laws of Allard et al. 2010 in the paper's form, chosen by one word: viscous friction, no-slip rows, the energy
// ½ k V² of a whole pair, and the plain mean of the three images' volumes.

namespace plush {
namespace {

using namespace testing_world;

WorldSettings by_volume(VolumeFriction friction = VolumeFriction::coulomb) {
    WorldSettings s = without_sleep({.threads = 1, .contact = {.method = ContactMethod::volume}});
    s.contact.volume.friction = friction;
    s.solver.tolerance = 1e-10;
    return s;
}

// -- viscous friction

/// A plate of 0.4 m × 0.4 m and 10 kg that slides on level ground, whose Coulomb friction counts for nothing.
struct Plate {
    static constexpr double area = 0.16, mass = 10, speed = 1;
    World world;
    BodyId body;

    explicit Plate(double viscosity, double cell = 0, const Vec3& gravity = {0, -g, 0})
        : world(settings(viscosity, cell, gravity)) {
        world.add_ground(0, {.friction = 0.8});
        body = world.add(
            Rigid{.shape = Shape::box({0.2, 0.02, 0.2}), .mass = mass, .material = {.friction = 0.8}},
            {.position = {0, 0.0199, 0}, .velocity = {speed, 0, 0}});
    }
    static WorldSettings settings(double viscosity, double cell, const Vec3& gravity) {
        WorldSettings s = by_volume(VolumeFriction::viscous);
        s.gravity = gravity;
        s.contact.volume.viscosity = viscosity, s.contact.volume.cell = cell;
        return s;
    }
};

TEST(ViscousFriction, APlateSlowsByTheClosedForm) {
    for (const double nu : {20.0, 100.0, 400.0}) {
        Plate plate(nu);
        const double h = plate.world.settings().step, rate = nu * Plate::area / Plate::mass;
        for (int n = 1; n <= 60; ++n) {
            plate.world.step();
            // v₀ exp(−ν A t/m) by implicit steps. Columns see half a pixel more or less of each side of A, of 102.
            const double exact = std::pow(1 + h * rate, -n);
            EXPECT_NEAR(plate.world.velocity(plate.body).x, exact, 0.01 * n * h * rate * exact)
                << nu << " after " << n;  // measured: 0.006 at most
        }
        // Of first order in h.
        EXPECT_NEAR(plate.world.velocity(plate.body).x / std::exp(-rate), 1, rate * (0.01 + h * rate));
    }
}

TEST(ViscousFriction, IsStableForAnyViscosityAndGivesNoEnergy) {
    for (const double nu : {1e3, 1e6, 1e9, 1e12}) {
        Plate plate(nu);
        steps(plate.world, 30);
        EXPECT_LT(norm(plate.world.velocity(plate.body)), nu < 1e4 ? 1e-3 : 1e-5) << nu;
        // Without weight nothing is lifted, and kinetic energy is all there is.
        Plate light(nu, 0, {});
        double last = light.world.energy().kinetic;
        for (int n = 0; n < 30; ++n) {
            light.world.step();
            const double now = light.world.energy().kinetic;
            EXPECT_LE(now, last * (1 + 1e-12)) << nu << " in step " << n;
            last = now;
        }
        EXPECT_LT(last, 0.5 * 0.5 * Plate::mass) << nu;  // it pitches, and leaves the ground
    }
}

TEST(ViscousFriction, DoesNotDependOnTheCells) {
    const auto after = [](double cell) {
        Plate plate(100, cell);
        steps(plate.world, 30);
        return plate.world.velocity(plate.body).x;
    };
    const double of_four = after(0.2);
    for (const double cell : {0.1, 0.05}) EXPECT_NEAR(after(cell), of_four, 1e-9) << cell;
}

TEST(ViscousFriction, IsReportedAsAForce) {
    Plate plate(100);
    steps(plate.world, 2);
    Vec3 sum;
    for (const Contact& c : plate.world.contacts()) {
        sum += c.friction_force * (c.a == plate.body ? 1 : -1);
        EXPECT_FALSE(c.sticking);
    }
    const double v = plate.world.velocity(plate.body).x;
    EXPECT_NEAR(sum.x, -100 * Plate::area * v, 0.01 * 16);
}

// -- no-slip

/// A box on a slope of 60°, without any Coulomb friction.
World on_slope(VolumeFriction friction, BodyId& box) {
    World world(by_volume(friction));
    const double angle = std::numbers::pi / 3;
    const Vec3 n{std::sin(angle), std::cos(angle), 0}, half{0.2, 0.05, 0.2};
    world.add(Fixed{.shape = Shape::half_space(n), .material = {.friction = 0}});
    box = world.add(Rigid{.shape = Shape::box(half), .mass = 3.0, .material = {.friction = 0}},
                    {.position = n * 0.0499, .rotation = from_axis_angle({0, 0, -1}, 60)});
    return world;
}

TEST(NoSlip, HoldsABoxOnASteepSlopeWithItsWholeWeight) {
    BodyId box;
    World world = on_slope(VolumeFriction::no_slip, box);
    steps(world, 5);
    const Vec3 start = world.centre(box);
    steps(world, 60);
    EXPECT_LT(norm(world.velocity(box)), 1e-6);
    EXPECT_LT(norm(world.centre(box) - start), 1e-5);
    Vec3 sum;
    for (const Contact& c : world.contacts()) {
        sum += c.friction_force * (c.a == box ? 1 : -1);
        EXPECT_TRUE(c.sticking);
    }
    EXPECT_NEAR(norm(sum), 3 * g * std::sin(std::numbers::pi / 3), 1e-3 * 3 * g);

    World free = on_slope(VolumeFriction::coulomb, box);
    steps(free, 60);
    EXPECT_GT(norm(free.velocity(box)), 8);  // g sin 60° for a second
}

// Σ A_k t·ṗ_k = 0 of every contact: a box that is thrown along the ground and turns stops at once, and no force pulls.
TEST(NoSlip, RowsLetNoContactSlide) {
    WorldSettings s = by_volume(VolumeFriction::no_slip);
    s.contact.stabilise_passes = 0;
    WorldParts world(s);
    world.add(world.factory.make(Fixed{.shape = Shape::half_space({0, 1, 0})}, {}));
    world.add(world.factory.make(cube(), {.position = {0, 0.0999, 0}, .velocity = {1, 0, 2}}));
    const Vec3 centre = world.bodies[1].rigid().centre();
    world.step();
    const auto blocks = world.contact.volumes.step_blocks();
    ASSERT_GT(blocks.size(), 1u);
    for (std::size_t k = 0; k < blocks.size(); ++k) {
        const VolumeContact& c = world.contact.volumes.step_contacts()[k];
        if (c.is_outline()) continue;  // its cell has the rows
        const RigidBody& box = world.bodies[1].rigid();
        const Vec3 r = c.overlap.centre - centre - c.travel;
        const Vec3 slip = box.velocity() + cross(box.angular_velocity(), r);
        EXPECT_LT(std::hypot(slip.x, slip.z), 1e-8);  // of 2.2 m/s
        EXPECT_GE(world.system.rows().blocks[*blocks[k]].impulse.x, 0);
    }
}

TEST(NoSlip, ParticlesOfASoftBodyHoldToo) {
    WorldSettings s = by_volume(VolumeFriction::no_slip);
    s.step = 0.01;
    World world(s);
    world.add_ground(0, {.friction = 0});
    Jelly jelly;
    jelly.low = {-0.1, 0, -0.1}, jelly.high = {0.1, 0.2, 0.1}, jelly.cells = {2, 2, 2};
    jelly.material = {.friction = 0};
    const BodyId body = world.add(jelly, {.velocity = {0.5, 0, 0}});
    steps(world, 100);
    double slip = 0;
    for (std::size_t k = 0; k < world.vertex_positions(body).size(); ++k)
        if (world.vertex_positions(body)[k].y < 0.01)
            slip = std::max(slip, norm(world.vertex_velocities(body)[k]));
    EXPECT_LT(slip, 0.02);
}

// -- ½ k V²

/// The force on a box that is 4 mm deep in the ground, by the contacts of one step; how many there are.
struct Pressed {
    Vec3 force{};
    double volume = 0;
    std::size_t contacts = 0;
};
Pressed press(double cell, double tilt, double friction = 0) {
    WorldSettings s = without_gravity(by_volume());
    s.contact.method = ContactMethod::volume_penalty;
    s.contact.volume.stiffness = 1e7;
    s.contact.volume.cell = cell, s.contact.volume.pixel = 0.4 / 128;
    if (cell == 0) s.contact.volume.split = OverlapSplit::whole;
    World world(s);
    world.add_ground(0, {.friction = friction});
    const BodyId box = world.add(Rigid{.shape = Shape::mesh(shapes::box({0.2, 0.1, 0.2})),
                                       .mass = 1e6,
                                       .material = {.friction = friction}},
                                 {.position = {0.2, 0.096, 0.2},
                                  .rotation = from_axis_angle({0, 0, 1}, tilt),
                                  .velocity = {friction > 0 ? 1.0 : 0.0, 0, 0}});
    world.step();
    Pressed pressed;
    for (const Contact& c : world.contacts()) {
        ++pressed.contacts, pressed.volume += c.volume;
        pressed.force += (c.normal * c.normal_force + c.friction_force) * (c.a == box ? 1 : -1);
    }
    return pressed;
}

TEST(PenaltyEnergy, IsThatOfTheWholeVolumeHoweverItIsDivided) {
    for (const double tilt : {0.0, 0.8}) {
        const Pressed whole = press(0, tilt);
        EXPECT_EQ(whole.contacts, 1u);
        // −∂E/∂y = k V A: the box is so heavy that it does not yield within the step.
        if (tilt == 0) {
            EXPECT_NEAR(whole.force.y, 1e7 * (0.16 * 0.004) * 0.16, 0.01 * whole.force.y);
        }
        std::size_t least = 1;
        for (const double cell : {0.2, 0.1}) {
            const Pressed cells = press(cell, tilt);
            least *= 4;
            EXPECT_GE(cells.contacts, tilt == 0 ? least : 2u);
            EXPECT_NEAR(cells.volume, whole.volume, 1e-9 * whole.volume);
            EXPECT_NEAR(cells.force.y, whole.force.y, 1e-6 * whole.force.y) << cells.contacts << " contacts";
        }
    }
}

TEST(PenaltyEnergy, FrictionOfTheCellsIsBoundByTheirPartOfTheForce) {
    const Pressed whole = press(0, 0, 0.5), cells = press(0.1, 0, 0.5);
    EXPECT_EQ(cells.contacts, 16u);
    EXPECT_NEAR(cells.force.x, -0.5 * cells.force.y, 1e-6 * cells.force.y);
    EXPECT_NEAR(cells.force.x, whole.force.x, 1e-6 * cells.force.y);
}

// k V A = m g with V = A d, whatever the split.
TEST(PenaltyEnergy, ABoxSinksAsFarHoweverItIsDivided) {
    for (const double cell : {0.0, 0.1, 0.05}) {
        WorldSettings s = by_volume();
        s.contact.method = ContactMethod::volume_penalty;
        s.contact.volume.stiffness = 1e8, s.contact.volume.cell = cell;
        if (cell == 0) s.contact.volume.split = OverlapSplit::whole;
        World world(s);
        world.add_ground();
        const BodyId box = world.add(cube(), {.position = {0, 0.1, 0}});
        steps(world, 600);
        const double depth = world.mass(box) * g / (1e8 * 0.04 * 0.04);
        EXPECT_NEAR(0.1 - world.centre(box).y, depth, 0.03 * depth) << cell;
    }
}

// -- the mean of three volumes

// An overlap of a quarter pixel: columns along the sheet see a pixel of it or nothing.
TEST(MeanOfVolumes, IsASettingOfASimulation) {
    const auto volume = [](OverlapVolume combine) {
        WorldSettings s = without_gravity(by_volume());
        s.contact.volume.combine = combine;
        s.contact.volume.split = OverlapSplit::whole;
        s.contact.volume.pixel = 1.0 / 64;
        World world(s);
        const auto half = Shape::mesh(shapes::box({0.25, 0.25, 0.25}));
        world.add(Fixed{.shape = half});
        world.add(Rigid{.shape = half}, {.position = {0, 0.5 - 0.25 / 64, 0}});
        world.step();
        EXPECT_EQ(world.contacts().size(), 1u);
        return world.contacts().empty() ? 0.0 : world.contacts()[0].volume;
    };
    const double exact = 0.25 * 0.25 / 64;
    EXPECT_NEAR(volume(OverlapVolume::weighted), exact, 1e-9);
    // As a query says: one third of the exact one, and what the two others see.
    const Mesh box = shapes::box({0.25, 0.25, 0.25});
    const OverlapReport asked = overlap(box, {}, box, {{0, 0.5 - 0.25 / 64, 0}, {}},
                                        {.pixel = 1.0 / 64, .volume = OverlapVolume::mean});
    EXPECT_GT(std::abs(asked.volume - exact), 0.1 * exact);
    EXPECT_NEAR(volume(OverlapVolume::mean), asked.volume, 1e-9);
}

}  // namespace
}  // namespace plush
