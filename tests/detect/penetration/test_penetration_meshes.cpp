#include <gtest/gtest.h>

#include <filesystem>

#include "detect/penetration/tet_things.hpp"
#include "plush/geometry/tetrahedralise.hpp"

// The fast path against the reference, point by point, on real and re-entrant shapes.

namespace plush {
namespace {

const Parallel one_thread(1);

void expect_same(std::span<const Thing> things, DepthNormals normals) {
    PenetrationSearch fast, reference;
    const auto objects = objects_of(things);
    const auto a = fast.find(objects, {.normals = normals}, one_thread);
    const auto b = reference.find(objects, {.normals = normals, .reference = true}, one_thread);
    ASSERT_EQ(a.size(), b.size());
    EXPECT_GT(a.size(), 50u);
    std::size_t border = 0, different = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(a[i].owner, b[i].owner);
        ASSERT_EQ(a[i].point, b[i].point);
        ASSERT_EQ(a[i].object, b[i].object);
        ASSERT_EQ(a[i].tet, b[i].tet);
        border += b[i].level == 0;
        different += a[i].level != b[i].level || a[i].depth != b[i].depth || a[i].direction != b[i].direction;
    }
    EXPECT_EQ(different, 0u) << "of " << a.size() << " points, " << border << " on the border";
    const auto ca = fast.crossings(), cb = reference.crossings();
    ASSERT_EQ(ca.size(), cb.size());
    for (std::size_t i = 0; i < ca.size(); ++i) {
        EXPECT_EQ(ca[i].face, cb[i].face);
        EXPECT_EQ(ca[i].point, cb[i].point);
    }
}

Thing filled(const Mesh& surface, int cells, const Transform& pose = {}) {
    return Thing(tetrahedralise(surface, {.conforming = true, .cells_across = cells}), pose);
}

/// Two copies of a surface, one turned and pushed into the other.
std::vector<Thing> into_itself(const Mesh& surface, int cells) {
    const Box3 box = surface.bounds();
    const Vec3 size = box.size();
    const Quat turn = exp_rotation({0.4, 1.1, -0.3});
    const Vec3 centre = box.centre();
    return {filled(surface, cells),
            filled(surface, cells, {centre - rotate(turn, centre) + 0.35 * size, turn})};
}

TEST(PenetrationMeshes, TheFastPathAgreesOnGeneratedFigures) {
    for (const char* name : {"armadillo", "octopus", "bear"}) {
        const Mesh mesh = generate({.shape = name, .triangles = 4000}).value();
        expect_same(into_itself(mesh, 24), DepthNormals::interpolated);
    }
}

TEST(PenetrationMeshes, TheFastPathAgreesOnRealMeshes) {
    std::size_t tried = 0;
    for (const char* name : {"bunny.off", "spot.obj", "elephant.obj"}) {
        const std::filesystem::path file = std::filesystem::path(PLUSH_MESHES_DIR) / name;
        if (!std::filesystem::exists(file)) continue;
        ++tried;
        const auto mesh = Mesh::try_load(file);
        ASSERT_TRUE(mesh.ok());
        expect_same(into_itself(mesh.value(), 24), DepthNormals::interpolated);
        expect_same(into_itself(mesh.value(), 24), DepthNormals::face);
    }
    if (tried == 0) GTEST_SKIP() << "no meshes in " << PLUSH_MESHES_DIR;
}

// Re-entrant: an edge that leaves a fork's first prong and passes its second. The paper takes the crossing
// nearest to the point outside.
TEST(PenetrationMeshes, OfSeveralCrossingsTheOneNearestToTheOutsideCounts) {
    const TetMesh bar = tet_box({0.5, 0.5, 0.5}, {1, 1, 1}).value();
    // Two cubes of one object, side by side with a gap.
    std::vector<Vec3> x(bar.positions().begin(), bar.positions().end());
    std::vector<Tet> tets(bar.tets().begin(), bar.tets().end());
    const int n = static_cast<int>(x.size());
    for (int i = 0; i < n; ++i) x.push_back(x[static_cast<std::size_t>(i)] + Vec3{1.5, 0, 0});
    for (std::size_t t = 0, count = tets.size(); t < count; ++t) {
        Tet tet = tets[t];
        for (int& v : tet) v += n;
        tets.push_back(tet);
    }
    const TetMesh needle({{0, 0, 0}, {3, 0.01, 0}, {3, 0.2, 0.1}, {3, 0.1, -0.2}}, {{0, 1, 2, 3}});
    const std::vector<Thing> things{Thing(TetMesh(x, tets)), Thing(needle)};
    PenetrationSearch search;
    const auto objects = objects_of(things);
    for (const bool reference : {false, true}) {
        const auto found =
            search.find(objects, {.normals = DepthNormals::face, .reference = reference}, one_thread);
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0].depth, 2, 1e-12);  // to the far side of the second cube; 0.5 is the first exit
        for (const Crossing& c : search.crossings()) EXPECT_NEAR(c.point.x, 2, 1e-12);
    }
}

TEST(PenetrationMeshes, WithinOneObjectTheFastPathAgrees) {
    Thing snake = filled(generate({.shape = "octopus", .triangles = 3000}).value(), 24);
    snake.self = true;
    // Squeezed flat, arms pass through one another.
    for (Vec3& p : snake.x) p = {p.x * 0.5 + 0.3 * p.y * p.y, 0.3 * p.y, p.z + 0.5 * p.x * p.y};
    for (Vec3& p : snake.x) p.x = std::abs(p.x - 0.05);
    expect_same({&snake, 1}, DepthNormals::interpolated);
}

}  // namespace
}  // namespace plush
