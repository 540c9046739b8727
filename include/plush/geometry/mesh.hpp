#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "plush/core/describe.hpp"
#include "plush/core/error.hpp"
#include "plush/math/rotation.hpp"

namespace plush {

using Triangle = std::array<int, 3>;
using Tet = std::array<int, 4>;

/// How to read a mesh file into metres with y up.
struct ImportSettings {
    /// Of lengths in the file.
    enum class Unit { m, cm, mm, inch };
    /// The axis of the file that points up.
    enum class UpAxis { x, y, z };
    double scale = 1;
    Unit unit = Unit::m;
    UpAxis up = UpAxis::y;
};
PLUSH_API void describe(FieldVisitor& v, ImportSettings& s);

/// A triangle mesh: a cheap copy of shared, immutable data. Positions in metres, triangles counter-clockwise
/// seen from outside.
class PLUSH_API Mesh {
public:
    Mesh();
    /// Throws an Error when an index is out of range or a coordinate is not finite.
    Mesh(std::vector<Vec3> positions, std::vector<Triangle> triangles);

    /// Reads OBJ, OFF, PLY, STL, MSH or MESH, by the file's content where it tells and else by its ending. A
    /// file of tets gives their surface. Equal vertices that the file split are welded where its format
    /// splits them.
    static Mesh load(const std::filesystem::path& file, const ImportSettings& settings = {});
    static Result<Mesh> try_load(const std::filesystem::path& file, const ImportSettings& settings = {});
    static Result<Mesh> try_make(std::vector<Vec3> positions, std::vector<Triangle> triangles);

    /// Writes OBJ, PLY (binary), STL (binary) or MESH, by the file's ending.
    void save(const std::filesystem::path& file) const;
    Result<void> try_save(const std::filesystem::path& file) const;

    std::span<const Vec3> positions() const;
    std::span<const Triangle> triangles() const;
    bool empty() const { return triangles().empty(); }
    Box3 bounds() const;

    /// The same mesh with every position p replaced by scale·p, rotated and moved.
    Mesh transformed(const Transform& transform, double scale = 1) const;

    /// Equal for copies of one mesh, different for any two that were made apart.
    const void* identity() const { return data_.get(); }

private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

/// A tetrahedral mesh; tets have positive volume: (b−a)×(c−a)·(d−a) > 0.
class PLUSH_API TetMesh {
public:
    TetMesh();
    TetMesh(std::vector<Vec3> positions, std::vector<Tet> tets);
    /// Reads MSH or MESH.
    static TetMesh load(const std::filesystem::path& file, const ImportSettings& settings = {});
    static Result<TetMesh> try_load(const std::filesystem::path& file, const ImportSettings& settings = {});
    static Result<TetMesh> try_make(std::vector<Vec3> positions, std::vector<Tet> tets);
    /// Writes MESH.
    void save(const std::filesystem::path& file) const;
    Result<void> try_save(const std::filesystem::path& file) const;

    std::span<const Vec3> positions() const;
    std::span<const Tet> tets() const;
    /// The faces that belong to one tet only, oriented outward, on the vertices they use.
    Mesh surface() const;

private:
    struct Data;
    std::shared_ptr<const Data> data_;
};

}  // namespace plush
