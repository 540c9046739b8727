#include "energy_scenes.hpp"
#include "worlds.hpp"

// Drags: springs from surface points to targets that the user moves.

namespace plush {
namespace {

using namespace testing_world;
using test::log_uniform;
using test::random_turn;

enum class Kind { rigid, soft, skinned, cloth, explicit_cloth, particles };
constexpr std::array kinds{Kind::rigid, Kind::soft,           Kind::skinned,
                           Kind::cloth, Kind::explicit_cloth, Kind::particles};

BodyId add_body(World& world, Kind kind, double mass) {
    switch (kind) {
        case Kind::rigid:
            return world.add(Rigid{.shape = Shape::box({0.1, 0.15, 0.2}), .mass = mass});
        case Kind::particles:
            return world.add(
                Particles{.positions = {{0, 0, 0}, {1, 0, 0}}, .mass = mass / 2, .radius = 0.05});
        case Kind::cloth:
        case Kind::explicit_cloth: {
            Cloth cloth;
            cloth.vertices = {5, 5};
            cloth.springs.mass = mass;
            cloth.springs.stretch = 200 * mass;
            if (kind == Kind::explicit_cloth)
                cloth.motion.integration.method = IntegrationMethod::semi_implicit_euler;
            return world.add(cloth);
        }
        default: {
            Soft soft;
            if (kind == Kind::soft)
                soft.solid = SoftSolid(tet_box({0.15, 0.1, 0.1}, {3, 2, 2}).value());
            else
                soft.solid =
                    SoftSolid::fill(generate({.shape = "icosphere", .triangles = 320, .size = 0.3}).value(),
                                    {.cells_across = 4});
            soft.mass = mass;
            soft.elastic.young = 2e4 * mass;
            return world.add(soft);
        }
    }
}

SurfacePoint point_on(const World& world, BodyId body, std::uint32_t triangle) {
    return world.surface_point(body, triangle,
                               world.kind(body) == BodyKind::particles ? Vec3{1, 0, 0} : Vec3{0.2, 0.3, 0.5});
}

TEST(Drags, ADragTakesItsPointToTheTarget) {
    for (const Kind kind : kinds) {
        World world(without_gravity());
        const BodyId body = add_body(world, kind, 2);
        const SurfacePoint at = point_on(world, body, 0);
        const Vec3 target = world.position_of(at) + Vec3{0.1, 0.2, -0.1};
        const DragId drag = world.add_drag(at, {}, target);
        if (kind != Kind::particles) world.set_damping(body, 4);  // the spring does not stop it from turning
        steps(world, 150);
        EXPECT_LT(norm(world.position_of(at) - target), 0.02) << static_cast<int>(kind);
        EXPECT_LT(norm(world.drag_force(drag)), 5) << static_cast<int>(kind);
        world.set_drag_target(drag, target, {0.2, 0, 0});  // it goes on by itself
        steps(world, 90);
        EXPECT_NEAR(world.drag_target(drag).x, target.x + 0.3, 1e-12);
        EXPECT_NEAR(world.velocity_of(at).x, 0.2, 0.05) << static_cast<int>(kind);
        world.remove_drag(drag);
        EXPECT_TRUE(world.drags().empty());
        EXPECT_TRUE(says(error_of([&] { world.drag_force(drag); }), "no such drag"));
    }
}

// In equilibrium the force is the weight, and the spring as long as it takes.
TEST(Drags, AHangingBodyPullsWithItsWeight) {
    for (const Kind kind : {Kind::rigid, Kind::soft, Kind::skinned}) {
        World world;
        const BodyId body = add_body(world, kind, 2);
        // From above through the centre: it does not swing.
        const SurfacePoint at = world.ray(world.centre(body) + Vec3{1e-9, 2, 1e-9}, {0, -1, 0})->surface;
        const Vec3 target = world.position_of(at);
        const DragId drag = world.add_drag(at, {.stiffness = 400, .damping = 40, .max_force = 1e4}, target);
        steps(world, 240);
        expect_near(world.drag_force(drag), {0, 2 * g, 0}, 2e-3 * 2 * g);
        expect_near(target - world.position_of(at), {0, 2 * g / 400, 0}, 2e-3 * 2 * g / 400);
    }
}

TEST(Drags, TheForceIsNeverAboveItsLimit) {
    for (const Kind kind : kinds) {
        World world;
        if (kind == Kind::rigid || kind == Kind::soft || kind == Kind::skinned) world.add_ground(-0.4);
        const BodyId body = add_body(world, kind, 2);
        const DragId drag = world.add_drag(point_on(world, body, 0), {.stiffness = 1e9, .max_force = 25});
        world.set_drag_target(drag, {0, 5, 0}, {7, 0, 0});
        for (int k = 0; k < 60; ++k) {
            world.step();
            EXPECT_LE(norm(world.drag_force(drag)), 25 * (1 + 1e-9)) << static_cast<int>(kind);
            if (k == 30) world.set_drag_target(drag, {0, -50, 0});  // into the ground
        }
        // Its momentum is what forces and gravity gave: nothing else pulls a body in the air.
        EXPECT_TRUE(is_finite(world.centre(body)));
    }
}

// Any stiffness, damping, mass and step: the energy that a body and its spring have is what they had and what gravity gave.
// Without damping of the spring too. A target at rest does no work, and a spring of limited force stores no more than its
// force times its length.
TEST(Drags, NoStiffnessOrMassMakesEnergy) {
    Random random(5);
    for (int run = 0; run < 48; ++run) {
        const Kind kind = kinds[static_cast<std::size_t>(run) % kinds.size()];
        const double mass = log_uniform(random, 1e-6, 1e6), h = test::random_step(random);
        const double stiffness = log_uniform(random, 1e-3, 1e12);
        const double damping = run % 2 ? 0 : log_uniform(random, 1e-3, 1e9);
        const double limit = run % 3 ? log_uniform(random, 1e-3, 1e9) : 1e15;
        World world(without_gravity(without_sleep({.step = h})));
        const BodyId body = add_body(world, kind, mass);
        const SurfacePoint at = point_on(world, body, 0);
        const Vec3 target = world.position_of(at) + Vec3{0.3, 0.4, 0};
        const DragId drag =
            world.add_drag(at, {.stiffness = stiffness, .damping = damping, .max_force = limit}, target);
        const auto stored = [&] {  // Huber's function
            const double gap = norm(target - world.position_of(at)), free = limit / stiffness;
            return gap <= free ? 0.5 * stiffness * gap * gap : limit * (gap - 0.5 * free);
        };
        const double start = stored() + world.energy().total();
        double ledger = 0, unaccounted = 0, integrator = 0;
        for (int k = 0; k < 50; ++k) {
            world.step();
            ledger += world.report().ledger.forces;
            unaccounted += std::abs(world.report().ledger.unaccounted);
            // A linear step of a body that is strained far may gain; that is the integrator's entry, not the drag's.
            integrator += std::max(0.0, world.report().ledger.integrator);
            ASSERT_TRUE(is_finite(world.centre(body)));
            ASSERT_LE(world.energy().total(), start * 1.02 + integrator)
                << "run " << run << " kind " << static_cast<int>(kind) << " step " << k << " mass " << mass
                << " stiffness " << stiffness << " damping " << damping << " limit " << limit << " h " << h;
            ASSERT_LE(ledger, start * 1.02 + integrator)
                << "run " << run << " kind " << static_cast<int>(kind);
        }
        EXPECT_LE(unaccounted, 1e-3 * start) << "run " << run << " kind " << static_cast<int>(kind);
        EXPECT_LE(norm(world.drag_force(drag)), limit * (1 + 1e-9));
    }
}

TEST(Drags, SnapshotsHoldThem) {
    const auto build = [] {
        World world;
        world.add_ground(-0.3);
        add_body(world, Kind::skinned, 2);
        add_body(world, Kind::rigid, 1);
        return world;
    };
    World world = build(), other = build();
    const std::uint64_t bare = world.state_hash();
    const auto none = world.snapshot();
    const BodyId soft = world.bodies()[1];
    const DragId drag = world.add_drag(point_on(world, soft, 4));
    world.set_drag_target(drag, {0, 1, 0}, {0.1, 0, 0});
    EXPECT_NE(world.state_hash(), bare);
    steps(world, 5);
    test::expect_restored_alike(world, other, 10);
    EXPECT_EQ(other.drags(), world.drags());
    EXPECT_EQ(other.drag_force(drag), world.drag_force(drag));
    world.restore(none);
    EXPECT_TRUE(world.drags().empty());
}

TEST(Drags, OneLiftsABodyOutOfAHeap) {
    World world;
    world.add_ground();
    const Mesh ball = generate({.shape = "icosphere", .triangles = 320, .size = 0.3}).value();
    std::vector<BodyId> bodies;
    for (int k = 0; k < 2; ++k) {
        Soft soft;
        soft.solid = SoftSolid::fill(ball, {.cells_across = 4});
        soft.elastic.young = 5e4, soft.elastic.density = 300;
        bodies.push_back(world.add(soft, {.position = {0.02 * k, 0.16 + 0.31 * k, 0.01 * k}}));
    }
    bodies.push_back(world.add(cube(0.1), {.position = {0, 0.75, 0}}));
    steps(world, 30);
    const DragId drag = world.add_drag(point_on(world, bodies[0], 10));
    int unclean = 0;
    for (int k = 0; k < 60; ++k) {
        world.set_drag_target(drag, Vec3{0.3, 0.2, 0} + Vec3{0, 0.015 * k, 0}, {0, 0.9, 0});
        world.step();
        unclean += !world.report().convergence.clean();
    }
    EXPECT_LE(unclean, 2);  // 1: the body is torn off the ground
    EXPECT_GT(world.centre(bodies[0]).y, 0.6);
    EXPECT_LT(world.energy().kinetic, 100);
}

// A hand that shakes weak cloth and soft bodies: what they gain is the work of the drag, for every kind of integrator. Before,
// explicit bodies gained up to 1e6 J, and weak cloth that was pulled at once a dozen.
TEST(Drags, BodiesGainNoMoreThanItsWork) {
    plush::Random random(5);
    constexpr std::array methods{IntegrationMethod::implicit_euler, IntegrationMethod::bdf2,
                                 IntegrationMethod::semi_implicit_euler, IntegrationMethod::verlet};
    for (int k = 0; k < 32; ++k) {
        World world(without_sleep({.gravity = {0, 0, 0}, .step = k % 2 ? 1.0 / 60 : 1.0 / 120}));
        const IntegrationMethod method = methods[static_cast<std::size_t>(k / 2) % 4];
        BodyId body;
        if (k % 4 < 2) {
            Cloth cloth;
            cloth.vertices = {8, 8};
            cloth.springs.stretch = log_uniform(random, 1, 1000),
            cloth.springs.density = log_uniform(random, 0.1, 1);
            cloth.motion.integration.method = method;
            body = world.add(cloth);
        } else {
            Soft soft;
            soft.solid = SoftSolid(tet_box({0.2, 0.2, 0.2}, {3, 3, 3}).value());
            soft.elastic.young = log_uniform(random, 1e3, 1e5),
            soft.elastic.density = log_uniform(random, 30, 500);
            soft.motion.integration.method = method;
            body = world.add(soft);
        }
        const SurfacePoint at = world.surface_point(body, 5, {1, 0, 0});
        const DragId drag = world.add_drag(at);
        const Vec3 start = world.position_of(at);
        double work = 0, spent = 0, gain = 0;
        for (int n = 0; n < 120; ++n) {
            const double t = n / 60.0;
            world.set_drag_target(drag, start + Vec3{0.5 * std::sin(8 * t), 0.3 * std::sin(11 * t), 0});
            world.step();
            work += world.report().ledger.forces, spent += std::abs(world.report().ledger.forces);
            gain = std::max(gain, world.energy().total() - work);
        }
        // Measured: 0.07 of it, and 0.24 by Verlet (whose velocities lag), where soft bodies are turned inside out.
        const double part = method == IntegrationMethod::verlet ? 0.35 : 0.12;
        EXPECT_LT(gain, part * spent + 0.01) << "case " << k << ", method " << static_cast<int>(method);
    }
}

}  // namespace
}  // namespace plush
