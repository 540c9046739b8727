#include "worlds.hpp"

// Pairs that would have no contact are refused, wherever they are said.

namespace plush {
namespace {

using namespace testing_world;

Jelly cushion(const std::string& name, IntegrationMethod method = IntegrationMethod::implicit_euler) {
    Jelly jelly;
    jelly.name = name;
    jelly.low = {-0.2, 0, -0.2}, jelly.high = {0.2, 0.2, 0.2}, jelly.cells = {3, 2, 3};
    jelly.motion.integration.method = method;
    return jelly;
}

Cloth sheet(IntegrationMethod method = IntegrationMethod::implicit_euler) {
    Cloth cloth;
    cloth.name = "sheet";
    cloth.corner = {-0.15, 0, -0.15}, cloth.side_x = {0.3, 0, 0}, cloth.side_y = {0, 0, 0.3},
    cloth.vertices = {7, 7};
    cloth.springs.mass = 0.05;
    cloth.motion.integration.method = method;
    return cloth;
}

TEST(VertexContacts, SettersRefuseWhatLeavesSoftBodiesWithoutContact) {
    World world;
    const BodyId a = world.add(cushion("a")), b = world.add(cushion("b"), {.position = {0, 0.5, 0}});
    for (const ContactMethod method : {ContactMethod::points, ContactMethod::impulse}) {
        const Error pair = error_of([&] { world.set_pair_method(a, b, method); });
        EXPECT_TRUE(says(pair.problem(), "pass through")) << pair.what();
        EXPECT_TRUE(says(pair.cure(), "automatic")) << pair.what();
        EXPECT_EQ(world.pair_method(a, b), ContactMethod::volume);
        EXPECT_TRUE(says(error_of([&] { world.set_contact_method(method); }).problem(), "pass through"));
        EXPECT_EQ(world.settings().contact.method, ContactMethod::automatic);
    }
    world.set_pair_method(a, b, ContactMethod::none);  // that is said
    world.set_contact_method(ContactMethod::points);
    world.step();
}

TEST(VertexContacts, AStepRefusesBodiesThatWouldPassThroughEachOther) {
    World world;
    world.add(cushion("a")), world.add(sheet(IntegrationMethod::verlet), {.position = {0, 0.205, 0}});
    const Error error = error_of([&] { steps(world, 20); });
    EXPECT_TRUE(says(error.cure(), "implicit_euler")) << error.what();
    World explicit_soft;
    explicit_soft.add(cushion("a", IntegrationMethod::semi_implicit_euler));
    explicit_soft.add(sheet(), {.position = {0, 0.205, 0}});
    EXPECT_TRUE(says(error_of([&] { steps(explicit_soft, 20); }).problem(), "pass through"));
}

TEST(VertexContacts, AClothRestsOnACushionAndPressesItWithItsWeight) {
    World world(without_sleep());
    const BodyId ground = world.add_ground(), soft = world.add(cushion("a"), {.position = {0, 0.001, 0}});
    const BodyId cloth = world.add(sheet(), {.position = {0, 0.21, 0}});
    steps(world, 240);
    double on_cushion = 0, on_ground = 0;
    for (int k = 0; k < 60; ++k) {
        world.step();
        for (const Contact& c : world.contacts()) {
            const double up = c.normal_force * c.normal.y / 60;
            if (c.a == cloth && c.b == soft) on_cushion += up;
            if (c.a == ground || c.b == ground) on_ground += std::abs(up);
        }
    }
    EXPECT_NEAR(on_cushion, 0.05 * g, 0.002 * 0.05 * g);
    EXPECT_NEAR(on_ground, (0.05 + world.mass(soft)) * g, 0.002 * (0.05 + world.mass(soft)) * g);
}

// More vertices than are answered by a full matrix.
TEST(VertexContacts, ALargeClothRestsAsASmallOneDoes) {
    World world(without_sleep());
    world.add_ground();
    const BodyId soft = world.add(cushion("a"), {.position = {0, 0.001, 0}});
    Cloth cloth = sheet();
    cloth.vertices = {21, 21};
    const BodyId id = world.add(cloth, {.position = {0, 0.21, 0}});
    steps(world, 240);
    double load = 0, deepest = 0;
    for (int k = 0; k < 60; ++k) {
        world.step();
        for (const Contact& c : world.contacts())
            if (c.a == id && c.b == soft)
                load += c.normal_force * c.normal.y / 60, deepest = std::max(deepest, c.depth);
    }
    EXPECT_NEAR(load, 0.05 * g, 0.005 * 0.05 * g);
    EXPECT_LT(deepest, 1e-3);
    double fastest = 0;
    for (const Vec3& v : world.vertex_velocities(id)) fastest = std::max(fastest, norm(v));
    EXPECT_LT(fastest, 0.01);
}

TEST(VertexContacts, ACopyAndARestoredWorldGoOnTheSame) {
    World world;
    world.add_ground();
    world.add(cushion("a"), {.position = {0, 0.001, 0}});
    world.add(sheet(), {.position = {0, 0.21, 0}});
    steps(world, 40);
    World copy = world.copy();
    const auto kept = world.snapshot();
    steps(world, 10), steps(copy, 10);
    const auto hash = world.state_hash();
    EXPECT_EQ(copy.state_hash(), hash);
    world.restore(kept);
    steps(world, 10);
    EXPECT_EQ(world.state_hash(), hash);
}

}  // namespace
}  // namespace plush
