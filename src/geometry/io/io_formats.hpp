#pragma once

#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "geometry/io/io_scanner.hpp"
#include "plush/geometry/mesh.hpp"

// What the readers and writers of single formats have in common. A reader turns the bytes of a file into a
// RawMesh whose indices are in range and whose coordinates are finite; its errors name the place, and the
// caller adds the file.

namespace plush {

/// Whether one point of the surface may stand in the file as several vertices.
enum class Split {
    none,   ///< a vertex is a point
    seams,  ///< where texture coordinates or normals differ on the sides of an edge
    soup,   ///< every triangle has its own
};

struct RawMesh {
    std::vector<Vec3> positions{};
    std::vector<Triangle> triangles{};
    std::vector<Tet> tets{};
    Split split = Split::none;
    bool shared_nodes = false;  ///< nodes that no triangle uses belong to other elements, not to the surface
    std::string other_cells{};  ///< a kind of solid element that Plush does not read, if there is any
};

Result<RawMesh> read_obj(std::string_view data);
Result<RawMesh> read_off(std::string_view data);
Result<RawMesh> read_ply(std::string_view data);
Result<RawMesh> read_stl(std::string_view data);
Result<RawMesh> read_msh(std::string_view data);
Result<RawMesh> read_medit(std::string_view data);

/// Reads a file of any of these formats and applies the settings. Split vertices are welded.
Result<RawMesh> read_mesh_file(const std::filesystem::path& file, const ImportSettings& settings);

/// The content of a file of the format that its ending names.
Result<std::string> encode_mesh(const std::filesystem::path& file, std::span<const Vec3> positions,
                                std::span<const Triangle> triangles, std::span<const Tet> tets);

std::string write_obj(std::span<const Vec3> positions, std::span<const Triangle> triangles);
std::string write_ply(std::span<const Vec3> positions, std::span<const Triangle> triangles);
/// Single precision and no shared vertices: all that STL has. An Error where a coordinate does not fit a
/// float.
Result<std::string> write_stl(std::span<const Vec3> positions, std::span<const Triangle> triangles);
std::string write_medit(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                        std::span<const Tet> tets);

/// The file's ending in lower case: ".obj".
std::string lower_ending(const std::filesystem::path& file);

/// Equal ASCII words, whatever their case.
bool same_word(std::string_view a, std::string_view lower);

/// Makes one vertex of those that the format split (see io_weld.cpp).
void weld_split_vertices(RawMesh& mesh);

/// Drops the vertices that no item (Triangle or Tet) uses; the others keep their order.
template <class Item>
void drop_unused_vertices(std::vector<Vec3>& positions, std::vector<Item>& items);

/// Appends x in the shortest form that reads back as the same double.
void append_number(std::string& out, double x);
void append_number(std::string& out, int x);

/// Turns the indices of a file, which count from `base`, into indices from 0, and remembers the largest: some
/// formats name vertices before they come, so the range is checked when all of the file is read.
class IndexCheck {
public:
    explicit IndexCheck(int base) : base_(base) {}

    /// `at` is the position of the index, for the error.
    int operator()(Scanner& in, std::int64_t index, std::size_t at) {
        if (index < base_ || index > std::numeric_limits<int>::max()) return bad(in, index, at), 0;
        const int result = static_cast<int>(index) - base_;
        if (result > largest_) largest_ = result, where_ = at;
        return result;
    }
    /// Fails at the place of the largest index if there are not enough vertices for it.
    void finish(Scanner& in, std::size_t vertices) const;

private:
    void bad(Scanner& in, std::int64_t index, std::size_t at) const;
    int base_;
    int largest_ = -1;
    std::size_t where_ = 0;
};

/// A polygon as a fan of triangles around its first corner; fails where it has fewer than three.
void add_polygon(Scanner& in, std::span<const int> corners, std::vector<Triangle>& triangles);

}  // namespace plush
