#include "world/constraint_system.hpp"

#include <gtest/gtest.h>

#include "soft_heaps.hpp"
#include "world/world_parts.hpp"
#include "worlds.hpp"

namespace plush {
namespace {

using namespace testing_world;

/// A box (0), particles (1), a soft box (2), another box (3) and the ground (4), without gravity.
struct Mixed {
    Mixed() : world(without_gravity()) {
        world.add(world.factory.make(cube(), {.position = {0, 5, 0}, .velocity = {1, 2, 3}}));
        world.add(world.factory.make(Particles{.positions = {{9, 0, 0}, {8, 0, 0}}}));
        world.add(world.factory.make(soft_box(), {.position = {0, 2, 0}}));
        world.add(world.factory.make(cube(), {.position = {3, 5, 0}}));
        world.add(world.factory.make(Fixed{.shape = Shape::half_space()}, {.position = {0, -9, 0}}));
        world.step();
    }
    WorldParts world;
    ConstraintSystem& system = world.system;
};

TEST(ConstraintSystem, HasNodesForBodiesAwakeInTheirOrder) {
    Mixed m;
    EXPECT_EQ(m.system.begin(), 4);
    EXPECT_EQ(m.system.first_node(0), 0u);
    EXPECT_EQ(m.system.first_node(1), 1u);
    EXPECT_EQ(m.system.first_node(2), std::nullopt);  // constraint nodes alone, where something asks for them
    EXPECT_EQ(m.system.first_node(3), 3u);
    EXPECT_EQ(m.system.first_node(4), std::nullopt);
    EXPECT_EQ(m.system.nodes().size(), 4u);
    m.world.bodies[0].asleep = true;
    EXPECT_EQ(m.system.begin(), 3);
    EXPECT_EQ(m.system.first_node(0), std::nullopt);
    EXPECT_EQ(m.system.first_node(1), 0u);
}

TEST(ConstraintSystem, JointedVerticesRespondTogetherByTheBodysMatrix) {
    Mixed m;
    m.system.begin();
    for (const std::uint32_t v : {7u, 3u, 7u}) m.system.add_vertex(2, v);
    m.system.add_constraint_nodes(m.world.parallel, 3, false);
    EXPECT_EQ(m.system.node_of_vertex(2, 3), 4u);  // by rising vertices, each once
    EXPECT_EQ(m.system.node_of_vertex(2, 7), 5u);
    EXPECT_EQ(m.system.node_of_vertex(2, 5), std::nullopt);
    ASSERT_EQ(m.system.rows().groups.size(), 1u);
    const NodeGroup& group = m.system.rows().groups[0];
    ASSERT_EQ(group.count, 2u);
    // Against the body's own response to an impulse on vertex 7.
    DeformableBody& body = m.world.bodies[2].deformable();
    std::vector<Vec3> impulse(body.positions().size()), change(impulse.size());
    impulse[7] = {0, 1, 0};
    body.respond(impulse, change, 1e-12);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(group.at(4, 5)(axis, 1), change[3][axis], 1e-9 * norm(change[7]));
        EXPECT_NEAR(group.at(5, 5)(axis, 1), change[7][axis], 1e-9 * norm(change[7]));
    }
}

TEST(ConstraintSystem, WantsTheIslandsWithMarkedBlocksAlone) {
    Mixed m;
    m.system.begin();
    m.system.start_velocities(false);
    m.system.clear_rows();
    Rows& rows = m.system.rows();
    for (const std::uint32_t node : {0u, 3u, 0u}) {
        Block& block = rows.blocks.emplace_back();
        block.first_entry = static_cast<std::uint32_t>(rows.entries.size()), block.entry_count = 1;
        rows.entries.push_back(point_entry(node, Mat3::identity(), {}, 1));
    }
    EXPECT_EQ(m.system.build_islands(), (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(m.system.build_islands(std::vector<char>{0, 1, 0}), std::vector<std::uint32_t>{1});
    EXPECT_EQ(m.system.build_islands(std::vector<char>{0, 0, 1}), std::vector<std::uint32_t>{0});
    EXPECT_TRUE(m.system.build_islands(std::vector<char>{0, 0, 0}).empty());
}

TEST(ConstraintSystem, TellsVelocityChangesFromDisplacements) {
    Mixed m;
    m.system.begin();
    m.system.start_velocities(false);
    EXPECT_EQ(m.system.velocities()[0].linear, (Vec3{1, 2, 3}));
    m.system.velocities()[0].linear += Vec3{0, 1, 0};
    EXPECT_EQ(m.system.velocity_change(0).at(0).linear, (Vec3{0, 1, 0}));
    EXPECT_TRUE(m.system.velocity_change(4).empty());
    m.system.start_velocities(true);
    m.system.velocities()[0].linear = {0, 0, 0.5};
    EXPECT_EQ(m.system.displacement(0).at(0).linear, (Vec3{0, 0, 0.5}));
    EXPECT_EQ(m.system.displacement(3).at(0).linear, Vec3{});
}

}  // namespace
}  // namespace plush
