#include <cstdio>
#include <ctime>

#include "geometry/io/test_io_samples.hpp"
#include "support/errors.hpp"

// Real meshes, from the folder of the build option PLUSH_TEST_MESHES.

namespace plush {
namespace {

using namespace io_test;
using test::says;

const std::filesystem::path meshes = PLUSH_MESHES_DIR;

#define SKIP_WITHOUT_MESHES()             \
    if (!std::filesystem::exists(meshes)) \
    GTEST_SKIP() << "no folder " << meshes << "; set PLUSH_TEST_MESHES to test with real meshes"

struct Expected {
    const char* file;
    std::size_t vertices, triangles;
    bool closed;
};

TEST(IoMeshes, EachLoadsWithItsCounts) {
    SKIP_WITHOUT_MESHES();
    for (const auto& [file, vertices, triangles, closed] : {
             Expected{"armadillo.obj", 43243, 86482, true},
             {"bunny.off", 3485, 6966, true},
             {"spot.obj", 2930, 5856, true},
             {"cheburashka.off", 6669, 13334, true},
             {"elephant.obj", 6034, 12064, true},
             {"3holes.off", 3596, 7200, true},
             {"octopus-low.mesh", 451, 898, true},
             {"hand.mesh", 4780, 9556, true},
             {"bad/stanford-bunny-with-holes.obj", 35947, 69451, false},  // 1,113 of them unused, kept
             {"bad/cow-nonmanifold-edge.off", 2762, 5520, true},
             {"bad/suzanne-open-nonmanifold.obj", 507, 968, false},
         }) {
        SCOPED_TRACE(file);
        const Mesh mesh = Mesh::load(meshes / file);
        EXPECT_EQ(mesh.positions().size(), vertices);
        EXPECT_EQ(mesh.triangles().size(), triangles);
        EXPECT_EQ(open_edges(mesh) == 0, closed) << open_edges(mesh);
        if (closed) {
            EXPECT_GT(volume6(mesh), 0);
        }
    }
}

TEST(IoMeshes, TetsLoadWithTheirCounts) {
    SKIP_WITHOUT_MESHES();
    EXPECT_EQ(TetMesh::load(meshes / "octopus-low.mesh").tets().size(), 1140u);
    EXPECT_EQ(TetMesh::load(meshes / "hand.mesh").tets().size(), 29998u);
    EXPECT_TRUE(says(TetMesh::try_load(meshes / "spot.obj").error().cure(), "plush mesh tet"));
}

TEST(IoMeshes, TheElephantIsScaled) {
    SKIP_WITHOUT_MESHES();
    const double full = volume6(Mesh::load(meshes / "elephant.obj")) / 6;
    const double small = volume6(Mesh::load(meshes / "elephant.obj", {.unit = ImportSettings::Unit::cm})) / 6;
    EXPECT_NEAR(full, 193902, 1);
    EXPECT_NEAR(small, full * 1e-6, full * 1e-6 * 1e-12);
}

TEST(IoMeshes, TheArmadilloIsReadInAMoment) {
    SKIP_WITHOUT_MESHES();
    // The time of this processor, so that other work on the machine does not count.
    double best = HUGE_VAL;
    for (int run = 0; run < 3; ++run) {
        const std::clock_t start = std::clock();
        static_cast<void>(Mesh::load(meshes / "armadillo.obj"));
        best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    RecordProperty("milliseconds", std::to_string(best * 1e3));
    std::printf("armadillo.obj: %.1f ms\n", best * 1e3);
    EXPECT_LT(best, 0.15);
}

}  // namespace
}  // namespace plush
