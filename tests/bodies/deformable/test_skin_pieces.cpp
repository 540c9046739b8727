#include <gtest/gtest.h>

#include "geometry/mesh/embedding.hpp"
#include "geometry/mesh/skin_pieces.hpp"
#include "geometry/tets/tet_topology.hpp"
#include "plush/bodies/soft.hpp"
#include "plush/core/random.hpp"
#include "plush/geometry/components.hpp"
#include "plush/geometry/generate.hpp"
#include "plush/geometry/mass.hpp"
#include "support/random.hpp"

// Meshes of several closed components. A foot of 26 bones became metre-long sheets: vertices of one bone were embedded in the
// cage of the next.

namespace plush {
namespace {

Mesh joined(std::span<const Mesh> parts) {
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;
    for (const Mesh& part : parts) {
        const int offset = static_cast<int>(positions.size());
        positions.insert(positions.end(), part.positions().begin(), part.positions().end());
        for (const Triangle& t : part.triangles())
            triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    }
    return Mesh(std::move(positions), std::move(triangles));
}

/// Pebbles in a row, some nearer than a cell of their cages; `overlap` of each two neighbours crosses.
std::vector<Mesh> bones(Random& random, int count, bool crossing) {
    std::vector<Mesh> parts;
    double x = 0;
    for (int k = 0; k < count; ++k) {
        const double size = random.uniform(0.05, 0.2);
        const Mesh pebble =
            generate({.shape = "pebble", .triangles = 800, .size = size, .seed = k + 1}).value();
        const Box3 box = pebble.bounds();
        const bool into = crossing && k % 2 == 1;
        x += -box.low.x + (into ? -0.3 * size : 0.002);
        parts.push_back(pebble.transformed({.position = {x, 0, 0}}));
        x += box.high.x;
    }
    return parts;
}

TEST(SkinPieces, EveryVertexIsEmbeddedInTheCageOfItsOwnBody) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Random random(seed);
        const std::vector<Mesh> parts = bones(random, 5, seed % 2 == 0);
        const Mesh skin = joined(parts);
        const std::vector<Mesh> bodies = split_components(skin);
        EXPECT_EQ(bodies.size(), seed % 2 == 0 ? 3u : 5u) << seed;
        EXPECT_EQ(split_components(skin, false).size(), 5u) << seed;
        const SoftSolid solid = SoftSolid::fill(skin, {.cells_across = 12});
        const SkinPieces pieces = skin_pieces(skin, solid.tets());
        ASSERT_EQ(pieces.count, static_cast<int>(bodies.size())) << seed;
        // Move each cage away: every body of the skin goes with one of them, whole.
        const std::vector<int> piece = tet_pieces(solid.tets().tets());
        std::vector<Vec3> x(solid.tets().positions().begin(), solid.tets().positions().end());
        std::vector<int> of_node(x.size());
        for (std::size_t t = 0; t < piece.size(); ++t)
            for (const int v : solid.tets().tets()[t]) of_node[static_cast<std::size_t>(v)] = piece[t];
        for (std::size_t v = 0; v < x.size(); ++v) x[v].y += 1.0 + of_node[v];
        const Embedding weights =
            Embedding::in_tets(solid.tets(), skin.positions(), pieces.of_vertex).value();
        std::vector<Vec3> moved(skin.positions().size());
        weights.apply(x, moved);
        const Embedding anywhere = Embedding::in_tets(solid.tets(), skin.positions()).value();
        std::vector<char> used(bodies.size());
        for (std::size_t v = 0; v < moved.size(); ++v) {
            const double lift = moved[v].y - skin.positions()[v].y;
            const double expected = 1.0 + pieces.of_vertex[v];
            EXPECT_NEAR(lift, expected, 1e-9) << "seed " << seed << ", vertex " << v;
            used[static_cast<std::size_t>(pieces.of_vertex[v])] = 1;
        }
        for (const char u : used) EXPECT_TRUE(u) << "a cage without a skin, seed " << seed;
        // The mass is that of the solid, though cages lie in one place.
        double inside = 0, whole = 0;
        const auto at = [&](int v) { return solid.tets().positions()[static_cast<std::size_t>(v)]; };
        for (std::size_t t = 0; t < piece.size(); ++t) {
            const Tet& tet = solid.tets().tets()[t];
            inside += solid.shares()[t] *
                      dot(cross(at(tet[1]) - at(tet[0]), at(tet[2]) - at(tet[0])), at(tet[3]) - at(tet[0])) /
                      6;
        }
        for (const Mesh& body : parts) whole += volume(body);
        if (seed % 2 == 1) {
            EXPECT_NEAR(inside / whole, 1, 0.03) << seed;
        }
    }
}

TEST(SkinPieces, AWallOfACavityStaysWithTheSurfaceAroundIt) {
    const Mesh outer = shapes::icosphere(0.5, 320), inner = shapes::icosphere(0.3, 320);
    std::vector<Triangle> turned(inner.triangles().begin(), inner.triangles().end());
    for (Triangle& t : turned) std::swap(t[1], t[2]);
    const Mesh cavity({inner.positions().begin(), inner.positions().end()}, turned);
    const Mesh far = outer.transformed({.position = {2, 0, 0}});
    const std::vector<Mesh> both{outer, cavity, far};
    const std::vector<Mesh> parts = split_components(joined(both), false);
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_NEAR(volume(parts[0]), volume(outer) - volume(inner), 1e-12);
    EXPECT_NEAR(volume(parts[1]), volume(outer), 1e-12);
}

}  // namespace
}  // namespace plush
