#include <sys/stat.h>

#include <ctime>
#include <limits>

#include "geometry/io/test_io_samples.hpp"
#include "plush/core/random.hpp"
#include "support/errors.hpp"

// Broken files: each gets an error with file, place, problem and fix, at once.

namespace plush {
namespace {

using namespace io_test;
using test::says;

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

struct Case {
    std::string name, bytes, place, problem;  ///< `problem` is a part of the message
};

std::vector<Case> malformed() {
    const std::string obj = sample_obj(), off = sample_off(), ply = sample_ply_ascii(),
                      ply_le = sample_ply_binary(false), medit = sample_medit(), msh2 = sample_msh2_ascii(),
                      msh41 = sample_msh41_ascii();
    std::string many = sample_stl_binary("x");
    many[83] = 0x10;  // 268 million triangles
    std::string garbage;
    Random random(3);
    for (int i = 0; i < 1000; ++i) garbage += static_cast<char>(random.bits());
    const std::string nan_float = Bytes().put(std::numeric_limits<float>::quiet_NaN()).str();
    return {
        // Nothing, or not what the name says
        {"a.obj", "", "", "is empty"},
        {"a.obj", "\n\n# nothing\n", "", "no triangles"},
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "", "no triangles"},
        {"a.xyz", "1 2 3\n", "", "format is known neither"},
        {"a", garbage, "", "format is known neither"},
        {"a.obj", garbage, "byte ", "binary data in a text file"},
        {"a.off", garbage, "byte ", "binary data in a text file"},
        {"a.mesh", garbage, "byte ", "binary data in a text file"},
        {"a.ply", garbage, "line 1", "begins with 'ply'"},
        {"a.stl", garbage, "byte 84", "triangles"},
        {"a.msh", garbage, "line 1", "name of a section"},
        // OBJ
        {"a.obj", replaced(obj, "v 1 0 0", "v 1 0"), "line 3", "the line ends where a number"},
        {"a.obj", replaced(obj, "v 1 0 0", "v 1 0 nan"), "line 3", "'nan' is not finite"},
        {"a.obj", replaced(obj, "v 1 0 0", "v 1 -inf 0"), "line 3", "'-inf' is not finite"},
        {"a.obj", replaced(obj, "v 1 0 0", "v 1e999 0 0"), "line 3", "'1e999' is too large"},
        {"a.obj", replaced(obj, "v 1 0 0", "v 1,5 0 0"), "line 3", "'1,5' is not a number"},
        {"a.obj", replaced(obj, "v 1 0 0", "v one 0 0"), "line 3", "'one' is not a number"},
        {"a.obj", replaced(obj, "v 1 0 0", "w 1 0 0"), "line 3", "no statement"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1 2 5"), "line 7", "index 5 is out of range (there are 4"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1 2 0"), "line 7", "index 0 is out of range"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1 2 -5"), "line 7", "index -5 is out of range"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1 2 99999999999"), "line 7", "out of range"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1 2 99999999999999999999"), "line 7", "not a whole number"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1 2 -9223372036854775808"), "line 7", "out of range"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1 2"), "line 7", "a face of 2 vertices"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1/2/3/4 2 3"), "line 7", "unexpected"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1/ 2 3"), "line 7", "not a whole number"},
        {"a.obj", replaced(obj, "f 1 2 4", "f 1.5 2 3"), "line 7", "unexpected"},
        // OFF
        {"a.off", "OF\n4 4 0\n", "line 1", "first word is not OFF"},
        {"a.off", "4OFF\n4 4 0\n", "line 1", "not three-dimensional"},
        {"a.off", "OFF BINARY\n\1\2\3", "line 1", "binary OFF"},
        {"a.off", "OFF\n", "line 2", "the file ends"},
        {"a.off", replaced(off, "4 4 6", "1000000000 4 6"), "line 2", "1000000000 vertices are promised"},
        {"a.off", replaced(off, "4 4 6", "4 4000000000 6"), "line 2", "4000000000 faces are promised"},
        {"a.off", replaced(off, "4 4 6", "-4 4 6"), "line 2", "negative number of vertices"},
        {"a.off", replaced(off, "4 4 6", "5 4 6"), "line 11", "the file ends"},
        {"a.off", replaced(off, "4 4 6", "4 5 6"), "line 11", "the file ends"},
        {"a.off", replaced(off, "3 0 1 3", "3 0 1 4"), "line 8", "index 4 is out of range"},
        {"a.off", replaced(off, "3 0 1 3", "3 0 1 -1"), "line 8", "index -1 is out of range"},
        {"a.off", replaced(off, "3 0 1 3", "3 0 1 -9223372036854775808"), "line 8", "out of range"},
        {"a.off", replaced(off, "3 0 1 3", "4 0 1 3"), "line 8", "promises 4 corners and has 3"},
        {"a.off", replaced(off, "3 0 1 3", "2 0 1 9"), "line 8", "a face of 2 vertices"},
        {"a.off", replaced(off, "3 0 1 3", "2000000000 0 1 3"), "line 8", "are promised"},
        {"a.off", off.substr(0, 30), "line 2", "4 faces are promised"},
        // PLY
        {"a.ply", "ply\n", "line 2", "ends in its header"},
        {"a.ply", replaced(ply, "format ascii 1.0\n", ""), "line ", "no format line"},
        {"a.ply", replaced(ply, "ascii", "ebcdic"), "line 2", "format is not"},
        {"a.ply", replaced(ply, "element vertex 4", "element vertex"), "line ", "not a whole number"},
        {"a.ply", replaced(ply, "element vertex 4", "element vertex 1000000000"), "line 5",
         "1000000000 elements are"},
        {"a.ply", replaced(ply_le, "element vertex 4", "element vertex 1000000000"), "byte ",
         "1000000000 elements are"},
        {"a.ply", replaced(ply, "element face 4", "element face 9000000000000000000"), "line 10",
         "are promised"},
        {"a.ply", replaced(ply, "element face 4", "element face 99999999999999999999"), "line 10",
         "not a whole number"},
        {"a.ply", replaced(ply, "property float x", "property quad x"), "line 6", "no type"},
        {"a.ply", replaced(ply, "property float x", "property float w"), "line 17", "no x, y and z"},
        {"a.ply", replaced(ply, "list uchar int", "list float int"), "line 11", "not of an integer type"},
        {"a.ply", replaced(ply, "uchar int vertex_indices", "uchar float vertex_indices"), "line 20",
         "integer type"},
        {"a.ply", replaced(ply, "vertex_indices", "loops"), "line 20", "no list vertex_indices"},
        {"a.ply", replaced(ply, "comment", "komment"), "line 3", "no word of a PLY header"},
        {"a.ply", replaced(ply, "\n1 0 7 0", "\nnan 0 7 0"), "line 18", "'nan' is not finite"},
        {"a.ply", replaced(ply, "3 0 1 3", "3 0 1 4"), "line 22", "index 4 is out of range"},
        {"a.ply", ply.substr(0, ply.size() - 5), "line 13", "1 elements are promised"},
        {"a.ply", ply_le.substr(0, ply_le.size() - 1), "byte ", "ends too early"},
        {"a.ply", ply_le.substr(0, ply_le.size() - 30), "byte ", ""},
        {"a.ply", replaced(ply_le, Bytes().put(1.0f).str(), nan_float), "byte ", "not finite"},
        // STL
        {"a.stl", sample_stl_binary("x").substr(0, 83), "byte 80", "ends too early"},
        {"a.stl", sample_stl_binary("x").substr(0, 200), "byte 84", "4 triangles are promised"},
        {"a.stl", sample_stl_binary("solid x").substr(0, 200), "byte 84", "4 triangles are promised"},
        {"a.stl", many, "byte 84", "promised"},
        {"a.stl", sample_stl_binary("x") + std::string(50, 'x'), "byte 84", "goes on behind"},
        {"a.stl", sample_stl_binary("x").replace(84 + 12, 4, nan_float), "byte 96", "not finite"},
        {"a.stl", Bytes().text(std::string(80, 'x')).put(0).str(), "", "no triangles"},
        {"a.stl", replaced(sample_stl_ascii(), "endloop", "endlop"), "line 7", "'endloop' is expected"},
        {"a.stl", replaced(sample_stl_ascii(), "vertex 0.0", "vertex inf"), "line 4", "not"},
        {"a.stl", sample_stl_ascii().substr(0, 300), "line ", ""},
        {"a.stl", replaced(sample_stl_ascii(), "endsolid a corner", ""), "line ", "before 'endsolid'"},
        {"a.stl", "solid\nendsolid\n", "", "no triangles"},
        // MESH
        {"a.mesh", "Vertices\n", "line 1", "MeshVersionFormatted"},
        {"a.mesh", replaced(medit, "Dimension\n3", "Dimension\n2"), "line 2", "not three-dimensional"},
        {"a.mesh", replaced(medit, "Vertices\n4", "Vertices\n1000000000"), "line 6",
         "1000000000 vertices are"},
        {"a.mesh", replaced(medit, "Vertices\n4", "Vertices\n3"), "line 10", "name of a section"},
        {"a.mesh", replaced(medit, "Vertices\n4", "Vertices\n5"), "line 11", "'Edges' is not a number"},
        {"a.mesh", replaced(medit, "1 2 4 0", "1 2 5 0"), "line 17", "index 5 is out of range"},
        {"a.mesh", replaced(medit, "1 2 4 0", "1 2 0 0"), "line 17", "index 0 is out of range"},
        {"a.mesh", replaced(medit, "1 2 4 0", "1 2 4 0 0"), "line 17", "more numbers"},
        {"a.mesh", replaced(medit, "1 0 0 0", "1 0 nan 0"), "line 8", "'nan' is not finite"},
        {"a.mesh", medit.substr(0, 80), "line 6", "4 vertices are promised"},
        {"a.mesh", replaced(sample_medit_tets(), "1 2 3 4 0", "1 2 3 3 0"), "tet 0", "no volume"},
        {"a.mesh", replaced(sample_medit_tets(), "End", "Hexahedra\n1\n1 2 3 4 1 2 3 4 0\nEnd"), "",
         "Hexahedra"},
        // MSH
        {"a.msh", "$MeshFormat\n3.0 0 8\n$EndMeshFormat\n", "line 2", "version"},
        {"a.msh", "$MeshFormat\n4.1 0 4\n$EndMeshFormat\n", "line 2", "8 bytes"},
        {"a.msh", "$MeshFormat\n2.2 0 8\n", "line 3", "$EndMeshFormat is expected"},
        {"a.msh", "$MeshFormat\n4.1 1 8\nabcd\n$EndMeshFormat\n", "byte ", "byte order"},
        {"a.msh", "$Nodes\n0\n$EndNodes\n", "line 1", "$MeshFormat does not come first"},
        {"a.msh", replaced(msh2, "$EndPhysicalNames", "$End"), "line 4", "$EndPhysicalNames is missing"},
        {"a.msh", replaced(msh2, "$Nodes\n4", "$Nodes\n1000000000"), "line 9",
         "1000000000 nodes are promised"},
        {"a.msh", replaced(msh2, "$Nodes\n4", "$Nodes\n3"), "line ", "$EndNodes is expected"},
        {"a.msh", replaced(msh2, "20 1 0 0", "10 1 0 0"), "line ", "node 10 stands twice"},
        {"a.msh", replaced(msh2, "20 1 0 0", "20 1 nan 0"), "line 11", "not finite"},
        {"a.msh", replaced(msh2, "10 31 20 40", "10 31 20 41"), "line 20", "node 41, which does not exist"},
        {"a.msh", replaced(msh2, "4 4 2 0 1", "4 77 2 0 1"), "line 20", "unknown type 77"},
        {"a.msh", replaced(msh2, "10 31 20 40\n", "10 31 20 20\n"), "tet 0", "no volume"},
        {"a.msh", replaced(msh2, "$Elements\n4", "$Elements\n2000000000"), "line 16", "are promised"},
        {"a.msh", replaced(msh41, "$Nodes\n2 4 1 4", "$Nodes\n2 4000000000 1 4"), "line 10",
         "nodes are promised"},
        {"a.msh", replaced(msh41, "3 1 0 1\n4\n", "3 1 0 999999999\n4\n"), "line ",
         "999999999 nodes are promised"},
        {"a.msh", replaced(msh41, "3 1 4 1\n", "3 1 5 1\n"), "line ", ""},
        {"a.msh", sample_msh2_binary(false).substr(0, 230), "byte ", ""},
        {"a.msh", sample_msh41_binary(true).substr(0, 300), "byte ", ""},
    };
}

TEST(IoMalformed, EachErrorNamesFilePlaceProblemAndCure) {
    const TempFolder folder;
    const std::clock_t start = std::clock();
    const std::vector<Case> cases = malformed();
    for (const auto& [name, bytes, place, problem] : cases) {
        const std::filesystem::path file = folder.write(name, bytes);
        const Result<Mesh> result = Mesh::try_load(file);
        SCOPED_TRACE(testing::Message() << name << ": " << place << ": " << problem);
        if (result.ok()) {
            ADD_FAILURE() << "was read";
            continue;
        }
        const Error& error = result.error();
        EXPECT_EQ(error.file(), file.string());
        EXPECT_EQ(error.place().substr(0, place.ends_with(' ') ? place.size() : std::string::npos), place)
            << error.what();
        EXPECT_TRUE(says(error.problem(), problem)) << error.what();
        EXPECT_FALSE(error.cure().empty()) << error.what();
        EXPECT_FALSE(TetMesh::try_load(file).ok());
    }  // 0.02 s of the processor measured for all; a single header that is believed costs more than that.
    EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.5);
}

TEST(IoMalformed, FilesThatCannotBeRead) {
    const TempFolder folder;
    const Error missing = Mesh::try_load(folder / "missing.obj").error();
    EXPECT_TRUE(says(missing.problem(), "No such file"));
    EXPECT_EQ(missing.file(), (folder / "missing.obj").string());
    EXPECT_EQ(Mesh::try_load(folder.path()).error().problem(), "is a folder");
    EXPECT_EQ(Mesh::try_load("/dev/zero").error().problem(), "is a device or a pipe");
    EXPECT_THROW(Mesh::load(folder / "missing.obj"), Error);
    EXPECT_THROW(TetMesh::load(folder / "missing.msh"), Error);

    ASSERT_EQ(::mkfifo((folder / "pipe.obj").c_str(), 0600), 0);  // nobody writes to it: must not hang
    EXPECT_EQ(Mesh::try_load(folder / "pipe.obj").error().problem(), "is a device or a pipe");

    const auto large = folder.write("large.stl", "solid");
    std::filesystem::resize_file(large, std::uintmax_t{9} << 30);  // a sparse file, which takes no space
    EXPECT_TRUE(says(Mesh::try_load(large).error().problem(), "too large (9 GiB"));
}

TEST(IoMalformed, AFileOfAnotherOwnerIsAClearError) {
    const TempFolder folder;
    const auto file = folder.write("a.obj", sample_obj());
    ::chmod(file.c_str(), 0);
    const uid_t user = ::geteuid();
    constexpr uid_t nobody = 65534;  // root may read every file, so the test stops being root for a moment
    if (user == 0) {
        ASSERT_EQ(::seteuid(nobody), 0);
    }
    const Result<Mesh> mesh = Mesh::try_load(file);
    if (user == 0) {
        ASSERT_EQ(::seteuid(user), 0);
    }
    ASSERT_FALSE(mesh.ok());
    EXPECT_TRUE(says(mesh.error().problem(), "Permission denied"));
}

TEST(IoMalformed, ABadScaleIsAnError) {
    const TempFolder folder;
    const auto file = folder.write("a.obj", sample_obj());
    for (double scale : {0.0, -1.0, HUGE_VAL, std::nan("")})
        EXPECT_TRUE(says(Mesh::try_load(file, {.scale = scale}).error().problem(), "scale"));
}

TEST(IoMalformed, NumbersTooSmallToHoldAreZero) {
    const TempFolder folder;
    const std::string tiny = "0." + std::string(400, '0') + "1";
    const auto file = folder.write("a.obj", replaced(sample_obj(), "v 0 0 0", "v 1e-999 -3E-999 " + tiny));
    EXPECT_EQ(Mesh::load(file).positions()[0], (Vec3{0, 0, 0}));
}

TEST(IoMalformed, SolidsOfOtherShapesAreNotSilentlyLeftOut) {
    const TempFolder folder;
    const auto file = folder.write(
        "a.msh", replaced(sample_msh2_ascii(), "3 2 2 0 1 10 31 20", "3 7 2 0 1 10 31 20 40 40"));
    EXPECT_TRUE(says(Mesh::try_load(file).error().problem(), "pyramids"));
    EXPECT_TRUE(says(TetMesh::try_load(file).error().problem(), "pyramids"));
}

}  // namespace
}  // namespace plush
