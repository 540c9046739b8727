#include <algorithm>
#include <functional>

#include "plush/detect/overlap.hpp"
#include "world/soft_heaps.hpp"
#include "world/worlds.hpp"

// contact.method = automatic, the default: by volume where a deformable body with a closed surface takes
// part, at points everywhere else, and as told where anything else is asked for.

namespace plush {
namespace {

using namespace testing_world;

constexpr ContactMethod volume = ContactMethod::volume, points = ContactMethod::points;

WorldSettings with(ContactMethod method) {
    WorldSettings s;
    s.contact.method = method;
    return s;
}

Jelly small_jelly() {
    Jelly jelly;
    jelly.low = {-0.1, -0.1, -0.1}, jelly.high = {0.1, 0.1, 0.1}, jelly.cells = {2, 2, 2};
    jelly.springs.density = 600;
    return jelly;
}

ShapeMatching small_cluster() {
    ShapeMatching matched;
    matched.tets = tet_box({0.08, 0.08, 0.08}, {2, 2, 2}).value();
    return matched;
}

TEST(Automatic, IsTheDefault) {
    EXPECT_EQ(WorldSettings{}.contact.method, ContactMethod::automatic);
}

TEST(Automatic, EachPairHasItsOwnMethod) {
    World world;
    const BodyId ground = world.add_ground(), box = world.add(cube(), {.position = {0, 2, 0}}),
                 ball = world.add(Rigid{.shape = Shape::sphere(0.1)}, {.position = {1, 2, 0}}),
                 toy = world.add(soft_box(), {.position = {2, 2, 0}}),
                 jelly = world.add(small_jelly(), {.position = {3, 2, 0}}),
                 cluster = world.add(small_cluster(), {.position = {4, 2, 0}}),
                 cloth = world.add(Cloth{}, {.position = {0, 4, 0}}),
                 rope = world.add(Rope{}, {.position = {0, 5, 0}}),
                 cloud = world.add(Particles{.positions = {{0, 6, 0}}});
    for (const bool stepped : {false, true}) {
        if (stepped) world.step();
        const std::vector<BodyId> solid{ground, box, ball}, soft{toy, jelly, cluster},
            thin{cloth, rope, cloud};
        for (std::size_t k = 0; k < 3; ++k) {
            const BodyId next_solid = solid[(k + 1) % 3], next_soft = soft[(k + 1) % 3];
            EXPECT_EQ(world.pair_method(solid[k], next_solid), points) << k;
            EXPECT_EQ(world.pair_method(soft[k], next_soft), volume) << k;
            for (const BodyId b : solid) EXPECT_EQ(world.pair_method(soft[k], b), volume) << k;
            for (const BodyId b : thin) EXPECT_EQ(world.pair_method(soft[k], b), points) << k;
        }
        for (const BodyId a : thin)
            for (const BodyId b : solid) EXPECT_EQ(world.pair_method(a, b), points);
    }
}

/// The state after a while with the default, and with a method.
std::pair<std::uint64_t, std::uint64_t> hashes(const std::function<void(World&)>& build,
                                               ContactMethod method) {
    const auto run = [&](const WorldSettings& settings) {
        World world(settings);
        build(world);
        steps(world, 25);
        EXPECT_FALSE(world.contacts().empty());
        return world.motion_hash();
    };
    return {run({}), run(with(method))};
}

TEST(Automatic, RigidBodiesAndClothHaveTheBitsOfPoints) {
    const auto [rigid, rigid_points] = hashes(
        [](World& world) {
            world.add_ground();
            for (int i = 0; i < 4; ++i) world.add(cube(), {.position = {0.03 * i, 0.15 + 0.25 * i, 0}});
        },
        points);
    EXPECT_EQ(rigid, rigid_points);
    const auto [cloth, cloth_points] = hashes(
        [](World& world) {
            world.add_ground();
            world.add(Rigid{.shape = Shape::sphere(0.2)}, {.position = {0, 0.2, 0}});
            Cloth sheet;
            sheet.vertices = {9, 9};
            world.add(sheet, {.position = {0, 0.41, 0}});
        },
        points);
    EXPECT_EQ(cloth, cloth_points);
}

// No surface law acts as well: the bits are those of a world that knows nothing but volume.
TEST(Automatic, SoftBodiesHaveTheBitsOfVolume) {
    const auto [soft, soft_volume] = hashes(
        [](World& world) {
            world.add_ground();
            world.add(soft_box(), {.position = {0, 0.105, 0}});
            world.add(small_jelly(), {.position = {0.03, 0.31, 0}});
            world.add(small_cluster(), {.position = {0, 0.5, 0.02}});
            world.add(cube(0.06), {.position = {0, 0.65, 0}});
        },
        volume);
    EXPECT_EQ(soft, soft_volume);
}

TEST(Automatic, WhatIsSaidOfAPairOrOfTheWorldWins) {
    World world;
    const BodyId ground = world.add_ground(), toy = world.add(soft_box(), {.position = {0, 1, 0}}),
                 box = world.add(cube(), {.position = {1, 1, 0}});
    world.set_pair_method(toy, ground, points);
    world.set_pair_method(box, ground, volume);
    EXPECT_EQ(world.pair_method(toy, ground), points);
    EXPECT_EQ(world.pair_method(box, ground), volume);
    EXPECT_EQ(world.pair_method(toy, box), volume);
    for (const ContactMethod method : {points, volume, ContactMethod::volume_penalty, ContactMethod::none}) {
        World told(with(method));
        const BodyId a = told.add(soft_box()), b = told.add(cube(), {.position = {1, 0, 0}});
        EXPECT_EQ(told.pair_method(a, b), method);
        told.set_pair_method(a, b, ContactMethod::automatic);
        EXPECT_EQ(told.pair_method(a, b), volume);
    }
}

/// Of a body with the ground, and with a soft box by which nothing is said, under these settings.
struct Methods {
    ContactMethod with_ground, with_soft;
};
template <class Body>
Methods methods(
    const Body& body, const WorldSettings& settings = {},
    const std::function<void(World&, BodyId)>& act = [](World&, BodyId) {}) {
    World world(settings);
    const BodyId ground = world.add_ground(), id = world.add(body, {.position = {0, 1, 0}}),
                 other = world.add(small_jelly(), {.position = {3, 1, 0}});
    act(world, id);
    world.step();
    return {world.pair_method(id, ground), world.pair_method(id, other)};
}
void expect(const Methods& found, const Methods& expected, const char* what) {
    EXPECT_EQ(found.with_ground, expected.with_ground) << what;
    EXPECT_EQ(found.with_soft, expected.with_soft) << what;
}

TEST(Automatic, AnotherLawForVerticesWins) {
    expect(methods(soft_box()), {volume, volume}, "as it is");
    for (const SurfaceLaw law :
         {SurfaceLaw::quadratic, SurfaceLaw::impulse, SurfaceLaw::barrier, SurfaceLaw::log_barrier}) {
        WorldSettings all;
        all.contact.surface.law = law;
        expect(methods(soft_box(), all), {points, points}, "of the world");
        const bool guarded = law == SurfaceLaw::barrier || law == SurfaceLaw::log_barrier;
        expect(methods(soft_box(), {}, [&](World& world, BodyId id) { world.set_surface(id, {.law = law}); }),
               {points, guarded ? points : volume}, "of the body");
    }
    // Of one body the numbers say so too; of the world they are there for cloth.
    expect(
        methods(soft_box(), {}, [](World& world, BodyId id) { world.set_surface(id, {.stiffness = 500}); }),
        {points, volume}, "a stiffness of its own");
    WorldSettings stiff;
    stiff.contact.surface.stiffness = 500;
    expect(methods(soft_box(), stiff), {volume, volume}, "a stiffness of the world");
}

TEST(Automatic, WhatVolumeCannotServeKeepsItsVertices) {
    Jelly verlet = small_jelly();
    verlet.motion.integration.method = IntegrationMethod::verlet;
    expect(methods(verlet), {points, points}, "Verlet");
    verlet.constraints.obstacles = true;
    expect(methods(verlet), {points, points}, "obstacles as constraints");
    Cloth balloon;
    balloon.mesh = shapes::icosphere(0.2, 320);
    expect(methods(balloon), {points, points}, "a closed sheet");
    balloon.springs.volume = 1e4;
    expect(methods(balloon), {volume, volume}, "a balloon");
    Shells sack;
    sack.mesh = balloon.mesh, sack.shells = 0;
    expect(methods(sack), {points, points}, "no shells");
    sack.shells = 1;
    expect(methods(sack), {volume, volume}, "a shell");
    Soft still = soft_box();
    still.motion.integration.method = IntegrationMethod::quasi_static;
    still.elastic.young = 1e6;
    World world(without_gravity());
    const BodyId ground = world.add_ground(), id = world.add(still, {.position = {0, 1, 0}});
    EXPECT_EQ(world.pair_method(id, ground), points);
    WorldSettings tets;
    tets.contact.tets.method = TetContactMethod::consistent;
    expect(methods(soft_box(), tets), {points, volume}, "contact by tets");
    Jelly explicitly = small_jelly();
    explicitly.motion.integration.method = IntegrationMethod::semi_implicit_euler;
    expect(methods(explicitly), {points, points}, "an explicit method");
}

TEST(Automatic, ABodyThatAFreeOneCarriesKeepsItsVerticesUntilItIsLetGo) {
    World world;
    const BodyId ground = world.add_ground(), toy = world.add(soft_box(), {.position = {0, 1, 0}}),
                 fixed = world.add(Fixed{.shape = Shape::box({0.1, 0.02, 0.1})}, {.position = {0, 0.88, 0}}),
                 box = world.add(cube(), {.position = {0, 1.2, 0}}),
                 jelly = world.add(small_jelly(), {.position = {2, 1, 0}});
    world.attach(toy, {{-1, 0.89, -1}, {1, 0.91, 1}}, fixed);
    EXPECT_EQ(world.pair_method(toy, ground), volume);
    ASSERT_GT(world.attach(toy, {{-1, 1.09, -1}, {1, 1.11, 1}}, box, 2.5 / 60), 0u);
    for (int k = 0; k < 4; ++k) {
        EXPECT_EQ(world.pair_method(toy, ground), points);
        EXPECT_EQ(world.pair_method(toy, jelly), volume);
        world.step();
    }
    EXPECT_EQ(world.pair_method(toy, ground), volume);
}

// Volume contact lets a cluster sleep, and cloth, which does not touch by volume, must wake it all the
// same. A world with a cluster that had never moved crashed there.
TEST(Automatic, AClothThatLandsOnAClusterWakesIt) {
    World world(without_gravity());
    const BodyId cluster = world.add(small_cluster());
    Cloth sheet;
    sheet.vertices = {9, 9};
    world.add(sheet, {.position = {0, 0.15, 0}, .velocity = {0, -1, 0}});
    world.sleep(cluster);
    steps(world, 30);
    EXPECT_FALSE(world.asleep(cluster));
    EXPECT_LT(world.velocity(cluster).y, -0.05);  // measured: 0.19 m/s
}

TEST(Automatic, BladesCutByDefault) {
    World world(without_gravity());
    const BodyId box = world.add(soft_box());
    const Blade blade{.from = {-1, 0.01, -1}, .to = {1, 0.01, -1}, .back = {0, 0, 2}};
    EXPECT_EQ(world.cut(box, blade), 2u);
    WorldSettings quadratic;
    quadratic.contact.surface.law = SurfaceLaw::quadratic;
    World other(quadratic);
    const BodyId whole = other.add(soft_box());
    EXPECT_TRUE(says(error_of([&] { other.cut(whole, blade); }).problem(), "volume contact"));
    World own;
    const BodyId lawful = own.add(soft_box());
    own.set_surface(lawful, {.law = SurfaceLaw::quadratic});
    EXPECT_TRUE(says(error_of([&] { own.cut(lawful, blade); }).problem(), "volume contact"));
}

TEST(SoftMesh, IsFilledWhenItIsAdded) {
    const Mesh bear = generate({.shape = "bear", .triangles = 1000, .size = 0.3}).value();
    const auto run = [&](const Soft& soft) {
        World world;
        world.add_ground();
        for (int i = 0; i < 2; ++i) world.add(soft, {.position = {0, 0.3 + 0.4 * i, 0}});
        steps(world, 5);
        return world.motion_hash();
    };
    Soft filled, given;
    filled.mesh = bear;
    given.solid = SoftSolid::fill(bear);
    EXPECT_EQ(run(filled), run(given));
    World world;
    filled.solid = given.solid;
    EXPECT_TRUE(says(error_of([&] { world.add(filled); }).problem(), "both a mesh and a solid"));
    Soft open;
    open.mesh = Mesh({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}});
    const Error error = error_of([&] { world.add(open); });
    EXPECT_TRUE(says(error.place(), "mesh"));
    EXPECT_TRUE(says(error.problem(), "open"));
}

const Mesh small_bear = generate({.shape = "bear", .triangles = 1000, .size = 0.5}).value();

/// The README's first example, with fewer triangles and tets for the sake of time: there is no setting of
/// contact. After so many seconds.
World bears(const WorldSettings& settings, double seconds) {
    World world(settings);
    Soft bear;
    bear.solid = SoftSolid::fill(small_bear, {.cells_across = 6});
    bear.elastic = {.young = 5e4, .density = 300};
    world.add_ground();
    for (int i = 0; i < 10; ++i) world.add(bear, {.position = {0, 1.0 + i, 0}});
    while (world.time() < seconds) world.step();
    return world;
}

/// The largest volume that two of them share, as a part of a bear.
double max_shared(const World& world) {
    std::vector<Mesh> meshes;
    for (const BodyId id : world.bodies()) {
        if (world.kind(id) != BodyKind::deformable) continue;
        const auto surface = world.drawn_surface(id);
        meshes.emplace_back(world.drawn_positions(id), std::vector<Triangle>(surface.begin(), surface.end()));
    }
    double most = 0;
    for (std::size_t i = 0; i < meshes.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) most = std::max(most, overlap(meshes[i], meshes[j]).volume);
    return most / overlap(small_bear, small_bear).volume;
}

TEST(Automatic, TenBearsLieOnAHeap) {
    const World heap = bears({}, 6.5);
    EXPECT_LT(max_shared(heap), 0.01);  // measured: 3e-4
    EXPECT_LT(rms_speed(heap), 0.02);   // measured: 6 mm/s
    EXPECT_TRUE(says(error_of([] { bears(with(points), 2); }), "pass through each other"));
}

}  // namespace
}  // namespace plush
