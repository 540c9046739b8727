#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "geometry/io/io_file.hpp"
#include "geometry/io/io_formats.hpp"
#include "geometry/tets/tet_file.hpp"
#include "geometry/tets/tet_topology.hpp"
#include "plush/geometry/mesh.hpp"

// Tets (a, b, c, d) with (b−a)×(c−a)·(d−a) > 0: d lies on the side of abc from which abc is
// counter-clockwise. The faces seen from outside are then
//
//     d            acb   below, in the picture
//    /|\           abd
//   / | \          adc
//  a--|--c         bcd
//   \ | /
//     b

namespace plush {
namespace {

constexpr std::array<std::array<std::size_t, 3>, 4> outward_faces{
    {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};

/// Six times the volume, and the sum of the absolute values of its terms.
struct Volume {
    double value, magnitude;
};
Volume signed_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const Vec3 u = b - a, v = c - a, w = d - a;
    const Vec3 positive{std::abs(u.y * v.z) + std::abs(u.z * v.y), std::abs(u.z * v.x) + std::abs(u.x * v.z),
                        std::abs(u.x * v.y) + std::abs(u.y * v.x)};
    return {dot(cross(u, v), w), dot(positive, abs(w))};
}

/// Below this share of the magnitude rounding alone decides the sign: the static bound (7 + 56ε)ε, ε = 2⁻⁵³,
/// of Shewchuk's orient3d ("Adaptive precision floating-point arithmetic", 1997), rounded up to 8ε.
constexpr double volume_doubt = 8 * 0x1p-53;

/// Turns the tet to positive volume; false where it has none.
bool orient(const std::vector<Vec3>& positions, Tet& tet) {
    const auto p = [&](std::size_t i) { return positions[static_cast<std::size_t>(tet[i])]; };
    const Volume volume = signed_volume(p(0), p(1), p(2), p(3));
    if (!(std::abs(volume.value) > volume_doubt * volume.magnitude)) return false;
    if (volume.value < 0) std::swap(tet[2], tet[3]);
    return true;
}

Error clash_error(const TetClash& clash) {
    const bool same = clash.kind == TetClash::Kind::duplicate;
    return Error({.place = fmt::format("tet {}", clash.second),
                  .problem = same ? fmt::format("it has the same four vertices as tet {}", clash.first)
                                  : fmt::format("it is the third at a face of tet {}", clash.first),
                  .cure = same ? "remove one of the two"
                               : "tets overlap here: make them again from the surface, plush mesh tet"});
}

}  // namespace

struct TetMesh::Data {
    std::vector<Vec3> positions{};
    std::vector<Tet> tets{};
};

TetMesh::TetMesh() : data_(std::make_shared<Data>()) {}

TetMesh::TetMesh(std::vector<Vec3> positions, std::vector<Tet> tets)
    : TetMesh(try_make(std::move(positions), std::move(tets)).value()) {}

Result<TetMesh> TetMesh::try_make(std::vector<Vec3> positions, std::vector<Tet> tets) {
    for (std::size_t v = 0; v < positions.size(); ++v)
        if (!is_finite(positions[v]))
            return Error({.place = fmt::format("vertex {}", v),
                          .problem = "a coordinate is not finite",
                          .cure = "replace it by a number, or remove the vertex"});
    for (std::size_t t = 0; t < tets.size(); ++t) {
        for (int v : tets[t])
            if (v < 0 || static_cast<std::size_t>(v) >= positions.size())
                return Error(
                    {.place = fmt::format("tet {}", t),
                     .problem = fmt::format("vertex index {} is out of range (there are {} vertices)", v,
                                            positions.size()),
                     .cure = "indices count from 0"});
        if (!orient(positions, tets[t]))
            return Error({.place = fmt::format("tet {}", t),
                          .problem = fmt::format("it has no volume (its vertices are {}, {}, {} and {})",
                                                 tets[t][0], tets[t][1], tets[t][2], tets[t][3]),
                          .cure = "remove it, or make the tets again from the surface"});
    }
    TetMesh mesh;
    mesh.data_ = std::make_shared<Data>(Data{std::move(positions), std::move(tets)});
    return mesh;
}

TetMesh TetMesh::load(const std::filesystem::path& file, const ImportSettings& settings) {
    return try_load(file, settings).value();
}

Result<TetMesh> TetMesh::try_load(const std::filesystem::path& file, const ImportSettings& settings) {
    Result<TetFile> read = load_tet_file(file, settings);
    if (!read) return read.error();
    if (read.value().mesh.tets().empty())
        return Error({.file = file.string(),
                      .problem = "it has triangles but no tets",
                      .cure = "fill it with tets first: plush mesh tet"});
    return std::move(read.value().mesh);
}

Result<TetFile> load_tet_file(const std::filesystem::path& file, const ImportSettings& settings) {
    Result<RawMesh> read = read_mesh_file(file, settings);
    if (!read) return read.error();
    RawMesh& raw = read.value();
    if (!raw.other_cells.empty())
        return Error({.file = file.string(),
                      .problem = fmt::format("it contains {}", raw.other_cells),
                      .cure = "export tets alone"});
    // A node that no tet uses (of a curve, or in the middle of a curved edge) would be a particle without
    // mass.
    drop_unused_vertices(raw.positions, raw.tets);
    if (const auto clash = find_clash(raw.tets)) return clash_error(*clash).in_file(file.string());
    const std::vector<Tet> as_read = raw.tets;
    Result<TetMesh> mesh = TetMesh::try_make(std::move(raw.positions), std::move(raw.tets));
    if (!mesh) return mesh.error().in_file(file.string());
    TetFile result{std::move(mesh.value())};
    for (std::size_t t = 0; t < as_read.size(); ++t) result.turned += result.mesh.tets()[t] != as_read[t];
    return result;
}

void TetMesh::save(const std::filesystem::path& file) const {
    try_save(file).value();
}

Result<void> TetMesh::try_save(const std::filesystem::path& file) const {
    if (tets().empty())
        return Error({.file = file.string(), .problem = "the mesh to write is empty", .cure = "add tets"});
    const Result<std::string> bytes = encode_mesh(file, positions(), {}, tets());
    if (!bytes) return bytes.error().in_file(file.string());
    return write_file(file, bytes.value());
}

std::span<const Vec3> TetMesh::positions() const {
    return data_ ? std::span<const Vec3>(data_->positions) : std::span<const Vec3>();
}

std::span<const Tet> TetMesh::tets() const {
    return data_ ? std::span<const Tet>(data_->tets) : std::span<const Tet>();
}

Mesh TetMesh::surface() const {
    struct Face {
        std::array<int, 3> key;  ///< its vertices, sorted
        Triangle triangle;       ///< the same, outward
        std::size_t order;
    };
    std::vector<Face> faces;
    faces.reserve(4 * tets().size());
    for (const Tet& tet : tets())
        for (const auto& [i, j, k] : outward_faces) {
            Face face{{tet[i], tet[j], tet[k]}, {tet[i], tet[j], tet[k]}, faces.size()};
            std::sort(face.key.begin(), face.key.end());
            faces.push_back(face);
        }
    std::sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) { return a.key < b.key; });
    std::vector<Face> outer;
    for (std::size_t i = 0; i < faces.size();) {
        std::size_t end = i + 1;
        while (end < faces.size() && faces[end].key == faces[i].key) ++end;
        if (end == i + 1) outer.push_back(faces[i]);
        i = end;
    }
    // In the order of the tets, which reads well and keeps neighbours together.
    std::sort(outer.begin(), outer.end(), [](const Face& a, const Face& b) { return a.order < b.order; });
    std::vector<Triangle> triangles;
    triangles.reserve(outer.size());
    for (const Face& face : outer) triangles.push_back(face.triangle);
    std::vector<Vec3> used(positions().begin(), positions().end());
    drop_unused_vertices(used, triangles);
    return Mesh(std::move(used), std::move(triangles));
}

}  // namespace plush
