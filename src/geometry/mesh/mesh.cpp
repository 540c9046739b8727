#include "plush/geometry/mesh.hpp"

#include <limits>

#include <fmt/format.h>

#include "geometry/io/io_file.hpp"
#include "geometry/io/io_formats.hpp"

namespace plush {

struct Mesh::Data {
    std::vector<Vec3> positions{};
    std::vector<Triangle> triangles{};
    Box3 bounds{};
};

Mesh::Mesh() : data_(std::make_shared<Data>()) {}

Mesh::Mesh(std::vector<Vec3> positions, std::vector<Triangle> triangles)
    : Mesh(try_make(std::move(positions), std::move(triangles)).value()) {}

Result<Mesh> Mesh::try_make(std::vector<Vec3> positions, std::vector<Triangle> triangles) {
    auto data = std::make_shared<Data>();
    for (std::size_t v = 0; v < positions.size(); ++v) {
        if (!is_finite(positions[v]))
            return Error({.place = fmt::format("vertex {}", v),
                          .problem = "a coordinate is not finite",
                          .cure = "replace it by a number, or remove the vertex"});
        data->bounds.add(positions[v]);
    }
    for (std::size_t t = 0; t < triangles.size(); ++t)
        for (int v : triangles[t])
            if (v < 0 || static_cast<std::size_t>(v) >= positions.size())
                return Error(
                    {.place = fmt::format("triangle {}", t),
                     .problem = fmt::format("vertex index {} is out of range (there are {} vertices)", v,
                                            positions.size()),
                     .cure = "indices count from 0"});
    data->positions = std::move(positions);
    data->triangles = std::move(triangles);
    Mesh mesh;
    mesh.data_ = std::move(data);
    return mesh;
}

Mesh Mesh::load(const std::filesystem::path& file, const ImportSettings& settings) {
    return try_load(file, settings).value();
}

Result<Mesh> Mesh::try_load(const std::filesystem::path& file, const ImportSettings& settings) {
    Result<RawMesh> read = read_mesh_file(file, settings);
    if (!read) return read.error();
    RawMesh& raw = read.value();
    if (!raw.tets.empty()) {
        if (!raw.other_cells.empty())
            return Error({.file = file.string(),
                          .problem = fmt::format("{} stand beside the tets", raw.other_cells),
                          .cure = "export tets alone, or the surface alone"});
        const auto solid = TetMesh::try_make(std::move(raw.positions), std::move(raw.tets));
        if (!solid) return solid.error().in_file(file.string());
        return solid.value().surface();
    }
    if (raw.shared_nodes) drop_unused_vertices(raw.positions, raw.triangles);
    Result<Mesh> mesh = try_make(std::move(raw.positions), std::move(raw.triangles));
    if (!mesh) return mesh.error().in_file(file.string());
    return mesh;
}

void Mesh::save(const std::filesystem::path& file) const {
    try_save(file).value();
}

Result<void> Mesh::try_save(const std::filesystem::path& file) const {
    if (empty())
        return Error(
            {.file = file.string(), .problem = "the mesh to write is empty", .cure = "add triangles"});
    const Result<std::string> bytes = encode_mesh(file, positions(), triangles(), {});
    if (!bytes) return bytes.error().in_file(file.string());
    return write_file(file, bytes.value());
}

// A mesh that was moved from has no data and is empty.

std::span<const Vec3> Mesh::positions() const {
    return data_ ? std::span<const Vec3>(data_->positions) : std::span<const Vec3>();
}

std::span<const Triangle> Mesh::triangles() const {
    return data_ ? std::span<const Triangle>(data_->triangles) : std::span<const Triangle>();
}

Box3 Mesh::bounds() const {
    return data_ ? data_->bounds : Box3{};
}

Mesh Mesh::transformed(const Transform& transform, double scale) const {
    std::vector<Vec3> moved;
    moved.reserve(positions().size());
    for (const Vec3& p : positions()) moved.push_back(transform * (scale * p));
    return Mesh(std::move(moved), {triangles().begin(), triangles().end()});
}

}  // namespace plush
