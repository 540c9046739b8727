#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plush/geometry/mesh.hpp"
#include "support/files.hpp"

// What the tests of file formats share: small samples and builders of binary files.

namespace plush::io_test {

using test::read_text;
using test::TempFolder;

/// Appends values byte by byte, in either order.
class Bytes {
public:
    explicit Bytes(bool big_endian = false) : big_(big_endian) {}
    Bytes& text(std::string_view s) { return out_ += s, *this; }
    template <class T, class... More>
    Bytes& put(T value, More... more) {
        char raw[sizeof(T)];
        std::memcpy(raw, &value, sizeof(T));
        if (big_) std::reverse(raw, raw + sizeof(T));
        out_.append(raw, sizeof(T));
        if constexpr (sizeof...(more) > 0) put(more...);
        return *this;
    }
    const std::string& str() const { return out_; }

private:
    std::string out_;
    bool big_;
};

/// The corner tet: volume 1/6, outward faces.
inline const std::vector<Vec3> corner_points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
inline const std::vector<Triangle> corner_triangles{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

inline Mesh corner() {
    return Mesh(corner_points, corner_triangles);
}

/// Six times the signed volume: an orientation-sensitive sum over all triangles.
inline double volume6(const Mesh& m) {
    double sum = 0;
    for (const Triangle& t : m.triangles())
        sum += dot(cross(m.positions()[static_cast<std::size_t>(t[0])],
                         m.positions()[static_cast<std::size_t>(t[1])]),
                   m.positions()[static_cast<std::size_t>(t[2])]);
    return sum;
}

/// Directed edges without their opposite: 0 for a closed, consistently oriented mesh.
inline int open_edges(const Mesh& m) {
    std::vector<std::pair<int, int>> edges;
    for (const Triangle& t : m.triangles())
        for (std::size_t i = 0; i < 3; ++i) edges.emplace_back(t[i], t[(i + 1) % 3]);
    std::sort(edges.begin(), edges.end());
    return static_cast<int>(std::count_if(edges.begin(), edges.end(), [&](auto e) {
        return !std::binary_search(edges.begin(), edges.end(), std::pair{e.second, e.first});
    }));
}

inline void expect_same(const Mesh& a, const Mesh& b) {
    EXPECT_TRUE(
        std::equal(a.positions().begin(), a.positions().end(), b.positions().begin(), b.positions().end()));
    EXPECT_TRUE(
        std::equal(a.triangles().begin(), a.triangles().end(), b.triangles().begin(), b.triangles().end()));
}

// One sample of each format and variant: (name, bytes). All are the corner tet.

inline std::string sample_obj() {
    return "# corner\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
}
inline std::string sample_off() {
    return "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
}
inline std::string ply_header(std::string_view format) {
    return "ply\nformat " + std::string(format) +
           " 1.0\ncomment made by hand\nobj_info none\nelement vertex 4\nproperty float x\nproperty float32 "
           "y\n"
           "property uchar red\nproperty double z\nelement face 4\nproperty list uchar int vertex_indices\n"
           "property list uint8 float64 texcoord\nelement edge 1\nproperty int vertex1\nproperty int "
           "vertex2\nend_header\n";
}
inline std::string sample_ply_ascii() {
    return ply_header("ascii") +
           "0 0 7 0\n1 0 7 0\n0 1 7 0\n0 0 7 1\n3 0 2 1 0\n3 0 1 3 2 nan 5\n3 0 3 2 0\n3 1 2 3 0\n0 1\n";
}
inline std::string sample_ply_binary(bool big) {
    Bytes b(big);
    b.text(ply_header(big ? "binary_big_endian" : "binary_little_endian"));
    for (const Vec3& p : corner_points)
        b.put(static_cast<float>(p.x), static_cast<float>(p.y), std::uint8_t{7}, p.z);
    for (const Triangle& t : corner_triangles) b.put(std::uint8_t{3}, t[0], t[1], t[2], std::uint8_t{1}, 0.5);
    b.put(0, 1);
    return b.str();
}
inline std::string sample_stl_ascii() {
    std::string s = "solid a corner of solid things\n";
    for (const Triangle& t : corner_triangles) {
        s += "  facet normal nan 0 0\n    outer loop\n";
        for (int v : t) {
            const Vec3& p = corner_points[static_cast<std::size_t>(v)];
            s += "      vertex " + std::to_string(p.x) + " " + std::to_string(p.y) + " " +
                 std::to_string(p.z) + "\n";
        }
        s += "    endloop\n  endfacet\n";
    }
    return s + "endsolid a corner\n";
}
inline std::string sample_stl_binary(std::string header = "solid but binary") {
    header.resize(80, ' ');
    Bytes b;
    b.text(header).put(std::uint32_t{4});
    for (const Triangle& t : corner_triangles) {
        b.put(0.f, 0.f, 0.f);
        for (int v : t) {
            const Vec3& p = corner_points[static_cast<std::size_t>(v)];
            b.put(static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z));
        }
        b.put(std::uint16_t{0});
    }
    return b.str();
}
inline std::string sample_medit() {
    return "MeshVersionFormatted 1\nDimension\n3\n# the corner\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 "
           "1 0\n"
           "Edges\n1\n1 2 0\nTriangles\n4\n1 3 2 0\n1 2 4 0\n1 4 3 0\n2 3 4 0\nCorners\n2\n1\n2\nEnd\n";
}
inline std::string sample_medit_tets() {
    return "MeshVersionFormatted 2\n\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
           "Tetrahedra 1\n1 2 3 4 0\nEnd\n";
}
/// Version 2: node tags with gaps, a line and a point between, a tet that is turned inside out.
inline std::string sample_msh2_ascii() {
    return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"solid\"\n$EndPhysicalNames\n"
           "$Nodes\n4\n10 0 0 0\n20 1 0 0\n31 0 1 0\n40 0 0 1\n$EndNodes\n"
           "$Elements\n4\n1 15 2 0 1 10\n2 1 2 0 1 10 20\n3 2 2 0 1 10 31 20\n4 4 2 0 1 10 31 20 "
           "40\n$EndElements\n";
}
inline std::string sample_msh2_binary(bool big) {
    Bytes b(big);
    b.text("$MeshFormat\n2.2 1 8\n").put(1).text("\n$EndMeshFormat\n$Nodes\n4\n");
    for (int i = 0; i < 4; ++i) {
        const Vec3& p = corner_points[static_cast<std::size_t>(i)];
        b.put(i + 1, p.x, p.y, p.z);
    }
    b.text("\n$EndNodes\n$Elements\n3\n");
    b.put(1, 1, 2, 1, 0, 1, 1, 2);        // a line
    b.put(2, 1, 1, 2, 9, 1, 3, 2);        // a triangle
    b.put(4, 1, 2, 3, 0, 1, 1, 2, 3, 4);  // the tet
    return b.text("\n$EndElements\n").str();
}
inline std::string sample_msh40_ascii() {
    return "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Nodes\n2 4\n1 2 1 3\n1 0 0 0 0.5 0.5\n2 1 0 0 0.5 0.5\n3 0 "
           "1 0 0.5 0.5\n"
           "1 3 0 1\n4 0 0 1\n$EndNodes\n$Elements\n2 2\n1 2 2 1\n1 1 3 2\n1 3 4 1\n2 1 2 3 "
           "4\n$EndElements\n";
}
inline std::string sample_msh40_binary() {
    Bytes b;
    b.text("$MeshFormat\n4.0 1 8\n").put(1).text("\n$EndMeshFormat\n$Nodes\n");
    b.put(std::uint64_t{1}, std::uint64_t{4}, 1, 3, 0, std::uint64_t{4});
    for (int i = 0; i < 4; ++i) {
        const Vec3& p = corner_points[static_cast<std::size_t>(i)];
        b.put(i + 1, p.x, p.y, p.z);
    }
    b.text("\n$EndNodes\n$Elements\n").put(std::uint64_t{1}, std::uint64_t{1}, 1, 3, 4, std::uint64_t{1});
    return b.put(1, 1, 2, 3, 4).text("\n$EndElements\n").str();
}
/// Version 4.1: entities, two blocks of nodes, and a block of each kind of element.
inline std::string sample_msh41_ascii() {
    return "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n1 0 0 1\n1 0 0 0 0\n1 0 0 0 1 1 1 0 "
           "0\n$EndEntities\n"
           "$Nodes\n2 4 1 4\n2 1 1 3\n1\n2\n3\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 1 0 1\n4\n0 0 "
           "1\n$EndNodes\n"
           "$Elements\n2 2 1 2\n2 1 2 1\n1 1 3 2\n3 1 4 1\n2 1 2 3 4\n$EndElements\n";
}
inline std::string sample_msh41_binary(bool big) {
    Bytes b(big);
    const auto u = [](int i) { return static_cast<std::uint64_t>(i); };
    b.text("$MeshFormat\n4.1 1 8\n").put(1).text("\n$EndMeshFormat\n$Nodes\n");
    b.put(u(1), u(4), u(1), u(4), 3, 1, 0, u(4), u(1), u(2), u(3), u(4));
    for (const Vec3& p : corner_points) b.put(p.x, p.y, p.z);
    b.text("\n$EndNodes\n$Elements\n").put(u(1), u(1), u(1), u(1), 3, 1, 4, u(1));
    return b.put(u(1), u(1), u(2), u(3), u(4)).text("\n$EndElements\n").str();
}

using Sample = std::pair<std::string, std::string>;
inline std::vector<Sample> all_samples() {
    return {{"corner.obj", sample_obj()},
            {"corner.off", sample_off()},
            {"ascii.ply", sample_ply_ascii()},
            {"little.ply", sample_ply_binary(false)},
            {"big.ply", sample_ply_binary(true)},
            {"ascii.stl", sample_stl_ascii()},
            {"solid.stl", sample_stl_binary()},
            {"binary.stl", sample_stl_binary("made by hand")},
            {"surface.mesh", sample_medit()},
            {"solid.mesh", sample_medit_tets()},
            {"ascii2.msh", sample_msh2_ascii()},
            {"little2.msh", sample_msh2_binary(false)},
            {"big2.msh", sample_msh2_binary(true)},
            {"ascii40.msh", sample_msh40_ascii()},
            {"binary40.msh", sample_msh40_binary()},
            {"ascii41.msh", sample_msh41_ascii()},
            {"little41.msh", sample_msh41_binary(false)},
            {"big41.msh", sample_msh41_binary(true)}};
}

}  // namespace plush::io_test
