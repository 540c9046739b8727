#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/io/test_io_samples.hpp"

// Every variant of every format, from small files written by hand.

namespace plush {
namespace {

using namespace io_test;

Mesh load(std::string_view name, std::string_view bytes, const ImportSettings& settings = {}) {
    const TempFolder folder;
    return Mesh::load(folder.write(name, bytes), settings);
}

TetMesh load_tets(std::string_view name, std::string_view bytes) {
    const TempFolder folder;
    return TetMesh::load(folder.write(name, bytes));
}

std::string with_crlf(std::string_view text) {
    std::string out;
    for (char c : text) out += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return out;
}

TEST(IoRead, EverySampleIsTheSameClosedTet) {
    for (const auto& [name, bytes] : all_samples()) {
        SCOPED_TRACE(name);
        const Mesh mesh = load(name, bytes);
        EXPECT_EQ(mesh.positions().size(), 4u);
        EXPECT_EQ(mesh.triangles().size(), 4u);
        EXPECT_EQ(open_edges(mesh), 0);
        EXPECT_EQ(volume6(mesh), 1);
    }
}

TEST(IoRead, TheContentTellsTheFormatWhateverTheEnding) {
    for (const auto& [name, bytes] : all_samples()) {
        if (name == "corner.obj" || name == "binary.stl") continue;  // these two have no mark of their own
        SCOPED_TRACE(name);
        EXPECT_EQ(volume6(load("corner.obj", bytes)), 1);
        EXPECT_EQ(volume6(load("corner", bytes)), 1);
    }
    EXPECT_EQ(volume6(load("CORNER.OBJ", sample_obj())), 1);
}

TEST(IoRead, LinesMayEndInCrLfOrCr) {
    for (const auto& [name, bytes] : all_samples()) {
        if (bytes.find('\0') != bytes.npos) continue;  // binary
        SCOPED_TRACE(name);
        EXPECT_EQ(volume6(load(name, with_crlf(bytes))), 1);
        std::string cr = bytes;
        std::replace(cr.begin(), cr.end(), '\n', '\r');
        EXPECT_EQ(volume6(load(name, cr)), 1);
        EXPECT_EQ(volume6(load(name, "\xEF\xBB\xBF" + bytes)), 1);  // and begin with the mark of UTF-8
    }
}

// OBJ

TEST(IoObj, CornersMayCarryTextureAndNormal) {
    const std::string points = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvn 0 0 1\n";
    for (const char* faces :
         {"f 1/1 3/1 2/1\nf 1/1 2/1 4/1\nf 1/1 4/1 3/1\nf 2/1 3/1 4/1\n",
          "f 1//1 3//1 2//1\nf 1//1 2//1 4//1\nf 1//1 4//1 3//1\nf 2//1 3//1 4//1\n",
          "f 1/1/1 3/1/1 2/1/1\nf 1/1/1 2/1/1 4/1/1\nf 1/1/1 4/1/1 3/1/1\nf 2/1/1 3/1/1 4/1/1\n",
          "f -4 -2 -3\nf -4 -3 -1\nf -4/-1/-1 -1 -2\nf -3//-1 -2 -1\n"})
        expect_same(load("a.obj", points + faces), corner());
}

TEST(IoObj, GroupsMaterialsContinuedLinesAndCommentsPass) {
    const std::string text =
        "mtllib a.mtl # which one\no corner\nv 0 \\\n0 0\nv +1 0 0 1\nv 0 1e0 0 0.5 0.5 0.5\nv 0 0 1\ng a "
        "b\\\nc\n"
        "usemtl red\ns off\nf 1 3 2 # below\nf 1 2\\\r\n 4\nl 1 2\np 1\n# a path C:\\\nf 1 4 "
        "3\nxyz_extension 1\nf 2 3 4";
    expect_same(load("a.obj", text), corner());
}

TEST(IoObj, PolygonsBecomeFansAndFacesMayComeBeforeTheirVertices) {
    const Mesh mesh = load("a.obj", "f 1 2 3 4 5\nv 0 0 0\nv 2 0 0\nv 3 1 0\nv 2 2 0\nv 0 2 0\n");
    const std::vector<Triangle> fan{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}};
    EXPECT_TRUE(std::equal(mesh.triangles().begin(), mesh.triangles().end(), fan.begin(), fan.end()));
}

// A cap of thousands of corners: a fan of it would be so many slivers that overlap in their boxes, and a check of it would
// take the square of the time: 2.8 minutes for this one, where it now takes a moment.
TEST(IoObj, APolygonOfManyCornersIsCutSoThatNothingTakesTheSquareOfThem) {
    constexpr int n = 8000;
    std::string text;
    for (const int y : {0, 1})
        for (int i = 0; i < n; ++i) {
            const double a = 2 * std::numbers::pi * i / n;
            text += "v " + std::to_string(std::cos(a)) + " " + std::to_string(y) + " " +
                    std::to_string(std::sin(a)) + "\n";
        }
    std::string low = "f", high = "f";
    for (int i = 0; i < n; ++i) low += " " + std::to_string(i + 1), high += " " + std::to_string(2 * n - i);
    text += low + "\n" + high + "\n";
    for (int i = 0; i < n; ++i) {
        const int j = (i + 1) % n;
        text += "f " + std::to_string(i + 1) + " " + std::to_string(n + i + 1) + " " +
                std::to_string(n + j + 1) + " " + std::to_string(j + 1) + "\n";
    }
    const Mesh mesh = load("disc.obj", text);
    EXPECT_EQ(mesh.triangles().size(), std::size_t{2 * (n - 2) + 2 * n});
    EXPECT_EQ(open_edges(mesh), 0);
    std::vector<int> triangles_at(mesh.positions().size(), 0);
    for (const Triangle& t : mesh.triangles())
        for (const int v : t) ++triangles_at[static_cast<std::size_t>(v)];
    EXPECT_LT(*std::max_element(triangles_at.begin(), triangles_at.end()), 40);  // 29; a fan had 8001
}

TEST(IoObj, SplitVerticesAreWeldedAndUnusedOnesStay) {
    // The corner with three vertices of its own for each face, and two unused ones at the place of a used
    // one.
    std::string text = "v 0 0 0\nv 0 0 0\n";
    for (const Triangle& t : corner_triangles)
        for (int v : t) {
            const Vec3& p = corner_points[static_cast<std::size_t>(v)];
            text +=
                "v " + std::to_string(p.x) + " " + std::to_string(p.y) + " -" + std::to_string(p.z) + "\n";
        }
    for (int i = 3; i < 15; i += 3)
        text += "f " + std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i + 2) + "\n";
    const Mesh mesh = load("a.obj", text);
    EXPECT_EQ(mesh.positions().size(), 6u);
    EXPECT_EQ(open_edges(mesh), 0);
}

TEST(IoObj, ClosedPiecesThatTouchStayApart) {
    std::string text = sample_obj();
    text += "v 0 0 0\nv -1 0 0\nv 0 -1 0\nv 0 0 -1\nf 5 6 7\nf 5 8 6\nf 5 7 8\nf 6 8 7\n";
    const Mesh mesh = load("a.obj", text);
    EXPECT_EQ(mesh.positions().size(), 8u);
    EXPECT_EQ(open_edges(mesh), 0);
}

// OFF

TEST(IoOff, Variants) {
    const std::string faces = "3 0 2 1\n3 0 1 3 255 0 0\n3 0 3 2 0.1 0.2 0.3 1\n3 1 2 3 # last\n";
    const std::string plain = "0 0 0\n1 0 0\n\n0 1 0 # y\n0 0 1\n";
    const std::string four = "0 0 0 9 9 9 9\n1 0 0 9 9 9 9\n0 1 0 9 9 9 9\n0 0 1 9 9 9 9\n";
    for (const std::string& text :
         {"OFF 4 4 6\n" + plain + faces, "# first\nOFF # kind\n# counts\n4 4 0\n" + plain + faces,
          "OFF\n4 4\n" + plain + faces, "4 4 0\n" + plain + faces, "COFF\n4 4 0\n" + four + faces,
          "NOFF\n4 4 0\n" + four + faces, "STCNOFF\n4 4 0\n" + four + faces})
        expect_same(load("a.off", text), corner());
}

TEST(IoOff, PolygonsBecomeFans) {
    EXPECT_EQ(
        load("a.off", "OFF\n5 1 0\n0 0 0\n2 0 0\n3 1 0\n2 2 0\n0 2 0\n5 0 1 2 3 4\n").triangles().size(), 3u);
}

// PLY

TEST(IoPly, OtherTypesAndPolygons) {
    Bytes b(true);
    b.text(
        "ply\nformat binary_big_endian 1.0\nelement vertex 4\nproperty short x\nproperty int8 y\nproperty "
        "double z\n"
        "element face 1\nproperty list int ushort vertex_index\nend_header\n");
    b.put(std::int16_t{-300}, std::int8_t{-1}, 0.5).put(std::int16_t{2}, std::int8_t{0}, 0.0);
    b.put(std::int16_t{2}, std::int8_t{2}, 0.0).put(std::int16_t{0}, std::int8_t{2}, 0.0);
    b.put(4, std::uint16_t{0}, std::uint16_t{1}, std::uint16_t{2}, std::uint16_t{3});
    const Mesh mesh = load("a.ply", b.str());
    EXPECT_EQ(mesh.positions()[0], (Vec3{-300, -1, 0.5}));
    EXPECT_EQ(mesh.triangles().size(), 2u);
}

TEST(IoPly, VerticesAreWeldedOnlyWhereNormalsOrTextureSplitThem) {
    const auto text = [](bool normals) {
        return std::string(
                   "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty "
                   "float z\n") +
               (normals ? "property float nx\n" : "property float quality\n") +
               "element face 2\nproperty list uchar int vertex_indices\nend_header\n"
               "0 0 0 1\n1 0 0 1\n0 1 0 1\n1 0 0 2\n1 1 0 2\n0 1 0 2\n3 0 1 2\n3 3 4 5\n";
    };
    EXPECT_EQ(load("a.ply", text(true)).positions().size(), 4u);
    EXPECT_EQ(load("a.ply", text(false)).positions().size(), 6u);
}

// STL

TEST(IoStl, SeveralSolidsInCapitals) {
    std::string text = sample_stl_ascii() + sample_stl_ascii();
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
    const Mesh mesh = load("a.stl", text);
    EXPECT_EQ(mesh.triangles().size(), 8u);
    EXPECT_EQ(mesh.positions().size(), 4u);
}

// MESH

TEST(IoMedit, QuadsAreCutAndReferencesMayBeMissing) {
    const Mesh mesh = load("a.mesh",
                           "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
                           "Normals\n1\n0 0 1\nQuadrilaterals\n1\n1 2 3 4\nEnd\n");
    EXPECT_EQ(mesh.triangles().size(), 2u);
}

// MSH

TEST(IoMsh, CurvedTetsGiveTheirCornersAndLoseTheirMiddleNodes) {
    std::string text =
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    for (int i = 5; i <= 10; ++i) text += std::to_string(i) + " 0.5 0.5 0.5\n";
    text += "$EndNodes\n$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n";
    const TetMesh tets = load_tets("a.msh", text);
    EXPECT_EQ(tets.positions().size(), 4u);
    EXPECT_EQ(tets.tets().size(), 1u);
}

TEST(IoMsh, ASurfaceOfTrianglesAndQuadsNeedsNoTets) {
    const Mesh mesh = load(
        "a.msh",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 6 7 12\n2 1 0 6\n7\n8\n9\n10\n11\n12\n0 0 0\n1 0 0\n"
        "1 1 0\n0 1 0\n2 2 0\n9 9 9\n$EndNodes\n$Elements\n2 2 1 2\n2 1 3 1\n1 7 8 9 10\n2 1 2 1\n2 8 11 9\n"
        "$EndElements\n$NodeData\nanything\n$EndNodeData\n");
    EXPECT_EQ(mesh.triangles().size(), 3u);
    EXPECT_EQ(mesh.positions().size(), 5u);  // node 12 belongs to no triangle
}

TEST(IoTets, InvertedTetsAreTurned) {
    for (const auto& [name, bytes] : all_samples()) {
        if (!name.ends_with(".msh") && name != "solid.mesh") continue;
        SCOPED_TRACE(name);
        const TetMesh mesh = load_tets(name, bytes);
        ASSERT_EQ(mesh.tets().size(), 1u);
        EXPECT_EQ(volume6(mesh.surface()), 1);
    }
}

// Import settings

TEST(IoImport, ScaleUnitAndUpAxis) {
    const std::string text = "v 1 2 3\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    const auto first = [&](const ImportSettings& s) { return load("a.obj", text, s).positions()[0]; };
    using I = ImportSettings;
    EXPECT_EQ(first({}), (Vec3{1, 2, 3}));
    EXPECT_EQ(first({.scale = 2}), (Vec3{2, 4, 6}));
    EXPECT_EQ(first({.scale = 100, .unit = I::Unit::cm}), (Vec3{1, 2, 3}));
    EXPECT_EQ(first({.unit = I::Unit::mm}), (Vec3{0.001, 0.002, 0.003}));
    EXPECT_EQ(first({.scale = 10, .unit = I::Unit::inch}), (Vec3{0.254, 0.508, 0.762}));
    EXPECT_EQ(first({.up = I::UpAxis::z}), (Vec3{1, 3, -2}));
    EXPECT_EQ(first({.up = I::UpAxis::x}), (Vec3{-2, 1, 3}));
    for (auto up : {I::UpAxis::x, I::UpAxis::y, I::UpAxis::z})  // none turns the surface inside out
        EXPECT_EQ(volume6(load("b.obj", sample_obj(), {.up = up})), 1);
}

}  // namespace
}  // namespace plush
