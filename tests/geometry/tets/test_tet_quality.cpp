#include <gtest/gtest.h>

#include "geometry/tets/tet_quality.hpp"
#include "geometry/tets/tet_topology.hpp"

namespace plush {
namespace {

TEST(TetQuality, RegularTetHasOneAngle) {
    // (1, 1, 1) and its even sign changes: arccos(1/3) at every edge.
    const std::array<Vec3, 4> tet{Vec3{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
    ASSERT_GT(std::abs(tet_volume(tet)), 0);
    std::array<Vec3, 4> positive = tet;
    if (tet_volume(tet) < 0) std::swap(positive[2], positive[3]);
    for (const double angle : dihedral_angles(positive)) EXPECT_NEAR(angle, 70.528779365509308, 1e-12);
    EXPECT_NEAR(tet_volume(positive), 8.0 / 3, 1e-15);
}

TEST(TetQuality, CornerOfACubeHasItsAnglesAtTheRightEdges) {
    const std::array<Vec3, 4> tet{Vec3{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto angles = dihedral_angles(tet);
    const double slanted = 54.735610317245346;  // arctan √2
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(angles[i], 90, 1e-12);
    for (std::size_t i = 3; i < 6; ++i) EXPECT_NEAR(angles[i], slanted, 1e-12);
    EXPECT_NEAR(smallest_dihedral(tet), slanted, 1e-12);
    EXPECT_EQ(smallest_dihedral({tet[0], tet[2], tet[1], tet[3]}), -1);
}

// Two sheets of a book opened by a known angle: the edge 01 is its spine.
TEST(TetQuality, KeepsItsDigitsForSlivers) {
    for (const double degrees : {1e-6, 0.5, 12.0, 90.0, 150.0, 179.999999}) {
        const double angle = degrees * 3.141592653589793 / 180;
        const std::array<Vec3, 4> tet{
            Vec3{0, 0, 0}, {1, 0, 0}, {0.5, 1, 0}, {0.5, std::cos(angle), std::sin(angle)}};
        EXPECT_NEAR(dihedral_angles(tet)[0], degrees, 1e-12 * degrees + 1e-13) << degrees;
    }
}

TEST(TetQuality, SumsUpAMesh) {
    const std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1},
                                      {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 3}};
    const std::vector<Tet> tets{{0, 1, 2, 3}, {1, 2, 3, 4}, {5, 6, 7, 8}};
    const TetQuality q = tet_quality(positions, tets);
    EXPECT_EQ(q.nodes, 9);
    EXPECT_EQ(q.tets, 3);
    EXPECT_EQ(q.pieces, 2);
    EXPECT_EQ(q.inverted, 0);
    EXPECT_NEAR(q.volume, 1.0 / 6 + 1.0 / 3 + 0.5, 1e-15);
    EXPECT_EQ(q.shortest_edge, 1);
    EXPECT_NEAR(q.longest_edge, std::sqrt(10), 1e-15);
    EXPECT_EQ(tet_quality(positions, std::vector<Tet>{{0, 2, 1, 3}, {0, 1, 2, 3}}).inverted, 1);
}

TEST(TetTopology, NeighboursStandBehindTheFaceOppositeTheirCorner) {
    const std::vector<Tet> tets{{0, 1, 2, 3}, {4, 2, 1, 3}, {0, 1, 4, 5}};
    const auto neighbours = tet_neighbours(tets);
    EXPECT_EQ(neighbours[0], (std::array<int, 4>{1, -1, -1, -1}));
    EXPECT_EQ(neighbours[1], (std::array<int, 4>{0, -1, -1, -1}));
    EXPECT_EQ(neighbours[2], (std::array<int, 4>{-1, -1, -1, -1}));
    EXPECT_EQ(tet_pieces(tets), (std::vector<int>{0, 0, 1}));
}

TEST(TetTopology, FindsTheFirstClash) {
    EXPECT_FALSE(find_clash(std::vector<Tet>{{0, 1, 2, 3}, {4, 2, 1, 3}}));
    const auto twice = find_clash(std::vector<Tet>{{0, 1, 2, 3}, {4, 2, 1, 3}, {3, 1, 2, 0}});
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->kind, TetClash::Kind::duplicate);
    EXPECT_EQ(twice->first, 0);
    EXPECT_EQ(twice->second, 2);
    const auto third = find_clash(std::vector<Tet>{{0, 1, 2, 3}, {4, 2, 1, 3}, {1, 2, 3, 5}});
    ASSERT_TRUE(third);
    EXPECT_EQ(third->kind, TetClash::Kind::third_at_face);
    EXPECT_EQ(third->second, 2);
}

}  // namespace
}  // namespace plush
