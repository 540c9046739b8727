#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <limits>

#include "geometry/io/test_io_samples.hpp"
#include "plush/core/random.hpp"
#include "support/errors.hpp"

namespace plush {
namespace {

using namespace io_test;
using test::says;

/// Doubles of every size and sign, which only an exact writer keeps.
Mesh awkward_mesh() {
    Random random(7);
    std::vector<Vec3> positions{{-0.0, 5e-324, 2.2250738585072014e-308}, {1.0 / 3, -1e300, 0.1}};
    std::vector<Triangle> triangles;
    for (int i = 2; i < 1000; ++i) {
        const auto number = [&] {
            return random.uniform(-1, 1) * std::ldexp(1, static_cast<int>(random.below(200)) - 100);
        };
        positions.push_back({number(), number(), number()});
        triangles.push_back({i - 2, i - 1, i});
    }
    return Mesh(positions, triangles);
}

TEST(IoWrite, ObjPlyAndMeshReturnTheSameDoubles) {
    const TempFolder folder;
    const Mesh mesh = awkward_mesh();
    for (const char* name : {"a.obj", "a.ply", "a.mesh", "A.PLY"}) {
        SCOPED_TRACE(name);
        mesh.save(folder / name);
        expect_same(Mesh::load(folder / name), mesh);
    }
}

TEST(IoWrite, StlReturnsTheSameFloats) {
    const TempFolder folder;
    corner().save(folder / "a.stl");
    EXPECT_EQ(read_text(folder / "a.stl").size(), 84u + 4 * 50);
    const Mesh mesh = Mesh::load(folder / "a.stl");
    EXPECT_EQ(mesh.positions().size(), 4u);
    EXPECT_EQ(open_edges(mesh), 0);
    EXPECT_EQ(volume6(mesh), 1);
    EXPECT_NE(
        Mesh({{0, 0, 0}, {1e39, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}).try_save(folder / "b.stl").error().problem(),
        "");
    EXPECT_FALSE(std::filesystem::exists(folder / "b.stl"));
}

TEST(IoWrite, TetsReturn) {
    const TempFolder folder;
    const TetMesh mesh({{0, 0, 0}, {1.0 / 3, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.2, -1}},
                       {{0, 1, 2, 3}, {0, 2, 1, 4}});
    mesh.save(folder / "a.mesh");
    const TetMesh again = TetMesh::load(folder / "a.mesh");
    EXPECT_TRUE(std::equal(mesh.positions().begin(), mesh.positions().end(), again.positions().begin()));
    EXPECT_TRUE(std::equal(mesh.tets().begin(), mesh.tets().end(), again.tets().begin(), again.tets().end()));
    EXPECT_FALSE(mesh.try_save(folder / "a.obj").ok());
}

TEST(IoWrite, AFailedWriteLeavesTheOldFileAndNoOther) {
    const TempFolder folder;
    corner().save(folder / "a.ply");
    const std::string before = read_text(folder / "a.ply");
    // A limit on the size of files stands for the full disk: write() fails after some bytes.
    struct rlimit old {};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const struct rlimit small { 4096, old.rlim_max };
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const Result<void> result = awkward_mesh().try_save(folder / "a.ply");
    ::setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, handler);

    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(says(result.error().cure(), "unchanged")) << result.error().what();
    EXPECT_EQ(read_text(folder / "a.ply"), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(IoWrite, LinksAreFollowedAndTheModeIsKept) {
    const TempFolder folder;
    corner().save(folder / "a.obj");
    ::chmod((folder / "a.obj").c_str(), 0640);
    std::filesystem::create_symlink("a.obj", folder / "link.obj");
    awkward_mesh().save(folder / "link.obj");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.obj"));
    EXPECT_EQ(Mesh::load(folder / "a.obj").triangles().size(), 998u);
    struct stat status {};
    ::stat((folder / "a.obj").c_str(), &status);
    EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(IoWrite, WrongTargetsAreErrors) {
    const TempFolder folder;
    std::filesystem::create_directory(folder / "folder.obj");
    EXPECT_EQ(corner().try_save(folder / "folder.obj").error().problem(), "is a folder");
    EXPECT_TRUE(
        says(corner().try_save(folder / "no/such/folder.obj").error().problem(), "cannot be written"));
    EXPECT_TRUE(says(corner().try_save(folder / "a.fbx").error().cure(), ".obj"));
    EXPECT_TRUE(says(corner().try_save(folder / "a").error().cure(), ".obj"));
    EXPECT_FALSE(Mesh().try_save(folder / "a.obj").ok());
    EXPECT_FALSE(TetMesh().try_save(folder / "a.mesh").ok());
    EXPECT_THROW(corner().save(folder / "a.fbx"), Error);
}

}  // namespace
}  // namespace plush
