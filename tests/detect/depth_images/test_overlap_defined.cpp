#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>

#include "detect/depth_images/surfaces.hpp"
#include "plush/detect/overlap.hpp"
#include "plush/geometry/mass.hpp"
#include "support/meshes.hpp"

// Surfaces that are not what they should be have an answer all the same, and the report says what was seen.

namespace plush {
namespace {

using std::numbers::pi;
using test::flipped;
using test::together;

/// Without the triangles whose middle is above this height.
Mesh opened(const Mesh& mesh, double height) {
    std::vector<Triangle> kept;
    for (const Triangle& t : mesh.triangles()) {
        double y = 0;
        for (const int v : t) y += mesh.positions()[static_cast<std::size_t>(v)].y / 3;
        if (y < height) kept.push_back(t);
    }
    return Mesh({mesh.positions().begin(), mesh.positions().end()}, std::move(kept));
}

const OverlapSettings fine{.pixel = 1.0 / 128, .split = OverlapSplit::whole};

TEST(OverlapDefined, AnInvertedSurfaceHasNoInside) {
    const Mesh ball = shapes::icosphere(0.5, 5000);
    const Transform pose{{0.6, 0.2, 0}};
    EXPECT_GT(overlap(ball, {}, ball, pose, fine).volume, 0.05);
    const OverlapReport r = overlap(flipped(ball), {}, ball, pose, fine);
    EXPECT_EQ(r.volume, 0);
    EXPECT_TRUE(r.overlaps.empty());
    EXPECT_GT(r.inverted_columns[0], 1000u);
    EXPECT_EQ(r.inverted_columns[1], 0u);
    // A cavity is an inverted part in an outward one, and a hole in the right sense: no column is inverted.
    const Mesh hollow = together(ball, flipped(shapes::icosphere(0.4, 5000)));
    const OverlapReport shell = overlap(hollow, {}, shapes::icosphere(0.3, 5000), {}, fine);
    EXPECT_EQ(shell.volume, 0);
    EXPECT_EQ(shell.inverted_columns[0], 0u);
    EXPECT_NEAR(overlap(hollow, {}, shapes::icosphere(0.45, 20000), {}, fine).volume,
                4 * pi / 3 * (0.091125 - 0.064), 5e-4);
}

TEST(OverlapDefined, PartsThatOverlapThemselvesCountOnce) {
    const Mesh ball = shapes::icosphere(0.5, 20000);
    const Mesh two = together(ball, ball.transformed({{0.3, 0, 0}}));
    const Mesh block = shapes::box({2, 2, 2});
    const double one = volume(ball), d = 0.7;
    const double lens = pi * d * d * (0.09 + 4 * 0.3 * 0.5) / (12 * 0.3);
    EXPECT_NEAR(overlap(two, {}, block, {}, fine).volume, 2 * one - lens, 2e-3);
    // And with itself: where it winds twice.
    const OverlapReport self = try_self_overlap(two, fine).value();
    ASSERT_EQ(self.overlaps.size(), 1u);
    EXPECT_NEAR(self.volume / lens, 1, 0.005);  // 7e-4, of the facets
    EXPECT_NEAR(std::abs(self.overlaps[0].normal.x), 1, 1e-4);
    EXPECT_NEAR(norm(self.overlaps[0].gradient) / (pi * (0.25 - 0.0225)), 1, 0.02);
    EXPECT_NEAR(self.overlaps[0].centre.x, 0.15, 1e-3);
    EXPECT_TRUE(try_self_overlap(ball, fine).value().overlaps.empty());
}

TEST(OverlapDefined, SelfOverlapHasTwoSidesAndNoNetForce) {
    const Mesh ball = shapes::icosphere(0.5, 2000);
    const Transform pose{{0.6, 0.3, 0.2}};
    const Mesh two = together(ball, ball.transformed(pose));
    const int half = static_cast<int>(ball.positions().size());
    OverlapSettings settings = fine;
    settings.gradients = true;
    const Overlap self = try_self_overlap(two, settings).value().overlaps.at(0);
    const Overlap pair = overlap(ball, {}, ball, pose, settings).overlaps.at(0);
    EXPECT_NEAR(self.volume / pair.volume, 1, 1e-3);
    EXPECT_GT(std::abs(dot(self.normal, pair.normal)), 0.999);
    EXPECT_NEAR(norm(self.gradient) / norm(pair.gradient), 1, 0.01);
    // Each side is one of the balls.
    for (const auto* rows : {&self.a, &self.b}) {
        ASSERT_FALSE(rows->empty());
        double low = 0, high = 0;
        for (const VertexGradient& g : *rows)
            (static_cast<int>(g.vertex) < half ? low : high) += norm(g.gradient);
        EXPECT_LT(std::min(low, high), 0.01 * std::max(low, high));
    }
}

TEST(OverlapDefined, ColumnsThroughAHoleAreLeftOut) {
    const Mesh ball = shapes::icosphere(0.5, 20000), block = shapes::box({1, 1, 1});
    const Mesh bowl = opened(ball, 0.4);
    // Two images look across the hole, the third along it: there the columns through it are open.
    const OverlapReport r = overlap(bowl, {}, block, {}, fine);
    EXPECT_GT(r.open_columns[0], 3000u);
    EXPECT_EQ(r.open_columns[1], 0u);
    const double cap = pi * 0.01 * (1.5 - 0.1) / 3, drum = pi * 0.09 * 0.9 - cap;
    const Overlap& o = r.overlaps.at(0);
    EXPECT_NEAR(o.volumes.y, volume(ball) - cap - drum, 0.02);
    EXPECT_NEAR(o.volumes.x, volume(ball) - cap, 0.01);
    EXPECT_NEAR(o.volumes.z, volume(ball) - cap, 0.01);
    // The same whichever comes first, and whichever way up.
    const OverlapReport turned = overlap(block, {}, bowl, {{}, from_axis_angle({1, 0, 0}, 180)}, fine);
    EXPECT_NEAR(turned.volume, r.volume, 1e-3);
    EXPECT_GT(turned.open_columns[1], 3000u);
    // Columns that do not pass the hole lose nothing.
    const Transform beside{{0.9, -0.1, 0}};
    EXPECT_NEAR(overlap(bowl, {}, ball, beside, fine).volume, overlap(ball, {}, ball, beside, fine).volume,
                1e-12);
}

TEST(OverlapDefined, RealMeshesWithFaults) {
    const std::filesystem::path meshes = PLUSH_MESHES_DIR;
    if (!std::filesystem::exists(meshes))
        GTEST_SKIP() << "no folder " << meshes << "; set PLUSH_TEST_MESHES to test with real meshes";
    for (const char* file : {"bad/stanford-bunny-with-holes.obj", "bad/suzanne-open-nonmanifold.obj",
                             "bad/cow-nonmanifold-edge.off"}) {
        SCOPED_TRACE(file);
        const Mesh mesh = Mesh::load(meshes / file);
        const Vec3 size = mesh.bounds().size();
        const Mesh block = shapes::box(size * 0.3).transformed({mesh.bounds().centre()});
        const OverlapReport r = overlap(mesh, block);
        const double most = 0.6 * 0.6 * 0.6 * size.x * size.y * size.z;
        EXPECT_GE(r.volume, 0);
        EXPECT_LE(r.volume, most);
        EXPECT_TRUE(std::isfinite(r.volume));
        const bool open = std::string(file).find("cow") == std::string::npos;
        EXPECT_EQ(r.open_columns[0] > 0, open);
        EXPECT_NO_THROW(static_cast<void>(try_self_overlap(mesh, {}).value()));
    }
}

TEST(OverlapDefined, OneInsideTheOtherHasNoSide) {
    const OverlapReport r =
        overlap(shapes::icosphere(0.3, 20000), {}, shapes::icosphere(0.5, 2000), {}, fine);
    ASSERT_EQ(r.overlaps.size(), 1u);
    EXPECT_FALSE(r.overlaps[0].one_sided);
    EXPECT_NEAR(r.volume / (4 * pi / 3 * 0.027), 1, 2e-3);
    EXPECT_NEAR(norm(r.overlaps[0].normal), 1, 1e-12);
    EXPECT_LT(norm(r.overlaps[0].gradient), 1e-3);
}

TEST(OverlapDefined, NothingWhereNothingMeets) {
    const Mesh ball = shapes::icosphere(0.5, 500);
    EXPECT_TRUE(overlap(ball, {}, ball, {{3, 0, 0}}).overlaps.empty());
    EXPECT_TRUE(overlap(ball, {}, ball, {{0.72, 0.72, 0}}).overlaps.empty());  // boxes alone meet
    EXPECT_TRUE(overlap(ball, {}, Mesh(), {}).overlaps.empty());
    EXPECT_TRUE(overlap(Mesh(), {}, ball, {}).overlaps.empty());
    // Boxes that touch in a face enclose nothing.
    const Mesh box = shapes::box({0.5, 0.5, 0.5});
    EXPECT_TRUE(overlap(box, {}, box, {{1, 0, 0}}, {.pixel = 1.0 / 64}).overlaps.empty());
    EXPECT_TRUE(overlap(box, {}, box, {{1, 0.25, 0}}).overlaps.empty());
    // A flat patch has no inside.
    const Mesh flat({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 2}});
    EXPECT_TRUE(overlap(flat, {}, box, {}).overlaps.empty());
    const Mesh doubled({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}}, {{0, 1, 2}, {0, 2, 1}});
    EXPECT_TRUE(overlap(doubled, {}, box, {}).overlaps.empty());
}

TEST(OverlapDefined, PixelsAreChosenForThePair) {
    const Mesh ball = shapes::icosphere(0.5, 20000);
    // Light contact: fine pixels on the small overlap, not on the whole of the balls.
    const OverlapReport light = overlap(ball, {}, ball, {{0.999, 0, 0}});
    ASSERT_EQ(light.overlaps.size(), 1u);
    EXPECT_LE(light.pixel, 0.001);
    const OverlapReport deep = overlap(ball, {}, ball, {{0.3, 0, 0}});
    EXPECT_GE(deep.pixel, 1.0 / 256);
    EXPECT_LE(deep.pixel, 1.0 / 64);
    // A power of two of a metre, a wish for depth kept, memory kept.
    EXPECT_EQ(std::log2(light.pixel), std::floor(std::log2(light.pixel)));
    EXPECT_LE(overlap(ball, {}, ball, {{0.3, 0, 0}}, {.depth = 0.002}).pixel, 0.002);
    const OverlapReport small = overlap(ball, {}, ball, {{0.3, 0, 0}}, {.depth = 0.0001, .memory_limit = 16});
    EXPECT_GT(small.pixel, 0.0005);
    EXPECT_NEAR(small.volume / deep.volume, 1, 0.01);
    // A small tool beside a large body gets pixels of its own size.
    const OverlapReport tool =
        overlap(shapes::box({50, 50, 50}), {}, shapes::icosphere(0.01, 2000), {{50.005, 0, 0}});
    EXPECT_LT(tool.pixel, 0.0005);
    EXPECT_GT(tool.volume, 0);
}

TEST(OverlapDefined, WrongSettingsAreErrors) {
    const Mesh ball = shapes::icosphere(0.5, 500);
    const auto error_of = [&](const OverlapSettings& settings) {
        const auto r = try_overlap(ball, {}, ball, {{0.3, 0, 0}}, settings);
        EXPECT_FALSE(r.ok());
        return r.ok() ? std::string() : r.error().place();
    };
    EXPECT_EQ(error_of({.pixel = -1}), "pixel");
    EXPECT_EQ(error_of({.pixel = std::nan("")}), "pixel");
    EXPECT_EQ(error_of({.pixel = 1e-9}), "pixel");                     // coordinates would not fit
    EXPECT_EQ(error_of({.pixel = 1e-4, .memory_limit = 1}), "pixel");  // nor the memory
    EXPECT_EQ(error_of({.split = OverlapSplit::cells}), "cell");
    EXPECT_EQ(error_of({.memory_limit = 0}), "memory_limit");
    EXPECT_EQ(error_of({.pixels_across = 1e9}), "pixels_across");
    EXPECT_FALSE(try_overlap_half_space(ball, {}, {0, 2, 0}, 0).ok());
    EXPECT_FALSE(try_overlap(ball, {{std::nan(""), 0, 0}}, ball, {}).ok());
    EXPECT_FALSE(try_overlap(ball, {{std::numeric_limits<double>::infinity(), 0, 0}}, ball, {}).ok());
    EXPECT_THROW(static_cast<void>(overlap(ball, ball, {.pixel = -1})), Error);
}

}  // namespace
}  // namespace plush
